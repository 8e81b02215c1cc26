"""The splitting rules, one by one, and the properties that hold for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.splitter import MarkdownSplitter
from schema.errors import ArgumentError

PIECES = st.sampled_from(
    ["# A", "## B", "### C", "#### D", "text", "", "====", "---", "> # q", "```", "- # i", "\r", "\r\n", "\n", "\n\n", "\0", "\u2028#",
     "+++", "title: x", "...", "\ufeff", "<!--", "[a]: /u", "{#id}", "見出し", "\t", "    # code"]
)  # fmt: skip
MARKDOWN = st.lists(PIECES, max_size=20).map("".join) | st.lists(PIECES, max_size=20).map("\n".join) | st.text(max_size=60)


def tree(text, **options):
    return [(s.depth, s.heading) for s in MarkdownSplitter(**options).split(text, "docs/a.md")]


def only(text):
    (section,) = MarkdownSplitter().split(text, "docs/a.md")
    return section


@given(MARKDOWN)
def test_front_matter_and_contents_are_the_source(text):
    split = MarkdownSplitter().parse(text, "a.md")
    whole = split.front_matter_raw + "".join(s.content for s in split.sections)
    assert whole == text or (not split.sections and not text[len(split.front_matter_raw) :].strip(" \t\r\n"))


@given(MARKDOWN)
def test_sections_are_consistent_with_their_source(text):
    sections = MarkdownSplitter().split(text, "a.md")
    ids = [s.id for s in sections]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    assert len(set(ids)) == len(ids)
    for i, s in enumerate(sections):
        assert s.position == i
        assert text[s.start : s.end] == s.content
        assert 0 <= s.body_start <= len(s.content)
        assert 1 <= s.start_line <= s.end_line <= lines
        parent = next((p for p in sections if p.id == s.parent_id), None)
        assert (parent is None) == (s.parent_id is None)
        assert parent is None or (
            1 <= parent.depth < s.depth and parent.position < i and s.heading_path[:-1] == parent.heading_path
        )


@given(MARKDOWN)
def test_ids_survive_text_added_at_the_end(text):
    before = {s.id for s in MarkdownSplitter().split(text + "\n\n# Last\n", "a.md")}
    after = {s.id for s in MarkdownSplitter().split(text + "\n\n# Last\n\nmore words\n", "a.md")}
    assert before == after


def test_h3_without_h2_hangs_under_h1():
    h1, h3 = MarkdownSplitter().split("# A\n### C\n", "a.md")
    assert h3.parent_id == h1.id


def test_h2_before_any_h1_is_a_root():
    assert [s.parent_id for s in MarkdownSplitter().split("## A\n## B\n", "a.md")] == [None, None]


def test_preamble_is_nobodys_parent_and_has_no_number():
    root, h1 = MarkdownSplitter().split("hello\n# A\n", "a.md")
    assert (root.heading, root.depth, root.section_number, h1.parent_id) == ("(document root)", 0, (), None)
    assert (h1.order, h1.section_number) == (1, (1,))


def test_blank_preamble_joins_the_first_section():
    assert only("\n\n# A\n").content == "\n\n# A\n"


def test_section_numbers_follow_the_tree():
    numbers = [s.section_number for s in MarkdownSplitter().split("# A\n## B\n## C\n### D\n# E\n", "a.md")]
    assert numbers == [(1,), (1, 1), (1, 2), (1, 2, 1), (2,)]


def test_h4_and_deeper_stay_in_their_section():
    assert tree("# A\n#### B\n") == [(1, "A")]


def test_max_depth_one_keeps_h2_inside():
    assert tree("# A\n## B\n", max_depth=1) == [(1, "A")]


@pytest.mark.parametrize("text", ["#No", "####### seven", "\\# esc", "#\u00a0nbsp", "#\u3000全角", "\uff03 x", "    # code", "> # q", "- # i"])  # fmt: skip
def test_look_alikes_are_not_headings(text):
    assert tree(text) == [(0, "(document root)")]


def test_empty_heading_is_a_boundary():
    assert tree("# A\n##\ntext\n") == [(1, "A"), (2, "")]


def test_html_heading_is_not_a_boundary():
    assert tree("<h1>x</h1>\n") == [(0, "(document root)")]


@pytest.mark.parametrize(
    ("source", "heading"),
    [
        ("# `code` **bold** ![alt *x*](i.png)", "code bold alt x"),
        ("# a<br>b &amp; c", "a b & c"),
        ("# a <i>b</i>", "a b"),
        ("# a   \t b", "a b"),
        ("# [link][r]\n\n[r]: /u", "link"),
        ("# a\0b", "a\ufffdb"),
        ("# one  {#id}", "one"),
        ("# one {/* an-id */}", "one"),
        ("# one {/*id*/}", "one"),
        ("# one {a}", "one {a}"),
        ("# one {/* */}", "one {/* */}"),
        ("# one \\{#id}", "one {#id}"),
        ("# a\u2028b", "a\u2028b"),
        ("line one\nline two\n===", "line one line two"),
        ("# " + "[" * 1900, "[" * 1900),
        ("# " + "*x* " * 600, ("*x* " * 600).strip()),
    ],
)
def test_heading_text(source, heading):
    assert only(source).heading == heading


@pytest.mark.parametrize(
    ("headings", "anchors"),
    [
        ("# Hello World!\n# Hello World\n## Hello World", ["hello-world", "hello-world-1", "hello-world-2"]),
        ("# A {#b}\n# B", ["b", "b-1"]),
        ("# 算出プロパティ vs. メソッド", ["算出プロパティ-vs-メソッド"]),
        ("# 버퍼 늘리기", ["버퍼-늘리기"]),
        ("# a_b-c", ["a_b-c"]),
        ("#### x\n# x", ["", "x-1"]),
        ("# a\n# a-1\n# a", ["a", "a-1", "a-2"]),
    ],
)
def test_anchors(headings, anchors):
    assert [s.anchor for s in MarkdownSplitter().split(headings, "a.md")] == anchors


def test_lone_carriage_returns_end_lines():
    a, b = MarkdownSplitter().split("# A\rx\r\r## B\ry\r", "a.md")
    assert (a.start_line, a.end_line, b.start_line, b.end_line) == (1, 3, 4, 5)


def test_body_starts_after_a_setext_heading():
    section = only("one\ntwo\n===\n\nbody\n")
    assert section.content[section.body_start :] == "\nbody\n"
    assert section.body == "body"


def test_same_heading_path_gets_another_id():
    first, second = MarkdownSplitter().split("# A\n# A\n", "a.md")
    assert first.id != second.id


def test_same_text_in_another_document_gets_another_id():
    assert only("# A\n").id != MarkdownSplitter().split("# A\n", "b.md")[0].id


@pytest.mark.parametrize(
    ("source", "path", "title"),
    [
        ("---\ntitle: Named\n---\n# A\n", "a.md", "Named"),
        ("## Sub\n# Main\n", "a.md", "Main"),
        ("## Sub\n", "docs/a.md", "Sub"),
        ("<!-- old heading -->\n\n## Sub\n", "docs/a.md", "Sub"),
        ("#\n\nx\n", "docs/a.md", "a"),
        ("", "docs/setup/README.md", "setup"),
        ("", "index.md", "index"),
    ],
)
def test_title(source, path, title):
    assert MarkdownSplitter().parse(source, path).title == title


def test_front_matter_only_has_no_section_but_a_title():
    split = MarkdownSplitter().parse("---\ntitle: T\n---\n\n", "a.md")
    assert (split.sections, split.title) == ((), "T")


def test_oversized_section_is_warned_of_and_not_cut():
    split = MarkdownSplitter(max_tokens_per_section=3).parse("# A\n\none two three four five\n", "a.md")
    (section,) = split.sections
    told = f"a.md: section 'A' has {section.token_count} tokens, more than 3"
    assert split.warnings == (f"{told}; divide it by headings",)


def test_oversized_text_before_the_first_heading_is_called_by_the_title():
    (warning,) = MarkdownSplitter(max_tokens_per_section=3).parse("some words of a text\n", "docs/notes.md").warnings
    assert warning.startswith("docs/notes.md: section 'notes' has ")


def test_deep_nesting_keeps_later_headings():
    assert tree("# A\n" + "> " * 3000 + "# x\n\n## B\n") == [(1, "A"), (2, "B")]


def test_nesting_over_many_shallow_lines_ends_in_one_section():
    text = "".join(f"{' ' * 2 * (i % 9)}" + "> - " * 5 + "\n" for i in range(3)) + "".join(
        "- " * 19 + "x\n" for _ in range(2)
    )
    assert "".join(s.content for s in MarkdownSplitter().split(text, "a.md")) == text


@pytest.mark.parametrize("wrong", [0, 4])
def test_max_depth_out_of_range_is_refused(wrong):
    with pytest.raises(ValueError, match="max_depth must be 1, 2 or 3"):
        MarkdownSplitter(max_depth=wrong)


def test_max_tokens_below_one_is_refused():
    with pytest.raises(ValueError, match="max_tokens_per_section"):
        MarkdownSplitter(max_tokens_per_section=0)


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ('<h1 align="center">Fast &amp; small</h1>\n\n## Hooks\n', "Fast & small"),
        ("<p><img src=x></p>\n<h1>\n  <img src=y>\n  Fast\n</h1>\n\nIt is fast.\n", "Fast"),
        ("<h1></h1>\n<h1>Fast</h1>\n\n## Hooks\n", "Fast"),
        ("<h1>Fast</h1>\n\n# Own\n", "Own"),
        ("    <h1>Fast</h1>\n\n## Hooks\n", "notes"),
        ("Text with `<h1>Fast</h1>` in it.\n\n## Hooks\n", "notes"),
        ("<!-- <h1>Fast</h1> -->\nText.\n\n## Hooks\n", "notes"),
        ("<h1>Fast\n\n## Hooks\n\n</h1>\n", "notes"),
        ("Text.\n\n## Hooks\n\n<h1>Fast</h1>\n", "notes"),
    ],
)
def test_title_of_a_readme_without_an_h1_is_that_of_html_before_the_first_heading(source, title):
    assert MarkdownSplitter().parse(source, "notes/README.md").title == title
    assert MarkdownSplitter().parse(source, "notes/my-note.md").title == (title if title == "Own" else "my-note")


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("## A\n\ntext\n\n### B\n", "A"),
        ("intro\n\n## A\n\n## B\n", "my-note"),
        ("## A\n\n## B\n", "my-note"),
        ("### A\n\n## B\n", "my-note"),
        ("intro\n\n## A\n\n# B\n", "B"),
    ],
)
def test_title_without_an_h1_is_a_heading_above_all_others_or_the_files_name(source, title):
    assert MarkdownSplitter().parse(source, "notes/my-note.md").title == title


@pytest.mark.parametrize("wrong", ["mdx", 3])
def test_dialects_that_are_no_list_of_names_are_refused(wrong):
    with pytest.raises(ArgumentError, match="dialects must be a tuple of names of dialects"):
        MarkdownSplitter().parse("# A\n", "a.md", dialects=wrong)


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("About [[Projects/Infra|the servers]]", "About the servers"),
        ("[[Setup]] and `[[code]]`", "Setup and [[code]]"),
        ("See [[Setup#First steps]]", "See Setup#First steps"),
        ("Test with [[ -f file ]]", "Test with [[ -f file ]]"),
        ("An array [[1]]", "An array [[1]]"),
    ],
)
def test_heading_with_wikilinks_has_their_texts(heading, text):
    assert tree(f"# {heading}\n\ntext\n") == [(1, text)]


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("---\ntitle: FAQ\n---\n\n<!-- to do -->\n", (4, 5)),
        ("<!-- to do -->\n<!-- later -->", (1, 2)),
        ("<!-- to do -->\n\nText.\n", (3, 3)),
    ],
)
def test_section_of_which_all_text_is_hidden_has_lines_of_its_own(source, lines):
    (section,) = MarkdownSplitter().split(source, "a.md")
    assert (section.start_line, section.end_line) == lines
