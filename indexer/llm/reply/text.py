"""A raw reply → its answer, without the blanks, reasoning, channels and special tokens around it.

Refuses a reply that is too large, one without an answer, and one whose reasoning or analysis never ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply.spec import ReplyError, reply_error

#: The longest reply, in bytes of UTF-8; the model of a longer one did not stop.
MAX_BYTES = 10_000_000
#: Characters that are trimmed: blanks of every script, and invisible ones.
BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "\ufeff\u200b\u200c\u200d\u2060\0"

_BLANK = "[" + re.escape(BLANKS) + "]"
#: The most special tokens that are taken off the end, and the most pieces of reasoning off the beginning.
_MANY_TOKENS, _MANY_PIECES = 20, 100
# without one of these words there is no reasoning; they are found much faster than the patterns
_REASONING_WORDS = ("think", "thought", "reason", "reflection", "scratchpad", "<channel|>", "<unused95>")
_TURN_ENDS = ("<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|end|>")
_NAMES = r"(?i:think|thinking|thoughts?|reasoning|reflection|scratchpad|antthinking|seed:think)"
# any of these closes any other: models close <think> with </thinking>
_MARK = re.compile(
    rf"(?P<open><{_NAMES}(?:\s[^<>]{{0,200}})?>|◁think▷|\[THINK\]|<\|(?i:begin_of_thought|start_thinking)\|>"
    r"|<\|channel>thought|<unused94>thought)"
    rf"|</{_NAMES}\s{{0,20}}>|◁/think▷|\[/THINK\]|<\|(?i:end_of_thought|end_thinking)\|>|<channel\|>|<unused95>",
)
_QUOTES = "`\"'"
# what may follow the end of reasoning that began in the prompt
_THEN_ANSWER = re.compile(r"\w|[ \t]*+(?:[\r\n]|\Z|[{\[<#]|```|~~~)")
# prose before reasoning that holds nothing of an answer
_NO_ANSWER = re.compile(r"[^{}\[\]<>#`~\"'|*_=【]{0,2000}\Z")
_CHANNEL = re.compile(r"<\|channel\|>\s*+(\w++)[^<]*+(?:<\|constrain\|>[^<]*+)?<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|call|start|channel)\|>")
_LEAKED_FINAL = "assistantfinal"
_BEGIN = re.compile(
    rf"(?:{_BLANK}++|<s>|<bos>|<\|begin_of_text\|>|<\|im_start\|>assistant\b|<\|start_header_id\|>assistant<\|end_header_id\|>"
    r"|<start_of_turn>model\b|<\|assistant\|>|<\|start\|>assistant(?!\w)|assistant(?=\s*+\n)|\[/INST\])*+",
)
_END = re.compile(r"(?:<\|[\w▁]{1,30}\|>|<｜[\w▁]{1,30}｜>|<(?:end|start)_of_turn>|</s>|<eos>|<EOT>)\Z")
# the beginning of a user's turn, which a model writes that does not stop
_NEXT_TURN = re.compile(
    r"<\|im_end\|>\s*+<\|im_start\|>|<\|eot_id\|>\s*+<\|start_header_id\|>|<end_of_turn>\s*+<start_of_turn>"
    r"|<\|end\|>\s*+<\|user\|>"
)


class UnreadableError(Exception):
    """Raised when a text cannot be read in one way; `kind` and `detail` as in `ReplyError`, `position` in the text.

    With `is_final`, no other way of reading is tried.
    """

    def __init__(self, kind: str, position: int, *, detail: str = "", is_final: bool = False) -> None:
        super().__init__(kind, position)
        self.kind = kind
        self.position = position
        self.detail = detail
        self.is_final = is_final


class BrokenError(UnreadableError):
    """No object can be read at `position`; with `is_template`, what stands there is a form to fill in ({"title": ...})."""

    def __init__(self, kind: str, position: int, *, is_template: bool = False, is_final: bool = False) -> None:
        super().__init__(kind, position, is_final=is_final)
        self.is_template = is_template


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a reply: its `text`, and the character offset in `raw` where it begins.

    With `is_normalised`, every line of `text` ends with a line feed, so that offsets in `raw` may be larger.
    """

    raw: str
    text: str
    start: int
    is_normalised: bool = False

    def error(self, kind: str, position: int, detail: str = "") -> ReplyError:
        """Return the error at an offset of `text`."""
        if self.is_normalised:
            # each \r\n before it is one character longer
            for match in re.finditer("\r\n", self.raw[self.start :]):
                if match.start() >= position:
                    break
                position += 1
        return reply_error(kind, self.raw, self.start + position, detail)

    def normalised(self) -> Answer:
        """Return the same answer with line feeds as its only line ends."""
        text = self.text.replace("\r\n", "\n").replace("\r", "\n")
        return Answer(self.raw, text, self.start, is_normalised=True)


def check_raw(raw: str) -> None:
    """Refuse a reply of more than `MAX_BYTES` bytes, or with lone surrogates (halves of characters), which no file holds."""
    try:
        size = len(raw) if len(raw) > MAX_BYTES else len(raw.encode())
    except UnicodeEncodeError as error:
        raise reply_error("malformed", raw, error.start, "half a sign") from None
    if size > MAX_BYTES:
        raise reply_error("too_large", raw, MAX_BYTES)


def read_answer(raw: str) -> Answer:
    """Return the answer of a reply.

    Raises:
        ReplyError: of kind empty_reply: nothing is left, or reasoning never ends.
    """
    start, end = 0, _end(raw, len(raw))
    turn = _NEXT_TURN.search(raw, 0, end) if any(token in raw for token in _TURN_ENDS) else None
    if turn:
        end = _end(raw, turn.start())
    folded = raw.lower()
    may_reason = any(word in folded for word in _REASONING_WORDS)
    for _ in range(_MANY_PIECES):
        before = start
        start = _after_begin(raw, start, end)
        start, end = _final_channel(raw, start, end)
        start = _after_reasoning(raw, start, end) if may_reason else start
        if start >= end:
            break
        if start == before:
            return Answer(raw, raw[start:end], start)
    raise reply_error("empty_reply", raw, start)


def _end(raw: str, end: int) -> int:
    """Return where the text ends without blanks and special tokens."""
    for _ in range(_MANY_TOKENS):
        end = len(raw[:end].rstrip(BLANKS))
        token = _END.search(raw, max(0, end - 40), end)
        if token is None:
            return end
        end = token.start()
    return end


def _after_begin(raw: str, start: int, end: int) -> int:
    match = _BEGIN.match(raw, start, end)
    return match.end() if match else start  # it matches everywhere


def _final_channel(raw: str, start: int, end: int) -> tuple[int, int]:
    """Return the start and end of the last `final` channel, if the reply is written in channels; else those given."""
    if raw.startswith("<|channel|>", start, end):
        finals = [match for match in _CHANNEL.finditer(raw, start, end) if match[1] == "final"]
        if not finals:
            raise reply_error("empty_reply", raw, start, "only channels without an answer")
        begin = finals[-1].end()
        stop = _CHANNEL_END.search(raw, begin, end)
        return begin, _end(raw, stop.start() if stop else end)
    # channels whose special tokens were left out
    if raw.startswith("analysis", start, end):
        final = raw.rfind(_LEAKED_FINAL, start, end)
        if final >= 0:
            return final + len(_LEAKED_FINAL), end
    return start, end


def _after_reasoning(raw: str, start: int, end: int) -> int:
    """Return where the text goes on after reasoning at its beginning; `start` if there is none."""
    first = _MARK.search(raw, start, end)
    if first is None:
        return start
    if first["open"] is None:
        is_end = not _is_quoted(raw, first) and _THEN_ANSWER.match(raw, first.end(), end)
        return first.end() if is_end else start
    if first.start() > start and not _NO_ANSWER.match(raw[start : first.start()]):
        return start
    depth = 0
    for mark in _MARK.finditer(raw, first.start(), end):
        if _is_quoted(raw, mark):
            continue
        depth += 1 if mark["open"] else -1
        if depth <= 0:
            return mark.end()
        if depth > _MANY_PIECES:
            break
    if first.start() > start and raw[first.start() - 1] not in "\r\n":
        return start  # the mark is only mentioned
    raise reply_error("empty_reply", raw, first.start(), "reasoning that never ends")


def _is_quoted(raw: str, mark: re.Match[str]) -> bool:
    """Return whether a mark stands in quotes, so that it is only mentioned."""
    before = raw[mark.start() - 1 : mark.start()]
    return bool(before) and before in _QUOTES and raw[mark.end() : mark.end() + 1] == before
