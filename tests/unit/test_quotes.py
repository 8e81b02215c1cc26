"""Quotes are read in portions, and as the parser's own rule reads them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt, rules_block

from indexer.markdown.text_blocks import read_text_blocks
from schema.formats import quotes

MARKS = ["> ", ">", "> > ", " > ", "    > ", "- ", "1. ", "  ", "\t", "", "", ""]
TEXTS = [
    "a",
    "# h",
    "---",
    "===",
    "```",
    "    a",
    "<b>",
    "<!--",
    "-->",
    "[a]: /u",
    "[b]: /u 'a",
    "b'",
    "a | b",
    "--- | ---",
    "- a",
    "",
]
LINES = st.builds("".join, st.tuples(st.sampled_from(MARKS), st.sampled_from(MARKS), st.sampled_from(TEXTS)))


def render(text, rule):
    parser = MarkdownIt("commonmark").enable("table")
    parser.block.ruler.at("blockquote", rule, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    env = {}
    return parser.render(text, env), env.get("references"), env.get("duplicate_refs")


@given(st.lists(LINES, max_size=12), st.sampled_from([1, 2, 32]))
def test_quotes_read_in_portions_are_those_of_the_rule(lines, most_without):
    text = "\n".join(lines) + "\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quotes, "MOST_WITHOUT", most_without)
        found = render(text, quotes.in_portions(rules_block.blockquote))
    assert found == render(text, rules_block.blockquote)


@given(st.lists(LINES, max_size=12))
def test_headings_and_texts_do_not_depend_on_the_size_of_portions(lines):
    text, found = "\n".join(lines) + "\n", []
    for most_without in (1, 1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(quotes, "MOST_WITHOUT", most_without)
            found.append(read_text_blocks(text, {}))
    assert found[0] == found[1]


def test_definitions_of_a_quote_that_is_read_again_are_kept_once():
    text = "> [a]: /u\n> [a]: /v\n>\n> b\nc\n> [a]\n"
    html, references, duplicates = render(text, quotes.in_portions(rules_block.blockquote))
    assert (html, references, duplicates) == render(text, rules_block.blockquote)
    assert [references["A"]["href"], len(duplicates)] == ["/u", 1]


def gathered(text):
    """The lines that the rule was given for each quote, as often as it read one."""
    found = []

    def rule(state, start, end, silent):
        is_quote = rules_block.blockquote(state, start, end, silent)
        found.extend([(start, end)] * (is_quote and not silent))
        return is_quote

    render(text, quotes.in_portions(rule))
    return found


def test_a_quote_that_goes_on_is_read_again_with_twice_as_many_portions():
    assert gathered("> a\nb\n" * 4 + "> c\n") == [(0, 2), (0, 4), (0, 8), (0, 9)]


def test_a_quote_that_ends_leaves_the_next_one_unread():
    assert gathered("> # a\nb\n" * 3) == [(0, 2), (2, 4), (4, 6)]
