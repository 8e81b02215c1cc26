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
from search.ranking.query import Query
from search.ranking.rank import Ranking
from search.ranking.releases import asks_for_changes

#: The best rows that are looked at, and the share of its score that a section of an older version loses.
_CLOSE_ROWS, _SHARE = 100, 0.2
#: Pages of each folder that are looked for in newer versions.
_MOST_PAGES = 8
#: A folder named after a version: v2, version-1.4, release-1.10, 2.x. A bare whole number may be a chapter, 2024.11 a month.
_FOLDER = re.compile(
    r"(?:(?:v|version|ver|release|rel)[-_.]?(?=\d)|(?=\d+\.))(\d{1,3}(?:\.\d{1,4}){0,3})(?:\.x)?", re.IGNORECASE
)
#: Folders in which the newest version stands beside the others.
_NEWEST = ("latest", "stable", "current", "main", "master", "dev", "next")
#: Docusaurus keeps earlier versions of `docs/` in `versioned_docs/`.
_VERSIONED = re.compile(r"(^|.*[/_-])versioned_(\w+)/$")
#: Pages that every folder has tell nothing of what another one is.
_ANYWHERE = re.compile(r"(?:index|readme|summary|_index|_?sidebar)\.\w+", re.IGNORECASE)
#: Numbers that a question means a version by; a bare whole number does so behind a word of versions, or at the end.
_PARTS = r"\d{1,4}(?:\.\d{1,4}){0,3}"
_NUMBER = re.compile(
    rf"(?<![a-z0-9_.])(?:v({_PARTS})|(\d{{1,4}}(?:\.\d{{1,4}}){{1,3}}|\d{{1,4}}(?=\.x))|(\d{{1,4}})(?=\W*$))(?:\.x)?(?![a-z0-9_]|\.\d)"
    rf"|(?:\b(?:version|ver|release|from|to|in)\.? ?|バージョン ?|버전 ?)({_PARTS})(?![a-z0-9_])",
    re.IGNORECASE,
)

#: Paths → those that are documents of the index.
Known = Callable[[Sequence[str]], Collection[str]]


class Versioned(NamedTuple):
    """A document below a version's folder: what stands before that folder, its name, its numbers, and the page in it."""

    root: str
    folder: str
    version: tuple[int, ...]
    page: str

    @property
    def key(self) -> tuple[str, str]:
        """What tells the folder from others."""
        return self.root, self.folder

    def newer(self, folders: Mapping[str, Collection[Versioned]]) -> Iterator[str]:
        """The paths that the same page has in newer versions; `folders` has the documents of versions by their roots."""
        yield self.root + self.page
        others = (other.folder for other in folders[self.root] if other.version > self.version)
        yield from (f"{self.root}{folder}/{self.page}" for folder in (*_NEWEST, *dict.fromkeys(others)))
        if _VERSIONED.match(self.root):
            yield _VERSIONED.sub(r"\1\2/", self.root) + self.page


def versioned(path: str) -> Versioned | None:
    """How a path names a version; None if it names none.

    >>> versioned("docs/v2/servers/tools.md")
    Versioned(root='docs/', folder='v2', version=(2,), page='servers/tools.md')
    >>> versioned("docs/2024/notes.md") is None
    True
    """
    begin = 0
    while (end := path.find("/", begin)) >= 0:
        found = _FOLDER.fullmatch(path, begin, end)
        if found is not None:
            return Versioned(path[:begin], found[0], _parts(found[1]), path[end + 1 :])
        begin = end + 1
    return None


def behind_newer(snapshot: IndexSnapshot, query: Query, ranking: Ranking, known: Known) -> Ranking:
    """Return the ranking in which sections of older versions lose a fifth of their scores, as the part "version".

    A version is older if a newer one has one of its pages too: one with a higher number beside it, or the newest, which
    stands outside of such folders or in one named "latest" and the like. `known` tells which documents there are. Where the
    question names a version, those of the others lose it; none does where it names several or asks for changes.
    """
    rows = ranking.order[:_CLOSE_ROWS].tolist()
    paths = [snapshot.path(row) for row in rows]
    places = [versioned(path) for path in paths]
    found = list(dict.fromkeys(filter(None, places)))
    if not found:
        return ranking
    asked = {_parts(next(filter(None, match.groups()))) for match in _NUMBER.finditer(compatible(query.text))}
    named = {place.key for place in found if any(_is_same(place.version, version) for version in asked)}
    if not named:
        older = _older(found, known)
        behind = [row for row, place in zip(rows, places, strict=True) if place and place.key in older]
    elif len(asked) > 1 or asks_for_changes(query):
        return ranking
    else:
        roots = tuple({root for root, _ in named})
        others = zip(rows, paths, places, strict=True)
        behind = [row for row, path, place in others if path.startswith(roots) and (not place or place.key not in named)]
    if not behind:
        return ranking
    taken = np.zeros(len(ranking.total))
    taken[behind] = _SHARE * ranking.total[behind]
    return ranking.plus("version", -taken)


def _older(places: Sequence[Versioned], known: Known) -> set[tuple[str, str]]:
    """The folders of versions, as what stands before them and their names, of which a newer version has a page too."""
    folders: dict[str, list[Versioned]] = {}
    for place in places:
        folders.setdefault(place.root, []).append(place)
    looked_at = Counter[tuple[str, str]]()
    newer: dict[str, set[tuple[str, str]]] = {}
    for place in places:
        if _ANYWHERE.fullmatch(place.page) or looked_at[place.key] == _MOST_PAGES:
            continue
        looked_at[place.key] += 1
        for path in place.newer(folders):
            newer.setdefault(path, set()).add(place.key)
    return set().union(*map(newer.__getitem__, known(list(newer)))) if newer else set()


def _is_same(version: Sequence[int], asked: Sequence[int]) -> bool:
    """Whether a version is the one asked for, as far as both tell."""
    return all(one == other for one, other in zip(version, asked, strict=False))


def _parts(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split(".")))
