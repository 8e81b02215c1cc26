"""Two writers, writers that die, stores that ignore conditions, and connections that break."""

import contextlib
import shutil
import time

import pytest

import schema.remote.session as session
from schema.errors import IndexAccessError, IndexLockedError
from schema.index_files.layout import is_being_written, store_dir, writer_lock
from schema.settings import Settings
from schema.storage.table import SectionTable


@pytest.fixture
def short_lease(monkeypatch):
    """Leases of three seconds."""
    monkeypatch.setattr(session, "LEASE_SECONDS", 3.0)
    monkeypatch.setattr(session, "RENEWAL_SECONDS", 0.5)


def paths(project):
    return SectionTable.open(store_dir(project.index_dir)).paths()


def test_second_writer_elsewhere_is_refused_with_the_holder_and_may_wait(manual, elsewhere):
    manual.index()
    with writer_lock(manual.index_dir):
        there = elsewhere()
        there.write("docs/new.md", "# New\n")
        with pytest.raises(
            IndexLockedError, match=r"Another process \(process \d+ on .*\) is writing to the index in s3://.*--wait"
        ):
            there.index()
        assert is_being_written(there.index_dir)
    assert not is_being_written(there.index_dir)
    there.index(wait=5)
    assert paths(there) == {"docs/new.md"}


def test_lease_outlasts_a_run_that_is_longer_than_it(manual, elsewhere, short_lease):
    manual.index()
    with writer_lock(manual.index_dir):
        there = elsewhere()
        there.write("docs/new.md", "# New\n")
        end = time.monotonic() + 5
        while time.monotonic() < end:
            with pytest.raises(IndexLockedError):
                there.index()


def test_dead_writers_lease_ends_and_the_next_one_goes_on(manual, elsewhere, short_lease, monkeypatch):
    manual.index()
    monkeypatch.setattr(session.Lease, "give_back", lambda lease: None)  # as if the process had been killed
    manual.index()
    there = elsewhere()
    there.write("docs/new.md", "# New\n")
    with pytest.raises(IndexLockedError):
        there.index()
    there.index(wait=10)
    assert paths(there) == {"docs/new.md"}


def test_writer_whose_lease_was_taken_commits_nothing_more(manual, short_lease, monkeypatch, make_embedder):
    manual.index()
    sleeps = []
    renew = session.Lease.renew
    monkeypatch.setattr(session.Lease, "renew", lambda lease: None if sleeps else renew(lease))

    class Slow(make_embedder):
        def embed_sections(self, texts):
            sleeps.append(True)  # as if the machine had slept
            time.sleep(3)
            return super().embed_sections(texts)

    manual.write("docs/new.md", "# New\n\nfresh\n")
    with pytest.raises(IndexLockedError, match="This process lost its right to write the index in s3://"):
        manual.index(embedder=Slow())
    assert manual.headings(dirty=True) == ["New"]


def test_store_that_ignores_conditions_is_refused_unless_there_is_one_writer(manual, proxy):
    proxy.hides_conditions = True
    with pytest.raises(
        IndexAccessError, match=r"does not keep two writers apart: it overwrites .*SECTIONARY_SINGLE_WRITER=1"
    ):
        manual.index()
    assert manual.index(settings=Settings(single_writer=True)).documents_added == 2
    assert manual.index(settings=Settings(single_writer=True)).documents_unchanged == 2
    alone = Settings(single_writer=True, summaries="extractive")
    assert manual.indexer(settings=alone).summarize().summaries_written > 0
    with pytest.raises(IndexAccessError, match="does not keep two writers apart"):
        manual.indexer(settings=Settings(summaries="extractive")).summarize()


def test_store_that_cannot_be_reached_is_one_sentence(manual, proxy):
    manual.index()
    engine = manual.engine()
    proxy.cut()
    for work in (manual.index, manual.engine, manual.indexer().status, lambda: engine.search("penguins", mode="lexical")):
        time.sleep(0.6)
        with pytest.raises(IndexAccessError, match=r"s3://.* check the address, the network and the store") as caught:
            work()
        assert "\n" not in str(caught.value)
    proxy.mend()
    assert engine.search("penguins", mode="lexical")


@pytest.mark.parametrize("sent", [0, 2_000, 10_000, 20_000, 40_000, 60_000, 90_000])
def test_connection_that_breaks_midway_loses_nothing_that_was_acknowledged(manual, proxy, short_lease, sent):
    manual.index()
    for number in range(6):
        manual.write(f"docs/{number}.md", f"# Title {number}\n\nword{number}\n")
    proxy.cut_after(sent)
    with contextlib.suppress(IndexAccessError):  # and no other error, such as one of a damaged index
        manual.index()
    proxy.mend()
    before = paths(manual)
    assert {"docs/guide.md", "docs/sub/notes.md"} <= before
    report = manual.index(wait=40)
    assert report.failed == []
    assert paths(manual) == {"docs/guide.md", "docs/sub/notes.md", *(f"docs/{number}.md" for number in range(6))}
    found = manual.indexer().verify()
    assert found.differences == ()
    assert manual.headings(dirty=True) == []


def test_older_checkout_is_read_again_after_a_writer_that_died_before_it_published(manual, elsewhere, monkeypatch):
    manual.write("docs/why.md", "# Why\n\nsaffron\n")
    manual.write("docs/how.md", "# How\n\number\n")
    manual.index()
    there = elsewhere()
    shutil.copytree(manual.home / "docs", there.home / "docs")
    with monkeypatch.context() as killed:
        killed.setenv("SECTIONARY_CACHE_DIR", str(manual.home.parent / "cache"))
        killed.setattr(session.Session, "publish", lambda *_, **__: None)
        (manual.home / "docs/why.md").unlink()
        manual.write("docs/how.md", "# How\n\nblack\n")
        manual.index()
    assert "docs/why.md" not in paths(there)
    report = there.index()
    assert (report.failed, report.sections_embedded) == ([], 2)
    assert {"Why", "How"} <= set(there.headings())
    found = [hit.section.document_path for hit in there.engine().search("umber saffron", mode="lexical")]
    assert sorted(found) == ["docs/how.md", "docs/why.md"]
    assert there.index().documents_unchanged == 4
