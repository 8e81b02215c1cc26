"""Filters and the question's language → the rows of a collection that are allowed, and those that are preferred."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

import numpy as np

from schema.filters import Filters
from schema.language import language
from schema.results import DocumentInfo
from search.collection import Collection
from search.ranking import Mask


def allowed_rows(
    collection: Collection,
    where: Filters,
    documents: Iterable[DocumentInfo],
    *,
    modified_since: Callable[[datetime], Iterable[str]],
) -> Mask:
    """A mask of shape (rows,); `modified_since` gives the documents whose files were modified at a time or later.

    `documents` are all of the index, if the filters ask for some of them.
    """
    allowed = np.ones(collection.rows, np.bool_)
    if where.depth:
        allowed &= np.isin(collection.depth, where.depth)
    if where.clean:
        allowed &= ~collection.is_dirty
    if where.needs_documents:
        kept = (d.path for d in documents if where.allows_document(d.path, d.tags, d.front_matter))
        allowed &= collection.of_documents(kept)
    if where.language:
        allowed &= np.isin(collection.languages, languages(where))
    if where.since is not None:
        allowed &= collection.of_documents(modified_since(where.since))
    return allowed


def languages(where: Filters) -> list[str]:
    """The languages that filters ask for as the index holds them: pt for pt-BR."""
    return sorted({code.casefold().partition("-")[0] for code in where.language})


def in_other_languages(collection: Collection, query: str) -> Mask | None:
    """The rows in another language than the query, a mask of shape (rows,); None where the query does not show its own.

    Rows whose language is not known are in no other. Words in kanji alone may be Japanese or Chinese.
    """
    own = language(query)
    if not own:
        return None
    return ~np.isin(collection.languages, ["", own, *(["ja"] if own == "zh" else [])])
