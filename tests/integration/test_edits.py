"""Any series of edits leaves the index that a rebuild would make; failures and moves are told as they are."""

import json
import os
import random
import sqlite3
from dataclasses import asdict

import numpy as np
import pytest

from schema.index_files.layout import store_dir
from schema.storage.table import SectionTable

WORDS = "apple river stone cloud lamp engine glass paper winter".split()


def facts(row):
    """Everything of a row but its times and its vectors."""
    values = asdict(row.section)
    del values["created_at"], values["updated_at"]
    return values, row.input_hash, row.child_headings, dict(row.front_matter), row.embedding.windows, row.embedding.coverage


def some_document(chance):
    parts = ["---\ntags: [" + chance.choice(WORDS) + "]\n---\n"] if chance.random() < 0.3 else []
    for _ in range(chance.randint(0, 6)):
        parts.append("#" * chance.randint(1, 4) + " " + chance.choice(WORDS) + "\n\n")
        if chance.random() < 0.7:
            parts.append(" ".join(chance.choices(WORDS, k=chance.randint(1, 40))) + "\n\n")
    return "".join(parts)


def some_edit(project, chance):
    docs = project.home / "docs"
    files = sorted(p for p in docs.rglob("*.md"))
    action = chance.choice(["write", "write", "rename", "delete", "prepend", "swap"])
    if action == "write" or len(files) < 2:
        project.write(f"docs/{chance.choice('abc')}/{chance.choice(WORDS)}.md", some_document(chance))
    elif action == "rename":
        chance.choice(files).rename(docs / f"{chance.choice(WORDS)}.md")
    elif action == "delete":
        chance.choice(files).unlink()
    elif action == "prepend":
        place = chance.choice(files)
        place.write_text("\n" + place.read_text())
    else:
        one, two = chance.sample(files, 2)
        first, second = one.read_text(), two.read_text()
        one.write_text(second)
        two.write_text(first)


@pytest.mark.parametrize("seed", range(4))
def test_any_edits_leave_the_index_that_a_rebuild_makes(project, seed):
    chance = random.Random(seed)
    for name in WORDS[:4]:
        project.write(f"docs/{name}.md", some_document(chance))
    project.index()
    for _ in range(5):
        for _ in range(chance.randint(1, 3)):
            some_edit(project, chance)
        project.index()
    before = project.stored()
    project.indexer().rebuild(project.home / "docs")
    after = project.stored()
    assert before.keys() == after.keys()
    for identity, row in before.items():
        assert facts(row) == facts(after[identity])
        np.testing.assert_allclose(row.embedding.vector, after[identity].embedding.vector, atol=1e-6)
        np.testing.assert_allclose(row.embedding.window_vectors, after[identity].embedding.window_vectors, atol=1e-6)


def test_scan_and_dirty_in_steps_leave_the_index_that_one_run_makes(manual, tmp_path_factory):
    from indexer import Indexer

    manual.indexer().scan(manual.home / "docs")
    while manual.indexer().process_dirty(limit=2).sections_embedded:
        pass
    other = tmp_path_factory.mktemp("other")
    Indexer(other / "index", root=manual.home, embedder=manual.embedder).index(manual.home / "docs")
    whole = SectionTable.open(store_dir(other / "index"))
    expected = {row.section.id: facts(row) for row in whole.stored(sorted(whole.paths()))}
    assert {identity: facts(row) for identity, row in manual.stored().items()} == expected


def test_times_tell_when_a_section_came_and_when_its_text_changed(manual):
    manual.index()
    before = {row.section.heading: row.section for row in manual.stored().values()}
    guide = manual.home / "docs/guide.md"
    guide.write_text(guide.read_text().replace("Apples", "Pears"))
    manual.index()
    after = {row.section.heading: row.section for row in manual.stored().values()}
    assert after["First child"].created_at == before["First child"].created_at < after["First child"].updated_at
    assert after["Second child"].updated_at == before["Second child"].updated_at


def test_paths_that_overlap_index_each_file_once(manual):
    report = manual.index("docs", "docs/sub", "docs/sub/notes.md")
    assert (report.documents_added, report.sections_added, len(manual.stored())) == (2, 9, 9)


def test_equal_headings_are_sections_of_their_own(project):
    project.write("docs/a.md", "# Same\n\none\n\n# Same\n\ntwo\n\n# Same\n\nthree\n")
    assert project.index().sections_added == 3
    assert sorted(row.section.body for row in project.stored().values()) == ["one", "three", "two"]


def test_other_line_ends_embed_nothing(project):
    project.write("docs/a.md", "# One\n\nx\n")
    project.index()
    project.write("docs/a.md", "# One\r\n\r\nx\r\n")
    assert project.index().sections_embedded == 0


def test_front_matter_of_any_kind_is_kept_as_json(project):
    text = (
        "---\ndate: 2024-01-01\nscore: .nan\nbig: 99999999999999999999999\n1: [a, {b: c}]\ntags: [One, null, 3]\n---\n# A\n"
    )
    project.write("docs/a.md", text)
    project.index()
    info = project.engine().documents()[0]
    assert info.tags == ("One", "3")
    assert {**info.front_matter, "score": "nan"} == {
        "date": "2024-01-01", "score": "nan", "big": 99999999999999999999999, "1": ["a", {"b": "c"}], "tags": ["One", None, "3"],
    }  # fmt: skip


def test_report_is_plain_json(manual):
    os.mkfifo(manual.home / "docs/pipe.md")
    report = json.loads(json.dumps(asdict(manual.index())))
    assert report["failed"] == [{"path": "docs/pipe.md", "reason": "it is not a regular file (a pipe, socket or device)"}]
    assert (report["documents_added"], report["sections_embedded"], report["warnings"]) == (2, 9, [])


@pytest.mark.parametrize("kind", ["pipe", "big", "dangling", "folder"])
def test_document_whose_file_turned_bad_keeps_its_sections(manual, kind):
    manual.write("sectionary.toml", "max_file_bytes = 1000\n")
    manual.index()
    place = manual.home / "docs/guide.md"
    place.unlink()
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "big":
        place.write_bytes(b"# Big\n" + b"x" * 1000)
    elif kind == "dangling":
        place.symlink_to("nowhere.md")
    else:
        place.mkdir()
    report = manual.index()
    kept = {row.section.heading for row in manual.stored().values() if row.section.document_path == "docs/guide.md"}
    if kind == "folder":  # a folder of that name holds no document of that name
        assert (report.failed, kept) == ([], set())
    else:
        assert ([f.path for f in report.failed], "Linux" in kept) == (["docs/guide.md"], True)


def test_name_that_is_not_utf8_is_a_failure_and_the_rest_is_done(project):
    project.write("docs/b.md", "# B\n")
    with open(os.fsencode(project.home) + b"/docs/\xff.md", "wb") as stream:
        stream.write(b"# A\n")
    report = project.index()
    assert [(f.path, f.reason) for f in report.failed] == [("docs/?.md", "the name is not valid UTF-8; rename the file")]
    assert report.documents_added == 1


def test_rebuild_tells_each_failure_once(manual):
    os.mkfifo(manual.home / "docs/pipe.md")
    manual.index()
    assert [f.path for f in manual.indexer().rebuild(manual.home / "docs").failed] == ["docs/pipe.md"]


def test_failure_of_a_file_that_is_gone_is_forgotten(manual):
    os.mkfifo(manual.home / "docs/pipe.md")
    manual.index()
    (manual.home / "docs/pipe.md").unlink()
    manual.index()
    with sqlite3.connect(store_dir(manual.index_dir) / "ledger.sqlite") as manifest:
        assert manifest.execute("select path from failures").fetchall() == []


def test_damaged_manifest_costs_a_reading_and_no_embedding(manual):
    manual.index()
    (store_dir(manual.index_dir) / "ledger.sqlite").write_bytes(b"junk" * 1000)
    report = manual.index()
    assert (report.documents_updated, report.sections_unchanged, report.sections_embedded) == (2, 9, 0)


def test_killed_rebuild_leaves_a_searchable_index_for_the_next_run(manual):
    manual.index()
    os.rename(store_dir(manual.index_dir), manual.index_dir / "store.old")
    assert manual.index().sections_embedded == 0
    assert manual.engine().search("penguins")[0].section.heading == "Linux"


def test_section_edited_after_a_scan_is_embedded_as_it_is_now(manual):
    manual.indexer().scan(manual.home / "docs")
    guide = manual.home / "docs/guide.md"
    guide.write_text(guide.read_text().replace("Apples are red", "Cherries are sweet"))
    manual.indexer().scan(manual.home / "docs")
    assert manual.indexer().process_dirty().sections_embedded == 9
    hit = manual.engine().search("cherries sweet", mode="dense")[0]
    assert (hit.section.heading, hit.is_dirty) == ("First child", False)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_pipes_in_place_of_settings_hold_up_no_run(manual):
    (manual.home / "docs" / ".obsidian").mkdir()
    os.mkfifo(manual.home / "docs" / ".obsidian" / "templates.json")
    os.mkfifo(manual.home / "pyproject.toml")
    assert manual.indexer().scan(manual.home / "docs").documents_added == 2
