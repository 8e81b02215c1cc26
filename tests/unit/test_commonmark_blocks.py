"""The block rules of CommonMark 0.31.2 (chapters 4 and 5): which headings each rule makes, at which level and line.

The cases are in tests/goldens/commonmark, a file for each section of the specification. A line with ▶ names the rule and
begins its document, lines with ▷ are the headings that must be found. ⇥ stands for a tab, ␣ for a blank at a line's end.
`(inside)` marks a heading in a quote or list. cmark-gfm is the second judge of every case except those with a mark:

* `[newer]`: the rule is younger than cmark-gfm, which follows version 0.29.
* `[line]`: cmark-gfm gives the line of the link definition that stood above the heading.

`[fault]`: the splitter is wrong about the case so far, as markdown-it-py is; who corrects it removes the mark.
"""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pytest
from cmarkgfm import cmark

from indexer.markdown.blocks import markdown, read_headings
from indexer.markdown.headings import HeadingReader
from indexer.splitter import MarkdownSplitter

FOLDER = Path(__file__).resolve().parents[1] / "goldens" / "commonmark"
MARKS = ("[newer]", "[line]", "[fault]")
HEADING = re.compile(r"▷ line (?P<line>\d+): h(?P<level>[1-6]) (?P<text>.*?)(?P<inside> \(inside\))?")


class Found(NamedTuple):
    """A heading: its level, its plain text, its first line (from 1), and whether it is in a quote or list."""

    level: int
    text: str
    line: int
    is_inside: bool


class Case(NamedTuple):
    """A small document and its headings; `mark` is the word in brackets behind the name of the rule, or empty."""

    name: str
    mark: str
    markdown: str
    headings: list[Found]


def read_case(section, block):
    """The case that a block of lines describes; the ▶ is cut off already."""
    rule, *lines = block.rstrip("\n").split("\n")
    document = [line.replace("⇥", "\t").replace("␣", " ") for line in lines if not line.startswith("▷")]
    name, _, mark = rule.removesuffix("]").partition(" [") if rule.endswith(MARKS) else (rule, "", "")
    expected = [line for line in lines if line.startswith("▷")]
    headings = []
    for line in expected if expected != ["▷ no heading"] else ():
        match = HEADING.fullmatch(line)
        text = "" if match["text"] == '""' else match["text"]
        headings.append(Found(int(match["level"]), text, int(match["line"]), match["inside"] is not None))
    assert expected, f"{rule}: no line says what must be found"
    return Case(f"{section}: {name}", mark, "\n".join(document) + "\n", headings)


CASES = [
    read_case(path.stem.partition("_")[0], block)
    for path in sorted(FOLDER.glob("*.txt"))
    for block in re.split(r"^▶ ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
]
KNOWN_FAULT = pytest.mark.xfail(reason="markdown-it-py reads it in another way", strict=True)
every_case = pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=KNOWN_FAULT if case.mark == "fault" else ()) for case in CASES],
    ids=lambda case: case.name,
)


class CmarkHeadings(HTMLParser):
    """Collects the headings of cmark-gfm's HTML with source positions; headings in raw HTML have none."""

    def __init__(self):
        super().__init__()
        self.found = []
        self._containers = 0
        self._open = None

    def handle_starttag(self, tag, attrs):
        position = dict(attrs).get("data-sourcepos")
        if position and tag in ("blockquote", "ul", "ol"):
            self._containers += 1
        elif position and re.fullmatch("h[1-6]", tag):
            self._open = Found(int(tag[1]), "", int(position.partition(":")[0]), self._containers > 0)

    def handle_endtag(self, tag):
        if tag in ("blockquote", "ul", "ol"):
            self._containers -= 1
        elif self._open and tag == f"h{self._open.level}":
            self.found.append(self._open._replace(text=re.sub(r"[ \t\r\n]+", " ", self._open.text).strip(" ")))
            self._open = None

    def handle_data(self, data):
        if self._open:
            self._open = self._open._replace(text=self._open.text + data)


def cmark_headings(text):
    parser = CmarkHeadings()
    parser.feed(cmark.markdown_to_html_with_extensions(text, cmark.Options.CMARK_OPT_SOURCEPOS, extensions=["table"]))
    return parser.found


def our_headings(text):
    env = {}
    reader = HeadingReader(markdown(), env)
    return [Found(h.level, reader.read(h.source)[0], h.line + 1, h.is_nested) for h in read_headings(text, env)[0]]


@every_case
def test_headings_are_those_of_the_rule(case):
    assert our_headings(case.markdown) == case.headings


@pytest.mark.parametrize("case", [case for case in CASES if case.mark != "newer"], ids=lambda case: case.name)
def test_cmark_gfm_agrees_with_the_case(case):
    found, expected = cmark_headings(case.markdown), case.headings
    if case.mark == "line":
        found, expected = ([one._replace(line=0) for one in some] for some in (found, expected))
    assert found == expected


@every_case
def test_sections_begin_at_the_headings_outside_of_quotes_and_lists(case):
    sections = [s for s in MarkdownSplitter().split(case.markdown, "case.md") if s.depth]
    expected = [(h.level, h.text, h.line) for h in case.headings if h.level <= 3 and not h.is_inside]
    assert [(s.depth, s.heading, s.start_line) for s in sections] == expected


def test_every_section_on_leaf_and_container_blocks_has_cases():
    sections = {case.name.partition(":")[0] for case in CASES}
    assert sections == {*(f"4.{number}" for number in range(1, 10)), "5.1", "5.2", "5.3"}


def test_each_rule_is_named_once():
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
