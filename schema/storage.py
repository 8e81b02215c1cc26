"""The LanceDB dataset under the sections table: opening it, telling damage from denial, and keeping it in shape.

Every run of a writer leaves small files and old versions behind. `tend` merges and removes them by this policy: merge when
there are `MAX_FRAGMENTS` files or a twentieth of the rows is unindexed; keep old versions for a minute, or for a second
where merging would make the disk hold more than `MAX_DISK_RATIO` times the data. A reader whose version is removed opens
the newest.
"""

from __future__ import annotations

import contextlib
import logging
import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from schema.errors import IndexAccessError, IndexDamagedError, SectionaryError
from schema.lance import FTS, BTree, IvfSq, MatchQuery, col, lancedb, lit

_log = logging.getLogger(__name__)
TABLE_NAME = "sections"
#: Queries take 1.4 times as long with 40 files as with one, and 3 times with 120 (1,300 sections, LanceDB 0.40).
MAX_FRAGMENTS = 16
#: Unindexed rows are searched one by one, which below this many is quicker than to index them.
_MIN_UNINDEXED = 32
_MAX_UNINDEXED_SHARE = 0.05
#: Disk used by the dataset over the bytes of its newest version; merging adds up to one more until versions are removed.
MAX_DISK_RATIO = 2.5
#: Below this size the ratio is all overhead of the format (bytes).
_SMALL_DISK = 2 << 20
#: How long old versions are kept for queries that still read them; a query takes far less, and tries again if need be.
_KEEP, _KEEP_SHORT = timedelta(minutes=1), timedelta(seconds=1)
#: The library's own caches may grow to 7 GiB; these bounds keep a reader of 10,000 sections fast (bytes).
_INDEX_CACHE_BYTES = 256 << 20
_METADATA_CACHE_BYTES = 64 << 20
#: Values asked for at once when an index is checked.
_VALUES_AT_ONCE = 2000
#: Sections that may hold a name beside those that are called so.
_OTHERS = 10_000
#: Every index of the table, by column.
INDEXES: dict[str, Any] = {"id": BTree(), "document_path": BTree(), "input_hash": BTree()}
#: The indexes that only a table of at least so many rows has, by column: below that, searching reads all rows at once.
#: Full text takes our own terms as they are. An index of vectors in `IVF_SQ` of 100,000 rows was made in 35 s of two cores
#: and gave all of the ten nearest; none is made of fewer vectors than its cells need to be found.
LARGE = 20_000
FULL_TEXT = "terms"
_VECTORS_OF_WINDOWS = ("window_vectors", "second_vectors")
_VECTORS = (*_VECTORS_OF_WINDOWS, "heading_vector")
#: A text that no term is, to ask the index of the terms for.
_NO_TERM = "\u2603=="
_LEAST_VECTORS = 5_000
_MAX_WAITING_SHARE = 0.1
#: Rows that the indexes of a large table may lack: they are searched one by one.
_MAX_UNINDEXED = 2_000
#: What the library's messages say when the disk or the rights are to blame, and what to do then.
_DENIALS = {
    "ermission denied": "check the rights of its folder",
    "ead-only file system": "it is on a read-only disk; choose another place with --index",
    "o space left on device": "the disk is full; free some space and run again, what was searchable still is",
    "uota exceeded": "the disk quota is used up; free some space and run again, what was searchable still is",
    "File too large": "a file may not grow further here; free some space and run again, what was searchable still is",
}


@dataclass(frozen=True, slots=True)
class TableStatistics:
    """The shape of the dataset: rows, files of the newest version, their bytes, rows that no index holds yet."""

    rows: int
    fragments: int
    data_bytes: int
    unindexed_rows: int


def connect(store_dir: Path, *, follow: bool, session: Any = None) -> Any:
    """A connection whose tables follow every commit, or stay at the version they were opened at."""
    session = session or new_session()
    interval = timedelta(0) if follow else None
    return lancedb.connect(store_dir, session=session, read_consistency_interval=interval)


def new_session() -> Any:
    """Caches to share between the connections of one process."""
    return lancedb.Session(index_cache_size_bytes=_INDEX_CACHE_BYTES, metadata_cache_size_bytes=_METADATA_CACHE_BYTES)


@contextlib.contextmanager
def damage(store_dir: Path) -> Iterator[None]:
    """Turn what the library raises for its files, or rows that make no sense, into one error that says what to do.

    Damaged files end in errors of every class, and in panics of the library's Rust code. So only calls of the library and
    the reading of its rows belong inside; what is written is prepared outside, where a fault of ours stays one.

    Raises:
        IndexAccessError: rights or space are missing.
        IndexDamagedError: a file is missing or does not hold what it should.
    """
    try:
        yield
    except SectionaryError:
        raise
    except BaseException as error:
        if not (isinstance(error, Exception) or _is_panic(error)):
            raise
        reason = (str(error) or type(error).__name__).split("\n", 1)[0][:300]
        index_dir = store_dir.parent
        for sign, advice in _DENIALS.items():
            if sign in str(error):
                raise IndexAccessError(
                    f"The index in {index_dir} cannot be used: {advice} ({reason}).",
                    index_dir=index_dir,
                ) from error
        raise IndexDamagedError(
            f"The index in {index_dir} is damaged ({reason}); repair it with `index verify --repair`, "
            "or rebuild it with `index FOLDER --rebuild`.",
            index_dir=index_dir,
        ) from error


def _is_panic(error: BaseException) -> bool:
    # PyO3 derives it from BaseException and gives no way to import it; other panics of lancedb derive from Exception
    return type(error).__name__ == "PanicException"


def create_indexes(table: Any) -> None:
    """Index a new table."""
    for column in INDEXES:
        create_index(table, column)


def create_index(table: Any, column: str) -> None:
    """Make the index of one column, in place of the one there is."""
    config = INDEXES[column] if column in INDEXES else _large_index(column, table.count_rows())
    table.create_index(column, config=config, replace=True)


def broken_indexes(table: Any, store_dir: Path) -> list[str]:
    """Columns whose index is missing or cannot be read; costs some milliseconds."""
    present = _indexed(table)
    known = [*INDEXES, *missing_large_indexes(table), *(column for column in (FULL_TEXT, *_VECTORS) if column in present)]
    return [column for column in known if column not in present or not _answers(table, column, store_dir)]


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


def unindexed(table: Any, column: str, ids_by_value: Mapping[str, set[str]]) -> set[str]:
    """Of the ids that hold these values in `column`, those that its index does not give."""
    missing: set[str] = set()
    values = list(ids_by_value)
    for start in range(0, len(values), _VALUES_AT_ONCE):
        some = values[start : start + _VALUES_AT_ONCE]
        query = table.search().where(col(column).isin(some)).select(["id"])
        found = set(query.limit(max(1, table.count_rows())).to_arrow()["id"].to_pylist())
        missing |= set().union(*(ids_by_value[value] for value in some)) - found
    return missing


def unmatched(table: Any, ids_by_term: Mapping[str, set[str]]) -> set[str]:
    """Of the ids that hold these terms, those that the index of the terms does not give; none where there is no index."""
    missing: set[str] = set()
    if FULL_TEXT not in _indexed(table):
        return missing
    for term, ids in ids_by_term.items():
        query = table.search(MatchQuery(term, FULL_TEXT), query_type="fts").select(["id", "_score"])
        missing |= ids - set(query.limit(len(ids) + _OTHERS).to_arrow()["id"].to_pylist())
    return missing


def disk_bytes(folder: Path) -> int:
    """Bytes of all files in a folder; those that vanish meanwhile count nothing."""
    total = 0
    waiting = [str(folder)]  # a list, since folders may stand deeper in each other than calls may
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.is_file():
                    total += entry.stat().st_size
    return total


def tend(table: Any, store_dir: Path, *, force: bool = False) -> None:
    """Merge small files, index what is not and remove old versions, as far as the policy asks for; `force` does all.

    Only for the one writer: files that no version names are debris of a writer that died, and go too.
    """
    shape = statistics(table)
    unindexed = max(_MIN_UNINDEXED, min(shape.rows * _MAX_UNINDEXED_SHARE, _MAX_UNINDEXED))
    used = disk_bytes(store_dir)
    ratio = used / shape.data_bytes if used > _SMALL_DISK and shape.data_bytes else 0.0
    if force or shape.fragments >= MAX_FRAGMENTS or shape.unindexed_rows > unindexed or ratio > MAX_DISK_RATIO:
        # merging adds up to once the data until the versions before it are removed
        keep = _KEEP_SHORT if force or ratio + 1 > MAX_DISK_RATIO else _KEEP
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # it warns of short times, since it knows nothing of our readers
            _optimize(table, keep)
    _create_large_indexes(table, shape.rows)


def _optimize(table: Any, keep: timedelta) -> None:
    """Merge files and bring the indexes up to date; those of a large table are made anew where that fails."""
    try:
        table.optimize(cleanup_older_than=keep, delete_unverified=True)
    except BaseException as error:
        large = [column for column in (FULL_TEXT, *_VECTORS) if column in _indexed(table)]
        if not large or not (isinstance(error, Exception) or _is_panic(error)):
            raise
        _log.warning("the indexes of %s could not be brought up to date (%s) and are made anew", ", ".join(large), error)
        for column in large:
            create_index(table, column)
        table.optimize(cleanup_older_than=keep, delete_unverified=True)


def is_large(table: Any, store_dir: Path) -> bool:
    """Whether the table answers searches by its own indexes: it is large, and every one that it has can be read."""
    if table.count_rows() < LARGE:
        return False
    indexed = _indexed(table)
    return FULL_TEXT in indexed and all(
        _answers(table, column, store_dir) for column in (FULL_TEXT, *_VECTORS) if column in indexed
    )


def missing_large_indexes(table: Any) -> list[str]:
    """Columns of a large table whose index is missing."""
    rows = table.count_rows()
    if rows < LARGE:
        return []
    names = set(table.schema.names) - _indexed(table)
    wanted = [column for column in _VECTORS if column in names and _has_many(table, column)]
    return [*([FULL_TEXT] if FULL_TEXT in names else ()), *wanted]


def _create_large_indexes(table: Any, rows: int) -> None:
    if rows < LARGE:
        return
    for column in missing_large_indexes(table):
        create_index(table, column)


def _large_index(column: str, rows: int) -> Any:
    if column != FULL_TEXT:
        return IvfSq(distance_type="cosine", num_partitions=max(16, round(rows**0.5)))
    # all of the terms' analysis is our own; no term is longer than the longest key of a name
    return FTS(
        base_tokenizer="whitespace",
        max_token_length=None,
        lower_case=False,
        stem=False,
        remove_stop_words=False,
        ascii_folding=False,
    )


def _has_many(table: Any, column: str) -> bool:
    """Whether so many rows have a vector that an index of them pays, and nearly all that are to have one.

    Its cells are found once, from the vectors that are there then.
    """
    waiting = "is_dirty or awaits_second" if column == "second_vectors" else "is_dirty"
    is_early = table.count_rows(waiting) > _MAX_WAITING_SHARE * table.count_rows()
    return not is_early and bool(table.count_rows(f"{column} is not null") >= _LEAST_VECTORS)


def _indexed(table: Any) -> set[str]:
    return {column for index in table.list_indices() for column in index.columns}


def _answers(table: Any, column: str, store_dir: Path) -> bool:
    try:
        with damage(store_dir):
            if column == FULL_TEXT:
                query = table.search(MatchQuery(_NO_TERM, FULL_TEXT), query_type="fts").select(["_score"])
            elif column in _VECTORS:
                kind = table.schema.field(column).type
                size = (kind.value_type if column in _VECTORS_OF_WINDOWS else kind).list_size
                query = table.search([1.0] * size, vector_column_name=column).nprobes(1).select(["_distance"])
            else:
                query = table.search().where(col(column) == lit("")).select(["id"])
            query.limit(1).to_arrow()
    except IndexDamagedError:
        return False
    return True
