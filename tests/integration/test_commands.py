"""The commands, in-process where that is the same thing, and as real processes where it is not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from indexer import pipeline
from indexer.cli import main as index_main
from indexer.sync import jobs
from schema.errors import IndexNotFoundError
from search import engine as search_engine
from search.cli import main as search_main

BIN = Path(sys.executable).parent


@pytest.fixture
def run(manual, monkeypatch, capsys):
    """Run a command in the manual's folder with the word embedder; gives (exit code, stdout, stderr)."""

    def words(settings):
        embedder = type(manual.embedder)(settings.model)
        embedder.name = settings.model
        return embedder

    monkeypatch.setattr(jobs, "embedder_of", words)
    monkeypatch.setattr(search_engine, "embedder_of", words)
    monkeypatch.chdir(manual.home)
    for name in [n for n in os.environ if n.startswith("SECTIONARY_") and n != "SECTIONARY_CONFIG_DIR"]:
        monkeypatch.delenv(name)

    def call(command, *arguments):
        monkeypatch.setattr(sys, "argv", [command, *map(str, arguments)])
        code = 0
        try:
            {"index": index_main, "search": search_main}[command]()
        except SystemExit as stop:
            code = stop.code or 0
        out = capsys.readouterr()
        assert "Traceback" not in out.err
        return int(code), out.out, out.err

    return call


def process(*arguments, cwd, **environment):
    env = {**os.environ, "PYTHONPATH": "", **environment}
    return subprocess.run(
        [str(a) for a in arguments], cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=120
    )


def test_run_reports_what_it_did(run):
    code, out, err = run("index", "docs")
    assert code == 0
    assert out.splitlines()[:2] == [
        "documents  2 added, 0 updated, 0 removed, 0 unchanged, 0 failed",
        "sections   9 added, 0 updated, 0 removed, 0 unchanged in changed documents",
    ]
    assert err == ""


def test_quiet_run_prints_nothing(run):
    assert run("index", "docs", "--quiet") == (0, "", "")


def test_run_below_the_folder_of_the_index_says_which_index_it_writes(run, manual, monkeypatch):
    run("index", "docs")
    monkeypatch.chdir(manual.home / "docs")
    told = f"index: The index is the one in {manual.index_dir}; --index names another.\n"
    assert run("index", ".")[2] == run("index", "scan")[2] == told
    assert run("index", ".", "--quiet")[2] == run("index", ".", "--index", str(manual.index_dir))[2] == ""


def test_report_as_json_has_the_reports_names(run):
    report = json.loads(run("index", "docs", "--json")[1])
    assert {"documents_added", "documents_updated", "documents_removed", "documents_unchanged", "sections_added", "sections_updated",
            "sections_removed", "sections_unchanged", "sections_embedded", "sections_embedded_again", "vectors_reused", "summaries_written", "summaries_failed", "stopped", "failed", "warnings", "timings", "left_out"} == set(report)  # fmt: skip


def test_rebuild_replaces_the_index_of_another_model(run):
    run("index", "docs")
    code, _, err = run("index", "docs", "--model", "other")
    assert code == 3
    assert "--rebuild" in err
    assert run("index", "docs", "--model", "other", "--rebuild")[0] == 0
    assert run("search", "crank")[0] == 0
    assert run("search", "crank", "--model", "another")[0] == 3


def test_answer_as_text(run):
    run("index", "docs")
    code, out, _ = run("search", "penguins", "special", "crank", "-n", "1")
    assert code == 0
    assert out.splitlines()[0] == "1. The Guide > Guide > Install > Linux"
    assert out.splitlines()[1].startswith("   docs/guide.md:15  section 13-16  relevance 0.98")
    assert out.splitlines()[2:] == ["   | Penguins need a special crank."]


def test_answer_as_json(run):
    run("index", "docs")
    answer = json.loads(run("search", "検索", "--json")[1])
    assert next(iter(answer)) == "schema_version"
    assert (answer["query"], answer["mode"], answer["results"][0]["heading"]) == ("検索", "hybrid", "検索エンジン")


def test_answer_as_json_lines(run):
    run("index", "docs")
    lines = run("search", "crank", "--jsonl", "--limit", "2")[1].splitlines()
    assert len(lines) == 2
    assert json.loads(lines[0])["document_path"] == "docs/guide.md"


def test_filters_of_the_command(run):
    run("index", "docs")
    answer = json.loads(
        run("search", "the", "--depth", "3", "--tag", "api", "--path", "docs/*.md", "--mode", "lexical", "--json")[1]
    )
    assert {r["depth"] for r in answer["results"]} == {3}


def test_nothing_found_is_no_error_unless_asked(run):
    run("index", "docs")
    code, out, err = run("search", "xyzzy", "--mode", "lexical")
    assert (code, out) == (0, "")
    assert "Nothing was found" in err
    assert run("search", "xyzzy", "--mode", "lexical", "--exit-status", "--quiet") == (1, "", "")


def test_choices_of_a_missing_argument_are_told_on_one_line(run):
    told = "Missing argument 'CLIENT'. Choose from: claude-code, claude-desktop,"
    assert run("search", "agents", "install")[2].startswith(f"search: {told}")


def test_empty_index_says_so(run, manual):
    (manual.home / "empty").mkdir()
    assert "There is no Markdown file in empty" in run("index", "empty")[2]
    assert "holds no text yet" in run("search", "x")[2]
    assert "holds no text yet" in json.loads(run("search", "--json", "x")[1])["advice"]


def test_files_without_text_are_told(run, manual):
    manual.write("blank/a.md", "\n")
    code, _, err = run("index", "blank")
    assert (code, err) == (0, "index: The files hold no text to search.\n")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("index", "nowhere"), 2, "There is no folder or file nowhere"),
        (("index", "plain.txt"), 2, "neither a folder nor a Markdown file"),
        (("index", "docs", "--index", "plain.txt"), 2, "is a file; give the index folder"),
        (("index",), 2, "Give at least one folder or file"),
        (("index", "docs", "--nonsense"), 2, "No such option"),
        (("search", ""), 2, "The query is empty"),
        (("search", " \u3000"), 2, "The query is empty"),
        (("search", "x"), 3, "There is no index"),
        (("search", "x", "--depth", "9"), 2, "not in the range"),
        (("search", "x", "--index", "plain.txt"), 2, "is a file"),
    ],
)
def test_wrong_use_is_one_sentence_and_an_exit_code(run, manual, arguments, code, said):
    manual.write("plain.txt", "x")
    got, out, err = run(*arguments)
    assert (got, out) == (code, "")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("text", ["model = [", "modell = 'x'", "dense_weight = 7"])
def test_corrupt_settings_are_one_sentence(run, manual, text):
    manual.write("sectionary.toml", text)
    for arguments in (("index", "docs"), ("search", "x")):
        code, _, err = run(*arguments)
        assert code == 2
        assert "sectionary.toml" in err


def test_environment_names_the_index_and_settings(run, manual, monkeypatch):
    monkeypatch.setenv("SECTIONARY_INDEX", str(manual.home / "elsewhere"))
    monkeypatch.setenv("SECTIONARY_EXCLUDE", "sub")
    assert "1 added" in run("index", "docs")[1]
    assert (manual.home / "elsewhere" / "store").is_dir()


def test_what_cannot_be_indexed_is_told_and_the_rest_is_done(run, manual, tmp_path_factory):
    os.mkfifo(manual.home / "docs/pipe.md")
    manual.write("docs/big.md", b"x" * 50_000_000)
    (manual.home / "docs/loop.md").symlink_to("loop.md")
    outside = tmp_path_factory.mktemp("outside") / "x.md"
    outside.write_text("# Secret\n")
    (manual.home / "docs/out.md").symlink_to(outside)
    manual.write("docs/latin.md", b"# caf\xe9\n\nwords\n")
    code, out, err = run("index", "docs")
    assert code == 4
    assert "3 added" in out
    assert [line.split(": ")[2] for line in err.splitlines() if "failed:" in line] == [
        "docs/big.md",
        "docs/loop.md",
        "docs/out.md",
        "docs/pipe.md",
    ]
    assert "docs/latin.md: not valid UTF-8 at byte 5" in err
    assert "Secret" not in run("search", "Secret")[1]


def test_many_warnings_are_cut_short(run, manual):
    for i in range(12):
        manual.write(f"docs/w{i}.md", b"# \xff\n")
    err = run("index", "docs")[2]
    assert err.count("warning:") == 11
    assert "and 2 more" in err


def test_terminal_escapes_of_a_document_never_reach_the_terminal(run, manual):
    manual.write("docs/esc.md", "# Evil \x1b[31m\u202e heading\n\nnasty\x9b words\n")
    run("index", "docs")
    for options in ((), ("--full",), ("--json",), ("--jsonl",)):
        out = run("search", "evil nasty words", *options)[1]
        assert "Evil" in out
        assert not {"\x1b", "\x9b", "\u202e"} & set(out)


def test_interrupted_run_says_what_is_kept(run, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline.Indexer, "index", stop)
    code, _, err = run("index", "docs")
    assert (code, err.strip("\n") + "\n") == (
        130,
        "index: Interrupted; what was finished is kept, and the next run goes on from there.\n",
    )


def test_progress_is_shown_on_a_terminal(run, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert run("index", "docs")[0] == 0


def test_error_of_the_index_has_its_folder(manual):
    with pytest.raises(IndexNotFoundError) as caught:
        manual.engine()
    assert caught.value.index_dir == manual.index_dir


@pytest.mark.process
@pytest.mark.parametrize("command", ["index", "search"])
def test_help_needs_no_heavy_library(tmp_path, command):
    code = f"import sys; sys.argv = ['{command}', '--help']\nfrom {'indexer' if command == 'index' else 'search'}.cli import main\n"
    code += "try: main()\nexcept SystemExit: pass\nprint(sorted({'lancedb', 'torch', 'pyarrow', 'numpy', 'sentence_transformers'} & set(sys.modules)))"
    done = process(sys.executable, "-c", code, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.process
@pytest.mark.parametrize(("command", "name"), [("index", "schema"), ("index", "indexer"), ("search", "search")])
def test_shadowing_package_is_one_sentence(tmp_path, command, name):
    (tmp_path / f"{name}.py").write_text("")
    done = process(BIN / command, "--help", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert f"{name} at {tmp_path / name}.py" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.process
def test_python_import_beside_a_foreign_schema_says_why(tmp_path):
    (tmp_path / "schema.py").write_text("")
    done = process(sys.executable, "-c", "import indexer", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert "is not Sectionary's; install Sectionary in an environment of its own" in done.stderr.splitlines()[-1]


@pytest.mark.process
@pytest.mark.parametrize("module", ["indexer", "search"])
def test_module_runs_like_the_command(tmp_path, module):
    done = process(sys.executable, "-m", module, "--version", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.process
def test_reader_that_leaves_early_is_no_error(manual, tmp_path):
    manual.index()
    code = f"from search.cli import main\nimport sys, search.engine\nsys.argv = ['search', 'x', '--index', {str(tmp_path / '.sectionary')!r}]\nimport os\nos.close(1)\nr, w = os.pipe()\nos.close(r)\nos.dup2(w, 1)\nclick = __import__('click')\nfrom schema.commands import error_boundary\nwith error_boundary('search'):\n    click.echo('x' * 100000)\n"
    done = process(sys.executable, "-c", code, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
