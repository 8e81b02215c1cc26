"""Folders and files whose rights are missing, met by real processes that no privilege helps."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from schema.errors import IndexAccessError
from schema.index_files.layout import store_dir
from schema.settings import DEFAULT_MODEL
from schema.storage.table import SectionTable
from tests.lance_tables import lance_table

BIN = Path(sys.executable).parent
LESS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []

pytestmark = [
    pytest.mark.skipif(bool(LESS) and shutil.which("setpriv") is None, reason="nothing is denied to root"),
    pytest.mark.process,
]


def run(*arguments, cwd):
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("SECTIONARY_") or name in ("SECTIONARY_CACHE_DIR", "SECTIONARY_CONFIG_DIR")
    }
    command = [*LESS, str(BIN / arguments[0]), *arguments[1:]]
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def denied(manual):
    """Index the manual under the bundled model's name and take rights away; gives them back at the end."""
    manual.embedder.name = DEFAULT_MODEL
    manual.embedder.dimension = 512
    manual.index()
    changed = []

    def deny(path, rights):
        place = manual.home / path
        changed.append((place, place.stat().st_mode))
        place.chmod(rights)
        return manual.home

    yield deny
    for place, rights in reversed(changed):
        place.chmod(rights)


@pytest.mark.parametrize("path", ["store/sections.lance/data", "."])
def test_index_that_cannot_be_read_is_one_sentence(denied, path):
    home = denied(f".sectionary/{path}", 0)
    code, out, err = run("search", "penguins", "--mode", "lexical", cwd=home)
    assert (code in (2, 3), out) == (True, "")
    assert "ermission denied" in err
    assert (err.count("\n"), "Traceback" in err) == (1, False)


@pytest.mark.parametrize(
    ("path", "rights", "options"),
    [
        (".sectionary", 0o555, ("--rebuild",)),
        pytest.param(".sectionary/store/ledger.sqlite", 0o444, ()),
    ],
)
def test_folder_that_cannot_be_written_is_one_sentence(denied, path, rights, options):
    home = denied(path, rights)
    code, out, err = run("index", "docs", *options, cwd=home)
    assert (code in (2, 3), out) == (True, "")
    assert (err.count("\n"), "Traceback" in err) == (1, False)


def test_file_and_folder_that_cannot_be_read_are_failures(denied):
    denied("docs/sub", 0)
    home = denied("docs/guide.md", 0)
    (home / "docs/guide.md").touch()
    (home / "docs/new.md").write_text("\n")
    code, out, err = run("index", "docs", cwd=home)
    assert code == 4
    assert "0 removed" in out.splitlines()[0]
    assert sorted(line.split(": ")[2] for line in err.splitlines() if "failed:" in line) == ["docs/guide.md", "docs/sub"]


def test_settings_that_cannot_be_read_are_one_sentence(denied):
    denied(".", 0o755).joinpath("sectionary.toml").write_text("")
    code, out, err = run("search", "x", cwd=denied("sectionary.toml", 0))
    assert (code, out) == (2, "")
    assert "Cannot read the settings file" in err


def test_library_error_about_rights_is_told_from_damage(manual, monkeypatch):
    manual.index()
    store = store_dir(manual.index_dir)
    table = SectionTable.open(store)

    def refuse(*_):
        raise RuntimeError("lance error: Read-only file system (os error 30)")

    monkeypatch.setattr(type(lance_table(store)), "count_rows", refuse)
    with pytest.raises(IndexAccessError, match="read-only disk"):
        table.count()
