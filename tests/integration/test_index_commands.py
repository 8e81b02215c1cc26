"""The subcommands of `index`: what they print, what they end with, and how a path is told from a command."""

import json
import os

import pytest

from indexer.daemon.schedule import duration
from schema.index_files.layout import ROOTS_FILE
from schema.settings import DEFAULT_MODEL
from tests.integration.test_commands import run  # noqa: F401 — a fixture


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("60s", 60), ("15m", 900), ("2h", 7200), ("1d", 86400), ("500ms", 0.5), (" 1.5 h ", 5400)],
)
def test_duration_is_read(text, seconds):
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "m", "-5s", "5 weeks", "1e9", "nan", "５m", "1" * 30])
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(ValueError, match="no duration"):
        duration(text)


def test_scan_then_dirty_is_what_index_does(run):  # noqa: F811
    code, out, _ = run("index", "scan", "docs")
    assert (code, out.splitlines()[0]) == (0, "documents  2 added, 0 updated, 0 removed, 0 unchanged, 0 failed")
    assert run("search", "penguins", "--mode", "lexical", "--json")[1].count('"is_dirty": true') == 1
    code, out, _ = run("index", "dirty", "--limit", "4")
    assert (code, out.split(",")[0]) == (0, "vectors    4 embedded")
    code, out, _ = run("index", "dirty", "--time-budget", "60s")
    assert (code, out.split(",")[0]) == (0, "vectors    5 embedded")
    assert json.loads(run("index", "status", "--json")[1])["dirty"] == 0


def test_scan_without_paths_looks_at_what_was_indexed(run, manual):  # noqa: F811
    run("index", "docs/sub")
    manual.write("docs/sub/more.md", "# More\n")
    manual.write("elsewhere.md", "# Elsewhere\n")
    assert json.loads(run("index", "scan", "--json")[1])["documents_added"] == 1


@pytest.mark.parametrize(
    "command",
    [("dirty",), ("status",), ("verify",), ("optimize",), ("scan",), ("watch",), ("--every", "1h")],
)
def test_command_that_needs_an_index_says_so(run, command):  # noqa: F811
    code, out, err = run("index", *command)
    assert (code, out) == (3, "")
    assert err.endswith("make one with `index FOLDER`.\n")
    assert err.count("\n") == 1


def test_status_is_told_in_lines(run, manual):  # noqa: F811
    run("index", "docs")
    guide = manual.home / "docs/guide.md"
    guide.write_text(guide.read_text() + "more\n")
    (manual.home / "docs/sub/notes.md").unlink()
    os.mkfifo(manual.home / "docs/pipe.md")
    run("index", "scan", "docs/pipe.md")
    code, out, err = run("index", "status")
    lines = {line[:10].strip(): line[11:] for line in out.splitlines()}
    assert (code, err) == (0, "")
    assert list(lines) == [
        "index",
        "documents",
        "sections",
        "model",
        "disk",
        "last run",
        "trusted",
        "changed",
        "gone",
        "failed",
    ]
    assert lines["documents"] == "2; 1 changed and 1 gone since they were indexed; 0 new"
    assert lines["sections"] == "9; 0 dirty, 0 with a summary"
    assert lines["model"] == f"{DEFAULT_MODEL}, 32 dimensions; tokens of cl100k_base"
    assert (lines["changed"], lines["gone"]) == ("docs/guide.md", "docs/sub/notes.md")
    assert "finished after" in lines["last run"]


def test_status_counts_files_without_text_beside_the_documents(run, manual):  # noqa: F811
    manual.write("docs/blank.md", " \n")
    run("index", "docs")
    assert (
        "documents  2 and 1 without text; 0 changed and 0 gone since they were indexed; 0 new\n" in run("index", "status")[1]
    )


def test_verify_says_what_it_could_not_read(run, manual):  # noqa: F811
    run("index", "docs")
    (manual.home / "docs/guide.md").unlink()
    (manual.home / "docs/guide.md").symlink_to("guide.md")
    code, out, _ = run("index", "verify")
    assert code == 4
    assert out.endswith("no difference in what could be read; 1 file could not be read\n")


def test_status_names_the_files_that_the_next_run_would_add(run, manual):  # noqa: F811
    run("index", "docs")
    manual.write("docs/more.md", "# More\n")
    manual.write("docs/draft.txt", "no Markdown")
    manual.write("elsewhere/more.md", "# Not indexed\n")
    out = run("index", "status")[1]
    assert "documents  2; 0 changed and 0 gone since they were indexed; 1 new\n" in out
    assert out.endswith("new        docs/more.md\n")
    assert json.loads(run("index", "status", "--json")[1])["new"] == ["docs/more.md"]
    assert manual.indexer().status().new == ("docs/more.md",)
    run("index", "docs")
    assert manual.indexer().status().new == ()


def test_new_files_are_looked_for_with_the_options_that_are_kept(run, manual):  # noqa: F811
    run("index", "docs", "--include", "**/guide.md")
    manual.write("docs/more.md", "# More\n")
    assert manual.indexer().status().new == ()


def test_status_without_what_is_kept_of_the_roots_looks_for_no_new_files(run, manual):  # noqa: F811
    run("index", "docs", "--include", "**/*.md")
    (manual.index_dir / ROOTS_FILE).write_text("{}")
    assert manual.indexer().status().new is None
    assert "since they were indexed\n" in run("index", "status")[1]
    assert "new" not in json.loads(run("index", "status", "--json")[1])


def test_many_changed_paths_are_counted(run, manual):  # noqa: F811
    for i in range(15):
        manual.write(f"docs/{i}.md", "# A\n")
    run("index", "docs")
    for i in range(15):
        manual.write(f"docs/{i}.md", "# B with more\n")
    out = run("index", "status")[1]
    assert out.count("changed    docs/") == 10
    assert "changed    … and 5 more; --json lists them all" in out


def test_status_as_json_has_every_field(run):  # noqa: F811
    run("index", "docs")
    status = json.loads(run("index", "status", "--json")[1])
    assert {"documents", "sections", "dirty", "stale", "orphans", "failed", "last_run", "model", "data_bytes", "disk_bytes",
            "fragments", "unindexed_rows", "paths", "is_being_written"} <= set(status)  # fmt: skip
    assert status["last_run"]["outcome"] == "finished"


def test_verify_ends_with_4_on_any_difference_and_repairs(run, manual):  # noqa: F811
    run("index", "docs")
    code, out, _ = run("index", "verify")
    assert (code, out.splitlines()[-1]) == (
        0, "2 documents, 9 sections (0 dirty) compared with files and indexes: no difference",
    )  # fmt: skip
    manual.write("docs/new.md", "# New\n")
    code, out, _ = run("index", "verify")
    assert code == 4
    assert out.splitlines()[0].startswith("docs/new.md: missing: section ")
    assert out.splitlines()[-1].endswith("1 difference; `index verify --repair` sets them right")
    code, out, _ = run("index", "verify", "--repair")
    assert (code, out.startswith("repaired: docs/new.md: missing")) == (0, True)
    assert run("index", "verify", "--quiet") == (0, "", "")
    assert json.loads(run("index", "verify", "--json")[1])["differences"] == []


def test_verify_tells_files_that_cannot_be_read(run, manual):  # noqa: F811
    run("index", "docs")
    (manual.home / "docs/guide.md").unlink()
    os.mkfifo(manual.home / "docs/guide.md")
    code, _, err = run("index", "verify")
    assert (code, "failed: docs/guide.md: it is not a regular file" in err) == (4, True)


def test_optimize_tells_sizes(run):  # noqa: F811
    run("index", "docs")
    code, out, _ = run("index", "optimize")
    assert (code, out.startswith("disk       0.")) == (0, True)
    assert set(json.loads(run("index", "optimize", "--json")[1])) == {"before", "after"}
    assert run("index", "optimize", "--quiet") == (0, "", "")


def test_folder_called_like_a_command_is_a_path_with_a_dot(run, manual):  # noqa: F811
    manual.write("status/a.md", "# A\n")
    assert json.loads(run("index", "./status", "--json")[1])["documents_added"] == 1
    assert "documents" in run("index", "status")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "or a command for what is indexed already, as `index scan`, `index watch` or `index status`"),
        (("",), "A path is empty; give a folder or file, as . for the working folder."),
        (("docs", "--workers", "x"), "'x' is no whole number."),
        (("docs", "--every", "soon"), "no duration"),
        (("docs", "--every", "10ms"), "at least 1s"),
        (("docs", "--every", "1h", "--rebuild"), "give one of them"),
        (("dirty", "--limit", "0"), "0 is not in the range"),
        (("dirty", "--time-budget", "x"), "no duration"),
        (("statsu",), "did you mean the command: `index status`?"),
        (("--quiet", "status"), "put the command first: `index status`"),
        (("scan", "nowhere"), "There is no folder or file nowhere"),
        (("watch", "nowhere", "--settle", "1ms"), "There is no folder or file nowhere"),
    ],
)
def test_wrong_use_is_one_sentence(run, arguments, said):  # noqa: F811
    code, out, err = run("index", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_help_names_every_command(run):  # noqa: F811
    out = run("index", "--help")[1]
    for name in ("scan", "dirty", "watch", "status", "verify", "optimize"):
        assert f"  {name} " in out
    assert "--rebuild" in out
    assert "--every" in out
    assert out.splitlines()[0] == "Usage: index [OPTIONS] PATHS..."


def test_stopped_run_ends_with_130(run, monkeypatch):  # noqa: F811
    from indexer.daemon.schedule import StopSignals

    monkeypatch.setattr(StopSignals, "is_set", lambda self: True)
    code, out, err = run("index", "docs", "--wait", "1")
    assert (code, "Interrupted; what was finished is kept" in err) == (130, True)
    assert out.startswith("documents  0 added")


def test_stopped_check_ends_with_130_and_no_verdict(run, monkeypatch):  # noqa: F811
    from indexer.daemon.schedule import StopSignals

    run("index", "docs")
    monkeypatch.setattr(StopSignals, "is_set", lambda self: True)
    code, out, err = run("index", "verify")
    assert (code, out, "Interrupted" in err) == (130, "", True)


@pytest.mark.skipif(os.name == "nt", reason="no name of a file has a line break")
def test_line_breaks_in_names_of_files_forge_no_line(run, manual, monkeypatch):  # noqa: F811
    manual.write("docs/p\nindex: FORGED.md", "# P\n" + "word " * 10_000)
    monkeypatch.setenv("SECTIONARY_MAX_FILE_BYTES", "20000")
    manual.write("docs/q\nfailed     FORGED.md", "# Q\n")
    code, out, err = run("index", "docs")
    assert (code, [line for line in err.splitlines() if line.startswith("index: FORGED")]) == (4, [])
    assert "index: failed: docs/p\\x0aindex: FORGED.md: " in err
    manual.write("docs/q\nfailed     FORGED.md", "# Q\n\nmore\n")
    out = run("index", "status")[1]
    assert "changed    docs/q\\x0afailed     FORGED.md\n" in out
    assert [line for line in out.splitlines() if line.startswith("failed     FORGED")] == []


def test_options_of_a_run_are_kept_for_the_next(run, manual):  # noqa: F811
    manual.write("docs/a.txt", "# Text\n")
    run("index", "docs", "--include", "*.txt", "--include", "*.md")
    for arguments in (("docs",), ("scan",), ("docs/sub",), ("verify",)):
        code, _, _ = run("index", *arguments)
        assert (code, json.loads(run("index", "status", "--json")[1])["documents"]) == (0, 3)
    run("index", "docs", "--include", "*.md")
    assert json.loads(run("index", "status", "--json")[1])["documents"] == 2


def test_blank_glob_is_refused(run):  # noqa: F811
    code, _, err = run("index", "docs", "--include", " ")
    assert (code, err) == (2, "index: Invalid value for --include: give a glob that is not blank.\n")


def test_documents_of_other_kinds_are_told_once_and_not_when_quiet(run, manual):  # noqa: F811
    for name in ("a.rst", "b.rst", "c.pdf", "d.odt", "e.py"):
        manual.write(f"docs/{name}", "x")
    said = (
        "2 .rst, 1 .odt and 1 .pdf files are not indexed; `--include '**/*.rst'` takes text files as Markdown; "
        "`--convert` takes .rst and .pdf; .odt must be made Markdown first."
    )
    assert run("index", "docs")[1].splitlines()[-1] == said
    assert json.loads(run("index", "docs", "--json")[1])["left_out"] == {".rst": 2, ".odt": 1, ".pdf": 1}
    assert run("index", "docs", "--quiet") == (0, "", "")


def test_roots_are_listed_added_and_removed(run, manual, tmp_path_factory):  # noqa: F811
    notes = tmp_path_factory.mktemp("elsewhere") / "notes"
    notes.mkdir()
    (notes / "x.md").write_text("# Xylophone\n\nWooden bars.\n")
    run("index", "docs", "--exclude", "sub", "--no-gitignore")
    code, out, _ = run("index", "roots", "add", notes, "--name", "handbook", "--description", "Of the team.", "--quiet")
    assert (code, out) == (0, "")
    assert run("index", "roots")[1] == (f"docs  --exclude sub  --no-gitignore\nhandbook  {notes}\n    Of the team.\n")
    listed = json.loads(run("index", "roots", "list", "--json")[1])
    assert listed[1] == {"path": "handbook", "name": "handbook", "description": "Of the team.", "folder": str(notes)}
    hit = json.loads(run("search", "--mode", "lexical", "--json", "--root", "handbook", "wooden crank")[1])["results"][0]
    assert (hit["root"], hit["document_path"]) == ("handbook", "handbook/x.md")
    assert "  of handbook" in run("search", "--mode", "lexical", "wooden")[1]
    assert run("search", "--root", "none", "wooden")[2] == (
        "search: There is no root none in the index; its roots are docs, handbook.\n"
    )
    assert run("search", "--mode", "lexical", "root:none wooden")[2].endswith(
        "There is no root none in the index; its roots are docs, handbook.\n"
    )
    code, out, _ = run("index", "roots", "remove", "handbook")
    assert (code, out.splitlines()[0]) == (0, "documents  0 added, 0 updated, 1 removed, 0 unchanged, 0 failed")
    assert "  of docs" not in run("search", "--mode", "lexical", "penguins")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("rename",), "There is no command 'rename'"), (("remove", "nothing"), "There is no root nothing in the index"),
     (("add", "nothing"), "There is no folder or file nothing"), (("add", "docs", "--name", "a/b"), "cannot be called")],
)  # fmt: skip
def test_wrong_use_of_roots_is_one_sentence(run, arguments, said):  # noqa: F811
    run("index", "docs")
    code, out, err = run("index", "roots", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
