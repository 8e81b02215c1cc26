"""Lists of contents say what the headings below say: they are not searched, embedded or quoted."""

import time

import pytest

from indexer.dialects.markup import read_markup
from indexer.splitter import MarkdownSplitter
from schema.sections import blank_out
from schema.text.fields import section_terms
from search.server.shown import shown_text

CONTENTS = "- [Install](#install)\n  - [On Linux](#on-linux)\n- [Use `it[0]`](#use)"


def shown(source):
    return blank_out(source, read_markup(source, ()).hidden_in(0, len(source))).split()


@pytest.mark.parametrize(
    "source",
    [
        CONTENTS,
        "* [A](#a)\n* [B](#b-(two))\n* [C](#c)",
        "1. [A](#a)\n2. [B](#b)\n   1. [C](#c)",
        "- [A](#a)\n\n- [B](#b)\n\n- [C](#c)\n",
        "- [A that is\n  long](#a)\n- [B](#b)\n- [C](#c)",
        "- **[A](#a)**\n- [B](#b)  \n- _[C](#c)_",
        "- [検索](#検索)\n- [색인](#색인)\n- [A \\] b](#a)",
        "<!-- toc -->\n- [A](#a)\n  - [B](#b)\n    - [C](#c)\n<!-- /toc -->",
    ],
)
def test_list_of_links_to_places_on_the_page_is_hidden(source):
    assert shown(source) == []


@pytest.mark.parametrize(
    "source",
    [
        "- [A](#a)\n- [B](#b)",
        "- [A](a.md#a)\n- [B](b.md)\n- [C](https://c.example/#c)",
        "- [A](#a): first\n- [B](#b): second\n- [C](#c): third",
        "- See [A](#a)\n- See [B](#b)\n- See [C](#c)",
        "```\n- [A](#a)\n- [B](#b)\n- [C](#c)\n```",
        "    - [A](#a)\n    - [B](#b)\n    - [C](#c)",
        "[A](#a)\n[B](#b)\n[C](#c)",
    ],
)
def test_other_lists_stay(source):
    assert shown(source) == source.split()


def test_text_around_a_list_of_contents_stays():
    assert shown(f"# Guide\n\nIt has parts.\n\n{CONTENTS}\n\nText.\n") == ["#", "Guide", "It", "has", "parts.", "Text."]


def test_content_keeps_the_list_and_terms_do_not_have_it():
    first, second = MarkdownSplitter().split(f"# Guide\n\nAll of it.\n\n{CONTENTS}\n\n## Install\n\nRun it.\n", "a.md")
    assert CONTENTS in first.content
    assert first.body == "All of it."
    assert "linux" not in section_terms(first, {})
    assert second.body == "Run it."


def test_section_that_has_nothing_else_is_one_without_text():
    (section,) = MarkdownSplitter().split(f"{CONTENTS}\n", "a.md")
    assert (section.depth, section.body) == (0, "")


def test_page_shows_the_list():
    source = f"# Guide\n\nAll of it.\n\n{CONTENTS}\n\nText.\n"
    hidden = read_markup(source, ()).hidden
    assert hidden != ()
    assert shown_text(source, hidden, 0) == source


@pytest.mark.parametrize(
    "source",
    [
        "- [" * 100_000,
        "- [a](#" * 50_000,
        "- [a](#a)\n" * 50_000,
        "- [a](#a)\n- [b](#b)\n- [c](#c) x\n" * 20_000,
        "- [" + "[a]" * 100_000,
        "- [" + "\\[" * 200_000,
        ("- [a](#a)\n\n" * 2 + "x\n") * 20_000,
        "- [a\n " * 100_000,
    ],
    ids=["open", "open targets", "one list", "cut lists", "brackets", "escapes", "short lists", "open lines"],
)
def test_hostile_lists_take_little_time(source):
    began = time.process_time()
    read_markup(source, ())
    assert time.process_time() - began < 5
