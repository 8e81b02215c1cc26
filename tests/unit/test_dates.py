"""The same day is found in any notation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.splitter import MarkdownSplitter
from schema.text.analyzer import joined_terms, term_spans
from schema.text.dates import day_terms, days
from schema.text.fields import ABOVE, section_terms
from schema.text.normal_form import compatible
from schema.text.query_words import query_terms
from tests.unit.test_relevance import ask, source


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-09",
        "2026/3/9",
        "2026.03.09",
        "2026_03_09",
        "20260309",
        "9.3.2026",
        "March 9, 2026",
        "Mar. 9th 2026",
        "9 march 2026",
        "the 9th of March, 2026",
        "2026年3月9日",
        "2026 年 3 月 9 日",
        "２０２６年３月９日",
        "令和8年3月9日",
        "2026년 3월 9일",
        "2026年3月9號",
        "2026. 3. 9.",
        "standup-2026-03-09.md",
        "議事録_2026-03-09.md",
        "2026-03-09-10-tips.md",
        "https://example.org/2026/03/09/post",
        "foo,2026-03-09,bar",
        "_9 March 2026_",
        "2026-03-09T10:00",
    ],
)
def test_day_with_its_year(text):
    assert day_terms(text) == ["@2026-03-09", "@03-09"]


@pytest.mark.parametrize(
    "text",
    ["March 9", "9 Mar", "on 9th march", "3月9日", "3월9일에", "3/9(月)", "3/9（月曜日）", "_9 March_", "at 10:30 March 9"],
)
def test_day_without_a_year(text):
    assert day_terms(text) == ["@03-09"]


@pytest.mark.parametrize(
    "text",
    [
        "3/19",
        "3/19の予約",
        "予約は3/19まで",
        "予約 3/19",
        "〜3/19",
        "병원 3/19",
        "3/19 병원",
        "3/19까지",
        "3/19、歯医者",
    ],
)
def test_month_and_day_with_a_slash_among_words_of_japanese_or_korean(text):
    assert day_terms(text) == ["@03-19"]


@pytest.mark.parametrize("text", ["3/9まで", "3/9から", "3/9까지", "3/9에 감", "3/9締切"])
def test_month_and_an_early_day_with_a_slash_where_what_follows_says_that_it_is_one(text):
    assert day_terms(text) == ["@03-09"]


@pytest.mark.parametrize(
    "text",
    [
        "1/3に減らす",
        "1/2の確率",
        "3/9",
        "24/7対応",
        "a 3/16 inch of 10/16",
        "x/3/19/の",
        "3/19/20の",
        "v3/19の",
        "予約 3/19.5",
        "13/19の",
    ],
)
def test_fractions_and_paths_are_no_days(text):
    assert day_terms(text) == []


@pytest.mark.parametrize(("text", "year"), [("平成31年4月30日", 2019), ("令和元年5月1日", 2019), ("昭和64年1月7日", 1989)])
def test_year_of_a_japanese_era(text, year):
    assert day_terms(text)[0].startswith(f"@{year}-")


@pytest.mark.parametrize(
    "text",
    [
        "03/04/2026",
        "3/9",
        "version 1.2.2026.1",
        "it may 5 times",
        "may 10 users",
        "2026-13-01",
        "2026-03-32",
        "March 9.5",
        "march 10:30",
        "March 9%",
        "1 2026",
        "120260309",
        "Step 2 may fail",
        "all 3 may be set",
        "持分1/2(土地)",
        "1/3 (金額ベース)",
        "Unity 2021.3.16f1",
        "APR 5 percent",
        "3月8号線",
        "13月1日",
        "",
    ],
)
def test_what_is_no_day(text):
    assert day_terms(text) == []


@pytest.mark.parametrize("text", ["30/03/2026", "03/30/2026"])
def test_day_that_cannot_be_a_month(text):
    assert day_terms(text) == ["@2026-03-30", "@03-30"]


def test_both_ends_of_a_span_of_days():
    assert {"@2026-03-09", "@2026-03-12"} <= set(day_terms("2026-03-09/2026-03-12"))


@given(st.dates(), st.booleans())
def test_every_day_of_a_calendar_is_found(day, is_japanese):
    text = f"{day.month}月{day.day}日" if is_japanese else f"{day:%d %B} {day.year}"
    assert f"@{day:%m-%d}" in day_terms(text)


@given(st.text(max_size=60))
def test_any_text_may_be_asked_for_its_days(text):
    plain = compatible(text)
    assert all(0 <= day.start < day.end <= len(plain) for day in days(plain))


def test_day_of_a_query_counts_as_a_word_and_its_notation_little():
    found = query_terms("minutes of 30 March")
    assert (found["@03-30"], found["30"], found["march"], found["minut"]) == (1.0, 0.3, 0.3, 1.0)
    assert query_terms("3月9日の議事録")["@03-09"] == 3.0


@pytest.mark.parametrize(
    ("question", "written"), [("8월 결제 장애", "8"), ("8月の障害", "8"), ("meetings in October", "octob")]
)
def test_words_of_a_month_count_little(question, written):
    found = query_terms(question)
    assert found[written] < 0.5 * max(found.values())


def test_day_stands_among_the_terms_of_its_sentence():
    assert joined_terms("We met on 30 March.") == ["@03-30"]


def test_day_of_a_file_is_above_all_its_sections():
    sections = MarkdownSplitter().split("## Tuesday\n\nRain.\n\n## Memo\n\nSun.\n", "daily/2026-04-07.md")
    assert all("@2026-04-07" in section_terms(each, {}).split("\n")[ABOVE].split() for each in sections)


def test_day_is_marked_in_the_notation_of_the_text():
    text = "We met on 30 March, not on 3 March."
    assert [text[start:end] for start, end in term_spans(text, {"@03-30"})] == ["30 March"]


NOTES = {f"2026-03-{day:02}": f"## Note {day}\n\nRested, and read page {day} of the book.\n" for day in range(1, 30)}
NOTES["2026-03-30"] = "## Monday\n\nMounted the new shelf in the hall.\n"


@pytest.mark.parametrize("query", ["what did I do on 30 March", "30.03.2026", "2026年3月30日"])
def test_note_of_a_day_is_found_and_answers(query):
    headings, found = ask(source(**NOTES), query)
    assert headings[0] == "Monday"
    assert found[0] > 0.3


@pytest.mark.parametrize("query", ["what did I do on 3 July", "3 July 2026 shelf"])
def test_day_that_no_section_has_is_not_answered(query):
    _, found = ask(source(**NOTES), query)
    assert max(found, default=0.0) < 0.3
