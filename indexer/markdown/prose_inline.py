"""A paragraph as it is written → plain text: without the marks of emphasis, code and links, without images and struck text.

A mark that is never closed, or means nothing where it is, stays as text.
"""

from __future__ import annotations

import html
import string
from bisect import bisect_left
from collections.abc import Callable

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.markdown.prose_tags import CLOSING, COMMENT_END, JSX_COMMENT_END, SILENT, TAG
from schema.text.sentences import GLUE, JOINT

#: Marks the end of a paragraph inside of a block: a noncharacter, like the marks in sentences (`schema.text.sentences`).
BREAK = "\ufdd1"
#: Characters that nobody sees, and those that are marks here and so may not be in a text.
UNSEEN = re.compile(f"[{GLUE}{BREAK}{JOINT}\0\u200b\u2060\ufeff\u00ad]")

#: Elements that end the paragraph around them.
_BLOCK_ELEMENTS = frozenset(
    """address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody td th thead tr ul""".split()
)
# begins with a set of characters, so that plain letters are skipped three times as fast as with alternatives alone
_MARK = re.compile(
    r"""[\\`*_~!\[\]<&{](?:(?<=[\\\[\]<&])|(?<=`)`*|(?<=\*)\**|(?<=_)_*|(?<=~)~+|(?<=!)\[|(?<=\{)(?=/\*|\{\#|"|'))"""
)
_TICKS = re.compile("`+")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{1,2000}+|[\w.+-]{1,64}+@[\w.-]{1,255}+)>")
_DECLARATION = re.compile(r"<[!?][^<>]{0,1000}+>")
_EXPRESSION = re.compile(r"\{(?:\{#[^{}]{0,500}+\}\}|\"[^\"{}]{0,200}+\"\}|'[^'{}]{0,200}+'\})")
_NESTED = r"\((?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.)*+\))*+\)"
_DESTINATION = re.compile(
    rf"\(\s*+(?:<[^<>\n]*+>|(?:[^\s()\\<]|\\.|{_NESTED})(?:[^\s()\\]|\\.|{_NESTED})*+)?+"
    r"(?:\s++(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)))?+\s*+\)",
    re.DOTALL,
)
_REFERENCE = re.compile(r"\[([^\[\]]{0,200}+)\]")
_FOOTNOTE_MARK = re.compile(r"\[\^[^\[\]\s]{1,100}+\]")
_WIKI_LINK = re.compile(r"\[\[([^\[\]\n|]{1,200}+)(?:\|([^\[\]\n]{1,200}+))?\]\]")
_CODE_ONLY = re.compile(r"(`+)[^`]+\1\Z")
_STOPS = frozenset(".!?。！？")
_PUNCTUATION = frozenset(string.punctuation)


def plain_text(source: str, labels: frozenset[str]) -> str:
    """Return a paragraph as plain text; `labels` are those of the link definitions."""
    first = _MARK.search(source)
    return source if first is None else _Inline(source, labels).text(first)


class _Inline:
    """One pass over a paragraph. `_out` holds the text so far; an opening mark is an item of its own, to be emptied later.

    Each reader below takes one mark: what was matched and where it begins. `_position` is behind the mark then.
    """

    def __init__(self, source: str, labels: frozenset[str]) -> None:
        self._source = source
        self._labels = labels
        self._position = 0
        self._out: list[str] = []
        self._brackets: list[tuple[int, int, bool]] = []  # its index in _out, the offset after it, whether it is an image's
        self._runs: dict[str, list[int]] = {"*": [], "_": [], "~": []}  # indices of opening runs in _out
        self._ticks: dict[int, list[int]] | None = None
        self._missing: set[re.Pattern[str]] = set()
        self._last_end = -1  # the end of the last tag, if it was a closing one
        self._is_annotation = False

    def text(self, first: re.Match[str]) -> str:
        source, out = self._source, self._out
        match: re.Match[str] | None = first
        while match is not None:
            mark, start = match.group(), match.start()
            out.append(source[self._position : start])
            self._position = match.end()
            _READERS[mark[0]](self, mark, start)
            match = _MARK.search(source, self._position)
        out.append(source[self._position :])
        return "".join(out)

    def _escape(self, mark: str, _start: int) -> None:
        after = self._source[self._position : self._position + 1]
        if after in _PUNCTUATION:
            self._out.append(after)
            self._position += 1
        elif after != "\n":
            self._out.append(mark)

    def _code(self, mark: str, _start: int) -> None:
        if self._ticks is None:
            self._ticks = {}
            for run in _TICKS.finditer(self._source):
                self._ticks.setdefault(run.end() - run.start(), []).append(run.start())
        starts = self._ticks.get(len(mark), [])
        following = bisect_left(starts, self._position)
        if following == len(starts):  # it is never closed
            return
        end = starts[following]
        content = " ".join(self._source[self._position : end].split()).replace(" ", GLUE)
        self._out.append(content + JOINT if content[-1:] in _STOPS else content)
        self._position = end + len(mark)

    def _entity(self, mark: str, start: int) -> None:
        entity = _ENTITY.match(self._source, start)
        if entity is None:
            self._out.append(mark)
        else:
            self._out.append(UNSEEN.sub("", html.unescape(entity.group())))
            self._position = entity.end()

    def _image(self, mark: str, start: int) -> None:
        wiki = _WIKI_LINK.match(self._source, start + 1)
        if wiki is not None:
            self._position = wiki.end()
            return
        self._brackets.append((len(self._out), self._position, True))
        self._out.append(mark)

    def _bracket(self, mark: str, start: int) -> None:
        if footnote := _FOOTNOTE_MARK.match(self._source, start):
            self._position = footnote.end()
        elif wiki := _WIKI_LINK.match(self._source, start):
            self._out.append(wiki.group(2) or wiki.group(1))
            self._position = wiki.end()
        else:
            self._brackets.append((len(self._out), self._position, False))
            self._out.append(mark)

    def _bracket_end(self, mark: str, start: int) -> None:
        if not self._brackets:
            self._out.append(mark)
            return
        index, begin, is_image = self._brackets.pop()
        end = self._link_end(begin, start, is_image)
        if end < 0:
            self._out.append(mark)
            return
        self._position = end
        if is_image:
            self._cut(index)
        else:
            self._out[index] = ""

    def _link_end(self, begin: int, close: int, is_image: bool) -> int:
        """Return where the link or image ends whose text is between `begin` and `close`; -1 if it is none."""
        source, after = self._source, close + 1
        if target := _DESTINATION.match(source, after):
            return target.end()
        label = normal_label(source[begin:close]) if close - begin <= 200 else ""
        if reference := _REFERENCE.match(source, after):
            known = normal_label(reference.group(1)) or label
            # the index of an array follows a name without a blank
            is_index = begin > 1 and source[begin - 2].isascii() and source[begin - 2].isalnum()
            if is_image or known in self._labels or not is_index:
                return reference.end()
        if is_image or label in self._labels or _CODE_ONLY.match(source[begin : min(close, begin + 200)]):
            return after
        return -1

    def _cut(self, index: int) -> None:
        """Remove everything from an index of `_out` on."""
        del self._out[index:]
        for runs in self._runs.values():
            while runs and runs[-1] >= index:
                runs.pop()
        while self._brackets and self._brackets[-1][0] >= index:
            self._brackets.pop()

    def _tag(self, mark: str, start: int) -> None:
        source = self._source
        if source.startswith("<!--", start):
            self._leave_out(mark, start, COMMENT_END)
        elif link := _AUTOLINK.match(source, start):
            self._out.append(link.group(1))
            self._position = link.end()
        elif tag := TAG.match(source, start):
            name = tag.group(2) or ""
            self._position = tag.end()
            if name in _BLOCK_ELEMENTS:
                self._out.append(BREAK)
            elif name == "br":
                self._out.append("\n")
            elif name == "sup":
                self._out.append(self._annotation(tag))
            elif not tag.group(1) and self._last_end == start:
                self._out.append(" ")  # <span>a</span><span>b</span>
            self._last_end = tag.end() if tag.group(1) else -1
            if name in SILENT and not tag.group(1) and not tag.group(3).endswith("/"):
                self._leave_out("", self._position, CLOSING[name])
        elif declaration := _DECLARATION.match(source, start):
            self._position = declaration.end()
        else:
            self._out.append(mark)

    def _annotation(self, tag: re.Match[str]) -> str:
        """Return the bracket for a tag of a word in Latin letters above one in an Asian script: 갱신<sup>update</sup>."""
        if tag.group(1):
            is_open, self._is_annotation = self._is_annotation, False
            return ")" if is_open else ""
        before = self._source[tag.start() - 1 : tag.start()] if tag.start() else ""
        after = self._source[tag.end() : tag.end() + 1]
        closes = self._source.find("</sup>", tag.end(), tag.end() + 100) > 0
        self._is_annotation = closes and before >= "\u1100" and after.isascii() and after.isalpha()
        return "(" if self._is_annotation else ""

    def _leave_out(self, mark: str, start: int, end: re.Pattern[str]) -> None:
        """Leave out what begins at `start`, up to the end of the match of `end`; without a match, the mark is text."""
        found = None if end in self._missing else end.search(self._source, start)
        if found is None:
            self._missing.add(end)
            self._out.append(mark)
        else:
            self._position = found.end()

    def _brace(self, mark: str, start: int) -> None:
        if self._source.startswith("{/*", start):
            self._leave_out(mark, start, JSX_COMMENT_END)
        elif expression := _EXPRESSION.match(self._source, start):
            self._out.append(" " if not expression.group()[2:-2].strip() else "")
            self._position = expression.end()
        else:
            self._out.append(mark)

    def _run(self, mark: str, start: int) -> None:
        """Pair runs of emphasis. Unlike in CommonMark, punctuation next to one does not matter: 。**を closes."""
        kind = mark[0]
        before, after = self._source[start - 1 : start] if start else "", self._source[self._position : self._position + 1]
        opens, closes = bool(after) and not after.isspace(), bool(before) and not before.isspace()
        if kind == "_":  # snake_case
            opens = opens and not before.isalnum()
            closes = closes and not (after.isalnum() and after < "\u0e00")
        left, openers = len(mark), self._runs[kind]
        while closes and left and openers:
            index = openers.pop()
            run = self._out[index]
            taken = min(left, len(run))
            left -= taken
            if kind == "~":  # struck out
                self._cut(index)
                break
            self._out[index] = run[taken:]
            if taken < len(run):
                openers.append(index)
        if left and (left == len(mark) or kind != "~"):
            if opens:
                openers.append(len(self._out))
            self._out.append(kind * left)


_READERS: dict[str, Callable[[_Inline, str, int], None]] = {
    "\\": _Inline._escape,
    "`": _Inline._code,
    "&": _Inline._entity,
    "!": _Inline._image,
    "[": _Inline._bracket,
    "]": _Inline._bracket_end,
    "<": _Inline._tag,
    "{": _Inline._brace,
    "*": _Inline._run,
    "_": _Inline._run,
    "~": _Inline._run,
}


def normal_label(label: str) -> str:
    return " ".join(label.split()).casefold()
