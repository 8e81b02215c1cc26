"""The graph of the English model, which is written from its weights without torch."""

import shutil
from unittest.mock import Mock

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from indexer.models.bert_graph import bert_graph
from indexer.models.embedder import SentenceTransformerEmbedder
from indexer.models.model_files import ENGLISH_MODEL, ModelFiles
from indexer.models.query_graph import onnx_runtime
from schema.errors import ModelError
from tests.integration.test_cold_processes import INDEX, run

QUERY = "How do I rotate a key?"


@pytest.fixture(scope="module")
def bert():
    """A small network of random weights, and what its weights are by name."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(3)
    config = BertConfig(
        vocab_size=50, hidden_size=24, num_hidden_layers=3, num_attention_heads=4, intermediate_size=40,
        max_position_embeddings=30, attn_implementation="eager",
    )  # fmt: skip
    network = BertModel(config).eval()
    return network, {name: value.numpy() for name, value in network.state_dict().items()}


@pytest.mark.parametrize("length", [1, 2, 17, 30])
def test_graph_of_any_bert_gives_the_mean_of_its_tokens_at_unit_length(bert, length):
    import torch

    network, weights = bert
    ids = np.random.default_rng(length).integers(0, 50, (1, length))
    kinds = np.arange(length)[None] % 2
    session = onnx_runtime().InferenceSession(bert_graph(weights, heads=4), providers=["CPUExecutionProvider"])
    (found,) = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": kinds})
    with torch.no_grad():
        state = network(torch.tensor(ids), token_type_ids=torch.tensor(kinds)).last_hidden_state
    mean = state.numpy().mean(axis=1)
    assert np.allclose(found, mean / np.linalg.norm(mean), atol=1e-6)


def test_tokens_behind_the_text_have_no_say(bert):
    _, weights = bert
    session = onnx_runtime().InferenceSession(bert_graph(weights, heads=4), providers=["CPUExecutionProvider"])

    def vector(ids, mask):
        return session.run(
            None,
            {
                "input_ids": np.array([ids]),
                "attention_mask": np.array([mask]),
                "token_type_ids": np.zeros((1, len(ids)), np.int64),
            },
        )[0]

    assert np.allclose(vector([7, 8, 9], [1, 1, 1]), vector([7, 8, 9, 0, 0], [1, 1, 1, 0, 0]), atol=1e-6)


@pytest.mark.parametrize("lost", ["embeddings.word_embeddings.weight", "encoder.layer.0.output.dense.weight"])
def test_weights_of_another_network_are_refused(bert, lost):
    weights = {name: value for name, value in bert[1].items() if name != lost}
    with pytest.raises(ModelError, match="the weights are not those of BERT"):
        bert_graph(weights, heads=4)


def test_weights_that_lack_one_are_refused_with_its_name(bert):
    weights = {name: value for name, value in bert[1].items() if name != "encoder.layer.1.intermediate.dense.bias"}
    with pytest.raises(ModelError, match=r"lack 'encoder\.layer\.1\.intermediate\.dense\.bias'"):
        bert_graph(weights, heads=4)


@pytest.mark.slow
@pytest.mark.process
def test_first_run_of_all_does_not_load_torch(manual, tmp_path):
    cache = tmp_path / "sectionary"
    where = {"XDG_CACHE_HOME": str(tmp_path), "SECTIONARY_CACHE_DIR": str(cache)}
    found = run(INDEX, manual.index_dir, manual.home, **where)
    assert found == [[9, 6], ["onnxruntime", "tokenizers"]]
    assert len(list((cache / "graphs").iterdir())) == 2  # for questions, and with weights of 8 bits for documents


@pytest.fixture
def exporting(monkeypatch):
    """Stands for the export from the model, which takes ten seconds; there it fails."""
    export = Mock(side_effect=ModelError("not now"))
    monkeypatch.setattr("indexer.models.graph_export.export_graph", export)
    return export


@pytest.mark.model
@pytest.mark.parametrize(
    ("name", "value"),
    [("PROBES", (("x", (0.5,)),)), ("save_optimised", Mock(side_effect=RuntimeError("of the runtime")))],
    ids=["other vectors", "libraries that fail"],
)
def test_model_is_exported_and_nothing_left_where_its_graph_cannot_be_made(tmp_path, monkeypatch, exporting, name, value):
    monkeypatch.setattr(f"indexer.models.english_graph.{name}", value)
    graph = SentenceTransformerEmbedder(cache_dir=str(tmp_path)).graph
    assert graph.get() is None
    assert exporting.call_count == 1
    assert list(graph.folder.path.iterdir()) == []


@pytest.mark.model
def test_other_weights_than_the_pinned_ones_are_not_read(tmp_path, monkeypatch, exporting):
    package = shutil.copytree(ModelFiles(ENGLISH_MODEL).folder, tmp_path / "model")
    weights = load_file(package / "model.safetensors")
    weights["embeddings.LayerNorm.bias"] = weights["embeddings.LayerNorm.bias"] + 0.001
    save_file(weights, package / "model.safetensors")
    monkeypatch.setattr(ModelFiles, "folder", package)
    graph = SentenceTransformerEmbedder(cache_dir=str(tmp_path / "cache")).graph
    assert graph.get() is None
    assert exporting.call_count == 1


@pytest.mark.model
def test_graph_is_made_without_the_model_and_kept(tmp_path, exporting):
    first = SentenceTransformerEmbedder(cache_dir=str(tmp_path))
    vector = first.embed_query(QUERY)
    assert (exporting.call_count, first.is_loaded) == (0, False)
    record = first.graph.record()
    assert (record.dimension, record.max_tokens, record.shares_tokenizer) == (384, 256, True)
    later = SentenceTransformerEmbedder(cache_dir=str(tmp_path))
    assert later.graph.open() is not None
    assert np.array_equal(later.embed_query(QUERY), vector)
