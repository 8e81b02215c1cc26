"""Finding files, matching globs and reading attachments take time in proportion to what is given."""

import functools
import math
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from indexer.convert.headings import candidates_of, lines_of_headings
from indexer.convert.html_page import page_content
from indexer.convert.includes import without_includes
from indexer.convert.notebook import read_notebook
from indexer.convert.pdf import read_pdf
from indexer.convert.rst import as_pandoc_reads
from indexer.decoding import decode
from indexer.discover import discover
from indexer.llm.attachments import attachment_text
from schema.filters import Filters
from schema.formats.globs import Globs
from tests.attached import NEEDS_CONVERT, notebook, pdf
from tests.growing import Family, assert_grows_linearly, fill

pytestmark = [pytest.mark.growth, pytest.mark.slow, NEEDS_CONVERT]


@functools.cache
def place():
    return tempfile.TemporaryDirectory(prefix="growth")


@pytest.fixture(scope="module", autouse=True)
def no_trees_are_left():
    yield
    if place.cache_info().currsize:
        subprocess.run(["rm", "-rf", *Path(place().name).iterdir()], check=True)  # too deep for Python's own way
        place().cleanup()
        place.cache_clear()  # a process may come back to this module


def folder():
    return Path(tempfile.mkdtemp(dir=place().name))


# -- globs -------------------------------------------------------------------------------------------------------------


def decide(given):
    globs, paths = given
    for path in paths:
        globs.decides(path)


def decide_below(given):
    globs, paths = given
    for path in paths:
        globs.decides_below(path)


def line_and_path(line, unit):
    """One line against a path of any length, ten times."""
    return lambda size: (Globs([line]), [fill(unit, size // 10)] * 10)


def line_of(unit, name):
    """One line of any length against some names."""
    return lambda size: (Globs([fill(unit, size) + "!"]), [name] * 20)


def lines_and_names(line, count=50):
    """Many lines against some names; the size is the number of lines."""
    return lambda size: (Globs([line.format(i) for i in range(size)]), [f"name{i}.md" for i in range(count)])


def parse(lines):
    Globs(lines)


def lines(line):
    return lambda size: [line.format(i) for i in range(size)]


def filter_paths(given):
    filters, paths = given
    for path in paths:
        filters.allows_document(path)


# -- folders -----------------------------------------------------------------------------------------------------------


def flat_folder(rules="", name="a{}.md"):
    def make(size):
        root = folder()
        (root / ".gitignore").write_text(rules)
        for i in range(size):
            (root / name.format(i)).touch()
        return root

    return make


def deep_folder(size):
    """Folders in each other, each with a document; their paths have together about this many characters."""
    root = folder()
    descriptor = os.open(root, os.O_RDONLY)
    for _ in range(math.isqrt(size)):
        os.close(os.open("a.md", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
        os.mkdir("d", dir_fd=descriptor)
        below = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)
    return root


def wide_folder(size):
    """Many folders beside each other, each with rules of its own."""
    root = folder()
    for i in range(size):
        (root / f"{i}").mkdir()
        (root / f"{i}" / ".gitignore").write_text("*.log\n!a.log\nb*/\n")
        (root / f"{i}" / "a.md").touch()
    return root


def walk(root):
    found = discover([root], root=root)
    assert found.failed == []


# -- attachments and encodings -----------------------------------------------------------------------------------------


def read_text(data):
    attachment_text("a.txt", data)


def text(unit, end="x", encoding="utf-8"):
    return lambda size: (fill(unit, size) + end).encode(encoding)


def read_pages(data):
    read_pdf(data, "title")


def bookmarked(size):
    return pdf("\n".join(f"Heading {i}" for i in range(50)), outline=[(0, f"Heading {i}", 1) for i in range(size)])


def restructured(text):
    without_includes("rst", text)


def rewritten(text):
    as_pandoc_reads(text)


def headed(text):
    lines_of_headings(text.replace("=", "#"), candidates_of("asciidoc", text))


FAMILIES = [
    Family("a hostile line and a long name", line_and_path("*a*a*a*a*a*a*a*b", "a"), decide),
    Family("a line that ends alike and a long name", line_and_path("*" + "a" * 30 + "b", "a"), decide),
    Family("a line of any characters and a long name", line_and_path("*?*?*?*?b", "a"), decide),
    Family("a line with brackets and a long name", line_and_path("*[ab]" * 20 + "[cd]", "ab"), decide),
    Family("a line of deep folders and a long path", line_and_path("**/a/**/a/**/b/**/c", "a/"), decide),
    Family("a line of any folders and a long path", line_and_path("**/*/*a*a*a/**/b", "a/"), decide),
    Family("a long line of stars and letters", line_of("*a", "a" * 255), decide, 40_000),
    Family("a long line of marks", line_of("?", "a" * 255), decide, 40_000),
    Family("a long line of deep folders", line_of("**/a/", "a/" * 100 + "a"), decide, 40_000),
    Family("a long line of brackets", lambda size: [fill("[[:", size) + "]"], parse, 40_000),
    Family("a long line of open brackets", lambda size: [fill("[", size)], parse, 40_000),
    Family("a long line of blanks", lambda size: [fill(" ", size) + "a"], parse),
    Family("a long line of backslashes", lambda size: [fill("\\", size) + " "], parse, 40_000),
    Family("many lines of wildcards", lines("*{}?"), parse, 8_000),
    Family("many names and many wildcards", lines_and_names("*{}x"), decide, 8_000),
    Family("many plain lines", lines("folder{}/name.md"), parse, 60_000),
    Family("many names and many plain lines", lines_and_names("name{}.m", 5000), decide, 60_000),
    Family("many documents and a filter", lambda size: (Filters(path=("*a*a*a*a*b", "**/x?/[a-c]*")), [f"docs/aaaaaaaaaaaaa/{i}.md" for i in range(size)]), filter_paths, 20_000),
    Family("many deep paths and a line", lambda size: (Globs(["b*/", "/x/y/*", "c"]), ["a/" * 30 + f"{i}.md" for i in range(size)]), decide_below, 4_000),
    Family("many files in a folder", flat_folder(), walk, 4_000),
    Family("many files with long names", flat_folder("*a*a*a*a*b\n", "a" * 200 + "{}.md"), walk, 2_000),
    Family("many files and many rules", flat_folder("*.log\n*~\nbuild/\n/x/*.y\n" * 100), walk, 1_000),
    Family("many folders with rules", wide_folder, walk, 1_000),
    Family("folders in each other", deep_folder, walk, 1_000_000),
    Family("blanks", text(" "), read_text),
    Family("tabs and blanks", text("\t "), read_text),
    Family("line ends", text("\n"), read_text),
    Family("returns", text("\r"), read_text),
    Family("lines of blanks", text("          \n"), read_text),
    Family("words behind blanks", text("a" + " " * 5000), read_text),
    Family("lines behind blanks", text("a" + " " * 5000 + "\n"), read_text),
    Family("a blank line, then blanks", text("\n" + " " * 9000 + "a\n\n"), read_text),
    Family("pages of a PDF", lambda size: pdf(*["Words on a page."] * size), read_pages, 1_000),
    Family("words on a page of a PDF", lambda size: pdf(") Tj (x" * size), read_pages, 20_000),
    Family("lines on a page of a PDF", lambda size: pdf("\n".join(["x" * 50] * size)), read_pages, 4_000),
    Family("bookmarks of a page", bookmarked, read_pages, 500),
    Family("cells of a notebook", lambda size: notebook(*["# a\n\nb", ("c", "d")] * size), read_notebook, 10_000),
    Family("elements of a page", lambda size: "<p>a<div><b>c</b></div>" * size, page_content, 10_000),
    Family("elements that stay open", lambda size: "<div><td><a>" * size, page_content, 10_000),
    Family("labels", lambda size: ".. _a: \n\n" * size, rewritten, 20_000),
    Family("labels and titles", lambda size: "".join(f".. _l{i}:\n\nT{i}\n---\n\n:ref:`l{i}`\n\n" for i in range(size)), rewritten, 4_000),
    Family("roles", lambda size: ":a:`b <" * size, rewritten, 10_000),
    Family("texts of roles", lambda size: ":a:`" + "b " * size + "<c", rewritten, 20_000),
    Family("signatures", lambda size: ".. a:class:: " + "A.(*" * size, rewritten, 20_000),
    Family("a long name of a class", lambda size: ".. class:: " + "a" * size, rewritten, 100_000),
    Family("directives", lambda size: "a\n\n.. raw:: x\n   :y: z\n\n   b\n\n" * size, restructured, 10_000),
    Family("nested directives", lambda size: "".join(" " * (i % 80) + ".. raw:: x\n" for i in range(size)), restructured, 10_000),
    Family("lines that may be headings", lambda size: "= a\n" * size, headed, 10_000),
    Family("Japanese in an old encoding", text("契約の期間は一年とする。\n", "", "cp932"), decode),
    Family("bytes of no encoding", lambda size: fill("\xff\xfe\x81", size).encode("latin-1"), decode),
    Family("text with a stray byte", lambda size: "é".encode() * (size // 2) + b"\xff", decode),
    Family("a mark and odd bytes", lambda size: b"\xff\xfe" + b"\x00\xd8" * (size // 2), decode),
]  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_files_grow_linearly(family):
    assert_grows_linearly(family)
