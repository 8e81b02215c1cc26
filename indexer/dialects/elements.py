"""Elements of HTML that are open while a text is read → those that end at a tag, as a browser ends them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import NamedTuple

#: Elements that begin a block of HTML in Markdown, and end a paragraph (CommonMark, kinds 1 and 6).
BLOCKS = frozenset(
    """address article aside blockquote body caption center col colgroup dd details dialog div dl dt fieldset figcaption
    figure footer form h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu nav ol optgroup option p param
    pre script search section style summary table tbody td textarea tfoot th thead title tr ul""".split()
)
#: Elements whose end no text within a paragraph decides. A template is one: what is in it ends no element around it.
_BLOCKS = BLOCKS | {"template"}
_CELLS = frozenset({"td", "th", "p"})
_ROWS = _CELLS | {"tr"}
_GROUPS = _ROWS | {"tbody", "thead", "tfoot"}
#: Elements that a tag of this name ends where they are the innermost block; most blocks end a paragraph.
_ENDED_BY = {
    "li": frozenset({"li", "p"}),
    "dt": frozenset({"dt", "dd", "p"}),
    "dd": frozenset({"dt", "dd", "p"}),
    "option": frozenset({"option"}),
    "td": _CELLS,
    "th": _CELLS,
    "tr": _ROWS,
    "tbody": _GROUPS,
    "thead": _GROUPS,
    "tfoot": _GROUPS,
}
_PARAGRAPH = frozenset({"p"})
_END_NO_PARAGRAPH = frozenset("body caption col colgroup head html legend link optgroup param script style title".split())
#: Elements whose closing tag may be left out.
_WITHOUT_END = frozenset().union(*_ENDED_BY.values())


def is_block(name: str) -> bool:
    """Whether an element of this name is no part of a paragraph."""
    return name in _BLOCKS


@dataclass(frozen=True, slots=True)
class Element:
    """An opening tag from `start` to `inside`. Its end counts up to the offset `reach`.

    `is_unseen`: no reader sees its contents; `is_raw`: braces in it are text.
    """

    name: str
    start: int
    inside: int
    reach: int
    is_unseen: bool = False
    is_raw: bool = False


class Unseen(NamedTuple):
    """An element that no reader sees, from its opening tag to `end`; its contents are between `inside` and `outside`."""

    start: int
    inside: int
    outside: int
    end: int


@dataclass(slots=True)
class Elements:
    """The open elements, the innermost last; where those of each name are, and the blocks. No step reads them all.

    `unseen`: how many of the open ones no reader sees; `_break`: where a tag last ended the paragraph that Markdown began.
    """

    unseen: int = 0
    _open: list[Element] = field(default_factory=list)
    _places: dict[str, list[int]] = field(default_factory=dict)
    _blocks: list[int] = field(default_factory=list)
    _raw: list[Element] = field(default_factory=list)
    _break: int = -1

    def is_in_block(self, at: int) -> bool:
        """Whether a block is open that begins before an offset."""
        return bool(self._blocks) and self._open[self._blocks[0]].start < at

    def is_raw(self, at: int) -> bool:
        """Whether an offset is in an element in which braces are text."""
        return bool(self._raw) and at <= self._raw[-1].reach

    def begin(self, element: Element, *, is_strict: bool) -> list[Unseen]:
        """Open an element, and return the unseen ones that end there; with `is_strict`, only closing tags end any."""
        ended: list[Unseen] = []
        names = frozenset() if is_strict else _ended_by(element.name)
        while self._blocks and self._open[self._blocks[-1]].name in names:
            ended += self._cut(self._blocks[-1], element.start)
        if "p" in names:
            self._break = element.start
        self._places.setdefault(element.name, []).append(len(self._open))
        if is_block(element.name):
            self._blocks.append(len(self._open))
        if element.is_raw:
            self._raw.append(element)
        self.unseen += element.is_unseen
        self._open.append(element)
        return ended

    def close(self, name: str, start: int, end: int) -> list[Unseen]:
        """Close the innermost element of a name with all in it, and return the unseen ones that end there.

        The end of an element within a paragraph, such as `</span>`, ends no block; which text is seen then is not guessed.
        """
        places = self._places.get(name, [])
        while places and self._open[places[-1]].reach < start:
            self._cut(places[-1], start)
        if not places:
            self._break = start if name == "p" else self._break
            return []
        at = places[-1]
        element = self._open[at]
        if not is_block(name) and self._blocks and self._blocks[-1] > at:
            self.unseen -= element.is_unseen
            self._open[at] = replace(element, is_unseen=False)
            return []
        ended = self._cut(at + 1, start)
        is_broken = not is_block(name) and not self._blocks and self._break > element.start
        self._cut(at, start)
        if _counts(element, start) and not is_broken:
            ended.append(Unseen(element.start, element.inside, start, end))
        return ended

    def _cut(self, at: int, start: int) -> list[Unseen]:
        """Take away the elements from a place on, and return the unseen ones among them that need no closing tag."""
        ended = []
        while len(self._open) > at:
            element = self._open.pop()
            self._places[element.name].pop()
            if is_block(element.name):
                self._blocks.pop()
            if element.is_raw:
                self._raw.pop()
            self.unseen -= element.is_unseen
            if element.name in _WITHOUT_END and _counts(element, start):
                ended.append(Unseen(element.start, element.inside, start, start))
        return ended


def _ended_by(name: str) -> Collection[str]:
    if name in _ENDED_BY:
        return _ENDED_BY[name]
    return _PARAGRAPH if name in BLOCKS and name not in _END_NO_PARAGRAPH else ()


def _counts(element: Element, end: int) -> bool:
    """Whether no reader sees an element that ends at an offset."""
    return element.is_unseen and end <= element.reach
