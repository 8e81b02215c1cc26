"""Reading links: what is a link, what is none, in which line it stands, and what else can be named."""

import re
from html import unescape
from urllib.parse import unquote

import pytest
from cmarkgfm import markdown_to_html
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from indexer.markdown.links import read_links
from indexer.splitter import MarkdownSplitter
from indexer.sync.links import linked_document


def targets(text, **options):
    return [(link.kind, link.target, link.text) for link in read_links(text, **options).links]


def anchors(text, kind):
    return [anchor.name for anchor in read_links(text).anchors if anchor.kind == kind]


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("See [the guide](guide.md#setup).", ("markdown", "guide.md#setup", "the guide")),
        ("[a](<my notes.md>)", ("markdown", "my notes.md", "a")),
        ('[a](b.md "A title")', ("markdown", "b.md", "a")),
        ("[a](b(c).md)", ("markdown", "b(c).md", "a")),
        ("[a\\]](b\\_c.md)", ("markdown", "b_c.md", "a\\]")),
        ("[a&b](c.md?x=1&amp;y=2)", ("markdown", "c.md?x=1&y=2", "a&b")),
        ("[[Note]]", ("wiki", "Note", "Note")),
        ("[[Note#Heading]]", ("wiki", "Note#Heading", "Note#Heading")),
        ("[[Note#^block|the text]]", ("wiki", "Note#^block", "the text")),
        ("| a |\n|---|\n| [[Note\\|text]] |", ("wiki", "Note", "text")),
        ("![[folder/Note]]", ("embed", "folder/Note", "folder/Note")),
        ("![A picture](p.png)", ("image", "p.png", "A picture")),
        ("[text][Ref]\n\n[ref]: other.md", ("reference", "other.md", "text")),
        ("[ref][]\n\n[ref]: other.md", ("reference", "other.md", "ref")),
        ("[ref]\n\n[ref]: other.md", ("reference", "other.md", "ref")),
        ("<https://example.org/a>", ("autolink", "https://example.org/a", "https://example.org/a")),
        ('<a class="x" href="other.md">there</a>', ("html", "other.md", "there")),
        ("<div>\n<a href='other.md'>there</a>\n</div>", ("html", "other.md", "there")),
        ('<LinkCard title="Keys" href="/guide/keys/" />', ("html", "/guide/keys/", "Keys")),
        ('<router-link to="/guide/">go</router-link>', ("html", "/guide/", "go")),
        ('<img src="p.png" alt="A picture">', ("image", "p.png", "A picture")),
        ('[x]({{< ref "keys.md#new" >}})', ("markdown", "keys.md#new", "x")),
        ("> - quoted [a](b.md)", ("markdown", "b.md", "a")),
        ("# Heading with [a](b.md)", ("markdown", "b.md", "a")),
    ],
)
def test_a_link_is_read_with_its_kind_target_and_text(text, link):
    assert targets(text) == [link]


@pytest.mark.parametrize(
    "text",
    [
        "```\n[a](b.md)\n```",
        "~~~ md\n[[Note]]\n~~~",
        "    [a](b.md)",
        "Code: `[a](b.md)` and ``[[a]] ` b``",
        "<!-- [a](b.md) -->",
        "Before <!-- [a](b.md) --> after",
        "%% [[Note]] %%",
        "%%\n\n[a](b.md)\n\nmore\n\n%%",
        "{/* [a](b.md) */}",
        "\\[a](b.md)",
        "[a]\\(b.md)",
        "[a](b\\ c.md)",
        "[ ] to do, [x] done, [^1] a note",
        "[[toc]]",
        "[[a\nb]]",
        "[]()",
        '<Teleport to="body">x</Teleport>',
        '<a :href="url">x</a>',
        "<Card href={props.url} />",
        "[text][missing]",
    ],
)
def test_what_only_looks_like_a_link_is_none(text):
    assert targets(text) == []


def test_only_what_is_in_comments_is_left_out():
    assert targets("%% [[a]] %% [[b]] %% [[c]] %% [[d]] %%") == [("wiki", "b", "b"), ("wiki", "d", "d")]


def test_a_picture_in_a_link_is_a_link_of_its_own():
    assert targets("[![badge](b.svg)](ci.md)") == [("markdown", "ci.md", "![badge](b.svg)"), ("image", "b.svg", "badge")]


def test_a_link_holds_no_other_link():
    assert targets("[a [b](c.md) d](e.md)") == [("markdown", "c.md", "b")]


def test_two_wikilinks_side_by_side_are_two_links():
    assert [target for _, target, _ in targets("[[A]][[B]]")] == ["A", "B"]


def test_lines_are_those_of_the_file():
    text = "[a](1.md)\r\n\r\n- b\r\n  [c](4.md)\r\n\r\n```\r\n[x](no.md)\r\n```\r\n> d\r\n> [e](10.md)\r\n\r\n| [f](12.md) |\r\n|---|\r\n| [g](14.md) |"
    assert [(link.line, link.target) for link in read_links(text, first_line=1).links] == [
        (1, "1.md"), (4, "4.md"), (10, "10.md"), (12, "12.md"), (14, "14.md")
    ]  # fmt: skip
    assert read_links(text, first_line=7).links[1].line == 10


def test_markdown_between_tags_is_read_in_mdx_alone():
    text = "<Note>\n  [a](b.md)\n</Note>"
    assert targets(text) == []
    assert targets(text, is_mdx=True) == [("markdown", "b.md", "a")]
    assert targets("<Tab>\n\n    [a](b.md)\n\n</Tab>", is_mdx=True) == [("markdown", "b.md", "a")]


def test_every_heading_is_an_anchor_also_deep_and_nested_ones():
    text = "# One\n\n#### Deep `code`\n\n> ## Quoted\n\n## One\n\n## Own {#my-id}\n"
    assert {"one", "deep-code", "quoted", "one-1", "my-id"} <= set(anchors(text, "heading"))


def test_ids_of_tags_braces_and_labels_are_anchors():
    text = '<a id="first"></a>\n\nText <a name="second"></a> {#third} \n\n{: #fourth .wide }\n\n<div id=\'fifth\'>\n\n(sixth)=\n# H'
    assert anchors(text, "id") == ["first", "second", "third", "fourth", "fifth"]
    assert anchors(text, "label") == ["sixth"]


def test_block_ids_are_anchors_with_their_lines():
    text = "A paragraph. ^first\n\n- item ^second\n- x^2 and ^no end\n"
    assert [(each.name, each.line) for each in read_links(text).anchors] == [("first", 1), ("second", 3)]


@pytest.mark.parametrize(
    "text",
    [
        "{{#include a.md}}",
        "<!-- @include: ./a.md -->",
        "--8<-- 'a.md'",
        "import A from './a.mdx'",
        "<Demo />",
        "<demo-part></demo-part>",
    ],
)
def test_parts_from_elsewhere_are_noticed(text):
    assert read_links(text).has_includes


@given(st.text(alphabet="[]()!<>`\\a \n\"'{}#^%|-:/.=", max_size=60))
def test_any_text_can_be_read(text):
    read_links(text)


def of_the_parser(text):
    """The addresses of links and pictures, as the whole parser finds them, unescaped."""
    tokens = [child for token in MarkdownIt("commonmark").parse(text) for child in token.children or ()]
    found = []
    while tokens:
        token = tokens.pop()
        tokens += token.children or []
        found += [unquote(str(token.attrs[name])) for name in ("href", "src") if token.attrs.get(name)]
    return sorted(found)


def of_cmark(text):
    """The same as CommonMark's own program writes them, which leaves out links in the texts of pictures."""
    return sorted(unquote(unescape(found)) for found in re.findall(r'(?:href|src)="([^"]+)"', markdown_to_html(text)))


@given(
    st.lists(
        st.sampled_from(["[", "]", "(", ")", "!", "`", "\\", "a", " ", "\n", "[a](b)", "[r]: c\n\n", "[r]", '"']),
        max_size=20,
    )
)
def test_links_are_those_of_the_whole_parser_or_of_cmark(parts):
    text = "".join(parts)
    kinds = ("markdown", "reference", "image")
    if "[[" not in text:
        found = sorted(link.target for link in read_links(text).links if link.kind in kinds)
        # markdown-it-py takes neither "[r](" at the end of a paragraph nor "[r][ ]" for a reference to r, as CommonMark does
        assert found in (of_the_parser(text), of_cmark(text))


def test_link_of_a_converted_file_has_the_place_in_which_its_line_begins():
    cells = [
        "[a](a)\r\n",
        "*b* <!-- cell 2 --> [b](b)\r\n[c](c)\n",
        "# H\n[d](d)\n",
        "## I\n[e](e)\n<!-- cell 5 -->\n",
        "# J\n[f](f)\n",
    ]
    starts = [0, len(cells[0]), *(len("".join(cells[:i])) for i in (2, 3, 4))]
    places = [(start, f"cell {i}") for i, start in enumerate(starts, 1)]
    sections = MarkdownSplitter().parse("".join(cells), "a.ipynb", places=places).sections
    found = linked_document(sections, {}).links
    told = {link.target: link.place for link in found}
    assert told == {"a": "cell 1", "b": "cell 1", "c": "cell 2", "d": "cell 3", "e": "cell 4", "f": "cell 5"}
    assert {link.place for link in linked_document(MarkdownSplitter().parse("[a](b)", "a.md").sections, {}).links} == {""}


def test_link_before_the_first_place_has_none():
    sections = MarkdownSplitter().parse("[a](a)\n\n# H\n\n[b](b)\n", "a.pdf", places=[(8, "page 1")]).sections
    assert [link.place for link in linked_document(sections, {}).links] == ["", "page 1"]


@pytest.mark.parametrize("ends", ["\r\n", "\r"], ids=["CRLF", "CR"])
@pytest.mark.parametrize("is_mdx", [False, True])
def test_line_ends_make_no_difference_to_links_and_anchors(ends, is_mdx):
    text = (
        "(my-label)=\n# One {#a}\n\n[s](#my-label) ^block\n\n<div>\n# Two\n</div>\n\n    [c](d.md)\n\n"
        "[[Note]]\n[t][r]\n\n[r]: e.md\n\n::: pkg.Class\n    :members:\n"
    )
    found = read_links(text, is_mdx=is_mdx)
    assert ("my-label", 1, "label") in [(anchor.name, anchor.line, anchor.kind) for anchor in found.anchors]
    assert read_links(text.replace("\n", ends), is_mdx=is_mdx) == found


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_option_below_a_directive_takes_parts_from_elsewhere(ends):
    assert read_links("::: members\n  :all:\n".replace("\n", ends)).has_includes


NAMED = """---
product: Acme
---
# Page

{level} See [[Key|the key]]

{level} Install {{{{ page.product }}}}

%%
{level} Setup
%%

{level} Setup

{level} Two [[brackets]] in `[[code]]`

{level} Written {{#own-id}}
"""


@pytest.mark.parametrize("level", ["##", "####"])
def test_headings_within_sections_have_the_anchors_that_sections_of_these_headings_have(level):
    text = NAMED.format(level=level)
    split = MarkdownSplitter().parse(text, "note.md", dialects=("obsidian",))
    found = linked_document(split.sections, split.front_matter).names.anchors
    wanted = ["see-the-key", "install-acme", "setup", "two-brackets-in-code", "own-id"]
    assert [anchor.name for anchor in found if anchor.kind == "heading" and anchor.name in wanted] == wanted
    assert "setup-1" not in [anchor.name for anchor in found]
    if level == "##":
        assert [section.anchor for section in split.sections[1:]] == wanted
