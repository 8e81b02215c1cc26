"""Where a JSON object stands in a reply: kinds of fences, pages of HTML, and the words that present it as the answer."""

from __future__ import annotations

from enum import IntEnum

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.llm.reply.text import BLANKS

#: The characters before an object that are looked at.
_NEAR = 300
_PLAIN = frozenset(("text", "txt", "plain", "plaintext", "markdown", "md", "output", "response", "answer", "result"))

_PAGE = re.compile(r"<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_PAGE_END = re.compile(r"</(html|style|script)\s{0,20}+>", re.IGNORECASE)
#: Characters that may wrap an object on its line: quotes, marks of code and emphasis, brackets.
_WRAPPERS = " \t`*_\"'([{「『（\ufeff\u200b"
_LIST_MARK = re.compile(r"[ \t]*+(?:>[ \t]*+)*+(?:[-+•]|\d{1,3}[.)])?[ \t]*+\Z")
_TAG_BEFORE = re.compile(r"<[^<>\s=][^<>]{0,99}>\Z|<!\[CDATA\Z")
_SAYS_SO = re.compile(r"(?:[:：.。!！?？→]|(?<!\w)(?:is|are|follows)|は)\Z")
_NAMES_ANSWER = re.compile(
    r"(?:(?<!\w)(?:json|answer|result|output|response|object|record)|結果|回答|出力|答え|결과|답변|출력)\W{0,9}\Z",
    re.IGNORECASE,
)
# lines of code and logs, which end as lines of prose do
_NO_PROSE = re.compile(
    r"[\[\]=;()\\|@$&]|\d[-:.]\d|(?:errors?|exception|(?<!\w)(?:err|traceback|warn(?:ing)?|info|debug|trace|fatal))(?!\w)"
    r"|(?-i:^\s*+(?:if|elif|else|for|while|with|try|case|default|lambda|return)(?!\w))",
    re.IGNORECASE,
)
_GOES_ON = "=({,&|+"
_NAME_ALONE = re.compile(r"\s*+[^\W\d][\w.]{0,60}[ \t]*+=\Z")
_COMMENTS = re.compile(r"^[ \t]*+(?://|#)[^\n]*+", re.MULTILINE)
_ENDS_LINE = ":：.。!！?？>`~"
_LINE_IS_OVER = re.compile(r"[ \t`*_\"')\]}.。$]{0,99}+(?:\n|\Z|</)")
_FENCE_IS_OVER = re.compile(r"\s*+;?\s*+(?:`{3}|~{3}|\Z)")


class Location(IntEnum):
    """Where an object stands, the best location for an answer first; `LOOSE` is prose with an object with unquoted keys."""

    JSON_FENCE = 0
    PLAIN_FENCE = 1
    PROSE = 2
    LOOSE = 3
    OTHER_FENCE = 4


def location_of(label: str) -> Location:
    """Return the location that a fence with this label is."""
    name = label.lower().removeprefix("application/")
    if name.startswith("json"):
        return Location.JSON_FENCE
    return Location.PLAIN_FENCE if not name or name in _PLAIN else Location.OTHER_FENCE


def is_page(text: str) -> bool:
    """Return whether a text is a page of HTML, which a server may send instead of a reply."""
    return _PAGE.match(text) is not None


class Pages:
    """The HTML pages, styles and scripts of a text; offsets must be asked for from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends: list[tuple[str, int]] | None = None  # names and ends of those to come, the last first
        self._last: dict[str, int] = {}

    def end(self, name: str, at: int) -> int | None:
        """Return where the page, style or script ends that begins at `at`; None where its tag is only mentioned."""
        text, name = self._text, name.lower().replace("!doctype", "html")
        if self._ends is None:
            self._ends = [(end[1].lower(), end.end()) for end in _PAGE_END.finditer(text, at)][::-1]
            self._last = dict(reversed(self._ends))
        if self._last.get(name, 0) > at:
            while True:
                each, end = self._ends.pop()
                if each == name and end > at:
                    return end
        if name != "html":
            return None
        begins_line = not text[max(0, at - _NEAR) : at].rpartition("\n")[2].strip(BLANKS)
        return len(text) if begins_line else None


def is_presented(text: str, begin: int, at: int, *, is_bare: bool) -> bool:
    """Return whether the text from `begin` to `at` presents the object at `at` as the answer, and not as a part of code.

    It begins a line, or words on its line lead to it ("The result is", "JSON:"). An object with unquoted keys needs lines of
    its own, since code and style sheets look like it.
    """
    lead = text[max(begin, at - _NEAR) : at].rstrip(_WRAPPERS)
    line = lead.rpartition("\n")[2]
    if _LIST_MARK.match(line):
        above = lead[: len(lead) - len(line)]
        return _leads_to_next(above) if is_bare else not above.rstrip("[ \t\n").endswith(tuple(_GOES_ON))
    if _NO_PROSE.search(line) is None and _NAMES_ANSWER.search(line):
        return not is_bare or line.endswith((":", "："))
    if is_bare:
        return False
    if _TAG_BEFORE.search(line) or (_NAME_ALONE.match(line) and lead == line):
        return True
    return _SAYS_SO.search(line) is not None and _NO_PROSE.search(line) is None


def _leads_to_next(above: str) -> bool:
    """Return whether the lines above an object are complete or lead to it; a line of code would go on."""
    last = above.rstrip()
    is_over = not last or last[-1] in _ENDS_LINE or above.count("\n", len(last)) > 1
    return is_over or _NAMES_ANSWER.search(last) is not None


def ends_its_line(text: str, end: int) -> bool:
    """Return whether nothing follows an object on its line but characters that wrap it."""
    return _LINE_IS_OVER.match(text, end) is not None


def is_all_before(text: str, begin: int, at: int, *, is_bare: bool) -> bool:
    """Return whether nothing stands before the object in its fence but comments and a name (`result =`)."""
    if at - begin > _NEAR:
        return False
    before = _COMMENTS.sub("", text[begin:at]).strip()
    return not before or (not is_bare and _NAME_ALONE.match(before) is not None)


def is_all_after(text: str, end: int) -> bool:
    """Return whether nothing follows the object in its fence."""
    return _FENCE_IS_OVER.match(text, end) is not None
