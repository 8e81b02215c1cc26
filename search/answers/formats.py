"""Results → text for other programs: paths alone, lines for an editor's list of places, or a list in Markdown.

Paths are as the user can open them from the working folder. Characters that could fake or hide something are spelt out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate
from urllib.parse import quote

from schema.results import SearchResult
from schema.sections import Section, without_hidden
from schema.text.characters import one_line, printable
from search.answers.paths import line_to_open
from search.answers.render import Style

#: What a line may be besides words: HTML, an entity, or a heading, quotation, fence or rule; and the fences in a text.
_MARKUP, _FENCE = re.compile(r"[<&]|\A(?:#|>|~~~|---|===|    )"), re.compile(r"`{3,}")
#: What would end or begin a link inside its text.
_BRACKETS = re.compile(r"[\\\[\]`*_<>]")
#: A longer line is cut (characters).
_LONGEST = 500
#: The line below the header of a table.
_BELOW_HEADER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")


def render_files(results: Iterable[SearchResult], style: Style) -> str:
    """Return the path of each document once, that of the best section first."""
    return "\n".join(dict.fromkeys(one_line(style.shown(hit.section.document_path)) for hit in results))


def render_grep(results: Iterable[SearchResult], style: Style) -> str:
    """Return `path:line:text` for each hit: the line of its passage that holds most words of the query.

    A hit in a converted file has the line that its place names, and line 1 if that is a page or a cell.
    """
    return "\n".join(_place(hit, style) for hit in results)


def render_markdown(results: Iterable[SearchResult], style: Style) -> str:
    """Return a list in Markdown: a link to each section by its path and anchor, whether its file has changed since it was
    indexed (stale) or is gone, and the passage that answers, quoted."""
    return "\n".join(line for hit in results for line in _item(hit, style))


def answering_line(hit: SearchResult) -> tuple[int, str]:
    """Return the line of a hit that holds most of the query's words, by their letters, as number (1-based) and text.

    It is a line of what answers in the snippet, the first of several or one of the passage, and the header of a table only
    if no other line has a word; without a snippet, it is the section's first line.
    """
    section, snippet = hit.section, hit.snippet
    text = section.text
    start, end = (0, len(text)) if snippet is None else (snippet.start, snippet.end)
    lines = text[start:end].splitlines(keepends=True)
    if snippet is None or not lines:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "")
        return section.start_line, first
    begins = list(accumulate((len(line) for line in lines), initial=start))
    counts: Counter[int] = Counter()
    for match in hit.matches:
        if start <= match.start < end:
            counts[bisect_right(begins, match.start) - 1] += match.end - match.start
    headers = {i for i, below in enumerate(lines[1:]) if _BELOW_HEADER.fullmatch(below.strip())}
    passage = hit.passage or snippet
    in_passage, in_answer = (
        [begin < part.end and begin + len(line) > part.start for begin, line in zip(begins, lines, strict=False)]
        for part in (passage, snippet.answer or snippet)
    )
    best = max(
        range(len(lines)),
        key=lambda i: (
            counts[i] > 0 and i not in headers, in_answer[i], counts[i], in_passage[i], bool(lines[i].strip()), -i
        ),
    )  # fmt: skip
    return section.line_at(begins[best]), _whole_line(section, begins[best])


def _whole_line(section: Section, offset: int) -> str:
    """The line of a section that an offset is in, without what is hidden of it and blanks around it."""
    content = section.content
    first, last = content.rfind("\n", 0, offset) + 1, content.find("\n", offset)
    last = len(content) if last < 0 else last
    hidden = zip(section.hidden[::2], section.hidden[1::2], strict=True)
    inside = [end - first for a, b in hidden if a < last and b > first for end in (max(a, first), min(b, last))]
    return without_hidden(content[first:last], inside).strip()


def _place(hit: SearchResult, style: Style) -> str:
    line, text = answering_line(hit)
    shown = one_line(style.shown(hit.section.document_path))
    place = hit.snippet.place if hit.snippet else hit.section.place
    return f"{shown}:{line_to_open(place, line) or 1}:{one_line(text[:_LONGEST])}"


def _item(hit: SearchResult, style: Style) -> Iterator[str]:
    section = hit.section
    heading = _BRACKETS.sub(r"\\\g<0>", one_line(section.name))
    anchor = f"#{quote(section.anchor, safe='')}" if section.anchor else ""
    path = style.shown(section.document_path)
    mark = f" ({style.mark(hit)})" if hit.stale else ""
    yield f"- [{heading}]({quote(path, safe='/.~!$,;=@+-_', errors='surrogatepass')}{anchor}){mark}"
    if hit.snippet is not None:
        yield ""
        yield from (f"  > {line}".rstrip() for line in _quoted(printable(hit.snippet.text)))
        yield ""


def _quoted(text: str) -> list[str]:
    """The lines of a snippet as Markdown that shows just them: in a fence, if they could be read as something else."""
    lines = text.split("\n")
    if len(lines) == 1 and not _MARKUP.search(text):
        return lines
    fence = "`" * max(3, 1 + max(map(len, _FENCE.findall(text)), default=0))
    return [f"{fence}text", *lines, fence]
