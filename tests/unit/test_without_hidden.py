"""Markup within words leaves no blank behind where it is left out: in snippets, phrases and context packs."""

import pytest

from indexer.splitter import MarkdownSplitter
from schema.sections import is_within_words, without_hidden
from schema.text.query_words import query_terms
from search.context.highlight import find_matches
from search.context.snippet import snippet_of
from search.index.snapshot import text_with_title
from search.ranking.query import fold, phrase_finder

TEXTS = [
    ("See <b>NAS</b>'s port (<i>eth0</i>).", "See NAS's port (eth0)."),
    ("할인은 <b>할인액</b>을 뺍니다.", "할인은 할인액을 뺍니다."),
    ("詳しくは「<b>手順</b>」を見て。", "詳しくは「手順」を見て。"),
    ("One<br> two <b>bold</b> words.", "One two bold words."),
    ("A <!-- note --> gap.", "A gap."),
    ("<b>a</b> <b>b</b>.", "a b."),
    ("x<sup>2</sup>. and m<sup>2</sup> (max).", "x<sup>2</sup>. and m<sup>2</sup> (max)."),
]


def section_of(text):
    return MarkdownSplitter().split(f"# Guide\n\n{text}\n", "a.md")[0]


@pytest.mark.parametrize(("text", "shown"), TEXTS)
def test_snippet_shows_text_without_blanks_for_markup(text, shown):
    section = section_of(text)
    weights = query_terms(shown)
    matches = find_matches(section.text, weights)
    snippet = snippet_of(section, shown, weights, matches)
    assert snippet.text == shown
    assert all(shown[match.start : match.end].strip() for match in snippet.matches)


@pytest.mark.parametrize(("text", "shown"), TEXTS)
def test_phrase_is_found_over_markup_within_it(text, shown):
    section = section_of(text)
    row = {"content": section.content, "hidden": section.hidden, "document_title": "Guide", "position": 0}
    assert phrase_finder(text_with_title(row))(fold(shown.rstrip(".")))


@pytest.mark.parametrize(
    ("markup", "is_within"),
    [
        *((markup, True) for markup in ("[[a b#c|", "![[", "]]", "<B class=x>", "</kbd>", "==")),
        *((markup, False) for markup in ("<br>", "<td>", "<bx>", "[[a\nb", "{{<", "")),
    ],
)
def test_markup_within_words(markup, is_within):
    assert is_within_words(markup) is is_within


def test_text_without_hidden_parts_keeps_its_line_ends():
    assert without_hidden("a\n<!-- x\ny -->\nb", (2, 14)) == "a\n      \n     \nb"
