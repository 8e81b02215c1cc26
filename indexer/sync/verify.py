"""Files, table, manifest, statistics and indexes → every difference between them; reads all of each and writes nothing.

The expected sections are made from the files, as an index run would. Vectors are not made again: they must be there, have
the right shape and length, and be as they were written, like all other values.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from indexer.found import Discovery
from indexer.reading import FoundFile, read_file
from indexer.sync.documents import Documents
from indexer.sync.plan import plan_document
from schema.clock import now
from schema.errors import ConversionError, IndexDamagedError
from schema.index_files import stored_links as links_of
from schema.index_files.layout import is_being_written, links_path, manifest_path, statistics_path
from schema.index_files.manifest import FileRecord, read_manifest
from schema.index_files.statistics import find_fault
from schema.index_files.term_counts import Sums
from schema.reports import Difference, Failure, IndexReport, VerifyReport
from schema.results import Window
from schema.storage.rows import StoredSection
from schema.storage.table import SectionTable
from schema.text.fields import first_key, section_terms

#: At least this many names are looked up in the index of the terms, if there are as many, and less than twice as many.
_NAMES_ASKED = 1000
#: How far a vector's length may be from 1 (float32, and models in bfloat16).
_UNIT = 1e-2


def repaired(
    before: VerifyReport, ways: Sequence[Callable[[], IndexReport]], check: Callable[[], VerifyReport]
) -> VerifyReport:
    """Try ways of repairing in turn until nothing of what differed is left; return what differs after that.

    Raises:
        IndexDamagedError: the last way found the index damaged.
    """
    for way in ways:
        try:
            report = way()
            after = check()
        except IndexDamagedError:
            if way is ways[-1]:
                raise
            continue
        if report.stopped or after.stopped:
            after = replace(after, stopped=True)
            break
        if not any(each.kind == "unreadable" or each in before.differences for each in after.differences):
            break  # what differs now has changed since
    return replace(after, repaired=before.differences, failed=tuple({*after.failed, *report.failed}))


class _Stored:
    """What the table holds, in little memory: a digest of each section by document, and what is wrong with single rows.

    `holders`: for each indexed column, the ids of the sections with each value. `names`: the same for names in the terms.
    """

    def __init__(self) -> None:
        self.digests: dict[str, dict[str, bytes]] = {}
        self.holders: dict[str, dict[str, set[str]]] = {"id": {}, "document_path": {}, "input_hash": {}}
        self.names: dict[str, set[str]] = {}
        self.wrong: list[Difference] = []
        self.sums = Sums()
        self.count = 0
        self.dirty = 0

    def take(self, row: StoredSection) -> None:
        """Note a row, and what is wrong with it without a look at its file."""
        section = row.section
        self.count += 1
        self.dirty += section.is_dirty
        self.sums.take(row.terms)
        document = self.digests.setdefault(section.document_path, {})
        if section.id in document:
            self.wrong.append(Difference(section.document_path, "duplicate", f"section {section.id} is there twice"))
        document[section.id] = _digest(row)
        if not row.is_intact:
            self.wrong.append(Difference(section.document_path, "unreadable", f"{_name(row)} is not as it was written"))
        if row.terms != section_terms(section, row.front_matter):
            self.wrong.append(Difference(section.document_path, "changed", f"the terms of {_name(row)} are not its text's"))
        name = first_key(row.terms or "")
        if name:
            self.names.setdefault(name, set()).add(section.id)
        fault = _vector_fault(row)
        if fault:
            self.wrong.append(Difference(section.document_path, "vector", f"{_name(row)}: {fault}"))
        for column, value in (
            ("id", section.id),
            ("document_path", section.document_path),
            ("input_hash", row.input_hash),
        ):
            if value:
                self.holders[column].setdefault(value, set()).add(section.id)

    def report(self, differences: Iterable[Difference], failed: Iterable[Failure], *, stopped: bool = False) -> VerifyReport:
        """Return the report with these differences and failures, each difference once."""
        return VerifyReport(
            documents=len(self.holders["document_path"]),
            sections=self.count,
            dirty=self.dirty,
            differences=tuple(sorted(set(differences))),
            failed=tuple(failed),
            stopped=stopped,
        )


def find_differences(
    store: Path, found: Discovery, documents: Documents, *, should_stop: Callable[[], bool], is_alone: bool = False
) -> VerifyReport:
    """Compare the index in the folder `store` with the files `found` under all paths it was made from.

    Once `should_stop` is true, which is asked for each row and each file, the report has what was found until then.

    `is_alone`: the caller holds the writer's lock. Otherwise another process may be writing, and a difference in the
    statistics may be one that it has not written yet: it is not reported then.
    """
    stored = _Stored()
    try:
        newest = SectionTable.open(store)
        table = newest.snapshot()
        for row in table.everything():
            if should_stop():
                return stored.report(stored.wrong, found.failed, stopped=True)
            stored.take(row)
        differences = [*stored.wrong, *_index_faults(table, stored)]
        fault = find_fault(statistics_path(store), stored.sums, store_id=table.store_id)
        is_still = is_alone or (not is_being_written(store.parent) and newest.version == table.version)
        if fault is not None and is_still:
            differences.append(Difference("", "statistics", f"the statistics {fault}"))
        links_fault = links_of.find_fault(links_path(store), store_id=table.store_id) if stored.count else None
        if links_fault is not None and is_still:
            differences.append(Difference("", "links", f"the links {links_fault}"))
        if stored.count != table.count():
            differences.append(Difference("", "unreadable", f"{table.count()} rows are counted, {stored.count} can be read"))
    except IndexDamagedError as error:
        return stored.report((*stored.wrong, Difference("", "unreadable", str(error.__cause__ or error))), found.failed)
    records = read_manifest(manifest_path(store)).files
    documents.find(found)
    failed = list(found.failed)
    for file in found.files:
        if should_stop():
            return stored.report(differences, failed, stopped=True)
        try:
            differences.extend(_document(file, stored.digests.pop(file.path, {}), records.get(file.path), documents))
        except (OSError, ValueError) as error:
            failed.append(Failure(file.path, f"it cannot be read: {error}"))
        except ConversionError as error:
            failed.append(Failure(file.path, f"it {error.reason}"))
    unread = {failure.path for failure in failed}
    differences.extend(
        Difference(path, "orphan", f"{len(sections)} sections, but there is no such file to index")
        for path, sections in stored.digests.items()
        if path not in unread and "." not in unread and not any(path.startswith(f"{folder}/") for folder in unread)
    )
    return stored.report(differences, failed)


def _document(
    file: FoundFile, stored: dict[str, bytes], record: FileRecord | None, documents: Documents
) -> Iterator[Difference]:
    """Yield the differences of one document, also between its file and the manifest."""
    data = read_file(file)
    split = documents.split(file.path, data)
    rows = plan_document(split.sections, front_matter=split.front_matter, stored={}, reusable={}, now=now()).rows
    has_same_times = record is not None and (record.mtime_ns, record.ctime_ns) == (file.mtime_ns, file.ctime_ns)
    if has_same_times and record is not None and record.hash != hashlib.sha256(data).hexdigest():
        yield Difference(file.path, "changed", "the file is not what the manifest says, though its times are")
    expected = {row.section.id: row for row in rows}
    absent = [row for identity, row in expected.items() if identity not in stored]
    other = [row for identity, row in expected.items() if identity in stored and stored[identity] != _digest(row)]
    if absent:
        yield Difference(file.path, "missing", f"{_named(absent)} not in the index")
    if other:
        yield Difference(file.path, "changed", f"{_named(other)} not as the file has it")
    extra = len(stored.keys() - expected.keys())
    if extra:
        yield Difference(file.path, "orphan", f"{extra} section{'s are' if extra > 1 else ' is'} not in the file any more")


def _index_faults(table: SectionTable, stored: _Stored) -> Iterator[Difference]:
    """Yield a difference for each index that is missing, cannot be read or does not find every row with a value."""
    for column, holders in stored.holders.items():
        try:
            lost = table.indexes.not_finding(column, holders)
        except IndexDamagedError as error:
            yield Difference("", "index", f"{column} cannot be looked up: {error.__cause__ or error}", column)
            continue
        if lost:
            yield Difference("", "index", f"{column} does not find {len(lost)} sections", column)
    for column in table.indexes.missing():
        yield Difference("", "index", f"{column} has no index, which a table of this size has", column)
    some = dict(islice(stored.names.items(), 0, None, max(1, len(stored.names) // _NAMES_ASKED)))
    try:
        lost = table.indexes.not_finding_terms(some)
    except IndexDamagedError as error:
        yield Difference("", "index", f"terms cannot be looked up: {error.__cause__ or error}", "terms")
        return
    if lost:
        yield Difference("", "index", f"terms does not find {len(lost)} of {len(some)} sections by their names", "terms")


def _digest(row: StoredSection) -> bytes:
    """Return a digest of all values of a row that follow from the files."""
    s = row.section
    facts = (
        s.id, s.document_path, s.heading, s.depth, s.content, s.token_count, s.parent_id, s.order, s.document_hash,
        s.heading_path, s.anchor, s.start_line, s.end_line, s.start, s.end, s.body_start, s.position, s.section_number,
        s.content_hash, s.document_title, s.tags, s.hidden, s.place, row.input_hash, row.child_headings, row.prose_below,
        row.language, json.dumps(row.front_matter, sort_keys=True, default=str),
    )  # fmt: skip
    return hashlib.sha256(repr(facts).encode("utf-8", "surrogatepass")).digest()


def _vector_fault(row: StoredSection) -> str | None:
    embedding = row.embedding
    if embedding is None:
        return None if row.section.is_dirty else "it has no vector, but is not dirty"
    others = [vectors for vectors in (embedding.second, embedding.heading) if vectors is not None]
    with np.errstate(over="ignore", invalid="ignore"):  # damaged vectors may hold any number
        lengths = [np.linalg.norm(embedding.window_vectors, axis=1), [np.linalg.norm(embedding.vector)]]
        lengths.extend(np.linalg.norm(np.atleast_2d(vectors), axis=1) for vectors in others)
    if len(embedding.windows) != len(embedding.window_vectors) or not embedding.windows:
        return f"it has {len(embedding.windows)} windows, but {len(embedding.window_vectors)} vectors of them"
    if not np.abs(np.concatenate(lengths) - 1).max() <= _UNIT:  # so written that NaN fails too
        return "its vectors are not of unit length"
    if embedding.second is not None and len(embedding.second) != len(embedding.windows):
        return f"it has {len(embedding.windows)} windows, but {len(embedding.second)} vectors of the second model"
    if not 0 <= embedding.coverage <= 1:
        return f"its model coverage is {embedding.coverage}, not 0 to 1"
    text = row.section.body.replace("\r\n", "\n")
    if not row.section.is_dirty and not _covers(embedding.windows, text):
        return "its windows are not those of its text"
    return None


def _covers(windows: Sequence[Window], text: str) -> bool:
    """Whether windows are parts of a text, in its order, and leave out no word."""
    end = 0
    for window in windows:
        if not 0 <= window.start <= window.end <= len(text) or window.end < end or _has_word(text[end : window.start]):
            return False
        end = window.end
    # the last window ends with the text; a text without a token has one empty window
    return end == len(text) or (end == 0 and not _has_word(text))


def _has_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _named(rows: Sequence[StoredSection]) -> str:
    """Return the subject of a sentence about rows: the first one's name, and how many more there are."""
    first = _name(rows[0])
    return f"{first} is" if len(rows) == 1 else f"{first} and {len(rows) - 1} more are"


def _name(row: StoredSection) -> str:
    return f"section {row.section.id} ({' > '.join(row.section.breadcrumb)})"
