"""Sections of an older version of the documentation → behind those of the newest.

Sites keep the documentation of earlier versions in folders named after them (`docs/v2/`, `versioned_docs/version-1.4/`),
with nearly the same pages. Who names no version asks about the newest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from schema.text.normal_form import compatible
from search.index.snapshot import IndexSnapshot
from search.ranking.query import QUOTED, Query
from search.ranking.rank import Ranking
from search.ranking.releases import asks_for_changes

#: The best rows that are looked at, the share of its score that a section of an older version loses, and what more it loses
#: for each version between that and the newest one, for so many at most.
_CLOSE_ROWS, _SHARE, _STEP, _MOST_STEPS = 100, 0.2, 0.02, 3
#: Pages of each folder that are looked for in newer versions, and how many of a folder without a word of versions must be
#: there: 1.1 may be a chapter.
_MOST_PAGES, _LEAST_OF_BARE = 8, 2
#: A folder named after a version: v2, version-1.4, release-1.10, 2.x. A bare whole number may be a chapter, 2024.11 a month,
#: and four numbers are an address.
_FOLDER = re.compile(
    r"(?P<word>v|version|ver|release|rel)?(?(word)[-_.]?|(?=\d+\.))(?P<number>\d{1,3}(?:\.\d{1,4}){0,2})(?P<line>\.x)?",
    re.IGNORECASE,
)
#: Stands for the newest of a line, as in 2.x.
_ANY = 10_000
#: Folders in which the newest version stands beside the others. What is in dev, next or main is not released yet.
_NEWEST = ("latest", "stable", "current")
#: Pages that every folder has tell nothing of what another one is.
_ANYWHERE = re.compile(r"(?:index|readme|summary|_index|_?sidebar)\.\w+", re.IGNORECASE)
#: Numbers by which a question names a version: surely; at its end; and others, which may be of anything.
_PARTS = r"[0-9]{1,4}(?:\.[0-9]{1,4}){0,2}"
_NAMED = re.compile(
    rf"(?<![a-z0-9_./-])v({_PARTS})(?:\.x)?(?![a-z0-9_]|\.[0-9])|(?<![a-z0-9_./-])([0-9]{{1,4}}(?:\.[0-9]{{1,4}})?)\.x(?![a-z0-9_])"
    rf"|(?:\b(?:version|ver|release)\.? ?|バージョン ?|버전 ?)({_PARTS})(?![a-z0-9_]|\.[0-9])"
    rf"|\b(?:from|to|in) ({_PARTS})[?!. ]*$",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![a-z0-9_./-])([0-9]{1,3}(?:\.[0-9]{1,4}){1,2})(?![a-z0-9_]|\.[0-9])", re.IGNORECASE)

#: Paths → those that are documents of the index.
Known = Callable[[Sequence[str]], Collection[str]]


class Versioned(NamedTuple):
    """A document below a version's folder: what stands before that folder, its name, its numbers, and the page in it.

    `is_bare`: no word says that the number is a version.
    """

    root: str
    folder: str
    version: tuple[int, ...]
    page: str
    is_bare: bool

    @property
    def key(self) -> tuple[str, str]:
        """What tells the folder from others."""
        return self.root, self.folder

    def newest(self) -> Iterator[str]:
        """The paths that the same page has where it is of the newest version."""
        yield self.root + self.page
        yield from (f"{self.root}{folder}/{self.page}" for folder in _NEWEST)

    def newer(self, others: Sequence[Versioned]) -> Iterator[str]:
        """The paths that the same page has in the folders with higher numbers among others of the same root."""
        folders = dict.fromkeys(other.folder for other in others if other.version > self.version)
        yield from (f"{self.root}{folder}/{self.page}" for folder in folders)


def versioned(path: str) -> Versioned | None:
    """How a path names a version; None if it names none.

    >>> versioned("docs/v2/servers/tools.md")
    Versioned(root='docs/', folder='v2', version=(2,), page='servers/tools.md', is_bare=False)
    >>> versioned("docs/2024/notes.md") is None
    True
    """
    begin = 0
    while (end := path.find("/", begin)) >= 0:
        found = _FOLDER.fullmatch(path, begin, end)
        if found is not None:
            version = _parts(found["number"]) + ((_ANY,) if found["line"] else ())
            return Versioned(path[:begin], found[0], version, path[end + 1 :], found["word"] is None)
        begin = end + 1
    return None


def behind_newer(snapshot: IndexSnapshot, query: Query, ranking: Ranking, known: Known) -> Ranking:
    """Return the ranking in which sections of older versions lose a fifth of their scores or a little more, as the part
    "version".

    A version is older if a newer one has its pages too: one with a higher number beside it, or the newest, which stands
    outside of such folders or in one named "latest" and the like. `known` tells which documents there are. Where the
    question names a version, the same pages of the others lose it; none does where it names several or asks for changes.
    """
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    paths = [snapshot.path(row) for row in rows]
    places = [versioned(path) for path in paths]
    found = list(dict.fromkeys(filter(None, places)))
    if not found or asks_for_changes(query):
        return ranking
    named, is_several = _named(query, found)
    if is_several:
        return ranking
    if named:
        others = _pages_of(named, [path for path, place in zip(paths, places, strict=True) if place is None], known)
        roots = {root for root, _ in named}
        shares = {place.key: _SHARE for place in found if place.root in roots and place.key not in named}
    else:
        others, shares = set(), _older(found, known)
    taken = np.zeros(len(ranking.total))
    for row, path, place in zip(rows, paths, places, strict=True):
        taken[row] = ranking.total[row] * (shares.get(place.key, 0.0) if place else _SHARE * (path in others))
    return ranking.plus("version", -taken) if taken.any() else ranking


def _named(query: Query, found: Sequence[Versioned]) -> tuple[set[tuple[str, str]], bool]:
    """The folders of the version that a question names, and whether it names several."""
    text = compatible(QUOTED.sub(" ", query.text))
    sure = {_parts(next(filter(None, match.groups()))) for match in _NAMED.finditer(text)}
    named = {place.key for place in found for version in sure if _is_same(place.version, version)}
    exact = {_parts(number) for number in _NUMBER.findall(text)}
    named |= {place.key for place in found if place.version in exact}
    return named, len(sure) > 1


def _pages_of(named: Collection[tuple[str, str]], paths: Sequence[str], known: Known) -> set[str]:
    """Those of some paths outside of folders of versions whose pages the named folders have too."""
    asked = {
        f"{root}{folder}/{path[len(root) :]}": path for root, folder in named for path in paths if path.startswith(root)
    }
    return {asked[path] for path in known(list(asked))} if asked else set()


def _older(found: Sequence[Versioned], known: Known) -> dict[tuple[str, str], float]:
    """The share that sections lose in each folder, by its key, of a version of which newer ones have the pages too."""
    by_root: dict[str, list[Versioned]] = {}
    for place in found:
        by_root.setdefault(place.root, []).append(place)
    looked_at = Counter[tuple[str, str]]()
    asked: dict[str, list[Versioned]] = {}
    for place in found:
        if _ANYWHERE.fullmatch(place.page) or looked_at[place.key] == _MOST_PAGES:
            continue
        looked_at[place.key] += 1
        for path in (*place.newest(), *place.newer(by_root[place.root])):
            asked.setdefault(path, []).append(place)
    there = known(list(asked)) if asked else ()
    pages: dict[tuple[str, str], set[str]] = {}
    sure = set()
    for path in there:
        for place in asked[path]:
            pages.setdefault(place.key, set()).add(place.page)
            if not place.is_bare or path in place.newest():
                sure.add(place.key)
    older = {key for key, some in pages.items() if key in sure or len(some) >= _LEAST_OF_BARE}
    versions = {place.key: place.version for place in found}
    return {key: _SHARE + _STEP * min(_above(key, older, versions), _MOST_STEPS) for key in older}


def _above(
    key: tuple[str, str], older: Collection[tuple[str, str]], versions: Mapping[tuple[str, str], tuple[int, ...]]
) -> int:
    """How many of the older versions of the same root have a higher number."""
    return sum(other[0] == key[0] and versions[other] > versions[key] for other in older)


def _is_same(version: Sequence[int], asked: Sequence[int]) -> bool:
    """Whether a version is the one asked for, as far as both tell."""
    return all(one in (other, _ANY) for one, other in zip(version, asked, strict=False))


def _parts(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split(".")))
