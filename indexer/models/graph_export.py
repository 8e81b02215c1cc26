"""A sentence-transformers model → its ONNX graph for single queries, in float32, pooling and normalisation inside.

The graph is traced once, optimised by onnxruntime and saved with its weights beside it; then the vectors of some texts must
be those of the model. Refuses models whose input is more than a tokenizer gives, and graphs whose vectors differ.
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.models.hub import repositories
from indexer.models.query_graph import (
    INPUTS,
    MAX_GRAPH_TOKENS,
    OPSET,
    OUTPUT,
    TOKENIZER_FILE,
    GraphFolder,
    GraphRecord,
    QueryGraph,
    libraries,
    onnx_runtime,
    plain,
    revision_identity,
    save_optimised,
    sizes_and_crcs,
)
from schema.errors import ModelError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

_log = logging.getLogger(__name__)

#: Vectors of graph and model are the same if their cosine is at least this; float32 alone leaves 1e-6.
SAME = 0.9999
_PROBES = (
    "How do I rotate the signing key without losing buffered data?",
    "  A query with blanks around it, Capitals and a café ",
    "検索エンジンの設定方法を教えてください",
    "검색 엔진을 설정하는 방법",
    "x",
    "",
)
#: Words of the text that shows how a model with a limit cuts long ones: beyond any limit that the graph is used for.
_LONG_PROBE = tuple(f"word{i}" for i in range(MAX_GRAPH_TOKENS))


def export_graph(
    folder: GraphFolder,
    load: Callable[[], SentenceTransformer],
    *,
    identity: str | None,
    tokenizer: Tokenizer | None,
) -> QueryGraph:
    """Make the graph of a model, publish it, and give it open.

    `load` gives the model in float32 on the CPU. `identity` is None for a model known by name. `tokenizer` is made of the
    tokenizer.json beside the model, None where there is none. A refusal is published too, so that nobody tries again with
    the same libraries.

    Raises:
        ModelError: the model cannot be loaded, identified or exported.
        OSError: the cache folder cannot be written, or is full; in the first case nothing else is tried.
    """
    with folder.new_generation() as generation:
        model = load()
        known, source = (identity, "") if identity else _hub_identity(model, folder.key)
        try:
            graph = _exported(model, generation, identity=known, source=source, tokenizer=tokenizer)
        except ModelError as error:
            folder.publish(GraphRecord(identity=known, source=source, refusal=str(error), libraries=libraries()))
            raise
        folder.publish(graph.record)
    _log.info("exported a graph for queries to %s", generation)
    return graph


def _hub_identity(model: SentenceTransformer, key: str) -> tuple[str, str]:
    """Identity and folder of a model that was found by its name, `key`: the revision loaded, where it is the current one.

    A model that was taken from the cache without asking the hub does not tell its revision: that is the current one.
    """
    from huggingface_hub import try_to_load_from_cache

    card = getattr(model, "model_card_data", None)
    name, revision = getattr(card, "base_model", None), getattr(card, "base_model_revision", None)
    names = [str(name)] if name and revision else repositories(key)
    for place, file in product(names, ("modules.json", "config.json")):
        file_path = try_to_load_from_cache(place, file, revision=str(revision) if name and revision else None)
        identity = revision_identity(Path(file_path).parent) if isinstance(file_path, str) else None
        if identity:
            return identity, str(Path(str(file_path)).parent)
    raise ModelError("nothing tells which revision of the model was loaded")


def _exported(
    model: SentenceTransformer, place: Path, *, identity: str, source: str, tokenizer: Tokenizer | None
) -> QueryGraph:
    """The graph in `place`, found to be true to the model."""
    from tokenizers import Tokenizer

    backend = getattr(model.tokenizer, "backend_tokenizer", None)
    if backend is None:
        raise ModelError("the model has no fast tokenizer")
    prompts: dict[str, str] = getattr(model, "prompts", None) or {}
    prefix = prompts.get(getattr(model, "default_prompt_name", None) or "", "")
    try:
        inputs = _write_graph(model, prefix, place)
    except (ModelError, OSError):
        raise
    except Exception as error:
        raise ModelError(f"the model cannot be exported ({' '.join(str(error).split())[:300]})") from error
    own = plain(Tokenizer.from_str(backend.to_str()))
    (place / TOKENIZER_FILE).write_text(own.to_str(), encoding="utf-8")
    record = GraphRecord(
        identity=identity,
        source=source,
        generation=place.name,
        files=sizes_and_crcs(place),
        dimension=int(model.get_embedding_dimension() or 0),
        max_tokens=int(model.max_seq_length or 0),
        inputs=inputs,
        prefix=prefix,
        shares_tokenizer=tokenizer is None or own.to_str() == tokenizer.to_str(),
    )
    graph = QueryGraph.open(place, record, None)
    _compare(graph, model)
    return graph


def _write_graph(model: SentenceTransformer, prefix: str, place: Path) -> tuple[str, ...]:
    """Write the graph and its weights, and name the graph's inputs."""
    onnx_runtime()
    import torch

    features = model.preprocess([prefix + "an example of some words"])
    tensors = {name: value for name, value in features.items() if isinstance(value, torch.Tensor)}
    if "input_ids" not in tensors or not set(tensors) <= set(INPUTS):
        raise ModelError(f"the model reads {', '.join(sorted(tensors))}, not only what a tokenizer gives")
    inputs = tuple(name for name in INPUTS if name in tensors)
    traced = io.BytesIO()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # of the tracer; what it makes is compared with the model
        # the newer exporter takes five times as long, and onnxscript; torch 2.13 still has this one, and tests tell when not
        torch.onnx.export(
            _unit_vector(model, inputs),
            tuple(tensors[name] for name in inputs),
            traced,
            input_names=list(inputs),
            output_names=[OUTPUT],
            dynamic_axes={name: {1: "length"} for name in inputs},
            opset_version=OPSET,
            dynamo=False,
        )
    save_optimised(traced.getvalue(), place)
    return inputs


def _unit_vector(model: SentenceTransformer, inputs: tuple[str, ...]) -> Any:
    """The model as a module: tensors by `inputs` → unit vectors."""
    import torch

    class UnitVector(torch.nn.Module):  # type: ignore[misc]  # the types of torch are not read
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
            found = self.model(dict(zip(inputs, tensors, strict=True)))["sentence_embedding"]
            cut = found[:, : model.truncate_dim] if model.truncate_dim else found
            return torch.nn.functional.normalize(cut, p=2, dim=1)

    return UnitVector().eval()


def _compare(graph: QueryGraph, model: SentenceTransformer) -> None:
    """Raise ModelError where a vector of the graph is not that of the model."""
    limit = graph.record.max_tokens
    is_cut = 0 < limit <= MAX_GRAPH_TOKENS
    for text in (*_PROBES, " ".join(_LONG_PROBE if is_cut else _LONG_PROBE[:100])):
        theirs = model.encode([text], show_progress_bar=False, convert_to_numpy=True, normalize_embeddings=True)[0]
        ours = graph.vector(text)
        if ours is None or ours.shape != theirs.shape or not _is_same(ours, theirs):
            raise ModelError(f"its vector of {text[:40]!r} differs from the model's")


def _is_same(one: Any, other: Any) -> bool:
    if not np.any(one) and not np.any(other):
        return True
    return bool(np.all(np.isfinite(one)) and float(one @ other) >= SAME)
