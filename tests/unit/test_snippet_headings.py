"""Snippets below headings within a section (H4 to H6), which are shown above them."""

import pytest

from tests.unit.test_snippet import FILLER, ask


def test_passage_is_shown_below_its_heading_with_the_lines_of_both():
    found = ask(f"{FILLER}\n\n#### Flushing\n\nThe buffer is flushed.\n\n#### Rest\n\n{FILLER}")
    assert found.text == "Flushing\nThe buffer is flushed."
    assert (found.start_line, found.end_line) == (5, 7)


def test_passage_that_does_not_follow_its_heading_stands_behind_a_gap():
    found = ask(f"#### Flushing\n\n{FILLER * 3}\n\nThe buffer is flushed. {FILLER * 3}")
    assert found.text.startswith("Flushing\n…\nThe buffer is flushed.")


def test_code_beside_a_passage_stands_below_the_same_heading():
    body = f"#### Flushing\n\n{FILLER * 3}\n\nEmpty the buffer so:\n\n```\n$ flush --all\n```\n\n{FILLER * 3}"
    assert ask(body).text.startswith("Flushing\n…\nEmpty the buffer so:\n$ flush --all")


def test_row_of_a_table_stands_below_the_first_row_and_the_heading():
    rows = "".join(f"| --flag{i} | {'the buffer' if i == 20 else 'another thing'} of the {i}. |\n" for i in range(40))
    found = ask(f"#### Flags\n\n| Flag | What |\n|---|---|\n{rows}\n{FILLER}")
    assert found.text.startswith("Flags\n| Flag | What |\n…\n| --flag20 | the buffer of the 20. |\n")


def test_words_of_the_query_are_marked_in_the_heading():
    found = ask("#### The `buffer` ####\n\nIt is flushed.\n")
    assert found.text == "The `buffer`\nIt is flushed."
    assert [found.text[match.start : match.end] for match in found.matches] == ["buffer"]


@pytest.mark.parametrize("heading", ["Word " * 40, "", "#"])
def test_heading_that_is_long_or_empty_is_not_shown(heading):
    assert ask(f"#### {heading}\n\nThe buffer is flushed.\n").text == "The buffer is flushed."


def test_nothing_stands_above_a_passage_that_is_below_no_heading_within():
    assert ask("The buffer is flushed.\n\n#### Rest\n\nEnd.\n").text.startswith("The buffer is flushed.")


def test_part_that_is_too_long_with_its_heading_is_not_shown_whole():
    text = "More is said here. " * 23 + "The buffer is flushed."  # 459 characters
    found = ask(f"#### How everything about the state is kept in here\n\n{text}\n\n#### Rest\n\nEnd.\n")
    assert found.text.startswith("How everything about the state is kept in here\n…\nMore is said here.")
    assert found.text.endswith("The buffer is flushed.")


@pytest.mark.parametrize("query", ["--omit", "npm audit --omit=dev"])
def test_part_whose_heading_is_the_option_that_is_asked_for_is_shown(query):
    parts = "".join(
        f"#### `{name}`\n\n* Default: of {name}\n\nSee `--omit` too. {FILLER}\n\n" for name in ("include", "omit")
    )
    assert ask(parts, query, omit=1.0).text.startswith("`omit`\n* Default: of omit")


def test_part_of_a_very_long_section_is_shown_whose_heading_is_the_option():
    other = f"#### `include`\n\nSee `--omit`. {FILLER * 4}\n\n"
    found = ask(f"{other * 6}#### `omit`\n\n* Default: of omit\n\n{FILLER}\n\n{other * 6}", "--omit", omit=1.0)
    assert found.text.startswith("`omit`\n* Default: of omit")


SYSTEMS = "It is installed in no time.\n\n#### On BSD\n\nRun the setup.\n\n#### On Linux\n\nUse the package.\n"


@pytest.mark.parametrize("system", ["BSD", "Linux"])
def test_part_is_shown_whose_heading_is_the_rest_of_what_the_headings_above_hold(system):
    found = ask(SYSTEMS, f"install on {system.lower()}", heading="Install", instal=0.5, **{system.lower(): 0.5})
    assert found.text.split("\n")[0] == f"On {system}"


def test_part_whose_heading_is_little_of_the_rest_is_not_preferred():
    weights = {"instal": 0.2, "bsd": 0.3, "time": 0.5}
    assert ask(SYSTEMS, "install on bsd in no time", heading="Install", **weights).text == "It is installed in no time."


def test_part_whose_heading_holds_a_small_word_that_is_left_is_not_preferred():
    weights = {"instal": 0.9, "bsd": 0.1}
    assert ask(SYSTEMS, "install bsd", heading="Install", **weights).text == "It is installed in no time."


DETAILS = "<details>\n<summary><code>Flushing</code></summary>\n\n{}\n\n</details>\n\n"


def test_passage_of_a_part_that_unfolds_is_shown_below_its_summary():
    found = ask(f"{FILLER}\n\n{DETAILS.format('The buffer is flushed.')}{FILLER}")
    assert found.text == "Flushing\nThe buffer is flushed."


def test_text_behind_a_part_that_unfolds_does_not_stand_below_its_summary():
    found = ask(f"{DETAILS.format('Nothing here.')}The buffer is flushed.\n")
    assert found.text == "The buffer is flushed."


def test_part_of_a_very_long_section_is_shown_whose_summary_is_asked_for():
    part = DETAILS.format("It waits for the disk.")
    body = f"{'Plain words here. ' * 1500}\n\n{part}{FILLER * 30}"
    assert ask(body, "flushing", flush=1.0).text.startswith("Flushing\nIt waits for the disk.")


def test_part_with_a_heading_of_two_names_of_the_option_is_shown_and_not_one_that_mentions_it():
    mention = "#### `-v`, `--verbose`\n\nUnlike with --code, the code is read from a file if there is one: --code."
    body = f"{FILLER}\n\n{mention}\n\n#### `-c`, `--code`\n\nFormats the given text.\n"
    assert ask(body, "what does --code do").text.startswith("`-c`, `--code`\nFormats the given text.")
