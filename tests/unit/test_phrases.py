"""Phrases in quotes, and texts that are left out, in Markdown as people write it: with marks, quotations and line ends."""

import numpy as np
import pytest

from indexer.splitter import MarkdownSplitter
from indexer.sync.plan import plan_document
from schema.clock import now
from schema.storage.rows import get_sections_schema, to_arrow
from schema.text.analyzer import term_lines
from search.ranking.phrases import rows_with_phrases
from search.ranking.query import fold, parse_query, phrase_finder, sure_terms
from search.sources.held import HeldSource
from tests.unit.test_relevance import ask, snapshot, source

WRITTEN = [
    ("dead letter", "The dead **letter** waits."),
    ("dead letter", "The `dead` letter."),
    ("dead letter", "A _dead_ letter, a __dead__ ~~letter~~."),
    ("dead letter", "> The dead\n> letter."),
    ("dead letter", "> > The dead\r\n> >  *letter*."),
    ("the dead letter", "the\ndead\n\nletter"),
    ("検索エンジン", "全文の検索\nエンジンです。"),
    ("検索エンジン", "全文**検索**エンジンです。"),
    ("検索エンジン", "> 検\n> 索エンジン"),
    ("検索、設定", "検索、\n設定"),
    ("检索，设置", "检索，\n设置"),
    ("検索 エンジン", "検索\nエンジン"),
    ("검색을 합니다", "**검색**을\n합니다"),
    ("see the oven for heat", "See the [[oven]] for heat."),
    ("use the big pan here", 'Use the [big pan](pan.md "Pans") here.'),
    ("use the big pan here", "Use the [big pan][pans] here."),
    ("a note follows", "A note[^1] follows."),
    ("at&t phone", "An AT&amp;T phone."),
    ("pass --dry-run to it", r"Pass \-\-dry\-run to it."),
    ("c++", r"In C\+\+."),
    ("docker", "Dockerを入れる。"),
    ("リリース2.4", "リリース2.4は六月に出る。"),
    ("pr", "먼저 PR을 올린다."),
    ("การค้นหา", "การ\nค้นหา"),
]
APART = [
    ("dead letter", "dead or letter"),
    ("ab", "a__b"),
    ("ab", "a\nb"),
    ("ab", "a==b and a==b"),
    ("a b", "a(b)"),
    ("see pan", "see [the](pan)"),
    ("docker", "DockerHubを使う。"),
    ("2.4", "12.40は六月に出る。"),
    ("deadletter", "dead\nletter"),
    ("**kwargs", "kwargs"),
    ("검색엔진", "검색\n엔진"),
    ("検索エンジン", "検索のエンジン"),
    ("検索エンジン", "# 検索\n\nエンジン"),
    ("検索エンジン", "## 検索\r\nエンジン"),
    ("検索エンジン", "検索\r\n\r\nエンジン"),
    ("検索エンジン", "> 検索\n>\n> エンジン"),
]


@pytest.mark.parametrize(("phrase", "text"), WRITTEN)
def test_phrase_stands_in_a_text_whatever_marks_and_line_ends_are_in_it(phrase, text):
    assert phrase_finder(text)(fold(phrase))
    assert sure_terms(fold(phrase)) <= {term for line in term_lines(text) for term in line.split(" ")}


@pytest.mark.parametrize("first", ["", "# Keys\n\n"])
def test_phrase_in_a_title_of_front_matter_alone_leads_to_the_first_section_of_the_page(first):
    page = f"---\ntitle: The signing key\n---\n\n{first}How it is made.\n\n## Rotation\n\nOnce a year.\n"
    index = snapshot(a=page, b="# B\n\nA key for signing, and signing of a key.\n")
    assert rows_with_phrases(index, parse_query('"signing key"'), np.ones(index.rows)).tolist() == [True, False, False]
    held = source(a=page, b="# B\n\nA key for signing, and signing of a key.\n")
    assert len(ask(held, '"signing key"')[0]) == 1


@pytest.mark.parametrize(
    ("query", "holders"),
    [('"signing key" rotation', "aabb"), ("「signing key」の更新", "aabb"), ('"signing key" "once"', "ab")],
)
def test_phrase_in_a_title_or_in_a_heading_above_counts_for_a_question_with_more_words(query, holders):
    titled = "---\ntitle: The signing key\n---\n\nHow it is made.\n\n## Rotation 更新\n\nOnce a year.\n"
    headed = "# Keys\n\n## The signing key\n\n### Rotation 更新\n\nOnce a year.\n"
    index = snapshot(a=titled, b=headed, c="# Signing\n\n## Key rotation 更新\n\nOnce.\n")
    holds = rows_with_phrases(index, parse_query(query), np.ones(index.rows))
    assert holds is not None
    assert "".join(index.path(row)[0] for row in np.flatnonzero(holds)) == holders


@pytest.mark.parametrize(("phrase", "text"), APART)
def test_phrase_is_not_in_a_text_that_has_other_words_or_letters(phrase, text):
    assert not phrase_finder(text)(fold(phrase))


@pytest.mark.parametrize("phrase", ["**kwargs", "a * b", "`x` and", "max_tokens", "__init__"])
def test_phrase_with_marks_is_found_as_it_is_written(phrase):
    assert phrase_finder(f"Give {phrase} here.")(fold(phrase))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ('"dead letter"', "> The dead\n> **letter** waits."),
        ("「検索エンジン」", "全文の検索\nエンジンです。"),
        ('"검색을"', "**검색**을 한다."),
    ],
)
def test_section_with_marks_and_line_ends_in_a_phrase_is_left(query, text):
    index = snapshot(a=f"# A\n\n{text}\n", b="# B\n\nletter dead 索検 엔진\n")
    assert rows_with_phrases(index, parse_query(query), np.ones(index.rows)).tolist() == [True, False]


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("let it cool two hours", "==Let it cool== two hours."),
        ("see the oven for heat", "See [[Oven|the oven]] for heat."),
        ("bold move", "<b>Bold</b> move."),
        ("bold move", "bold<br>move"),
    ],
)
def test_phrase_is_found_as_a_reader_of_the_dialect_sees_it(phrase, text):
    document = MarkdownSplitter().parse(f"# A\n\n{text}\n", "a.md", dialects=("obsidian",))
    rows = plan_document(document.sections, front_matter={}, stored={}, reusable={}, now=now()).rows
    snapshot = HeldSource.of(to_arrow(rows, get_sections_schema(4)), dimension=4).snapshot
    assert rows_with_phrases(snapshot, parse_query(f'"{phrase}"'), np.ones(1)).tolist() == [True]
