"""Filters and the question's language → the rows of a collection that are allowed, and those that are preferred."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

import numpy as np

from schema.filters import Filters
from schema.language import language
from search.collection import Collection
from search.ranking import Mask


def allowed_rows(collection: Collection, where: Filters, *, modified_since: Callable[[datetime], Iterable[str]]) -> Mask:
    """A mask of shape (rows,); `modified_since` gives the documents whose files were modified at a time or later."""
    allowed = np.ones(collection.rows, np.bool_)
    if where.depth:
        allowed &= np.isin(collection.depth, where.depth)
    if where.clean:
        allowed &= ~collection.is_dirty
    if where.needs_documents:
        kept = (d.path for d in collection.documents if where.allows_document(d.path, d.tags, d.front_matter))
        allowed &= collection.of_documents(kept)
    if where.language:
        wanted = {code.casefold().partition("-")[0] for code in where.language}  # pt-BR is kept as pt
        allowed &= np.isin(collection.languages, list(wanted))
    if where.since is not None:
        allowed &= collection.of_documents(modified_since(where.since))
    return allowed


def in_other_languages(collection: Collection, query: str) -> Mask | None:
    """The rows in another language than the query, a mask of shape (rows,); None where the query does not show its own.

    Rows whose language is not known are in no other. Words in kanji alone may be Japanese or Chinese.
    """
    own = language(query)
    if not own:
        return None
    return ~np.isin(collection.languages, ["", own, *(["ja"] if own == "zh" else [])])
