"""The guarded block rules give what stock markdown-it-py gives, except where CommonMark says otherwise."""

import itertools
import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from indexer.markdown.blocks import MAX_LINES, MAX_NESTING, read_headings
from indexer.splitter import MarkdownSplitter

PLAIN = (
    """text|# h|## h {#x}|====|---|- item|1. one|> quote|> # q|```|~~~|    code|<div>|</div>|<!--|-->|[a]: /u|* * *|***"""
)
LINES = st.sampled_from(
    [
        *PLAIN.split("|"),
        "",
        "  - deep",
        "+",
        "###",
        "日本語",
        "\ttab",
        "| a |",
        "|---|",
        "a | b",
        ":-: | -",
        "\\| | \f",
        "\f",
    ]
)
#: Lines of lists, quotes and what may end them, none of them blank.
TIGHT = st.sampled_from(
    ["* star", "+ plus", "- dash", "1. one", "2. two", "1) paren", "- # h", "* a\n  ===", "  - deep", "    - deeper", "   text",
     "text", "===", "---", "-", "*", "- - - - a", "> quote", "> * a", "> - # h", "- > a", "> > a", "# h", "<b>", "```", "[a", "a | b", "- | -"]
)  # fmt: skip


_BAR_ABOVE_DASHES = re.compile(r"\|.*\n[ >\t]*-+[ \t]*(?:\n|\Z)")


def headings(text):
    return [(h.level, h.line, h.end_line, h.source, h.is_nested) for h in read_headings(text, {})[0]]


def stock_headings(text):
    tokens = []
    parser = MarkdownIt("commonmark", {"maxNesting": 10**6}).enable("table")
    parser.block.parse(text, parser, {}, tokens)
    return [
        (int(token.tag[1]), *token.map, text.content, token.level > 0)
        for token, text in itertools.pairwise(tokens)
        if token.type == "heading_open"
    ]


@given(st.lists(LINES, max_size=14).map("\n".join))
@example("a\n=\nb\n-\n")
@example("a | b\n:-: | -\n1 | 2\n---\nc | d\n\ng\n===\n")
@example("text\na|b\n-|-\nc\n===\n")
@example("a|b\n-|-\nc\n    d\n===\n")
@example("> a|b\n> -|-\nc\n===\n")
@example("a|b\n-|-\n1|2\n")
def test_guarded_rules_find_the_headings_of_the_stock_parser(text):
    assume(not _BAR_ABOVE_DASHES.search(text))  # the stock parser takes these for a table
    if "[a]:" in text:  # it reads wrong definitions too
        text = text.replace("[a]:", "(a):")
    assert headings(text) == stock_headings(text)


@given(st.lists(TIGHT, max_size=12).map("\n".join))
@example("* a\n* b\n===\n* c\nd\n---\n# e\n")
@example("* a\nb | c\n- | -\n# d\n")
def test_guarded_rules_find_the_headings_of_the_stock_parser_in_lists_without_blank_lines(text):
    assume(not _BAR_ABOVE_DASHES.search(text))
    assert headings(text) == stock_headings(text)


@pytest.mark.parametrize("sign", ["> ", "- ", "1. ", "> - ", "* \t"])
def test_nesting_beyond_the_limit_is_text_and_headings_below_are_found(sign):
    found, warnings = read_headings(sign * (MAX_NESTING + 1) + "# deep\n# near\n\n## below\n", {})
    assert [(h.level, h.source, h.is_nested) for h in found] == [(1, "near", False), (2, "below", False)]
    assert warnings == ("quotes and lists are nested more than 24 deep; the deepest ones were taken as plain text",)


def test_nesting_up_to_the_limit_is_read_without_a_warning():
    found, warnings = read_headings("> " * MAX_NESTING + "# deep\n", {})
    assert ([h.source for h in found], warnings) == (["deep"], ())


def test_text_of_very_many_lines_may_be_nested_less():
    found, warnings = read_headings("> > > > > # deep\n" + "\n" * 500_000 + "# below\n", {})
    assert [h.source for h in found] == ["below"]
    assert "nested more than 4 deep" in warnings[0]


def test_text_of_too_many_lines_is_one_section_and_says_so():
    split = MarkdownSplitter().parse("# a\n" + "\n" * MAX_LINES, "a.md")
    assert [s.depth for s in split.sections] == [0]
    assert split.warnings[0] == (
        "a.md: the text has more than 1,000,000 lines; its headings are not read and it is kept as one section"
    )


def test_table_ends_where_another_block_begins():
    assert headings("a | b\n-|-\n1 | 2\n---\nc | d\n-|-\ne | f\n\ng\n===\n") == [(1, 8, 10, "g", False)]


def test_table_ends_a_paragraph_above_it():
    assert headings("text\n| a |\n|---|\n| 1 |\n===\n\ng\n===\n") == [(1, 6, 8, "g", False)]


def test_table_of_a_list_item_ends_where_the_item_ends():
    assert headings("- | a |\n  |---|\n  | 1 |\ng\n===\n") == [(1, 3, 5, "g", False)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[b]:\n===\n", ["[b]:"]),
        ("[b]:\n---\n", ["[b]:"]),
        ("[b]: /u\n===\n", []),
        ("[b]: /u\n'title\n===\nmore'\n", ["'title"]),
        ("[b]: /u\ntext\n===\n", ["text"]),
        ("[b]: /u\n\n[b]:\n===\n", ["b:"]),
        ("[b]: /u\n'a\n    ===\nb'\n", []),
        ("[b\n---\nc]: /u\n", ["[b"]),
        ("> [b]:\n> ===\n", []),
    ],
)
def test_underline_ends_a_link_definition(text, expected):
    assert [s.heading for s in MarkdownSplitter().split(text, "a.md") if s.depth] == expected


def test_definition_taken_back_is_not_known_to_links():
    assert MarkdownSplitter().split("[b]:\n===\n\n## see [b]\n", "a.md")[1].heading == "see [b]"


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)", "JavaScript:x", "<\u3000javascript:x>", "file:///x", "vbscript:x", "data:text/html,x",
        "data:image/png;base64,x", "DATA:image/gif;x", "data:[image]/png;x", "data:image/svg+xml;x", "https://é/x", "/a b", "x",
    ],
)  # fmt: skip
def test_what_is_a_link_is_so_by_the_stock_parser(address):
    text = f"# [a]({address}) ![b]({address}) [c]\n\n[c]: {address}\n"
    stock = MarkdownIt("commonmark").parse(text)[1].children
    plain = "".join(token.content for token in stock)
    assert MarkdownSplitter().split(text, "a.md")[0].heading == plain


@pytest.mark.usefixtures("untraced")
def test_many_definitions_in_a_row_take_linear_time():
    text = "".join(f"[a{i}]: /u{i}\n" for i in range(20_000))
    assert len(MarkdownSplitter().split(text, "a.md")) == 1


@pytest.mark.parametrize(("lines", "heading"), [(10, "a"), (2000, "[a]")])
def test_definition_of_very_many_lines_is_text(lines, heading):
    text = "[a]: /u 'title\n" + "b\n" * lines + "c'\n\n# [a]\n"
    assert MarkdownSplitter().split(text, "a.md")[-1].heading == heading


@pytest.mark.parametrize("text", ["> 2) \t<script> |\n  > ", "> - <pre>\n>"])
def test_text_that_ends_within_a_block_of_html_is_split(text):
    assert "".join(section.content for section in MarkdownSplitter().split(text, "a.md")) == text


@pytest.mark.parametrize(("row", "heading"), [("---", "| a |"), ("--- ", "| a |"), (":--", None), ("|---|", None)])
def test_dashes_alone_below_a_line_between_bars_make_it_a_heading(row, heading):
    headings = [s.heading for s in MarkdownSplitter().split(f"| a |\n{row}\n", "a.md") if s.depth]
    assert headings == ([heading] if heading else [])
