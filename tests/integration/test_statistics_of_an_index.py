"""The statistics beside a real table: kept by every write, counted again where they lag or cannot be used."""

import contextlib
import sqlite3

import pytest

from schema.errors import IndexAccessError
from schema.index_files.layout import statistics_path, store_dir
from schema.index_files.statistics import Statistics, open_statistics
from schema.storage.rows import StoredSection
from schema.storage.table import SectionTable
from tests.lance_tables import lance_table


def content(place):
    with contextlib.closing(sqlite3.connect(place)) as connection:
        facts = sorted(row for row in connection.execute("select * from facts") if row[0] != "table_version")
        return [facts, *(sorted(connection.execute(f"select * from {name}")) for name in ("terms", "sentences"))]


def kept(store):
    return content(statistics_path(store))


def expected(store):
    """The statistics counted from the rows as they are."""
    now = SectionTable.open(store)
    place = store.parent / "counted.sqlite"
    Statistics.recount(place, (row.terms for row in now.everything()), store_id=now.store_id).close()
    return content(place)


def sections_known(store):
    found = open_statistics(statistics_path(store), store_id=SectionTable.open(store).store_id)
    assert found is not None
    with contextlib.closing(found):
        return found.rows


@pytest.fixture
def store(tmp_path):
    return tmp_path / "index" / "store"


@pytest.fixture
def counts(monkeypatch):
    """The recounts that are made."""
    made = []
    recount = Statistics.recount.__func__

    def noted(cls, path, texts, **options):
        made.append(path)
        return recount(cls, path, texts, **options)

    monkeypatch.setattr(Statistics, "recount", classmethod(noted))
    return made


# -- writes ------------------------------------------------------------------------------------------------------------


def test_added_sections_are_counted(table, store, rows, counts):
    table.add(rows("a.md", "# A\n\nred fish\n"))
    table.add([*rows("b.md", "# B\n\nred fish\n\n## C\n\nblue\n")] * 2)
    assert kept(store) == expected(store)
    assert (sections_known(store), len(counts)) == (3, 2)  # at the first write, and here


def test_replaced_documents_are_counted_as_they_are_now(table, store, rows):
    table.add([*rows("a.md", "# A\n\nred\n\n# B\n\nfish\n"), *rows("b.md", "# C\n")])
    table.replace_documents(["a.md", "new.md"], [*rows("a.md", "# A\n\nred\n\n# D\n\nbird\n"), *rows("new.md", "# N\n")])
    assert kept(store) == expected(store)
    table.replace_documents(["b.md"], [])
    assert kept(store) == expected(store)


def test_updated_sections_are_counted_as_they_are_now_and_others_left_out(table, store, rows):
    some, others = rows("a.md", "# A\n\nred\n\n## B\n\nfish\n"), rows("b.md", "# C\n\nnever added\n")
    table.add(some)
    table.update([*(_with_terms(row, f"{row.terms}\nmore") for row in some[:1]), *others])
    assert kept(store) == expected(store)
    assert sections_known(store) == 2


def _with_terms(row, terms):
    return StoredSection(**{name: getattr(row, name) for name in StoredSection.__dataclass_fields__} | {"terms": terms})


def test_statistics_are_true_to_a_commit_of_vectors_without_its_words_being_counted_again(table, store, rows, monkeypatch):
    some = rows("a.md", "# A\n\nred\n\n## B\n\nfish\n")
    table.add(some)
    monkeypatch.setattr(
        "schema.index_files.term_counts.Change.replace", lambda _, old, new: pytest.fail("counted") if old or new else None
    )
    table.embed(table.read([some[0].section.id]), some[:1])
    assert kept(store) == expected(store)


def test_removed_documents_are_no_longer_counted(table, store, rows, monkeypatch):
    monkeypatch.setattr("schema.storage.table.FILTER_VALUES", 1)
    table.add([*rows("it's.md", "# A\n\nred\n"), *rows("b.md", "# B\n"), *rows("c.md", "# C\n")])
    table.remove_documents(["it's.md", "b.md", "unknown.md"])
    assert kept(store) == expected(store)
    assert sections_known(store) == 1


def test_sections_gathered_in_a_large_index_are_written_in_the_end(table, store, rows, monkeypatch):
    monkeypatch.setattr("schema.storage.statistics_upkeep.WRITTEN_AT_ONCE", -1000)
    table.add(rows("a.md", "# A\n\nred\n"))
    table.replace_documents(["a.md"], rows("a.md", "# A\n\nblue\n\n## B\n"))
    assert sections_known(store) == 0
    table.upkeep.finish()
    assert kept(store) == expected(store)


def test_sections_gathered_beyond_a_share_are_written_before(table, store, rows, monkeypatch):
    monkeypatch.setattr("schema.storage.statistics_upkeep.WRITTEN_AT_ONCE", -1000)
    monkeypatch.setattr("schema.storage.statistics_upkeep.MAX_GATHERED", 2)
    table.add(rows("a.md", "# A\n\nred\n"))
    assert sections_known(store) == 0
    table.add(rows("b.md", "# B\n\nred\n"))
    assert kept(store) == expected(store)


def test_commit_that_fails_is_not_counted(table, store, rows, monkeypatch):
    table.add(rows("a.md", "# A\n"))
    row = rows("b.md", "# B\n")[0]
    with pytest.raises(Exception, match="front"):
        table.add([_with_front_matter(row)])
    assert kept(store) == expected(store)


def _with_front_matter(row):
    values = {name: getattr(row, name) for name in StoredSection.__dataclass_fields__}
    return StoredSection(**values | {"front_matter": _Failing()})


class _Failing(dict):
    def __init__(self):
        super().__init__(a=1)

    def items(self):
        raise ValueError("front matter that cannot be stored")

    __iter__ = keys = values = get = items


def test_index_run_keeps_the_statistics(manual):
    manual.index()
    manual.write("docs/new.md", "# New\n\nwords\n")
    (manual.home / "docs/sub/notes.md").unlink()
    manual.index()
    store = store_dir(manual.index_dir)
    assert kept(store) == expected(store)


def test_readers_write_no_statistics(manual):
    manual.index()
    place = statistics_path(store_dir(manual.index_dir))
    place.unlink()
    manual.engine().search("penguins")
    manual.indexer().status()
    manual.indexer().verify()
    assert not place.exists()


# -- healing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", [None, b"", b"junk" * 1000])
def test_lost_or_damaged_statistics_are_counted_again_by_the_next_write(table, store, rows, damage):
    table.add(rows("a.md", "# A\n\nred\n"))
    statistics_path(store).unlink()
    if damage is not None:
        statistics_path(store).write_bytes(damage)
    later = SectionTable.open(store)
    later.add(rows("b.md", "# B\n"))
    assert kept(store) == expected(store)


def test_statistics_of_another_table_are_counted_again(table, store, rows):
    table.add(rows("a.md", "# A\n\nred\n"))
    with contextlib.closing(sqlite3.connect(statistics_path(store))) as other, other:
        other.execute("update facts set value = 'other' where name = 'store'")
    SectionTable.open(store).add(rows("b.md", "# B\n"))
    assert kept(store) == expected(store)


def test_index_without_statistics_gets_them_from_a_run_that_changes_nothing(manual):
    manual.index()
    store = store_dir(manual.index_dir)
    statistics_path(store).unlink()
    manual.index()
    assert kept(store) == expected(store)


def test_run_that_changes_nothing_writes_no_statistics(manual):
    manual.index()
    manual.index()
    place = statistics_path(store_dir(manual.index_dir))
    before = place.stat()
    manual.index()
    assert (place.stat().st_mtime_ns, place.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def _killed_after(commit, monkeypatch):
    """Make a commit whose process is killed before the statistics are written."""
    with monkeypatch.context() as patch:
        patch.setattr(Statistics, "apply", lambda self, change, *, table_version: None)
        commit()


def test_commit_of_a_killed_writer_is_counted_by_the_next(table, store, rows, monkeypatch):
    table.add([*rows("a.md", "# A\n\nred\n"), *rows("b.md", "# B\n")])
    _killed_after(lambda: table.replace_documents(["a.md"], rows("a.md", "# A\n\nblue\n")), monkeypatch)
    assert kept(store) != expected(store)
    SectionTable.open(store).remove_documents(["b.md"])
    assert kept(store) == expected(store)


def test_commit_of_a_killed_writer_is_counted_by_a_run_that_changes_nothing(manual, monkeypatch):
    manual.index()
    store = store_dir(manual.index_dir)
    _killed_after(lambda: SectionTable.open(store).remove_documents(["docs/guide.md"]), monkeypatch)
    SectionTable.open(store).upkeep.finish()
    assert kept(store) == expected(store)


@pytest.mark.parametrize(("sections", "is_counted"), [(11, True), (10, False)])
def test_large_index_is_counted_again_only_for_many_missed_sections(
    table, store, rows, monkeypatch, counts, sections, is_counted
):
    monkeypatch.setattr("schema.storage.statistics_upkeep.QUICKLY_COUNTED", 0)
    table.add(rows("a.md", "# A\n"))
    counts.clear()
    missed = rows("b.md", "".join(f"# H{i}\n\n" for i in range(sections)))
    _killed_after(lambda: table.add(missed), monkeypatch)
    later = SectionTable.open(store)
    later.add(rows("c.md", "# C\n"))
    assert (len(counts) == 1, sections_known(store)) == (is_counted, 2 + sections if is_counted else 2)


def test_statistics_that_cannot_be_written_fail_no_run(table, store, rows, caplog):
    statistics_path(store).mkdir()
    table.add(rows("a.md", "# A\n"))
    table.add(rows("b.md", "# B\n"))
    table.replace_documents(["a.md"], rows("a.md", "# A\n\nred\n"))
    table.upkeep.finish()
    assert table.count() == 2
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    with pytest.raises(IndexAccessError, match="cannot be written"):
        table.upkeep.recount()


def test_damage_met_by_a_write_is_counted_again(table, store, rows):
    table.add(rows("a.md", "# A\n\nred\n"))
    with contextlib.closing(sqlite3.connect(statistics_path(store))) as other, other:
        other.execute("drop table sentences")
    table.add(rows("b.md", "# B\n\nred\n"))
    assert kept(store) == expected(store)


def test_old_rows_that_cannot_be_read_leave_the_statistics_to_the_next_writer(table, store, rows, monkeypatch):
    table.add([*rows("a.md", "# A\n\nred\n"), *rows("b.md", "# B\n")])

    def unreadable(*_):
        raise RuntimeError("damaged")

    with monkeypatch.context() as patch:
        patch.setattr(type(lance_table(store)), "search", unreadable)
        table.remove_documents(["a.md"])
    table.add(rows("c.md", "# C\n"))
    assert (table.upkeep.is_given_up, sections_known(store)) == (True, 2)
    SectionTable.open(store).upkeep.finish()
    assert kept(store) == expected(store)


# -- verify ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("update facts set value = 1 where name = 'rows'", "the statistics give 1 for rows where the rows give"),
        ("update terms set sections = sections + 1", "the statistics do not count all terms as the rows do"),
        ("delete from sentences", "the statistics do not count all sentences as the rows do"),
    ],
)
def test_verify_finds_a_wrong_count_and_repairs_it(manual, statement, told):
    manual.index()
    store = store_dir(manual.index_dir)
    version = SectionTable.open(store).version
    with contextlib.closing(sqlite3.connect(statistics_path(store))) as other, other:
        other.execute(statement)
    found = manual.indexer().verify().differences
    assert [(d.path, d.kind, d.detail.startswith(told)) for d in found] == [("", "statistics", True)]
    report = manual.indexer().verify(repair=True)
    assert (report.repaired, report.differences) == (found, ())
    assert kept(store) == expected(store)
    assert SectionTable.open(store).version == version  # of the table nothing was made again


def test_verify_finds_missing_statistics(manual):
    manual.index()
    statistics_path(store_dir(manual.index_dir)).unlink()
    assert [d.detail for d in manual.indexer().verify().differences] == ["the statistics are missing"]
    assert manual.indexer().verify(repair=True).differences == ()


def test_verify_beside_a_writer_tells_nothing_of_statistics(manual):
    from schema.index_files.layout import writer_lock

    manual.index()
    statistics_path(store_dir(manual.index_dir)).unlink()
    with writer_lock(manual.index_dir):
        assert manual.indexer().verify().differences == ()
