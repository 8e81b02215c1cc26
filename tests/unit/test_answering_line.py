"""The line that a hit is opened at, and that grep's format shows: where most of the query's words stand."""

import pytest

from indexer.splitter import MarkdownSplitter
from schema.results import SearchResult, Window
from search.answers.formats import answering_line
from search.context.highlight import find_matches
from search.context.marks import whole_words
from search.context.snippet import snippet_of

BINS = "| Day | Bin | Note |\n|---|:-:|---|\n| Monday | Paper | in bags |\n| Friday | Glass | |\n"


def line_of(body, query, passage=None):
    section = MarkdownSplitter().split(f"# Home\n\n{body}", "a.md")[0]
    weights = dict.fromkeys(query.split(), 1.0)
    spans = find_matches(section.text, weights)
    marks = whole_words(section.text, spans, query)
    snippet = snippet_of(section, query, weights, spans, marks=marks)
    return answering_line(SearchResult(section=section, score=1.0, matches=marks, snippet=snippet, passage=passage))


@pytest.mark.parametrize(
    ("body", "query", "line"),
    [
        ("One.\nThe paper bin.\nThe bin.\n", "paper bin", (4, "The paper bin.")),
        (BINS, "paper bin", (5, "| Monday | Paper | in bags |")),
        ("The bin, a bin.\nThe cardboard.\n", "bin cardboard", (4, "The cardboard.")),
        ("| Paper | Bin |\n|---|---|\n| glass | paper |\n", "paper bin", (5, "| glass | paper |")),
        (BINS, "bin", (3, "| Day | Bin | Note |")),
    ],
)
def test_line_with_most_letters_of_the_words_answers(body, query, line):
    assert line_of(body, query) == line


def test_line_of_the_passage_answers_where_several_have_the_words():
    body = "| 曜日 | 種類 |\n|---|---|\n| 月・木 | 燃えるゴミ |\n| 水 | 燃えないゴミ |\n"
    begin = len("# Home\n\n") + body.index("| 水")
    assert line_of(body, "燃え ゴミ", passage=Window(begin, begin + 14)) == (6, "| 水 | 燃えないゴミ |")


def test_line_of_an_option_answers_and_not_one_that_shares_its_parts():
    body = "Options:\n\n- **maxRetries** `number`\n- **maxTimeout** `number` - Maximum time to wait before retrying.\n"
    assert line_of(body, "maxRetries") == (5, "- **maxRetries** `number`")
