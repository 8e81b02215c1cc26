"""`Overview`: numbers about the sections of an index: sizes beside the model's window, near-duplicates, facets, what is old.

What depends on one version of the index alone is computed once; whether files have changed since is looked up every time.
"""

from __future__ import annotations

import posixpath
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from schema.protocols import Vectors

if TYPE_CHECKING:
    from schema.results import DocumentInfo
    from search.engine import SearchEngine
    from search.index.survey import Survey
    from search.sources.base import Source

_LARGEST = 20
#: Pairs with at least this cosine are copies, or differ in hardly a word: with one word replaced by a foreign one, the
#: median of 92 sections was .96, and no two different sections had more than .74 (sample_docs, default model).
NEAR = 0.98
_MOST_PAIRS = 50
#: Sections that are compared with each other, which takes a third of a second; of a larger index, a sample of this size.
MAX_COMPARED = 20_000
#: Sections with fewer tokens ("See above.") are not compared: they are similar without being copies.
_LEAST_TOKENS = 16
_BLOCK = 256
#: Directions in which vectors are compared first, and how many candidates of one block are compared in all directions.
_DIRECTIONS, _MOST_CANDIDATES = 48, 20_000
_MOST_TAGS, _MOST_FOLDERS = 100, 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """How many sections have `least`..`most` tokens, both included; `most` is None for the last bucket."""

    least: int
    most: int | None
    sections: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionSize:
    """A section and its size in tokens; `start_line` is 1-based."""

    id: str
    document_path: str
    heading: str
    anchor: str
    start_line: int
    token_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPair:
    """Two sections whose vectors are nearly the same; `cosine` is at least `NEAR`."""

    cosine: float
    first: SectionSize
    second: SectionSize


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsettled:
    """A document with sections whose vectors are older than their texts, or whose file has changed since it was indexed."""

    path: str
    dirty: int
    stale: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A value to filter by and how much has it: documents for a tag, sections for a language or a folder ("docs/")."""

    value: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Numbers about the sections of an index; tokens are counted in the index's encoding.

    `window_tokens` is what the model reads at once, in its own tokens and without its special ones (254 for the default
    model); for most texts both counts are nearly the same. The `over_window` longer sections are searched by several
    windows. `histogram` covers all sections. `near_duplicates` are the nearest of the `compared` sections, at most 50 pairs,
    nearest first; those with fewer than 16 tokens are not compared. Facets have the most frequent values first.
    """

    documents: int
    sections: int
    tokens: int
    dirty: int
    window_tokens: int
    over_window: int
    histogram: tuple[Bucket, ...]
    largest: tuple[SectionSize, ...]
    compared: int
    near_duplicates: tuple[NearPair, ...]
    unsettled: tuple[Unsettled, ...]
    tags: tuple[Facet, ...]
    languages: tuple[Facet, ...]
    folders: tuple[Facet, ...]


@dataclass(frozen=True, slots=True)
class _VersionFacts:
    """The part of an overview that depends on one version of the index alone."""

    compared: int
    near_duplicates: tuple[NearPair, ...]
    largest: tuple[SectionSize, ...]
    tags: tuple[Facet, ...]
    languages: tuple[Facet, ...]
    folders: tuple[Facet, ...]


#: By version, and dropped with it.
_facts_of_version: WeakKeyDictionary[Survey, _VersionFacts] = WeakKeyDictionary()
_computing = threading.Lock()


def overview(engine: SearchEngine) -> Overview:
    """The overview of the newest version of an index."""
    return engine.read(lambda source: _overview_of(engine, source))


def _overview_of(engine: SearchEngine, source: Source) -> Overview:
    survey, documents = source.survey, source.documents.all
    with _computing:
        facts = _facts_of_version.get(survey)
        if facts is None:
            facts = _facts_of_version[survey] = _version_facts(survey, documents)
    window = engine.window_tokens
    return Overview(
        documents=len(documents),
        sections=survey.rows,
        tokens=int(survey.token_count.sum()),
        dirty=int(np.count_nonzero(survey.is_dirty)),
        window_tokens=window,
        over_window=int(np.count_nonzero(survey.token_count > window)),
        histogram=_histogram(survey.token_count, window),
        unsettled=_unsettled(survey, engine.states([document.path for document in documents]).stale),
        compared=facts.compared,
        near_duplicates=facts.near_duplicates,
        largest=facts.largest,
        tags=facts.tags,
        languages=facts.languages,
        folders=facts.folders,
    )


def _version_facts(survey: Survey, documents: Sequence[DocumentInfo]) -> _VersionFacts:
    rows = np.flatnonzero(~survey.is_dirty & (survey.token_count >= _LEAST_TOKENS)).astype(np.int64)
    if len(rows) > MAX_COMPARED:
        rows = rows[np.linspace(0, len(rows) - 1, MAX_COMPARED).astype(np.int64)]
    rows, vectors = survey.section_vectors(rows)
    pairs = near_pairs(vectors)
    order = np.argsort(-survey.token_count, kind="stable")[:_LARGEST].tolist()
    wanted = list(dict.fromkeys([*order, *(int(rows[index]) for _, *both in pairs for index in both)]))
    size = dict(zip(wanted, _sizes(survey, wanted), strict=True))
    return _VersionFacts(
        compared=len(rows),
        near_duplicates=tuple(
            NearPair(cosine=round(cosine, 4), first=size[int(rows[first])], second=size[int(rows[second])])
            for cosine, first, second in pairs
        ),
        largest=tuple(size[row] for row in order),
        tags=_facets(Counter(_tags(documents)), most=_MOST_TAGS),
        languages=_facets(dict(survey.languages())),
        folders=_facets(_folders(documents), most=_MOST_FOLDERS),
    )


def _sizes(survey: Survey, rows: list[int]) -> list[SectionSize]:
    return [
        SectionSize(
            id=section.id,
            document_path=section.document_path,
            heading=section.name,
            anchor=section.anchor,
            start_line=section.start_line,
            token_count=section.token_count,
        )
        for section in survey.sections(rows)
    ]


def _histogram(counts: npt.NDArray[np.integer], window: int) -> tuple[Bucket, ...]:
    """How many sections each bucket has: three buckets below the window, one up to it, four beyond, each twice as wide."""
    upper = sorted(
        {max(1, window // 8), max(1, window // 4), max(1, window // 2), window, window * 2, window * 4, window * 8}
    )
    found = np.bincount(np.searchsorted(upper, counts), minlength=len(upper) + 1).tolist()
    lower = [0, *(most + 1 for most in upper)]
    return tuple(
        Bucket(least=least, most=most, sections=sections)
        for least, most, sections in zip(lower, (*upper, None), found, strict=True)
    )


def _unsettled(survey: Survey, stale: frozenset[str]) -> tuple[Unsettled, ...]:
    dirty = Counter(survey.paths(np.flatnonzero(survey.is_dirty)))
    return tuple(Unsettled(path=path, dirty=dirty[path], stale=path in stale) for path in sorted(stale.union(dirty)))


def _tags(documents: Sequence[DocumentInfo]) -> Iterable[str]:
    """Each document's tags; spellings that differ in case are one tag, in the spelling that comes first."""
    spelt: dict[str, str] = {}
    for document in documents:
        own = {tag.casefold(): tag for tag in reversed(document.tags)}
        for folded, tag in own.items():
            yield spelt.setdefault(folded, tag)


def _folders(documents: Sequence[DocumentInfo]) -> Counter[str]:
    """How many sections each folder holds, those below it included; without folders that hold every document."""
    folders = [posixpath.dirname(document.path) for document in documents]
    common = posixpath.commonpath(folders) if folders else ""
    found: Counter[str] = Counter()
    for document, folder in zip(documents, folders, strict=True):
        below = [part for part in posixpath.relpath(folder or ".", common or ".").split("/") if part != "."]
        for depth in range(1, len(below) + 1):
            found[posixpath.join(common, *below[:depth]) + "/"] += document.section_count
    return found


def _facets(counted: Mapping[str, int], *, most: int | None = None) -> tuple[Facet, ...]:
    order = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Facet(value=value, count=count) for value, count in order[:most])


def near_pairs(vectors: Vectors, *, least: float = NEAR, most: int = _MOST_PAIRS) -> list[tuple[float, int, int]]:
    """The nearest pairs of unit vectors, shape (count, dimension), as (cosine, first, second), nearest first.

    Exact, except that in indexes full of copies the very nearest may be missed. By the Cauchy-Schwarz inequality a cosine
    is at most the dot product in some orthonormal directions plus the product of the lengths of what is left; in the
    directions in which the vectors differ most this rules out nearly every pair at an eighth of the cost.
    """
    bounds = _bounds(vectors)
    found: list[tuple[float, int, int]] = []
    floor = least
    for start in range(0, len(vectors), _BLOCK):
        block = bounds[start : start + _BLOCK] @ bounds[start:].T
        width = block.shape[1]
        cells = np.flatnonzero(block >= floor - 1e-4)
        firsts, seconds = cells // width, cells % width
        is_pair = np.flatnonzero(seconds > firsts)[:_MOST_CANDIDATES]
        firsts, seconds = firsts[is_pair] + start, seconds[is_pair] + start
        cosines = np.einsum("ij,ij->i", vectors[firsts], vectors[seconds])
        kept = np.flatnonzero(cosines >= floor)
        kept = kept[np.argsort(-cosines[kept], kind="stable")[:most]]
        near = np.minimum(cosines[kept], 1.0)
        found += zip(near.tolist(), firsts[kept].tolist(), seconds[kept].tolist(), strict=True)
        found = sorted(found, key=lambda pair: (-pair[0], pair[1:]))[:most]
        if len(found) == most:
            floor = found[-1][0]
            if floor > 1 - 1e-6:
                break
    return found


def _bounds(vectors: Vectors) -> Vectors:
    """Shape (count, directions + 1): the vectors in the directions in which they differ most, and the length of the rest."""
    count, dimension = vectors.shape
    sample = vectors[:: max(1, count // 2000)]
    _, directions = np.linalg.eigh(sample.T @ sample)
    main = vectors @ directions[:, max(0, dimension - _DIRECTIONS) :].astype(np.float32)
    rest = np.sqrt(np.maximum(0.0, 1.0 - np.einsum("ij,ij->i", main, main)))
    return np.hstack((main, rest[:, None])).astype(np.float32)
