"""A section and what was asked of it → the passage to show: the sentences, or lines of code, that answer best.

The section is read as units: sentences of paragraphs, items of lists, rows of tables, lines of code. Comments, definitions
of links, imports, directives, lines of tags, rules and images are none. A unit is worth the query's terms in it and in its
neighbours, more if it is prose and if it stands in the window nearest to the query's vector. The best unit grows by its
neighbours up to `MAX_CHARACTERS`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from schema.results import Snippet, Window
from schema.sections import Section
from schema.terms import terms

#: A snippet grows up to this length; a single sentence may be longer, up to the second.
MAX_CHARACTERS, MAX_SENTENCE = 320, 480
#: Of a longer section only the part around its best passage is read (characters).
_READ = 20_000
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})(.*)")
_BLANKS = re.compile(r"\s+")
_SOME_BLANKS = re.compile(r"\s*")
#: Lines without text of their own: definitions of links, imports, directives, tags, rules, images, templates.
_NOISE = re.compile(
    r"\s*(?:\[[^\]\n]{1,200}\]:\s|import\s.{0,300}\sfrom\s|import\s+['\"]|export\s+(?:default|const|let|function)\b|:{3,}|\{\{[#%<]?|\{%"
    r"|</?[A-Za-z][^\n]{0,600}>\s*$|<[A-Za-z][\w.-]*\s*$|/?>\s*$|[-=*_|:\s>]+$|!\[[^\]\n]{0,500}\]\([^)\n]{0,1000}\)\s*$|\[\[?_?TOC_?\]?\]\s*$|\^[\w-]+\s*$)"
)
_HEADING = re.compile(r"[ \t>]{0,8}#{1,6}\s")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_ROW = re.compile(r"[ \t>]*\|")
_QUOTE = re.compile(r"[ \t]{0,3}(?:>[ \t]?)+")
_ALERT = re.compile(r"\s*\[![\w-]+\][-+]?\s*$")
_STOP = re.compile(r"[。！？][」』）”’]*|[.!?][\"'”’)\]*_`]*(?=\s+[^\sa-z,;])")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|Mr|Ms|Dr|No|Fig|approx)|\b[A-Z])\.$")
#: Signs of a question about code: a call, an option, a path, an operator, an error code.
_CODE_ASKED = re.compile(r"\w\(|(?<!\w)--?\w|[{}<>=&|;$@\\]|\w::\w|\w\.\w+\(|\w_\w|[a-z][A-Z]|/\w+[./]")
#: What a unit of each kind is worth beside a sentence; code where code is asked for.
_WORTH = {"prose": 1.0, "item": 0.95, "row": 0.8, "heading": 0.5, "code": 0.55}
_CODE_WORTH = 1.0
#: What standing in the best window, and a neighbour's terms, are worth beside the share of the query's terms.
_WINDOW_WORTH, _NEIGHBOUR_WORTH, _BEGINNING_WORTH = 0.15, 0.3, 0.05


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or line: offsets into the content, what it is, and the number of its block."""

    start: int
    end: int
    kind: str
    block: int


def snippet_of(
    section: Section,
    query: str,
    weights: Mapping[str, float],
    spans: Sequence[Window],
    *,
    near: Window | None = None,
    passage: Window | None = None,
) -> Snippet | None:
    """The passage of a section that answers best; None for a section without text.

    `weights` are the query's terms with their worth, `spans` where they stand in the content, in order, `near` the window
    nearest to the query's vector and `passage` the best sentences by words, all as offsets into the content.
    """
    content = section.content
    first = max((w.start for w in (passage, near) if w is not None), default=0)
    begin = 0 if len(content) <= _READ else max(section.body_offset, min(first - _READ // 2, len(content) - _READ))
    found = list(units(content, max(begin, section.body_offset), begin + _READ))
    if not found:
        return None
    asks_code = bool(_CODE_ASKED.search(query))
    scores = _scores(found, content, weights, spans, near, asks_code)
    best = max(range(len(found)), key=lambda i: (scores[i], -i))
    lowest, highest = _grown(found, scores, best)
    chosen = found[lowest : highest + 1]
    return _snippet(section, chosen, spans)


def units(content: str, start: int, stop: int) -> Iterator[Unit]:
    """The units of a part of the content, in order."""
    fence, in_comment, block, paragraph, kind = "", False, 0, [], "prose"
    at = start

    def flush() -> Iterator[Unit]:
        nonlocal paragraph, block
        if paragraph:
            block += 1
            for one in _sentences(content, paragraph):
                yield Unit(*one, kind, block)
            paragraph = []

    while at < stop and at < len(content):
        end = content.find("\n", at)
        end = len(content) if end < 0 else end
        line, here = content[at:end].rstrip("\r"), at
        at = end + 1
        mark = _FENCE.match(line)
        if fence:
            if mark is not None and mark.group(1).startswith(fence) and not mark.group(2).strip():
                fence, block = "", block + 1
            elif line.strip():
                yield Unit(here + len(line) - len(line.lstrip()), here + len(line.rstrip()), "code", block)
            continue
        if in_comment:
            in_comment = "-->" not in line
            continue
        if mark is not None and "`" not in mark.group(2):
            yield from flush()
            fence, block = mark.group(1), block + 1
            continue
        quote = _QUOTE.match(line)
        text = line[quote.end() :] if quote else line
        shift = here + (quote.end() if quote else 0)
        if text.lstrip().startswith("<!--"):
            yield from flush()
            in_comment = "-->" not in text
            continue
        if not text.strip() or _NOISE.match(text) or _ALERT.match(text):
            yield from flush()
            continue
        if _HEADING.match(text) or _ROW.match(text):
            yield from flush()
            kind, paragraph = ("heading" if _HEADING.match(text) else "row"), [(shift, shift + len(text))]
            yield from flush()
            continue
        item = _ITEM.match(text)
        if item:
            yield from flush()
            kind, paragraph = "item", [(shift + item.end(), shift + len(text))]
        elif paragraph:
            paragraph.append((shift, shift + len(text)))
        elif text.startswith(("    ", "\t")) and not text.strip().startswith(("-", "*")):
            yield Unit(shift + len(text) - len(text.lstrip()), shift + len(text.rstrip()), "code", block)
        else:
            kind, paragraph = "prose", [(shift, shift + len(text))]
    yield from flush()


def _sentences(content: str, lines: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Where the sentences of a paragraph stand, whose lines stand there."""
    start, end = lines[0][0], lines[-1][1]
    text = content[start:end]
    begin = len(text) - len(text.lstrip())
    for stop in _STOP.finditer(text):
        if _ABBREVIATION.search(text, max(0, stop.start() - 8), stop.start() + 1):
            continue
        if text[begin : stop.end()].strip():
            yield start + begin, start + stop.end()
        begin = _SOME_BLANKS.match(text, stop.end()).end()  # type: ignore[union-attr]
    if text[begin:].strip():
        yield start + begin, start + len(text.rstrip())


def _scores(
    found: Sequence[Unit],
    content: str,
    weights: Mapping[str, float],
    spans: Sequence[Window],
    near: Window | None,
    asks_code: bool,
) -> list[float]:
    """What each unit is worth."""
    whole = sum(weights.values()) or 1.0
    begins = [span.start for span in spans]
    held: list[dict[str, float]] = []
    for unit in found:
        mine: dict[str, float] = {}
        for span in spans[bisect_left(begins, unit.start) : bisect_left(begins, unit.end)]:
            for term in terms(content[span.start : span.end]):
                if term in weights:
                    mine[term] = weights[term]
        held.append(mine)
    scores = []
    for i, unit in enumerate(found):
        mine = sum(held[i].values()) / whole
        around = {**(held[i - 1] if i else {}), **(held[i + 1] if i + 1 < len(found) else {})}
        more = sum(weight for term, weight in around.items() if term not in held[i]) / whole
        worth = _CODE_WORTH if unit.kind == "code" and asks_code else _WORTH[unit.kind]
        score = worth * (mine + _NEIGHBOUR_WORTH * more)
        if near is not None and unit.start < near.end and unit.end > near.start:
            score += _WINDOW_WORTH * worth
        scores.append(score + _BEGINNING_WORTH * worth * (1 - i / len(found)))
    return scores


def _grown(found: Sequence[Unit], scores: Sequence[float], best: int) -> tuple[int, int]:
    """The first and last unit of the snippet."""
    low = high = best
    size = found[best].end - found[best].start
    while True:
        after = found[high + 1] if high + 1 < len(found) else None
        before = found[low - 1] if low else None
        fits_after = after is not None and size + after.end - found[high].end <= MAX_CHARACTERS
        # a snippet begins inside of no fence, unless its best line stands in one
        fits_before = before is not None and size + found[low].start - before.start <= MAX_CHARACTERS
        fits_before = fits_before and (before.kind != "code" or found[low].kind == "code")  # type: ignore[union-attr]
        if fits_before and (not fits_after or scores[low - 1] > scores[high + 1]):
            low -= 1
        elif fits_after:
            high += 1
        else:
            return low, high
        size = found[high].end - found[low].start


def _snippet(section: Section, chosen: Sequence[Unit], spans: Sequence[Window]) -> Snippet:
    """The text of the units, and where it and the matches in it stand."""
    content = section.content
    pieces: list[str] = []
    matches: list[Window] = []
    begins = [span.start for span in spans]
    size = 0
    for i, unit in enumerate(chosen):
        if i:
            apart = " " if unit.block == chosen[i - 1].block and unit.kind != "code" else "\n"
            pieces.append(apart)
            size += 1
        raw = content[unit.start : min(unit.end, unit.start + MAX_SENTENCE)]
        text = raw if unit.kind == "code" else _BLANKS.sub(" ", raw)
        for span in spans[bisect_left(begins, unit.start) : bisect_left(begins, unit.start + len(raw))]:
            if span.end <= unit.start + len(raw):
                start, end = (size + len(_BLANKS.sub(" ", content[unit.start : place])) for place in (span.start, span.end))
                if text == raw:
                    start, end = size + span.start - unit.start, size + span.end - unit.start
                matches.append(Window(start, end))
        pieces.append(text)
        size += len(text)
    first, last = chosen[0].start, min(chosen[-1].end, chosen[-1].start + MAX_SENTENCE)
    return Snippet(
        text="".join(pieces),
        start=first,
        end=last,
        start_line=section.start_line + _line_ends(content, 0, first),
        end_line=section.start_line + _line_ends(content, 0, last),
        matches=tuple(matches),
    )


def _line_ends(content: str, start: int, end: int) -> int:
    newlines, returns = content.count("\n", start, end), content.count("\r", start, end)
    return newlines + returns - content.count("\r\n", start, end) if returns else newlines
