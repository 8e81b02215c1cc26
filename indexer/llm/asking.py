"""Messages and a way to read the reply → a value or the reason why there is none, after at most two repairs.

A reply that cannot be read is shown to the model with its error. One that was cut off is asked for again with twice
the room, since asking for less makes no reply shorter. The client retries failed requests; these are no repairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from indexer.llm.reply import ReplyError
from schema.protocols import ChatClient, ChatReply

T = TypeVar("T")
Message = Mapping[str, str]
#: Called with what happened ("request", "reply", "error") and its details.
Log = Callable[[str, Mapping[str, Any]], None]

#: Calls for one value: the first and two repairs.
MAX_CALLS = 3
#: Room of a reply if none was given and one was cut off (tokens), doubled once more if need be.
_ROOM = 2048
#: Characters of a reply that are shown to the model again, from its beginning.
_SHOWN = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[T]):
    """A value that was read from a reply, or the last reply as it came with the error of reading it.

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
    """Ask until `read` gives a value, which raises `ReplyError` where it cannot.

    Raises:
        ChatError, ChatUnavailableError: there was no reply.
    """
    told = log or _nothing
    stack = list(messages)
    error: ReplyError | None = None
    reply = ChatReply("")
    for attempt in range(1, MAX_CALLS + 1):
        told("request", {"attempt": attempt, "messages": stack, "max_tokens": max_tokens})
        reply = client.chat(stack, format=format, max_tokens=max_tokens)
        told("reply", {"attempt": attempt, "text": reply.text, "finish_reason": reply.finish_reason})
        try:
            return Answer(value=read(reply), raw=reply.text, attempts=attempt)
        except ReplyError as failure:
            error = failure
        told("error", {"attempt": attempt, "kind": error.kind, "message": str(error)})
        if error.kind == "truncated":
            max_tokens = _ROOM if max_tokens is None else max_tokens * 2
            stack = list(messages)
        else:
            stack = [
                *messages,
                {"role": "assistant", "content": reply.text[:_SHOWN] or "(nothing)"},
                {"role": "user", "content": build_repair_instruction(reply.text, str(error), error.kind)},
            ]
    return Answer(raw=reply.text, error=error, attempts=MAX_CALLS)


def build_repair_instruction(raw: str, error: str, error_type: str) -> str:
    """What is said to a model whose reply could not be read: what was wrong, and to send all of it again."""
    what = "Your last reply was empty." if not raw.strip() else "Your last reply could not be used."
    return (
        f"{what} The error was {error_type}: {error}\n\n"
        "Send the complete, corrected reply once more, in exactly the format that was asked for, and nothing else."
    )


def _nothing(_event: str, _details: Mapping[str, Any]) -> None:
    """What is told where nobody listens."""
