"""A model's ONNX graph in the cache folder → unit vectors of queries, cheap enough for a process that answers one query.

Each model has a folder there. Its `record.json` names a generation, a folder with graph, weights and tokenizer that is never
written again; a record takes the place of an older one by a rename, so readers and several writers need no lock. Refuses
files that are not what the record says. Knows nothing of torch; `english_graph` and `graph_export` make the graphs.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import logging
import mmap
import os
import re
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from schema.errors import ModelError
from schema.protocols import Vectors

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

_log = logging.getLogger(__name__)

GRAPH_FILE, WEIGHTS_FILE, TOKENIZER_FILE = "graph.onnx", "weights.bin", "tokenizer.json"
_RECORD_FILE = "record.json"
#: Raised when records or graphs change; those of another version are made again.
_FORMAT = 1
#: Names of the graph's inputs, as sentence-transformers calls them.
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
OUTPUT = "embedding"
#: The version of ONNX's operators that graphs are written in: every runtime that can read the mapped weights knows these.
OPSET = 17
#: Longer queries are left to the model: attention in the graph takes memory by the square of the length (tokens).
MAX_GRAPH_TOKENS = 2048
#: Tensors below this stay inside the graph's file (bytes).
_SMALL_TENSOR = 1024
#: Age at which a generation that no record names is deleted; a younger one may be named soon (seconds).
_DEBRIS_AGE = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRecord:
    """What is known of a model's graph.

    `identity` changes with the model's weights. `source` is the folder that a model known by name was found in. `files`:
    size in bytes and CRC-32 of each file of the generation. `max_tokens` is the model's own limit, special tokens included,
    0 for none. `prefix` is put before every text. `shares_tokenizer` says that the tokenizer.json beside the model is the
    same as the copy. `refusal`: why there is no graph, as long as the libraries are those in `libraries`; else "".
    """

    identity: str
    source: str = ""
    generation: str = ""
    files: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    dimension: int = 0
    max_tokens: int = 0
    inputs: tuple[str, ...] = ()
    prefix: str = ""
    shares_tokenizer: bool = False
    refusal: str = ""
    libraries: str = ""

    def to_json(self) -> str:
        """The text of `record.json`."""
        return json.dumps({"format": _FORMAT, **asdict(self)}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The record in a text.

        Raises:
            ModelError: it is none, or one of another format.
        """
        try:
            found: dict[str, Any] = json.loads(text)
            if found.pop("format") != _FORMAT:
                raise ModelError("the record has another format")
            files = {str(name): (int(size), int(crc)) for name, (size, crc) in found.pop("files").items()}
            record = cls(**{**found, "files": files, "inputs": tuple(found["inputs"])})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"the record cannot be read ({error})") from error
        is_named = record.generation and Path(record.generation).name == record.generation
        if not record.refusal and (set(record.files) != {GRAPH_FILE, WEIGHTS_FILE, TOKENIZER_FILE} or not is_named):
            raise ModelError("the record names no graph")
        return record


class GraphFolder:
    """The folder of one model inside the cache folder.

    `key` is the model's name or path; `identify` gives its identity as it is now, or None, for a record's `source`.
    """

    def __init__(self, cache_dir: Path, key: str, identify: Callable[[str], str | None]) -> None:
        self.key = key
        readable = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(key).name).strip(".-")[:60] or "model"
        self.path = cache_dir / "graphs" / f"{readable}-{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:12]}"
        self._identify = identify

    def record(self) -> GraphRecord | None:
        """The record, or None where there is none that can be read and speaks of this very model."""
        try:
            found = GraphRecord.from_json((self.path / _RECORD_FILE).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, ModelError) as error:
            _log.info("the graph in %s is not used: %s", self.path, error)
            return None
        if found.identity != self._identify(found.source) or (found.refusal and found.libraries != libraries()):
            return None
        return found

    def is_settled(self) -> bool:
        """Whether there is a graph, or a refusal; files are only looked at, and read when they are opened."""
        record = self.record()
        if record is None:
            return False
        try:
            return all((self.generation(record) / n).stat().st_size == size for n, (size, _) in record.files.items())
        except OSError:
            return False

    def open(self, record: GraphRecord, tokenizer: Tokenizer | None, *, is_for_many: bool = False) -> QueryGraph:
        """The graph of a record, with the model's own tokenizer or, where that is None, the copy.

        One that `is_for_many` texts takes longer to open and less time for each.

        Raises:
            ModelError: a file is not what the record says, or the libraries cannot read it.
        """
        return QueryGraph.open(self.generation(record), record, tokenizer, is_for_many=is_for_many)

    def tokenizer(self, record: GraphRecord) -> Tokenizer:
        """The copy of the model's tokenizer; raises as `open` does."""
        return _tokenizer(self.generation(record), record)

    def generation(self, record: GraphRecord) -> Path:
        """The folder of a record's files."""
        return self.path / record.generation

    @contextlib.contextmanager
    def new_generation(self) -> Iterator[Path]:
        """A folder for files that a record will name; removed again if the block fails.

        Raises:
            OSError: the cache folder cannot be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=self.path))
        try:
            yield folder
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise

    def publish(self, record: GraphRecord) -> None:
        """Let this record take the place of the one there is, and remove generations that nobody needs any longer."""
        number, name = tempfile.mkstemp(dir=self.path)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as stream:
                stream.write(record.to_json())
            Path(name).replace(self.path / _RECORD_FILE)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        self._sweep(frozenset({_RECORD_FILE, record.generation}))

    def _sweep(self, kept: frozenset[str]) -> None:
        youngest = time.time() - _DEBRIS_AGE
        with contextlib.suppress(OSError):
            for path in self.path.iterdir():
                if path.name not in kept and path.stat().st_mtime < youngest:
                    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


class QueryGraph:
    """A graph that is open; may be asked by several threads at once."""

    def __init__(self, record: GraphRecord, session: Any, tokenizer: Tokenizer) -> None:
        self.record = record
        self._session = session
        self._tokenizer = tokenizer
        special = tokenizer.num_special_tokens_to_add(False)
        self._room = max(0, record.max_tokens - special) if record.max_tokens else None

    @classmethod
    def open(cls, folder: Path, record: GraphRecord, tokenizer: Tokenizer | None, *, is_for_many: bool = False) -> Self:
        """See `GraphFolder.open`; `folder` is the generation."""
        for name in (GRAPH_FILE, WEIGHTS_FILE):
            _check(folder, name, record)
        try:
            session = _session(folder / GRAPH_FILE, is_for_many=is_for_many)
        except Exception as error:
            raise ModelError(f"the graph in {folder} cannot be opened ({' '.join(str(error).split())[:300]})") from error
        return cls(record, session, tokenizer or _tokenizer(folder, record))

    def vector(self, text: str) -> Vectors | None:
        """Vector of a text: float32, shape (dimension,), unit length; None for one that is left to the model.

        Raises:
            ModelError: the graph fails.
        """
        encoding = self._encode(self.record.prefix + text)
        if len(encoding) > MAX_GRAPH_TOKENS:
            return None
        values = {
            "input_ids": encoding.ids,
            "attention_mask": encoding.attention_mask,
            "token_type_ids": encoding.type_ids,
        }
        fed = {name: np.array([values[name]], np.int64) for name in self.record.inputs}
        try:
            vector: Vectors = np.asarray(self._session.run([OUTPUT], fed)[0][0], np.float32)
        except Exception as error:
            raise ModelError(f"the graph of the model failed ({' '.join(str(error).split())[:300]})") from error
        return vector

    def _encode(self, text: str) -> Encoding:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        if self._room is not None:
            encoding.truncate(self._room)
        return self._tokenizer.post_process(encoding, None, True)


def plain(tokenizer: Tokenizer) -> Tokenizer:
    """The tokenizer without the truncation and the padding that its file asks for."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def libraries() -> str:
    """What an export depends on beside the model; importing none of it."""
    names = "torch", "transformers", "sentence-transformers", "onnx", "onnxruntime"
    return " ".join(f"{name} {_version(name)}" for name in names)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _tokenizer(folder: Path, record: GraphRecord) -> Tokenizer:
    from tokenizers import Tokenizer

    _check(folder, TOKENIZER_FILE, record)
    try:
        return plain(Tokenizer.from_file(str(folder / TOKENIZER_FILE)))
    except Exception as error:
        raise ModelError(f"{folder / TOKENIZER_FILE} cannot be read ({error})") from error


def _check(folder: Path, name: str, record: GraphRecord) -> None:
    if size_and_crc(folder / name) != record.files.get(name):
        raise ModelError(f"{folder / name} is damaged or missing")


def size_and_crc(path: Path) -> tuple[int, int]:
    """Size in bytes and CRC-32 of a file; (-1, 0) for one that cannot be read.

    It is there to notice damage. Whoever could forge a graph could forge the record beside it, so a stronger digest would
    buy nothing: for 90 MB this takes .04 s of CPU, SHA-256 .07 where the processor helps, BLAKE2 .13.
    """
    try:
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if not size:
                return 0, 0
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as view:
                return size, zlib.crc32(view)
    except OSError:
        return -1, 0


def folder_identity(folder: Path) -> str:
    """A text that changes when a file of a model is written: names, sizes and times, since reading gigabytes takes seconds.

    Raises:
        OSError: the folder cannot be read.
    """
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        status = path.stat()
        if not path.is_dir():
            values = (path.relative_to(folder).as_posix(), status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            found.update(repr(values).encode("utf-8", "replace"))
    return f"files {found.hexdigest()}"


def revision_identity(snapshot: Path) -> str | None:
    """The identity of a model in a cache of the hub: its revision, or None where another one took its place.

    `snapshot` is …/models--OWNER--NAME/snapshots/REVISION; …/refs/main beside it says which revision is the current one.
    """
    try:
        current = (snapshot.parent.parent / "refs" / "main").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return None
    return f"revision {current}" if current == snapshot.name and snapshot.is_dir() else None


def onnx_runtime() -> Any:
    """Return the library onnxruntime, told before its import not to measure its users.

    Since 1.31 it otherwise writes an identity of the device and a list of events into the user's cache folder, to be sent
    to its maker. Only the environment keeps it from that: its function `disable_telemetry_events` comes too late.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    return onnxruntime


def sizes_and_crcs(place: Path) -> dict[str, tuple[int, int]]:
    """Size and CRC-32 of each file of a new generation, for its record."""
    return {name: size_and_crc(place / name) for name in (GRAPH_FILE, WEIGHTS_FILE, TOKENIZER_FILE)}


def save_optimised(model: bytes, place: Path) -> None:
    """Write an ONNX model into the folder `place`, optimised by onnxruntime, with its weights beside it.

    Raises:
        OSError: there is too little room.
    """
    if shutil.disk_usage(place).free < 2 * len(model):  # a full disk is no fault of the model
        raise OSError(errno.ENOSPC, "too little room for a graph", str(place))
    onnxruntime = onnx_runtime()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC  # only standard operators
    options.log_severity_level = 3
    options.optimized_model_filepath = str(place / GRAPH_FILE)
    options.add_session_config_entry("session.optimized_model_external_initializers_file_name", WEIGHTS_FILE)
    options.add_session_config_entry("session.optimized_model_external_initializers_min_size_in_bytes", str(_SMALL_TENSOR))
    onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    # what the runtime read of the file gives its operators; a graph without large tensors has no second file
    (place / WEIGHTS_FILE).touch()


def _session(graph: Path, *, is_for_many: bool) -> Any:
    """An open graph, for the least CPU until its first answer, unless it `is_for_many` texts, which several threads give it.

    Measured with the default model and a query of nine tokens: .22 s with the weights inside the file, which are copied;
    .11 with them beside it, mapped; .07 without packing them again for speed, which would save 4 ms of each query. A second
    thread makes short queries cost more.
    """
    onnxruntime = onnx_runtime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors come as exceptions
    if not is_for_many:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # it was saved optimised
        options.add_session_config_entry("session.disable_prepacking", "1")
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
