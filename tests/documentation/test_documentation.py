"""Every command and snippet of README and docs runs, and every local link leads somewhere."""

import contextlib
import json
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import click
import pytest

import indexer.cli
import schema.startup
import search.cli
from schema.index_files.layout import claim
from schema.settings import Settings
from tests.http_site import Site

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: Guides about other documents than those of the manual: the folder with their project.
PROJECTS = {"vault.md": "vault", "sites.md": "site", "files.md": "files"}
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
#: Blocks such as "python langchain" are run by the tests of that integration, which has an environment of its own.
INTEGRATIONS = sorted(path.parent.name for path in (ROOT / "integrations").glob("*/pyproject.toml"))


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def blocks(page, language):
    return [body for name, body in BLOCK.findall(page.read_text(encoding="utf-8")) if name == language]


@pytest.fixture(scope="module")
def project(tmp_path_factory, sample_manual):
    folder = shutil.copytree(sample_manual, tmp_path_factory.mktemp("project"), dirs_exist_ok=True)
    assert claim(folder / ".sectionary")
    return folder


@pytest.fixture
def run_here(monkeypatch, capsys):
    """Run a command of the documentation in this folder and process; what it printed. It has to end well."""

    def run_here(line):
        name, *arguments = shlex.split(line)
        monkeypatch.setattr(sys, "argv", [name, *arguments])
        code: object = 0
        try:
            getattr(schema.startup, name)()
        except SystemExit as ended:
            code = ended.code
        printed = capsys.readouterr()
        assert not code, printed.err
        return printed.out

    monkeypatch.setenv("NO_COLOR", "1")
    return run_here


@pytest.fixture
def run(project, run_here, monkeypatch):
    """Run a command of the documentation in the project."""
    monkeypatch.chdir(project)
    return run_here


def shown(page):
    return [line[2:] for body in blocks(page, "console") for line in body.splitlines() if line.startswith("$ ")]


CONSOLE_LINES = list(dict.fromkeys(line for page in PAGES if page.name not in PROJECTS for line in shown(page)))
SNIPPETS = [(name_of(page), body) for page in PAGES for body in blocks(page, "python")]


@pytest.mark.model
@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("line", CONSOLE_LINES)
def test_documented_command_runs(project, run, line):
    _, *arguments = shlex.split(line)
    if arguments[0] == "serve":
        serves(project, arguments)
    else:
        assert run(line).strip()


#: What the first hit of each documented question is, by its anchor; of a context pack, a section that it must hold.
FIRST_HITS = {
    "how do I rotate the signing key without losing buffered data?": "sample_docs/guide/security.md#rotate-keys",
    "証明書の有効期限はどうやって確認しますか": "sample_docs/ja/certificates.md#証明書の有効期限を確認する",
    "バッファがいっぱいになると何が起きますか": "sample_docs/guide/buffering.md#buffering",
    "バックアップ": "sample_docs/ja/backup.md#バックアップと復元",
    "バックアップを復元するには": "sample_docs/ja/backup.md#別の装置に復元する",
    "버퍼 크기를 늘리려면": "sample_docs/ko/buffer.md#버퍼-용량-늘리기",
    "rotate the signing key": "sample_docs/guide/security.md#rotate-keys",
    "stolen key": "sample_docs/guide/security.md#if-a-key-has-been-stolen",
    "what happens when the buffer is full?": "sample_docs/guide/buffering.md#when-the-buffer-is-full",
    "how do I rotate a key?": "sample_docs/guide/security.md#rotate-keys",
    "KG-4012": "sample_docs/troubleshooting.md#kg-4012-gap-in-the-batch-sequence",
}
#: Documented questions that nothing answers.
UNANSWERED = {"what is the capital of France?"}
QUESTIONS = [line for line in CONSOLE_LINES if line.startswith("search ") and line.endswith('"')]


@pytest.mark.model
@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("line", QUESTIONS)
def test_documented_question_finds_what_it_promises(run, line):
    _, *arguments = shlex.split(line)
    answer = json.loads(
        run(shlex.join(["search", *(one for one in arguments if one not in ("--json", "--explain")), "--json"]))
    )
    assert answer["answered"] is (arguments[-1] not in UNANSWERED)
    if not answer["answered"]:
        return
    expected = FIRST_HITS[arguments[-1]]
    if arguments[0] == "context":
        assert expected in [piece["citation"].rpartition(":")[0] for piece in answer["pieces"]]
    else:
        best = answer["results"][0]
        assert f"{best['document_path']}#{best['anchor']}" == expected


#: What the questions of guides with projects of their own find.
GUIDE_HITS = {
    "how long does a starter keep in the fridge?": "bread/Starter.md#keep-it-for-long",
    "baking time": "bread/Sourdough.md#bake",
    "how do I restore a backup?": "docs/guide/backup.md#restore-a-backup",
    "on which day are there the most orders?": "papers/demand.ipynb#the-busiest-day",
    "who pays for a compartment in a night train?": "papers/policy.html#night-trains",
}


@pytest.mark.model
@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if page.name in PROJECTS], ids=name_of)
def test_guide_runs_from_top_to_bottom_in_its_project(page, tmp_path, run_here, monkeypatch):
    shutil.copytree(Path(__file__).with_name("projects") / PROJECTS[page.name], tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for line in shown(page):
        assert run_here(line).strip()
        question = shlex.split(line)[-1]
        if line.startswith("search ") and line.endswith('"'):
            options = [one for one in shlex.split(line)[1:-1] if one != "--json"]
            best = json.loads(run_here(shlex.join(["search", *options, "--json", question])))["results"][0]
            assert f"{best['document_path']}#{best['anchor']}" == GUIDE_HITS[question]
            if page.name == "sites.md" and "--limit" in options:
                assert f"`{best['url']}`" in page.read_text(encoding="utf-8")


def understood(group, arguments):
    """Whether a command takes these options; files that it names need not be there."""
    context = group.make_context(group.name, list(arguments), resilient_parsing=False)
    name, command, rest = group.resolve_command(context, [*context._protected_args, *context.args])
    if isinstance(command, click.Group):
        return understood(command, rest)
    with contextlib.suppress(click.BadParameter):
        command.make_context(name, rest, parent=context)
    return True


WRITTEN = re.compile(r"^ *(?:- run: )?((?:index|search|sectionary) .+)$", re.MULTILINE)
OTHER_LINES = sorted(
    {
        line
        for page in PAGES
        for language, body in BLOCK.findall(page.read_text(encoding="utf-8"))
        if language in ("", "sh", "yaml")
        for line in WRITTEN.findall(body)
    }
)


@pytest.mark.parametrize("line", OTHER_LINES)
def test_command_that_is_only_shown_has_options_that_exist(line):
    name, *arguments = shlex.split(line, comments=True)
    groups = {"index": indexer.cli.command, "search": search.cli.command}
    if name == "sectionary":
        name, *arguments = arguments
    assert understood(groups[name], arguments)


def serves(project, arguments):
    """A server starts, answers the address of the documentation, and ends when it is told to."""
    (example,) = re.findall(
        r"curl 'http://127\.0\.0\.1:8731(/[^']+)'", (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    )
    with subprocess.Popen(
        [Path(sys.executable).with_name("search"), *arguments, "--port", "0"], cwd=project, stderr=subprocess.PIPE, text=True
    ) as process:
        port = int(re.search(r":(\d+)/ ", process.stderr.readline())[1])
        assert Site(port).get(example).json["results"][0]["heading"] == "Rotate the signing key"
        process.terminate()
        assert process.wait(60) == 0


@pytest.mark.model
@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize(("page", "snippet"), SNIPPETS)
def test_documented_snippet_runs(project, monkeypatch, page, snippet):
    monkeypatch.chdir(project)
    exec(compile(snippet, page, "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_snippet_is_run_here_or_by_an_integration(page):
    marked = [name.split() for name, _ in BLOCK.findall(page.read_text(encoding="utf-8")) if " " in name]
    assert [
        marks for marks in marked if marks[0] not in ("python", "console") or marks[1:] not in [[i] for i in INTEGRATIONS]
    ] == []


@pytest.mark.parametrize("name", INTEGRATIONS)
def test_every_integration_runs_the_snippets_of_its_readme_and_of_the_page(name):
    readme = ROOT / "integrations" / name / "README.md"
    language = {"llm": "console"}.get(name, "python")
    assert all(blocks(page, f"{language} {name}") for page in (readme, ROOT / "docs" / "frameworks.md"))
    assert blocks(readme, language) == []
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "integrations" / name / "tests").glob("test_*.py"))
    assert f'snippets("{language} {name}")' in tests


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_local_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_setting_is_documented_with_its_default():
    table = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    for setting in fields(Settings):
        row = next(line for line in table.splitlines() if line.startswith(f"| `{setting.name}` |"))
        default = setting.default
        shown = ", ".join(default) if isinstance(default, tuple) else str(default)
        shown = shown.lower() if isinstance(default, bool) else shown
        assert shown in row


def test_every_module_is_named_in_the_architecture_page():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    missing = []
    for package in ("schema", "indexer", "search"):
        part = page.partition(f"## Rooms of `{package}`\n")[2].partition("\n## ")[0]
        rooms = {room: line for line in part.splitlines() for room in re.findall(r"^\| `([a-z_/]+)`", line)}
        rooms["."] = part.partition("| room |")[0]
        for module in (ROOT / package).rglob("*.py"):
            folder = module.relative_to(ROOT / package).parent
            room = next(each for each in (folder, *folder.parents) if each.as_posix() in rooms)
            names = {*folder.relative_to(room).parts, module.stem} - {"__init__", "__main__"}
            missing += [module for name in names if f"`{name}`" not in rooms[room.as_posix()]]
    assert missing == []


def test_every_dependency_is_explained():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lists = re.findall(
        r"^(?:dependencies|server|mcp|llm|convert|attachments) = \[(.*?)^\]", project, re.MULTILINE | re.DOTALL
    )
    assert len(lists) == 6
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    names = re.findall(r'"([a-z0-9-]+)', "".join(lists))
    assert {name for name in names if name not in page} == set()


def test_every_defence_is_shown_by_a_test_that_exists():
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for row in rows:
        named = re.findall(r"`(test_\w+)`", row.split("|")[-2])
        assert named, row
        assert [name for name in named if f"def {name}(" not in tests] == []


@pytest.mark.process
@pytest.mark.parametrize("script", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda script: script.name)
def test_benchmark_starts(script):
    done = subprocess.run([sys.executable, script, "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
