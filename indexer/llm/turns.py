"""The state-managed prompt flow: a user's message → a turn of the model that fits its schemas, or an outcome with the error.

The messages are, in this order: system prompt, an example turn, the talk so far, the user's message with attached texts. The
caller gives the client and the store of the session; only the store writes anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from indexer.llm.asking import Log, ask, build_repair_instruction
from indexer.llm.prompts import as_data, load_prompt, load_schema, new_nonce
from indexer.llm.reply import ReplyError, ReplySpec, check_schema, parse_reply
from schema.errors import ChatError, ChatUnavailableError
from schema.protocols import ChatClient, ChatReply

__all__ = [
    "FEW_SHOT_TURN",
    "MemoryStore",
    "PromptFlow",
    "Session",
    "SessionStore",
    "TurnOutcome",
    "build_repair_instruction",
    "call_llm",
    "parse_and_validate_turn",
]

#: A turn as it should be, shown to the model before the talk.
FEW_SHOT_TURN = json.dumps(
    {
        "control": {"schema_version": "1.0", "mode": "interview"},
        "state": {"phase": "collect_case", "missing_info": []},
        "assistant_message": "次の質問をしてください",
        "knowledge_json": None,
    },
    ensure_ascii=False,
)
FIRST_PHASE = "collect_case"
#: The most messages of the talk that are sent, the newest ones, so that prompts do not grow without end.
_HISTORY = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOutcome:
    """The outcome of a turn. If not `ok`, `raw` is the last reply as it came and `error_kind` a kind of `ReplyError`,
    "transport" if there was no reply, or "unavailable" if no message can get one.

    `knowledge` holds at most one record, every field of the entry's schema a text. `attempts` counts replies, 0..3.
    """

    ok: bool
    assistant_message: str = ""
    knowledge: tuple[Mapping[str, str], ...] = ()
    mode: str = ""
    phase: str = ""
    missing_info: tuple[str, ...] = ()
    raw: str = ""
    error: str = ""
    error_kind: str = ""
    attempts: int = 1


def parse_and_validate_turn(
    raw: str, turn_schema: Mapping[str, Any], entry_schema: Mapping[str, Any], *, finish_reason: str | None = None
) -> TurnOutcome:
    """Read a reply as a turn, validate it and its record (JSON Schema, Draft 2020-12), and fill missing texts with ""."""
    try:
        return _read(ChatReply(raw, finish_reason), turn_schema, entry_schema)
    except ReplyError as error:
        return _failed(raw, error, 1)


def call_llm(
    user_text: str,
    file_texts: Sequence[str],
    system_prompt: str,
    history: Sequence[Mapping[str, str]],
    client: ChatClient,
    turn_schema: Mapping[str, Any] | None = None,
    entry_schema: Mapping[str, Any] | None = None,
    *,
    draft: Mapping[str, str] | None = None,
    max_tokens: int | None = None,
    log: Log | None = None,
) -> TurnOutcome:
    """One turn, asked for at most three times. `history` entries of roles other than user and assistant are left out.

    `draft` is the current record. The model is shown it with each message, since the talk does not contain it.
    """
    turn_schema, entry_schema = turn_schema or load_schema("turn"), entry_schema or load_schema("entry")
    messages = [
        {"role": "system", "content": system_prompt},
        {"role": "assistant", "content": FEW_SHOT_TURN},
        *({"role": h["role"], "content": h["content"]} for h in history if h["role"] in ("user", "assistant")),
        {"role": "user", "content": _payload(user_text, file_texts, draft)},
    ]
    try:
        answer = ask(
            client,
            messages,
            lambda reply: _read(reply, turn_schema, entry_schema),
            format=_format(turn_schema, entry_schema),
            max_tokens=max_tokens,
            log=log,
        )
    except ChatUnavailableError as error:
        return TurnOutcome(ok=False, error=str(error), error_kind="unavailable", attempts=0)
    except ChatError as error:
        return TurnOutcome(ok=False, error=str(error), error_kind="transport", attempts=0)
    if answer.value is not None:
        return replace(answer.value, attempts=answer.attempts)
    assert answer.error is not None
    return _failed(answer.raw, answer.error, answer.attempts)


@dataclass(slots=True)
class Session:
    """The state of one talk: its messages, the resulting entries, the phase, and a log that stays in memory.

    `chat` entries have a role (user, assistant, or error for a reply that could not be used) and a content.
    """

    chat: list[dict[str, str]] = field(default_factory=list)
    knowledge_outputs: list[Mapping[str, str]] = field(default_factory=list)
    phase: str = FIRST_PHASE
    debug_logs: list[dict[str, Any]] = field(default_factory=list)


class SessionStore(Protocol):
    """Where a session is kept between turns."""

    def load(self) -> Session:
        """The session as it was last saved, or a new one."""
        ...

    def save(self, session: Session) -> None:
        """Keep the session."""
        ...


class MemoryStore:
    """Keeps a session for as long as the process lives."""

    def __init__(self) -> None:
        self._session = Session()

    def load(self) -> Session:
        """The session itself."""
        return self._session

    def save(self, session: Session) -> None:
        """Keep this session."""
        self._session = session


class PromptFlow:
    """A talk with a model in phases, for any user interface.

    `prompts` returns the system prompt of a phase; schemas other than the package's need prompts of their own. With `debug`,
    requests and replies are kept in the session's `debug_logs` and nowhere else.
    """

    def __init__(
        self,
        client: ChatClient,
        *,
        store: SessionStore | None = None,
        turn_schema: Mapping[str, Any] | None = None,
        entry_schema: Mapping[str, Any] | None = None,
        prompts: Callable[[str], str] | None = None,
        max_tokens: int | None = None,
        debug: bool = False,
    ) -> None:
        self._client = client
        self._prompts = prompts or system_prompt
        self._store = store or MemoryStore()
        self._turn_schema = turn_schema or load_schema("turn")
        self._entry_schema = entry_schema or load_schema("entry")
        self._max_tokens = max_tokens
        self._debug = debug

    def send(self, text: str, attachments: Sequence[str] = ()) -> TurnOutcome:
        """Send a message with attached texts and add it and the model's turn to the session.

        After a failed turn, the session has the message and the reply with its error kind; nothing else changes.
        """
        session = self._store.load()
        history = list(session.chat[-_HISTORY:])
        session.chat.append({"role": "user", "content": text})
        self._store.save(session)
        outcome = call_llm(
            text,
            attachments,
            self._prompts(session.phase),
            history,
            self._client,
            self._turn_schema,
            self._entry_schema,
            draft=session.knowledge_outputs[0] if session.knowledge_outputs else None,
            max_tokens=self._max_tokens,
            log=(lambda event, details: session.debug_logs.append({"event": event, **details})) if self._debug else None,
        )
        if outcome.ok:
            session.chat.append({"role": "assistant", "content": outcome.assistant_message})
            session.phase = outcome.phase
            if outcome.knowledge:  # a turn without a record keeps the last one
                session.knowledge_outputs = list(outcome.knowledge)
        else:
            session.chat.append({"role": "error", "content": f"{outcome.error_kind}: {outcome.raw or outcome.error}"})
        self._store.save(session)
        return outcome


def system_prompt(phase: str) -> str:
    """Return the instructions for the model in this phase."""
    return load_prompt("interview").fill(phase=load_prompt(f"interview_{phase}").text)


def _payload(user_text: str, file_texts: Sequence[str], draft: Mapping[str, str] | None) -> str:
    nonce = new_nonce()
    parts = [f"ユーザー指示:\n{user_text}"] if user_text else []
    if file_texts:
        marked = (as_data(text, label=f"ATTACHMENT {i}", nonce=nonce) for i, text in enumerate(file_texts, start=1))
        parts.append("添付テキスト:\n" + "\n\n".join(marked))
    if draft:
        parts.append("現在の案:\n" + as_data(json.dumps(dict(draft), ensure_ascii=False), label="DRAFT", nonce=nonce))
    return "\n\n".join(parts)


def _format(turn_schema: Mapping[str, Any], entry_schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema for servers that make a model follow one: the turn's, with the record's schema inside."""
    entry = {name: value for name, value in entry_schema.items() if name != "$schema"}
    whole = {name: value for name, value in turn_schema.items() if name != "$schema"}
    properties = dict(whole.get("properties", {}))
    if "knowledge_json" in properties:
        properties["knowledge_json"] = {"anyOf": [{"type": "null"}, entry]}
    return {"type": "json_schema", "json_schema": {"name": "Turn", "schema": {**whole, "properties": properties}}}


def _read(reply: ChatReply, turn_schema: Mapping[str, Any], entry_schema: Mapping[str, Any]) -> TurnOutcome:
    turn = parse_reply(reply.text, ReplySpec(format="json", schema=turn_schema), finish_reason=reply.finish_reason)
    record = turn.get("knowledge_json")
    knowledge: tuple[Mapping[str, str], ...] = ()
    if record is not None:
        check_schema(reply.text, record, entry_schema)
        knowledge = ({name: str(record.get(name) or "") for name in entry_schema.get("properties", record)},)
    control, state = turn.get("control") or {}, turn.get("state") or {}
    return TurnOutcome(
        ok=True,
        assistant_message=str(turn.get("assistant_message") or ""),
        knowledge=knowledge,
        mode=str(control.get("mode") or ""),
        phase=str(state.get("phase") or FIRST_PHASE),
        missing_info=tuple(map(str, state.get("missing_info") or ())),
        raw=reply.text,
    )


def _failed(raw: str, error: ReplyError, attempts: int) -> TurnOutcome:
    return TurnOutcome(ok=False, raw=raw, error=str(error), error_kind=error.kind, attempts=attempts)
