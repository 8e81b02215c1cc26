"""The installed commands as real processes, with the bundled model."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from schema.storage.fingerprint import SCHEMA_VERSION

pytestmark = pytest.mark.process

BIN = Path(sys.executable).parent


def start(*arguments, cwd, stdout=subprocess.PIPE, **environment):
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("SECTIONARY_") or name in ("SECTIONARY_CACHE_DIR", "SECTIONARY_CONFIG_DIR")
    }
    command = [str(BIN / arguments[0]), *map(os.fspath, arguments[1:])]
    env = {**own, "PYTHONPATH": "", "HF_HUB_OFFLINE": "1", **environment}
    return subprocess.Popen(command, cwd=cwd, env=env, stdout=stdout, stderr=subprocess.PIPE, text=True)


def run(*arguments, **options):
    process = start(*arguments, **options)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def is_one_sentence(command, err):
    return err.startswith(f"{command}: ") and err.count("\n") == 1 and "Traceback" not in err


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A small project, indexed by the command."""
    home = tmp_path_factory.mktemp("home")
    (home / "docs").mkdir()
    (home / "docs/keys.md").write_text("# Keys\n\n## Rotate a key\n\nRenew the signing secret every month.\n")
    (home / "docs/fruit.md").write_text("# Fruit\n\nBananas are yellow.\n\n# 検索\n\n全文を検索する。\n")
    (home / "docs/evil.md").write_text("# Evil \x1b[31m heading\n\nnasty words\n")
    code, out, err = run("index", "docs", "--json", "--quiet", cwd=home)
    assert (code, err) == (0, "")
    assert json.loads(out)["sections_embedded"] == 5
    return home


def test_meaning_is_found_by_the_installed_command(home):
    code, out, err = run("search", "how to replace credentials", "--json", cwd=home)
    answer = json.loads(out)
    assert (code, err, next(iter(answer))) == (0, "", "schema_version")
    assert answer["results"][0]["heading_path"] == ["Keys", "Rotate a key"]
    documented = ["id", "document_path", "document_title", "heading", "heading_path", "depth", "anchor", "content", "token_count",
                  "start_line", "end_line", "section_number", "score", "scores", "is_dirty", "stale", "summary", "document_summary",
                  "context"]  # fmt: skip
    assert set(documented) <= set(answer["results"][0])
    assert list(answer["results"][0]["context"]) == ["ancestors", "previous", "next", "children"]


def test_index_is_found_from_a_folder_below(home):
    code, out, _ = run("search", "検索", "--mode", "lexical", cwd=home / "docs")
    assert (code, out.splitlines()[0]) == (0, "1. Fruit > 検索")


def test_escapes_are_spelt_out(home):
    _, out, _ = run("search", "nasty words", "--mode", "lexical", cwd=home)
    assert out.splitlines()[0] == r"1. Evil \x1b[31m heading"


def test_foreign_settings_of_the_environment_are_one_sentence(home):
    code, out, err = run("search", "x", cwd=home, SECTIONARY_DENSE_WEIGHT="heavy")
    assert (code, out) == (2, "")
    assert is_one_sentence("search", err)


def test_index_of_another_schema_version_is_refused(tmp_path):
    script = (
        "import schema.storage.fingerprint as f, sys\n"
        "from pathlib import Path\n"
        "f.SCHEMA_VERSION = 99\n"
        "from schema.storage.table import SectionTable\n"
        "mark = f.Fingerprint(model='some', dimension=384, token_encoding='cl100k_base', schema_version=99)\n"
        "SectionTable.create(Path('.sectionary/store'), mark)\n"
        "from schema.index_files.layout import claim\n"
        "claim(Path('.sectionary'))\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, timeout=60)
    (tmp_path / "docs").mkdir()
    for command in (("search", "x", "--mode", "lexical"), ("index", "docs")):
        code, out, err = run(*command, cwd=tmp_path)
        assert (code, out) == (3, "")
        assert f"schema version 99, not {SCHEMA_VERSION}" in err
        assert is_one_sentence(command[0], err)


def test_damaged_index_is_refused_with_advice(tmp_path):
    (tmp_path / ".sectionary/store/sections.lance").mkdir(parents=True)
    code, out, err = run("search", "x", cwd=tmp_path)
    assert (code, out) == (3, "")
    assert "--rebuild" in err
    assert is_one_sentence("search", err)


def test_second_writer_is_refused_at_once(tmp_path):
    script = "from pathlib import Path\nfrom schema.index_files.layout import writer_lock\nimport sys\nwith writer_lock(Path('.sectionary')):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        (tmp_path / "a.md").write_text("# A\n")
        code, out, err = run("index", "a.md", cwd=tmp_path)
        holder.stdin.close()
        assert holder.wait(timeout=30) == 0
    assert (code, out) == (3, "")
    assert "Another process is writing" in err
    assert is_one_sentence("index", err)


def test_interrupted_run_keeps_what_it_committed(tmp_path):
    (tmp_path / "docs").mkdir()
    for i in range(300):
        (tmp_path / f"docs/{i}.md").write_text(f"# Title {i}\n\n" + f"Sentence number {i} of the text. " * 60)
    process = start("index", "docs", cwd=tmp_path)
    store = tmp_path / ".sectionary/store/ledger.sqlite"
    deadline = time.monotonic() + 60
    while not store.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "index: Interrupted" in err
    code, out, _ = run("search", "Title", "--mode", "lexical", "--json", cwd=tmp_path)
    assert code == 0
    json.loads(out)


@pytest.mark.parametrize(
    "command",
    [("search", "x", "--mode", "lexical", "--path", b"\xff"), ("search", "--mode", "lexical", b"\xff"), ("index", b"\xff")],
)
def test_argument_that_is_not_utf8_is_no_fault(home, command):
    arguments = [os.fsdecode(part) for part in command]
    code, _, err = run(*arguments, cwd=home)
    assert (code in (0, 2), "Traceback" in err) == (True, False)


@pytest.mark.parametrize("seconds", ["nan", "soon"])
def test_wait_that_is_no_number_is_wrong_use(home, seconds):
    code, out, err = run("index", "docs", "--wait", seconds, cwd=home)
    assert (code, out) == (2, "")
    assert is_one_sentence("index", err)


def test_full_disk_behind_the_output_is_one_sentence(home):
    with open("/dev/full", "w") as full:
        code, _, err = run("search", "bananas", "--mode", "lexical", cwd=home, stdout=full)
    assert code not in (0, 1)
    assert is_one_sentence("search", err)


def test_working_folder_that_is_gone_is_one_sentence(tmp_path):
    script = "import os, sys\nos.mkdir('gone')\nos.chdir('gone')\nos.rmdir('../gone')\nos.execv(sys.argv[1], sys.argv[1:])\n"
    done = subprocess.run(
        [sys.executable, "-c", script, str(BIN / "search"), "x"],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert is_one_sentence("search", done.stderr)


@pytest.mark.parametrize("name", ["schema", "search"])
def test_foreign_package_folder_is_one_sentence(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("")
    code, out, err = run("search", "x", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert (code, out) == (2, "")
    assert is_one_sentence("search", err)


def test_startup_starts_the_commands(monkeypatch, capsys):
    from schema import startup

    for command in ("index", "search"):
        monkeypatch.setattr(sys, "argv", [command, "--version"])
        getattr(startup, command)()
        assert capsys.readouterr().out.startswith(command)


def test_startup_names_every_package_it_misses(monkeypatch, capsys):
    from schema import startup

    def refuse(name):
        raise ValueError(name)

    monkeypatch.setattr("importlib.util.find_spec", refuse)
    with pytest.raises(SystemExit) as stop:
        startup.search()
    assert stop.value.code == 2
    assert "schema at nowhere, indexer at nowhere, search at nowhere" in capsys.readouterr().err
