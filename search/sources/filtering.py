"""Filters and the question's language → the rows of a snapshot that are allowed, and those that are preferred."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import and_

import numpy as np

from schema.filters import Filters
from schema.results import DocumentInfo
from schema.storage import lance
from search.index.snapshot import IndexSnapshot
from search.ranking.nearness import Mask


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What the table does not say of documents.

    `modified_since` gives those whose files were modified at a time or later; `in_roots` tells whether a document is in one
    of the roots with these names.
    """

    modified_since: Callable[[datetime], Iterable[str]]
    in_roots: Callable[[Sequence[str]], Callable[[str], bool]]


def allowed_paths(where: Filters, documents: Callable[[], Iterable[DocumentInfo]], files: FileFacts) -> set[str] | None:
    """The documents that the filters allow, None for all; `documents` gives all of the index."""
    paths: set[str] | None = None
    for each in where.parts:
        if each.needs_documents:
            known = list(documents())
            named = each.as_named([d.path for d in known])
            found = {d.path for d in known if named.allows_document(d.path, d.tags, d.front_matter)}
            paths = found if paths is None else paths & found
        if each.root:
            is_inside = files.in_roots(each.root)
            paths = {path for path in ((d.path for d in documents()) if paths is None else paths) if is_inside(path)}
        if each.since is not None:
            changed = set(files.modified_since(each.since))
            paths = changed if paths is None else paths & changed
    return paths


def allowed_rows(snapshot: IndexSnapshot, where: Filters, paths: set[str] | None, only: Collection[int] | None) -> Mask:
    """The rows that the filters allow, a mask of shape (rows,); what holds words to leave out is not looked for. `paths` are
    the documents that they allow, and `only` the keys of the sections, None for all."""
    allowed = np.ones(snapshot.rows, np.bool_)
    for each in where.parts:
        if each.depth:
            allowed &= np.isin(snapshot.depth, each.depth)
        if each.clean:
            allowed &= ~snapshot.is_dirty
        if each.language:
            allowed &= np.isin(snapshot.languages, languages(each))
    if paths is not None:
        allowed &= snapshot.of_documents(paths)
    if only is not None:
        allowed &= np.isin(snapshot.keys, list(only))
    return allowed


def condition_on_rows(where: Filters, paths: set[str] | None) -> lance.Expr | None:
    """What `allowed_rows` looks for as a condition for the table, None for no condition; `paths` as there."""
    conditions: list[lance.Expr] = []
    for each in where.parts:
        if each.depth:
            conditions.append(lance.col("depth").isin(list(each.depth)))
        if each.clean:
            conditions.append(lance.col("is_dirty") == lance.lit(False))
        if each.language:
            conditions.append(lance.col("language").isin(languages(each)))
    if paths is not None:
        conditions.append(lance.col("document_path").isin(sorted(paths)) if paths else lance.lit(False))
    return reduce(and_, conditions) if conditions else None


def languages(where: Filters) -> list[str]:
    """The languages of the filters as the index stores them: pt for pt-BR; sorted, each once."""
    return sorted({code.casefold().partition("-")[0] for code in where.language})
