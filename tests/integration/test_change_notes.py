"""What runs note of changes: times of sections, what was removed, and when a run changed something."""

import os
import random
import sqlite3
from dataclasses import replace

import pytest

import schema.index_files.changes
from indexer.sync.change_notes import removed_section
from schema.clock import now
from schema.errors import IndexStoreError
from schema.index_files.changes import ChangeFile, RecordedChanges, read_changes
from schema.index_files.layout import changes_path, store_dir
from schema.index_files.sqlite import delete_sqlite
from schema.storage.table import SectionTable
from tests.integration.test_faults import data_files


def table_of(project):
    return SectionTable.open(store_dir(project.index_dir.resolve()))


def said(project):
    table = table_of(project)
    return read_changes(changes_path(table.store_dir), store_id=table.store_id)


def removed(project):
    return [(one.document_path, one.heading) for one in said(project).removed]


def times(project):
    return {key: (row.section.created_at, row.section.updated_at) for key, row in project.stored().items()}


def test_a_run_that_changes_nothing_is_not_noted(manual):
    manual.index()
    (first,) = said(manual).runs
    os.utime(manual.home / "docs/guide.md")
    manual.index()
    assert said(manual).runs == (first,)


def test_removed_sections_are_noted_with_their_documents_and_headings(manual):
    manual.index()
    guide = (manual.home / "docs/guide.md").read_text()
    manual.write("docs/guide.md", guide.replace("### Linux\n\nPenguins need a special crank.\n", ""))
    manual.index()
    assert removed(manual) == [("docs/guide.md", "Linux")]
    (manual.home / "docs/sub/notes.md").unlink()
    manual.index()
    assert len(said(manual).runs) == 3
    assert sorted(removed(manual)) == [
        ("docs/guide.md", "Linux"),
        *(("docs/sub/notes.md", heading) for heading in ("検索エンジン", "検索エンジン", "검색 안내")),
    ]


def test_a_rebuild_changes_no_time_of_a_section_with_the_same_text(manual, make_embedder):
    manual.index()
    before, first = times(manual), said(manual)
    manual.indexer(embedder=make_embedder("other-32")).rebuild()
    assert times(manual) == before
    assert said(manual) == first


def test_a_rebuild_of_a_damaged_table_keeps_the_times_of_what_can_still_be_read(manual):
    manual.index("docs/guide.md")
    known = set(data_files(manual))
    manual.index("docs/sub")
    before = times(manual)
    for place in set(data_files(manual)) - known:
        place.write_bytes(b"")
    with pytest.raises(IndexStoreError):
        times(manual)
    manual.indexer().rebuild()
    kept = {key for key, value in times(manual).items() if before[key] == value}
    assert {manual.stored()[key].section.document_path for key in kept} == {"docs/guide.md"}
    assert len(kept) == sum(row.section.document_path == "docs/guide.md" for row in manual.stored().values())


def test_a_rebuild_notes_what_is_new_and_what_is_gone(manual):
    manual.index()
    before = times(manual)
    guide = (manual.home / "docs/guide.md").read_text()
    manual.write("docs/guide.md", guide.replace("### Linux\n\nPenguins need a special crank.\n", "### BSD\n\nDaemons.\n"))
    manual.indexer().rebuild()
    after = times(manual)
    new = {key for key, value in after.items() if before.get(key) != value}
    assert {manual.stored()[key].section.heading for key in new} == {"BSD"}
    assert removed(manual) == [("docs/guide.md", "Linux")]
    assert len(said(manual).runs) == 2


def test_earlier_notes_outlive_a_rebuild(manual):
    manual.index()
    (manual.home / "docs/sub/notes.md").unlink()
    manual.index()
    before = said(manual)
    manual.indexer().rebuild()
    assert said(manual) == before


def test_a_changed_text_keeps_when_it_was_made(manual):
    manual.index()
    before = times(manual)
    guide = (manual.home / "docs/guide.md").read_text()
    manual.write("docs/guide.md", guide.replace("Apples are red", "Apples are green"))
    manual.index()
    changed = {key: value for key, value in times(manual).items() if value != before[key]}
    ((key, (created, updated)),) = changed.items()
    assert created == before[key][0] < updated


def test_front_matter_alone_changes_no_section(manual):
    manual.index()
    before, runs = times(manual), said(manual).runs
    guide = (manual.home / "docs/guide.md").read_text()
    manual.write("docs/guide.md", guide.replace("tags: [guide, API]", "tags: [other]"))
    manual.index()
    assert (times(manual), said(manual).runs) == (before, runs)


@pytest.mark.parametrize("damage", ["missing", "junk", "other tables", "other table's", "a view"])
def test_a_damaged_file_says_nothing_and_is_made_again(manual, damage):
    manual.index()
    path = changes_path(store_dir(manual.index_dir.resolve()))
    if damage == "missing":
        path.unlink()
    elif damage == "junk":
        path.write_bytes(b"junk" * 5000)
    else:
        with sqlite3.connect(path) as file:
            file.execute(
                {
                    "other tables": "alter table removed add column more",
                    "other table's": "update facts set value = 'other' where name = 'store'",
                    "a view": "create view endless as select 1",
                }[damage]
            )
    if damage != "a view":
        assert said(manual) == RecordedChanges()
    (manual.home / "docs/sub/notes.md").unlink()
    moment = now()
    assert manual.index().failed == []
    assert len(said(manual).runs) == 1
    assert len(removed(manual)) == 3
    assert said(manual).complete_since >= moment


def test_rows_that_make_no_sense_are_not_read(manual):
    manual.index()
    rows = [
        ("x", b"a", "b", 1, 5),
        ("x", "a" * 20_000, "b", 1, 5),
        ("x", "a", "b", "c", 5),
        ("x", "a", "b", 1, "y"),
        ("x", "a", "b", 1, 1 << 62),
    ]
    with sqlite3.connect(changes_path(store_dir(manual.index_dir.resolve()))) as file:
        for number, row in enumerate(rows):
            file.execute("insert into removed values (?, ?, ?, ?, ?)", (f"{number}", *row[1:]))
    assert said(manual).removed == ()
    assert len(said(manual).runs) == 1


def test_a_file_that_cannot_be_written_fails_no_run(manual, caplog):
    manual.index()
    path = changes_path(store_dir(manual.index_dir.resolve()))
    path.unlink()
    path.mkdir()
    (manual.home / "docs/sub/notes.md").unlink()
    assert manual.index().sections_removed == 3
    assert "what changed in the index was not noted" in caplog.text


def test_the_newest_removed_sections_are_kept_and_the_file_says_since_when(manual, tmp_path, monkeypatch):
    monkeypatch.setattr(schema.index_files.changes, "MAX_REMOVED", 3)
    manual.index()
    rows = sorted(manual.stored().values(), key=lambda row: (row.section.document_path, row.section.position))
    sections = [removed_section(row.section) for row in rows]
    path = tmp_path / "changes.sqlite"
    moments = [now()] * 2
    with ChangeFile(path, store_id="s") as file:
        file.note(moments[0], sections[:2])
        later = moments[0].replace(year=moments[0].year + 1)
        file.note(later, sections[2:5])
    found = read_changes(path, store_id="s")
    assert sorted(one.heading for one in found.removed) == sorted(one.heading for one in sections[2:5])
    assert moments[0] < found.complete_since <= later


def test_random_damage_of_the_file_ends_neither_a_reader_nor_a_writer(manual, tmp_path):
    manual.index()
    sections = [removed_section(row.section) for row in manual.stored().values()]
    whole = tmp_path / "whole.sqlite"
    with ChangeFile(whole, store_id="s") as file:
        for day in range(1, 60):
            moment = now().replace(year=2020 + day)
            file.note(moment, [replace(one, id=f"{day}{one.id}", heading=f"{one.heading} {day}" * 20) for one in sections])
    content = whole.read_bytes()
    path = tmp_path / "changes.sqlite"
    for seed in range(40):
        chance = random.Random(seed)
        hurt = bytearray(content)
        for _ in range(chance.choice([1, 5, 50])):
            at = chance.randrange(len(hurt))
            hurt[at : at + 8] = chance.randbytes(8)
        path.write_bytes(hurt[: chance.choice([len(hurt), chance.randrange(len(hurt))])])
        read_changes(path, store_id="s")
        with ChangeFile(path, store_id="s") as file:
            file.note(now(), sections)
        assert set(sections) <= {replace(one, at=None) for one in read_changes(path, store_id="s").removed}
        delete_sqlite(path)
