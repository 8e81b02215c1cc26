"""The manual pages in docs/man are those of the commands as they are."""

import re

import pytest

from tests.documentation.man_pages import FOLDER, pages

PAGES = pages()


def test_there_is_one_page_for_each_command_of_the_wheel():
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(PAGES) == ["index.1", "search.1", "sectionary.1"]


@pytest.mark.parametrize("name", sorted(PAGES))
def test_page_is_what_the_commands_say_now(name):
    assert (FOLDER / name).read_text(encoding="ascii") == PAGES[name]


@pytest.mark.parametrize("name", sorted(PAGES))
def test_page_has_only_requests_that_man_knows(name):
    requests = {line.split(" ")[0] for line in PAGES[name].splitlines() if line.startswith((".", "'"))}
    assert requests <= {".TH", ".SH", ".SS", ".TP", ".PP", ".br"}


def test_page_names_the_commands_inside_a_command_and_what_they_take():
    text = PAGES["index.1"].replace("\\-", "-")
    assert '.SS "index roots add"' in text
    assert "\\fBindex roots add\\fR [OPTIONS] PATH" in text
    assert re.search(r"\.TP\n\\fB--every TIME\\fR\nRun again and again", text)
