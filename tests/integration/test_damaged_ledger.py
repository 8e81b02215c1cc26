"""Ledgers and caches of summaries that hold nonsense: a sentence at most, and the next run makes them again."""

import sqlite3

import pytest

from indexer.summaries.cache import SummaryCache
from schema.ledger import read_ledger
from schema.store import ledger_path, store_dir, summaries_path
from tests.integration.test_edits import facts, rows

STATEMENTS = [
    "update files set front_matter = '{not json'",
    "update files set front_matter = '[1]'",
    "update files set warnings = '{\"a\": 1}'",
    "update files set warnings = '[1, null]'",
    "update files set front_matter = printf('%.*c', 100000, '[')",
    "update files set front_matter = x'ff00'",
    "update files set title = x'ffff'",
    "update files set title = cast(x'ff61' as text)",
    "update files set size = -1",
    "update files set size = 'many'",
    "update files set mtime_ns = 1.5, ctime_ns = 'x'",
    "update files set hash = 7e300",
    "update files set path = path || char(0) || 'x'",
    "update files set path = x'00' where rowid = 1",
    "update files set path = '' where rowid = 1",
    "insert into failures values (x'00', x'01')",
    "insert into failures values (char(0), char(0x202e))",
    "update facts set value = x'ff' where name = 'scopes'",
    "update facts set value = char(0) where name = 'scopes'",
    "update facts set value = char(0) where name = 'root'",
    "update facts set value = x'ff' where name = 'root'",
    "update facts set value = '[[[' where name = 'last_run'",
    'update facts set value = \'{"started": 5, "ended": [], "outcome": {}, "counts": [1]}\' where name = \'last_run\'',
    'update facts set value = \'{"started": "2026", "counts": {"documents_added": "x"}}\' where name = \'last_run\'',
    "update facts set value = 'other' where name in ('store', 'version')",
    "delete from facts where name = 'version'",
    "drop table files",
    "drop table facts",
    "drop table failures",
    "alter table files drop column warnings",
    "drop table files; create view files as select 1",
    "create trigger loud after insert on facts begin select raise(abort, 'no'); end",
    "create index extra on files (hash)",
    "pragma user_version = 7",
    "insert into files select 'big' || path, 1, 1, 1, '', zeroblob(1000000), '{}', '[]' from files",
]


def hurt(place, statements):
    with sqlite3.connect(place) as connection:
        connection.executescript(statements)
    connection.close()


@pytest.mark.parametrize("statements", STATEMENTS)
def test_ledger_that_holds_nonsense_is_made_anew(manual, statements):
    manual.index()
    expected = {identity: facts(row) for identity, row in rows(manual).items()}
    hurt(ledger_path(store_dir(manual.index_dir)), statements)
    assert manual.engine().search("penguins", filters={"since": "7d"}) is not None
    assert manual.indexer().status().sections == 9
    report = manual.index()
    assert (report.failed, report.sections_embedded) == ([], 0)
    assert {identity: facts(row) for identity, row in rows(manual).items()} == expected
    assert manual.indexer().verify(repair=True).differences == ()
    kept = read_ledger(ledger_path(store_dir(manual.index_dir)))
    assert (sorted(kept.files), kept.failures) == (["docs/guide.md", "docs/sub/notes.md"], ())


@pytest.mark.parametrize("how", ["truncated", "junk", "middle", "empty", "missing"])
def test_ledger_with_damaged_bytes_is_made_anew(manual, how):
    manual.index()
    place = ledger_path(store_dir(manual.index_dir))
    content = place.read_bytes()
    damaged = {
        "truncated": content[: len(content) // 2],
        "junk": bytes(range(256)) * 16,
        "middle": content[:4200] + bytes(8000) + content[12200:],
        "empty": b"",
    }
    place.write_bytes(damaged[how]) if how in damaged else place.unlink()
    assert manual.engine().search("penguins")[0].section.heading == "Linux"
    assert manual.indexer().status().sections == 9
    assert manual.index().sections_embedded == 0
    assert manual.indexer().verify().differences == ()
    assert manual.index().documents_unchanged == 2


def test_ledger_that_was_damaged_keeps_the_paths_it_can_still_tell(manual):
    manual.index()
    hurt(ledger_path(store_dir(manual.index_dir)), "drop table files")
    manual.index("docs/sub")
    assert manual.indexer().status().paths == ("docs", "docs/sub")


CACHES = [
    "update summaries set summary = x'ff'",
    "update summaries set summary = 5.5",
    "update summaries set used = 'never'",
    "insert into failures values ('a', 'x')",
    "insert into failures values (x'00', 1)",
    "drop table summaries; create table summaries (a)",
    "drop table summaries; create view summaries as select 1",
    "create trigger loud after insert on summaries begin select raise(abort, 'no'); end",
]


@pytest.mark.parametrize("statements", CACHES)
def test_cache_of_summaries_that_holds_nonsense_is_used_as_far_as_it_makes_sense(tmp_path, statements):
    place = summaries_path(tmp_path)
    with SummaryCache(place) as cache:
        cache.put("old", "A summary.")
    hurt(place, statements)
    with SummaryCache(place) as cache:
        known, summary = cache.get("old")
        assert (known, summary) in ((False, None), (True, "A summary."), (True, "5.5"))
        assert cache.failures() == {}
        cache.put("new", "Another.")
        cache.note_failure("text")
    with SummaryCache(place) as cache:
        assert cache.get("new") == (True, "Another.")
        assert list(cache.failures()) == ["text"]
