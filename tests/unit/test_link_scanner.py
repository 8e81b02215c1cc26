"""Links that are refused or found only in part: labels, targets in braces, and bounds."""

import pytest

from indexer.markdown.link_brackets import MAX_LABEL, MAX_TARGET
from indexer.markdown.link_scanner import LinkScanner
from indexer.markdown.links import read_links


def links(source, references=(), *, hidden=()):
    found = LinkScanner(dict(references)).scan(source, hidden=hidden).links
    return [(link.kind, link.target, link.text) for link in found]


def test_label_that_is_not_closed_leaves_the_text_before_it_a_link():
    assert links("[text][ref", {"TEXT": "a.md"}) == [("reference", "a.md", "text")]


def test_empty_label_stands_for_the_text():
    assert links("[text][] b", {"TEXT": "a.md"}) == [("reference", "a.md", "text")]


def test_blank_label_is_none_and_stands_alone():
    names = {"TEXT": "a.md"}
    assert links("[text][ ] b", names) == [("reference", "a.md", "text")]
    assert links("[text][ ](c.md)", names) == [("reference", "a.md", "text"), ("markdown", "c.md", "")]


def test_label_goes_before_the_text():
    assert links("[text][ref]", {"TEXT": "a.md", "REF": "b.md"}) == [("reference", "b.md", "text")]


def test_label_without_a_definition_makes_no_link():
    assert links("[text][other]", {"TEXT": "a.md"}) == []


@pytest.mark.parametrize("text", ["[a [text] b]", "[^text]", "[ ]", f"[{'x' * (MAX_LABEL + 1)}]"], ids=lambda text: text[:9])
def test_brackets_notes_blanks_and_long_texts_are_no_labels(text):
    names = {"A [TEXT] B": "a.md", "^TEXT": "a.md", "": "a.md", "X" * (MAX_LABEL + 1): "a.md"}
    assert links(text, names) == []


def test_target_of_a_definition_that_is_too_long_is_left_out():
    assert links("[text]", {"TEXT": "x" * (MAX_TARGET + 1)}) == []
    assert links("[text]", {"TEXT": "x" * MAX_TARGET}) == [("reference", "x" * MAX_TARGET, "text")]


@pytest.mark.parametrize(
    "tag", ["<Card href={props.url} />", "<img src={picture}>", '<a href="{{ url }}">x</a>', '<img alt="x">']
)
def test_target_in_braces_or_none_makes_no_link(tag):
    assert links(tag) == []


def test_closing_bracket_alone_is_text():
    assert links("a ] [b](c.md)") == [("markdown", "c.md", "b")]


def test_link_around_a_link_is_text():
    assert links("[a [b](c.md) d](e.md)") == [("markdown", "c.md", "b")]


def test_comment_and_braces_without_end_hide_nothing():
    assert links("<!-- {/* <!-- {/* [a](b.md)") == [("markdown", "b.md", "a")]


def test_wikilink_that_is_too_long_is_none():
    assert links(f"[[{'x' * (MAX_TARGET + 1)}]]") == []


def test_hidden_spans_hold_no_links():
    assert links("[a](1) [b](2) [c](3)", hidden=[(0, 6), (7, 13)]) == [("markdown", "3", "c")]


def test_entities_in_attributes_are_decoded():
    assert links('<a href="a.md?x&amp;y">b</a>') == [("html", "a.md?x&y", "b")]


def test_only_so_many_links_of_a_document_are_kept(monkeypatch):
    monkeypatch.setattr("indexer.markdown.links.MAX_LINKS", 3)
    found = read_links("\n\n".join(f"[[n{number}]]" for number in range(9)))
    assert [link.target for link in found.links] == ["n0", "n1", "n2"]


@pytest.mark.parametrize("tag", ['<link href="a.css">', '<script href="a.js">', '<use href="#icon">'])
def test_addresses_of_what_a_page_loads_are_no_links(tag):
    assert links(tag) == []
