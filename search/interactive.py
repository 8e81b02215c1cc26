"""A question typed letter by letter → hits and a preview in the terminal, by prompt_toolkit; Enter opens one, Esc leaves.

Typing waits for nothing: a search begins when no key was pressed for a moment, runs in a thread, and its answer is shown
unless the question has changed meanwhile.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from prompt_toolkit.application import Application, get_app, run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import BufferControl, FormattedTextControl, HSplit, Layout, VSplit, Window
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.output import Output
from prompt_toolkit.styles import Style

from schema.errors import SectionaryError
from schema.results import SearchResult
from schema.text.characters import one_line, printable
from search.answers.formats import answering_line

#: How long no key is pressed before a search begins (seconds).
_PAUSE = 0.15
#: Lines of a section that a preview shows, at most, and characters of one of them.
_MOST_LINES, _LONGEST = 2000, 2000
_STYLE = Style.from_dict(
    {
        "selected": "reverse", "match": "bold underline", "answer": "bold", "path": "ansicyan", "faint": "ansibrightblack",
        "line": "ansibrightblack",
    }
)  # fmt: skip
_HELP = "↑↓ choose  PgUp PgDn scroll  Enter open  Esc leave"

#: A question → the hits, and whether a section answers it.
Ask = Callable[[str], tuple[Sequence[SearchResult], bool]]


@dataclass(slots=True)
class Finder:
    """What is typed, found and chosen; drawing reads it and changes nothing but `scroll`, the first line of the preview."""

    ask: Ask
    shown: Callable[[str], str]
    results: Sequence[SearchResult] = ()
    chosen: int = 0
    message: str = _HELP
    scroll: int = 0
    #: The newest hits, also where there are none any more.
    last_shown: Sequence[SearchResult] = ()

    @property
    def hit(self) -> SearchResult | None:
        """The chosen hit, if there is one."""
        return self.results[self.chosen] if self.results else None

    def move(self, steps: int) -> None:
        """Choose another hit, so many further down (or up); the first and the last are the ends."""
        self.chosen = max(0, min(self.chosen + steps, len(self.results) - 1))
        self._show_answer()

    def take(self, results: Sequence[SearchResult], answered: bool) -> None:
        """Show these hits, and choose the first."""
        self.results, self.chosen = results, 0
        self.last_shown = results or self.last_shown
        self.message = (
            _HELP if answered else "No section answers this; these are the nearest." if results else "Nothing was found."
        )
        self._show_answer()

    def refuse(self, message: str) -> None:
        """Show why there are no hits."""
        self.results, self.chosen, self.message = (), 0, one_line(message)

    def _show_answer(self) -> None:
        """Scroll the preview so that the answering line is in its upper part."""
        hit = self.hit
        self.scroll = max(0, answering_line(hit)[0] - hit.section.content_line - 3) if hit is not None else 0

    def list_fragments(self) -> StyleAndTextTuples:
        """The list of hits, two lines for each."""
        found: StyleAndTextTuples = []
        for number, hit in enumerate(self.results):
            style = "class:selected" if number == self.chosen else ""
            path = hit.section.document_path
            place = f"{self.shown(path)}{hit.location.removeprefix(path)}"  # as the list of `search` has it
            found.append((style, f"{number + 1}. {one_line(' > '.join(hit.trail))}\n"))
            found.append((f"{style} class:path", f"   {one_line(place)}\n"))
        return found

    def preview_fragments(self) -> StyleAndTextTuples:
        """The chosen section from `scroll` on, with its matches and the answering line marked."""
        hit = self.hit
        if hit is None:
            return []
        text = hit.section.text
        marked = answering_line(hit)[0] - hit.section.content_line
        lines = text.splitlines(keepends=True)[:_MOST_LINES]
        self.scroll = max(0, min(self.scroll, len(lines) - 1))
        found: StyleAndTextTuples = []
        offset = sum(map(len, lines[: self.scroll]))
        for number, line in enumerate(lines[self.scroll :], self.scroll):
            is_answer = number == marked
            found.append(("class:answer" if is_answer else "class:line", "▌ " if is_answer else "  "))
            found.extend(_with_matches(line[:_LONGEST], offset, hit))
            found.append(("", "\n"))
            offset += len(line)
        return found


def _with_matches(line: str, offset: int, hit: SearchResult) -> StyleAndTextTuples:
    """A line of a section, which begins at an offset of its content, with the words of the query marked."""
    found: StyleAndTextTuples = []
    end = len(line.rstrip("\r\n"))
    first = bisect_right(hit.matches, offset, key=lambda match: match.end)
    done = 0
    for match in hit.matches[first:]:
        begin, stop = max(match.start - offset, done), min(match.end - offset, end)
        if begin >= end:
            break
        found += [("", printable(line[done:begin])), ("class:match", printable(line[begin:stop]))]
        done = max(done, stop)
    found.append(("", printable(line[done:end])))
    return found


def build_application(
    finder: Finder,
    open_hit: Callable[[SearchResult], None],
    *,
    input: Input | None = None,
    output: Output | None = None,
) -> Application[None]:
    """Return the application: the question above, the hits on the left and the preview on the right.

    `open_hit` opens the chosen section; its `SectionaryError` is shown. `input` and `output` are those of the terminal by
    default.
    """
    turn = asyncio.Lock()

    async def search(text: str) -> None:
        await asyncio.sleep(_PAUSE)
        async with turn:  # one at a time: the engine's threads would only wait for each other
            if text != question.text:
                return
            try:
                answer = (
                    await asyncio.get_running_loop().run_in_executor(None, finder.ask, text) if text.strip() else ((), True)
                )
            except SectionaryError as error:
                if text == question.text:
                    finder.refuse(str(error))
            else:
                if text == question.text:
                    finder.take(*answer)
        application.invalidate()

    def changed(_: Buffer) -> None:
        application.create_background_task(search(question.text))

    question = Buffer(multiline=False, on_text_changed=changed)
    keys = KeyBindings()

    @keys.add("escape", eager=True)
    @keys.add("c-c")
    @keys.add("c-d")
    def leave(event: KeyPressEvent) -> None:
        event.app.exit()

    for name, steps in (("up", -1), ("c-p", -1), ("down", 1), ("c-n", 1)):
        keys.add(name)(lambda _, steps=steps: finder.move(steps))
    for name, lines in (("pageup", -10), ("pagedown", 10)):
        keys.add(name)(lambda _, lines=lines: setattr(finder, "scroll", max(0, finder.scroll + lines)))

    @keys.add("enter")
    def chosen(_: KeyPressEvent) -> None:
        hit = finder.hit
        if hit is None:
            return

        def opened() -> None:
            try:
                open_hit(hit)
            except SectionaryError as error:
                finder.message = one_line(str(error))

        run_in_terminal(opened)

    def place() -> Point:
        return Point(0, 2 * finder.chosen + 1 if finder.results else 0)

    results = Window(
        FormattedTextControl(finder.list_fragments, get_cursor_position=place, show_cursor=False),
        width=lambda: Dimension(preferred=get_app().output.get_size().columns * 2 // 5),
        always_hide_cursor=True,
    )
    preview = Window(FormattedTextControl(finder.preview_fragments), wrap_lines=True, always_hide_cursor=True)
    below = Window(FormattedTextControl(lambda: [("class:faint", finder.message)]), height=1)
    above = VSplit([Window(FormattedTextControl("search: "), width=8), Window(BufferControl(question), height=1)], height=1)
    middle = VSplit([results, Window(width=1, char="│", style="class:faint"), preview])
    application: Application[None] = Application(
        layout=Layout(
            HSplit([above, Window(height=1, char="─", style="class:faint"), middle, below]), focused_element=question
        ),
        key_bindings=keys,
        style=_STYLE,
        full_screen=True,
        input=input,
        output=output,
    )
    application.ttimeoutlen = 0.05  # Esc leaves at once
    return application
