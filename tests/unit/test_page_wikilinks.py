"""Wikilinks in sections that the page shows: links to the sections that they lead to, else their texts."""

import pytest

from indexer.splitter import MarkdownSplitter
from search.server.markup import section_html
from search.server.shown import shown_text

PLACES = (("Alpha (old)", "notes/Alpha.md", "alpha"), ("Beta#Goals", "Beta.md", "goals"))


def page(text, places=PLACES):
    """The HTML of a note with this text."""
    (section,) = MarkdownSplitter().parse(text, "note.md", dialects=("obsidian",)).sections
    hidden = list(zip(section.hidden[::2], section.hidden[1::2], strict=True))
    return section_html(shown_text(section.content, hidden, 0), document_path="note.md", places=places)


@pytest.mark.parametrize(
    ("text", "address", "shown"),
    [
        ("[[Alpha (old)]]", "notes/Alpha.md#alpha", "Alpha (old)"),
        ("[[Alpha (old)|the *first*]]", "notes/Alpha.md#alpha", "the <em>first</em>"),
        ("[[Beta#Goals]]", "Beta.md#goals", "Beta#Goals"),
        ("![[Beta#Goals]]", "Beta.md#goals", "Beta#Goals"),
        ("| a |\n|---|\n| [[Alpha (old)\\|first]] |", "notes/Alpha.md#alpha", "first"),
    ],
)
def test_wikilink_is_a_link_to_where_it_leads(text, address, shown):
    assert f'<a href="?doc={address}" rel="noopener noreferrer nofollow">{shown}</a>' in page(text)


def test_wikilink_that_leads_nowhere_is_its_text():
    assert page("See [[Gamma]] and [[Gamma|that]].") == "<p>See <span>Gamma</span> and <span>that</span>.</p>\n"


def test_picture_is_left_out_and_the_text_behind_it_is_no_link():
    assert page("A ![[plan.png]] plan ]] here.") == "<p>A  plan ]] here.</p>\n"


def test_target_of_a_wikilink_cannot_name_an_address():
    assert "href" not in page("[[javascript:alert(1)]] [[https://example.org/x]]")
