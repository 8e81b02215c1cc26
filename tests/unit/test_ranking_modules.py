"""Queries, fusion, highlights and context packs."""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.plan import plan_document
from indexer.splitter import MarkdownSplitter
from indexer.tokens import TokenCounter
from schema.arrow import get_sections_schema, to_arrow
from schema.clock import now
from schema.language import language
from schema.results import Context, SearchResult, SectionLink, Window
from schema.sections import Section
from schema.terms import _known_word, query_terms, sentence_spans, terms
from search.collection import Collection
from search.context import contexts_of
from search.fusion import Retrieved, fuse, trust
from search.highlight import find_matches, passage_span
from search.pack import pack
from search.query import MAX_QUERY_TERMS, fold, holds_phrase, parse_query
from search.ranking import rank

NONE = -np.inf


def fused(**lists):
    found = {name: Retrieved(np.array(scores, float), share) for name, (scores, share) in lists.items()}
    return fuse(found).total.round(3).tolist()


def test_each_list_counts_by_its_own_range():
    assert fused(dense=([0.9, 0.5, 0.1, NONE], 0.5), lexical=([NONE, 20, NONE, 10], 0.5)) == [0.5, 0.75, 0.0, 0.0]


def test_shares_move_the_balance():
    assert fused(dense=([2, 1], 0.7), lexical=([1, 2], 0.3)) == [0.7, 0.3]


def test_equal_scores_are_all_the_best():
    assert fused(lexical=([3, 3, NONE], 1.0)) == [1.0, 1.0, 0.0]


def test_list_without_a_word_gives_nothing():
    assert fused(dense=([0.5, 0.1], 0.5), lexical=([NONE, NONE], 0.5)) == [0.5, 0.0]


def test_worth_scales_what_a_list_gives():
    found = fuse({"dense": Retrieved(np.array([0.9, 0.8, 0.1]), 0.5, np.array([0.0, 1.0, 1.0]))})
    assert found.total.round(3).tolist() == [0.0, 0.438, 0.0]


def test_only_the_first_hundred_span_the_range_and_the_rest_keep_their_order():
    found = fuse({"lexical": Retrieved(np.arange(300, 0, -1.0), 1.0)})
    assert found.total[0] == 1.0
    assert found.total[99] == found.total[250] == 0.0
    assert np.all(np.diff(found.depth[99:250]) < 0)


def test_parts_add_up_to_the_total():
    found = fuse({"a": Retrieved(np.array([3, 1, 2.0]), 0.5), "b": Retrieved(np.array([1, 2, NONE]), 0.5)})
    np.testing.assert_allclose(found.total, found.parts["a"] + found.parts["b"])


def test_nothing_fuses_to_nothing():
    assert len(fuse({}).total) == 0


def test_trust_grows_with_coverage():
    assert trust([0, 0.3, 0.5, 0.7, 1]).tolist() == [0, 0, 0.5, 1, 1]


LISTS = st.lists(st.one_of(st.just(NONE), st.floats(-5, 50)), min_size=4, max_size=4)


@given(LISTS, LISTS, st.floats(0, 1))
def test_fused_scores_lie_in_range(one, other, share):
    total = fuse({"a": Retrieved(np.array(one), share), "b": Retrieved(np.array(other), 1 - share)}).total
    assert np.all((total >= 0) & (total <= 1 + 1e-9))


@given(st.text(max_size=200))
def test_any_text_is_a_query(text):
    query = parse_query(text)
    assert all(0 < weight <= 1 for weight in query.weights.values())
    assert all(phrase == fold(phrase) for phrase in query.phrases)


def test_long_query_is_cut():
    query = parse_query(" ".join(f"w{i}" for i in range(5000)))
    assert len(query.weights) == MAX_QUERY_TERMS


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ('find "Dead  Letter" now', ("dead letter",)),
        ("“curly quotes”", ("curly quotes",)),
        ("「証明書」を", ("証明書",)),
        ('"unclosed', ()),
        ('"…" ""', ()),
        ('"a" "a"', ("a",)),
    ],
)
def test_quotes_make_phrases(text, phrases):
    assert parse_query(text).phrases == phrases


@pytest.mark.parametrize(
    ("text", "phrase", "holds"),
    [
        ("the dead letters", "dead letter", False),
        ("a dead letter.", "dead letter", True),
        ("undead letter", "dead letter", False),
        ("검색합니다", "검색", True),
        ("全文検索する", "検索", True),
        ("run --time-budget 60s", "--time-budget", True),
        ("a.b", "a.b", True),
        ("axb", "a.b", False),
    ],
)
def test_phrase_is_whole_words(text, phrase, holds):
    assert holds_phrase(fold(text), fold(phrase)) is holds


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("Rotating the keys", "rotate key", ["Rotating", "keys"]),
        ("use max_tokens_per_section here", "max_tokens_per_section", ["max_tokens_per_section"]),
        ("use max_tokens_per_section here", "tokens", ["tokens"]),
        ("set userId, HTTPServer", "id server", ["userId", "HTTPServer"]),
        ("the identity", "id", []),
        ("Ein Schlüssel", "schlussel", ["Schlüssel"]),
        ("İstanbul key", "key", ["key"]),
        ("key_ﬁle here", "key", ["key_ﬁle"]),
        ("keyx_ﬁle here", "key", []),
        ("a.b-max_tokens.", "tokens", ["tokens"]),
        ("x_max_tokens y", "x_max_tokens", ["x_max_tokens"]),
        ("証明書の有効期限", "有効期限", ["有効期限"]),
        ("검색합니다", "검색", ["검색"]),
        ("ｶﾞｲﾄﾞ", "ガイド", ["ｶﾞｲﾄﾞ"]),
        ("nothing", "else", []),
        ("書", "書", ["書"]),
    ],
)
def test_matches_are_found_in_the_text_as_written(text, query, found):
    assert [text[m.start : m.end] for m in find_matches(text, query_terms(query))] == found


@given(st.lists(st.sampled_from([*"abé_-. ", "max", "Tokens", "検", "索", "검색"]), max_size=30).map("".join))
def test_every_term_of_a_text_is_found_in_it(text):
    for term in query_terms(text):
        if len(term) > 1:
            assert find_matches(text, {term: 1.0})


@given(st.text(max_size=80), st.text(max_size=20))
def test_matches_are_in_order_and_apart(text, query):
    matches = find_matches(text, query_terms(query))
    assert all(m.start < m.end <= len(text) for m in matches)
    assert all(a.end < b.start for a, b in pairwise(matches))


def test_matches_of_one_section_are_bounded():
    assert len(find_matches("key, " * 2000, {"key": 1.0})) == 500


def test_passage_is_the_sentences_named():
    (section,) = MarkdownSplitter().split("# A\n\nOne. Two.\nThree.\n", "a.md")
    span = passage_span(section, (1, 2))
    assert section.content[span.start : span.end] == "Two.\nThree."
    assert passage_span(section, (7, 7)) is None
    assert passage_span(section, None) is None


LONG = "Plain words. " * 100_000 + "One key. " + "Plain words. " * 1000


def section_of(text):
    return Section(
        id="s", document_path="a.md", heading="H", depth=1, content=text, token_count=400_000, parent_id=None, order=0
    )


def test_matches_of_a_very_long_text_are_looked_for_at_its_beginning():
    text = "One key. " + "Plain words. " * 10_000 + "Another key."
    assert [match.start for match in find_matches(text, {"key": 1.0})] == [4]


def test_matches_of_a_very_long_text_are_looked_for_at_its_passage():
    where = LONG.index("One key")
    found = find_matches(LONG, {"key": 1.0}, passage=Window(where, where + 8))
    assert [LONG[match.start : match.end] for match in found] == ["key"]


def test_passage_far_behind_in_a_very_long_section_is_not_looked_for():
    assert passage_span(section_of(LONG), (100_000, 100_000)) is None
    assert passage_span(section_of(LONG), (50_000, 50_001)) == Window(650_000, 650_025)


@pytest.mark.parametrize("unit", ["aA", "ab_"])
def test_terms_are_found_in_a_text_that_is_one_word(unit):
    matches = find_matches(unit * 30_000, {"a": 1.0, "ab": 1.0, "aa": 1.0})
    assert matches
    assert all(first.end < second.start for first, second in pairwise(matches))


def test_a_megabyte_without_blanks_is_not_kept_in_memory():
    _known_word.cache_clear()
    assert terms("ab_" * 100_000 + "c")[:3] == [("ab_" * 22)[:64], "ab", "ab"]
    assert _known_word.cache_info().currsize == 0


def test_phrase_of_more_than_300_characters_is_only_its_words():
    assert parse_query(f'"{"word " * 60}"').phrases == (("word " * 60).strip(),)
    assert parse_query(f'"{"word " * 61}"').phrases == ()


COUNTER = TokenCounter()


def hits(documents, ranking=None, **changes):
    """The sections of Markdown documents as hits, in the order of `ranking` (numbers of sections) or as they stand."""
    found = []
    for path, text in documents.items():
        sections = MarkdownSplitter().split(text, path)
        outline = [
            SectionLink(
                id=s.id, document_path=path, heading=s.heading, depth=s.depth, parent_id=s.parent_id, order=s.order, position=s.position,
                anchor=s.anchor, start_line=s.start_line, end_line=s.end_line, token_count=s.token_count, section_number=s.section_number,
            )
            for s in sections
        ]  # fmt: skip
        found += [
            SearchResult(section=s, score=1.0, context=contexts_of([s.id], outline)[s.id], **changes) for s in sections
        ]
    order = range(len(found)) if ranking is None else ranking
    return [replace(found[i], score=1.0 - place / 1000) for place, i in enumerate(order)]


GUIDE = "# Guide\n\nWelcome.\n\n## Keys\n\nAbout keys.\n\n### Rotate\n\nTurn it.\n\n## Logs\n\nRead them.\n"


def test_whole_sections_come_in_document_order_under_their_headings():
    made = pack(hits({"g.md": GUIDE}, [3, 2]), max_tokens=500, counter=COUNTER)
    assert made.text == (
        "# Guide\n## Keys\n[g.md#rotate:L9-L11]\n### Rotate\n\nTurn it.\n\n[g.md#logs:L13-L15]\n## Logs\n\nRead them."
    )
    assert made.token_count == COUNTER.count(made.text)
    assert made.left_out == ()


def test_document_with_the_best_hit_comes_first():
    made = pack(hits({"a.md": "# A\n\nx\n", "b.md": "# B\n\ny\n"}, [1, 0]), max_tokens=500, counter=COUNTER)
    assert [piece.citation for piece in made.pieces] == ["b.md#b:L1-L3", "a.md#a:L1-L3"]


def test_section_too_long_gives_its_best_lines():
    long = "# Long\n\n" + "\n".join(f"Line {i} says nothing." for i in range(200)) + "\n"
    (hit,) = hits({"l.md": long})
    at = hit.section.content.index("Line 120")
    made = pack([replace(hit, passage=Window(at, at + 8))], max_tokens=200, counter=COUNTER)
    (piece,) = made.pieces
    assert "Line 120 says" in piece.text
    assert not piece.is_whole
    assert made.text.startswith(f"[{piece.citation}] (part)\n")
    assert 100 < made.token_count <= 200


def test_what_found_no_room_is_named():
    documents = {f"{i}.md": f"# Title {i}\n\n" + f"Words of section {i}. " * 20 + "\n" for i in range(4)}
    made = pack(hits(documents), max_tokens=260, counter=COUNTER)
    assert made.left_out
    assert f"Left out for want of room: {made.left_out[0]}" in made.text
    tight = pack(hits(documents), max_tokens=made.token_count - 5, counter=COUNTER)
    assert f"Left out for want of room: {len(tight.left_out)} section" in tight.text


def test_weak_hits_are_no_evidence():
    found = hits({"a.md": "# A\n\nx\n", "b.md": "# B\n\ny\n"})
    assert len(pack([found[0], replace(found[1], score=0.1)], max_tokens=500, counter=COUNTER).pieces) == 1


def test_summaries_give_orientation():
    (_, child) = hits({"a.md": "# A\n\nx\n\n## B\n\ny\n"})
    child = replace(
        child,
        section=replace(child.section, document_summary="All of it."),
        context=Context(ancestors=(replace(child.context.ancestors[0], summary="The whole."),)),
    )
    assert pack([child], max_tokens=500, counter=COUNTER).text.startswith("(All of it.)\n# A (The whole.)\n[a.md#b:")


def test_a_pack_spells_out_what_hides_text():
    hidden = "\U000e006f\u202e"
    found = hits({f"a{hidden}.md": f"# A{hidden}\n\nx\n\n## B\n\nSee{hidden} it.\r\n"}, [1])
    made = pack(found, max_tokens=500, counter=COUNTER)
    assert made.text == ("# A\\U000e006f\\u202e\n[a\\U000e006f\\u202e.md#b:L5-L7]\n## B\n\nSee\\U000e006f\\u202e it.")
    assert made.token_count == COUNTER.count(made.text)


def test_line_breaks_in_names_forge_no_citation():
    found = hits({"a\n[b.md:L1-L1]": "# A\n\nx\n\n## B\n\ny\n"})
    titled = [replace(hit, section=replace(hit.section, document_title="T\n[c.md:L1-L1]")) for hit in found]
    lines = pack(titled, max_tokens=500, counter=COUNTER).text.splitlines()
    assert [line for line in lines if line.startswith("[")] == [
        "[a\\x0a[b.md:L1-L1]#a:L1-L3]",
        "[a\\x0a[b.md:L1-L1]#b:L5-L7]",
    ]
    assert lines[0] == "T\\x0a[c.md:L1-L1]"


@pytest.mark.parametrize("found", [[], hits({"a.md": "# A\n\n" + "word " * 50})])
def test_nothing_or_no_room_is_an_empty_pack(found):
    made = pack(found, max_tokens=5, counter=COUNTER)
    assert (made.text, made.token_count, made.pieces) == ("", 0, ())


LINES = st.sampled_from(
    ["# A", "## B", "### C", "", "Some words here.", "もう一行。", "```", "- item", "x " * 40, "한국어 문장입니다."]
)
DOCUMENTS = st.lists(st.lists(LINES, min_size=1, max_size=14), min_size=1, max_size=3)


@given(DOCUMENTS, st.sampled_from(["\n", "\r\n"]), st.integers(1, 300), st.randoms(use_true_random=False))
def test_pack_keeps_its_budget_repeats_nothing_and_cites_exactly(documents, end, budget, random):
    files = {f"d{i}.md": end.join(lines) + end for i, lines in enumerate(documents)}
    found = hits(files)
    random.shuffle(found)
    found = [replace(hit, score=1 - i / 1000) for i, hit in enumerate(found)]
    made = pack(found, max_tokens=budget, counter=COUNTER)
    assert COUNTER.count(made.text) == made.token_count <= budget
    cited = set()
    for piece in made.pieces:
        path, start, end_line = re.fullmatch(r"(d\d\.md)(?:#[^:]*)?:L(\d+)-L(\d+)", piece.citation).groups()
        lines = files[path].splitlines()[int(start) - 1 : int(end_line)]
        assert "\n".join(lines) == piece.text
        own = {(path, line) for line in range(int(start), int(end_line) + 1)}
        assert not own & cited
        cited |= own
        assert piece.text in made.text
    chosen = {piece.section_id for piece in made.pieces}
    assert len(chosen) == len(made.pieces)
    assert not set(made.left_out) & {piece.citation for piece in made.pieces if piece.is_whole}


def test_hit_without_any_passage_gives_its_beginning():
    long = "# Long\n\n" + "\n".join(f"Line {i} says nothing." for i in range(200)) + "\n"
    made = pack(hits({"l.md": long}), max_tokens=100, counter=COUNTER)
    assert made.pieces[0].text.startswith("# Long\n\nLine 0 ")


class Grudging(TokenCounter):
    """Counts whole texts far above the sum of their parts."""

    def count(self, text):
        return super().count(text) * (3 if "\n\n[" in text else 1)


def test_pack_gives_up_pieces_until_the_whole_fits():
    documents = {f"{i}.md": f"# T{i}\n\nWords of it.\n" for i in range(3)}
    made = pack(hits(documents), max_tokens=100, counter=Grudging())
    assert 1 <= len(made.pieces) < 3
    assert made.token_count <= 100


@pytest.mark.parametrize(
    ("text", "code"),
    [("検索する文書", "ja"), ("カタカナ", "ja"), ("문서 검색", "ko"), ("检索文档", "zh"), ("ภาษาไทย", "th"),
     ("what is the key of the house", "en"), ("Schlüssel und Schloss", ""), ("", ""), ("API", "")],
)  # fmt: skip
def test_language_is_what_the_letters_show(text, code):
    assert language(text) == code


def test_heading_without_words_gives_no_orientation():
    made = pack(hits({"a.md": "#\n\nx\n\n## B\n\ny\n"}, [1]), max_tokens=100, counter=COUNTER)
    assert made.text.startswith("a\n[a.md#b:")


def test_blank_end_is_no_sentence():
    assert list(sentence_spans("One.\n…\n")) == [(0, 4)]


def test_phrase_texts_are_read_best_first_until_there_are_too_many(monkeypatch):
    rows = [
        row
        for number, text in enumerate(["the dead letter box", "the dead letter", "a dead old letter"])
        for row in plan_document(
            MarkdownSplitter().split(f"# Part\n\n{text}\n", f"{number}.md"),
            front_matter={},
            stored={},
            reusable={},
            now=now(),
        ).rows
    ]
    collection = Collection(to_arrow(rows, get_sections_schema(4)), dimension=4)
    allowed = np.ones(3, np.bool_)

    def found():
        asked = parse_query('"dead letter"')
        return rank(collection, asked, None, mode="lexical", dense_weight=0.0, allowed=allowed).order.tolist()

    assert found() == [1, 0]
    monkeypatch.setattr("search.ranking._PHRASE_CHARACTERS", 10)
    assert found() == [1]


def test_pack_grows_over_blank_lines_on_both_sides():
    text = "# A\n\nfirst\n\n\nsecond\n\nkey word\n\n\n\nthird\n" + "\nmore words here" * 400
    hit = hits({"a.md": text})[0]
    where = text.index("key word")
    made = pack([replace(hit, passage=Window(where, where + 8))], max_tokens=40, counter=COUNTER)
    assert made.pieces[0].text.splitlines()[:4] == ["# A", "", "first", ""]
    assert (made.pieces[0].start_line, made.pieces[0].is_whole) == (1, False)


def test_part_of_a_section_of_blank_lines_is_its_lines_with_text():
    text = "# A\n\nkey" + "\n" * 50_000 + "end\n" + "word " * 5000
    hit = hits({"a.md": text})[0]
    made = pack([replace(hit, passage=Window(5, 8))], max_tokens=100, counter=COUNTER)
    assert [(piece.text, piece.is_whole) for piece in made.pieces] == [("# A\n\nkey", False)]


def test_line_longer_than_any_room_is_left_out():
    hit = hits({"a.md": "# A\n\n" + "word " * 50_000})[0]
    made = pack([replace(hit, passage=Window(5, 10))], max_tokens=100, counter=COUNTER)
    assert (made.pieces, made.left_out) == ((), ("a.md#a:L1-L3",))
