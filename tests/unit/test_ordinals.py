"""Numbered parts of rules and books are one term, however they are written."""

import pytest

from schema.text.analyzer import term_spans, terms
from schema.text.ordinals import part_terms
from schema.text.query_words import query_terms
from tests.unit.test_relevance import ask, source

RULES = (
    "# 規則\n\n## 第3条（宿泊費）\n\n宿泊費は一泊につき決める。\n\n## 第17条（慶弔休暇）\n\n休暇は3日とし、3日を過ぎたら相談する。第三者は除く。\n\n"
    "## 제8조(휴게시간)\n\n쉬는 시간이다.\n\n## 제7조(근로시간)\n\n하루 8시간, 주 8시간을 넘지 않는다.\n"
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("第15条", ["第15条"]),
        ("第１５条", ["第15条"]),
        ("第十五条", ["第15条"]),
        ("第一〇条", ["第10条"]),
        ("第百二十条", ["第120条"]),
        ("第 3 章 と 第3章", ["第3章"]),
        ("第三條、第二节", ["第3条", "第2節"]),
        ("第15条の2", ["第15条の2"]),
        ("제15조의2에 따라", ["제15조의2"]),
        ("제 3 장", ["제3장"]),
        ("第三者、第3、3条、제품 조건, 제3조항목록", []),
    ],
)
def test_parts_have_terms_with_their_number(text, found):
    assert part_terms(text) == found


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("第3条", "第3条（宿泊費）"),
        ("第三条", "第3条（宿泊費）"),
        ("제8조", "제8조(휴게시간)"),
        ("제 8 조", "제8조(휴게시간)"),
    ],
)
def test_section_of_a_numbered_part_is_first(query, heading):
    headings, _ = ask(source(rules=RULES), query)
    assert headings[0] == heading


def test_characters_of_a_part_count_little_beside_it():
    found = query_terms("第3条の内容")
    assert found["第3条"] == pytest.approx(10 * found["条"])


def test_part_is_marked_as_a_whole():
    text = "詳しくは第三条を見る。"
    assert [text[start:end] for start, end in term_spans(text, {"第3条"})] == ["第三条"]


def test_parts_are_no_terms_of_plain_text():
    assert "第3条" not in terms("第3条")
