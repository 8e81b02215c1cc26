"""The search in the terminal while typing: prompt_toolkit's own pipe is the keyboard, a dummy the screen."""

import asyncio
import re

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output

from schema.errors import QueryError
from schema.requests import SearchRequest
from search.answers.formats import answering_line
from search.answers.render import render_results
from search.interactive import Finder, build_application

LONG = "# Long\n\n" + "".join(f"Line {n} of walruses.\n" for n in range(60)) + "\nThe kelpie hides.\n"
DOWN, UP, ENTER, ESCAPE = "\x1b[B", "\x1b[A", "\r", "\x1b"


@pytest.fixture
def finder(manual):
    manual.write("docs/ja.md", "# 検索\n\n全文検索の仕組みを説明します。\n\n## 검색\n\n검색 안내\n")
    manual.write("docs/long.md", LONG)
    manual.index()
    engine = manual.engine()

    def ask(text):
        asked.append(text)
        page = engine.answer(SearchRequest(query=text, mode="lexical"))
        return page.results, page.answered

    asked = []
    finder = Finder(ask, lambda path: path)
    return finder, asked


def text_of(fragments):
    return "".join(fragment[1] for fragment in fragments)


def marked(fragments, style):
    return [fragment[1] for fragment in fragments if style in fragment[0]]


def play(finder, *steps, output=None):
    """Type the steps: a text is typed at once, a function is waited for until it is true; returns what was opened."""
    opened = []

    async def typing(keyboard):
        for step in steps:
            if isinstance(step, str):
                keyboard.send_text(step)
            else:
                for _ in range(400):
                    if step():
                        break
                    await asyncio.sleep(0.01)
                assert step()

    async def run(keyboard):
        application = build_application(finder, opened.append, input=keyboard, output=output or DummyOutput())
        typist = asyncio.create_task(typing(keyboard))
        await asyncio.wait_for(application.run_async(), 20)
        await typist

    with create_pipe_input() as keyboard:
        asyncio.run(run(keyboard))
    return opened


def test_hits_appear_while_typing_and_escape_leaves(finder):
    finder, _ = finder
    assert play(finder, "penguins", lambda: finder.results, ESCAPE) == []
    assert finder.hit.section.heading == "Linux"
    assert text_of(finder.list_fragments()).splitlines()[0].endswith(" > Linux")
    assert marked(finder.preview_fragments(), "class:match") == ["Penguins"]


def test_one_search_is_made_for_letters_typed_quickly(finder):
    finder, asked = finder
    play(finder, "pen", "gui", "ns", lambda: finder.results, ESCAPE)
    assert asked == ["penguins"]


def test_arrows_choose_and_enter_opens_the_chosen_one(finder):
    finder, _ = finder
    typed = (DOWN, UP, DOWN, lambda: finder.chosen == 1, ENTER, ESCAPE)
    opened = play(finder, "crank", lambda: len(finder.results) > 1, *typed)
    assert [hit.section.id for hit in opened] == [finder.results[1].section.id]
    finder.move(-9)
    assert finder.chosen == 0
    finder.move(99)
    assert finder.chosen == len(finder.results) - 1


def test_preview_begins_near_the_answering_line_and_marks_it(finder):
    finder, _ = finder
    play(finder, "kelpie", lambda: finder.results, ESCAPE)
    lines = text_of(finder.preview_fragments()).splitlines()
    assert lines[3] == "▌ The kelpie hides."
    assert sum(line.startswith("▌") for line in lines) == 1
    finder.scroll = 0
    assert text_of(finder.preview_fragments()).startswith("  # Long\n")


def test_hit_is_shown_at_the_line_at_which_the_plain_list_has_it(finder, manual):
    finder, _ = finder
    manual.write(
        "docs/car.md",
        "# Car\n\nBeige paint.\n\nThe tyre has 2.6 bar in front.\nThe tyre in the back, the gecko tyre: 2.8.\n",
    )
    manual.index()
    finder.take(*finder.ask("gecko tyre"))
    shown = text_of(finder.list_fragments()).splitlines()[1].strip()
    assert f"{shown}  section " in render_results(finder.results).splitlines()[1]
    assert shown == f"docs/car.md:{finder.hit.snippet.start_line}" != f"docs/car.md:{answering_line(finder.hit)[0]}"


def test_question_that_is_refused_shows_the_sentence(finder):
    finder, _ = finder
    play(finder, "x since:soon", lambda: "since: takes a date" in finder.message, ESCAPE)
    assert finder.results == ()


def test_file_that_cannot_be_opened_is_told_and_the_search_goes_on(finder):
    finder, _ = finder

    def refuse(_):
        raise QueryError("There is no editor.")

    async def run(keyboard):
        application = build_application(finder, refuse, input=keyboard, output=DummyOutput())
        task = asyncio.create_task(application.run_async())
        keyboard.send_text("penguins")
        while not finder.results:
            await asyncio.sleep(0.01)
        keyboard.send_text(ENTER)
        while finder.message != "There is no editor.":
            await asyncio.sleep(0.01)
        keyboard.send_text(ESCAPE)
        await asyncio.wait_for(task, 20)

    with create_pipe_input() as keyboard:
        asyncio.run(asyncio.wait_for(run(keyboard), 20))


class Screen:
    """Takes what would be drawn."""

    encoding = "utf-8"

    def __init__(self):
        self.drawn = ""

    def write(self, data):
        self.drawn += data

    def flush(self):
        pass

    def isatty(self):
        return True

    def fileno(self):
        return 1


@pytest.mark.parametrize(("query", "shown"), [("全文検索", "全文検索の仕組みを説明します。"), ("검색", "검색 안내")])
def test_japanese_and_korean_are_drawn_whole(finder, query, shown):
    finder, _ = finder
    screen = Screen()
    output = Vt100_Output(screen, lambda: Size(rows=24, columns=100), term="xterm")
    play(finder, query, lambda: finder.results, lambda: shown[0] in screen.drawn, ESCAPE, output=output)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07", "", screen.drawn)
    assert shown[-3:] in plain


def test_command_without_a_query_in_a_pipe_is_wrong_use(finder, manual, search_command, monkeypatch):
    monkeypatch.chdir(manual.home)
    code, out, err = search_command()
    assert (code, out, err) == (2, "", "search: Missing argument 'QUERY...'.\n")


@pytest.fixture
def typed(manual, search_command, monkeypatch, tmp_path_factory):
    """Runs the command without a query: options and what the user does with the finder → the command, for more of it."""
    monkeypatch.chdir(manual.home)
    monkeypatch.setenv("SECTIONARY_STATE_DIR", str(tmp_path_factory.mktemp("state")))
    monkeypatch.setenv("VISUAL", "vim")
    monkeypatch.setattr("search.cli.is_terminal", lambda: True)
    monkeypatch.setattr("search.engine.embedder_of", lambda _settings: manual.embedder)

    def run(*options, act):
        class Application:
            def __init__(self, finder, opened):
                self.finder = finder

            def run(self):
                act(self.finder)

        monkeypatch.setattr("search.interactive.build_application", Application)
        assert search_command(*options)[0] == 0
        return search_command

    return run


def test_command_without_a_query_in_a_terminal_searches_while_typing(finder, typed):
    found = []
    typed("--depth", "3", act=lambda finder: found.extend(finder.ask("penguins path:docs/")[0]))
    assert found[0].section.heading == "Linux"


def test_last_hits_that_were_shown_while_typing_are_remembered_by_their_numbers(finder, typed):
    seen = []

    def act(finder):
        for words in ("apples", "kelpie crank apples bananas"):
            finder.take(*finder.ask(words))
        seen.extend((hit.section.document_path, answering_line(hit)[0]) for hit in finder.results)
        finder.take((), True)  # the question was emptied
        finder.refuse("since: takes a date.")

    search = typed("--mode", "lexical", "--offset", "1", act=act)
    assert len(seen) > 1
    for number, (path, line) in enumerate(seen, 1):
        printed = search("open", "--print", str(number))[1].split()
        assert (printed[1], printed[-1].endswith(path)) == (f"+{line}", True)
    assert search("open", "--print", str(len(seen) + 1))[0] != 0


def test_leaving_without_hits_keeps_those_of_the_search_before(finder, typed):
    search = typed(act=lambda finder: finder.take(*finder.ask("penguins")))
    before = search("open", "--print", "1")
    assert before[0] == 0
    typed(act=lambda finder: finder.take((), True))
    assert search("open", "--print", "1") == before
