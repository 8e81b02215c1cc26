"""Graphs of models for queries: true to the model, made once, never used when they are not what they should be."""

import importlib.util
import json
import os
import shutil
import threading
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

import indexer.models.graph_export
import indexer.models.query_graph
from indexer.models.embedder import SentenceTransformerEmbedder
from indexer.models.graph_export import export_graph
from indexer.models.query_graph import QueryGraph
from schema.errors import ModelError
from schema.text.characters import encodable
from tests.tiny_model import embedder, make_model

pytestmark = pytest.mark.model

ROOT = Path(__file__).parents[2]
QUERY = "How do I rotate a key?"


@pytest.fixture(scope="module")
def bundled():
    return SentenceTransformerEmbedder(precision="float32", device="cpu")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def exported(tiny, tmp_path_factory):
    """A cache folder with the graph of the tiny model; copied before it is damaged."""
    folder = tmp_path_factory.mktemp("graphs")
    embedder(tiny, folder).embed_query(QUERY)
    return folder


@pytest.fixture
def cache(exported, tmp_path):
    return shutil.copytree(exported, tmp_path / "cache")


def home(cache):
    """The one model's folder in a cache folder."""
    (folder,) = (cache / "graphs").iterdir()
    return folder


def files(cache):
    record = json.loads((home(cache) / "record.json").read_text())
    return home(cache) / record["generation"]


def by_model(own, text):
    """The vector of a query as the model itself computes it."""
    return own.model.encode(encodable(own.query_prompt + text), normalize_embeddings=True, show_progress_bar=False)


TEXTS = {
    "English": QUERY,
    "Japanese": "検索エンジンの設定方法を教えてください。",
    "Korean": "검색 엔진을 설정하는 방법",
    "nothing": "",
    "blanks": "  \n ",
    "emoji": "🚀 launch 👩‍👩‍👧 now",
    "surrogate": "a \ud800 b",
    "long": " ".join(f"word{i}" for i in range(5000)),
}


@pytest.mark.parametrize("prompt", ["", "Represent this sentence for searching: "])
@pytest.mark.parametrize("kind", TEXTS)
def test_graph_gives_the_models_vectors(bundled, kind, prompt):
    bundled.query_prompt = prompt
    found = bundled.embed_query(TEXTS[kind])
    assert bundled.graph.opened is not None
    assert (found.shape, found.dtype) == ((384,), np.float32)
    assert found @ by_model(bundled, TEXTS[kind]) >= 0.9999
    assert abs(np.linalg.norm(found) - 1) < 1e-5


@pytest.mark.parametrize("kind", TEXTS)
def test_graph_of_any_model_gives_its_vectors(tiny, exported, kind):
    own = embedder(tiny, exported)
    assert own.embed_query(TEXTS[kind]) @ by_model(own, TEXTS[kind]) >= 0.9999
    assert own.graph.opened is not None


def test_facts_of_a_model_come_from_its_record(tiny, exported):
    own = embedder(tiny, exported, document_prompt="passage: ")
    assert (own.dimension, own.max_tokens) == (32, 44)
    assert not own.is_loaded


def test_where_the_model_cannot_be_loaded_its_graph_embeds_all_texts(tiny, exported, monkeypatch):
    texts = [TEXTS["English"], TEXTS["Japanese"], "short"]
    model, find = embedder(tiny, exported), importlib.util.find_spec
    expected = np.stack([by_model(model, text) for text in texts])
    monkeypatch.setattr(indexer.models.embedder, "FEW_CHARACTERS", 1)
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *given: None if name == "torch" else find(name, *given))
    own = embedder(tiny, exported)
    assert float((own.embed_sections(texts) * expected).sum(1).min()) >= 0.9999
    assert not own.is_loaded


def test_default_models_facts_need_neither_model_nor_graph(tmp_path):
    own = SentenceTransformerEmbedder(cache_dir=str(tmp_path))
    assert (own.dimension, own.max_tokens, own.coverage("a key")) == (384, 254, 1)
    assert not own.is_loaded


def test_figures_of_the_english_model_are_the_models(bundled):
    assert bundled.model.max_seq_length == indexer.models.embedder.ENGLISH_MAX_TOKENS
    assert bundled.model.get_embedding_dimension() == indexer.models.embedder.ENGLISH_DIMENSION


def test_models_own_prompt_is_kept(tmp_path):
    folder = make_model(tmp_path / "prompted")
    settings = folder / "config_sentence_transformers.json"
    told = {**json.loads(settings.read_text()), "prompts": {"any": "about: "}, "default_prompt_name": "any"}
    settings.write_text(json.dumps(told))
    own = embedder(folder, tmp_path / "cache")
    assert own.embed_query(QUERY) @ by_model(own, QUERY) >= 0.9999
    assert own.graph.opened.record.prefix == "about: "


def test_shorter_vectors_are_cut_as_the_model_does(tmp_path):
    folder = make_model(tmp_path / "short", pooling_mode="mean")
    settings = folder / "config_sentence_transformers.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "truncate_dim": 8}))
    own = embedder(folder, tmp_path / "cache")
    assert own.embed_query(QUERY).shape == (8,)
    assert own.embed_query(QUERY) @ by_model(own, QUERY) >= 0.9999
    assert own.graph.opened is not None


def test_queries_too_long_for_the_graph_are_left_to_the_model(tiny, exported, monkeypatch):
    monkeypatch.setattr("indexer.models.query_graph.MAX_GRAPH_TOKENS", 5)
    own = embedder(tiny, exported)
    assert own.embed_query(QUERY) @ by_model(own, QUERY) >= 0.9999
    assert own.graph.opened.vector(QUERY) is None


def damage(name, change):
    def apply(cache):
        path = (files(cache) if name != "record.json" else home(cache)) / name
        data = path.read_bytes()
        path.unlink()
        changed = change(data)
        if changed is not None:
            path.write_bytes(changed)

    return apply


def with_record(**changes):
    return damage("record.json", lambda data: json.dumps({**json.loads(data), **changes}).encode())


DAMAGES = {
    "a bit of the weights": damage("weights.bin", lambda d: d[:5000] + bytes([d[5000] ^ 1]) + d[5001:]),
    "truncated weights": damage("weights.bin", lambda d: d[:-4096]),
    "empty weights": damage("weights.bin", lambda d: b""),
    "no weights": damage("weights.bin", lambda d: None),
    "a bit of the graph": damage("graph.onnx", lambda d: d[:99] + bytes([d[99] ^ 1]) + d[100:]),
    "no graph": damage("graph.onnx", lambda d: None),
    "no record": damage("record.json", lambda d: None),
    "half a record": damage("record.json", lambda d: d[:100]),
    "no JSON object": damage("record.json", lambda d: b"[]"),
    "a record in no encoding": damage("record.json", lambda d: b"\xff\xfe"),
    "another format": with_record(format=0),
    "another model": with_record(identity="files 0"),
    "a field too many": with_record(colour="red"),
    "files elsewhere": with_record(generation="../elsewhere"),
    "a generation that is gone": with_record(generation="gone"),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_damaged_graph_is_not_used_and_is_made_again(tiny, cache, kind):
    DAMAGES[kind](cache)
    own = embedder(tiny, cache)
    assert own.graph.open() is None
    vector = own.embed_query(QUERY)
    assert vector @ by_model(own, QUERY) >= 0.9999
    later = embedder(tiny, cache)
    np.testing.assert_array_equal(later.embed_query(QUERY), vector)
    assert not later.is_loaded


def test_graph_that_lost_a_file_is_made_again_when_an_index_is_made(tiny, cache):
    DAMAGES["truncated weights"](cache)
    embedder(tiny, cache).prepare_queries()
    assert embedder(tiny, cache).graph.open() is not None


def test_other_weights_get_another_graph(tmp_path):
    folder = make_model(tmp_path / "model")
    cache = tmp_path / "cache"
    before = embedder(folder, cache).embed_query(QUERY)
    make_model(tmp_path / "other", seed=1)
    shutil.copyfile(tmp_path / "other" / "model.safetensors", folder / "model.safetensors")
    own = embedder(folder, cache)
    after = own.embed_query(QUERY)
    assert after @ by_model(own, QUERY) >= 0.9999
    assert after @ before < 0.99
    assert len(list((cache / "graphs").iterdir())) == 1


def test_same_file_name_elsewhere_is_another_model(tmp_path, tiny, cache):
    other = make_model(tmp_path / "tiny", seed=2)
    assert embedder(other, cache).graph.open() is None


def test_prepared_queries_read_no_graph(tiny, cache, monkeypatch):
    def refuse(*_):
        raise AssertionError("the graph was read")

    monkeypatch.setattr("indexer.models.query_graph.size_and_crc", refuse)
    tokenizer = Mock()
    monkeypatch.setattr("tokenizers.Tokenizer", tokenizer)
    own = embedder(tiny, cache)
    own.prepare_queries()
    assert not own.is_loaded
    assert tokenizer.mock_calls == []


def test_cache_that_cannot_be_written_leaves_queries_to_the_model(tiny, tmp_path, caplog):
    (tmp_path / "file").write_text("no folder")
    caplog.set_level("INFO")
    own = embedder(tiny, tmp_path / "file" / "cache")
    own.prepare_queries()
    np.testing.assert_allclose(own.embed_query(QUERY), by_model(own, QUERY), atol=1e-6)
    assert own.graph.opened is None
    assert "no graph for queries could be made" in caplog.text
    assert "WARNING" not in {record.levelname for record in caplog.records if record.name.startswith("indexer")}


def test_full_disk_leaves_queries_to_the_model_and_nothing_behind(tiny, tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda _: usage._replace(free=1000))
        own = embedder(tiny, tmp_path)
        np.testing.assert_allclose(own.embed_query(QUERY), by_model(own, QUERY), atol=1e-6)
    assert list(home(tmp_path).iterdir()) == []
    assert embedder(tiny, tmp_path).graph.export() is not None


def test_user_without_a_home_has_no_cache(tiny, monkeypatch):
    monkeypatch.setattr("schema.cache_folder.user_cache", lambda: None)
    own = embedder(tiny, "")
    own.prepare_queries()
    np.testing.assert_allclose(own.embed_query(QUERY), by_model(own, QUERY), atol=1e-6)


def test_refused_model_is_not_tried_again_until_the_libraries_change(tiny, tmp_path, monkeypatch, caplog):
    caplog.set_level("INFO")
    with monkeypatch.context() as patch:
        patch.setattr("indexer.models.graph_export.SAME", 1.1)
        own = embedder(tiny, tmp_path)
        np.testing.assert_allclose(own.embed_query(QUERY), by_model(own, QUERY), atol=1e-6)
    assert "differs from the model's" in caplog.text
    again = embedder(tiny, tmp_path)
    again.prepare_queries()
    assert again.graph.export() is None
    assert again.dimension == 32
    monkeypatch.setattr("indexer.models.query_graph.version", lambda name: "99")
    assert embedder(tiny, tmp_path).graph.export() is not None


def test_model_that_fails_in_the_export_is_refused(tiny, tmp_path, monkeypatch):
    import torch

    def fail(*_, **__):
        raise RuntimeError("unsupported operator")

    with monkeypatch.context() as patch:
        patch.setattr(torch.onnx, "export", fail)
        assert embedder(tiny, tmp_path).graph.export() is None
    assert "unsupported operator" in json.loads((home(tmp_path) / "record.json").read_text())["refusal"]


def test_model_that_wants_more_than_tokens_is_refused(tiny, tmp_path):
    import torch

    own = embedder(tiny, tmp_path)
    model = own.model
    model.preprocess = lambda texts: {"input_ids": torch.ones(1, 2), "pixels": torch.ones(1, 2)}
    with pytest.raises(ModelError, match="not only what a tokenizer gives"):
        export_graph(own.graph.folder, lambda: model, identity="x", tokenizer=None)


def test_graph_that_fails_later_leaves_the_query_to_the_model(tiny, exported, monkeypatch):
    own = embedder(tiny, exported)
    own.embed_query(QUERY)
    ran = []

    def fail(*given, **named):
        ran.append(given)
        raise RuntimeError("a fault of the library")

    monkeypatch.setattr("onnxruntime.InferenceSession.run", fail)
    np.testing.assert_allclose(own.embed_query(QUERY), by_model(own, QUERY), atol=1e-6)
    assert ran


def test_old_generations_go_and_young_ones_stay(tiny, cache):
    old, young = home(cache) / "old", home(cache) / "young"
    for folder in (old, young):
        folder.mkdir()
        (folder / "graph.onnx").write_text("x")
    os.utime(old, (1, 1))
    (home(cache) / "record.json").unlink()
    embedder(tiny, cache).prepare_queries()
    assert not old.exists()
    assert young.exists()
    assert embedder(tiny, cache).graph.open() is not None


def test_many_threads_load_one_graph(tiny, exported, monkeypatch):
    opened = []
    really = QueryGraph.open.__func__

    def count(cls, *arguments, **options):
        opened.append(arguments)
        return really(cls, *arguments, **options)

    monkeypatch.setattr(QueryGraph, "open", classmethod(count))
    own = embedder(tiny, exported)
    start = threading.Barrier(12)
    found, failed = [], []

    def ask(number):
        start.wait()
        try:
            found.append(own.coverage(QUERY) if number % 3 == 0 else own.embed_query(QUERY))
        except Exception as error:  # noqa: BLE001 — a thread's error is seen by nobody else
            failed.append(error)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(opened) == 1
    vectors = [each for each in found if not isinstance(each, float)]
    assert all(np.array_equal(vectors[0], each) for each in vectors)


def test_threads_may_share_a_model_without_a_graph(tiny, monkeypatch):
    monkeypatch.setattr("schema.cache_folder.user_cache", lambda: None)
    own = embedder(tiny, "")
    found = []
    threads = [threading.Thread(target=lambda: found.append(own.embed_query(QUERY))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8


def test_queries_are_prepared_by_a_run_that_embeds_and_by_no_other(manual, make_embedder):
    class Preparing(make_embedder):
        prepared = 0

        def prepare_queries(self):
            self.prepared += 1

    own = Preparing()
    manual.indexer(embedder=own).scan(manual.home / "docs")
    assert own.prepared == 0
    manual.index(embedder=own)
    assert own.prepared == 1
    manual.index(embedder=own)
    assert own.prepared == 1
    manual.write("docs/third.md", "# Third")
    manual.index(embedder=own, should_stop=lambda: len(own.embedded) > 0)
    assert own.prepared == 1
