"""What ends a snippet: no line that only opens what follows it."""

import pytest

from tests.unit.test_snippet import ask

#: A paragraph that no snippet has room for, as sentences and as one.
MORE = "Nothing of interest is said in this sentence either. " * 10
LONG = MORE.replace(". ", ", ")


def before(opening):
    """A sentence that leaves room in a passage for what opens something, and not for more of it."""
    return f"The buffer is {'very ' * 100}"[: 388 - len(opening)] + "."


@pytest.mark.parametrize(
    ("opening", "following"),
    [
        ("Set the buffer so:", "- `size = 1`"),
        ("Set the **buffer:**", "- `size = 1`"),
        ("バッファ：", "1. 開くのは、二階の倉庫で"),
        ("Set the buffer:", "Its size is set"),
        ("Set it:", "```\nbuffers = 1\n```"),
    ],
)
def test_what_a_colon_announces_is_shown_with_it(opening, following):
    shown = following.removeprefix("```\n").removesuffix("\n```")
    text = ask(f"{before(opening)}\n\n{opening}\n\n{following}\n\n{LONG}").text
    assert text == f"{before(opening)}\n{opening}\n{shown}"


def code_of(*lines):
    body = "\n".join(lines)
    return f"{before(lines[0])}\n\n```\n{body}\n```\n\n{MORE}"


@pytest.mark.parametrize(
    "lines",
    [
        ("jobs:", "  run:", "    - buffer"),
        ("args:", "- buffer"),
        ("run([", "  buffer", "]);"),
        ("def run(self):", "    return 1"),
    ],
)
def test_line_below_one_of_code_that_opens_a_block_is_shown_with_it(lines):
    assert ask(code_of(*lines, "stop" * 20)).text == "\n".join([before(lines[0]), *lines])


@pytest.mark.parametrize(("line", "mark"), [("run:", "  "), ("run:", "- "), ("run(", ""), ("run: {", "  "), ("run = [", "")])
def test_line_of_code_that_opens_a_block_is_left_out_where_the_next_one_has_no_room(line, mark):
    assert ask(code_of("size = 1", line, f"{mark}{'long' * 40}")).text == f"{before('size = 1')}\nsize = 1"


def test_key_without_a_value_opens_nothing():
    assert ask(code_of("push:", f"pull: {'long' * 40}")).text == f"{before('push:')}\npush:"


FULL = before("x" * 30)


def test_sentence_whose_colon_announces_what_has_no_room_is_left_out():
    assert ask(f"{FULL}\n\nFor instance:\n\n{LONG}").text == FULL


def test_sentence_whose_colon_announces_nothing_is_shown():
    assert ask(f"{LONG}\n\n{FULL}\n\nFor instance:\n\n#### Part\n\n{MORE}").text == f"{FULL}\nFor instance:"


def test_sentence_with_a_colon_that_holds_most_of_the_question_is_shown():
    assert ask(f"{FULL}\n\nA disk:\n\n{LONG}", "buffer disk", buffer=1.0, disk=1.5).text == f"{FULL}\nA disk:"


def test_only_sentence_of_a_passage_is_shown_also_if_it_announces_more():
    assert ask(f"{LONG}\n\nThe buffer:\n\n{LONG}").text == "The buffer:"


def test_title_at_the_end_of_a_passage_is_left_out_where_its_text_has_no_room():
    assert ask(f"{FULL}\n\n> **Warning**\n> {LONG}").text == FULL


def test_first_row_of_a_table_is_not_followed_by_the_second_where_a_later_one_is_shown():
    table = "| Flag | What |\n|---|---|\n| --a | one |\n| --b | two |\n| --c | the buffer |\n"
    assert ask(f"{MORE}\n\n{table}\n{MORE}").text.startswith("| Flag | What |\n…\n| --c | the buffer |\n")


# -- what fills it -----------------------------------------------------------------------------------------------------


def test_sentences_behind_and_before_the_passage_fill_its_room():
    assert ask(f"{LONG}\n\nIt holds ten.\n\nThe buffer is one.\n\nIt is emptied at night.\n\n{LONG}").text == (
        "It holds ten.\nThe buffer is one.\nIt is emptied at night."
    )


def test_sentence_behind_a_long_passage_is_shown_where_it_has_room():
    behind = "It is emptied at night, and filled again at noon."
    assert ask(f"{before('')}\n\n{behind}\n\n{LONG}").text == f"{before('')}\n{behind}"


def test_text_below_another_heading_does_not_fill_a_passage():
    assert ask(f"{LONG}\n\n#### One\n\nThe buffer is one.\n\n#### Two\n\nIt is another.\n").text == "One\nThe buffer is one."


def test_check_of_a_value_is_shown_as_code():
    body = f'{LONG}\n\n```kotlin\nrequire(buffer > 0) {{ "too small" }}\n```\n'
    assert 'require(buffer > 0) { "too small" }' in ask(body).text
