"""The splitter over real documentation: nothing is lost, and cmark-gfm sees the same headings."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cmarkgfm import cmark

from indexer.decoding import decode
from indexer.markdown.blocks import read_headings
from indexer.splitter import MarkdownSplitter

CORPORA = Path(__file__).resolve().parents[3] / "shared" / "corpora"
NAMES = ("k8s-community", "react-ko", "rust-book", "vue-docs-ja")

pytestmark = pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora of real documentation are not beside the project")


class _TopHeadings(HTMLParser):
    """(level, first line) of headings in no container, from cmark's HTML with source positions."""

    CONTAINERS = frozenset({"blockquote", "ul", "ol"})

    def __init__(self):
        super().__init__()
        self.depth = 0
        self.found = []

    def handle_starttag(self, tag, attrs):
        position = dict(attrs).get("data-sourcepos")
        if position is None:
            return  # raw HTML of the author's
        if tag in self.CONTAINERS:
            self.depth += 1
        elif re.fullmatch("h[1-6]", tag) and self.depth == 0:
            self.found.append((int(tag[1]), int(position.split(":")[0])))

    def handle_endtag(self, tag):
        if tag in self.CONTAINERS:
            self.depth -= 1


def oracle_headings(text):
    # safe mode leaves raw HTML out, so every tag with a position is cmark's own
    options = cmark.Options.CMARK_OPT_SOURCEPOS
    parser = _TopHeadings()
    parser.feed(cmark.markdown_to_html_with_extensions(text, options, extensions=["table"]))
    return parser.found


@cache
def documents(name):
    """Path, text and what the splitter makes of it, of every file; both tests look at the same."""
    splitter = MarkdownSplitter()
    found = []
    for place in sorted((CORPORA / name).rglob("*.md")):
        if place.is_file():
            path, text = str(place.relative_to(CORPORA)), decode(place.read_bytes()).text
            found.append((path, text, splitter.parse(text, path)))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_front_matter_and_contents_give_back_every_file(name):
    wrong = []
    for path, text, split in documents(name):
        if (
            text.strip(" \t\r\n")
            and split.sections
            and split.front_matter_raw + "".join(s.content for s in split.sections) != text
        ):
            wrong.append(path)
    assert documents(name)
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_headings_are_those_of_cmark_gfm(name):
    wrong = []
    for path, text, split in documents(name):
        body = text[len(split.front_matter_raw) :]
        ours = [(h.level, h.line + 1) for h in read_headings(body, {})[0] if not h.is_nested]
        # cmark gives no line for what a link definition took away from a heading's paragraph; none of these files has one
        if ours != oracle_headings(body):
            wrong.append(path)
    assert wrong == []


def test_oracle_itself_tells_headings_in_containers_from_others():
    assert oracle_headings("# a\n\n> # b\n\n- # c\n\nd\n---\n") == [(1, 1), (2, 7)]
