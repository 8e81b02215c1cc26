"""Snippets of code: which lines of it are shown, and how."""

import pytest

from tests.unit.test_snippet import FILLER, ask


def test_code_is_shown_where_code_is_asked_for():
    body = f"{FILLER}\n\n```py\nbuffer = open_buffer()\n```\n\n{FILLER}"
    assert "buffer = open_buffer()" in ask(body, "open_buffer()", buffer=1.0, open_buffer=2.0).text


def test_code_after_its_announcement_is_shown_with_it():
    found = ask(f"{FILLER}\n\n#### Part\n\nEmpty the buffer so:\n\n```\n$ flush --all\n```\n")
    assert found.text == "Part\nEmpty the buffer so:\n$ flush --all"


def test_brackets_of_code_in_a_quotation_are_shown_without_its_marks():
    found = ask(
        f"> Open the buffer so:\n>\n> ```js\n> run({{\n>   buffer,\n> }}, {{\n>   size,\n> }});\n> ```\n\n{FILLER * 4}",
        "run(buffer)",
    )
    assert "run({\n  buffer,\n}, {\n  size,\n});" in found.text


def test_lines_that_a_book_puts_a_file_in_place_of_are_not_shown_between_lines_of_code():
    found = ask(
        f"```rust\nlet buffer = 1;\n{{{{#include a.rs}}}}\nuse std::io;\nlet size = 2;\n```\n\n{FILLER * 4}",
        "let buffer = 1;",
    )
    assert found.text.startswith("let buffer = 1;\nuse std::io;\nlet size = 2;")


def test_code_is_shown_as_it_is_indented_but_for_what_all_its_lines_have():
    shown = ask("```\n    for (each) {\n        valve.open();\n    }\n    pump.stop();\n```", "valve()")
    assert shown.text == "for (each) {\n    valve.open();\n}\npump.stop();"


def test_brackets_that_close_what_is_shown_of_code_are_shown_behind_it():
    found = ask(f"Open the buffer so:\n\n```js\nrun(\n  buffer,\n  size\n);\n```\n\n{FILLER * 4}", "run(buffer)")
    assert found.text.startswith("Open the buffer so:\nrun(\n  buffer,\n  size\n);")


def test_brackets_that_open_what_is_shown_of_code_are_shown_before_it():
    found = ask(f'Send the buffer so:\n\n```json\n{{\n  "buffer": 1\n}}\n```\n\n{FILLER * 4}', "send a buffer")
    assert found.text.startswith('Send the buffer so:\n{\n  "buffer": 1\n}')


def test_code_that_begins_a_snippet_has_the_brackets_above_it():
    body = "```js\n{\n  open: [\n    {\n      buffer: 1\n    }\n  ]\n}\n```"
    found = ask(f"{FILLER * 4}\n\n{body}", "{open: 1}", open=1.0)
    assert "\n{\n  open: [\n    {\n      buffer: 1" in found.text


def test_body_of_a_call_is_shown_with_the_call():
    calls = "".join(f"add('kind{n}', function (error) {{\n  parse{n}(error)\n  end()\n}})\n\n" for n in range(9))
    found = ask(f"{FILLER * 4}\n\n```js\n{calls}```\n\n{FILLER * 4}", "parse4()", parse4=1.0)
    assert "add('kind4', function (error) {\n  parse4(error)\n" in found.text
    assert "kind3" not in found.text


def test_key_is_shown_with_those_that_it_stands_below():
    config = "server:\n  tls:\n    cert: a.pem\n    buffer: 1\n" + "".join(f"other{n}: {n}\n" for n in range(60))
    found = ask(f"{FILLER * 4}\n\n```yaml\n{config}```\n\n{FILLER * 4}", "buffer()", buffer=1.0)
    assert "server:\n  tls:\n    cert: a.pem\n    buffer: 1\n" in found.text


@pytest.mark.parametrize("mark", ["```", "~~~", ":::"])
def test_block_within_an_example_of_markdown_is_shown_with_what_closes_it(mark):
    body = f"Write the buffer so:\n\n````md\n{mark}{{note}}\nAbout the buffer.\n{mark}\n````\n\n{FILLER * 4}"
    assert ask(body).text.startswith(f"Write the buffer so:\n{mark}{{note}}\nAbout the buffer.\n{mark}\nNothing")


def test_what_closes_a_block_within_an_example_is_shown_once():
    body = "Write the buffer so:\n\n````md\n```{note}\nAbout it.\n```\nBehind it.\n```\n````"
    found = ask(f"{body}\n\n{FILLER * 4}")
    assert found.text.startswith("Write the buffer so:\n```{note}\nAbout it.\n```\nBehind it.\nNothing")
