"""The LanceDB dataset under the sections table: opening it, merging its files and removing old versions.

Every run of a writer leaves small files and old versions behind; `optimize` merges and removes them:

| | small table | large table |
|---|---|---|
| files are merged from | 16 files, or 5 % of the rows unindexed | 64 files, or 2,000 rows unindexed |
| in a long run, they are also merged when | an eighth of the table is new | half of the table is new |

Merging a large table is rarer, since it costs as much as writing all of it. Old versions are kept for a minute, or not at
all if the disk would otherwise hold more than `MAX_DISK_RATIO` times the data. A reader whose version is removed opens the
newest.
"""

from __future__ import annotations

import contextlib
import logging
import os
import warnings
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from schema.remote.folders import store_address, store_name
from schema.remote.gate import remote_bytes
from schema.storage import lance
from schema.storage.indexes import FULL_TEXT, create_index, create_large_indexes, is_many, large_indexes
from schema.storage.library_errors import is_panic

_log = logging.getLogger(__name__)
TABLE_NAME = "sections"
#: Queries take 1.4 times as long with 40 files as with one, and 3 times with 120 (1,300 sections, LanceDB 0.40). In a large
#: table they take 1.3 times as long with 64 files as with 16, and merging takes 20 s of CPU and more (100,000 sections).
_MAX_FRAGMENTS, _MAX_FRAGMENTS_LARGE = 16, 64
#: Fewer unindexed rows than this are searched one by one in less time than it takes to index them.
MIN_UNINDEXED = 32
_MAX_UNINDEXED_SHARE = 0.05
#: Disk used by the dataset over the bytes of its newest version; merging adds up to one more until versions are removed.
MAX_DISK_RATIO = 2.5
#: Below this size the ratio is all overhead of the format (bytes).
_SMALL_DISK = 2 << 20
#: How long old versions are kept for queries that still read them; a query takes far less, and tries again if need be.
_KEEP, _KEEP_NONE = timedelta(minutes=1), timedelta(0)
#: The library's own caches may grow to 7 GiB; these bounds keep a reader of 10,000 sections fast (bytes).
INDEX_CACHE_BYTES = 256 << 20
METADATA_CACHE_BYTES = 64 << 20
#: Rows that the indexes of a large table may lack: they are searched one by one.
_MAX_UNINDEXED = 2_000
#: The share of new rows at which a long run merges before its end, in a small and in a large table.
_NEW_SHARE, _NEW_SHARE_LARGE = 0.125, 0.5
#: With more rows than this share unindexed, the index of the terms is made again in less time than rows are added to it.
_REBUILD_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class TableStatistics:
    """The shape of the dataset: rows, files of the newest version, their bytes, rows that no index holds yet."""

    rows: int
    fragments: int
    data_bytes: int
    unindexed_rows: int


def connect(store_dir: Path, *, follow: bool, session: Any = None) -> Any:
    """Return a connection whose tables follow every commit, or stay at the version they were opened at.

    It makes the folder if there is none, so that only who makes a table asks for one.
    """
    session = session or new_session()
    address = store_address(store_dir)
    if address is not None:
        from schema.remote.tables import FOLLOWS_AFTER, storage_options

        interval = FOLLOWS_AFTER if follow else None
        options = storage_options()
        return lance.lancedb.connect(address, session=session, read_consistency_interval=interval, storage_options=options)
    return lance.lancedb.connect(store_dir, session=session, read_consistency_interval=timedelta(0) if follow else None)


def open_table(store_dir: Path, *, follow: bool, session: Any = None) -> Any:
    """Open the table, which follows every commit or stays at its version; a folder that was deleted is not made again."""
    if store_address(store_dir) is not None:
        return connect(store_dir, follow=follow, session=session).open_table(TABLE_NAME)
    nowhere = lance.lancedb.connect(  # a connection to the folder would make it
        "memory://", session=session or new_session(), read_consistency_interval=timedelta(0) if follow else None
    )
    place = store_dir.absolute() / f"{TABLE_NAME}.lance"
    return lance.lancedb.table.LanceTable.open(nowhere, TABLE_NAME, location=str(place))


def new_session() -> Any:
    """Return caches that the connections of one process share."""
    return lance.lancedb.Session(index_cache_size_bytes=INDEX_CACHE_BYTES, metadata_cache_size_bytes=METADATA_CACHE_BYTES)


def statistics(table: Any) -> TableStatistics:
    """The shape of the dataset at its newest version."""
    stats = table.stats()
    ids = table.index_stats("id_idx")
    return TableStatistics(
        rows=stats["num_rows"],
        fragments=stats["fragment_stats"]["num_fragments"],
        data_bytes=stats["total_bytes"],
        unindexed_rows=stats["num_rows"] if ids is None else ids.num_unindexed_rows,
    )


def disk_bytes(folder: Path) -> int:
    """Return the bytes of all files in a folder, without those that vanish meanwhile."""
    total = 0
    waiting = [str(folder)]  # a list, since folders may be nested deeper than calls may
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.is_file():
                    total += entry.stat().st_size
    return total


def optimize(table: Any, store_dir: Path, *, force: bool = False) -> None:
    """Merge small files, index new rows and remove old versions, if the policy says so or with `force`.

    Only the one writer may call it: files that no version names, left by a writer that died, are deleted too.
    """
    shape = statistics(table)
    files = _MAX_FRAGMENTS_LARGE if is_many(shape.rows) else _MAX_FRAGMENTS
    unindexed = max(MIN_UNINDEXED, min(shape.rows * _MAX_UNINDEXED_SHARE, _MAX_UNINDEXED))
    is_due = force or shape.fragments >= files or shape.unindexed_rows > unindexed
    is_remote = store_name(store_dir) is not None
    if is_remote:  # younger versions cannot be removed
        used = 0 if is_due else remote_bytes(store_dir, older_than=_KEEP.total_seconds())
    else:
        used = disk_bytes(store_dir)
    ratio = used / shape.data_bytes if used > _SMALL_DISK and shape.data_bytes else 0.0
    if is_due or ratio > MAX_DISK_RATIO:
        # merging adds up to once the data until the versions before it are removed
        keep = _KEEP_NONE if (force or ratio + 1 > MAX_DISK_RATIO) and not is_remote else _KEEP
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # it warns of short times, since it knows nothing of our readers
            if shape.unindexed_rows > _REBUILD_SHARE * shape.rows and FULL_TEXT in large_indexes(table):
                create_index(table, FULL_TEXT)
            # in an object store, a writer that lost its lease may be about to commit such files: they stay for a week
            _merge_files(table, keep, delete_unverified=not is_remote)
    create_large_indexes(table)


def is_worn(rows: int, written: int) -> bool:
    """Tell whether a run that goes on should merge now: it has written `written` rows to a table of `rows`."""
    return written >= (_NEW_SHARE_LARGE if is_many(rows) else _NEW_SHARE) * rows


def _merge_files(table: Any, keep: timedelta, *, delete_unverified: bool) -> None:
    """Merge files and bring the indexes up to date; those of a large table are made again where that fails."""
    try:
        table.optimize(cleanup_older_than=keep, delete_unverified=delete_unverified)
    except BaseException as error:
        large = large_indexes(table)
        if not large or not (isinstance(error, Exception) or is_panic(error)):
            raise
        _log.warning("the indexes of %s could not be brought up to date (%s) and are made again", ", ".join(large), error)
        for column in large:
            create_index(table, column)
        table.optimize(cleanup_older_than=keep, delete_unverified=delete_unverified)
