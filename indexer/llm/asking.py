"""Messages and a function that reads the reply → a value or the reason why there is none, after at most two repairs.

The model is shown a reply that cannot be read with its error. A reply that was cut off is asked for again with twice the
tokens, since asking for a shorter one does not help. Failed requests are retried by the client and do not count as repairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from indexer.llm.reply import ReplyError
from schema.protocols import ChatClient, ChatReply

T = TypeVar("T")
Message = Mapping[str, str]
#: Called with the name of an event ("request", "reply", "error") and its details.
Log = Callable[[str, Mapping[str, Any]], None]

#: The most calls for one value: the first and two repairs.
MAX_CALLS = 3
#: The limit of tokens after a reply without a limit was cut off; doubled if the next one is cut off too.
_FIRST_LIMIT = 2048
#: The characters at the beginning of a reply that are shown to the model again.
_SHOWN = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[T]):
    """A value that was read from a reply; or the last reply as it came, and why it could not be read.

    `attempts` counts the replies that were read, 1..3.
    """

    value: T | None = None
    raw: str = ""
    error: ReplyError | None = None
    attempts: int


def ask(
    client: ChatClient,
    messages: Sequence[Message],
    read: Callable[[ChatReply], T],
    *,
    format: Mapping[str, Any] | None = None,
    max_tokens: int | None = None,
    log: Log | None = None,
) -> Answer[T]:
    """Ask until `read` returns a value; it raises `ReplyError` for a reply that it cannot read.

    Raises:
        ChatError, ChatUnavailableError: there was no reply.
    """
    log = log or _log_nothing
    sent = list(messages)
    error: ReplyError | None = None
    reply = ChatReply("")
    for attempt in range(1, MAX_CALLS + 1):
        log("request", {"attempt": attempt, "messages": sent, "max_tokens": max_tokens})
        reply = client.chat(sent, format=format, max_tokens=max_tokens)
        log("reply", {"attempt": attempt, "text": reply.text, "finish_reason": reply.finish_reason})
        try:
            return Answer(value=read(reply), raw=reply.text, attempts=attempt)
        except ReplyError as failure:
            error = failure
        log("error", {"attempt": attempt, "kind": error.kind, "message": str(error)})
        if error.kind == "truncated":
            max_tokens = _FIRST_LIMIT if max_tokens is None else max_tokens * 2
            sent = list(messages)
        else:
            sent = [
                *messages,
                {"role": "assistant", "content": reply.text[:_SHOWN] or "(nothing)"},
                {"role": "user", "content": build_repair_instruction(reply.text, str(error), error.kind)},
            ]
    return Answer(raw=reply.text, error=error, attempts=MAX_CALLS)


def build_repair_instruction(raw: str, error: str, error_type: str) -> str:
    """Return the message for a model whose reply could not be read: what was wrong, and to send all of it again."""
    what = "Your last reply was empty." if not raw.strip() else "Your last reply could not be used."
    return (
        f"{what} The error was {error_type}: {error}\n\n"
        "Send the complete, corrected reply once more, in exactly the format that was asked for, and nothing else."
    )


def _log_nothing(_event: str, _details: Mapping[str, Any]) -> None:
    """The log of a caller that wants none."""
