"""Damaged index folders: every door ends in a sentence, and repair or a rebuild makes the index true again."""

from dataclasses import replace

import numpy as np
import pytest

from schema.errors import IndexDamagedError, IndexStoreError
from schema.index_files.layout import store_dir
from schema.results import Window
from schema.storage.table import SectionTable
from tests.integration.test_edits import facts
from tests.integration.test_faults import data_files
from tests.lance_tables import lance_table


def newest_manifest(project):
    places = (store_dir(project.index_dir) / "sections.lance" / "_versions").glob("*.manifest")
    return max(places, key=lambda place: place.stat().st_mtime_ns)


@pytest.fixture
def panicking(manual):
    """An index whose newest manifest makes the library panic; what its rows were."""
    manual.index()
    manual.expected = {identity: facts(row) for identity, row in manual.stored().items()}
    place = newest_manifest(manual)
    place.write_bytes(place.read_bytes().replace(b"string", b"strin\x06"))
    return manual


def test_panic_of_the_library_is_a_sentence_to_readers(panicking):
    for read in (panicking.engine, panicking.indexer().status):
        with pytest.raises(IndexDamagedError, match="is damaged"):
            read()
    assert [d.kind for d in panicking.indexer().verify().differences] == ["unreadable"]


@pytest.mark.parametrize("way", ["index", "rebuild", "repair"])
def test_panic_of_the_library_stops_no_repair(panicking, way):
    if way == "repair":
        panicking.indexer().verify(repair=True)
    else:
        getattr(panicking.indexer(), way)(panicking.home / "docs")
    assert {identity: facts(row) for identity, row in panicking.stored().items()} == panicking.expected
    assert panicking.indexer().verify().differences == ()


def test_repair_of_an_index_that_has_lost_its_table_and_its_manifest_goes_by_its_roots(manual):
    manual.index()
    (store_dir(manual.index_dir) / "ledger.sqlite").unlink()
    for place in data_files(manual):
        place.unlink()
    assert manual.indexer().verify(repair=True).differences == ()
    assert len(manual.stored()) == 9


def test_repair_of_an_index_that_does_not_know_its_files_asks_for_a_rebuild(manual):
    manual.index()
    (manual.index_dir / "roots.json").unlink()
    (store_dir(manual.index_dir) / "ledger.sqlite").unlink()
    for place in data_files(manual):
        place.unlink()
    for repair in (False, True):
        with pytest.raises(IndexDamagedError, match="does not know what it was made from; rebuild it with `index FOLDER"):
            manual.indexer().verify(repair=repair)
    with pytest.raises(IndexDamagedError, match="--rebuild"):
        manual.indexer().process_dirty()
    manual.indexer().rebuild(manual.home / "docs")
    assert manual.indexer().verify().differences == ()
    assert len(manual.stored()) == 9


def test_repair_that_meets_damage_on_its_way_makes_the_index_again(manual, monkeypatch):
    manual.index()
    expected = {identity: facts(row) for identity, row in manual.stored().items()}
    real = SectionTable.links
    (manual.home / "docs/guide.md").write_text("# Other\n\nText.\n")

    def broken(self, paths):
        monkeypatch.setattr(SectionTable, "links", real)
        raise IndexDamagedError("The index is damaged.", index_dir=manual.index_dir)

    monkeypatch.setattr(SectionTable, "links", broken)
    report = manual.indexer().verify(repair=True)
    assert report.differences == ()
    assert len(manual.stored()) < len(expected)


def stamped(project, stamp):
    """Write other words into the table's own description of what made it."""
    known = lance_table(store_dir(project.index_dir)).schema.metadata[b"sectionary"]
    place = newest_manifest(project)
    place.write_bytes(place.read_bytes().replace(known, stamp.ljust(len(known))))
    assert stamp.strip() in place.read_bytes()


STAMPS = [
    b"", b"[]", b"{}", b'"text"', b"[" * 100, b"{\xff}", b'{"store_id": 1, "schema_version": 4, "dimension": 1e9}',
    b'{"store_id":"a","dimension":9999999999999,"model":"words-32","token_encoding":"cl100k_base","schema_version":4}',
    b'{"store_id":"a","dimension":-1,"model":"words-32","token_encoding":"cl100k_base","schema_version":4}',
    b'{"store_id":"a","dimension":31,"model":"words-32","token_encoding":"cl100k_base","schema_version":4}',
    b'{"store_id":"a","dimension":32,"model":["words-32"],"token_encoding":null,"schema_version":4}',
]  # fmt: skip


@pytest.mark.parametrize("stamp", STAMPS)
def test_index_that_says_nonsense_of_what_made_it_is_a_sentence(manual, stamp):
    manual.index()
    stamped(manual, stamp)
    for read in (manual.engine, manual.indexer().status):
        with pytest.raises(IndexStoreError, match="--rebuild"):
            read()
    manual.indexer().rebuild(manual.home / "docs")
    assert manual.indexer().verify().differences == ()


def test_folders_in_the_index_folder_are_counted_however_deep(manual, deep_folders):
    manual.index()
    before = manual.indexer().status().disk_bytes
    deep_folders(manual.index_dir, 1200)
    assert manual.indexer().status().disk_bytes > before


LONG = "# Long\r\n\r\n" + "".join(f"Sentence {i} has words.\r\n" for i in range(40))


def windows_in_text(project):
    """The text of each window, by section, as the table's offsets cut it."""
    table = SectionTable.open(store_dir(project.index_dir))
    found = {}
    for row in table.contents(("id", "content", "body_start", "windows")).to_pylist():
        body = row["content"][row["body_start"] :].strip()
        found[row["id"]] = [body[window["start"] : window["end"]] for window in row["windows"]]
    return found


@pytest.mark.parametrize(("before", "after"), [("\r\n", "\n"), ("\n", "\r\n"), ("\n", "\r"), ("\r", "\r\n")])
def test_windows_stay_on_their_text_when_only_line_ends_change(project, before, after):
    project.write("docs/a.md", LONG.replace("\r\n", before))
    project.index()
    texts = windows_in_text(project)
    project.write("docs/a.md", LONG.replace("\r\n", after))
    assert project.index().sections_embedded == 0
    [windows] = windows_in_text(project).values()
    assert len(windows) > 5
    assert [text.replace(after, before) for text in windows] == next(iter(texts.values()))
    assert project.indexer().verify().differences == ()


def test_equal_texts_with_other_line_ends_share_vectors_and_have_their_own_windows(project):
    project.write("docs/a.md", LONG)
    project.write("docs/b.md", LONG.replace("\r\n", "\n"))
    assert project.index().sections_embedded == 1
    one, other = windows_in_text(project).values()
    assert one != other
    assert [text.replace("\r\n", "\n") for text in one] == [text.replace("\r\n", "\n") for text in other]


def written_again(project, change):
    """Write every row again as `change` makes it, with a checksum that fits."""
    table = SectionTable.open(store_dir(project.index_dir))
    table.update([change(row) for row in table.everything()])


@pytest.mark.parametrize("shift", [(0, 3), (0, -3), (4, 0)])
def test_windows_that_are_not_those_of_their_text_are_found_and_repaired(project, shift):
    project.write("docs/a.md", LONG)
    project.index()

    def shifted(row):
        windows = tuple(Window(w.start + shift[0], w.end + shift[1]) for w in row.embedding.windows)
        return replace(row, embedding=replace(row.embedding, windows=windows))

    written_again(project, shifted)
    [difference] = project.indexer().verify().differences
    assert (difference.kind, "its windows are not those of its text" in difference.detail) == ("vector", True)
    report = project.indexer().verify(repair=True)
    assert (report.differences, report.repaired) == ((), (difference,))


def test_vector_that_is_not_as_it_was_written_is_found_and_repaired(manual):
    manual.index()
    expected = {identity: row.embedding.vector for identity, row in manual.stored().items()}
    table = lance_table(store_dir(manual.index_dir))
    first = next(iter(expected))
    table.update(where=f"id = '{first}'", values={"vector": np.roll(expected[first], 1).tolist()})
    [difference] = manual.indexer().verify().differences
    assert (difference.kind, "is not as it was written" in difference.detail) == ("unreadable", True)
    manual.index()  # it reads nothing of what has not changed
    assert manual.indexer().verify(repair=True).differences == ()
    np.testing.assert_allclose(manual.stored()[first].embedding.vector, expected[first], atol=1e-6)


def test_vector_that_is_not_as_it_was_written_is_not_taken_over_by_a_run(manual):
    manual.index()
    table = lance_table(store_dir(manual.index_dir))
    table.update(where="document_path = 'docs/guide.md'", values={"model_coverage": 0.125})
    guide = manual.home / "docs/guide.md"
    guide.write_text(guide.read_text().replace("Apples", "Pears"))
    report = manual.index()
    assert "the index was damaged and was made again" in report.warnings[0]
    assert (report.sections_embedded, report.vectors_reused) == (6, 3)
    assert manual.indexer().verify().differences == ()


def everything_of(project):
    return {
        identity: (facts(row), row.embedding.vector.tobytes(), row.embedding.window_vectors.tobytes(), row.summary_source)
        for identity, row in project.stored().items()
    }


@pytest.mark.slow
def test_no_flipped_bit_goes_unnoticed(manual):
    manual.index()
    manual.indexer().optimize()
    expected = everything_of(manual)
    place = data_files(manual)[-1]
    content = place.read_bytes()
    found = 0
    for offset in range(0, len(content), len(content) // 120):
        place.write_bytes(content[:offset] + bytes([content[offset] ^ 4]) + content[offset + 1 :])
        differs = bool(manual.indexer().verify().differences)
        found += differs
        if not differs:
            assert everything_of(manual) == expected
    assert found > 60
