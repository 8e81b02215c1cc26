"""What is shown of real documents holds no markup of their dialects: a list of forbidden shapes, over every corpus."""

import re
from pathlib import Path

import pytest

from indexer.decoding import decode
from indexer.splitter import MarkdownSplitter
from schema.settings import DIALECTS as ALL
from search.context.units import units

CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
#: The dialects of each corpus, whose files of configuration were not copied with it.
DIALECTS = {"rust-book": ("mdbook",), "vue-docs-ja": ("vitepress",), "react-ko": (), "k8s-community": ()}
FORBIDDEN = {
    "comment": re.compile(r"<!--|\{/\*|\*/\}"),
    "element": re.compile(
        r"</?(?:div|p|span|img|a|details|summary|section|table|br|script|style|iframe|video)(?:\s[^<>]*)?/?>"
    ),
    "component": re.compile(r"<[A-Z]\w*(?:\s+[\w:@-]+=[^<>]*)?/>|</[A-Z]\w*>"),
    "container": re.compile(r"(?m)^\s*:::"),
    "include": re.compile(r"\{\{#\w+"),
    "alert": re.compile(r"\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]"),
    "module": re.compile(r"(?m)^import\s.+\sfrom\s+['\"]"),
    "id of a heading": re.compile(r"\{#[\w-]+\}\s*$"),
    "contents": re.compile(r"(?mi)^\[\[_?toc_?\]\]"),
}
_CODE = re.compile(r"(?s)(`+)(?!`).+?(?<!`)\1(?!`)")


class _NoTokens:
    """Counts nothing, since most of the time of splitting would be counting."""

    def count(self, text):
        return 0


#: Of a corpus with more files than this, only so many are read, spread over all folders.
_MOST_FILES = 500


def files_of(name):
    if not (CORPORA / name).is_dir():
        pytest.skip("the corpora are not here")
    files = sorted((CORPORA / name).rglob("*.md"))
    return files[:: -(-len(files) // _MOST_FILES)]


@pytest.mark.parametrize("name", DIALECTS)
def test_shown_text_of_a_corpus_holds_no_markup(name):
    splitter, found = MarkdownSplitter(token_counter=_NoTokens()), []
    for path in files_of(name):
        for section in splitter.parse(decode(path.read_bytes()).text, path.name, dialects=DIALECTS[name]).sections:
            text = section.text
            for unit in units(text, section.body_offset, len(text), hidden=section.hidden):
                shown = _CODE.sub("", text[unit.start : unit.end]) if unit.kind != "code" else ""
                found += [(path.name, kind, shown[:80]) for kind, shape in FORBIDDEN.items() if shape.search(shown)]
    assert found == []


@pytest.mark.parametrize("name", DIALECTS)
def test_front_matter_and_contents_are_the_file_in_every_dialect(name):
    splitter, others = MarkdownSplitter(token_counter=_NoTokens()), []
    for number, path in enumerate(files_of(name)):
        source = decode(path.read_bytes()).text
        for dialects in (DIALECTS[name], *((ALL,) if number % 5 == 0 else ())):
            document = splitter.parse(source, path.name, dialects=dialects)
            whole = document.front_matter_raw + "".join(section.content for section in document.sections)
            if whole != source and source[len(document.front_matter_raw) :].strip():
                others.append((path.name, dialects))
    assert others == []
