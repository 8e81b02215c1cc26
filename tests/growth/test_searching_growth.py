"""A search takes time in proportion to the texts it reads, whatever they are made of, and no hit takes more than its share."""

import numpy as np
import pyarrow as pa
import pytest

from indexer.splitter import MarkdownSplitter
from indexer.sync.plan import plan_document
from indexer.tokens import TokenCounter
from schema.clock import now
from schema.filters import Filters
from schema.query_language import parse_fields
from schema.results import SearchResult, SectionLink, Window
from schema.sections import Section
from schema.storage.rows import get_sections_schema, to_arrow
from schema.text.analyzer import sentence_spans, term_spans, terms
from schema.text.fields import FIXED_LINES, name_key, prose_words, section_terms
from schema.text.language import language
from schema.text.query_words import query_terms
from search.answers.render import render_results
from search.context.context_pack import build_context
from search.context.highlight import find_matches, passage_span
from search.context.hits import sections_at
from search.context.outline import contexts_of
from search.context.snippet import snippet_of
from search.index.inverted_index import InvertedIndex
from search.ranking.boosts import coverage, own_heading
from search.ranking.folding import folded
from search.ranking.query import fold, holds_phrase, parse_query
from search.ranking.rank import rank
from search.sources.filtering import FileFacts
from search.sources.held import HeldSource
from tests.growing import Family, assert_grows_linearly, fill, seconds_of

pytestmark = [pytest.mark.growth, pytest.mark.slow]

COUNTER = TokenCounter()
#: Stems, identifiers, Japanese and Korean terms, of which many stand in every text below.
WANTED = [
    "a",
    "aa",
    "ab",
    "ac",
    "e",
    "plain",
    "word",
    "12",
    "検",
    "検索",
    "검색",
    "カタカナ",
    "ガ",
    "กา",
    "サーバ",
    "настройк",
]
TEXTS = {
    "prose": "Plain words in a sentence, one after another. ",
    "one letter": "a",
    "capitals": "A",
    "camel case": "aA",
    "combining marks": "e\u0301\u0302\u0303",
    "marks that change places": "\u0301\u0316",
    "marks among what becomes marks": "\u0301\uff9e",
    "full-width letters": "ＡＢ，",
    "syllables taken apart": "\u1100\u1161\u11a8",
    "joined identifiers": "ab_cd-ef.",
    "short words": "ab ",
    "Chinese characters without stops": "検索仕組",
    "katakana": "カタカナ",
    "half-width katakana": "ｶﾞ",
    "Thai": "การค้นหา",
    "Hangul without blanks": "검색합니다",
    "long vowel marks": "ー",
    "katakana with long vowel marks": "サーバーー",
    "marks that repeat": "人々",
    "Korean endings": "는",
    "Cyrillic": "настройками ",
    "Hangul jamo": "\u1100\u1161\u11a8",
    "joined emoji": "👨\u200d👩\u200d👧\u200d👦",
    "digits": "1234567890",
    "blanks": " ",
    "line ends": "\r\n",
    "stops": ".",
    "wide stops": "。！",
    "underscores": "_",
    "apostrophes": "it's ",
}


def text_of(unit):
    return lambda size: fill(unit, size)


def analyse(text):
    terms(text)
    list(sentence_spans(text))
    language(text)


def section_of(text, **changes):
    given = {
        "id": "s",
        "document_path": "a.md",
        "heading": "H",
        "depth": 1,
        "token_count": len(text) // 4,
        "parent_id": None,
    }
    return Section(**{**given, "content": text, "order": 0, **changes})


def hit_of(text):
    return SearchResult(section=section_of(text), score=1.0, passage=Window(len(text) // 2, len(text) // 2 + 1))


def source_of(*texts):
    """What a search reads, of documents of one section each."""
    rows = []
    for number, text in enumerate(texts):
        split = MarkdownSplitter().parse(f"# Part\n\n{text}\n", f"{number}.md")
        rows += plan_document(split.sections, front_matter={}, stored={}, reusable={}, now=now()).rows
    return HeldSource.of(to_arrow(rows, get_sections_schema(4)), dimension=4)


def ask(source, query="widget crank slowly zebra", limit=10):
    asked = parse_query(query)
    snapshot = source.snapshot
    allowed = np.ones(snapshot.rows, np.bool_)
    ranking = rank(snapshot, asked, None, mode="lexical", dense_weight=0.0, allowed=allowed)
    ranked = ranking.at(ranking.order[:limit].tolist())
    for hit, section in zip(ranked, sections_at(source, snapshot, [hit.row for hit in ranked]), strict=True):
        passage = passage_span(section, hit.sentences)
        find_matches(section.content, ranking.weights, passage=passage)


def guess(inverted):
    inverted.expand_terms(dict.fromkeys((f"wrod{'abcdefgh'[i % 8]}{'ijklmnop'[i // 8]}" for i in range(64)), 1.0))


def vocabulary(count):
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ("w" + "".join(letters[i // 26**k % 26] for k in range(5)) for i in range(count))
    inverted = InvertedIndex(pa.array(["\n" * FIXED_LINES + " ".join(words)]))
    inverted.readings({"zz": 1.0, "zzzz": 1.0})  # the terms are sorted once for an index
    return inverted


def outline(count):
    return [
        SectionLink(
            id=f"{i}", document_path="a.md", heading="H", depth=2 if i else 1, parent_id="0" if i else None, order=i, position=i,
            anchor="", start_line=1, end_line=1, token_count=1, section_number=(),
        )
        for i in range(count)
    ]  # fmt: skip


def place_all(links):
    contexts_of([link.id for link in links[:100]], links)


def show(text):
    section = section_of(text)
    snippet_of(
        section, "word", {"word": 1.0}, find_matches(text, {"word": 1.0}), passage=Window(len(text) // 2, len(text) // 2 + 1)
    )


def copies(count):
    """Sections of which each has a copy, and all of which share most of their words with others."""
    words = (" ".join(f"w{(i // 2 + k) % (count + 40)}" for k in range(40)) for i in range(count))
    return InvertedIndex(pa.array(["head" + "\n" * FIXED_LINES + text for text in words]))


def headings(count):
    return InvertedIndex(pa.array([f"widget crank w{i}" + "\n" * FIXED_LINES + "slowly" for i in range(count)]))


def look_up(inverted):
    asked = dict.fromkeys(("widget", "crank", "zebra", "slowly"), 1.0)
    own_heading(inverted, asked, asked)
    coverage(inverted, asked, np.arange(10), {})


FAMILIES = [
    *(
        Family(f"a snippet of {name}", text_of(unit), show)
        for name, unit in {
            "one line": "word ", "one letter": "a", "sentences": "A word. ", "lines": "word\n", "items": "- word\n", "fences": "```\n",
            "open comments": "<!-- ", "comments": "<!-- a -->\nword\n", "quotes": "> ", "stops": ".", "small headings": "#### word\n",
            "tags": "<a ", "blanks": " ",
        }.items()
    ),
    *(
        Family(f"prose among {name}", text_of(unit), lambda text: prose_words(section_of(text)), size=500_000)
        for name, unit in {
            "open brackets": "[", "open links": "[a](", "images": "![", "tags": "<a ", "addresses": "https://", "blanks": " ",
            "line ends": "\n", "bars": "|", "underscores": "_", "comments": "<!--", "imports": "import a\n", "definitions": "[a",
            "line of brackets": "[a]", "fences": "```\n",
        }.items()
    ),
    Family("copies of sections", copies, lambda inverted: folded(inverted, range(inverted.rows), inverted.rows), size=6_000),
    Family("names of sections", headings, look_up, size=100_000),
    Family("a name of marks that change places", text_of("\u0301\u0316"), name_key, size=250_000),
    *(Family(f"terms of {name}", text_of(unit), analyse, size=250_000) for name, unit in TEXTS.items()),
    *(
        Family(f"matches in {name}", text_of(unit), lambda text: term_spans(text, WANTED), size=200_000)
        for name, unit in TEXTS.items()
        if name not in ("blanks", "line ends", "stops", "wide stops", "underscores")
    ),
    Family("terms of one ligature", text_of("ﷺ"), terms, size=100_000),
    Family("terms of a section of short lines", text_of("a.\n"), lambda text: section_terms(section_of(text), {}), size=250_000),
    Family("terms of a query", text_of("検索はどうやって何ですか"), query_terms, size=100_000),
    Family("a long query", text_of('"some words" 「検索」 other '), parse_query),
    Family("quotes that are not closed", text_of('"「“'), parse_query),
    Family("a phrase that nearly stands there", text_of("a"), lambda text: holds_phrase(fold(text), "a" * 300)),
    Family("a phrase of blanks", text_of("a \u3000\n"), lambda text: holds_phrase(fold(text), "a b")),
    Family("a passage far behind", text_of("One. "), lambda text: passage_span(section_of(text), (len(text) // 6,) * 2)),
    Family("one word in a section", lambda size: source_of(fill("widget ", size), "slowly"), ask, size=250_000),
    Family("sentences of a section", lambda size: source_of(fill("The widget turns slowly. ", size), "crank"), ask, size=250_000),
    Family("items of a section", lambda size: source_of(fill("- widget w\n", size), "crank"), ask, size=250_000),
    Family("Japanese in a section", lambda size: source_of(fill("これは検索の文です。", size)), lambda c: ask(c, "検索の文"), size=300_000),
    Family("a phrase in a section", lambda size: source_of(fill("the dead old letter ", size)), lambda c: ask(c, '"dead letter" old'), size=250_000),
    Family("unknown words of a query", vocabulary, guess, size=100_000),
    Family("neighbours of headings", outline, place_all, size=100_000),
    *(
        Family(f"a pack of {name}", text_of(unit), lambda text: build_context([hit_of(text)], max_tokens=500, counter=COUNTER))
        for name, unit in {"blank lines": "\n", "items": "- a\n", "one line": "word ", "one letter": "a"}.items()
    ),
    Family("a pack between blank lines", lambda size: "b".join(["\n" * (size // 2)] * 2), lambda text: build_context(
        [hit_of(text)], max_tokens=500, counter=COUNTER), size=250_000),
    *(
        Family(f"a preview of {name}", text_of(unit), lambda text: render_results([hit_of(text)]))
        for name, unit in {
            "one line": "word ", "one letter": "a", "lines": "word\n", "blank lines": "\n", "marks": "\u0301", "wide": "検",
        }.items()
    ),
]  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_searching_grows_linearly(family):
    assert_grows_linearly(family)


@pytest.mark.parametrize("many", [1, 50])
def test_words_to_leave_out_are_looked_for_in_linear_time(many):
    everything = FileFacts(modified_since=lambda _: (), in_roots=lambda _: lambda _: True)
    asked = Filters(without=tuple(f"letter{' dead' * (number + 1)}" for number in range(many)))
    texts = "the dead letter is a letter. " * 50
    family = Family(
        f"{many} texts to leave out",
        lambda size: source_of(*[texts] * (size // 50)),
        lambda source: source.listing(asked, everything),
        size=4_000,
    )
    assert_grows_linearly(family)
    assert seconds_of(family, source_of(*[texts] * 1000), 1000) < 2


@pytest.mark.parametrize("unit", ['"', "“", "「", "-", "path:", 'path:"', "-a ", "x:y ", "- ", '-"', "-ab "])
def test_fields_of_a_query_are_read_in_linear_time(unit):
    def parse(text):
        for _ in range(20):
            parse_fields(text)

    assert_grows_linearly(Family(f"a query of {unit}", lambda size: fill(unit, size), parse, size=9_900, is_longest=True))
