"""Results as `to_dict` gives them → the HTML and the Markdown that a notebook shows.

Whatever documents hold stays text: HTML is escaped, a text in Markdown stands in a block of code or has every character that
could mean something written as an entity, and unsafe characters are spelt out. Nothing is loaded and nothing runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from schema.text.characters import moves, one_line, printable

#: Most results that one cell of a notebook shows.
MOST_SHOWN = 50
#: Of a result without a snippet, the beginning of its content is shown (characters).
_MOST_CONTENT = 480
NOT_ANSWERED = "No section answers this. The nearest are:"
_NOTHING = "No result."
#: Characters that may mean something in Markdown, in HTML or to what draws formulas.
_MEANING = re.compile(r"[\\`*_{}\[\]<>()#+|~&$!^=@%\"]")
_FENCE = re.compile(r"`{3,}")
_BOX = "border-left:3px solid #8886;margin:0.6em 0;padding:0 0 0 0.8em"
_TEXT = "white-space:pre-wrap;overflow-wrap:anywhere;margin:0.3em 0;padding:0.3em 0;background:none"


def results_html(hits: Sequence[Mapping[str, Any]], *, answered: bool = True) -> str:
    """Return hits as HTML, best first; `answered` is false if they are only the nearest ones."""
    parts = [_html(hit) for hit in hits[:MOST_SHOWN]]
    return f"<div>{''.join((*(f'<p>{note}</p>' for note in _before(hits, answered)), *parts, _more(hits)))}</div>"


def results_markdown(hits: Sequence[Mapping[str, Any]], *, answered: bool = True) -> str:
    """Return hits as Markdown, best first; `answered` is false if they are only the nearest ones."""
    parts = [_markdown(hit) for hit in hits[:MOST_SHOWN]]
    return "\n\n".join(filter(None, (*_before(hits, answered), *parts, _more(hits))))


def _before(hits: Sequence[Mapping[str, Any]], answered: bool) -> Iterator[str]:
    if not hits:
        yield _NOTHING
    elif not answered:
        yield NOT_ANSWERED


def _more(hits: Sequence[Mapping[str, Any]]) -> str:
    return f"… and {len(hits) - MOST_SHOWN:,} more." if len(hits) > MOST_SHOWN else ""


def _html(hit: Mapping[str, Any]) -> str:
    text, matches = _text(hit)
    url, place = hit["url"], f"<code>{escape(_location(hit))}</code>"
    if re.match(r"https?://", url):
        place = f'<a href="{escape(one_line(url))}" rel="noopener noreferrer">{place}</a>'
    return (
        f'<div style="{_BOX}"><strong>{escape(one_line(hit["heading"]))}</strong> '
        f"<small>{escape(_trail(hit))}</small><br>{place} <small>{escape(_facts(hit))}</small>"
        f'<pre style="{_TEXT}">{"".join(_marked(text, matches))}</pre></div>'
    )


def _marked(text: str, matches: Iterable[tuple[int, int]]) -> Iterator[str]:
    done = 0
    for start, end in matches:
        if done <= start < end <= len(text):
            yield f"{escape(text[done:start])}<mark>{escape(text[start:end])}</mark>"
            done = end
    yield escape(text[done:])


def _markdown(hit: Mapping[str, Any]) -> str:
    text, _ = _text(hit)
    fence = "`" * max(3, 1 + max(map(len, _FENCE.findall(text)), default=0))
    trail = f" — {_plain(_trail(hit))}" if _trail(hit) else ""
    head = f"**{_plain(one_line(hit['heading']))}**{trail}  \n{_plain(_location(hit))} · {_plain(_facts(hit))}"
    return f"{head}\n\n{fence}text\n{text}\n{fence}"


def _plain(text: str) -> str:
    """Return a line of text as Markdown that shows just it."""
    return _MEANING.sub(lambda match: f"&#{ord(match[0])};", text)


def _text(hit: Mapping[str, Any]) -> tuple[str, list[tuple[int, int]]]:
    """Return the text that is shown of a hit, and where the question's words are in it."""
    snippet = hit["snippet"]
    if snippet is None:
        text = hit["content"].strip()
        return printable(text if len(text) <= _MOST_CONTENT else f"{text[: _MOST_CONTENT - 1]}…"), []
    moved = moves(snippet["text"])
    return printable(snippet["text"]), [(moved(start), moved(end)) for start, end in snippet["matches"]]


def _location(hit: Mapping[str, Any]) -> str:
    place = f", {hit['place']}" if hit["place"] else f":{hit['start_line']}-{hit['end_line']}"
    return one_line(f"{hit['document_path']}{place}")


def _trail(hit: Mapping[str, Any]) -> str:
    """Return what is above the section; empty if its heading is all there is."""
    above = hit["trail"][:-1]
    return one_line(" > ".join(above))


def _facts(hit: Mapping[str, Any]) -> str:
    state = "gone" if hit["gone"] else "stale" if hit["stale"] else ""
    marks = "".join(f" · {mark}" for mark in (state, "not yet embedded" if hit["is_pending"] else "") if mark)
    told = "".join(f" · {one_line(f'{name}: {value}')}" for name, value in hit["properties"].items())
    return f"relevance {hit['relevance']:.2f}{marks}{told}"
