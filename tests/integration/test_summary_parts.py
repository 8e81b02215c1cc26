"""The parts that make summaries, each for itself: generator, cache, names, reports."""

import time

import pytest

from indexer import Indexer
from indexer.summaries.cache import SummaryCache
from indexer.summaries.extractive import ExtractiveSummarizer
from indexer.summaries.model import TranslatingSummarizer
from schema.reports import IndexReport
from schema.storage.table import SectionTable
from tests.conftest import GUIDE
from tests.summary_source import Source


@pytest.fixture
def guide(project):
    project.write("docs/guide.md", GUIDE)
    return project


def test_the_cache_knows_that_there_was_nothing_to_say(tmp_path):
    with SummaryCache(tmp_path / "c.sqlite") as cache:
        cache.put("a", "text")
        cache.put("b", None)
        assert [cache.get(key) for key in "abc"] == [(True, "text"), (True, None), (False, None)]


def test_a_damaged_cache_is_made_again(tmp_path, caplog):
    (tmp_path / "c.sqlite").write_bytes(b"not a database at all, only text" * 100)
    with SummaryCache(tmp_path / "c.sqlite") as cache:
        assert cache.get("a") == (False, None)
    assert "made again" in caplog.text


def test_a_cache_with_one_damaged_page_is_made_again(tmp_path):
    path = tmp_path / "c.sqlite"
    with SummaryCache(path) as cache:
        for i in range(300):
            cache.put(f"key {i}", "text " * 50)
    data = bytearray(path.read_bytes())
    data[4096 * 5 : 4096 * 6] = b"\xff" * 4096
    path.write_bytes(data)
    with SummaryCache(path) as cache:
        assert [cache.get(f"key {i}") for i in (0, 299)] == [(False, None)] * 2
        cache.put("a", "x")
        assert cache.get("a") == (True, "x")


def test_what_was_not_used_for_half_a_year_is_dropped(tmp_path, monkeypatch):
    with SummaryCache(tmp_path / "c.sqlite") as cache:
        cache.put("old", "x")
        monkeypatch.setattr(time, "time", lambda: 2e9)
        cache.put("new", "y")
    with SummaryCache(tmp_path / "c.sqlite") as cache:
        assert [cache.get(key)[0] for key in ("old", "new")] == [False, True]


def test_a_translated_source_is_another_kind():
    name = TranslatingSummarizer(ExtractiveSummarizer(), None, model="m", language="ja").name
    assert name == "extractive@ja/1/m/1"


def test_reports_add_up():
    total = IndexReport(summaries_written=1)
    total += IndexReport(summaries_written=2, summaries_failed=3, timings={"summarize": 1.0})
    assert (total.summaries_written, total.summaries_failed, total.timings) == (3, 3, {"summarize": 1.0})


def test_the_indexer_takes_a_summarizer_beside_the_settings(guide):
    indexer = Indexer(guide.index_dir, root=guide.home, embedder=guide.embedder, summarizer=Source("own/1"))
    indexer.index(guide.home / "docs")
    (section,) = [
        row.section for row in SectionTable.open(guide.index_dir / "store").everything() if row.section.heading == "Install"
    ]
    assert section.summary == "own/1 on Put the widget"
