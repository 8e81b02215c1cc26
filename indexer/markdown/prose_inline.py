"""A paragraph as it is written → plain text: the signs inside of it are read, images and what is struck out are left out.

Never refuses a sign that is not closed or means nothing: it stays text.
"""

from __future__ import annotations

import html
import string
from bisect import bisect_left
from collections.abc import Callable

import regex as re  # the possessive groups of re match wrongly before Python 3.11.5 (cpython#106052)

from indexer.markdown.prose_tags import CLOSING, COMMENT_END, JSX_COMMENT_END, SILENT, TAG
from schema.text.sentences import GLUE, JOINT

#: The end of a paragraph inside of a block: a noncharacter, like those of sentences.
BREAK = "\ufdd1"
#: What nobody sees, and what no text may bring along since it means something here.
UNSEEN = re.compile(f"[{GLUE}{BREAK}{JOINT}\0\u200b\u2060\ufeff\u00ad]")

#: Elements that end the paragraph they stand in.
_BLOCK_ELEMENTS = frozenset(
    """address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form
    h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody td th thead tr ul""".split()
)
# a set of first signs lets the pattern skip plain letters, three times as fast as alternatives alone
_SIGN = re.compile(
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
    """The text of a paragraph without its inline signs; `labels` are those of the link definitions."""
    first = _SIGN.search(source)
    return source if first is None else _Inline(source, labels).text(first)


class _Inline:
    """One pass over a paragraph. `_out` holds what was read, opening signs as pieces of their own to be emptied later."""

    def __init__(self, source: str, labels: frozenset[str]) -> None:
        self._source = source
        self._labels = labels
        self._place = 0
        self._out: list[str] = []
        self._brackets: list[tuple[int, int, bool]] = []  # index in _out, place after it, whether it is an image's
        self._runs: dict[str, list[int]] = {"*": [], "_": [], "~": []}  # indices of opening runs in _out
        self._ticks: dict[int, list[int]] | None = None
        self._missing: set[re.Pattern[str]] = set()
        self._last_end = -1  # of a closing tag
        self._is_annotation = False

    def text(self, first: re.Match[str]) -> str:
        source, out = self._source, self._out
        match: re.Match[str] | None = first
        while match is not None:
            sign, start = match.group(), match.start()
            out.append(source[self._place : start])
            self._place = match.end()
            _READERS[sign[0]](self, sign, start)
            match = _SIGN.search(source, self._place)
        out.append(source[self._place :])
        return "".join(out)

    def _escape(self, sign: str, _start: int) -> None:
        after = self._source[self._place : self._place + 1]
        if after in _PUNCTUATION:
            self._out.append(after)
            self._place += 1
        elif after != "\n":
            self._out.append(sign)

    def _code(self, sign: str, _start: int) -> None:
        if self._ticks is None:
            self._ticks = {}
            for run in _TICKS.finditer(self._source):
                self._ticks.setdefault(run.end() - run.start(), []).append(run.start())
        places = self._ticks.get(len(sign), [])
        following = bisect_left(places, self._place)
        if following == len(places):  # somebody forgot to open or to close it
            return
        end = places[following]
        content = " ".join(self._source[self._place : end].split()).replace(" ", GLUE)
        self._out.append(content + JOINT if content[-1:] in _STOPS else content)
        self._place = end + len(sign)

    def _entity(self, sign: str, start: int) -> None:
        entity = _ENTITY.match(self._source, start)
        if entity is None:
            self._out.append(sign)
        else:
            self._out.append(UNSEEN.sub("", html.unescape(entity.group())))
            self._place = entity.end()

    def _image(self, sign: str, start: int) -> None:
        wiki = _WIKI_LINK.match(self._source, start + 1)
        if wiki is not None:
            self._place = wiki.end()
            return
        self._brackets.append((len(self._out), self._place, True))
        self._out.append(sign)

    def _bracket(self, sign: str, start: int) -> None:
        if mark := _FOOTNOTE_MARK.match(self._source, start):
            self._place = mark.end()
        elif wiki := _WIKI_LINK.match(self._source, start):
            self._out.append(wiki.group(2) or wiki.group(1))
            self._place = wiki.end()
        else:
            self._brackets.append((len(self._out), self._place, False))
            self._out.append(sign)

    def _bracket_end(self, sign: str, start: int) -> None:
        if not self._brackets:
            self._out.append(sign)
            return
        index, begin, is_image = self._brackets.pop()
        end = self._link_end(begin, start, is_image)
        if end < 0:
            self._out.append(sign)
            return
        self._place = end
        if is_image:
            self._cut(index)
        else:
            self._out[index] = ""

    def _link_end(self, begin: int, close: int, is_image: bool) -> int:
        """Where the link or image ends whose text stands between two places; -1 if it is none."""
        source, after = self._source, close + 1
        if target := _DESTINATION.match(source, after):
            return target.end()
        label = normal_label(source[begin:close]) if close - begin <= 200 else ""
        if reference := _REFERENCE.match(source, after):
            known = normal_label(reference.group(1)) or label
            # an index of an array stands right behind a name
            is_index = begin > 1 and source[begin - 2].isascii() and source[begin - 2].isalnum()
            if is_image or known in self._labels or not is_index:
                return reference.end()
        if is_image or label in self._labels or _CODE_ONLY.match(source[begin : min(close, begin + 200)]):
            return after
        return -1

    def _cut(self, index: int) -> None:
        """Take back all that was read from an index on."""
        del self._out[index:]
        for runs in self._runs.values():
            while runs and runs[-1] >= index:
                runs.pop()
        while self._brackets and self._brackets[-1][0] >= index:
            self._brackets.pop()

    def _tag(self, sign: str, start: int) -> None:
        source = self._source
        if source.startswith("<!--", start):
            self._leave_out(sign, start, COMMENT_END)
        elif link := _AUTOLINK.match(source, start):
            self._out.append(link.group(1))
            self._place = link.end()
        elif tag := TAG.match(source, start):
            name = tag.group(2) or ""
            self._place = tag.end()
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
                self._leave_out("", self._place, CLOSING[name])
        elif declaration := _DECLARATION.match(source, start):
            self._place = declaration.end()
        else:
            self._out.append(sign)

    def _annotation(self, tag: re.Match[str]) -> str:
        """The bracket for a tag around a word that is noted above one of an Asian script: 갱신<sup>update</sup>."""
        if tag.group(1):
            is_open, self._is_annotation = self._is_annotation, False
            return ")" if is_open else ""
        before = self._source[tag.start() - 1 : tag.start()] if tag.start() else ""
        after = self._source[tag.end() : tag.end() + 1]
        closes = self._source.find("</sup>", tag.end(), tag.end() + 100) > 0
        self._is_annotation = closes and before >= "\u1100" and after.isascii() and after.isalpha()
        return "(" if self._is_annotation else ""

    def _leave_out(self, sign: str, start: int, end: re.Pattern[str]) -> None:
        """Go past the end of what begins at `start`; without one, `sign` is text."""
        found = None if end in self._missing else end.search(self._source, start)
        if found is None:
            self._missing.add(end)
            self._out.append(sign)
        else:
            self._place = found.end()

    def _brace(self, sign: str, start: int) -> None:
        if self._source.startswith("{/*", start):
            self._leave_out(sign, start, JSX_COMMENT_END)
        elif expression := _EXPRESSION.match(self._source, start):
            self._out.append(" " if not expression.group()[2:-2].strip() else "")
            self._place = expression.end()
        else:
            self._out.append(sign)

    def _run(self, sign: str, start: int) -> None:
        """Pair runs of emphasis; neighbours of CJK do not matter, as CommonMark would have it: 。**を is meant to close."""
        kind = sign[0]
        before, after = self._source[start - 1 : start] if start else "", self._source[self._place : self._place + 1]
        opens, closes = bool(after) and not after.isspace(), bool(before) and not before.isspace()
        if kind == "_":  # snake_case
            opens = opens and not before.isalnum()
            closes = closes and not (after.isalnum() and after < "\u0e00")
        left, openers = len(sign), self._runs[kind]
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
        if left and (left == len(sign) or kind != "~"):
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
