"""What commands write where the encoding is not UTF-8, and when they are interrupted."""

import io
import sys

import click
import pytest

from schema.commands import ExitCode, error_boundary


class Terminal(io.BytesIO):
    """What is written to a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("into", "written"),
    [(io.BytesIO, "→ ゼブラ é".encode()), (Terminal, b"\\u2192 \\u30bc\\u30d6\\u30e9 \xe9")],
    ids=["file", "terminal"],
)
def test_output_in_another_encoding_takes_every_text(monkeypatch, into, written):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(into(), encoding="cp1252"))
    with error_boundary("search"):
        click.echo("→ ゼブラ é", nl=False)
    assert sys.stdout.buffer.getvalue() == written


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("search", "search: Interrupted.\n"),
        ("index", "index: Interrupted; what was finished is kept, and the next run goes on from there.\n"),
    ],
)
def test_interrupted_command_says_what_is_kept_where_something_is(capsys, command, told):
    with pytest.raises(SystemExit) as stop, error_boundary(command):
        raise KeyboardInterrupt
    assert (stop.value.code, capsys.readouterr().err.lstrip("\n")) == (ExitCode.INTERRUPTED, told)
