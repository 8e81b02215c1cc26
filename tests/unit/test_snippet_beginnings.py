"""Snippets that answer to a heading: where a section begins for them."""

import pytest

from schema.results import Window
from schema.text.query_words import query_terms
from search.context.snippet import snippet_of
from tests.unit.test_snippet import FILLER, ask, section_of


def test_first_sentence_is_the_answer_to_the_heading_itself():
    found = ask(f"It keeps lines. {FILLER}\n\nSee the buffer of others.\n", heading="Buffer")
    assert found.text.startswith("It keeps lines.")


PARAMETERS = (
    "* `size` {number}\n* `options` {Object}\n  * `fill` {string} What the buffer begins with.\n* Returns: {Buffer}\n\n"
)


def test_section_that_begins_with_a_list_of_parameters_begins_with_the_sentence_behind_it():
    body = f"{PARAMETERS}Makes a buffer of a size, and fills it. {FILLER}"
    assert ask(body, heading="buffer.alloc", alloc=0.6, buffer=0.4).text.startswith("Makes a buffer")


def test_quotation_before_the_parameters_is_left_out_with_them():
    body = f"> Stability: 1 - Experimental\n\n{PARAMETERS}> **Note**: be careful.\n\nMakes a buffer of a size. {FILLER}"
    assert ask(body, heading="buffer.alloc", alloc=0.6, buffer=0.4).text.startswith("Makes a buffer")


@pytest.mark.parametrize("behind", [f"Makes it of a size. {FILLER}", f"> It is old. {FILLER}"])
def test_quotation_before_no_list_is_shown(behind):
    found = ask(f"> Stability: 1 - Experimental\n\n{behind}", "alloc", heading="buffer.alloc")
    assert found.text.startswith("Stability: 1 - Experimental")


def test_parameter_that_the_question_names_is_shown_all_the_same():
    found = ask(f"{PARAMETERS}Makes a buffer of a size. {FILLER}", "fill", heading="buffer.alloc")
    assert "What the buffer begins with." in found.text


def test_list_without_a_sentence_behind_it_is_shown_from_its_beginning():
    found = ask(PARAMETERS + "#### More\n\n" + FILLER, "alloc", heading="buffer.alloc")
    assert found.text.startswith("* `size` {number}")


@pytest.mark.parametrize(
    ("weights", "shown"),
    [({"remov": 1.0}, "Removes a file"), ({"remov": 0.8, "forc": 0.2}, "`force` {boolean} Does not")],
)
def test_parameter_that_the_question_asks_for_besides_the_heading_stands_before_the_definition(weights, shown):
    body = f"* `path` {{string}}\n* `force` {{boolean}} Does not fail. **Default:** `false`\n\nRemoves a file. {FILLER}"
    assert shown in ask(body, "remove", heading="remove", **weights).text


def test_snippet_of_a_long_section_begins_with_a_whole_word():
    words = [f"word{number}" for number in range(6000)]
    section = section_of(" ".join(words), "Long")
    far = Window(20_000, 20_100)
    found = snippet_of(section, "other", {"other": 1.0}, [Window(2, 6)], passage=far)
    assert found.start > 8_000
    assert found.text.split()[0] in words


def test_later_sentence_of_an_item_is_shown_with_the_name_that_the_item_begins_with():
    body = f"* `one` {{string}} A name.\n* `two` {{boolean}} Tells the order. When true, addresses are sorted.\n\n{FILLER}"
    assert (
        "`two` {boolean} Tells the order. When true" in ask(body, heading="lookup", **query_terms("addresses sorted")).text
    )


def test_single_digit_of_a_question_tells_which_item_is_shown():
    items = "\n".join(f"* `{number}` **Name {name}**: it ended so. {FILLER}" for number, name in enumerate("abcdefghij", 1))
    query = "what does exit code 9 mean"
    assert "Name i" in ask(items, query, heading="Exit codes", **query_terms(query)).text


def test_snippet_of_a_long_line_of_japanese_begins_with_a_sentence():
    text = "あいうえおかきくけこ。" * 1200
    at = len("# Long\n\n") + len(text)
    found = ask(f"{text}bufferはここ。{text}", "buffer", heading="Long", near=Window(at, at + 6))
    assert found.text.startswith("bufferはここ。あいう")
    assert found.text.endswith("。")


def test_snippet_of_a_long_line_without_any_sentence_is_a_part_of_it():
    text = "あいうえおかきくけこ" * 2000
    found = ask(text, heading="Long", near=Window(15_000, 15_100))
    assert found.text.strip("…") in text
    assert found.start > 8_000


@pytest.mark.parametrize(("query", "shown"), [("第３条の定め", "第三条を"), ("4月2日の予定", "2026-04-02")])
def test_sentence_with_the_part_or_day_that_is_asked_for_is_shown(query, shown):
    others = "第1条の定めは3か条で、4月に2人の予定である。"
    body = "\n\n".join([others, FILLER * 3, "第三条を見ること。", FILLER * 3, "2026-04-02 に始める。"])
    assert shown in ask(body, query, heading="Plan", **query_terms(query)).text


def test_long_section_that_is_named_as_the_question_is_shown_from_its_beginning():
    body = f"It keeps lines of text. {FILLER * 200}\n\nThe buffer of a buffer is another buffer. {FILLER}"
    assert len(body) > 16_000
    found = ask(body, heading="Buffer", near=Window(len(body) - 100, len(body)))
    assert found.text.startswith("It keeps lines of text.")


def test_long_section_that_begins_with_no_sentence_is_shown_where_it_answers():
    first = "![a](b.png)\n\n" * 1000
    at = len("# Buffer\n\n") + len(first)
    found = ask(f"{first}The buffer keeps lines. {FILLER}", heading="Buffer", near=Window(at, at + 24))
    assert "The buffer keeps lines." in found.text
