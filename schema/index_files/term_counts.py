"""A section's `terms` string → what it adds to the statistics of an index; several sections, added or removed → one change.

The statistics are those of a whole index that ranking needs: how many sections there are and how long their lines are, and
how many sections each term and each sentence is in.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from typing import TypeVar

from schema.text.characters import encodable
from schema.text.fields import ABOVE, FIXED_LINES, HEADING

_Key = TypeVar("_Key", str, int)
_WRAPS = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over all sections, by the lines of `schema.text.fields`.

    `heading`, `above` and `text` are the terms of the heading's line, of the line of headings above, and of the lines of
    text. `passages` counts the lines of text, and one for a section that has none; `heading_by_passages` and
    `above_by_passages` are the sums of a section's terms in that line times its passages.
    """

    rows: int = 0
    heading: int = 0
    above: int = 0
    text: int = 0
    passages: int = 0
    heading_by_passages: int = 0
    above_by_passages: int = 0


#: The names of the totals, in their order.
TOTALS = tuple(field.name for field in fields(Totals))


@dataclass(frozen=True, slots=True)
class Counted:
    """What one section adds: to the totals, and one to each of these terms and sentences."""

    totals: Totals
    terms: AbstractSet[str]
    sentences: AbstractSet[int]


def count(text: str | None) -> Counted:
    """What the section with this `terms` string adds to the statistics."""
    plain = text or ""
    if not plain.isascii():
        plain = encodable(plain)
    lines = plain.split("\n")
    lines += [""] * (FIXED_LINES - len(lines))
    words = plain.replace("\n", " ").split(" ")  # all lines at once, in half the time of one after the other
    fixed = [_words(line) for line in lines[:FIXED_LINES]]
    heading, above = fixed[HEADING], fixed[ABOVE]
    passages = max(len(lines) - FIXED_LINES, 1)
    in_text = len(words) - words.count("") - sum(fixed)
    terms = set(words)
    terms.discard("")
    sentences = {sentence_hash(line) for line in set(lines[FIXED_LINES:]) if line.strip(" ")}
    return Counted(Totals(1, heading, above, in_text, passages, heading * passages, above * passages), terms, sentences)


def sentence_hashes(text: str) -> list[int]:
    """Return the hash of each line of text of a `terms` string, in order."""
    return list(map(sentence_hash, text.split("\n")[FIXED_LINES:]))


def sentence_hash(line: str) -> int:
    """Return the hash that a line of text is counted by: 64 bits, signed, the same on every machine."""
    digest = hashlib.blake2b(line.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _words(line: str) -> int:
    words = line.split(" ")
    return len(words) - words.count("")


class Change:
    """Sections added and removed: the sums and counts by which they change the statistics, gathered until written."""

    def __init__(self) -> None:
        self.sections = 0  # added and removed
        self.totals = Counter[str]()
        self._added: tuple[Counter[str], Counter[int]] = (Counter(), Counter())
        self._removed: tuple[Counter[str], Counter[int]] = (Counter(), Counter())

    def add(self, texts: Iterable[str | None]) -> None:
        """Add new sections."""
        for text in texts:
            self._take(text, self._added, 1)

    def replace(self, removed: Iterable[str | None], added: Iterable[str | None]) -> None:
        """Replace sections by others; sections that are in both cost almost nothing."""
        gone = Counter(removed)
        for text in added:
            if gone[text] > 0:
                gone[text] -= 1
            else:
                self._take(text, self._added, 1)
        for text in gone.elements():
            self._take(text, self._removed, -1)

    def include(self, other: Change) -> None:
        """Add another change to this one."""
        self.sections += other.sections
        self.totals.update(other.totals)
        for mine, theirs in ((self._added, other._added), (self._removed, other._removed)):
            mine[0].update(theirs[0])
            mine[1].update(theirs[1])

    def terms(self) -> dict[str, int]:
        """By how much the number of sections of each term changes."""
        return _net(self._added[0], self._removed[0])

    def sentences(self) -> dict[int, int]:
        """By how much the number of sections of each sentence changes."""
        return _net(self._added[1], self._removed[1])

    def _take(self, text: str | None, into: tuple[Counter[str], Counter[int]], sign: int) -> None:
        counted = count(text)
        into[0].update(counted.terms)
        into[1].update(counted.sentences)
        self.sections += 1
        for name in TOTALS:
            self.totals[name] += sign * getattr(counted.totals, name)


def _net(added: Counter[_Key], removed: Counter[_Key]) -> dict[_Key, int]:
    net = dict(added)
    for key, less in removed.items():
        net[key] = net.get(key, 0) - less
    return net


class Sums:
    """All sections in a few numbers. If those of a file are equal, every count in it is right with near certainty."""

    def __init__(self) -> None:
        self.totals = Counter[str]()
        self.terms = self.sentences = 0

    def take(self, text: str | None) -> None:
        """Add a section by its `terms` string."""
        counted = count(text)
        for name in TOTALS:
            self.totals[name] += getattr(counted.totals, name)
        self.terms = checksum(((term, 1) for term in counted.terms), self.terms)
        self.sentences = checksum(((key, 1) for key in counted.sentences), self.sentences)


def checksum(counts: Iterable[tuple[str, int]] | Iterable[tuple[int, int]], begin: int = 0) -> int:
    """The sum of counts, each times a hash of what is counted; the same in any order, but only within one process."""
    return (begin + sum(hash(key) * times for key, times in counts)) & _WRAPS
