"""Reading the markup of any dialect, and noting those of folders, takes time in proportion to what is given."""

import json

import pytest

from indexer.dialects.folders import Dialects
from indexer.dialects.markup import read_markup
from indexer.found import Discovery
from indexer.reading import FoundFile
from indexer.splitter import MarkdownSplitter
from indexer.sync.documents import Documents
from schema.settings import DIALECTS
from tests.growing import Family, assert_grows_linearly, fill

pytestmark = [pytest.mark.growth, pytest.mark.slow]

SIZE = 80_000
PARTS = [
    "<a ", "<", "</", "<a>", "<A b", "{", "{{", "{{<", "{{< a ", "`", "`a``", "%%", "%% ", "[[", "![[a", "<!--", "<script>", ":::",
    "!!! a ", '=== "', "\\", "$", "$$a", "==", "#a ", "    a\n\n", "- a\n\n", "```\n", "~~~a\n", '<a b="', "<a b={", "{'", "{/*",
    "export ", "import {\n", "export {\n\n", "{{< highlight a >}}\n", "{{/*", "{#", "{%", "^a\n", " ^a", "> [!a\n", "<div\n", "\r", "# {#a} ", "    \n",
    "````{note}\n", "```{note}\n:a: b\n", "```{note}\n---\n", ":::{toctree}\n", "{a}`", "{a}``x ", "{a}`x <", "(a)=\n", "%\n",
    "[[a|", "{{ #include ", "{.a ", "[", "#", "# a ",
    "<b hidden>", "<div hidden>", "> <div hidden>\n", "- <div hidden>\n", "  <div hidden>\n", "| <b hidden>", "<b hidden>\n# ", "<p hidden><b>",
    "<li hidden><i>", "<b><div>", "<b><div></b>", "<p style='/*", "<div hidden>\n\n# A\n\n</div>\n", "{a && <b>", "<b v-pre>{{", "::: v-pre\n",
]  # fmt: skip


def read(text):
    """Read it as plain Markdown, as MDX, as MyST, and in all dialects at once."""
    for dialects in ((), ("mdx",), ("myst",), DIALECTS):
        read_markup(text, dialects)


@pytest.mark.parametrize("part", PARTS)
def test_markup_is_read_in_linear_time(part):
    assert_grows_linearly(Family(part, lambda size: fill(part, size), read, SIZE))


def read_as(dialect):
    return lambda text: read_markup(text, [dialect])


@pytest.mark.parametrize(
    "family",
    [
        Family("blanks before an id", lambda size: f"a{' ' * size}{{#{'a' * size}", read_as("hugo"), SIZE),
        Family("blanks in attributes", lambda size: f"{{.a{' ' * size}", read_as("mkdocs"), SIZE),
        Family("blanks in a title", lambda size: f"::: a{' ' * size}b", read_as("vitepress"), SIZE),
        Family("titles without an end", lambda size: "::: {" + fill("title=“", size), read_as("vitepress"), SIZE),
        Family("quotes without an end", lambda size: f"{{{{< a {'“' * min(size, 19_000)} >}}}}", read_as("hugo"), 19_000),
        Family("comparisons in braces", lambda size: fill(f"{{a{'!==' * 99}b}}\n", size), read_as("mdx"), SIZE),
        Family(
            "directives that all end at one fence", lambda size: fill("````{note}\n", size) + "````\n", read_as("myst"), SIZE
        ),
        Family("imports below text", lambda size: "<!-- -->a\n" + fill("import b\n", size), read_as("mdx"), 5 * SIZE),
        Family(
            "imports far below", lambda size: f"<!-- -->{' ' * size}a\n" + fill("import b\n", size), read_as("mdx"), 5 * SIZE
        ),
    ],
    ids=str,
)
def test_long_line_or_module_is_read_in_linear_time(family):
    assert_grows_linearly(family)


def test_dialects_of_many_folders_are_noted_in_linear_time(tmp_path):
    def sites(size):
        found = Discovery(files=[FoundFile(f"{i}/a.md", str(tmp_path / f"{i}/a.md"), 1, 1, 1) for i in range(size)])
        return found, json.dumps({f"{i}": "hugo" for i in range(size)})

    documents = Documents(MarkdownSplitter, Dialects(tmp_path))
    assert_grows_linearly(Family("folders", sites, lambda given: documents.dialects_noted(*given), 8_000))
