"""Lines that begin with a mark → callouts and titled parts, as a rule of markdown-it and one pass over its tokens.

A mark is made by `search.server.shown` and stands between two characters that no text has. What a mark opens ends at its
closing mark, or where the list or quote ends in which it began; a closing mark that closes nothing is left out.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

#: Noncharacters of Unicode, which stand around each mark.
_BEGIN, _END = "\ufdd0", "\ufdd1"
_PRIVATE = str.maketrans({_BEGIN: "\ufffd", _END: "\ufffd"})
_MARK = re.compile(f"{_BEGIN}(?:/([0-9]{{1,9}})|([0-9]{{1,9}}) ([\\w-]{{1,40}}) ([-+=q]{{1,2}})){_END}")
_ANY = re.compile(f"{_BEGIN}[^{_BEGIN}{_END}\n]{{0,80}}{_END}")
#: Stands before the text of an included file.
INCLUDED = f"{_BEGIN}included{_END}"
#: A part with a title that is no callout, such as a tab.
TAB = "tab"
#: How each kind of callout looks, by the names that dialects have for it; other names look like a note.
_KINDS = {
    name: kind
    for kind, names in {
        "tip": "tip hint success check done",
        "info": "info important todo abstract summary tldr question help faq",
        "warning": "warning warn caution attention pitfall",
        "danger": "danger error bug failure fail missing",
        "note": "note details quote cite example",
    }.items()
    for name in names.split()
}


def without_private(text: str) -> str:
    """Return a text of the same length that holds no mark."""
    return text.translate(_PRIVATE)


def opening(name: str, number: int, *, fold: str = "=", is_quote: bool = False) -> str:
    """Return the mark that opens what an author calls `name`; the rest of its line is the title.

    `number` tells it from others of the text, `fold` is "-" for folded, "+" for unfolded, "=" for neither. With `is_quote`
    the quote that begins with the mark is the callout.
    """
    return f"{_BEGIN}{number} {name[:40]} {fold}{'q' if is_quote else ''}{_END}"


def closing(number: int) -> str:
    """Return the mark that closes what was opened with this number."""
    return f"{_BEGIN}/{number}{_END}"


def without_marks(text: str) -> str:
    """Return a text without marks, for where they mean nothing, as in code."""
    return _ANY.sub("", text) if _BEGIN in text else text


def add_callouts(parser: MarkdownIt) -> None:
    """Let a parser read marks."""
    parser.block.ruler.before("table", "mark", _read, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.core.ruler.after("block", "callouts", _build)


def _read(state: StateBlock, start: int, _: int, silent: bool) -> bool:
    """Take a line with a mark."""
    if state.is_code_block(start):
        return False
    mark = _MARK.match(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if mark is None:
        return False
    if not silent:
        token = state.push("mark", "", 0)
        token.content = state.src[mark.end() : state.eMarks[start]].strip()
        token.meta = {"mark": mark}
        state.line = start + 1
    return True


def _build(state: StateCore) -> None:
    """Put elements in place of marks, each closed within the list or quote in which it was opened."""
    made: list[Token] = []
    open_: list[tuple[int, Token | None]] = []  # numbers of marks with what closes them; -1 for an element of Markdown
    for token in state.tokens:
        if token.type == "mark":
            _take(token, made, open_)
        elif token.nesting > 0:
            open_.append((-1, None))
            made.append(token)
        elif token.nesting < 0:
            while open_ and open_[-1][0] >= 0:
                _close(made, open_)
            closes = open_.pop()[1] if open_ else None
            made.append(closes or token)
        else:
            made.append(token)
    while open_:
        _close(made, open_)
    state.tokens = made


def _take(token: Token, made: list[Token], open_: list[tuple[int, Token | None]]) -> None:
    """Open or close what a mark stands for."""
    closed, number, name, how = token.meta["mark"].groups()
    if closed is not None:
        at = len(open_)
        while at and open_[at - 1][0] >= 0 and open_[at - 1][0] != int(closed):
            at -= 1
        if at and open_[at - 1][0] == int(closed):
            while len(open_) >= at:
                _close(made, open_)
        return
    title = token.content or ("" if name == TAB else name.replace("-", " ").capitalize())
    kind = TAB if name == TAB else f"callout {_KINDS.get(name.lower(), 'note')}"
    tag = "div" if "=" in how else "details"
    opens, closes = _element("box", tag, kind)
    if "+" in how:
        opens.attrs["open"] = ""
    if "q" in how:
        if not made or made[-1].type != "blockquote_open":  # only the first line of a quote makes it a callout
            made.extend(_titled("p", "", token.content, token) if token.content else ())
            return
        made[-1] = opens
        open_[-1] = (-1, closes)
    else:
        made.append(opens)
        open_.append((int(number), closes))
    made.extend(_titled("p" if tag == "div" else "summary", "title" if tag == "div" else "", title, token))


def _close(made: list[Token], open_: list[tuple[int, Token | None]]) -> None:
    closes = open_.pop()[1]
    if closes is not None:
        made.append(closes)


def _element(name: str, tag: str, class_name: str) -> tuple[Token, Token]:
    """Return what opens and closes an element."""
    opens = Token(f"{name}_open", tag, 1, block=True)
    if class_name:
        opens.attrs["class"] = class_name
    return opens, Token(f"{name}_close", tag, -1, block=True)


def _titled(tag: str, class_name: str, title: str, token: Token) -> tuple[Token, Token, Token]:
    opens, closes = _element("title", tag, class_name)
    return (
        opens,
        Token("inline", "", 0, content=title, map=token.map, level=token.level + 1, children=[], block=True),
        closes,
    )
