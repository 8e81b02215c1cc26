"""`SectionTable`: the sections of an index in LanceDB, with the traps of that library absorbed in one place.

Rows go in as `StoredSection`, hits come out as ids with scores (higher is better: a distance never leaves this module).
Refuses tables made by another model, dimension, token encoding or schema version, and vectors of the wrong shape.
"""

from __future__ import annotations

import json
import operator
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc

from schema.errors import IndexDamagedError, IndexNotFoundError, IndexUntrustedError
from schema.index_files.lance_manifests import read_manifests
from schema.index_files.layout import refuse_links
from schema.results import SectionLink
from schema.sections import Section
from schema.storage.fingerprint import Fingerprint, check_fingerprint
from schema.storage.indexes import Indexes, create_indexes
from schema.storage.lance import EVERYTHING, Expr, col, lit
from schema.storage.library_errors import translate_storage_errors
from schema.storage.maintenance import TABLE_NAME, TableStatistics, connect, is_worn, new_session, optimize, statistics
from schema.storage.retrieval import ROW, Retrieval
from schema.storage.row_checks import checked
from schema.storage.rows import (
    LINK_COLUMNS,
    SECTION_COLUMNS,
    DirtySection,
    Embedding,
    StoredSection,
    from_arrow,
    get_sections_schema,
    to_arrow,
    to_link,
    to_section,
)
from schema.storage.statistics_upkeep import StatisticsUpkeep

_METADATA_KEY = b"sectionary"
#: Beginning of the entries that the library itself makes for a column, as for the primary key.
_LIBRARYS_OWN = b"lance-schema:"
#: A column that is read row by row for each question; compressed it would take twice the time.
_UNCOMPRESSED, _NO_COMPRESSION = "terms", (b"lance-encoding:compression", b"none")
#: Ids or paths in one filter expression; more are asked for in turns.
_FILTER_VALUES = 2000
_SCAN_ROWS = 1000
#: Rows whose ids are compared in the time in which the index of ids is asked for one, and for what it lacks.
_SCANNED_PER_ROW = 2000
#: A missing vector among others counts as "bad" to the library; ours are missing until they are embedded.
_NULLS = "null"


class SectionTable:
    """The sections table in the folder `store_dir`; use `create` or `open`. A writer finishes its `upkeep` in the end."""

    def __init__(self, store_dir: Path, table: Any, fingerprint: Fingerprint, store_id: str, *, session: Any = None) -> None:
        self._dir = store_dir
        self._table = table
        self.fingerprint = fingerprint
        self.store_id = store_id
        self._schema = _table_schema(fingerprint)
        self._session = session
        self._snapshot: tuple[int, Self] | None = None
        self.upkeep = StatisticsUpkeep(store_dir, table, store_id)

    # -- opening -------------------------------------------------------------------------------------------------------

    @staticmethod
    def exists(store_dir: Path) -> bool:
        """Whether a table was ever created in `store_dir`."""
        return (store_dir / f"{TABLE_NAME}.lance").is_dir()

    @classmethod
    def create(cls, store_dir: Path, fingerprint: Fingerprint) -> Self:
        """Make an empty table; its primary key keeps two writers from inserting one section twice."""
        store_dir.mkdir(parents=True, exist_ok=True)
        stamp = json.dumps({**asdict(fingerprint), "store_id": uuid.uuid4().hex}, sort_keys=True)
        schema = _table_schema(fingerprint).with_metadata({_METADATA_KEY: stamp.encode()})
        with translate_storage_errors(store_dir):
            table = connect(store_dir, follow=True).create_table(TABLE_NAME, schema=schema)
            table.set_unenforced_primary_key("id")
            create_indexes(table)
        return cls.open(store_dir)

    @classmethod
    def open(cls, store_dir: Path, *, expected: Mapping[str, Any] | None = None) -> Self:
        """Open the table and compare its fingerprint with the `expected` values, by field name.

        Raises:
            IndexNotFoundError: there is none.
            IndexIncompatibleError: it was made with other values, or by another version of Sectionary.
            IndexDamagedError: it cannot be read.
            IndexUntrustedError: a link is among its files.
        """
        index_dir = store_dir.parent
        if not cls.exists(store_dir):
            raise IndexNotFoundError(f"There is no index in {index_dir}; make one with `index FOLDER`.", index_dir=index_dir)
        refuse_links(store_dir, index_dir=index_dir)
        found = read_manifests(store_dir / f"{TABLE_NAME}.lance")
        if found.leads_out:
            raise IndexUntrustedError(
                f"The index in {index_dir} has files elsewhere ({found.leads_out}), which are not read; delete the index "
                "folder and run `index FOLDER` again.",
                index_dir=index_dir,
            )
        if found.unreadable:
            raise IndexDamagedError(
                f"The index in {index_dir} is damaged ({found.unreadable} cannot be read); repair it with `index verify "
                "--repair`, or rebuild it with `index FOLDER --rebuild`.",
                index_dir=index_dir,
            )
        session = new_session()
        with translate_storage_errors(store_dir):
            table = connect(store_dir, follow=True, session=session).open_table(TABLE_NAME)
        return cls._of(store_dir, table, expected or {}, session)

    @classmethod
    def _of(cls, store_dir: Path, table: Any, expected: Mapping[str, Any], session: Any) -> Self:
        index_dir = store_dir.parent
        with translate_storage_errors(store_dir):
            schema = table.schema
        try:
            found = json.loads((schema.metadata or {}).get(_METADATA_KEY, b""))
            store_id = str(found.pop("store_id"))
            check_fingerprint(found, expected, index_dir=index_dir)
            made = Fingerprint(**found)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise IndexDamagedError(
                f"The index in {index_dir} does not say what made it; rebuild it with `index FOLDER --rebuild`.",
                index_dir=index_dir,
            ) from error
        if set(schema.metadata) != {_METADATA_KEY} or any(
            not entry[0].startswith(_LIBRARYS_OWN) and (field.name, entry) != (_UNCOMPRESSED, _NO_COMPRESSION)
            for field in schema
            for entry in (field.metadata or {}).items()
        ):  # the library would run what an entry of its own names there
            raise IndexUntrustedError(
                f"The index in {index_dir} holds settings that Sectionary did not write; delete the index folder and run "
                "`index FOLDER` again.",
                index_dir=index_dir,
            )
        if [(field.name, field.type) for field in schema] != [(f.name, f.type) for f in _table_schema(made)]:
            raise IndexDamagedError(
                f"The index in {index_dir} has other columns than Sectionary gives it; rebuild it with "
                "`index FOLDER --rebuild`.",
                index_dir=index_dir,
            )
        return cls(store_dir, table, made, store_id, session=session)

    def snapshot(self) -> Self:
        """The table as it is now, unmoved by later commits: what one answer is read from.

        The same object is given while nothing is committed. Its files may be removed a minute after a later commit.
        """
        version = self.version
        if self._snapshot is None or self._snapshot[0] != version:
            with translate_storage_errors(self._dir):
                table = connect(self._dir, follow=False, session=self._session).open_table(TABLE_NAME)
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
            IndexIncompatibleError: they are such.
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

            def batches() -> Iterator[pa.RecordBatch]:  # as Arrow all of them would take many times their memory
                try:
                    for start in range(0, len(distinct), _SCAN_ROWS):
                        fresh = self._prepared(distinct[start : start + _SCAN_ROWS])
                        if change is not None:
                            change.add(fresh["terms"].to_pylist())
                        yield from fresh.to_batches()
                except Exception as error:
                    faults.append(error)
                    raise

            try:
                with self.upkeep.adding() as change, translate_storage_errors(self._dir):
                    self._table.add(pa.RecordBatchReader.from_batches(self._schema, batches()), on_bad_vectors=_NULLS)
            except Exception:
                if faults:  # a row that cannot be stored is no damage of the index
                    raise faults[0] from None
                raise

    def replace_documents(self, paths: Sequence[str], rows: Sequence[StoredSection]) -> None:
        """Make `rows` all the sections of the documents `paths`, in one commit: never a half document."""
        if not rows:
            self.remove_documents(paths)
            return
        fresh = self._prepared(rows)
        old = [col("document_path").isin(some) for some in _portions(paths)]
        kept = set(fresh["id"].to_pylist())
        vanish = any(row["id"] not in kept for row in self._rows(["id"], "document_path", paths))
        with self.upkeep.replacing(old, fresh), translate_storage_errors(self._dir):
            merge = self._merge(fresh.num_rows).when_not_matched_insert_all()
            if vanish:  # for this every row of the table is compared
                merge = merge.when_not_matched_by_source_delete(col("document_path").isin(list(paths)))
            merge.execute(fresh, on_bad_vectors=_NULLS)

    def update(self, rows: Sequence[StoredSection], *, is_reworded: bool = True) -> None:
        """Rewrite sections that are still in the table, in one commit; the others are left out.

        Rows that are not reworded have the table's own terms: what is known of words stays as it is.
        """
        if rows:
            fresh = self._prepared(rows)
            reworded = fresh if is_reworded else fresh.slice(0, 0)
            old = [col("id").isin(some) for some in _portions(reworded["id"].to_pylist())]
            with self.upkeep.replacing(old, reworded, is_update=True), translate_storage_errors(self._dir):
                self._merge(fresh.num_rows).execute(fresh, on_bad_vectors=_NULLS)

    def remove_documents(self, paths: Sequence[str]) -> None:
        """Delete every section of the documents `paths`."""
        for some in _portions(paths):
            old = col("document_path").isin(some)
            with self.upkeep.replacing([old]), translate_storage_errors(self._dir):
                self._table.delete(old.to_sql())

    def optimize(self, *, force: bool = False) -> None:
        """Merge small files, bring the indexes up to date and remove old versions where it is worth it, or by `force`."""
        with translate_storage_errors(self._dir):
            optimize(self._table, self._dir, force=force)

    def is_worn(self, written: int) -> bool:
        """Whether a run that has written so many rows since it last did, and goes on, shall look after the table now."""
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
        """The rows at these places, 0..count - 1, intact or not; touches no other row's file, and no index."""
        with translate_storage_errors(self._dir):
            return from_arrow(checked(self._table.take_offsets(list(offsets)).to_arrow()))

    def everything(self) -> Iterator[StoredSection]:
        """Every row, intact or not, read from the data files, in no order."""
        with translate_storage_errors(self._dir):
            for batch in self._table.search().limit(EVERYTHING).to_batches(_SCAN_ROWS):
                yield from from_arrow(checked(pa.Table.from_batches([batch])))

    # -- reading -------------------------------------------------------------------------------------------------------

    def contents(self, columns: Sequence[str]) -> pa.Table:
        """These columns of every row, in no order."""
        with translate_storage_errors(self._dir):
            return checked(self._table.search().select(list(columns)).limit(EVERYTHING).to_arrow())

    @property
    def retrieval(self) -> Retrieval:
        """What the table's own indexes find in it as it is."""
        return Retrieval(self._dir, self._table)

    def links(self, paths: Sequence[str]) -> dict[str, list[SectionLink]]:
        """The outlines of documents, by path, each in reading order."""
        outlines: dict[str, list[SectionLink]] = {}
        for row in self._rows(LINK_COLUMNS, "document_path", paths):
            outlines.setdefault(row["document_path"], []).append(to_link(row))
        for outline in outlines.values():
            outline.sort(key=operator.attrgetter("position"))
        return outlines

    def stored(self, paths: Sequence[str]) -> list[StoredSection]:
        """Every section of the documents `paths` with its embedding."""
        return [row for some in _portions(paths) for row in self._stored(col("document_path").isin(some))]

    def sections(self, paths: Sequence[str]) -> list[Section]:
        """The sections of the documents `paths` without what their embeddings are made of, in reading order."""
        found = [to_section(row) for row in self._rows(SECTION_COLUMNS, "document_path", paths)]
        return sorted(found, key=lambda section: (section.document_path, section.position))

    def paths(self) -> set[str]:
        """The path of every document that has a section."""
        return set(self.retrieval.columns_where(["document_path"])["document_path"].unique().to_pylist())

    def embeddings(self, input_hashes: Sequence[str], *, without: Collection[str] = ()) -> dict[str, Embedding]:
        """Embeddings already made from these inputs, wherever they stand but in sections `without`, by input hash."""
        holders: dict[str, str] = {}
        for some in _portions(input_hashes):
            # thousands of rows may hold one input: of each hash only one row is read whole
            with translate_storage_errors(self._dir):
                found = self._table.search().where(col("input_hash").isin(some) & (col("is_dirty") == lit(False)))
                rows = checked(found.select(["id", "input_hash"]).limit(EVERYTHING).to_arrow())
            pairs = zip(rows["id"].to_pylist(), rows["input_hash"].to_pylist(), strict=True)
            holders.update((key, identity) for identity, key in pairs if identity not in without)
        rows_with = self.stored_by_id(list(holders.values()))
        return {row.input_hash: row.embedding for row in rows_with if row.embedding is not None}

    def dirty(self, *, limit: int, second: bool = False) -> list[DirtySection]:
        """The dirty sections, oldest first, then by document and position; or those that await only the second model."""
        with translate_storage_errors(self._dir):
            columns = ["id", "input_hash", "token_count", "updated_at", "document_path", "position"]
            found = self._table.search().where(_awaiting(second)).select(columns)
            rows = checked(found.limit(EVERYTHING).to_arrow())
        order = pc.sort_indices(rows, [(name, "ascending") for name in ("updated_at", "document_path", "position")])
        chosen = rows.select(["id", "input_hash", "token_count"]).take(order[:limit])
        return [DirtySection(*values) for values in zip(*(column.to_pylist() for column in chosen.columns), strict=True)]

    def stored_by_id(self, ids: Sequence[str]) -> list[StoredSection]:
        """The sections with these ids and their embeddings, in the order of the ids; missing ones are left out."""
        found = {row.section.id: row for some in _portions(ids) for row in self._stored(col("id").isin(some))}
        return [found[identity] for identity in ids if identity in found]

    def count(self) -> int:
        """Number of sections."""
        with translate_storage_errors(self._dir):
            return int(self._table.count_rows())

    def count_dirty(self, *, second: bool = False) -> int:
        """Number of dirty sections, or of those that await only the vectors of the second model."""
        with translate_storage_errors(self._dir):
            return int(self._table.count_rows(_awaiting(second).to_sql()))

    def count_summaries(self) -> int:
        """Number of sections that have a summary."""
        with translate_storage_errors(self._dir):
            return int(self._table.count_rows("summary is not null"))

    # -- inside --------------------------------------------------------------------------------------------------------

    def _prepared(self, rows: Sequence[StoredSection]) -> pa.Table:
        # the library inserts repeated keys of one batch twice without a word
        return to_arrow(list({row.section.id: row for row in rows}.values()), self._schema)

    def _merge(self, rows: int) -> Any:
        """The library's update of so many rows by id, to be added to and executed."""
        merge = self._table.merge_insert("id").when_matched_update_all()
        return merge.use_index(rows * _SCANNED_PER_ROW < self.count())

    def _stored(self, condition: Expr) -> list[StoredSection]:
        # a search that gives whole rows reads all of those whole that no index holds yet
        numbers = self.retrieval.columns_where(["id"], condition)[ROW].to_pylist()
        with translate_storage_errors(self._dir):
            rows = from_arrow(self.retrieval.columns_of(numbers, self._schema.names)) if numbers else []
            for row in rows:
                if not row.is_intact:
                    raise ValueError(f"section {row.section.id} is not as it was written")
        return rows

    def _rows(self, columns: Sequence[str], key: str, values: Sequence[str]) -> Iterator[dict[str, Any]]:
        for some in _portions(values):
            with translate_storage_errors(self._dir):
                found = self._table.search().where(col(key).isin(some)).select(list(columns))
                yield from checked(found.limit(EVERYTHING).to_arrow()).to_pylist()


def _table_schema(made: Fingerprint) -> pa.Schema:
    schema = get_sections_schema(made.dimension, made.second_dimension)
    schema = schema.set(0, schema.field(0).with_nullable(False))  # a primary key must not be nullable
    place = schema.get_field_index(_UNCOMPRESSED)
    return schema.set(place, schema.field(place).with_metadata(dict((_NO_COMPRESSION,))))


def _awaiting(second: bool) -> Expr:
    is_dirty = col("is_dirty") == lit(True)
    return (col("awaits_second") == lit(True)) & (col("is_dirty") == lit(False)) if second else is_dirty


def _portions(values: Iterable[str]) -> Iterator[list[str]]:
    everything = list(values)
    for start in range(0, len(everything), _FILTER_VALUES):
        yield everything[start : start + _FILTER_VALUES]
