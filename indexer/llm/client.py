"""`OpenAIChatClient`: conversations → replies, over HTTP with any server that speaks OpenAI's chat completions.

The `openai` package (extra `llm`) is imported when the first message is sent. It retries errors that may pass (429, 5xx,
lost connections) and waits as long as Retry-After says; nothing else retries. Keys and texts are never logged.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Self

from indexer.model_server import LateError, TooLargeError, check_key, check_server, read_body, shown_url
from schema.errors import ChatError, ChatUnavailableError, SettingsError
from schema.protocols import ChatReply
from schema.settings import Settings
from schema.text.characters import encodable

_log = logging.getLogger(__name__)

#: The largest answer of a server, in bytes; the reader of replies refuses more than 10 MB of text.
_MAX_BYTES = 12_000_000
#: The name of the token limit for newer models, whose servers name it when they refuse the older one.
_OTHER_LIMIT = "max_completion_tokens"
#: The most characters of a server's message in an error.
_MAX_MESSAGE = 200
#: The status codes by which servers without schema mode refuse a schema.
_REFUSED_FORMAT = (400, 404, 415, 422, 501)
#: All headers that a server gets; the library needs the last one itself to read the answer as a stream.
_HEADERS = frozenset(
    {"accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host", "idempotency-key",
     "transfer-encoding", "user-agent", "x-stainless-raw-response"}
)  # fmt: skip


class OpenAIChatClient:
    """Asks one model of one server. `timeout` is in seconds for a whole reply; `concurrency` is the most calls at a time."""

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str = "",
        timeout: float = 120.0,
        retries: int = 3,
        concurrency: int = 4,
    ) -> None:
        self.model = model
        self._base_url = base_url
        self._api_key = api_key
        self._timeout = timeout
        self._retries = retries
        self._slots = threading.BoundedSemaphore(concurrency)
        self._has_schema_mode = True
        self._limit_name = "max_tokens"

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the client that the settings describe.

        Raises:
            SettingsError: they name no server or no model, or their URL cannot be that of a server.
        """
        s = settings
        missing = [name for name in ("llm_base_url", "llm_model") if not getattr(s, name).strip()]
        if missing:
            raise SettingsError(
                f"A language model is needed, but {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set; "
                "set them in sectionary.toml or the environment, as docs/summaries.md tells."
            )
        check_key("llm_api_key", s.llm_api_key)
        check_server("llm_base_url", s.llm_base_url, is_private=bool(s.llm_api_key.strip()))
        return cls(
            base_url=s.llm_base_url,
            model=s.llm_model,
            api_key=s.llm_api_key.strip(),
            timeout=s.llm_timeout,
            retries=s.llm_retries,
            concurrency=s.llm_concurrency,
        )

    def chat(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        format: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> ChatReply:
        """Return the model's reply; see `ChatClient.chat`. A server that refuses `format` gets no `format` from then on."""
        openai = _library()
        request: dict[str, Any] = {"model": self.model, "messages": [_sendable(message) for message in messages]}
        if max_tokens is not None:
            request["max_tokens"] = max_tokens
        with self._slots:
            try:
                if format is not None and self._has_schema_mode:
                    try:
                        return self._send({**request, "response_format": dict(format)})
                    except openai.APIStatusError as error:
                        if error.status_code not in _REFUSED_FORMAT:
                            raise
                        reply = self._send(request)  # if this works, the format was refused
                        _log.info("the server refused a reply schema (HTTP %d); it is asked without", error.status_code)
                        self._has_schema_mode = False
                        return reply
                return self._send(request)
            except openai.APIStatusError as error:
                raise self._refused(error) from error
            except openai.APITimeoutError as error:
                raise ChatError(
                    f"The language model did not answer within {self._timeout:g} s; raise llm_timeout."
                ) from error
            except openai.APIConnectionError as error:
                raise ChatUnavailableError(
                    f"The language model's server at {shown_url(self._base_url)} cannot be reached; start it or correct "
                    "llm_base_url."
                ) from error

    @cached_property
    def _client(self) -> Any:
        # local servers need no key, but the library does
        key = self._api_key or "none"

        def keep_ours(request: Any) -> None:
            # the library adds headers from the environment (organisation, project), which may be meant for another server
            for name in [name for name in request.headers if name.lower() not in _HEADERS]:
                del request.headers[name]
            request.headers["Authorization"] = f"Bearer {key}"

        library = _library()
        return library.OpenAI(
            base_url=self._base_url,
            api_key=key,
            timeout=self._timeout,
            max_retries=self._retries,
            # a redirect would send the key and the texts to a server that nobody has named, and a proxy of the environment
            # could read what is not encrypted
            http_client=library.DefaultHttpxClient(
                timeout=self._timeout,
                follow_redirects=False,
                event_hooks={"request": [keep_ours]},
                trust_env=self._base_url.startswith("https://"),
            ),
        )

    def _send(self, request: dict[str, Any]) -> ChatReply:
        if self._limit_name != "max_tokens" and "max_tokens" in request:
            request = {**request, self._limit_name: request["max_tokens"]}
            del request["max_tokens"]
        try:
            return self._post(request)
        except _library().BadRequestError as error:
            if "max_tokens" not in request or _OTHER_LIMIT not in str(error):
                raise
            self._limit_name = _OTHER_LIMIT
            return self._send(request)

    def _post(self, request: Mapping[str, Any]) -> ChatReply:
        with self._client.chat.completions.with_streaming_response.create(**request) as response:
            return _reply(self._body(response.iter_bytes()))

    def _body(self, parts: Any) -> bytes:
        """Return the whole body of an answer."""
        import httpx2

        deadline = time.monotonic() + self._timeout
        try:
            return read_body(parts, deadline=deadline, max_bytes=_MAX_BYTES)
        except LateError as error:
            raise ChatError(f"The language model did not answer within {self._timeout:g} s; raise llm_timeout.") from error
        except TooLargeError as error:
            raise ChatError(
                "The language model's server sent more than 12 MB; is llm_base_url that of a chat server?"
            ) from error
        except httpx2.HTTPError as error:  # the library passes these on as they are
            raise ChatError(
                f"The language model's reply broke off ({type(error).__name__}); its server's log says why."
            ) from error

    def _refused(self, error: Any) -> ChatError:
        code = error.status_code
        if code in (401, 403):
            return ChatUnavailableError(
                f"The language model's server refuses the key (HTTP {code}); set llm_api_key. Your key "
                "goes only to a server that you name too, as SECTIONARY_LLM_BASE_URL or in your own settings file."
            )
        if code == 404:
            return ChatUnavailableError(
                f"The server at {shown_url(self._base_url)} has no model {self.model!r} or is no chat server (HTTP 404); "
                "correct llm_model or llm_base_url."
            )
        if 300 <= code < 400:
            return ChatUnavailableError(
                f"The language model's server at {shown_url(self._base_url)} sends its callers elsewhere (HTTP {code}), "
                "which is not followed; set llm_base_url to the address that answers."
            )
        if code == 429:
            return ChatError(
                f"The language model's server is too busy (HTTP 429{self._said(error)}); "
                "try again later, or lower llm_concurrency."
            )
        return ChatError(f"The language model's server answered HTTP {code}{self._said(error)}.")

    def _said(self, error: Any) -> str:
        """Return a server's message about an error on one line, after ": " and without the key; "" if there is none."""
        body = error.body if isinstance(error.body, Mapping) else {}
        words = " ".join(str(body.get("message") or "").split())
        words = words.replace(self._api_key, "…") if self._api_key else words
        return f": {words[:_MAX_MESSAGE]}" if words else ""


def _sendable(message: Mapping[str, str]) -> dict[str, str]:
    """Return a message that can be sent, with lone surrogates replaced, which no encoding has."""
    return {name: encodable(text) for name, text in message.items()}


def _library() -> Any:
    try:
        import openai
    except ImportError as error:
        raise ChatUnavailableError(
            "Asking a language model needs the package openai; install it with `pip install 'sectionary[llm]'`."
        ) from error
    return openai


def _reply(body: bytes) -> ChatReply:
    """Return the reply in a server's answer.

    Raises:
        ChatError: the answer holds none.
    """
    try:
        choice = json.loads(body)["choices"][0]
        message = choice["message"]
        text = message.get("content") or message.get("refusal") or ""
        reason = choice.get("finish_reason")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise ChatError(
            "The language model's server sent no chat completion; is llm_base_url that of a chat server?"
        ) from error
    if not isinstance(text, str):
        raise ChatError("The language model's server sent a reply that is no text; use another server or model.")
    return ChatReply(text, reason if isinstance(reason, str) else None)
