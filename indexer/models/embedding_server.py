"""Texts → unit vectors, by a server that speaks OpenAI's interface (`POST {base_url}/embeddings`).

Every answer is checked: as many vectors as texts, in the order of their `index`, finite, of the expected length.
"""

from __future__ import annotations

import base64
import binascii
import json
import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from indexer.model_server import (
    BrokenOffError,
    LateError,
    LibraryMissingError,
    ModelServer,
    NoAnswerError,
    StatusError,
    TooLargeError,
    check_key,
    check_server,
)
from indexer.tokens import TokenCounter
from schema.errors import EmbeddingServerError, SettingsError
from schema.protocols import TokenSpan, Vectors
from schema.settings import BATCH_TOKENS, Settings
from schema.storage.fingerprint import MAX_DIMENSION, SERVER_MODEL, prompted_name
from schema.text.characters import encodable

#: Most servers' models read at least so much of a text (tokens). Windows have a fraction of it.
_MAX_TOKENS = 512
#: Most texts in a request: the smallest limit of common servers.
_BATCH_TEXTS = 32
#: An answer of 32 vectors of 65,536 numbers could be larger; no model has so many (bytes).
MAX_BYTES = 32_000_000
#: How often a request for sections is sent again, and within which time (seconds).
_RETRIES, RETRY_SECONDS = 5, 180.0
#: For a query, as a person waits: the time for its answer, and the time within which it is sent again, once (seconds).
_QUERY_TIMEOUT, _QUERY_RETRY_SECONDS = 20.0, 3.0
#: What is sent for a text without a character: servers refuse an empty one.
_NOTHING = "."


class ServerEmbedder:
    """An embedder whose vectors a server makes; nothing is sent before the first text. Many threads may use one embedder.

    `dimension` is the length of the vectors, 0 to ask the server once. The server's tokens are not known: texts are cut by
    those of `token_encoding`. A window has at most 128 of them, where embedding models usually read 512 or more, so there is
    room for a tokenizer that makes four times as many. A server may cut or refuse longer texts.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str = "",
        dimension: int = 0,
        query_prompt: str = "",
        document_prompt: str = "",
        batch_tokens: int = BATCH_TOKENS,
        token_encoding: str = "cl100k_base",  # noqa: S107 — no password
        timeout: float = 60.0,
        retries: int = _RETRIES,
    ) -> None:
        self._server = ModelServer(
            base_url, api_key=api_key, timeout=timeout, retries=retries, retry_seconds=RETRY_SECONDS, max_bytes=MAX_BYTES
        )
        self._timeout = timeout
        self._has_key = bool(api_key)
        self._model = model
        self._given_dimension = dimension
        self._dimension = dimension
        self._query_prompt = query_prompt
        self._document_prompt = document_prompt
        self._batch_tokens = batch_tokens
        self._counter = TokenCounter(token_encoding)
        self._lock = threading.Lock()

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The embedder that the settings describe.

        Raises:
            SettingsError: they name no model, or no server at such a URL can be meant.
        """
        s = settings
        if not s.embedding_model.strip():
            raise SettingsError("An embedding server is set, but not which model of it; set embedding_model too.")
        check_server("embedding_base_url", s.embedding_base_url.strip(), is_private=True)
        check_key("embedding_api_key", s.embedding_api_key)
        return cls(
            s.embedding_base_url,
            s.embedding_model.strip(),
            api_key=s.embedding_api_key.strip(),
            dimension=s.embedding_dimension,
            query_prompt=s.query_prompt,
            document_prompt=s.document_prompt,
            batch_tokens=s.batch_tokens,
            token_encoding=s.token_encoding,
        )

    @property
    def name(self) -> str:
        """That a server makes the vectors, the model, and the document prompt if there is one; neither URL nor key."""
        return prompted_name(f"{SERVER_MODEL}{self._model}", self._document_prompt)

    @property
    def dimension(self) -> int:
        """Length of every vector; the server is asked for it once, unless it is known.

        Raises:
            EmbeddingServerError: it does not answer.
        """
        if not self._dimension:
            self._vectors([_NOTHING])
        return self._dimension

    @cached_property
    def max_tokens(self) -> int:
        """Most tokens of a text that are sent beside the document prompt."""
        return max(1, _MAX_TOKENS - self._counter.count(self._document_prompt))

    def token_spans(self, texts: Sequence[str]) -> list[list[TokenSpan]]:
        """For each text the character offsets of tokens, those of token counts: the server's own are not known."""
        return [self._counter.spans(text) for text in texts]

    def coverage(self, text: str) -> float:  # noqa: ARG002
        """1 for every text: who names a model is taken at the word that it knows the language."""
        return 1.0

    def embed_sections(self, texts: Sequence[str]) -> Vectors:
        """Vectors of document texts: float32, shape (len(texts), dimension), unit length, in the order given.

        Raises:
            EmbeddingServerError: the server gives none, or none that can be used.
        """
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        prompted = [self._document_prompt + text for text in texts]
        return np.concatenate([self._vectors(batch) for batch in self._batches(prompted)])

    def embed_query(self, text: str) -> Vectors:
        """Vector of a query: float32, shape (dimension,), unit length; a query too long to be sent is cut.

        Raises:
            EmbeddingServerError: the server gives none in the time that a person waits, or none that can be used.
        """
        spans = self._counter.spans(text)
        cut = text if len(spans) <= _MAX_TOKENS else text[: spans[_MAX_TOKENS - 1][1]]
        vector: Vectors = self._vectors([self._query_prompt + cut], is_query=True)[0]
        return vector

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """The texts in order, at most `_BATCH_TEXTS` at once and `batch_tokens` tokens, unless one text has more."""
        batch: list[str] = []
        tokens = 0
        for text in texts:
            count = self._counter.count(text)
            if batch and (len(batch) >= _BATCH_TEXTS or tokens + count > self._batch_tokens):
                yield batch
                batch, tokens = [], 0
            batch.append(text)
            tokens += count
        if batch:
            yield batch

    def _vectors(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        request = {"model": self._model, "input": [encodable(text) if text.strip() else _NOTHING for text in texts]}
        timeout = min(_QUERY_TIMEOUT, self._timeout) if is_query else self._timeout
        try:
            if is_query:
                body = self._server.post(
                    "embeddings", request, timeout=timeout, retries=1, retry_seconds=_QUERY_RETRY_SECONDS
                )
            else:
                body = self._server.post("embeddings", request)
        except NoAnswerError as error:
            raise EmbeddingServerError(self._sentence(error, timeout)) from error
        vectors = unit_vectors(_rows(body, len(texts)))
        with self._lock:
            self._dimension = self._dimension or vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise EmbeddingServerError(
                f"The embedding server's vectors have {vectors.shape[1]} numbers, not {self._dimension}; "
                + (
                    "correct embedding_dimension or embedding_model."
                    if self._given_dimension
                    else "its model was changed: start it with the model of the index, or rebuild that."
                )
            )
        return vectors

    def _sentence(self, error: NoAnswerError, timeout: float) -> str:
        """Return the message for a request without an answer, with what to do."""
        place = self._server.place
        if isinstance(error, StatusError):
            return self._refusal(error)
        if isinstance(error, LibraryMissingError):
            return "Asking an embedding server needs the package httpx2; install it with `pip install 'sectionary[llm]'`."
        if isinstance(error, LateError):
            return f"The embedding server at {place} did not answer within {timeout:g} s; try again, or lower batch_tokens."
        if isinstance(error, BrokenOffError):
            return f"The reply of the embedding server at {place} broke off; its log says why."
        if isinstance(error, TooLargeError):
            return (
                f"The embedding server at {place} sent more than {MAX_BYTES // 1_000_000} MB; is embedding_base_url that "
                "of an embedding server?"
            )
        return f"The embedding server at {place} cannot be reached; start it or correct embedding_base_url."

    def _refusal(self, error: StatusError) -> str:
        place, code = self._server.place, error.status
        said = f"HTTP {code}{f': {error.said}' if error.said else ''}"
        if code in (401, 403):
            wish = "refuses the key" if self._has_key else "wants a key"
            return (
                f"The embedding server at {place} {wish} (HTTP {code}); set SECTIONARY_EMBEDDING_API_KEY, together with "
                "SECTIONARY_EMBEDDING_BASE_URL: it goes to no server that only a project's file names."
            )
        if code == 404:
            return (
                f"The server at {place} has no model {self._model!r} or makes no embeddings (HTTP 404); correct "
                "embedding_model or embedding_base_url."
            )
        if code == 429:
            return f"The embedding server at {place} is too busy ({said}); try again later, or lower batch_tokens."
        if 300 <= code < 400:
            return (
                f"The embedding server at {place} sends its callers elsewhere (HTTP {code}), which is not followed; set "
                "embedding_base_url to the address that answers."
            )
        if code < 500:
            return (
                f"The embedding server at {place} refuses a request ({said}); check embedding_model, or lower batch_tokens."
            )
        return f"The embedding server at {place} failed ({said}); its log says why. Try again later."


def unit_vectors(rows: npt.NDArray[np.float64]) -> Vectors:
    """The rows at length 1, as float32.

    Raises:
        EmbeddingServerError: one of them has no direction.
    """
    largest = np.abs(rows).max(axis=1, keepdims=True)  # or squares of very large and very small numbers get lost
    if not np.all(largest > 0):
        raise EmbeddingServerError(_unusable("a vector of zeros"))
    rows = rows / largest
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def _rows(body: bytes, count: int) -> npt.NDArray[np.float64]:
    """The vectors of an answer in the order of the texts, shape (count, dimension).

    Raises:
        EmbeddingServerError: it holds something else.
    """
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise EmbeddingServerError(_unusable("a reply that is not JSON")) from error
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or not all(isinstance(each, dict) for each in data):
        raise EmbeddingServerError(_unusable("a reply without embeddings"))
    found = {each.get("index"): each.get("embedding") for each in data if type(each.get("index")) is int}
    if len(data) != count or found.keys() != set(range(count)):
        raise EmbeddingServerError(_unusable(f"{len(data)} embeddings, not one for each of {count} texts"))
    rows = [_numbers(found[index]) for index in range(count)]
    if len({len(row) for row in rows}) != 1 or not 1 <= len(rows[0]) <= MAX_DIMENSION:
        raise EmbeddingServerError(_unusable("vectors of a length that none can have"))
    stacked = np.stack(rows)
    if not np.all(np.isfinite(stacked)):
        raise EmbeddingServerError(_unusable("numbers that are not finite"))
    return stacked


def _numbers(embedding: Any) -> npt.NDArray[np.float64]:
    """The numbers of an embedding: a list of them, or base64 of float32 in little-endian order."""
    try:
        if isinstance(embedding, str):
            return np.frombuffer(base64.b64decode(embedding, validate=True), "<f4").astype(np.float64)
        if isinstance(embedding, list) and all(type(number) in (int, float) for number in embedding):
            return np.array(embedding, np.float64)
    except (ValueError, OverflowError, binascii.Error):
        pass
    raise EmbeddingServerError(_unusable("an embedding that is no list of numbers"))


def _unusable(what: str) -> str:
    return (
        f"The embedding server sent {what}; is embedding_base_url that of an embedding server, and its log without errors?"
    )
