"""Summaries through the whole path: made, committed, kept, dropped, searched; with sources that are functions of their input."""

import threading
import time

import pytest

from schema.errors import IndexLockedError, SettingsError, SummarizerUnavailableError, SummaryError
from schema.index_files.layout import summaries_path, summarizer_lock, writer_lock
from schema.settings import Settings
from schema.storage.table import SectionTable
from tests.conftest import GUIDE
from tests.summary_source import Source


def rows(project):
    table = SectionTable.open(project.index_dir / "store")
    return {row.section.heading: row for row in table.everything()}


def summaries(project):
    return {heading: row.section.summary for heading, row in rows(project).items()}


@pytest.fixture
def guide(project):
    project.write("docs/guide.md", GUIDE)
    return project


def test_every_section_with_text_gets_a_summary_and_that_of_its_document(guide):
    report = guide.index(summarizer=Source())
    found = rows(guide)
    assert found["Install"].section.summary == "fake/1 on Put the widget"
    assert found["Empty parent"].section.summary is None
    assert {row.section.document_summary for row in found.values()} == {"fake/1 on # Guide Welcome"}
    assert (report.summaries_written, report.summaries_failed) == (6, 0)
    assert set(report.timings) == {"scan", "embed", "summarize"}


def test_without_a_source_there_are_none(guide):
    report = guide.index()
    assert set(summaries(guide).values()) == {None}
    assert "summarize" not in report.timings


def test_a_second_run_asks_nothing(guide):
    source = Source()
    guide.index(summarizer=source)
    asked = len(source.asked)
    assert guide.index(summarizer=source).summaries_written == 0
    assert len(source.asked) == asked


def test_nothing_to_say_is_not_asked_again(guide):
    source = Source()
    guide.index(summarizer=source)
    assert rows(guide)["Empty parent"].summary_source == "fake/1"


def test_an_edit_drops_the_summary_of_its_text_and_makes_only_that_again(guide):
    source = Source()
    guide.index(summarizer=source)
    guide.write("docs/guide.md", GUIDE.replace("Apples are red.", "Pears are green."))
    guide.index()
    assert summaries(guide)["First child"] is None
    assert summaries(guide)["Second child"] == "fake/1 on Bananas are yellow."
    assert rows(guide)["Guide"].section.document_summary is None
    source.asked.clear()
    guide.index(summarizer=source)
    assert sorted(source.asked) == ["document The Guide", "section First child"]
    assert summaries(guide)["First child"] == "fake/1 on Pears are green."


def test_a_moved_file_takes_its_summaries_along_without_a_question(guide):
    source = Source()
    guide.index(summarizer=source)
    source.asked.clear()
    (guide.home / "docs/guide.md").rename(guide.home / "docs/moved.md")
    guide.index(summarizer=source)
    assert source.asked == []
    assert summaries(guide)["Install"] == "fake/1 on Put the widget"


def test_a_rebuild_asks_nothing_that_was_answered(guide):
    source = Source()
    guide.index(summarizer=source)
    source.asked.clear()
    report = guide.indexer(summarizer=source).rebuild(guide.home / "docs")
    assert source.asked == []
    assert (report.summaries_written, summaries(guide)["Linux"]) == (0, "fake/1 on Penguins need a")


def test_another_kind_of_source_replaces_and_another_version_only_when_refreshed(guide):
    guide.index(summarizer=Source("fake/1"))
    guide.index(summarizer=Source("fake/2"))
    assert summaries(guide)["Install"].startswith("fake/1")
    guide.indexer(summarizer=Source("fake/2")).summarize(refresh=True)
    assert summaries(guide)["Install"].startswith("fake/2")
    guide.index(summarizer=Source("other/1"))
    assert summaries(guide)["Install"].startswith("other/1")


def test_a_failed_summary_stays_none_is_counted_and_is_made_by_the_next_run(guide):
    failing = Source(fail=lambda what: SummaryError("unreadable") if what == "section Linux" else None)
    report = guide.index(summarizer=failing)
    assert (report.summaries_written, report.summaries_failed, report.failed) == (5, 1, [])
    assert "no summary for docs/guide.md:13: unreadable" in report.warnings
    assert summaries(guide)["Linux"] is None
    assert guide.index(summarizer=Source()).summaries_written == 0  # so soon only if it is asked for
    assert guide.indexer(summarizer=Source()).summarize().summaries_written == 1
    assert summaries(guide)["Linux"] is not None


def test_a_document_summary_that_failed_does_not_keep_its_sections_from_theirs(guide):
    report = guide.index(summarizer=Source(fail=lambda what: SummaryError("no") if what.startswith("document") else None))
    assert (report.summaries_written, report.summaries_failed) == (5, 1)
    assert rows(guide)["Install"].section.document_summary is None


def test_a_source_that_is_gone_ends_the_summaries_and_the_next_run_goes_on(guide):
    calls = []

    def fail(what):
        calls.append(what)
        return SummarizerUnavailableError("The server is gone.") if len(calls) > 3 else None

    report = guide.index(summarizer=Source(fail=fail), settings=Settings(llm_concurrency=1))
    assert report.summaries_written == 3
    assert report.summaries_failed == 4
    assert any("The server is gone. 4 sections wait" in warning for warning in report.warnings)
    source = Source()
    assert guide.index(summarizer=source).summaries_written == 3
    assert len(source.asked) == 4


def test_a_source_that_fails_many_times_in_a_row_is_taken_for_gone(project):
    text = "".join(f"# T{i}\n\nSome text here.\n\n" for i in range(40))
    project.write("docs/a.md", text)
    source = Source(fail=lambda what: SummaryError("timeout", is_silent=True))
    report = project.index(summarizer=source, settings=Settings(llm_concurrency=1))
    assert len(source.asked) == 8
    assert report.summaries_failed == 41
    assert any("8 requests in a row failed" in warning for warning in report.warnings)


def test_texts_that_always_fail_keep_no_others_from_their_turn(project):
    project.write("docs/a.md", "".join(f"# Bad {i}\n\nText {i}.\n\n" for i in range(9)))
    project.write("docs/b.md", "# Good\n\nText.\n")
    project.index()
    source = Source(fail=lambda what: SummaryError("refused") if "Bad" in what else None)
    first = project.indexer(summarizer=source).summarize(limit=9)
    second = project.indexer(summarizer=source).summarize(limit=9)
    assert (first.summaries_failed, first.summaries_written) == (
        10,
        1,
    )  # nine sections and their document; the other document
    assert second.summaries_written == 1
    assert summaries(project)["Good"] is not None
    source.asked.clear()
    project.index(summarizer=source)
    assert source.asked == []


def test_a_document_that_lost_a_section_gets_its_summary_under_a_limit_too(guide):
    source = Source()
    guide.index(summarizer=source)
    guide.write("docs/guide.md", GUIDE.replace("### Second child\n\nBananas are yellow.\n", ""))
    guide.index()
    assert rows(guide)["Guide"].section.document_summary is None
    guide.indexer(summarizer=source).summarize(limit=5)
    assert rows(guide)["Guide"].section.document_summary is not None


def test_a_rebuild_keeps_summaries_without_any_source(guide):
    guide.index(summarizer=Source())
    guide.write("docs/new.md", "# New\n\nFresh words.\n")
    guide.indexer().rebuild(guide.home / "docs")
    assert summaries(guide)["Linux"] == "fake/1 on Penguins need a"
    assert (summaries(guide)["New"], rows(guide)["Guide"].summary_source) == (None, "fake/1")


def test_a_summary_stays_with_its_text_where_another_of_its_name_comes_before_it(project):
    project.write("docs/a.md", "# A\n\n## Example\n\nOld words.\n")
    source = Source()
    project.index(summarizer=source)
    source.asked.clear()
    project.write("docs/a.md", "# A\n\n## Example\n\nNew words.\n\n## Example\n\nOld words.\n")
    project.index(summarizer=source)
    assert sorted(source.asked) == ["document A", "section Example"]


def test_a_run_told_to_stop_while_another_writes_says_that_it_stopped(guide):
    guide.index()
    is_told = threading.Event()

    def slow(what):
        is_told.set()

    reports = []
    stopping = guide.indexer(summarizer=Source(fail=slow), should_stop=is_told.is_set)
    with writer_lock(guide.index_dir):
        thread = threading.Thread(target=lambda: reports.append(stopping.summarize()))
        thread.start()
        thread.join(30)
    assert [(report.stopped, report.summaries_written) for report in reports] == [(True, 0)]


def test_a_cache_that_cannot_be_used_fails_no_index_run(guide):
    guide.index()
    summaries_path(guide.index_dir).mkdir()
    report = guide.index(summarizer=Source())
    assert any("no summaries were made" in warning for warning in report.warnings)


def test_a_limit_holds_and_the_next_run_goes_on(guide):
    guide.index()
    source = Source()
    assert guide.indexer(summarizer=source).summarize(limit=2).summaries_written == 3  # with the document's
    assert [summary is not None for summary in summaries(guide).values()].count(True) == 2
    guide.indexer(summarizer=source).summarize()
    assert [summary is not None for summary in summaries(guide).values()].count(True) == 5


def test_no_summary_is_begun_after_the_time_budget(guide):
    guide.index()
    report = guide.indexer(summarizer=Source()).summarize(time_budget=0)
    assert (report.summaries_written, report.summaries_failed, report.stopped) == (0, 0, False)


def test_a_round_of_many_spends_no_more_than_its_budget_on_summaries(guide):
    source = Source()
    report = guide.indexer(summarizer=source).index(guide.home / "docs", summary_budget=0)
    assert (report.summaries_written, source.asked) == (0, [])
    assert report.sections_embedded > 0
    assert guide.indexer(summarizer=source).index(guide.home / "docs", summary_budget=60).summaries_written == 6


def test_a_run_told_to_stop_keeps_what_was_made(guide):
    guide.index()
    source = Source()
    stopping = guide.indexer(
        summarizer=source, should_stop=lambda: len(source.asked) >= 3, settings=Settings(llm_concurrency=1)
    )
    report = stopping.summarize()
    assert (report.stopped, len(source.asked)) == (True, 3)
    again = Source()
    guide.indexer(summarizer=again).summarize()
    assert not set(again.asked) & set(source.asked[:3])


def test_two_runs_at_a_time_do_not_summarise_a_section_twice(guide):
    guide.index()
    source = Source(delay=0.05)
    reports = []

    def summarize():
        reports.append(guide.indexer(summarizer=source, wait=30).summarize())

    threads = [threading.Thread(target=summarize) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(source.asked) == sorted(set(source.asked))
    assert sorted(report.summaries_written for report in reports) == [0, 6]


def test_a_second_run_that_does_not_wait_is_told_so(guide):
    guide.index()
    with summarizer_lock(guide.index_dir):
        with pytest.raises(IndexLockedError, match="summarising"):
            guide.indexer(summarizer=Source()).summarize()
        report = guide.index(summarizer=Source())
    assert any("another process is making summaries" in warning for warning in report.warnings)


def test_an_index_run_beside_a_long_summary_is_not_held_up(guide):
    guide.index()
    source = Source(delay=0.3)
    thread = threading.Thread(target=lambda: guide.indexer(summarizer=source).summarize())
    thread.start()
    while not source.asked:
        time.sleep(0.01)
    guide.write("docs/new.md", "# New\n\nFresh words.\n")
    report = guide.index()
    is_before = thread.is_alive()
    thread.join()
    assert (report.sections_added, is_before) == (1, True)
    assert summaries(guide)["Install"] is not None


def test_a_text_that_changed_while_it_was_summarised_gets_no_summary_of_its_old_self(guide):
    guide.index()
    edited = []

    def edit(what):
        if what == "section First child" and not edited:
            edited.append(what)
            guide.write("docs/guide.md", GUIDE.replace("Apples are red.", "Pears are green."))
            guide.index()

    guide.indexer(summarizer=Source(fail=edit), settings=Settings(llm_concurrency=1)).summarize()
    assert summaries(guide)["First child"] is None
    assert summaries(guide)["Second child"] is not None
    assert rows(guide)["Second child"].section.document_summary is None


def test_a_section_is_found_by_the_words_of_its_summary(guide):
    class Japanese(Source):
        def summarize_section(self, section, *, document, document_summary):
            return "ペンギンは特別なクランクを必要とする。" if section.heading == "Linux" else "別の話。"

        def summarize_document(self, text, *, title):
            return "部品の組み立てを説明する文書。"

    guide.index(summarizer=Japanese())
    hits = guide.engine().search("ペンギン", mode="lexical")
    assert [hit.section.heading for hit in hits] == ["Linux"]
    assert (hits[0].summary, hits[0].document_summary) == (
        "ペンギンは特別なクランクを必要とする。", "部品の組み立てを説明する文書。"
    )  # fmt: skip


def test_a_context_pack_shows_the_summaries(guide):
    guide.index(summarizer=Source())
    text = guide.engine().context("special crank penguins", max_tokens=400).text
    assert "fake/1 on # Guide Welcome" in text


def test_extractive_summaries_need_nothing_but_the_setting(guide):
    report = guide.index(settings=Settings(summaries="extractive"))
    assert summaries(guide)["Linux"] == "Penguins need a special crank."
    assert report.summaries_written == 6
    assert not summaries_path(guide.index_dir).exists()


def test_summarising_without_a_source_is_refused(guide):
    guide.index()
    with pytest.raises(SettingsError, match="No source of summaries"):
        guide.indexer().summarize()


def test_a_model_that_is_not_described_is_refused_before_anything_is_done(guide):
    with pytest.raises(SettingsError, match="llm_model"):
        guide.index(settings=Settings(summaries="llm"))
    assert not (guide.index_dir / "store").exists()
