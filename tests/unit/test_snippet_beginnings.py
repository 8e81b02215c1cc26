"""Snippets that answer to a heading: where a section begins for them."""

import pytest

from tests.unit.test_snippet import FILLER, ask


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
