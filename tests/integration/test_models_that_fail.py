"""Models that are missing, damaged or unusual: one sentence, never a fault of the program."""

import json
import os
import sys

import numpy as np
import pytest

from indexer.models.embedder import SentenceTransformerEmbedder
from indexer.models.model_files import ENGLISH_MODEL, ModelFiles
from schema.errors import ModelError

pytestmark = pytest.mark.model


@pytest.fixture
def folder(tmp_path):
    """A copy of the bundled model made of links, with some files replaced."""

    def make(**changes):
        source = ModelFiles(ENGLISH_MODEL).folder
        for place in source.rglob("*"):
            target = tmp_path / "model" / place.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            if place.is_file() and place.name not in changes:
                os.symlink(place, target)
        for name, content in changes.items():
            if content is not None:
                (tmp_path / "model" / name).write_bytes(content)
        return str(tmp_path / "model")

    return make


def embedder(name, **options):
    return SentenceTransformerEmbedder(name, **{"device": "cpu", "precision": "float32", **options})


def test_path_that_is_missing_is_one_sentence():
    with pytest.raises(ModelError, match="The model /no/such/model cannot be loaded") as caught:
        embedder("/no/such/model").embed_query("x")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"{", b"{}"])
def test_broken_configuration_is_refused(folder, content):
    with pytest.raises(ModelError, match="cannot be loaded"):
        embedder(folder(**{"config.json": content})).embed_query("x")


def test_code_that_comes_with_a_model_is_refused(folder):
    modules = json.dumps([{"idx": 0, "name": "0", "path": "", "type": "os.system"}]).encode()
    with pytest.raises(ModelError, match=r"os\.system"):
        embedder(folder(**{"modules.json": modules})).embed_query("x")


def test_device_that_does_not_exist_is_refused():
    with pytest.raises(ModelError, match="nonsense"):
        embedder("all-MiniLM-L6-v2", device="nonsense").embed_sections(["x"])


def test_broken_weights_are_refused(folder):
    with pytest.raises(ModelError, match="cannot be loaded"):
        embedder(folder(**{"model.safetensors": b"junk" * 10})).embed_query("x")


def test_broken_tokenizer_is_refused(folder):
    with pytest.raises(ModelError, match="tokenizer"):
        embedder(folder(**{"tokenizer.json": b"{}"})).token_spans(["x"])


def test_processor_kind_that_torch_was_built_without_is_refused():
    import torch

    if torch.backends.cuda.is_built():
        pytest.skip("this torch can use cuda")
    with pytest.raises(ModelError, match="cannot be loaded"):
        embedder("all-MiniLM-L6-v2", device="cuda").embed_sections(["x"])


def test_model_without_a_tokenizer_file_uses_its_vocabulary(folder):
    own = embedder(folder(**{"tokenizer.json": None}))
    assert own.token_spans(["rotate the key"]) == [[(0, 6), (7, 10), (11, 14)]]
    assert own.dimension == 384


def test_query_that_is_not_unicode_has_a_vector():
    vector = embedder("all-MiniLM-L6-v2").embed_query("key \udcff")
    np.testing.assert_allclose(np.linalg.norm(vector), 1, atol=1e-5)


class Bare:
    """What a model may look like that tells nothing of itself."""

    tokenizer = object()

    def get_embedding_dimension(self):
        return None


def test_model_that_does_not_tell_its_dimension_is_refused():
    own = embedder("bare")
    own.model = Bare()
    with pytest.raises(ModelError, match="does not say how long its vectors are"):
        _ = own.dimension


def test_model_without_a_fast_tokenizer_is_refused():
    own = embedder("bare")
    own.model = Bare()
    with pytest.raises(ModelError, match="no fast tokenizer"):
        own.token_spans(["x"])


def test_missing_library_is_refused_where_the_model_has_no_graph(monkeypatch, folder):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelError, match="cannot be loaded"):
        embedder(folder()).embed_sections(["word " * 5000])


@pytest.mark.parametrize(("cuda", "mps", "device"), [(True, False, "cuda"), (False, True, "mps"), (False, False, "cpu")])
def test_fastest_device_is_taken(monkeypatch, cuda, mps, device):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert SentenceTransformerEmbedder().torch_device == device
