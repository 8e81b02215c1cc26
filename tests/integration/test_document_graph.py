"""Graphs with weights of 8 bits: near to the model, one text at a time, made once, and never needed."""

import json
import logging
import shutil
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import indexer.models.document_graph
import indexer.models.embedder
from indexer.models.embedder import SentenceTransformerEmbedder
from schema.errors import ModelError
from tests.tiny_model import make_model

pytestmark = pytest.mark.model

TEXTS = [
    "How to rotate a key",
    "Put the widget into the frame and turn the crank. " * 60,
    "x",
    "検索エンジンの設定方法",
    "",
    "a \ud800 b",
]


@pytest.fixture(scope="module")
def bundled():
    return SentenceTransformerEmbedder(device="cpu")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


def by_int8(model, cache):
    return SentenceTransformerEmbedder(str(model), device="cpu", precision="int8", cache_dir=str(cache))


@pytest.fixture(scope="module")
def made(tiny, tmp_path_factory):
    """A cache folder with both graphs of the tiny model; copied before it is damaged."""
    folder = tmp_path_factory.mktemp("graphs")
    by_int8(tiny, folder).prepare_queries()
    return folder


@pytest.fixture
def cache(made, tmp_path):
    return shutil.copytree(made, tmp_path / "cache")


@pytest.fixture
def unloaded(monkeypatch):
    """The library that loads the model is missing."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)


def home(cache):
    (folder,) = (cache / "graphs").glob("tiny-int8-*")
    return folder


def test_vectors_are_near_to_those_of_the_model(bundled):
    exact = SentenceTransformerEmbedder(device="cpu", precision="float32")
    found, expected = bundled.embed_sections(TEXTS), exact.embed_sections(TEXTS)
    assert (found.shape, found.dtype, bundled.precision) == ((len(TEXTS), 384), np.float32, "int8")
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert min(np.einsum("ij,ij->i", found, expected)) > 0.97


def test_vector_of_a_text_does_not_depend_on_the_others(bundled):
    together = bundled.embed_sections(TEXTS)
    np.testing.assert_array_equal(together, np.concatenate([bundled.embed_sections([text]) for text in TEXTS]))


@pytest.mark.process
def test_documents_are_embedded_without_torch(bundled):
    bundled.prepare_queries()
    code = (
        "import sys; from indexer.models.embedder import SentenceTransformerEmbedder as E; "
        f"found = E(device='cpu').embed_sections({['A text about keys. ' * 40] * 80!r}); "
        "print(found.shape, sorted({'torch', 'sentence_transformers', 'onnx'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "(80, 384) []"


def test_graph_is_made_once_of_that_for_queries(tiny, cache, unloaded):
    own = by_int8(tiny, cache)
    assert own.embed_sections(TEXTS[:2]).shape == (2, 32)
    assert (home(cache) / json.loads((home(cache) / "record.json").read_text())["generation"] / "graph.onnx").is_file()


def test_queries_stay_float32(tiny, cache, unloaded):
    exact = SentenceTransformerEmbedder(str(tiny), device="cpu", precision="float32", cache_dir=str(cache))
    np.testing.assert_array_equal(by_int8(tiny, cache).embed_query(TEXTS[0]), exact.embed_query(TEXTS[0]))


def test_damaged_graph_is_made_again(tiny, cache, unloaded):
    record = json.loads((home(cache) / "record.json").read_text())
    graph = home(cache) / record["generation"] / "graph.onnx"
    graph.write_bytes(graph.read_bytes()[:-1])
    assert by_int8(tiny, cache).embed_sections(TEXTS[:1]).shape == (1, 32)
    assert json.loads((home(cache) / "record.json").read_text())["generation"] != record["generation"]


def test_graph_that_is_not_near_is_refused_for_good_and_the_model_used(tiny, cache, monkeypatch, caplog):
    shutil.rmtree(home(cache))
    caplog.set_level(logging.INFO)
    with monkeypatch.context() as patch:
        patch.setattr(indexer.models.document_graph, "NEAR", 1.1)
        found = by_int8(tiny, cache).embed_sections(TEXTS[:2])
    assert "no graph for documents could be made: its vector of 'Install the package" in caplog.text
    exact = SentenceTransformerEmbedder(str(tiny), device="cpu", precision="float32", cache_dir=str(cache))
    np.testing.assert_allclose(found, exact.embed_sections(TEXTS[:2]), atol=0.05)
    monkeypatch.setattr(indexer.models.document_graph, "quantize", lambda *_, **__: pytest.fail("it was tried again"))
    assert by_int8(tiny, cache).embed_sections(TEXTS[:1]).shape == (1, 32)


def test_weights_of_7_bits_are_tried_where_those_of_8_are_not_near(tiny, cache, monkeypatch, unloaded):
    shutil.rmtree(home(cache))
    tried = []
    real = indexer.models.document_graph.quantize

    def noted(graph, new, *, has_spare_bit):
        tried.append(has_spare_bit)
        monkeypatch.setattr(indexer.models.document_graph, "NEAR", 0.9 if has_spare_bit else 1.1)
        real(graph, new, has_spare_bit=has_spare_bit)

    monkeypatch.setattr(indexer.models.document_graph, "quantize", noted)
    assert by_int8(tiny, cache).embed_sections(TEXTS[:1]).shape == (1, 32)
    assert tried == [False, True]
    assert json.loads((home(cache) / "record.json").read_text())["refusal"] == ""


def test_full_disk_refuses_no_graph(tiny, cache, monkeypatch):
    shutil.rmtree(home(cache))
    with monkeypatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=0))
        assert by_int8(tiny, cache).embed_sections(TEXTS[:1]).shape == (1, 32)
    assert not (home(cache) / "record.json").exists()


def test_model_is_used_where_the_cache_folder_cannot_be_written(tiny, cache, monkeypatch):
    shutil.rmtree(home(cache))

    def refuse(self):
        raise PermissionError("read-only")

    monkeypatch.setattr("indexer.models.query_graph.GraphFolder.new_generation", refuse)
    assert by_int8(tiny, cache).embed_sections(TEXTS[:2]).shape == (2, 32)


def test_model_is_used_where_the_graph_fails(tiny, cache, monkeypatch, caplog):
    def fail(*_):
        raise ModelError("the graph of the model failed")

    caplog.set_level(logging.INFO)
    monkeypatch.setattr(indexer.models.embedder, "vectors_by", fail)
    assert by_int8(tiny, cache).embed_sections(TEXTS[:2]).shape == (2, 32)
    assert "the graph of the model failed; the model itself is used" in caplog.text


def test_preparing_makes_both_graphs_only_where_documents_use_theirs(tiny, made, tmp_path):
    assert len(list((made / "graphs").iterdir())) == 2
    SentenceTransformerEmbedder(str(tiny), device="cpu", precision="float32", cache_dir=str(tmp_path)).prepare_queries()
    assert len(list((tmp_path / "graphs").iterdir())) == 1


def test_nothing_is_made_without_a_cache_folder(tiny, monkeypatch):
    monkeypatch.setattr("indexer.models.model_graph.cache_folder", lambda _: None)
    own = by_int8(tiny, "")
    own.prepare_queries()
    assert own.embed_sections(TEXTS[:1]).shape == (1, 32)


@pytest.mark.parametrize(
    ("options", "has_gpu", "precision"),
    [
        ({}, False, "int8"),
        ({"device": "cpu"}, True, "int8"),
        ({"precision": "float32"}, False, "float32"),
        ({"precision": "bfloat16"}, False, "bfloat16"),
        ({"precision": "int8"}, True, "int8"),
    ],
)
def test_english_model_computes_in_8_bits_unless_there_may_be_a_gpu(monkeypatch, options, has_gpu, precision):
    monkeypatch.setattr(indexer.models.embedder, "may_have_gpu", lambda: has_gpu)
    assert SentenceTransformerEmbedder(**options).precision == precision


def test_torch_decides_where_there_may_be_a_gpu(monkeypatch):
    monkeypatch.setattr(indexer.models.embedder, "may_have_gpu", lambda: True)
    assert SentenceTransformerEmbedder().precision in ("float32", "bfloat16")


def test_other_models_compute_in_8_bits_only_where_that_is_set(tiny, cache):
    own = SentenceTransformerEmbedder(str(tiny), device="cpu", cache_dir=str(cache))
    assert own.precision != "int8"
