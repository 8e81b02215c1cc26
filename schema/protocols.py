"""The seams: what an embedder, a token counter, a summarizer, a reranker and a chat client must offer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from schema.sections import Section

#: float32 vectors; each docstring gives the shape.
Vectors = npt.NDArray[np.float32]
TokenSpan = tuple[int, int]


@runtime_checkable
class TokenCounter(Protocol):
    """Counts tokens of a text; never raises on any string."""

    @property
    def encoding(self) -> str:
        """Name of the vocabulary, stored with the index."""
        ...

    def count(self, text: str) -> int:
        """Number of tokens, 0 for the empty string."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns text into unit vectors; the same model must embed sections and queries."""

    @property
    def name(self) -> str:
        """Identity of the model, stored with the index; two models that give other vectors have other names."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Most tokens of one text that the model reads, special tokens already subtracted."""
        ...

    def token_spans(self, texts: Sequence[str]) -> list[list[TokenSpan]]:
        """For each text the (start, end) character offsets of the model's own tokens, in order, untruncated."""
        ...

    def coverage(self, text: str) -> float:
        """Share, 0..1, of the text's letters that the model's vocabulary knows as more than single characters."""
        ...

    def embed_sections(self, texts: Sequence[str]) -> Vectors:
        """Vectors of document texts: float32, shape (len(texts), dimension), each of unit length."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Vector of a query: float32, shape (dimension,), unit length."""
        ...


@runtime_checkable
class Summarizer(Protocol):
    """Writes a short summary of a text, or says that there is nothing to say."""

    @property
    def name(self) -> str:
        """Identity of the source, its version included."""
        ...

    def summarize(self, text: str, *, title: str = "") -> str | None:
        """A summary in the language of the text, or None."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Scores sections against a query by reading both together."""

    @property
    def name(self) -> str:
        """Identity of the model."""
        ...

    def rerank(self, query: str, sections: Sequence[Section]) -> list[float]:
        """One score for each section, higher for better, in the order given."""
        ...


@runtime_checkable
class ChatClient(Protocol):
    """Sends a conversation to a language model and returns its reply."""

    def chat(self, messages: Sequence[dict[str, str]], *, max_tokens: int | None = None) -> str:
        """The model's reply as raw text."""
        ...
