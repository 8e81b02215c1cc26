"""The English model's weights → its graph in the cache folder, without torch."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexer.models.bert_graph import bert_graph
from indexer.models.query_graph import (
    INPUTS,
    TOKENIZER_FILE,
    GraphFolder,
    GraphRecord,
    QueryGraph,
    save_optimised,
    sizes_and_crcs,
)
from indexer.models.weights import ENGLISH_DIMENSION, ENGLISH_MAX_TOKENS, ENGLISH_SHA256, check_digest
from schema.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_log = logging.getLogger(__name__)

_WEIGHTS_FILE, _HEADS = "model.safetensors", 12
#: The first numbers of two vectors as the model itself gives them, and how far a graph's may be from them.
PROBES = (
    ("How do I rotate the signing key?", (0.02042553, 0.01706163, -0.0544708, -0.06652021)),
    ("x", (-0.09790962, -0.06400077, -0.02318123, -0.04619668)),
)
_TOLERANCE = 1e-3


def make_english_graph(folder: GraphFolder, model: Path, *, identity: str, tokenizer: Tokenizer) -> QueryGraph:
    """Make the graph of the English model in the folder `model`, publish it, and give it open.

    Raises:
        ModelError: its weights are not the pinned ones, or the graph's vectors are not the model's.
        ImportError: a library is missing.
        OSError: the cache folder cannot be written, or is full.
    """
    check_digest(model / _WEIGHTS_FILE, ENGLISH_SHA256)
    with folder.new_generation() as place:
        _write(model, place)
        (place / TOKENIZER_FILE).write_text(tokenizer.to_str(), encoding="utf-8")
        record = GraphRecord(
            identity=identity,
            generation=place.name,
            files=sizes_and_crcs(place),
            dimension=ENGLISH_DIMENSION,
            max_tokens=ENGLISH_MAX_TOKENS,
            inputs=INPUTS,
            shares_tokenizer=True,
        )
        graph = QueryGraph.open(place, record, tokenizer)
        for text, wanted in PROBES:
            found = graph.vector(text)
            if found is None or not np.allclose(found[: len(wanted)], wanted, rtol=0, atol=_TOLERANCE):
                raise ModelError(f"the graph's vector of {text!r} is not the model's")
        folder.publish(record)
    _log.info("made the graph for queries in %s", place)
    return graph


def _write(model: Path, place: Path) -> None:
    """Write the graph of the model's weights into the folder `place`."""
    from safetensors.numpy import load_file

    try:
        save_optimised(bert_graph(load_file(model / _WEIGHTS_FILE), heads=_HEADS), place)
    except (ModelError, OSError, MemoryError):
        raise
    except Exception as error:
        raise ModelError(f"the graph cannot be written ({' '.join(str(error).split())[:300]})") from error
