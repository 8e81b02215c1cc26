"""A model's graph with weights of 8 bits → vectors of documents, several times as fast as by the model, and without torch.

The graph is made once, of the graph for queries, and kept in the cache folder beside it. It is used if its vectors are near
to those of the other one. A thread computes one text at a time, so that the vector of a text does not depend on others.
"""

from __future__ import annotations

import errno
import logging
import shutil
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import numpy as np

from indexer.models.cores import usable_cores
from indexer.models.model_graph import ModelGraph
from indexer.models.query_graph import (
    GRAPH_FILE,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    GraphFolder,
    GraphRecord,
    QueryGraph,
    libraries,
    onnx_runtime,
    sizes_and_crcs,
)
from schema.errors import ModelError
from schema.protocols import Vectors

_log = logging.getLogger(__name__)

#: The least cosine with the vectors of the graph in float32. Weights of 8 bits alone leave .985 and more; a processor whose
#: sums of 8 bits overflow (x86 without VNNI) leaves less, and computes with weights of 7 bits then.
NEAR = 0.98
_PROBES = (
    "Install the package, then run the command `init` in the folder of your project.",
    "Ownership is a set of rules for how a program manages memory. All programs manage how they use it while they run.",
    "| Option | Default | Meaning |\n| --timeout | 30 | How many seconds to wait for an answer |",
    "The committee meets every second Tuesday; its minutes are published within a week.",
)


class DocumentGraph:
    """The graph with weights of 8 bits of the model whose graph for queries is `source`.

    Nothing here takes a lock before the graph is open: the embedder calls `get` while it holds its own.
    """

    def __init__(self, source: ModelGraph) -> None:
        self._source = source
        self._opened: QueryGraph | None = None
        self._is_given_up = False

    @cached_property
    def folder(self) -> GraphFolder | None:
        """The folder that the graph is kept in; None for a user without a cache folder."""
        return self._source.folder_of("int8")

    def get(self) -> QueryGraph | None:
        """Return the graph, which is opened or made at the first call; None if there can be none."""
        if self._opened is None and not self._is_given_up:
            self._opened = self._open() or self._make()
            self._is_given_up = self._opened is None
        return self._opened

    def prepare(self) -> None:
        """Make the graph if it is not in the cache folder."""
        if self.folder is not None and not self._is_given_up and not self.folder.is_settled():
            self._opened = self._make()
            self._is_given_up = self._opened is None

    def _open(self) -> QueryGraph | None:
        """Return the graph in the cache folder, or None if there is none, or a damaged one."""
        record = self.folder.record() if self.folder is not None else None
        if self.folder is None or record is None or record.refusal:
            return None
        try:
            return self.folder.open(record, None, is_for_many=True)
        except ModelError as error:
            _log.info("%s; the graph is made again", error)
            return None

    def _make(self) -> QueryGraph | None:
        """Return a new graph, now in the cache folder, or None if none can be made."""
        if self.folder is None:
            return None
        known = self.folder.record()
        if known is not None and known.refusal:
            return None
        queries = self._source.get()
        if queries is None or self._source.folder is None:
            return None
        try:
            return _made(self.folder, self._source.folder.generation(queries.record), queries)
        except (ModelError, OSError, MemoryError, ImportError) as error:
            _log.info("no graph for documents could be made: %s", error)
            return None


def vectors_by(graph: QueryGraph, texts: Sequence[str]) -> Vectors | None:
    """Return vectors of texts, at least one: float32, shape (len(texts), dimension), unit length, in the order given.

    None if one of the texts is left to the model.

    Raises:
        ModelError: the graph fails.
    """
    with ThreadPoolExecutor(min(usable_cores(), len(texts)), thread_name_prefix="vectors") as pool:
        found = list(pool.map(graph.vector, texts))
    known = [vector for vector in found if vector is not None]
    return np.stack(known) if len(known) == len(found) else None


def _made(folder: GraphFolder, source: Path, queries: QueryGraph) -> QueryGraph:
    """Make the graph of the one in the folder `source`, publish it, and give it open; a refusal is published too."""
    with folder.new_generation() as place:
        try:
            shutil.copyfile(source / TOKENIZER_FILE, place / TOKENIZER_FILE)
            (place / WEIGHTS_FILE).touch()  # all weights are in the graph's file
            graph = _near(source, place, queries)
        except ModelError as error:
            model = queries.record
            refused = GraphRecord(identity=model.identity, source=model.source, refusal=str(error), libraries=libraries())
            folder.publish(refused)
            raise
        folder.publish(graph.record)
    return graph


def _near(source: Path, place: Path, queries: QueryGraph) -> QueryGraph:
    """Return the graph in the folder `place`, which is near to the one in `source`; raise ModelError if none is."""
    far: str | None = ""
    for has_spare_bit in (False, True):
        quantize(source / GRAPH_FILE, place / GRAPH_FILE, has_spare_bit=has_spare_bit)
        record = replace(queries.record, generation=place.name, files=sizes_and_crcs(place))
        graph = QueryGraph.open(place, record, None, is_for_many=True)
        far = _far_from(queries, graph)
        if far is None:
            return graph
    raise ModelError(f"its vector of {str(far)[:40]!r} differs from that of the graph for queries")


def quantize(graph: Path, new: Path, *, has_spare_bit: bool) -> None:
    """Write a graph with weights of 8 bits, or of 7 with a spare bit, so that no processor's sums overflow.

    Raises:
        ModelError: it cannot be made.
        OSError: there is too little room.
    """
    onnx_runtime()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    if shutil.disk_usage(new.parent).free < (graph.parent / WEIGHTS_FILE).stat().st_size:  # no fault of the model
        raise OSError(errno.ENOSPC, "too little room for a graph", str(new))
    root = logging.getLogger()
    root.addFilter(_is_from_elsewhere)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            quantize_dynamic(graph, new, per_channel=True, weight_type=QuantType.QInt8, reduce_range=has_spare_bit)
    except (OSError, MemoryError, ImportError):
        raise
    except Exception as error:
        raise ModelError(f"the graph cannot be made smaller ({' '.join(str(error).split())[:300]})") from error
    finally:
        root.removeFilter(_is_from_elsewhere)


def _is_from_elsewhere(record: logging.LogRecord) -> bool:
    """Whether a record is none of onnxruntime's, which advises steps that would change nothing here."""
    return "onnxruntime" not in record.pathname


def _far_from(queries: QueryGraph, graph: QueryGraph) -> str | None:
    """Return the first text whose vector is not near to that of the graph for queries; None if all are."""
    for text in _PROBES:
        ours, theirs = graph.vector(text), queries.vector(text)
        if ours is None or theirs is None or not float(ours @ theirs) >= NEAR:
            return text
    return None
