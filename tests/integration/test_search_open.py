"""`search open`, ids and places of sections, and the forms in which hits are printed."""

import json
import stat

import pytest
from markdown_it import MarkdownIt

from indexer.pipeline import Indexer
from schema.errors import QueryError
from search.answers.editors import editor_command, vscode_command, windows_command
from search.terminal import user_paths


@pytest.fixture
def state(tmp_path_factory):
    """The folder of what is remembered for the user."""
    return tmp_path_factory.mktemp("state") / "sectionary"


@pytest.fixture
def run(manual, monkeypatch, search_command, state):
    manual.write("docs/日本 語.md", "# 検索\n\n検索 [エンジン] の crank。\n")
    manual.index()
    monkeypatch.chdir(manual.home)
    monkeypatch.setenv("SECTIONARY_STATE_DIR", str(state))
    monkeypatch.setenv("VISUAL", "vim -u NONE")
    monkeypatch.setattr("search.engine.embedder_of", lambda _settings: manual.embedder)
    return search_command


def hit(run, *words):
    return json.loads(run("--json", "-n", "1", *words)[1])["results"][0]


def test_files_are_paths_of_documents_each_once(run):
    lines = run("--files", "-n", "20", "crank")[1].splitlines()
    assert sorted(lines) == ["docs/guide.md", "docs/sub/notes.md", "docs/日本 語.md"]
    assert run("--format", "files", "-n", "20", "crank")[1].splitlines() == lines


def test_filters_without_words_list_the_sections_that_they_allow(run):
    assert run("--files", "--path", "docs/sub/")[1].splitlines() == ["docs/sub/notes.md"]
    assert hit(run, "--path", "docs/guide.md", "--depth", "1")["depth"] == 1


def test_filters_without_words_that_allow_nothing_are_told(run):
    _, _, err = run("--tag", "nothing")
    assert err.startswith("search: The filters leave nothing of what was found (tag nothing); ask with fewer of them.")


def test_grep_is_path_line_and_text_of_the_answering_line(run):
    first = run("--format", "grep", "-n", "1", "linux penguins")[1]
    assert first == "docs/guide.md:15:Penguins need a special crank.\n"


def test_lines_for_editors_say_which_documents_have_changed(run, manual):
    path = manual.home / "docs/guide.md"
    path.write_text("A first line.\n" + path.read_text())
    told = "search: Changed since indexed, so lines may be others: docs/guide.md\n"
    assert run("--format", "grep", "-n", "1", "linux penguins")[2] == told
    assert run("--files", "-n", "1", "linux penguins")[2] == told
    assert run("--files", "-q", "-n", "1", "linux penguins")[2] == ""
    assert run("open", "--print", "1")[2] == told


def test_file_that_is_gone_is_told_from_one_that_has_changed(run, manual):
    (manual.home / "docs/guide.md").unlink()
    manual.write("docs/sub/notes.md", "# Other words\n")
    gone = "search: Gone since indexed; `index scan` takes them out of the index: docs/guide.md\n"
    assert run("--files", "-n", "1", "linux penguins")[2] == gone
    changed = "search: Changed since indexed, so lines may be others: docs/sub/notes.md\n"
    assert run("--format", "grep", "-n", "20", "crank 検索")[2] == changed + gone
    heads = [line for line in run("-n", "20", "crank 検索")[1].splitlines() if line.endswith(("[gone]", "[stale]"))]
    assert {line.partition(" > ")[0][3:] for line in heads if line.endswith("[gone]")} == {"The Guide"}
    assert not any("Guide" in line for line in heads if line.endswith("[stale]"))
    assert run("--format", "markdown", "-n", "1", "penguins")[1].startswith("- [Linux](docs/guide.md#linux) (gone)\n")


def test_markdown_is_a_list_of_links_with_quoted_snippets(run):
    out = run("--format", "markdown", "-n", "1", "penguins")[1]
    assert out.splitlines() == ["- [Linux](docs/guide.md#linux)", "", "  > Penguins need a special crank.", ""]
    assert "](docs/%E6%97%A5%E6%9C%AC%20%E8%AA%9E.md#" in run("--format", "markdown", "検索エンジン")[1]


def test_markdown_of_code_and_of_escaped_signs_shows_what_the_document_shows(run, manual):
    manual.write("docs/restore.md", "# Restore\n\nRun this:\n\n```sh\nrestore <archive>\n# it overwrites files\n```\n")
    manual.write("docs/tags.md", "# Tags\n\nWrite &lt;img src=x&gt; yourself.\n")
    manual.index()
    out = run("--format", "markdown", "-n", "1", "--mode", "lexical", "restore archive overwrites")[1]
    assert "  > ```text\n  > Run this:\n" in out
    assert "  > restore <archive>\n  > # it overwrites files\n  > ```\n" in out
    drawn = MarkdownIt().render(run("--format", "markdown", "-n", "1", "--mode", "lexical", "img yourself")[1])
    assert "Write &lt;img src=x&gt; yourself." in drawn


@pytest.mark.parametrize(("form", "old"), [("json", "--json"), ("jsonl", "--jsonl")])
def test_forms_of_json_have_their_old_options(run, form, old):
    by_form, by_option = (json.loads(run(*options, "-n", "1", "penguins")[1]) for options in (["--format", form], [old]))
    by_form.pop("took_ms", 0), by_option.pop("took_ms", 0)
    assert by_form == by_option


def test_ids_are_shown_when_asked_for(run):
    found = hit(run, "penguins")["id"]
    assert f"   id {found}\n" in run("--ids", "-n", "1", "penguins")[1]
    assert found not in run("-n", "1", "penguins")[1]


def test_section_is_named_by_the_beginning_of_its_id_or_its_place(run):
    found = hit(run, "penguins")["id"]
    whole = run("section", found)[1]
    assert "Penguins need" in whole
    for typed in (found[:6], found[:12], "docs/guide.md#linux", "./docs/guide.md#linux"):
        assert run("section", typed)[1] == whole


def test_beginning_of_several_ids_is_refused_in_one_sentence(run, monkeypatch):
    monkeypatch.setattr("search.sources.held.HeldSource.ids_from", lambda *_: [f"abcdef{number}" for number in range(4)])
    code, out, err = run("section", "abcdef")
    assert (code, out) == (2, "")
    assert err == "search: Several ids begin with abcdef (abcdef0, abcdef1, abcdef2, …); give more digits.\n"


@pytest.mark.parametrize("typed", ["abcdef012345", "nowhere.md", "docs/guide.md#nowhere", "docs/guide.md:999"])
def test_section_that_is_not_there_is_one_sentence(run, typed):
    code, out, err = run("section", typed)
    assert (code, out) == (2, "")
    assert err.startswith("search: There is no ")
    assert len(err.splitlines()) == 1


def test_command_that_is_suggested_has_its_path_in_quotes(run):
    told = "There is no section docs/日本 語.md:999 in the index; `search outline 'docs/日本 語.md'` shows those there are."
    assert run("section", "docs/日本 語.md:999")[2] == f"search: {told}\n"


def test_links_take_what_a_section_takes(run, manual, monkeypatch):
    whole = json.loads(run("links", "--json", "docs/guide.md#linux")[1])
    assert json.loads(run("links", "--json", whole["id"][:8])[1]) == whole
    monkeypatch.chdir(manual.home / "docs")
    assert json.loads(run("links", "--json", "guide.md#linux")[1]) == whole


def test_open_starts_the_editor_at_the_line_of_the_numbered_hit(run, manual):
    run("-n", "2", "penguins")
    code, out, _ = run("open", "--print", "1")
    assert (code, out) == (0, f"vim -u NONE +15 {manual.home}/docs/guide.md\n")


def test_open_goes_to_the_same_line_of_a_section_that_a_run_has_moved(run, manual):
    run("-n", "2", "penguins")
    text = (manual.home / "docs/guide.md").read_text(encoding="utf-8")
    manual.write("docs/guide.md", "# New\n\n" + "Another line.\n" * 40 + "\n" + text)
    manual.index()
    assert run("open", "--print", "1")[:2] == (0, f"vim -u NONE +58 {manual.home}/docs/guide.md\n")


def test_open_goes_no_further_than_the_end_of_a_section_that_has_become_shorter(run, manual):
    manual.write("docs/long.md", "# Walruses\n\n" + "A line of tusks.\n" * 30 + "\nWalruses whistle.\n")
    manual.index()
    run("-n", "1", "whistle")
    assert f" +34 {manual.home}/docs/long.md" in run("open", "--print", "1")[1]
    manual.write("docs/long.md", "# Walruses\n\nWalruses whistle.\n\n# Seals\n\n" + "A seal barks.\n" * 40)
    manual.index()
    assert f" +4 {manual.home}/docs/long.md" in run("open", "--print", "1")[1]


def test_numbers_go_on_with_the_offset_and_others_are_refused(run):
    run("--offset", "1", "-n", "2", "crank")
    assert run("open", "--print", "2")[0] == 0
    assert run("open", "--print", "1")[::2] == (2, "search: There is no hit 1; the last search here has 2 to 3.\n")


def test_open_without_a_search_before_says_to_search(run):
    assert run("open", "1")[::2] == (2, "search: There is no hit 1; search first.\n")


@pytest.mark.parametrize("command", ["section", "links", "similar"])
def test_number_of_a_hit_names_a_section_in_other_commands_too(run, command):
    found = [each["id"] for each in json.loads(run("--json", "-n", "2", "crank")[1])["results"]]
    run("-n", "2", "crank")
    assert json.loads(run(command, "--json", "2")[1]) == json.loads(run(command, "--json", found[1])[1])
    assert run(command, "3")[::2] == (2, "search: There is no hit 3; the last search here has 1 to 2.\n")


@pytest.mark.parametrize("command", [("open", "--print"), ("section",), ("links",), ("similar",)])
def test_hit_that_a_run_has_removed_is_told(run, manual, command):
    run("-n", "1", "penguins")
    manual.write("docs/guide.md", "# Another\n\nNothing of it is left.\n")
    manual.index()
    assert run(*command, "1") == (2, "", "search: Hit 1 is not in the index any more; search again.\n")


def test_open_takes_ids_and_places(run, manual):
    found = hit(run, "penguins")["id"]
    shown = f"vim -u NONE +13 {manual.home}/docs/guide.md\n"
    assert run("open", "--print", found[:7])[1] == run("open", "--print", "docs/guide.md#linux")[1] == shown
    assert run("open", "--print", "docs/guide.md:14")[1] == shown.replace("+13", "+14")


def test_last_search_is_remembered_for_the_user_alone_and_not_in_the_project(run, manual, state):
    before = sorted(manual.home.rglob("*"))
    run("penguins")
    (file,) = state.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "penguins" not in file.read_text()
    assert sorted(manual.home.rglob("*")) == before
    file.write_text("{" * 100_000)
    assert run("open", "1")[2] == "search: There is no hit 1; search first.\n"


def test_open_starts_a_program_without_a_shell(run, manual, tmp_path, monkeypatch):
    program = tmp_path / "my editor"
    monkeypatch.setenv("VISUAL", f"'{program}' '; echo $HOME'")
    started = []
    monkeypatch.setattr(
        "subprocess.run", lambda command, check: started.append(command) or type("Done", (), {"returncode": 0})
    )
    assert run("open", "docs/guide.md#linux")[0] == 0
    assert started == [[str(program), "; echo $HOME", f"{manual.home}/docs/guide.md"]]


def test_editor_that_fails_is_told(run, monkeypatch):
    monkeypatch.setattr("subprocess.run", lambda command, check: type("Done", (), {"returncode": 3}))
    assert run("open", "docs/guide.md")[::2] == (2, "search: vim ended with status 3.\n")


def test_no_editor_is_guessed_without_a_terminal(run, monkeypatch, tmp_path):
    program = tmp_path / "nano"
    program.write_text("#!/bin/sh\nexit 5\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("VISUAL")
    monkeypatch.delenv("EDITOR", raising=False)
    told = "search: There is no terminal to start an editor in; set EDITOR, or give --print or --with.\n"
    assert run("open", "docs/guide.md")[::2] == (2, told)
    assert run("open", "--print", "docs/guide.md")[1].startswith("nano +5 ")


@pytest.mark.process
def test_editor_that_is_not_there_is_one_sentence(run, monkeypatch):
    monkeypatch.setenv("VISUAL", "no-such-editor-here")
    code, _, err = run("open", "docs/guide.md")
    assert code == 2
    assert err.startswith("search: no-such-editor-here could not be started (No such file or directory); set EDITOR")


def test_document_that_leads_outside_of_its_root_is_not_opened(run, manual, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "outside.md"
    outside.write_text("# Secret\n")
    (manual.home / "docs/guide.md").unlink()
    (manual.home / "docs/guide.md").symlink_to(outside)
    code, out, err = run("open", "--print", "docs/guide.md#linux")
    assert (code, out) == (2, "")
    assert "leads outside of" in err
    (manual.home / "docs/guide.md").unlink()
    assert "is not there any more" in run("open", "--print", "docs/guide.md#linux")[2]


def test_browser_opens_the_published_address_or_asks_for_one(run, manual, monkeypatch):
    assert run("open", "--with", "browser", "--print", "docs/guide.md#linux")[::2] == (
        2,
        "search: The section has no address; set base_url, or start `search serve`.\n",
    )
    monkeypatch.setenv("SECTIONARY_BASE_URL", "https://example.org")
    assert run("open", "--with", "browser", "--print", "docs/guide.md#linux")[1].startswith("https://example.org/")
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    assert run("open", "--with", "browser", "docs/guide.md#linux")[0] == 0
    assert opened[0].endswith("#linux")


@pytest.mark.parametrize(
    ("editor", "arguments"),
    [
        ("vim", ["+7", "/x/a b.md"]),
        ("/usr/bin/nvim", ["+7", "/x/a b.md"]),
        ("emacsclient -n", ["-n", "+7", "/x/a b.md"]),
        ("code --wait", ["--wait", "--goto", "/x/a b.md:7"]),
        ("subl", ["/x/a b.md:7"]),
        ("idea", ["--line", "7", "/x/a b.md"]),
        ("ed", ["/x/a b.md"]),
    ],
)
def test_each_editor_is_told_the_line_in_its_way(tmp_path, editor, arguments):
    from pathlib import PurePosixPath

    assert editor_command(PurePosixPath("/x/a b.md"), 7, {"EDITOR": editor})[1:] == arguments


def test_visual_goes_before_editor_and_unreadable_ones_are_refused(tmp_path):
    assert editor_command(tmp_path, 1, {"VISUAL": "nano", "EDITOR": "vi"})[0] == "nano"
    with pytest.raises(Exception, match="VISUAL or EDITOR cannot be read"):
        editor_command(tmp_path, 1, {"VISUAL": "'vi"})


def test_vscode_or_an_editor_made_of_it_is_looked_for(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: name if name == "codium" else None)
    assert vscode_command(tmp_path, 3) == ["codium", "--goto", f"{tmp_path}:3"]
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(Exception, match="is installed; give --with editor"):
        vscode_command(tmp_path, 3)


def test_paths_are_those_of_the_folder_that_was_indexed_wherever_the_index_is(
    manual, tmp_path_factory, monkeypatch, search_command
):
    place = tmp_path_factory.mktemp("elsewhere") / "index"
    Indexer(place, root=manual.home, embedder=manual.embedder).index(manual.home / "docs")
    monkeypatch.setattr("search.engine.embedder_of", lambda _settings: manual.embedder)
    monkeypatch.setenv("EDITOR", "vim")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.chdir(manual.home / "docs")
    index = ("--index", str(place))
    (found,) = search_command(*index, "--files", "penguins", "-n", "1")[1].splitlines()
    assert found == "guide.md"
    code, out, _ = search_command("open", *index, "guide.md#linux", "--print")
    assert (code, out.split()[-1]) == (0, str(manual.home / "docs/guide.md"))
    assert user_paths(place).roots.project == manual.home.resolve()


PROGRAMS = {"code": r"C:\VS Code\bin\code.CMD", "notepad": r"C:\Windows\notepad.exe"}


def test_windows_is_given_the_path_of_a_program():
    assert windows_command(["code", "--goto", r"C:\my notes\a.md:3"], PROGRAMS.get) == [
        PROGRAMS["code"],
        "--goto",
        r"C:\my notes\a.md:3",
    ]
    assert windows_command(["gone", "a.md"], PROGRAMS.get) == ["gone", "a.md"]


@pytest.mark.parametrize("sign", '&|<>^%!"')
def test_a_batch_file_is_given_no_name_that_its_interpreter_would_run(sign):
    name = rf"C:\notes\a {sign}calc.md"
    with pytest.raises(QueryError, match=r"code\.CMD cannot be given safely; set EDITOR"):
        windows_command(["code", "--goto", f"{name}:1"], PROGRAMS.get)
    assert windows_command(["notepad", name], PROGRAMS.get) == [PROGRAMS["notepad"], name]
