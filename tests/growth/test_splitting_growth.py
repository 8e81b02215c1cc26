"""Splitting takes time in proportion to the text, whatever the text is made of."""

import random
import re
from datetime import UTC, datetime

import pytest

from indexer.decoding import decode
from indexer.markdown.frontmatter import read_front_matter, text_fields
from indexer.splitter import MarkdownSplitter
from indexer.sync.plan import plan_document
from indexer.sync.windows import cut_windows
from indexer.tokens import TokenCounter
from schema.storage.rows import get_sections_schema, to_arrow
from tests.growing import Family, assert_grows_linearly, fill

pytestmark = [pytest.mark.growth, pytest.mark.slow]

#: Enough to show what is not linear; a megabyte takes ten times as long.
SIZE = 80_000
#: Front matter has 100,000 characters at most.
FRONT_MATTER_SIZE = 80_000
#: Decoding, counting and cutting are fast enough for a megabyte.
MEGABYTE = 1_000_000


def split(text):
    MarkdownSplitter().parse(text, "a.md")


def repeat(name, unit):
    """The unit again and again."""
    return Family(name, lambda size: fill(unit, size), split, SIZE)


def after(name, first, unit):
    """One text, then the unit again and again."""
    return Family(name, lambda size: first + fill(unit, size), split, SIZE)


def before(name, unit, last):
    """The unit again and again, then one text."""
    return Family(name, lambda size: fill(unit, size) + last, split, SIZE)


BLOCKS = [
    repeat("prose", "Plain words in a sentence, one after another.\n"),
    repeat("one paragraph", "a\n"),
    repeat("blank lines", "\n"),
    repeat("blanks", " "),
    repeat("tabs", "\ta\n"),
    repeat("carriage returns", "a\r"),
    repeat("list of stars", "* a\n"),
    repeat("list of plus signs", "+ a\n"),
    repeat("list of dashes", "- a\n"),
    repeat("list of numbers", "1. a\n"),
    repeat("lists of changing signs", "- a\n+ b\n* c\n"),
    repeat("list of paragraphs", "* a\nb\nc\n"),
    repeat("list of code", "-     a\n\n\n\n\n\n"),
    repeat("lists in lists", "- " * 16 + "a\n"),
    before("one line of dashes", "- ", "x\n"),
    before("one line of stars", "* ", "x\n"),
    repeat("one line of numbers", "1. "),
    repeat("one line of quote signs", "> "),
    repeat("quotes in quotes", "> " * 16 + "a\n"),
    after("quotes in quotes with lazy lines", "> " * 2000 + "a\n", "a\n"),
    repeat("quotes with lazy lines", "> a\nb\n"),
    *(
        repeat(f"quotes of {name} with lines behind them", unit)
        for name, unit in {
            "headings": "> # a\nb\n",
            "tags": "></p>\nb\n",
            "fences": "> ```\n\tb\n",
            "definitions": "> [a]: /u\n\tb\n",
            "code": ">     a\n     b\n",
            "breaks": "> ---\n    b\n",
            "tables": "> a | b\n> --- | ---\nb\n",
            "quotes of headings": "> > # a\nb\n",
            "quotes of text": "> " * 20 + "a\nb\n",
        }.items()
    ),
    repeat("quotes in items with lines behind them", "- > # a\n  b\n"),
    repeat("quotes in lists in quotes", "> - " * 8 + "a\n"),
    Family("indented list", lambda size: "".join(" " * i + "- a\n" for i in range(0, 2 * int(size**0.5), 2)), split, SIZE),
    repeat("underlines", "===\n"),
    repeat("setext headings", "a\n---\n"),
    before("setext heading of many lines", "a\n", "===\n"),
    repeat("thematic breaks", "* * *\n"),
    repeat("fences", "```\n"),
    after("fence that is never closed", "```\n", "~~~\n"),
    repeat("comments that are never closed", "<!--\n"),
    repeat("tags that are never closed", "<a\n"),
    after("tag of many attributes", "<a", " b='c'"),
    repeat("definitions", "[a]: /u\n"),
    repeat("definitions with titles that are never closed", "[a]: /u '\n"),
    Family("definition with a long title", lambda size: "[a]: /u\n'" + fill("a\n", size), split, 5 * SIZE),
    after("definition with a long address", "[a]: http://", "ü."),
    repeat("brackets", "[\n"),
    after("bracket that is never closed", "[", "a\n"),
    after("table of many rows", "a | b\n- | -\n", "1 | 2\n"),
    Family("table of many columns", lambda size: fill("|a", size // 2) + "\n" + fill("|-", size // 2), split, SIZE),
    repeat("tables whose rows lack cells", "|a" * 180 + "|\n" + "|-" * 180 + "|\n" + "|\n" * 360 + "\n"),
    repeat("delimiter rows", "|-\n"),
]


@pytest.mark.parametrize("family", BLOCKS, ids=str)
def test_blocks_are_read_in_linear_time(family):
    assert_grows_linearly(family)


def rows(text):
    """All that the table is given of a document, before it has vectors."""
    document = MarkdownSplitter().parse(text, "a.md")
    plan = plan_document(
        document.sections, front_matter=document.front_matter, stored={}, reusable={}, now=datetime.now(UTC)
    )
    to_arrow(plan.rows, get_sections_schema(4))


def below(name, first):
    """One long beginning, then many sections."""
    return Family(name, lambda size: first(size // 2) + fill("## b\n", size // 2), rows, SIZE // 4)


HEADINGS = [
    repeat("headings", "# a\n"),
    repeat("empty headings", "#\n"),
    repeat("headings that begin no section", "#### a\n"),
    repeat("equal headings with text", "## Equal heading\n\ntext\n\n"),
    repeat("headings of equal ids", "# a {#a}\n"),
    repeat("headings in quotes", "> # a\n"),
    Family(
        "headings that take each other's anchor",
        lambda size: "".join(f"# a-{i}\n# a\n" for i in range(size // 12)),
        split,
        SIZE,
    ),
    Family("heading of blanks before a brace", lambda size: "# a" + " " * size + "}\n", split, SIZE),
    Family("heading of blanks in a comment", lambda size: "# a {/*" + " " * size + "x}\n", split, SIZE),
    Family("heading of braces", lambda size: "# a " + "{" * size + "}\n", split, SIZE),
    repeat("headings of blanks before a brace", "# a" + " " * 1900 + "}\n"),
    repeat("headings of brackets", "# " + "[" * 200 + "\n"),
    repeat("headings of images", "# " + "![" * 200 + "\n"),
    repeat("headings of brackets and stars", "# " + "*a[" * 300 + "\n"),
    repeat("headings of closed brackets", "# " + "[a](b)" * 300 + "\n"),
    repeat("headings of stars", "# " + "**a*_b_ " * 220 + "\n"),
    repeat("headings of tags", "# " + "<a b='" * 300 + "\n"),
    before("heading of many lines of brackets", "[a\n", "===\n"),
    below("rows below a long heading", lambda size: "# " + "w " * (size // 2) + "\n"),
    below("rows below a long title", lambda size: f"---\ntitle: {'w ' * (size // 2)}\n---\n"),
    below("rows below a long front matter", lambda size: f"---\nx: {'w ' * (size // 2)}\n---\n"),
    below("rows below many tags", lambda size: f"---\ntags: [{', '.join(f'tag{i}' for i in range(size // 9))}]\n---\n"),
]


@pytest.mark.parametrize("family", HEADINGS, ids=str)
def test_headings_are_read_in_linear_time(family):
    assert_grows_linearly(family)


def front_matter(name, inside, fence="---"):
    """A block of front matter of about `size` characters."""
    return Family(name, lambda size: f"{fence}\n{inside(size)}\n{fence}\n", read_front_matter, FRONT_MATTER_SIZE)


def merge_keys(size):
    """Mappings that each hold the one before ten times: as many values as a number of so many digits."""
    levels = size // 90
    first = "m0: &m0 {x: 1}\n"
    return first + "".join(f"m{i}: &m{i} {{<<: [{', '.join([f'*m{i - 1}'] * 10)}]}}\n" for i in range(1, levels))


def chain(size):
    """Mappings that each hold the one before and one more key."""
    return "m0: &m0 {}\n" + "".join(f"m{i}: &m{i} {{<<: *m{i - 1}, k{i}: 1}}\n" for i in range(1, size // 40))


FRONT_MATTERS = [
    front_matter("entries", lambda size: "".join(f"k{i}: 1\n" for i in range(size // 10))),
    front_matter("list of values", lambda size: "a: [" + fill("1, ", size) + "]"),
    front_matter("aliases", lambda size: "a: &a 1\nb: [" + fill("*a, ", size) + "]"),
    front_matter("merge keys", merge_keys),
    front_matter("chain of merge keys", chain),
    front_matter("open brackets", lambda size: "a: " + "[" * size),
    front_matter("nested keys", lambda size: "? " * (size // 2)),
    front_matter("text with escapes", lambda size: 'a: "' + fill("\\n", size) + '"'),
    front_matter("text of many lines", lambda size: "a: |\n" + fill("  x\n", size)),
    front_matter("number of hex digits", lambda size: "n: 0x" + "F" * size),
    front_matter("number of decimal digits", lambda size: "n: " + "9" * size),
    front_matter("number of base 60", lambda size: "n: 1" + fill(":1", size)),
    front_matter("fraction of base 60", lambda size: "n: 1" + fill(":1", size) + ".5"),
    front_matter("word without a colon", lambda size: "a" * size),
    front_matter("TOML entries", lambda size: "".join(f"k{i} = 1\n" for i in range(size // 10)), "+++"),
    front_matter("TOML tables", lambda size: "".join(f"[t{i}]\n" for i in range(size // 8)), "+++"),
    front_matter("TOML key of many parts", lambda size: ".".join(["a"] * (size // 2)) + " = 1", "+++"),
    front_matter("TOML table of many parts", lambda size: "[" + ".".join(["a"] * (size // 2)) + "]", "+++"),
    front_matter(
        "TOML keys of many parts", lambda size: "".join("a." * 31 + f"k{i} = 1\n" for i in range(size // 70)), "+++"
    ),
    front_matter("TOML number", lambda size: "n = 0x" + "F" * size, "+++"),
    front_matter("TOML open quotes", lambda size: "a = 1\n" + fill('"""a', size), "+++"),
    front_matter("TOML open braces", lambda size: "a = " + fill("{a = ", size), "+++"),
]


@pytest.mark.parametrize("family", FRONT_MATTERS, ids=str)
def test_front_matter_is_read_in_linear_time(family):
    assert_grows_linearly(family)


PAGES = {
    "tables": lambda size: toml("".join(f"[t{i}]\ntitle = 't'\n" for i in range(size // 18))),
    "values": lambda size: toml("features = [" + fill("{title = 'a'},", size) + "]"),
    "open quotes": lambda size: toml(fill('"""a', size)),
    "open brackets": lambda size: toml("a = " + "[" * size),
    "comments": lambda size: "---\ntitle: &a" + fill(" #\n", size) + " b\n---\n",
    "blanks": lambda size: "---\ntitle: &a" + fill(" \n", size) + " b\n---\n",
    "anchors": lambda size: "---\n" + "".join(f"t{i}: {{title: &a{i} !!str t}}\n" for i in range(size // 30)) + "---\n",
}


def toml(inside):
    return f"+++\n{inside}\n+++\n"


@pytest.mark.parametrize("name", PAGES)
def test_texts_for_readers_are_found_in_linear_time(name):
    assert_grows_linearly(Family(name, PAGES[name], text_fields, FRONT_MATTER_SIZE, is_longest=True))


def tokens(name, unit):
    return Family(f"tokens of {name}", lambda size: fill(unit, size), TokenCounter().count, MEGABYTE)


def windows(name, unit):
    def cut(text):
        cut_windows(text, [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)], budget=100)

    return Family(f"windows of {name}", lambda size: fill(unit, size), cut, SIZE)


def decoded(name, make):
    return Family(f"decoding of {name}", make, decode, MEGABYTE)


TEXTS = [
    tokens("one letter", "a"),
    tokens("blanks", " "),
    tokens("blanks before words", " " * 999 + "a"),
    tokens("emoji", "😀"),
    tokens("combining marks", "a" + "\u0301" * 999),
    tokens("unprintable surrogates", "\ud800"),
    windows("words", "a "),
    windows("full stops", ". "),
    windows("quotes after full stops", "." + "'" * 50),
    windows("blank lines", "a\n \n"),
    decoded("odd bytes", lambda size: random.Random(1).randbytes(size)),
    decoded("bytes no encoding has", lambda size: b"\xff" * size),
    decoded("Japanese in one line", lambda size: ("日本語のテキスト" * (size // 16)).encode("cp932")),
    decoded("UTF-16 that is none", lambda size: b"\xff\xfe" + random.Random(1).randbytes(size)),
]


@pytest.mark.parametrize("family", TEXTS, ids=str)
def test_texts_are_decoded_counted_and_cut_in_linear_time(family):
    assert_grows_linearly(family)
