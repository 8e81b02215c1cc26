"""Which words of a query say nothing: they are told by how they are typed, not by their stems."""

import pytest

from schema.text.analyzer import joined_terms, term_spans, terms
from schema.text.query_words import query_terms


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("how long does the UPS last", ["long", "ups", "last"]),
        ("who owns the list", ["own", "list"]),
        ("owning a list of my own", ["own", "list"]),
        ("IT contact", ["IT", "contact"]),
        ("what is IT's policy", ["IT", "polici"]),
        ("HOW TO MAKE A BACKUP", ["backup"]),
        ("what is IT?", ["IT"]),
        ("vitamin A", ["vitamin", "a"]),
        ("A failing test", ["fail", "test"]),
        ("making it up", ["make", "it", "up"]),
        ("what gets lost", ["lost"]),
        ("how does prefix caching work?", ["prefix", "cach"]),
        ("How do hooks work", ["hook"]),
        ("how does the work queue work", ["work", "queue"]),
        ("how it works with nodes", ["work", "node"]),
        ("How Does Prefix Caching Work?", ["prefix", "cach"]),
        ("how does it work", ["work"]),
        ("how do they work?", ["work"]),
        ("How do I schedule work?", ["schedul", "work"]),
        ("how do I make it work", ["work"]),
        ("안 쓰는 서버", ["쓰는", "서버"]),
        ("못 찾는 것 보기", ["찾는", "보기"]),
        ("좀 더 열 수 있는", ["더", "열", "있는"]),
        ("조회 수 안", ["조회", "수", "안"]),
        ("목록이 닫히지 않습니다", ["목록", "닫히지", "닫히", "히지"]),
        ("KRDS가 도대체 뭐임", ["krds"]),
    ],
)
def test_words_of_a_question_that_count(query, expected):
    assert list(query_terms(query)) == expected


@pytest.mark.parametrize("query", ["A社の担当", "プランAの価格", "A동의 주소"])
def test_letter_beside_another_script_counts(query):
    assert "a" in query_terms(query)


def test_capitals_are_no_acronyms_where_everything_is_in_capitals():
    assert list(query_terms("WHO IS TO SIGN IT")) == ["sign"]


@pytest.mark.parametrize(("word", "term"), [("UPS", "ups"), ("AED", "aed"), ("dos", "dos"), ("ids", "id"), ("its", "it")])
def test_short_word_becomes_no_stop_word(word, term):
    assert terms(word) == [term]


def test_acronym_in_a_line_of_capitals_is_found():
    assert "IT" in joined_terms("IT FAQ")


def test_acronym_is_marked_and_the_stop_word_is_not():
    text = "It is from the IT, not from Italy."
    assert [text[start:end] for start, end in term_spans(text, {"IT"})] == ["IT"]
