"""What is asked about changes → the answer: since a moment, since the last run that changed something, or since a commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from schema import arguments
from schema.changes import Changes
from schema.errors import ArgumentError, QueryError
from schema.filters import Filters, moment
from schema.index_files.roots import IndexRoots
from schema.requests import MOST_CHANGES
from schema.storage.table import SectionTable
from search.changes.commits import changes_since_commit
from search.changes.since import changes_since


def find_changes(
    table: SectionTable,
    roots: Callable[[Mapping[str, str]], IndexRoots],
    *,
    since: str | datetime | None,
    since_commit: str | None,
    path: str | Sequence[str],
    limit: int,
    max_bytes: int,
) -> Changes:
    """Return the changes of one version of an index, at most `limit` sections.

    Raises:
        QueryError: a value makes no sense, or there is nothing to compare with.
        ArgumentError: a value is of the wrong type or out of its range, or both a moment and a commit are given.
    """
    arguments.whole("limit", limit, least=1, most=MOST_CHANGES)
    if since is not None and since_commit is not None:
        raise ArgumentError("Give since or since_commit, not both.")
    if since_commit is not None:
        arguments.text("since_commit", since_commit)
    where = Filters.of({"path": path or None, "since": since})
    if since_commit is not None:
        return changes_since_commit(
            table, roots, since_commit, allows=where.allows_document, limit=limit, max_bytes=max_bytes
        )
    begin = moment(since) if isinstance(since, str) else since
    try:
        begin = begin and begin.astimezone(UTC)
    except OverflowError as error:
        raise QueryError("The moment is beyond the years 1 to 9999.") from error
    return changes_since(table, begin, allows=where.allows_document, limit=limit)
