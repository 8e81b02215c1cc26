"""A section and what was asked of it → the passage to show: the sentences, or lines of code, that answer best.

The section is read as units: sentences of paragraphs, items of lists, rows of tables, lines of code. Comments, definitions
of links, imports, directives, lines of tags, rules and images are none. A unit is worth the query's terms in it and in its
neighbours, more if it is prose and if it stands in the window nearest to the query's vector. The best unit grows by its
neighbours up to `MAX_CHARACTERS`.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
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
# lines of code that only prepare: imports, comments, brackets
_NO_CODE = re.compile(
    r"\s*(?:import\s|from\s\S+\simport\s|use\s[\w:]+|#include\b|['\"]use (?:client|server|strict)['\"]|require\(|[\W_]+$)"
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
_WORTH = {"prose": 1.0, "item": 0.95, "row": 0.8, "code": 0.55}
_CODE_WORTH = 1.0
#: How much less a term says that stands in many units of the section.
_RARITY = 1.0
#: What standing in the best window, and the terms of neighbours and of the heading of the part, are worth beside the share of
#: the query's terms in the unit itself.
_WINDOW_WORTH, _NEIGHBOUR_WORTH, _PART_WORTH = 0.15, 0.3, 0.3
#: A term of the section's own heading says little about where in the section the answer stands.
_HEADING_SHARE = 0.4
#: What being the first unit is worth, and how much more where the heading is what was asked for.
_BEGINNING_WORTH, _DEFINITION_WORTH = 0.05, 0.4
#: What a unit that announces the next one gives it.
_ANNOUNCED_WORTH = 0.2
_ANNOUNCES = re.compile(r"[:：]\W*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence or line: offsets into the content, what it is, the numbers of its block and of its part.

    Parts begin at the headings inside of a section (H4 to H6); `heading` are the offsets of its part's.
    """

    start: int
    end: int
    kind: str
    block: int
    heading: tuple[int, int]


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
    named = frozenset(terms(section.heading))
    whole = sum(weights.values()) or 1.0
    asked = sum(weight for term, weight in weights.items() if term in named) / whole
    worth = {term: weight * (_HEADING_SHARE if term in named else 1.0) / whole for term, weight in weights.items()}
    scores = _scores(found, content, worth, spans, near, asks_code=bool(_CODE_ASKED.search(query)), asked=asked)
    best = max(range(len(found)), key=lambda i: (scores[i], -i))
    lowest, highest = _grown(found, content, scores, best)
    return _snippet(section, found[lowest : highest + 1], spans)


def units(content: str, start: int, stop: int) -> Iterator[Unit]:
    """The units of a part of the content, in order."""
    fence, in_comment, block, heading = "", False, 0, (0, 0)
    paragraph: list[tuple[int, int]] = []
    kind, at = "prose", start

    def flush() -> Iterator[Unit]:
        nonlocal block
        if paragraph:
            block += 1
            for first, last in _sentences(content, paragraph):
                yield Unit(first, last, kind, block, heading)
            paragraph.clear()

    while at < min(stop, len(content)):
        end = content.find("\n", at)
        end = len(content) if end < 0 else end
        line, here = content[at:end].rstrip("\r"), at
        at = end + 1
        mark = _FENCE.match(line)
        if fence:
            if mark is not None and mark.group(1).startswith(fence) and not mark.group(2).strip():
                fence, block = "", block + 1
            elif line.strip() and not _NO_CODE.match(line):
                yield Unit(here + len(line) - len(line.lstrip()), here + len(line.rstrip()), "code", block, heading)
            continue
        if in_comment:
            in_comment = "-->" not in line
            continue
        if mark is not None and "`" not in mark.group(2):
            yield from flush()
            fence, block = mark.group(1), block + 1
            continue
        quote = _QUOTE.match(line)
        shift = here + (quote.end() if quote else 0)
        text = content[shift : here + len(line)]
        in_comment = text.lstrip().startswith("<!--") and "-->" not in text
        if not text.strip() or text.lstrip().startswith("<!--") or _NOISE.match(text) or _ALERT.match(text):
            yield from flush()
        elif _HEADING.match(text):
            yield from flush()
            heading = (shift, shift + len(text))
        elif (item := _ITEM.match(text)) or _ROW.match(text):
            yield from flush()
            kind = "item" if item else "row"
            paragraph.append((shift + (item.end() if item else 0), shift + len(text)))
        elif not paragraph and text.startswith(("    ", "\t")):
            yield Unit(shift + len(text) - len(text.lstrip()), shift + len(text.rstrip()), "code", block, heading)
        else:
            kind = kind if paragraph else "prose"
            paragraph.append((shift, shift + len(text)))
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
    *,
    asks_code: bool,
    asked: float,
) -> list[float]:
    """What each unit is worth; `asked` is the share of the query that the section's heading holds."""
    begins = [span.start for span in spans]

    def held(start: int, end: int) -> dict[str, float]:
        inside = spans[bisect_left(begins, start) : bisect_left(begins, end)]
        return {term: weights[term] for span in inside for term in terms(content[span.start : span.end]) if term in weights}

    own = [held(unit.start, unit.end) for unit in found]
    holders = Counter(term for one in own for term in one)
    rare = {term: math.log1p(len(found) / count) / math.log1p(len(found)) for term, count in holders.items()}
    own = [{term: weight * rare[term] ** _RARITY for term, weight in one.items()} for one in own]
    parts = {unit.heading: held(*unit.heading) for unit in found}
    scores = []
    for i, unit in enumerate(found):
        around = {**(own[i - 1] if i else {}), **(own[i + 1] if i + 1 < len(found) else {})}
        score = sum(own[i].values())
        score += _NEIGHBOUR_WORTH * sum(weight for term, weight in around.items() if term not in own[i])
        score += _PART_WORTH * sum(weight for term, weight in parts[unit.heading].items() if term not in own[i])
        if near is not None and unit.start < near.end and unit.end > near.start:
            score += _WINDOW_WORTH
        score += _BEGINNING_WORTH * (1 - i / len(found)) + (_DEFINITION_WORTH * asked * asked if i == 0 else 0.0)
        scores.append(score * (_CODE_WORTH if unit.kind == "code" and asks_code else _WORTH[unit.kind]))
    return scores


def _grown(found: Sequence[Unit], content: str, scores: Sequence[float], best: int) -> tuple[int, int]:
    """The first and last unit of the snippet: the best one and its neighbours, in its part, as far as there is room."""
    low = high = best
    while True:
        after = found[high + 1] if high + 1 < len(found) and found[high + 1].heading == found[best].heading else None
        before = found[low - 1] if low and found[low - 1].heading == found[best].heading else None
        if after is not None and after.end - found[low].start > MAX_CHARACTERS:
            after = None
        if before is not None and found[high].end - before.start > MAX_CHARACTERS:
            before = None
        if before is not None and before.kind == "code" and found[low].kind != "code":
            before = None  # a snippet begins inside of no fence, unless its best line stands in one
        if before is None and after is None:
            return low, high
        if after is None:
            low -= 1
        elif before is None:
            high += 1
        else:
            announced = _ANNOUNCED_WORTH if _ANNOUNCES.search(content, found[high].start, found[high].end) else 0.0
            if scores[high + 1] + announced >= scores[low - 1]:
                high += 1
            else:
                low -= 1


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
