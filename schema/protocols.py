"""Interfaces to implement: what an embedder, a token counter, a summarizer, a reranker and a chat client must offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:  # numpy takes 0.1 s to load, and few of those who import this need it
    import numpy as np
    import numpy.typing as npt

    from schema.sections import Section

    #: float32 vectors; each docstring gives the shape.
    Vectors = npt.NDArray[np.float32]
else:
    Vectors = Any
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
class HasSecond(Protocol):
    """What an embedder may also offer: a second model, which reads again the texts that it knows better."""

    @property
    def second(self) -> Embedder:
        """The second model."""
        ...


def is_multilingual(embedder: Embedder) -> bool:
    """Tell whether an embedder gives similar vectors to texts of several languages that mean the same."""
    return bool(getattr(embedder, "is_multilingual", False))


def second_of(embedder: Embedder) -> Embedder | None:
    """The second model of an embedder, or None."""
    return embedder.second if isinstance(embedder, HasSecond) else None


@runtime_checkable
class QueryPreparer(Protocol):
    """What an embedder may also offer: preparing files that make queries cheap for later processes."""

    def prepare_queries(self) -> None:
        """Make these files if they are missing; raises nothing for want of rights, space or libraries."""
        ...


@runtime_checkable
class Summarizer(Protocol):
    """Writes short summaries, or none of a text without prose; several threads may call it at once."""

    @property
    def name(self) -> str:
        """Identity of the source: its kind, then "/" and all that its summaries depend on (version, model, format,
        language).

        Sections keep the summaries of an earlier name of the same kind, unless a refresh is asked for.
        """
        ...

    def summarize_document(self, text: str, *, title: str) -> str | None:
        """A summary of a whole document, or None where it has no prose.

        Raises:
            SummaryError: none could be made; the next text may well get one.
            SummarizerUnavailableError: no other text would get one either.
        """
        ...

    def summarize_section(self, section: Section, *, document: str, document_summary: str | None) -> str | None:
        """A summary of a section's own text, or None where it has no prose; `document` is the text it stands in.

        Raises:
            SummaryError, SummarizerUnavailableError: as `summarize_document`.
        """
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


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a language model sent: its text as it is, and why it ended ("stop", "length", …; None if the server did not
    say)."""

    text: str
    finish_reason: str | None = None


@runtime_checkable
class ChatClient(Protocol):
    """Sends a conversation to a language model and returns its reply; may be asked by several threads at once."""

    def chat(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        format: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> ChatReply:
        """The reply to messages with a "role" (system, user, assistant) and a "content".

        `format`: a `response_format` of type json_schema, honoured where the server can. `max_tokens`: most tokens of reply.

        Raises:
            ChatError: there is no reply; retries, if any, are used up.
            ChatUnavailableError: and there will be none to other messages.
        """
        ...
