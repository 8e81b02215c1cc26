"""One version of an index → the sections that were added, changed or removed since a moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from schema.changes import ChangedSection, ChangeKind, Changes, by_document, counted
from schema.errors import QueryError
from schema.index_files.changes import RecordedChanges, read_changes
from schema.index_files.layout import changes_path
from schema.storage.lance import col, lit
from schema.storage.rows import LINK_COLUMNS, to_link
from schema.storage.table import SectionTable

#: The columns of a changed section.
COLUMNS = (*LINK_COLUMNS, "created_at", "updated_at")
#: Sections that are looked up at once.
_PORTION = 500


def changes_since(table: SectionTable, since: datetime | None, *, allows: Callable[[str], bool], limit: int) -> Changes:
    """Return what changed since a moment, None for the last run that changed something, in documents that are allowed.

    `table` does not move. A section counts as added if it was made since then, and as changed if its text was.

    Raises:
        QueryError: no run is known that changed something.
    """
    said = read_changes(changes_path(table.store_dir), store_id=table.store_id, since=since)
    if since is None:
        if not said.runs:
            raise QueryError("The index does not know yet when a run changed something; ask with --since.")
        since = said.runs[0]
    newer = lit(since.astimezone(UTC).replace(tzinfo=None))
    rows = table.retrieval.columns_where(COLUMNS, col("updated_at") >= newer).to_pylist()
    found = [changed_section(row, "added" if _utc(row["created_at"]) >= since else "changed") for row in rows]
    found += _still_gone(table, said, since)
    found = [section for section in found if allows(section.document_path)]
    documents, omitted = by_document(found, limit=limit)
    return Changes(
        documents=documents,
        since=since,
        counts=counted(found),
        omitted=omitted,
        removed_since=said.complete_since,
    )


def changed_section(row: dict[str, Any], kind: ChangeKind) -> ChangedSection:
    """The record of a row with at least `COLUMNS`."""
    link = to_link(row)
    return ChangedSection(
        id=link.id,
        document_path=link.document_path,
        heading=link.heading,
        kind=kind,
        at=_utc(row["updated_at"]),
        anchor=link.anchor,
        depth=link.depth,
        start_line=link.start_line,
        end_line=link.end_line,
        position=link.position,
    )


def _still_gone(table: SectionTable, said: RecordedChanges, since: datetime) -> list[ChangedSection]:
    """The removed sections that are not in the table again."""
    gone = [section for section in said.removed if section.at is not None and section.at >= since]
    ids = [section.id for section in gone]
    portions: list[Sequence[str]] = [ids[start : start + _PORTION] for start in range(0, len(ids), _PORTION)]
    held: set[str] = set()
    for some in portions:
        held.update(table.retrieval.columns_where(["id"], col("id").isin(list(some)))["id"].to_pylist())
    return [section for section in gone if section.id not in held]


def _utc(moment: datetime | None) -> datetime:
    return datetime.fromtimestamp(0, UTC) if moment is None else moment.replace(tzinfo=UTC)
