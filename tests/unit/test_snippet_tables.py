"""Snippets of tables, drawings and included files: what is shown of them."""

import pytest

from schema.text.query_words import query_terms
from search.context.snippet import MAX_SENTENCE
from tests.unit.test_snippet import FILLER, ask, kinds

OPTIONS = "| Flag | What it does |\n|---|---|\n" + "".join(
    f"| --flag{i} | {'the buffer' if i == 12 else 'another thing'} of the {i}. reader of many |\n" for i in range(30)
)


def test_row_of_a_long_table_is_shown_below_the_first_row():
    found = ask(f"{OPTIONS}\n{FILLER}")
    assert found.text.startswith(
        "| Flag | What it does |\n…\n| --flag12 | the buffer of the 12. reader of many |\n| --flag13 |"
    )
    assert len(found.text) <= MAX_SENTENCE
    assert found.start_line == 3


def test_second_row_of_a_long_table_follows_the_first_one():
    found = ask(f"{OPTIONS}\n{FILLER}", "flag0")
    assert found.text.startswith(
        "| Flag | What it does |\n| --flag0 | another thing of the 0. reader of many |\n| --flag1 |"
    )


def test_row_without_bars_around_it_is_shown_below_the_first_row():
    rows = "".join(f"--flag{i} | {'the buffer' if i == 12 else 'another thing'}\n" for i in range(30))
    found = ask(f"Flag | What it does\n---- | ----\n{rows}\n{FILLER}")
    assert found.text.startswith("Flag | What it does\n…\n--flag12 | the buffer\n--flag13 | another thing\n")


LEAD = f"The buffer is told what to do by flags. {'It is large. ' * 19}Look for the buffer flags here:\n\n"


def test_passage_that_ends_with_the_first_row_of_a_table_goes_on_with_the_row_that_holds_most_of_the_query():
    found = ask(f"{LEAD}{OPTIONS}\n{FILLER}")
    assert found.text.endswith("| Flag | What it does |\n…\n| --flag12 | the buffer of the 12. reader of many |")


def test_first_row_of_a_table_whose_rows_are_too_long_is_left_out_with_what_announces_it():
    row = f"| --flag0 | the buffer {'of the reader ' * 20}|"
    found = ask(f"{LEAD}| Flag | What it does |\n|---|---|\n{row}\n")
    assert found.text == LEAD.partition(" Look")[0]


def test_row_behind_one_that_is_too_long_for_a_unit_is_shown_below_the_first_row():
    long = f"| --long | {'A thing of the reader. ' * 20}|\n"
    found = ask(f"| Flag | What |\n|---|---|\n{long}| --no | no |\n| --flag | the buffer |\n{OPTIONS}\n{FILLER}")
    assert found.text.startswith("| Flag | What |\n…\n| --flag | the buffer |")


@pytest.mark.parametrize(
    "table",
    [
        f"| {'Flag ' * 40}| What |\n|---|---|\n" + OPTIONS.partition("---|\n")[2],  # its first row is too long
        f"| Flag | What |\n|---|---|\n| --all | everything |\n\n{FILLER}\n\n| --flag | the buffer |\n| --other | nothing |\n",
        "| Flag | What |\n|---|---|\n| --all | all |\n\n![](a.png)\n\n| --flag | the buffer |\n|---|---|\n| --no | no |\n",
        f"{FILLER}\n\n| Flag | What |\n|---|---|\n| --all | all |\n\n| --flag | the buffer |\n|---|---|\n| --no | no |\n",
    ],
)
def test_row_is_shown_alone_below_a_long_first_row_and_outside_of_its_table(table):
    assert ask(f"{table}\n{FILLER}").text.startswith("| --flag")


def test_line_that_a_file_of_a_book_stands_for_is_not_shown():
    found = ask(f"```rust\n{{{{#rustdoc_include ../a/main.rs:here}}}}\nlet buffer = 1;\n```\n\n{FILLER}")
    assert found.text.startswith("let buffer = 1;")


@pytest.mark.parametrize("language", ["mermaid", " mermaid", "{mermaid}", "dot", "plantuml title=x", "{.mermaid}"])
def test_source_of_a_drawing_is_no_snippet(language):
    body = (
        f"```{language}\nflowchart LR\n  buffer --> disk\n```\n\nLines go to the buffer, and then to the disk.\n\n{FILLER}"
    )
    assert ask(body, buffer=1.0, disk=1.0).text.startswith("Lines go to the buffer, and then to the disk.")


@pytest.mark.parametrize("language", ["dotenv", "python", "d2-like", ""])
def test_other_code_is_read(language):
    assert ("code", "buffer = disk") in kinds(f"```{language}\nbuffer = disk\n```\n")


def test_source_of_a_drawing_is_shown_where_nothing_else_is():
    assert ask("```mermaid\nflowchart LR\n  buffer --> disk\n```\n").text == "flowchart LR\n  buffer --> disk"


def test_row_whose_cell_is_a_sentence_is_one_unit():
    assert kinds("| Flag | What |\n|---|---|\n| --all | Takes all. It is slow. |\n") == [
        ("row", "| Flag | What |"),
        ("row", "| --all | Takes all. It is slow. |"),
    ]


def test_long_row_is_read_by_its_sentences():
    assert len(kinds(f"| --all | {'It takes all of them. ' * 30} |\n")) > 20


OPTION_LIST = (
    f"{FILLER}\n\n* **keepAliveMaxTimeout** `number` - The most that keepAliveTimeout may be.\n"
    "* **keepAliveTimeout** `number` - The time after which an idle socket is closed.\n"
    f"* **keepAliveTimeoutThreshold** `number` - What is taken from keepAliveTimeout.\n\n{FILLER}"
)


@pytest.mark.parametrize("query", ["keepAliveTimeout", "what does keepAliveTimeout do", "keepAliveTimeout default"])
def test_item_that_begins_with_the_identifier_explains_it(query):
    assert ask(OPTION_LIST, query, **query_terms(query)).text.startswith("* **keepAliveTimeout** `number`")


@pytest.mark.parametrize("before", ["", "`Authenticator.", "{attr}`.Authenticator.", "{py:attr}`~app.auth.Authenticator."])
def test_item_that_begins_with_a_member_and_what_it_is_of_explains_it(before):
    body = (
        f"How auth_max_age and cookies expire is said here.\n\n- `refresh_user` is called at most once in auth_max_age. {FILLER}\n"
        f"- {before}auth_max_age`: when a login is asked for anew. Then the hub redirects. (300 seconds)\n\n{FILLER}"
    )
    found = ask(body, "auth_max_age default", heading="Tokens", **query_terms("auth_max_age default"))
    assert "(300 seconds)" in found.text


def test_row_that_begins_with_the_identifier_behind_the_blanks_of_a_tag_explains_it():
    rows = f"|{' ' * 27}--load.width | Beside load.depth, load.depth. |\n|{' ' * 27}--load.depth        | How deep. |\n"
    found = ask(f"| Flag | What |\n|---|---|\n{rows}\n{FILLER}", "load.depth", **query_terms("load.depth"))
    assert found.text.startswith("| Flag | What |\n…\n| --load.depth | How deep. |")


def test_identifier_of_the_sections_own_heading_is_explained_from_the_beginning():
    body = f"The time of a socket, as keepAliveTimeout has it.\n\n{FILLER}\n\n`keepAliveTimeout` and more. {FILLER}"
    found = ask(body, "keepAliveTimeout", heading="keepAliveTimeout", **query_terms("keepAliveTimeout"))
    assert found.text.startswith("The time of a socket")
