"""One pass over a text: where markup of a dialect begins → its end, and what of it is hidden.

Every rule reads from where it begins. What a rule reads in vain is counted, so that a hostile text cannot make it read the
same characters again and again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from indexer.dialects.elements import Elements, Unseen

#: Characters that all rules together may read without finding an end; afterwards what has no end is text.
_READ_IN_VAIN = 500_000
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


@dataclass(slots=True)
class Scan:
    """A text that is read, with each line end as "\\n", and what was found in it.

    As pairs of offsets: `hidden`, parts that are markup alone; `opaque`, parts in which no heading begins, such as the code
    of a shortcode; `fences`, fenced code. `definitions`: where those of links begin, and lists of contents. `tags`: names
    that the text itself is tagged with. `is_mdx`: every tag is a component or an element, and braces hold an expression.
    `closed`: the names of all closing tags; `last_code`: where the last line of indented code begins. `unseen`: elements
    that no reader sees; `elements`: the open ones. `raw_end`: where a container ends in which braces are text; `html_end`:
    where HTML that nobody sees ends, in which nothing is Markdown; `closings`: where fences end whose contents are Markdown;
    `highlight_end`: where the mark is that ends a highlight. `inline`: by the name of an element within lines, whether each
    open one is shown.
    """

    text: str
    is_mdx: bool = False
    hidden: list[tuple[int, int]] = field(default_factory=list)
    opaque: list[tuple[int, int]] = field(default_factory=list)
    fences: list[tuple[int, int]] = field(default_factory=list)
    definitions: list[int] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    closed: frozenset[str] | None = None
    last_code: int = -1
    unseen: list[Unseen] = field(default_factory=list)
    elements: Elements = field(default_factory=Elements)
    raw_end: int = -1
    html_end: int = -1
    closings: set[int] = field(default_factory=set)
    highlight_end: int = -1
    inline: dict[str, list[bool]] = field(default_factory=dict)
    _left: int = _READ_IN_VAIN
    _without: dict[str, int] = field(default_factory=dict)
    _line: tuple[int, int] = (0, -1)
    _next: dict[re.Pattern[str], tuple[int, int]] = field(default_factory=dict)

    def hide(self, start: int, end: int, *, is_opaque: bool = False) -> int:
        """Hide a part of the text and return its end."""
        if start < end:
            self.hidden.append((start, end))
            if is_opaque:
                self.opaque.append((start, end))
        return end

    def find(self, wanted: str, start: int) -> int:
        """Return where `wanted` is found from `start` on, -1 for nowhere; each is looked for in vain only once."""
        if self._without.get(wanted, len(self.text) + 1) <= start:
            return -1
        found = self.text.find(wanted, start)
        if found < 0:
            self._without[wanted] = start
        return found

    def search(self, wanted: str, start: int) -> re.Match[str] | None:
        """Return where a regular expression matches from `start` on; each is looked for in vain only once."""
        if self._without.get(wanted, len(self.text) + 1) <= start:
            return None
        found = re.compile(wanted).search(self.text, start)
        if found is None:
            self._without[wanted] = start
        return found

    def afford(self, characters: int) -> bool:
        """Count characters that were read in vain; whether more may be."""
        self._left -= characters
        return self._left > 0

    def line(self, offset: int) -> tuple[int, int]:
        """Return where the line of an offset begins and ends, its line end left out."""
        if not self._line[0] <= offset <= self._line[1]:
            end = self.text.find("\n", offset)
            self._line = self.text.rfind("\n", 0, offset) + 1, len(self.text) if end < 0 else end
        return self._line

    def before_blanks(self, offset: int) -> int:
        """Return where the blanks and line ends before an offset begin."""
        while offset > 0 and self.text[offset - 1] in " \t\n":
            offset -= 1
        return offset

    def paragraph_end(self, offset: int) -> int:
        """Return where the next blank line begins."""
        return self.next(_BLANK_LINE, offset)

    def next(self, wanted: re.Pattern[str], offset: int) -> int:
        """Return where the next match of a pattern begins, or the end of the text; no part is searched twice."""
        first, found = self._next.get(wanted, (0, -1))
        if not first <= offset <= found:
            match = wanted.search(self.text, offset)
            found = len(self.text) if match is None else match.start()
            self._next[wanted] = offset, found
        return found


@dataclass(frozen=True, slots=True)
class Rule:
    """Where some markup may begin, and what it is.

    `pattern` is a regular expression without groups; `take` gets the scan and the offsets of its match, hides what is
    markup, and returns the offset after it; None if there is no such markup here. `first` are the characters that a match
    can begin with; without them the pattern begins with "^".
    """

    pattern: str
    take: Callable[[Scan, int, int], int | None]
    first: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules in the order of their precedence. `begins` matches where one of them does, with a group for each rule.

    `candidate` finds where one may begin, and little else: a character that some rule begins with, or a line end before a
    line that another one matches. Asking `begins` about every character of a text would cost ten times as much.
    """

    rules: tuple[Rule, ...]
    begins: re.Pattern[str]
    candidate: re.Pattern[str]

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> Rules:
        """Return rules with their patterns."""
        lines = "|".join(rule.pattern for rule in rules if not rule.first)
        firsts = re.escape("".join(dict.fromkeys("".join(rule.first for rule in rules))))
        begins = re.compile("|".join(f"({rule.pattern})" for rule in rules), re.MULTILINE)
        return cls(tuple(rules), begins, re.compile(rf"[{firsts}\n](?:(?<!\n)|(?={lines}))", re.MULTILINE))


def run(scan: Scan, rules: Rules) -> None:
    """Read the whole text. Of two rules that begin at one offset, the first has precedence."""
    text, begins, candidate = scan.text, rules.begins.match, rules.candidate.search
    takes = [rule.take for rule in rules.rules]
    start = 0
    while True:
        match = begins(text, start)
        at = start + 1
        if match is not None:
            at = max(at, takes[(match.lastindex or 1) - 1](scan, start, match.end()) or 0)
        found = candidate(text, at - 1 if text.startswith("\n", at - 1) else at)
        if found is None:
            return
        start = found.start() + text.startswith("\n", found.start())


def given_span(found: re.Match[str]) -> tuple[int, int]:
    """Return where the first group begins and ends that a match has: one of several kinds of quotes."""
    return next(found.span(number) for number, text in enumerate(found.groups(), 1) if text is not None)


def merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans in order, those that touch or overlap as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def within(spans: Sequence[tuple[int, int]], starts: Sequence[int], start: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of merged spans between two offsets, counted from `start`; `starts` are where the spans begin."""
    found = []
    for first, last in spans[max(0, bisect_right(starts, start) - 1) :]:
        if first >= end:
            break
        if last > start:
            found.append((max(first, start) - start, min(last, end) - start))
    return found
