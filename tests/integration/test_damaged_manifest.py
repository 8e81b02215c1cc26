"""Ledgers and caches of summaries that hold nonsense: a sentence at most, and the next run makes them again."""

import contextlib
import hashlib
import sqlite3
import struct
import time
from pathlib import Path

import pytest

from indexer.summaries.cache import SummaryCache
from schema.index_files.layout import manifest_path, store_dir, summaries_path
from schema.index_files.manifest import FileRecord, Manifest, is_changed, read_manifest
from schema.index_files.sqlite import read_sqlite
from tests.integration.test_edits import facts

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
    "insert into files select 'big' || path, 1, 1, 1, '', zeroblob(1000000), '{}', '[]', '' from files",
]


def hurt(place, statements):
    with sqlite3.connect(place) as connection:
        connection.executescript(statements)
    connection.close()


@pytest.mark.parametrize("statements", STATEMENTS)
def test_manifest_that_holds_nonsense_is_made_again(manual, statements):
    manual.index()
    expected = {identity: facts(row) for identity, row in manual.stored().items()}
    hurt(manifest_path(store_dir(manual.index_dir)), statements)
    assert manual.engine().search("penguins", filters={"since": "7d"}) is not None
    assert manual.indexer().status().sections == 9
    report = manual.index()
    assert (report.failed, report.sections_embedded) == ([], 0)
    assert {identity: facts(row) for identity, row in manual.stored().items()} == expected
    assert manual.indexer().verify(repair=True).differences == ()
    kept = read_manifest(manifest_path(store_dir(manual.index_dir)))
    assert (sorted(kept.files), kept.failures) == (["docs/guide.md", "docs/sub/notes.md"], ())


@pytest.mark.parametrize("how", ["truncated", "junk", "middle", "empty", "missing"])
def test_manifest_with_damaged_bytes_is_made_again(manual, how):
    manual.index()
    place = manifest_path(store_dir(manual.index_dir))
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


@pytest.mark.parametrize("has_roots", [True, False])
def test_manifest_that_was_damaged_keeps_the_paths_it_can_still_tell(manual, has_roots):
    manual.write("other/a.md", "# A\n")
    manual.index()
    hurt(manifest_path(store_dir(manual.index_dir)), "drop table files")
    if not has_roots:
        (manual.index_dir / "roots.json").unlink()
    manual.index("other")
    assert manual.indexer().status().paths == ("docs", "other")


ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select"


@pytest.mark.parametrize(
    "statements",
    [
        f"drop table files; create view files as {ENDLESS} i as path, 1, 1, 1, '', '', '{{}}', '[]' from n where i < 0",
        f"drop table facts; create view facts as {ENDLESS} i as name, i as value from n where i < 0",
        f"drop table failures; create view failures as {ENDLESS} i as path, i as reason from n where i < 0",
    ],
)
def test_view_in_the_place_of_a_table_is_not_read(manual, statements):
    manual.index()
    hurt(manifest_path(store_dir(manual.index_dir)), statements)
    started = time.process_time()
    assert manual.indexer().status().sections == 9
    assert len(manual.engine().search("penguins", filters={"since": "7d"})) == 0
    assert manual.index().sections_embedded == 0
    assert manual.indexer().scan().documents_unchanged == 2
    assert time.process_time() - started < 20


def test_query_without_end_is_ended(tmp_path, monkeypatch):
    place = tmp_path / "file.sqlite"
    sqlite3.connect(place).close()
    monkeypatch.setattr("schema.index_files.sqlite.READ_TIMEOUT", 0.1)
    connection = read_sqlite(place)
    with contextlib.closing(connection), pytest.raises(sqlite3.OperationalError, match="interrupted"):
        connection.execute(f"{ENDLESS} i from n where i < 0").fetchall()


def test_page_that_is_named_again_and_again_is_not_read_again_and_again(tmp_path):
    place = tmp_path / "ledger.sqlite"
    with Manifest(place, store_id="s" * 300) as manifest:
        manifest.set_metadata("scopes", "docs")
    with contextlib.closing(sqlite3.connect(place, isolation_level=None)) as connection:
        connection.executescript("pragma page_size = 512; vacuum")
        root = connection.execute("select rootpage from sqlite_master where name = 'facts'").fetchone()[0]
    content = place.read_bytes()
    leaf, pages = content[512 * (root - 1) : 512 * root], len(content) // 512
    added = [leaf, *(_names_again_and_again(pages + i) for i in (1, 2))]
    grown = content[: 512 * (root - 1)] + _names_again_and_again(pages + 3) + content[512 * root :] + b"".join(added)
    place.write_bytes(grown[:28] + struct.pack(">I", pages + 3) + grown[32:])
    with contextlib.closing(sqlite3.connect(place)) as connection:
        assert connection.execute("select value from facts limit 1 offset 200000").fetchone() is not None
    assert read_manifest(place, []).metadata == {}


def _names_again_and_again(child, count=60):
    """An inner page of a table, of 512 bytes, with the same child under each key."""
    cells = struct.pack(">IB", child, 1) * count
    places = [512 - 5 * (count - i) for i in range(count)]
    head = struct.pack(f">BHHHBI{count}H", 5, 0, count, places[0], 0, child, *places)
    return head + bytes(512 - len(head) - len(cells)) + cells


@pytest.mark.skipif(not Path("/proc/version").is_file(), reason="the system has no such files")
def test_file_that_says_it_is_empty_is_not_read_to_its_end():
    place = Path("/proc/version")
    assert place.stat().st_size == 0
    everything = hashlib.sha256(place.read_bytes()).hexdigest()
    assert is_changed(place, FileRecord("a.md", 0, -1, -1, everything))


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
