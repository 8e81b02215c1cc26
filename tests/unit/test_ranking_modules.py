"""Queries, highlights and context packs."""

import re
import time
import unicodedata
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from indexer.splitter import MarkdownSplitter
from indexer.sync.plan import plan_document
from schema.clock import now
from schema.results import Window
from schema.sections import Section
from schema.storage.rows import get_sections_schema, to_arrow
from schema.text.analyzer import sentence_spans, terms
from schema.text.language import language
from schema.text.normal_form import normal_form
from schema.text.query_words import query_terms
from schema.text.runs import known_word
from search.context.highlight import find_matches, passage_span, shown_matches
from search.index.ranges import best_rows
from search.index.vectors import QueryVectors, dense_confidence
from search.ranking.balance import balanced, vector_share
from search.ranking.query import MAX_QUERY_TERMS, fold, holds_phrase, parse_query
from search.ranking.rank import rank
from search.sources.held import HeldSource
from tests.unit.test_relevance import snapshot

NONE = -np.inf
#: What Unicode's form NFKC writes in another way: full-width, half-width, taken apart, one character for several.
APART = (
    *"ＡＢ＿１㎏ﬁ（，ㄱㅏㄳﾡￂ\u3000",
    "ｶﾞ",
    "e\u0301",
    "e\u0323\u0302",
    "A\u030a",
    "カ\u3099",
    *unicodedata.normalize("NFD", "데값가"),
)


def test_confidence_in_vectors_grows_with_coverage():
    assert dense_confidence([0, 0.3, 0.5, 0.7, 1]).tolist() == [0, 0, 0.5, 1, 1]


@given(st.text(max_size=200))
def test_any_text_is_a_query(text):
    query = parse_query(text)
    assert all(0 < weight <= 3 for weight in query.weights.values())
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
        ("key_ﬁle here", "key", ["key"]),
        ("keyx_ﬁle here", "key", []),
        ("a.b-max_tokens.", "tokens", ["tokens"]),
        ("x_max_tokens y", "x_max_tokens", ["x_max_tokens"]),
        ("証明書の有効期限", "有効期限", ["有効期限"]),
        ("검색합니다", "검색", ["검색"]),
        ("ｶﾞｲﾄﾞ", "ガイド", ["ｶﾞｲﾄﾞ"]),
        ("このサーバーを", "サーバ", ["サーバー"]),
        ("このサーバを", "サーバー", ["サーバ"]),
        ("そのｻｰﾊﾞｰを", "サーバ", ["ｻｰﾊﾞｰ"]),
        ("人々の", "人人", ["人々"]),
        ("資料庫的設定", "资料库", ["資料庫"]),
        ("컴포넌트에서는", "컴포넌트를", ["컴포넌트"]),
        ("в Настройках", "настройка", ["Настройках"]),
        ("Жёлтый", "желтого", ["Жёлтый"]),
        ("на Сторінці", "сторінка", ["Сторінці"]),
        ("z Połączeniem", "polaczeniem", ["Połączeniem"]),
        ("bağlantı yok", "baglanti", ["bağlantı"]),
        ("في القاموس هنا", "قاموس", ["القاموس"]),
        ("Tiếng Việt", "viet", ["Việt"]),
        ("接続先はＯＡＵＴＨ２です", "OAUTH2", ["ＯＡＵＴＨ２"]),
        ("ポート８０８０番，次", "8080", ["８０８０"]),
        ("ｍａｘ＿tokens", "max_tokens", ["ｍａｘ＿tokens"]),
        ("80㎏ までの荷物", "荷物", ["荷物"]),
        ("ﬁrst the ﬁle", "file", ["ﬁle"]),
        ("nothing", "else", []),
        ("書", "書", ["書"]),
    ],
)
def test_matches_are_found_in_the_text_as_written(text, query, found):
    assert [text[m.start : m.end] for m in find_matches(text, query_terms(query))] == found


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("데이터베이스 비밀번호를 바꿉니다", "비밀번호", "비밀번호"),
        ("そのデータベースの設定", "データベース", "データベース"),
        ("la Référence française", "référence", "Référence"),
        ("Tiếng Việt ở đây", "việt", "Việt"),
    ],
)
def test_matches_are_found_in_a_text_that_is_taken_apart(text, query, found):
    apart = unicodedata.normalize("NFD", text)
    assert [apart[m.start : m.end] for m in find_matches(apart, query_terms(query))] == [unicodedata.normalize("NFD", found)]


@pytest.mark.parametrize(
    ("text", "found"), [("use --max now", "--max"), ("of __init__ and", "__init__"), ("--MAX", "--MAX")]
)
def test_option_or_name_of_one_word_is_found_with_its_signs(text, found):
    (match,) = find_matches(text, {found.lower(): 1.0})
    assert text[match.start : match.end] == found


@given(
    st.lists(
        st.sampled_from(
            [*"abé_-. ", "max", "Tokens", "検", "索", "검색", "인덱스는", "々", "書", "カナダー", " ёж ", *APART]
        ),
        max_size=30,
    )
    .map("".join)
    .filter(
        lambda text: not re.search("[\u1100-\u11ff\u3130-\u318f\uffa0-\uffdc]{2}", text)
    )  # letters that make no syllable
)
@example("foo.max_tokens")
@example("㎏--max")
def test_every_term_of_a_text_is_found_in_it(text):
    for term in query_terms(text):
        if len(term) > 1:
            assert find_matches(text, {term: 1.0})


@given(st.text(max_size=80), st.text(max_size=20))
def test_matches_are_in_order_and_apart(text, query):
    matches = find_matches(text, query_terms(query))
    assert all(m.start < m.end <= len(text) for m in matches)
    assert all(a.end < b.start for a, b in pairwise(matches))


@given(st.lists(st.sampled_from([*APART, *"a 索검ーéﾞﾟ\u3099\u030a"]), max_size=12).map("".join))
def test_normal_form_is_that_of_unicode_and_each_part_of_it_stands_in_the_text(text):
    plain, written = normal_form(text)
    assert plain == unicodedata.normalize("NFKC", text)
    places = [written(at, at + 1) for at in range(len(plain))]
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert places == sorted(places)
    assert "".join(text[start:end] for start, end in dict.fromkeys(places)) == text


def test_row_of_marks_is_looked_through_in_linear_time():
    marks = "a" + "\u0301\u0316" * 49_000
    begun = time.process_time()
    assert find_matches(f"{marks} key", {"key": 1.0}) == (Window(len(marks) + 1, len(marks) + 4),)
    assert time.process_time() - begun < 2


def test_matches_of_one_section_are_bounded():
    assert len(find_matches("key, " * 15_000, {"key": 1.0})) == 10_000


def test_matches_shown_of_a_section_are_those_around_its_passage():
    matches = find_matches("key, " * 2000, {"key": 1.0})
    assert shown_matches(matches, None) == matches[:500]
    assert shown_matches(matches, Window(5000, 5003)) == matches[750:1250]
    assert shown_matches(matches, Window(9995, 9998)) == matches[1500:]
    assert shown_matches(matches[:7], Window(5, 8)) == matches[:7]


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
    known_word.cache_clear()
    assert terms("ab_" * 100_000 + "c")[:3] == [("ab_" * 22)[:64], "ab", "ab"]
    assert known_word.cache_info().currsize == 0


def test_phrase_of_more_than_300_characters_is_only_its_words():
    assert parse_query(f'"{"word " * 60}"').phrases == (("word " * 60).strip(),)
    assert parse_query(f'"{"word " * 61}"').phrases == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [("検索する文書", "ja"), ("カタカナ", "ja"), ("문서 검색", "ko"), ("检索文档", "zh"), ("ภาษาไทย", "th"),
     ("what is the key of the house", "en"), ("Schlüssel und Schloss", ""), ("", ""), ("API", "")],
)  # fmt: skip
def test_language_is_what_the_letters_show(text, code):
    assert language(text) == code


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
    snapshot = HeldSource.of(to_arrow(rows, get_sections_schema(4)), dimension=4).snapshot
    allowed = np.ones(3, np.bool_)

    def found():
        asked = parse_query('"dead letter"')
        return rank(snapshot, asked, None, mode="lexical", dense_weight=0.0, allowed=allowed).order.tolist()

    assert found() == [1, 0]
    monkeypatch.setattr("search.ranking.phrases.PHRASE_TOKENS", 3)
    assert found() == [1]


def test_blank_end_is_no_sentence():
    assert list(sentence_spans("One.\n…\n")) == [(0, 4)]


def test_terms_of_a_run_share_its_weight_in_a_query():
    assert query_terms("検索") == {"検": 0.5, "索": 0.5, "検索": 1.0}
    assert query_terms("カタカナ")["カタ"] == pytest.approx(1 / 3)
    assert query_terms("늘리려면") == {
        "늘리려면": 1.0,
        "늘리": 0.5,
        "리려": pytest.approx(1 / 3),
        "려면": pytest.approx(1 / 6),
    }
    assert query_terms("กา") == {"กา": 0.5}


# -- words and vectors -------------------------------------------------------------------------------------------------

OF_SEVERAL, OF_ONE = SimpleNamespace(headings=object()), SimpleNamespace(headings=None)
FIRST, BOTH = QueryVectors(np.ones(2, np.float32)), QueryVectors(np.ones(2, np.float32), np.ones(2, np.float32))


@pytest.mark.parametrize("index", [OF_SEVERAL, OF_ONE])
def test_vectors_decide_where_no_section_holds_a_word(index):
    assert balanced(index, FIRST, 0.5, held=0.0) == 1.0
    assert balanced(index, FIRST, 0.5, held=0.15) == pytest.approx(0.75)


def test_words_decide_where_a_section_holds_the_question_and_the_model_is_of_several_languages():
    assert balanced(OF_SEVERAL, FIRST, 0.5, held=1.0) == pytest.approx(0.25)
    assert balanced(OF_SEVERAL, FIRST, 0.5, held=0.65) == pytest.approx(0.375)


def test_a_model_of_one_language_keeps_its_share_where_words_are_held():
    assert balanced(OF_ONE, FIRST, 0.5, held=1.0) == 0.5
    assert balanced(OF_SEVERAL, BOTH, 0.5, held=1.0) == 0.5


def test_section_that_holds_the_question_is_seen_among_many_that_tie():
    index = snapshot(**{f"a{number}": f"# Week\n\nReceipt RC-{1000 + number}.\n" for number in range(60)})
    asked = parse_query("RC-1059")
    bm25 = index.inverted.bm25(asked.weights)
    assert len(np.unique(bm25)) == 2
    assert vector_share(index, asked, BOTH, bm25, 0.5) == 0.5


def test_words_of_a_question_in_another_language_count_little_even_where_a_section_holds_all():
    index = snapshot(guide="# Week\n\nReceipt RC-1059.\n", other="# Other\n\nNothing.\n")
    asked = parse_query("RC-1059")
    bm25 = index.inverted.bm25(asked.weights)
    assert vector_share(index, replace(asked, is_foreign=True), BOTH, bm25, 0.5) == pytest.approx(1 - 0.5 * 0.25 / 0.3)


def test_shares_meet_where_one_rule_ends_and_the_other_begins():
    assert balanced(OF_SEVERAL, FIRST, 0.5, held=0.3) == pytest.approx(0.5)


# -- rows --------------------------------------------------------------------------------------------------------------


def test_best_rows_keep_their_order_and_all_that_tie_with_the_last():
    scores = np.array([0.5, 0.9, 0.1, 0.5])
    assert best_rows(np.array([0, 2, 3]), scores, 1).tolist() == [0, 3]
    assert best_rows(np.array([0, 2, 3]), scores, 3).tolist() == [0, 2, 3]


def test_number_of_a_line_behind_a_document_is_no_part_of_a_query():
    assert (
        parse_query("docs/keys.md:31 and a.RST:3:5 in example.org:8080").text == "docs/keys.md and a.RST in example.org:8080"
    )
