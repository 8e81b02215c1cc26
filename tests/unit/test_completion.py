"""What a shell is offered: commands, documents and roots of an index; and the scripts, in the shells themselves."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

import indexer.cli
import search.cli
from schema.completion import MOST, completion_script
from schema.index_files.layout import claim, manifest_path
from schema.index_files.manifest import FileRecord, Manifest, paths_beginning
from schema.index_files.roots import IndexRoots, Root, write_roots
from schema.startup import sectionary_command

REPOSITORY = Path(__file__).resolve().parents[2]
COMMANDS = {"index": indexer.cli.command, "search": search.cli.command, "sectionary": sectionary_command()}


@pytest.fixture
def indexed(tmp_path, monkeypatch):
    """Makes an index that knows documents with these paths, in the working folder."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name in ("SECTIONARY_INDEX", "SECTIONARY_TRUST")]:
        monkeypatch.delenv(name)

    def make(*paths, is_own=True):
        index_dir = tmp_path / ".sectionary"
        (index_dir / "store").mkdir(parents=True)
        with Manifest(manifest_path(index_dir / "store"), store_id="x") as manifest:
            manifest.record(FileRecord(path, 1, 1, 1, "hash") for path in paths)
        if is_own:
            claim(index_dir)
        return index_dir

    return make


def offered(line):
    """What is offered for the last word of a command line."""
    name, *args = line.split(" ")
    found = ShellComplete(COMMANDS[name], {}, name, "").get_completions(args[:-1], args[-1])
    return [item.value for item in found]


@pytest.mark.parametrize(
    ("line", "candidates"),
    [
        ("search outl", ["outline"]),
        ("search --expl", ["--explain"]),
        ("search --limit 3 --expl", ["--explain"]),
        ("index roots rem", ["remove"]),
        ("index --every 5m --summ", ["--summaries"]),
        ("index --summaries ex", ["extractive"]),
        ("sectionary outl", ["outline"]),
        ("sectionary search outl", ["outline"]),
        ("sectionary doc", ["doctor"]),
        ("sectionary completion f", ["fish"]),
        ("sectionary search a --lang", ["--language", "--lang"]),
    ],
)
def test_commands_and_options_are_offered(line, candidates):
    assert offered(line) == candidates


def test_index_offers_files_before_its_commands():
    found = ShellComplete(COMMANDS["index"], {}, "index", "").get_completions([], "ver")
    assert [(item.type, item.value) for item in found] == [("file", "ver"), ("plain", "verify")]


@pytest.mark.parametrize("line", ["search outline", "search section", "search links", "search --path", "sectionary outline"])
def test_documents_that_begin_so_are_offered(indexed, line):
    indexed("docs/a.md", "docs/b c.md", "docs2/d.md", "notes/e.md", "文書/f.md")
    assert offered(f"{line} docs/") == ["docs/a.md", "docs/b c.md"]
    assert offered(f"{line} 文") == ["文書/f.md"]
    assert offered(f"{line} x") == []
    assert offered(f"{line} docs/a.md") == []


def test_documents_are_offered_from_the_folder_below(indexed, tmp_path, monkeypatch):
    indexed("docs/a.md", "docs/sub/b.md", "notes/c.md")
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path / "docs")
    assert offered("search outline s") == ["sub/b.md"]
    assert offered("search outline ./") == ["./a.md", "./sub/b.md"]
    assert offered("search outline notes/") == ["notes/c.md"]


def test_index_of_the_line_is_asked(indexed, tmp_path, monkeypatch):
    indexed("docs/a.md", is_own=False)
    (tmp_path / "away").mkdir()
    monkeypatch.chdir(tmp_path / "away")
    assert offered("search outline --index ../.sectionary docs/") == ["docs/a.md"]
    monkeypatch.setenv("SECTIONARY_INDEX", str(tmp_path / ".sectionary"))
    assert offered("search outline docs/") == ["docs/a.md"]


def test_index_of_somebody_else_offers_nothing(indexed):
    indexed("docs/a.md", is_own=False)
    assert offered("search outline d") == []


def test_at_most_fifty_documents_are_offered(indexed):
    indexed(*(f"docs/{number:04}.md" for number in range(300)))
    found = offered("search outline docs/")
    assert (len(found), found[0], found[-1]) == (MOST, "docs/0000.md", "docs/0049.md")
    assert len(offered("search outline docs/02")) == MOST
    assert len(offered("search outline docs/029")) == 10


def test_name_that_could_pass_for_another_is_not_offered(indexed):
    indexed("docs/a\nplain,evil.md", "docs/b\u202egnp.md", "docs/c.md")
    assert offered("search outline d") == ["docs/c.md"]


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_damaged_manifest_offers_nothing(indexed, content):
    manifest_path(indexed("docs/a.md") / "store").write_bytes(content)
    assert offered("search outline d") == []


def test_pipe_in_place_of_the_manifest_offers_nothing(tmp_path):
    os.mkfifo(tmp_path / "ledger.sqlite")
    assert paths_beginning(tmp_path / "ledger.sqlite", "", most=5) == []


@pytest.mark.parametrize("line", ["search outline d", "search --root d", "search outline --index FILE d"])
def test_without_an_index_nothing_is_offered(tmp_path, monkeypatch, line):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE").write_text("")
    assert offered(line) == []


@pytest.mark.parametrize("line", ["search --root", "index roots remove", "sectionary roots remove"])
def test_names_of_roots_are_offered(indexed, tmp_path, line):
    index_dir = indexed("docs/a.md")
    write_roots(index_dir, IndexRoots(tmp_path, (Root(path="docs"), Root(path="other", name="Manual"))))
    assert offered(f"{line} M") == ["Manual"]
    assert offered(f"{line} ") == ["Manual", "docs"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_is_for_all_three_commands(shell):
    whole = "".join(completion_script(shell, name) for name in COMMANDS)
    for name in COMMANDS:
        assert f"_{name.upper()}_COMPLETE={shell}_complete" in whole


#: For each shell: its options, and lines that print what the script offers for `search outline d`.
ASKED = {
    "bash": (
        ["--norc"],
        'COMP_WORDS=(search outline d); COMP_CWORD=2; _search_completion search; printf "%s\\n" "${COMPREPLY[@]}"',
    ),
    "zsh": (["-f"], "compadd() { print -l -- $completions }; words=(search outline d) CURRENT=3; _search_completion"),
    "fish": (["--no-config"], 'complete -C "search outline d"'),
}


@pytest.mark.process
@pytest.mark.parametrize("shell", ASKED)
def test_shell_loads_the_script_and_offers_documents(indexed, tmp_path, shell):
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    indexed("docs/a $(touch b).md")
    (tmp_path / "bin").mkdir()
    for name in COMMANDS:
        code = f"from schema.startup import {name}; {name}()"
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\nexec {sys.executable} -c '{code}' \"$@\"\n")
        (tmp_path / "bin" / name).chmod(0o755)
    script = "".join(completion_script(shell, name) for name in COMMANDS)
    before = "compdef() { }\n" if shell == "zsh" else ""
    options, asking = ASKED[shell]
    (tmp_path / "script").write_text(f"{before}{script}\n{asking}\n")
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [program, *options, "script"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    expected = {"bash": r"docs/a\ \$\(touch\ b\).md"}.get(shell, "docs/a $(touch b).md")
    assert done.stdout.splitlines() == [expected], done.stderr
    assert not (tmp_path / "b").exists()
