"""A version of an index → the source that suits its size and how often it is asked: all of it in memory, or the table."""

from __future__ import annotations

from schema.index_files.layout import statistics_path
from schema.index_files.statistics import open_statistics
from schema.storage.indexes import is_many
from schema.storage.table import SectionTable
from search.sources.base import Source
from search.sources.held import HELD_COLUMNS, HeldSource
from search.sources.stored import TableSource


def source_of(still: SectionTable, *, once: bool) -> Source:
    """The source of one version of a table that later commits do not move, for a process that asks `once` or often.

    A large table without its index of words, or without statistics, is read as a small one: the next run mends that. So is
    one that is not large where its statistics lag behind it.
    """
    if still.retrieval.answers(once=once):
        statistics = open_statistics(statistics_path(still.store_dir), store_id=still.store_id)
        if statistics is not None and (statistics.table_version == still.version or is_many(still.count())):
            return TableSource(still, statistics)
        if statistics is not None:
            statistics.close()
    made = still.fingerprint
    columns = (*HELD_COLUMNS, "second_vectors") if made.second_dimension else HELD_COLUMNS
    return HeldSource.of(still.retrieval.columns_where(columns), dimension=made.dimension)


def renewed(source: Source, still: SectionTable, *, once: bool) -> Source | None:
    """The source of a later version of the same table, made of that of an earlier one; None where `source_of` is better."""
    if not isinstance(source, HeldSource) or still.retrieval.answers(once=once):
        return None
    return source.renewed(still.retrieval)
