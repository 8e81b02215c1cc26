"""A section of a change log or of minutes stands behind one that describes the thing, unless changes are asked for."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.query import parse_query
from search.ranking.rank import rank
from search.ranking.releases import behind_descriptions
from tests.unit.test_relevance import snapshot

GUIDE = "# Guide\n\n## Output\n\nThe formatter is quiet, and writes its output to a file if it is asked to.\n"
LOG = "# Changes\n\n## {heading}\n\nThe quiet formatter output.\n"


def both(query, heading):
    """The paths before and after, and both rankings, of a query for which a section below `heading` is a tenth better."""
    return of_log(query, LOG.format(heading=heading))


def first_of(query, log):
    """The path that is first before, and after, for a query for which the sections of a log are a tenth better."""
    (before,), (after,) = of_log(query, log)[0]
    return before, after


def of_log(query, log):
    index = snapshot(guide=GUIDE, log=log)
    ranking = rank(index, parse_query(query), None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    total = np.array([0.6 if index.path(row) == "log.md" else 0.54 for row in range(index.rows)])
    ranking = replace(ranking, total=total, order=ranking.order[np.argsort(-total[ranking.order], kind="stable")])
    after = behind_descriptions(index, parse_query(query), ranking)
    return [[index.path(row) for row in each.order][:1] for each in (ranking, after)], ranking, after


@pytest.mark.parametrize(
    "heading",
    [
        "1.4.0",
        "v1.4",
        "[1.4.0] - 2024-10-02",
        "Version 22.8.0",
        "Release 4.44 (release date: 2019-10-02)",
        "0.38.0 (July 20, 2024)",
        "2024-10-02",
        "May 4, 2021",
        "2024年10月2日",
        "1.4.0\n\n### Fixed",
        "Hatch v1.4\n\n### Added\n\n#### What is new",
    ],
)
def test_section_of_a_release_or_a_day_stands_behind_one_that_describes(heading):
    (before, after), ranking, moved = both("quiet formatter output", heading)
    assert (before, after) == (["log.md"], ["guide.md"])
    lost = np.flatnonzero(moved.parts["release"])
    by_document = ranking.parts["document"][lost]
    assert (by_document > 0).all()
    assert -moved.parts["release"][lost] == pytest.approx(by_document + 0.25 * (ranking.total[lost] - by_document))
    assert moved.total == pytest.approx(ranking.total + moved.parts["release"])


@pytest.mark.parametrize("heading", ["2024-10-02 Quiet formatter", "Formatter 2024-10-02"])
def test_section_of_a_day_that_names_what_is_asked_for_keeps_its_place(heading):
    _, ranking, after = both("quiet formatter output", heading)
    assert after is ranking


@pytest.mark.parametrize("heading", ["2024-10-02 Release meeting", "Formatter 1.4.0"])
def test_section_of_a_day_or_release_that_names_something_else_does_not(heading):
    (_, after), _, _ = both("quiet formatter output", heading)
    assert after == ["guide.md"]


def test_many_sections_of_releases_stand_behind_one_that_describes():
    log = "# Changes\n\n" + "".join(f"## 1.{i}.0\n\nThe quiet formatter output.\n\n" for i in range(50))
    assert first_of("quiet formatter output", log) == ("log.md", "guide.md")


@pytest.mark.parametrize(
    "heading",
    [
        "4.1 Scopes",
        "4.1 Scopes\n\n### Details",
        "4.1 Scopes\n\n### Details\n\n#### Names",
        "Fixed",
        "What the formatter does on Debian 12.1",
        "2024-10-02 is when the formatter was rewritten in another language",
        "1.4.0 has other defaults than before",
        "Chapter 4",
    ],
)
def test_other_sections_keep_their_places(heading):
    _, ranking, after = both("quiet formatter output", heading)
    assert after is ranking


@pytest.mark.parametrize(
    "query",
    [
        "what changed in the quiet formatter output",
        "since when is formatter output quiet",
        "quiet formatter output in 1.4",
        "quiet formatter output の変更点",
        "quiet formatter output はいつ",
        "언제 quiet formatter output",
        "quiet formatter output v2",
        "quiet formatter output 4月",
        "quiet formatter output 10/2",
        "quiet formatter output in 2024",
        "when was quiet formatter output made",
        "quiet formatter output in the latest release",
        "quiet formatter output release notes",
        "quiet formatter output release?",
        "quiet formatter output 最新のリリース",
        "quiet formatter output 릴리즈 노트",
    ],
)
def test_who_asks_for_changes_gets_the_section_of_the_release(query):
    _, ranking, after = both(query, "1.4.0")
    assert after is ranking


@pytest.mark.parametrize(
    "query",
    [
        "how do I change quiet formatter output",
        "quiet output of the formatter flake8",
        "quiet formatter output below 80 percent",
        "quiet formatter output on port 20480",
        "エアコン quiet formatter output",  # which has letters of リリース and バージョン
        "게이트웨이 quiet formatter output",
        "quiet formatter output when a file is large",
        "いつも quiet formatter output",
        "quiet formatter output of a release branch",
        "リリース手順 quiet formatter output",
        "릴리스 절차 quiet formatter output",
    ],
)
def test_other_questions_do_not_ask_for_changes(query):
    _, ranking, after = both(query, "1.4.0")
    assert after is not ranking


def test_ranking_without_rows_stays():
    _, ranking, after = both("zzz", "1.4.0")
    assert after is ranking


def of_path(path, query="quiet formatter output", heading="Quiet output"):
    """The ranking before and after in which a document at a path has a section that is a tenth better than the guide's."""
    words = "It is written line by line, and read again by others who look for what they need. " * 3
    index = snapshot(**{"guide": GUIDE, path: f"# {heading}\n\nThe quiet formatter output. {words}\n"})
    ranking = rank(index, parse_query(query), None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    total = np.array([0.54 if index.path(row) == "guide.md" else 0.6 for row in range(index.rows)])
    ranking = replace(ranking, total=total, order=np.argsort(-total, kind="stable"))
    after = behind_descriptions(index, parse_query(query), ranking)
    return [index.path(each.order[0]) for each in (ranking, after)]


@pytest.mark.parametrize(
    "path",
    [
        "blog/quiet",
        "site/_posts/quiet",
        "news/quiet",
        "sig/archive/quiet",
        "notes/meeting-notes-archive/quiet",
        "docs/legacy/quiet",
        "elections/2018/quiet",
        "blog/2023/03/16/quiet",
        "daily/2024-05-01",
        "2024-05-01-quiet",
        "minutes/2021-05/quiet",
        "sig/annual-report-2025",
        "notes/2021_Weekly_Meeting_Minutes",
        "CHANGELOG",
        "docs/history/tool",
        "docs/release-notes/next",
        "docs/releases",
    ],
)
def test_document_of_the_past_stands_behind_one_that_describes(path):
    assert of_path(path) == [f"{path}.md", "guide.md"]


@pytest.mark.parametrize(
    "path",
    [
        "docs/bold/quiet",
        "docs/blogging/quiet",
        "rfc/rfc-2026",
        "http/2045/quiet",
        "docs/es2015/quiet",
        "docs/port-20480",
        "errors/error-2003",
        "plan/roadmap-2099",
        "releases/2023.1/quiet",
        "docs/windows-server-2022",
        "api/posts/quiet",
        "archive",
        "old",
        "2024",
        "docs/historyless",
        "docs/changes",
    ],
)
def test_documents_at_other_paths_keep_their_places(path):
    assert of_path(path) == [f"{path}.md", f"{path}.md"]


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("docs/archive/quiet", "quiet formatter output of an archive"),
        ("cms/news/quiet", "quiet formatter output of the news"),
        ("docs/legacy/quiet", "quiet legacy formatter output"),
        ("docs/history", "quiet formatter output history"),
    ],
)
def test_folder_of_the_past_that_the_question_names_keeps_its_place(path, query):
    assert of_path(path, query) == [f"{path}.md", f"{path}.md"]


def test_section_of_the_past_with_the_question_as_its_name_keeps_its_place():
    assert of_path("blog/2024/quiet", heading="Quiet formatter output")[1] == "blog/2024/quiet.md"


@pytest.mark.parametrize("heading", ["References", "Bibliography", "参考文献"])
def test_list_of_works_stands_behind_a_section_that_describes(heading):
    assert first_of("quiet formatter output", LOG.format(heading=heading)) == ("log.md", "guide.md")


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("paper on quiet formatter output", "References"),
        ("who is the author of quiet formatter output", "References"),
        ("quiet formatter output", "Reference"),  # of an interface
    ],
)
def test_list_of_works_stays_first_for_a_question_for_works(query, heading):
    assert first_of(query, LOG.format(heading=heading)) == ("log.md", "log.md")
