"""What a run changes → the file of changes beside the table: that it changed something, and which sections it removed.

Notes are written before the table, so that none is lost in a crash; readers leave out what is still in the table. A failure
here is logged and fails no run.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence

from schema.changes import ChangedSection
from schema.clock import now
from schema.errors import IndexStoreError
from schema.index_files.changes import MAX_REMOVED, ChangeFile, read_changes
from schema.index_files.layout import changes_path
from schema.results import SectionLink
from schema.sections import Section
from schema.storage import lance
from schema.storage.rows import LINK_COLUMNS, to_link
from schema.storage.table import SectionTable
from schema.text.characters import one_line

_log = logging.getLogger(__name__)
#: Sections that are looked up at once.
_PORTION = 500


class ChangeNotes:
    """The notes of one run over a table."""

    def __init__(self, table: SectionTable) -> None:
        self._table = table
        self._started = now()
        self._is_noted = False

    def changed(self, removed: Iterable[Section | SectionLink] = ()) -> None:
        """Note that the run changes the text of some sections, or removes these."""
        gone = [removed_section(section) for section in removed]
        if gone or not self._is_noted:
            self._is_noted = True
            _write(self._table, lambda file: file.note(self._started, gone))

    def carry(self, earlier: SectionTable | None) -> None:
        """Note what the file of the table that is replaced says, and as removed what that table had beside this one."""
        if earlier is None:
            return
        said = read_changes(changes_path(earlier.store_dir), store_id=earlier.store_id)
        _write(self._table, lambda file: file.take_over(said))
        try:
            held = set(self._table.contents(["id"])["id"].to_pylist())
            lost = [identity for identity in earlier.contents(["id"])["id"].to_pylist() if identity not in held]
            if lost:
                self.changed(_links(earlier, lost[:MAX_REMOVED]))
        except IndexStoreError as error:  # the earlier one is damaged
            _log.info("what a damaged index had is not noted as removed (%s)", one_line(str(error)))


def _links(table: SectionTable, ids: Sequence[str]) -> Iterator[SectionLink]:
    for start in range(0, len(ids), _PORTION):
        condition = lance.col("id").isin(list(ids[start : start + _PORTION]))
        yield from map(to_link, table.retrieval.columns_where(LINK_COLUMNS, condition).to_pylist())


def removed_section(section: Section | SectionLink) -> ChangedSection:
    """Return the record of a section that is removed."""
    return ChangedSection(
        id=section.id,
        document_path=section.document_path,
        heading=section.name if isinstance(section, Section) else section.heading,
        kind="removed",
        depth=section.depth,
    )


def _write(table: SectionTable, write: Callable[[ChangeFile], None]) -> None:
    try:
        with ChangeFile(changes_path(table.store_dir), store_id=table.store_id) as file:
            write(file)
    except (OSError, ValueError, sqlite3.Error, IndexStoreError) as error:
        _log.warning("what changed in the index was not noted (%s)", one_line(str(error)))
