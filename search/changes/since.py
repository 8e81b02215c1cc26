"""One version of an index → the sections that were added, changed or removed since a moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from schema.changes import ChangedSection, Changes, by_document
from schema.errors import QueryError
from schema.index_files.changes import read_changes
from schema.index_files.layout import changes_path
from schema.storage import lance
from schema.storage.retrieval import ROW
from schema.storage.rows import SECTION_COLUMNS, to_section
from schema.storage.table import SectionTable

#: The columns that decide which sections are told.
_FACTS = ("document_path", "position", "created_at", "updated_at")
_MILLISECONDS = pa.timestamp("ms")
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
            raise QueryError(
                "The index does not know yet when a run changed something; ask since a date or an age such as 7d."
            )
        since = said.runs[0]
    gone = _still_gone(table, [one for one in said.removed if allows(one.document_path) and one.at and one.at >= since])
    newer = lance.lit(since.astimezone(UTC).replace(tzinfo=None))
    rows = table.retrieval.columns_where(_FACTS, lance.col("updated_at") >= newer)
    rows = rows.filter(pc.is_in(rows["document_path"], pa.array(_allowed(rows, allows), pa.string())))
    first = _first_rows(rows, gone, limit)
    found = table.retrieval.columns_of(first, SECTION_COLUMNS).to_pylist() if first else []
    documents, _ = by_document([*(_changed_section(row, since) for row in found), *gone], limit=limit)
    is_new = pc.greater_equal(rows["created_at"], pa.scalar(since.astimezone(UTC).replace(tzinfo=None), _MILLISECONDS))
    added = pc.sum(is_new).as_py() or 0
    return Changes(
        documents=documents,
        since=since,
        counts={"added": added, "changed": rows.num_rows - added, "removed": len(gone)},
        omitted=rows.num_rows + len(gone) - sum(len(document.sections) for document in documents),
        removed_since=said.complete_since,
    )


def _allowed(rows: pa.Table, allows: Callable[[str], bool]) -> list[str]:
    return [path for path in rows["document_path"].unique().to_pylist() if allows(path)]


def _first_rows(rows: pa.Table, gone: Sequence[ChangedSection], limit: int) -> list[int]:
    """The numbers of the first rows in the order of `by_document`; an index of a million sections may be new as a whole."""
    paths = rows["document_path"].combine_chunks().dictionary_encode()
    names, codes = paths.dictionary.to_pylist(), paths.indices.to_numpy(zero_copy_only=False)
    newest = np.zeros(len(names), np.int64)
    np.maximum.at(newest, codes, rows["updated_at"].cast(pa.int64()).to_numpy())
    number = {name: code for code, name in enumerate(names)}
    for section in gone:
        code = number.get(section.document_path)
        if code is not None and section.at is not None:
            newest[code] = max(int(newest[code]), round(section.at.timestamp() * 1000))
    rank = np.empty(len(names), np.int64)
    rank[sorted(range(len(names)), key=lambda code: (-int(newest[code]), names[code]))] = np.arange(len(names))
    order = np.lexsort((rows["position"].to_numpy(), rank[codes]))[:limit]
    numbers: list[int] = rows[ROW].to_numpy()[order].tolist()
    return numbers


def _changed_section(row: dict[str, Any], since: datetime) -> ChangedSection:
    """The record of a row with at least `SECTION_COLUMNS`."""
    section = to_section(row)
    made = section.created_at
    return ChangedSection.of(section, "added" if made is not None and made >= since else "changed")


def _still_gone(table: SectionTable, gone: Sequence[ChangedSection]) -> list[ChangedSection]:
    """The removed sections that are not in the table again."""
    held: set[str] = set()
    for start in range(0, len(gone), _PORTION):
        ids = [section.id for section in gone[start : start + _PORTION]]
        held.update(table.retrieval.columns_where(["id"], lance.col("id").isin(ids))["id"].to_pylist())
    return [section for section in gone if section.id not in held]
