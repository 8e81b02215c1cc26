"""`SectionTable`: the sections of an index in LanceDB.

Rows go in and come out as `StoredSection`; `retrieval` searches them. Refuses tables made by another model, dimension,
token encoding or schema version, and vectors of the wrong shape.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from schema.index_files.layout import has_table, without_index
from schema.results import SectionLink
from schema.sections import Section
from schema.storage import lance
from schema.storage.fingerprint import Fingerprint, check_fingerprint
from schema.storage.indexes import Indexes, create_indexes
from schema.storage.library_errors import commit_errors, translate_storage_errors
from schema.storage.maintenance import (
    TABLE_NAME,
    TableStatistics,
    connect,
    is_worn,
    new_session,
    open_table,
    optimize,
    statistics,
)
from schema.storage.merging import merge_by_id
from schema.storage.read_sections import ReadSections
from schema.storage.retrieval import ROW, Retrieval
from schema.storage.row_checks import checked
from schema.storage.rows import (
    LINK_COLUMNS,
    SECTION_COLUMNS,
    DirtySection,
    Embedding,
    StoredSection,
    from_arrow,
    to_arrow,
    to_link,
    to_section,
)
from schema.storage.statistics_upkeep import StatisticsUpkeep
from schema.storage.table_checks import check_files, check_schema, new_table_schema, table_schema

#: Most ids or paths in one filter expression; more are asked for in several queries.
FILTER_VALUES = 2000
#: Rows that are read or written as one batch.
SCAN_ROWS = 1000
#: To the library, a row without a vector is "bad"; ours have none until they are embedded, and are stored as they are.
_NULLS = "null"


class SectionTable:
    """The sections table in the folder `store_dir`; use `create` or `open`. A writer finishes its `upkeep` in the end."""

    def __init__(self, store_dir: Path, table: Any, fingerprint: Fingerprint, store_id: str, *, session: Any = None) -> None:
        self._dir = store_dir
        self._table = table
        self.fingerprint = fingerprint
        self.store_id = store_id
        self._schema = table_schema(fingerprint)
        self._session = session
        self._snapshot: tuple[int, Self] | None = None
        self.upkeep = StatisticsUpkeep(store_dir, table, store_id)

    # -- opening -------------------------------------------------------------------------------------------------------

    @staticmethod
    def exists(store_dir: Path) -> bool:
        """Whether a table was ever created in `store_dir`."""
        return has_table(store_dir)

    @classmethod
    def create(cls, store_dir: Path, fingerprint: Fingerprint) -> Self:
        """Make an empty table; its primary key keeps two writers from inserting one section twice."""
        store_dir.mkdir(parents=True, exist_ok=True)
        with translate_storage_errors(store_dir):
            table = connect(store_dir, follow=True).create_table(TABLE_NAME, schema=new_table_schema(fingerprint))
            table.set_unenforced_primary_key("id")
            create_indexes(table)
        (store_dir / f"{TABLE_NAME}.lance").mkdir(exist_ok=True)  # it stands for a table in an object store
        return cls.open(store_dir)

    @classmethod
    def open(cls, store_dir: Path, *, expected: Mapping[str, Any] | None = None, is_alone: bool = False) -> Self:
        """Open the table, whose fingerprint must have the `expected` values by field name; `is_alone`: no other writes it.

        Raises:
            IndexNotFoundError: there is none.
            IndexIncompatibleError: it was made with other values, or by another version of Sectionary.
            IndexDamagedError: it cannot be read.
            IndexUntrustedError: it has links, files elsewhere or settings that Sectionary did not write.
        """
        index_dir = store_dir.parent
        if not cls.exists(store_dir):
            raise without_index(index_dir)
        check_files(store_dir / f"{TABLE_NAME}.lance", store_dir=store_dir)
        session = new_session()
        with translate_storage_errors(store_dir):
            table = open_table(store_dir, follow=not is_alone, session=session)
        return cls._of(store_dir, table, expected or {}, session)

    @classmethod
    def _of(cls, store_dir: Path, table: Any, expected: Mapping[str, Any], session: Any) -> Self:
        with translate_storage_errors(store_dir):
            schema = table.schema
        made, store_id = check_schema(schema, expected, index_dir=store_dir.parent)
        return cls(store_dir, table, made, store_id, session=session)

    def snapshot(self) -> Self:
        """Return the table as it is now, which later commits do not change; one answer is read from one snapshot.

        Until the next commit it is the same object. Its files may be removed a minute after a later commit.
        """
        version = self.version
        if self._snapshot is None or self._snapshot[0] != version:
            with translate_storage_errors(self._dir):
                table = open_table(self._dir, follow=False, session=self._session)
            still = self._of(self._dir, table, {}, self._session)
            self._snapshot = (still.version, still)
        return self._snapshot[1]

    @property
    def version(self) -> int:
        """Number of the newest committed version, whoever committed it."""
        with translate_storage_errors(self._dir):
            return int(self._table.version)

    def require_dimension(self, dimension: int) -> None:
        """Refuse vectors of another length than the table's.

        Raises:
            IndexIncompatibleError: the table's vectors have another length.
        """
        check_fingerprint(asdict(self.fingerprint), {"dimension": dimension}, index_dir=self._dir.parent)

    @property
    def store_dir(self) -> Path:
        """The folder that the table is in."""
        return self._dir

    # -- writing -------------------------------------------------------------------------------------------------------

    def add(self, rows: Sequence[StoredSection]) -> None:
        """Append sections of documents that are not in the table, in one commit."""
        if rows:
            distinct = list({row.section.id: row for row in rows}.values())
            faults: list[Exception] = []

            def batches() -> Iterator[pa.RecordBatch]:  # all at once they would take many times their memory as Arrow
                try:
                    for start in range(0, len(distinct), SCAN_ROWS):
                        fresh = self._prepared(distinct[start : start + SCAN_ROWS])
                        if change is not None:
                            change.add(fresh["terms"].to_pylist())
                        yield from fresh.to_batches()
                except Exception as error:
                    faults.append(error)
                    raise

            try:
                with self.upkeep.adding() as change, commit_errors(self._dir):
                    self._table.add(pa.RecordBatchReader.from_batches(self._schema, batches()), on_bad_vectors=_NULLS)
            except Exception:
                if faults:  # of a row that cannot be stored: the index is not damaged
                    raise faults[0] from None
                raise

    def replace_documents(self, paths: Sequence[str], rows: Sequence[StoredSection]) -> None:
        """Make `rows` all the sections of the documents `paths`, in one commit: never a half document."""
        if not rows:
            self.remove_documents(paths)
            return
        fresh = self._prepared(rows)
        old = [lance.col("document_path").isin(some) for some in _portions(paths)]
        kept = set(fresh["id"].to_pylist())
        vanish = any(row["id"] not in kept for row in self._rows(["id"], "document_path", paths))
        with self.upkeep.replacing(old, fresh), commit_errors(self._dir):
            merge = merge_by_id(self._table, fresh, self.count()).when_not_matched_insert_all()
            if vanish:  # only then, since every row of the table is compared
                merge = merge.when_not_matched_by_source_delete(lance.col("document_path").isin(list(paths)))
            merge.execute(fresh, on_bad_vectors=_NULLS)

    def update(self, rows: Sequence[StoredSection]) -> None:
        """Rewrite those of the sections that are still in the table, in one commit."""
        if rows:
            self._update(self._prepared(rows), is_reworded=True)

    def embed(self, read: ReadSections, rows: Sequence[StoredSection]) -> None:
        """Write the embeddings of some of the sections that were read, and whether they are dirty, in one commit.

        Nothing else of the `rows` is looked at. Sections that are gone by now stay so.
        """
        if rows:
            self._update(read.with_embeddings(rows), is_reworded=False)

    def _update(self, fresh: pa.Table, *, is_reworded: bool) -> None:
        reworded = fresh if is_reworded else fresh.slice(0, 0)  # or the statistics of terms stay as they are
        old = [lance.col("id").isin(some) for some in _portions(reworded["id"].to_pylist())]
        with self.upkeep.replacing(old, reworded, is_update=True), commit_errors(self._dir):
            merge_by_id(self._table, fresh, self.count()).execute(fresh, on_bad_vectors=_NULLS)

    def remove_documents(self, paths: Sequence[str]) -> None:
        """Delete every section of the documents `paths`."""
        for some in _portions(paths):
            old = lance.col("document_path").isin(some)
            with self.upkeep.replacing([old]), commit_errors(self._dir):
                self._table.delete(old)

    def optimize(self, *, force: bool = False) -> None:
        """Merge small files, bring the indexes up to date and remove old versions, if it is worth it or with `force`."""
        with commit_errors(self._dir):
            optimize(self._table, self._dir, force=force)

    def is_worn(self, written: int) -> bool:
        """Tell whether a run that goes on should call `optimize` now, `written` rows after it last did."""
        return is_worn(self.count(), written)

    def statistics(self) -> TableStatistics:
        """Rows, files, bytes and unindexed rows of the newest version."""
        with translate_storage_errors(self._dir):
            return statistics(self._table)

    @property
    def indexes(self) -> Indexes:
        """The table's indexes."""
        return Indexes(self._dir, self._table)

    def at(self, offsets: Sequence[int]) -> list[StoredSection]:
        """Return the rows at these offsets, 0..count - 1, intact or not; reads no other row's file, and no index."""
        with translate_storage_errors(self._dir):
            return from_arrow(checked(self._table.take_offsets(list(offsets)).to_arrow()).select(self._schema.names))

    def everything(self) -> Iterator[StoredSection]:
        """Yield every row, intact or not, read from the data files, in no order."""
        with translate_storage_errors(self._dir):
            for batch in self._table.search().limit(lance.EVERYTHING).to_batches(SCAN_ROWS):
                yield from from_arrow(checked(pa.Table.from_batches([batch])).select(self._schema.names))

    # -- reading -------------------------------------------------------------------------------------------------------

    def contents(self, columns: Sequence[str]) -> pa.Table:
        """Return these columns of every row, in no order."""
        with translate_storage_errors(self._dir):
            return checked(self._table.search().select(list(columns)).limit(lance.EVERYTHING).to_arrow())

    @property
    def retrieval(self) -> Retrieval:
        """Searches by the table's own indexes."""
        return Retrieval(self._dir, self._table)

    def links(self, paths: Sequence[str]) -> dict[str, list[SectionLink]]:
        """Return the outlines of documents, by path, each in reading order."""
        outlines: dict[str, list[SectionLink]] = {}
        for row in self._rows(LINK_COLUMNS, "document_path", paths):
            outlines.setdefault(row["document_path"], []).append(to_link(row))
        for outline in outlines.values():
            outline.sort(key=operator.attrgetter("position"))
        return outlines

    def stored(self, paths: Sequence[str]) -> list[StoredSection]:
        """Return every section of the documents `paths` with its embedding."""
        return self._read([lance.col("document_path").isin(some) for some in _portions(paths)]).rows

    def sections(self, paths: Sequence[str]) -> list[Section]:
        """Return the sections of the documents `paths` in reading order, without their embeddings."""
        found = [to_section(row) for row in self._rows(SECTION_COLUMNS, "document_path", paths)]
        return sorted(found, key=lambda section: (section.document_path, section.position))

    def paths(self) -> set[str]:
        """Return the path of every document that has a section."""
        return set(self.retrieval.columns_where(["document_path"])["document_path"].unique().to_pylist())

    def embeddings(self, input_hashes: Sequence[str], *, without: Collection[str] = ()) -> dict[str, Embedding]:
        """Return embeddings of these inputs that other sections than those of the ids `without` have, by input hash."""
        holders: dict[str, str] = {}
        # thousands of rows may hold one input, so only one row of each hash is read whole
        for rows in self._clean(input_hashes, ["id", "input_hash"]):
            pairs = zip(rows["id"].to_pylist(), rows["input_hash"].to_pylist(), strict=True)
            holders.update((key, identity) for identity, key in pairs if identity not in without)
        rows_with = self.stored_by_id(list(holders.values()))
        return {row.input_hash: row.embedding for row in rows_with if row.embedding is not None}

    def embedded_among(self, input_hashes: Collection[str]) -> set[str]:
        """Return those of these inputs of which some section has an embedding."""
        if self.count_dirty() == self.count():
            return set()
        tables = self._clean(sorted(input_hashes), ["input_hash"])
        return {key for rows in tables for key in rows["input_hash"].to_pylist()}

    def dirty(self, *, limit: int, second: bool = False) -> list[DirtySection]:
        """Return at most `limit` dirty sections, oldest first, then by document and position.

        With `second`, those that await only the vectors of the second model.
        """
        with translate_storage_errors(self._dir):
            columns = ["id", "input_hash", "token_count", "updated_at", "document_path", "position"]
            found = self._table.search().where(_awaiting(second)).select(columns)
            rows = checked(found.limit(lance.EVERYTHING).to_arrow())
        order = pc.sort_indices(rows, [(name, "ascending") for name in ("updated_at", "document_path", "position")])
        chosen = rows.select(["id", "input_hash", "token_count"]).take(order[:limit])
        return [DirtySection(*values) for values in zip(*(column.to_pylist() for column in chosen.columns), strict=True)]

    def stored_by_id(self, ids: Sequence[str]) -> list[StoredSection]:
        """Return the sections with these ids and their embeddings, in the order of the ids; missing ones are left out."""
        return self.read(ids).rows

    def read(self, ids: Sequence[str]) -> ReadSections:
        """Return the sections with these ids as `embed` needs them, in the order of the ids; missing ones are left out."""
        return self._read([lance.col("id").isin(some) for some in _portions(ids)]).of(ids)

    def count(self) -> int:
        """Number of sections."""
        with translate_storage_errors(self._dir):
            return int(self._table.count_rows())

    def count_dirty(self, *, second: bool | None = False) -> int:
        """Number of dirty sections, of those that await only the vectors of the second model, or with None of both."""
        with translate_storage_errors(self._dir):
            return int(self._table.count_rows(_awaiting(second).to_sql()))

    def count_summaries(self) -> int:
        """Number of sections that have a summary."""
        with translate_storage_errors(self._dir):
            return int(self._table.count_rows("summary is not null"))

    # -- inside --------------------------------------------------------------------------------------------------------

    def _prepared(self, rows: Sequence[StoredSection]) -> pa.Table:
        # the library would insert a repeated key twice, without an error
        return to_arrow(list({row.section.id: row for row in rows}.values()), self._schema)

    def _read(self, conditions: Sequence[lance.Expr]) -> ReadSections:
        # a search for whole rows would also read every row whole that no index holds yet, so ids come first
        numbers = [self.retrieval.columns_where(["id"], one)[ROW].to_pylist() for one in conditions]
        columns = self._schema.names
        tables = [self.retrieval.columns_of(some, columns).select(columns) for some in numbers if some]
        with translate_storage_errors(self._dir):
            return ReadSections.read(pa.concat_tables([self._schema.empty_table(), *tables]))

    def _clean(self, input_hashes: Sequence[str], columns: Sequence[str]) -> Iterator[pa.Table]:
        """Yield these columns of the rows with these inputs that are not dirty."""
        is_clean = lance.col("is_dirty") == lance.lit(False)
        for some in _portions(input_hashes):
            yield self.retrieval.columns_where(columns, lance.col("input_hash").isin(some) & is_clean)

    def _rows(self, columns: Sequence[str], key: str, values: Sequence[str]) -> Iterator[dict[str, Any]]:
        for some in _portions(values):
            with translate_storage_errors(self._dir):
                found = self._table.search().where(lance.col(key).isin(some)).select(list(columns))
                yield from checked(found.limit(lance.EVERYTHING).to_arrow()).to_pylist()


def _awaiting(second: bool | None) -> lance.Expr:
    is_dirty, awaits_second = (lance.col(name) == lance.lit(True) for name in ("is_dirty", "awaits_second"))
    if second is None:
        return is_dirty | awaits_second
    return awaits_second & (lance.col("is_dirty") == lance.lit(False)) if second else is_dirty


def _portions(values: Iterable[str]) -> Iterator[list[str]]:
    """Yield the values in lists that are short enough for one filter expression."""
    everything = list(values)
    for start in range(0, len(everything), FILTER_VALUES):
        yield everything[start : start + FILTER_VALUES]
