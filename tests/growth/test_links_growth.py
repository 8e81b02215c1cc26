"""Reading and resolving links takes time in proportion to the text, whatever the text is made of."""

import pytest

from indexer.markdown.links import read_links
from indexer.splitter import MarkdownSplitter
from indexer.sync.folder_files import FolderFiles
from indexer.sync.link_targets import LinkTargets
from indexer.sync.links import linked_document
from schema.index_files.links import DocumentNames, NamedSection
from schema.index_files.roots import IndexRoots
from schema.links import Link
from tests.growing import Family, assert_grows_linearly, fill

pytestmark = [pytest.mark.growth, pytest.mark.slow]

#: Enough to show what is not linear.
SIZE = 200_000
UNITS = (
    "[", "![", "[[", "[a](", '[a](b "', "[a](<", '<a b="', "<a b='\"", "<!--", "{/*", "`", "](", "[a]: b\n", "%%", "{#a ", "<a ",
    "\\[", "[a][", "^a ", "[a](b)", "[[a]]", "<a href=b>", "]", "a](b)", "```\n", "[a", "{{< ref ", "(", "|",
)  # fmt: skip


def texts(unit):
    return Family(repr(unit), lambda size: fill(unit, size), read_links, SIZE)


def vault(size):
    """Links between documents that are as many as a tenth of the links, most of them to nothing."""
    names = {f"n/{i}.md": DocumentNames((NamedSection(f"{i:024x}", 1, f"h-{i}", f"H {i}"),)) for i in range(size // 10)}
    links = [
        Link(
            document_path=f"n/{i % len(names)}.md",
            section_id="",
            line=1,
            kind="wiki" if i % 2 else "markdown",
            target=f"{i}.md#h-{i}",
        )
        for i in range(size)
    ]
    return names, links


def namesakes(size):
    """Links to notes of one name, which each folder has, from notes beside them and from one folder without."""
    names = {f"n{i % 50}/{i}/index.md": DocumentNames() for i in range(size // 10)}
    links = [
        Link(
            document_path=f"n{i % 50}/{i % len(names)}/index.md" if i % 3 else "other.md",
            section_id="",
            line=1,
            kind="wiki",
            target="index" if i % 2 else f"{i % len(names)}/index",
        )
        for i in range(size)
    ]
    return names, links


@pytest.mark.parametrize("family", [*map(texts, UNITS)], ids=str)
def test_reading_is_linear(family):
    assert_grows_linearly(family)


@pytest.mark.parametrize("make", [vault, namesakes])
def test_resolving_is_linear(make, tmp_path):
    def resolve(given):
        names, links = given
        return list(LinkTargets(names, FolderFiles(IndexRoots(tmp_path))).resolve(enumerate(links)))

    assert_grows_linearly(Family("links", make, resolve, 40_000))


def test_finding_the_places_of_links_is_linear():
    def notebook(size):
        text = "".join(f"<!-- cell {i} -->\n\n[a](b{i}.md)\n\n" for i in range(2, size))
        return MarkdownSplitter().parse(text, "a.ipynb", places=((0, "cell 1"),)).sections

    assert_grows_linearly(Family("cells", notebook, lambda sections: linked_document(sections, {}), 4_000))
