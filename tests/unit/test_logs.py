"""Logs as JSON: one object for each line, with what was said and nothing else; text stays as it was."""

import json
import logging

import click
import pytest
from click.testing import CliRunner

from schema.commands import print_error
from schema.logs import is_json, log_event, log_format_option, use_format

LOG = logging.getLogger("search.example")


@pytest.fixture(autouse=True)
def text_again():
    yield
    use_format("text")


def lines(capsys):
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_event_is_one_line_with_its_fields(capsys):
    use_format("json")
    log_event("search.example", "request", "/api/search 200", route="/api/search", status=200)
    [line] = lines(capsys)
    time = line.pop("time")
    assert (len(time), time[-1]) == (24, "Z")
    assert line == {
        "level": "info", "event": "request", "message": "/api/search 200", "logger": "search.example",
        "route": "/api/search", "status": 200,
    }  # fmt: skip


def test_field_cannot_take_the_place_of_a_lines_own_value(capsys):
    use_format("json")
    log_event("search.example", "run", "done", logger_=1, time=2)
    [line] = lines(capsys)
    assert (line["message"], line["time_"]) == ("done", 2)


def test_line_breaks_and_control_characters_stay_inside_the_line(capsys):
    use_format("json")
    LOG.warning("two\nlines \x1b[31m and \u202e")
    text = capsys.readouterr().err
    assert text.count("\n") == 1
    assert not set("\x1b\u202e") & set(text)
    assert json.loads(text)["message"] == "two\nlines \x1b[31m and \u202e"


def test_error_comes_with_its_traceback(capsys):
    use_format("json")
    try:
        raise ValueError("no")
    except ValueError:
        LOG.exception("it failed")
    [line] = lines(capsys)
    assert (line["level"], line["message"]) == ("error", "it failed")
    assert "ValueError: no" in line["error"]


def test_messages_of_a_command_are_lines_too(capsys):
    use_format("json")
    print_error("index", "There is no index.")
    print_error("index", "warning: it is large")
    assert [(line["level"], line["message"], line["command"]) for line in lines(capsys)] == [
        ("error", "There is no index.", "index"),
        ("warning", "it is large", "index"),
    ]


def test_of_libraries_only_warnings_are_written(capsys):
    use_format("json")
    logging.getLogger("httpx").info("GET /?q=secret")
    logging.getLogger("httpx").warning("slow")
    assert [line["message"] for line in lines(capsys)] == ["slow"]


def test_text_is_as_it_was(capsys):
    use_format("json")
    use_format("text")
    log_event("search.example", "request", "/api/search 200", status=200)
    print_error("index", "There is no index.")
    assert not is_json()
    assert capsys.readouterr().err == "index: There is no index.\n"


@pytest.mark.parametrize(("given", "environment", "expected"), [
    ([], {}, False), (["--log-format", "json"], {}, True), ([], {"SECTIONARY_LOG_FORMAT": "json"}, True),
    (["--log-format", "text"], {"SECTIONARY_LOG_FORMAT": "json"}, False),
])  # fmt: skip
def test_option_or_environment_chooses_the_format(given, environment, expected):
    found = []

    @click.command()
    @log_format_option()
    def command():
        found.append(is_json())

    assert CliRunner().invoke(command, given, env=environment).exit_code == 0
    assert found == [expected]
