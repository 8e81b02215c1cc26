"""Token counts, terms and windows."""

import logging
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.sync.windows import clip_breadcrumb, cut_windows, join_breadcrumb
from indexer.tokens import TokenCounter
from schema.text.analyzer import joined_terms, sentence_spans, term_lines, terms
from schema.text.query_words import query_terms

JAPANESE, KOREAN, CHINESE = (
    "# 設計\n分割と表\n\n## 方針\n本文だ\n",
    "# 설치\n이 문서는 설치 방법을 설명합니다.\n",
    "# 设计\n这是一个测试文件。\n",
)


@pytest.mark.parametrize(("encoding", "count"), [("cl100k_base", 2), ("o200k_base", 2)])
def test_token_counts_are_tiktokens(encoding, count):
    counter = TokenCounter(encoding)
    assert (counter.count("hello world"), counter.count(""), counter.encoding) == (count, 0, encoding)


def test_special_tokens_are_plain_text():
    assert TokenCounter().count("<|endoftext|>") > 1


def test_long_text_is_counted_in_pieces():
    assert TokenCounter().count("word " * 100_000) == pytest.approx(100_001, abs=3)


def test_text_that_cannot_be_encoded_is_estimated_and_warned_of_once(monkeypatch, caplog):
    class Broken:
        def encode_ordinary(self, text):
            raise ValueError("no")

    monkeypatch.setattr("indexer.tokens.encoding_of", lambda name: Broken())
    counter = TokenCounter()
    with caplog.at_level(logging.WARNING):
        assert [counter.count("日本語"), counter.count("abcde")] == [3, 2]
    assert len(caplog.records) == 1


def test_lone_surrogates_do_not_stop_counting():
    assert TokenCounter().count("a\ud800b") >= 1


def test_unknown_encoding_is_refused():
    with pytest.raises(ValueError, match="cl100k_base, o200k_base"):
        TokenCounter("p50k_base")


PIECES = st.sampled_from(
    [
        "a",
        "userId",
        "max_tokens",
        "don't",
        "検索",
        "검색",
        "ก",
        ". ",
        "\n",
        "。",
        "．",
        "…",
        "–",
        "’s",
        "℃",
        "é",
        "\u0301",
        "-",
        "--set",
        "*",
    ]
)


@given(st.text(max_size=40) | st.lists(PIECES, max_size=12).map("".join))
def test_every_sentence_has_its_line_of_terms(text):
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    assert list(term_lines(text)) == [" ".join((*terms(each), *joined_terms(each))) for each in sentences]


@pytest.mark.parametrize("sign", ["–", "“", " … ", "†"])
def test_signs_that_are_no_letters_change_no_term(sign):
    text = f"userId{sign}max_tokens don't 1.5{sign}"
    assert terms(text) == terms(text.replace(sign, " "))


@pytest.mark.parametrize(
    ("query", "same_as"),
    [
        ("証明書とは", "証明書"),
        ("徳川家康は何年に", "徳川家康は 年に"),
        ("どのように設定しますか？", "設定し"),
        ("버퍼는 무엇인가요?", "버퍼는"),
        ("며칠 전까지 신청", "전까지 신청"),
        ("재전송 몇번까지", "재전송"),
        ("신청 누구한테 해야되나요", "신청"),
        ("의자도 주나요", "의자도"),
        ("명함 나오는데 며칠걸리나요", "명함"),
        ("배송 얼마나 걸려요?", "배송"),
        ("如何检索？", "检索"),
        ("什么是索引吗", "索引"),
        ("什麼是索引嗎", "索引"),
        ("索引是什么意思？", "索引"),
        ("为什么要索引", "要索引"),
        ("索引怎么办", "索引"),
        ("why don't we use Helm", "Helm"),
        ("why dont we use Helm", "Helm"),
        ("im on Helm", "Helm"),
        ("youre on Helm and they arent", "Helm"),
        ("what isn’t shown there", "shown"),
        ("wie installiere ich das Paket", "installiere Paket"),
        ("comment installer le paquet sur un serveur", "installer paquet serveur"),
        ("sin cos tan", "sin, cos and tan"),
        ("¿Qué es un paquete?", "paquete"),
        ("誰が作った", "が作った"),
    ],
)
def test_words_that_only_ask_are_left_out(query, same_as):
    assert query_terms(query) == query_terms(same_as)


@pytest.mark.parametrize(
    ("query", "word"), [("幾何学の定理", "何"), ("ぶどうの栽培", "どう"), ("哪吒", "哪"), ("왜곡 보정", "왜곡")]
)
def test_words_that_only_look_like_asking_stay(query, word):
    assert word in query_terms(query)


def test_query_of_stop_words_only_keeps_them():
    assert list(query_terms("to be or not to be")) == ["to", "be", "or", "not"]


def spans(text):
    return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]


@given(
    st.lists(st.sampled_from(["word", "more", "。", ". ", "\n", "\n\n", " ", "日本", "!"]), max_size=200).map(" ".join),
    st.integers(1, 40),
)
def test_windows_cover_every_token_within_the_budget(text, budget):
    tokens = spans(text)
    windows = cut_windows(text, tokens, budget=budget)
    held = [[t for t in tokens if w.start <= t[0] and t[1] <= w.end] for w in windows]
    assert {t for some in held for t in some} == set(tokens)
    assert all(0 < len(some) <= budget for some in held)
    assert bool(windows) == bool(tokens)


def test_text_that_fits_is_one_window():
    assert [(w.start, w.end) for w in cut_windows(" one two ", spans(" one two "), budget=2)] == [(0, 9)]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a b c d e f\n\ng h i. j\nk l", "a b c d e f"),
        ("a b c d e f\ng h i. j k l m", "a b c d e f"),
        ("a b c d e. f g h i j k l m", "a b c d e."),
        ("あ い う え お。 か き く け こ さ し", "あ い う え お。"),
        ("a b c d e f g h i j k l m", "a b c d e f g h"),
    ],
)
def test_cuts_fall_at_blocks_then_lines_then_sentences_then_anywhere(text, first):
    window = cut_windows(text, spans(text), budget=8, overlap=0)[0]
    assert text[window.start : window.end] == first


def test_neighbouring_windows_overlap():
    text = " ".join(map(str, range(100)))
    first, second = cut_windows(text, spans(text), budget=60, overlap=10)
    assert len(spans(text[second.start : first.end])) == 10


def test_budget_below_one_is_refused():
    with pytest.raises(ValueError, match="budget"):
        cut_windows("a", [(0, 1)], budget=0)


def test_long_breadcrumb_keeps_its_innermost_part():
    crumb = join_breadcrumb(["Title", "One", "Two"])
    assert clip_breadcrumb(crumb, spans(crumb), limit=3) == "One > Two"
    assert clip_breadcrumb(crumb, spans(crumb), limit=5) == "Title > One > Two"


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("props에서 state로", {"prop", "state"}),
        ("useEffect를 언제", {"useeffect", "effect"}),
        ("Suspense가 뭔가요", {"suspens"}),
        ("Effect란 무엇이고", {"effect"}),
        ("JSX란?", {"jsx"}),
        ("API란 뭐야", {"api"}),
        ("C++가 C#은", {"c"}),
        ("`key`를 open()에서", {"key", "open"}),
    ],
)
def test_korean_particles_behind_other_letters_and_words_that_ask_are_no_terms_of_a_query(query, terms):
    assert set(query_terms(query)) == terms


@pytest.mark.parametrize(
    ("query", "term"),
    [
        ("컴포넌트란 무엇인가요", "컴포넌트"),
        ("서버 컴포넌트란", "컴포넌트"),
        ("노란 버튼", "노란"),
        ("라이프타임이란 무엇인가요", "타임"),
        ("게이트웨이란 무엇인가요", "트웨"),
    ],
)
def test_ending_that_asks_for_a_meaning_is_no_part_of_a_korean_word(query, term):
    assert term in query_terms(query)


@pytest.mark.parametrize("query", ["입력란", "댓글란?", "검색란 무엇"])
def test_korean_noun_that_ends_as_if_it_asked_for_a_meaning_stays_whole(query):
    assert query.split()[0].rstrip("?") in query_terms(query)


@pytest.mark.parametrize(
    ("query", "term"), [("3단계를", "단계"), ("10만 명", "만"), ("5인 이상", "인"), ("3도 화상", "도"), ("2과", "과")]
)
def test_korean_word_behind_a_digit_stays(query, term):
    assert term in query_terms(query)


@pytest.mark.parametrize("unit", ["이나", "이란", "이라는", "라도", "에서"])
def test_row_of_korean_particles_is_read_in_linear_time(unit):
    begun = time.process_time()
    assert query_terms(f"a{unit * 4_000}힣")
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a **dead**letter box", "deadlett"),
        ("**R**epresentational", "represent"),
        ("***x**y", None),
        ("a*b*", "ab"),
        ("2**8", None),
    ],
)
def test_words_that_are_emphasised_in_part_have_their_term_as_they_are_read(text, found):
    written = terms(text)
    assert [term for line in term_lines(text) for term in line.split()] == [*written, *([found] if found else [])]


@pytest.mark.parametrize(
    ("text", "same"),
    [("v24.1.0", "24.1.0"), ("V24.1.0", "24.1.0"), ("10,000円", "１０，０００円"), ("3.25%", "３．２５％")],
)
def test_numbers_have_the_same_terms_however_they_are_written(text, same):
    assert terms(text) == terms(same)


def test_a_number_with_separators_is_found_by_its_digits_and_not_by_its_zeros():
    assert terms("5,000 and 80,443 and 1,2 and 1,0000") == [
        "5000",
        "5",
        "and",
        "80443",
        "80",
        "443",
        "and",
        "1",
        "2",
        "and",
        "1",
        "0000",
    ]
    assert query_terms("5000円") == {"5000": 1.0, "円": 1.0}


def test_a_full_stop_of_full_width_ends_a_line_of_terms_but_not_within_a_number():
    assert list(term_lines("一．二｡三")) == ["一", "二", "三"]
    assert list(term_lines("３．２５％の手数料")) == [" ".join(terms("3.25%の手数料"))]


def test_options_and_dunder_names_are_terms_with_their_signs():
    assert query_terms("what does --callback do") == {"--callback": 1.0, "callback": 1.0}
    assert query_terms("__call__") == {"__call__": 1.0, "call": 1.0}
    assert query_terms("--dry-run") == {"dry-run": 1.0, "dri": 1.0, "run": 1.0}
