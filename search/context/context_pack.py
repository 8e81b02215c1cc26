"""Hits → a text within a token budget for a reader or a model: the best sections whole, then parts, each with its citation.

Documents are in the order of their best hits, pieces in document order, and no line comes twice. Above a piece are the
headings above it, with their summaries, unless the context has shown them before, and the properties of the document that
were asked for. Every piece consists of whole lines of the file and cites their numbers; one that begins within a table has
the names of its columns above them, and a block of code that is cut has both its fences. Unsafe characters are spelt out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from schema.protocols import TokenCounter
from schema.results import ContextPack, ContextPiece, SearchResult, Window
from schema.sections import Section, without_hidden
from schema.text.characters import one_line, printable
from schema.text.language import language
from search.context.advice import NEAREST, NO_ANSWER
from search.context.blocks import BELOW_NAMES, Blocks

#: Hits whose score is below this share of the best one's do not go into a context, nor do those whose relevance is below
#: this value and this share of the best of the first ones, which tell whether any answers.
_MIN_SHARE, _LEAST_RELEVANCE, _FIRST = 0.25, 0.1, 3
#: Where none answers, so many do, and others that are short: up to so many, in this share of the room with the first ones.
_NEAREST, _MOST_NEAREST, _SHARE_OF_NEAREST = 3, 8, 0.5
#: A part grows from the snippet by whole lines up to this many tokens.
_PART_TOKENS = 300
#: A part with fewer tokens is left out if what answers is not all in it.
_LEAST_TOKENS = 12
#: Tokens that line ends, brackets and blank lines around a piece may take.
_JOINT_TOKENS = 8
#: The share of the room that the sections for several things may fill so that each is packed as a whole.
_SHARE_OF_TEXT = 0.8
#: With less room than this, nothing is packed in place of the best section (tokens).
_LEAST_ROOM = 200
#: Tokens that are kept for the fence that closes a block of code which is cut, and the line ends of both fences.
_FOR_FENCE = 5
#: No vocabulary has a token of more characters (the longest of OpenAI's is a run of blanks).
_LONGEST_TOKEN = 128
#: A section with more than twice the room and this many tokens more does not fit, even if it ends in many blank lines.
_SURPLUS = 1000
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
#: The line below a heading of the older form, or a row of a table that separates.
_UNDERLINE = re.compile(r"=+|-+")


def build_context(
    hits: Sequence[SearchResult],
    *,
    max_tokens: int,
    counter: TokenCounter,
    answered: bool = True,
    parts: Sequence[SearchResult] = (),
) -> ContextPack:
    """Choose from the hits (best first) what fits into `max_tokens`; the text is never longer than that.

    Unless the query is `answered`, the text begins with a sentence that says so, and has the nearest hits alone. `parts` are
    the best hits for each of several things that the query lists, which go in first: whole if all of them fit, else as far
    as a share of the room lets them.
    """
    answered = answered or bool(parts)
    usable = _usable(hits) if answered else hits[:_MOST_NEAREST]
    by_id = {hit.section.id: hit for hit in (*usable[:1], *parts, *usable)}
    usable = list(by_id.values())
    firsts = list({hit.section.id: hit.section for hit in (*usable[:1], *parts)}.values())
    fit_whole = sum(section.token_count for section in firsts) <= _SHARE_OF_TEXT * max_tokens
    most = max_tokens if fit_whole or not parts else max_tokens // len(firsts)
    chosen: dict[str, ContextPiece] = {}
    opening = "" if answered else f"{NO_ANSWER} {NEAREST}\n\n"
    left = max_tokens - (counter.count(opening) if opening else 0)
    for place, hit in enumerate(usable):
        orientation = (line for _, line in _orientation(hit))
        frame = "\n".join(
            (*orientation, _cite(hit.section, 10**6, 10**6, hit.section.place), _summary_line(hit.section.summary))
        )
        extra = counter.count(frame) + _JOINT_TOKENS
        if answered or place < _NEAREST:
            room = (left if place >= len(firsts) else min(left, most)) - extra
            piece = _whole(hit.section, room, counter) or _part(hit, room, counter)
        else:
            piece = _whole(hit.section, left - extra - int((1.0 - _SHARE_OF_NEAREST) * max_tokens), counter)
        if piece is not None:
            chosen[hit.section.id] = replace(piece, stale=hit.stale)
            left -= piece.token_count + extra
        elif not chosen and left < _LEAST_ROOM:
            break  # a worse section with a shorter line must not stand for the best one
    while True:
        pieces = _in_order(chosen, by_id)
        left_out = tuple(
            _cite(hit.section, hit.section.start_line, hit.section.end_line, hit.section.place)
            for hit in (usable if answered else usable[:_NEAREST])
            if hit.section.id not in chosen
        )
        text = _render(pieces, by_id)
        text = opening + text if text else ""
        names, number = ", ".join(left_out), f"{len(left_out)} section{'s' if len(left_out) > 1 else ''}"
        notes = (f"\n\nLeft out for want of room: {names}", f"\n\nLeft out for want of room: {number}", "")
        for candidate in [text + note for note in (notes if left_out else ("",))] if text else [""]:
            tokens = counter.count(candidate)
            if tokens <= max_tokens:
                return ContextPack(
                    text=candidate,
                    token_count=tokens,
                    max_tokens=max_tokens,
                    pieces=tuple(replace(piece, language=language(piece.text)) for piece in pieces),
                    left_out=left_out,
                    answered=answered,
                )
        chosen.popitem()  # the counts of the pieces do not add up exactly to the count of the text


def _usable(hits: Sequence[SearchResult]) -> list[SearchResult]:
    """The hits that are about as good as the first ones, or not far behind."""
    best = max((hit.relevance for hit in hits[:_FIRST]), default=0.0)
    least = min(_LEAST_RELEVANCE, _MIN_SHARE * best)
    return [hit for hit in hits if hit.score >= _MIN_SHARE * hits[0].score and hit.relevance >= least]


def _whole(section: Section, room: int, counter: TokenCounter) -> ContextPiece | None:
    """The whole section, or None if it takes more than `room` (tokens)."""
    if section.token_count > 2 * max(room, 0) + _SURPLUS:
        return None
    lines = _Lines(section)
    return _piece(section, lines, 0, len(lines.texts) - 1, room, counter)


def _part(hit: SearchResult, room: int, counter: TokenCounter) -> ContextPiece | None:
    """The lines of the snippet, or of the best passage in it if there is no room for all, or as many of the first of these
    as there is room for; as many around them, below first; and the names of the columns if they begin within a table."""
    section = hit.section
    lines = _Lines(section)
    least, first, last = _least(hit, lines, room, counter)
    if least is None:
        return None
    names = _names_of_columns(lines.texts, first)
    for_names = counter.count(names) + 1 if names else 0
    end = min(bisect_left(lines.ends, hit.passage.end), last) if hit.passage else first
    blocks = Blocks(lines.written)
    for_fences = counter.count(blocks.longest_fence) + _FOR_FENCE if blocks.longest_fence else 0
    around = for_fences if any(blocks.fences(first, last)) else for_names
    while least.token_count + around > room and last > max(first, end):
        last -= 1
        least = _piece(section, lines, first, last, room, counter) or least
    if least.token_count + for_names > room:
        for_names = 0
    most = min(room, _PART_TOKENS) - max(for_names, for_fences)
    best, begin, stop = _grown(section, lines, (least, first, last), most, counter)
    shown = blocks.with_text(*blocks.uncut(begin, stop, least=(first, last)))
    if shown is None:
        return None
    if shown != (begin, stop):
        begin, stop = shown
        best = _piece(section, lines, begin, stop, room, counter) or best
    names = _names_of_columns(lines.texts, begin) if for_names else ""
    before, after = blocks.fences(best.start_line - section.content_line, best.end_line - section.content_line)
    mark = before[: len(before) - len(before.lstrip("`~"))]
    for above in dict.fromkeys((names or printable(before), names or mark)):
        framed = "\n".join(filter(None, (above, best.text, after)))
        tokens = counter.count(framed)
        if tokens <= room or names:
            whole = replace(best, text=framed, token_count=tokens)
            return whole if best.token_count >= _LEAST_TOKENS or _has_answer(hit, lines, begin, stop) else None
    return None


def _has_answer(hit: SearchResult, lines: _Lines, first: int, last: int) -> bool:
    """Whether the lines `first`..`last` hold all of what answers in the snippet, or of the best passage; so too for a hit
    that has neither."""
    window = (hit.snippet and hit.snippet.answer) or hit.passage
    begin = lines.ends[first - 1] if first else 0
    return window is None or (begin <= window.start and window.end <= lines.ends[last])


def _least(hit: SearchResult, lines: _Lines, room: int, counter: TokenCounter) -> tuple[ContextPiece | None, int, int]:
    """The piece of a part that is grown, None if there is no room for any, and its first and last line."""
    section, count = hit.section, len(lines.texts)
    windows = [hit.snippet or hit.passage or hit.window or Window(section.body_offset, section.body_offset + 1)]
    if hit.snippet and hit.snippet.answer:
        windows.append(hit.snippet.answer)
    if hit.snippet and hit.passage and hit.snippet.start <= hit.passage.start and hit.passage.end <= hit.snippet.end:
        windows.append(hit.passage)
    best, first, last = None, 0, 0
    for window in windows:
        first = min(bisect_right(lines.ends, window.start), count - 1)
        last = min(bisect_left(lines.ends, window.end), count - 1)
        best = _piece(section, lines, first, last, room, counter)
        if best is not None:
            break
    while best is None and last > first:
        last -= 1
        best = _piece(section, lines, first, last, room, counter)
    return best, first, last


def _grown(
    section: Section, lines: _Lines, least: tuple[ContextPiece, int, int], room: int, counter: TokenCounter
) -> tuple[ContextPiece, int, int]:
    """The piece with as many lines around it as there is room for, its first line, which is not that below a heading, and
    its last one."""
    best, first, last = least
    at_least = first
    grows = True
    while grows:
        grows = False
        for more_first, more_last in ((first, last + 1), (first - 1, last)):
            if more_first >= 0 and more_last < len(lines.texts):
                added = lines.texts[more_last if more_last > last else more_first]
                if added.strip():
                    grown = _piece(section, lines, more_first, more_last, room, counter)
                else:  # a piece has no blank lines at its ends
                    grown = best if best.token_count <= room else None
                if grown is not None:
                    first, last, best, grows = more_first, more_last, grown, True
    if 0 < first < at_least and _UNDERLINE.fullmatch(lines.texts[first].strip()):
        first += 1
        best = _piece(section, lines, first, last, room, counter) or best
    return best, first, last


def _names_of_columns(lines: Sequence[str], first: int) -> str:
    """The first rows of the table that line `first` is a later row of, which name its columns; "" for another line."""
    top = first
    while top > 0 and lines[first].lstrip().startswith("|") and lines[top - 1].lstrip().startswith("|"):
        top -= 1
    is_table = first > top and BELOW_NAMES.fullmatch(lines[top + 1].strip()) is not None
    return "\n".join(printable(line.rstrip("\r\n")) for line in lines[top : min(top + 2, first)]) if is_table else ""


class _Lines:
    """The lines of a section with line ends: as they are `written`, and the `texts` without what is hidden. `ends`: where
    each ends in the content; `with_text`: which have text."""

    def __init__(self, section: Section) -> None:
        self.written = written = [line for line in _LINE.findall(section.content) if line]
        shown = _LINE.findall(without_hidden(section.content, section.hidden))  # as many line ends
        self.texts = [line if line == text else _tidy(text) for line, text in zip(written, shown, strict=False)]
        self.ends = list(accumulate(map(len, written)))
        self.with_text = [i for i, line in enumerate(self.texts) if line.strip()]


def _tidy(line: str) -> str:
    """Return a line in which something was hidden with one blank between its words; its line end stays."""
    return " ".join(line.split()) + line[len(line.rstrip("\r\n")) :]


def _piece(section: Section, lines: _Lines, first: int, last: int, room: int, counter: TokenCounter) -> ContextPiece | None:
    """The lines `first`..`last` without blank ones at the ends, or None if nothing is left or it takes more than `room`."""
    begin, end = bisect_left(lines.with_text, first), bisect_right(lines.with_text, last)
    if begin == end:
        return None
    first, last = lines.with_text[begin], lines.with_text[end - 1]
    # a line's end of two characters counts as one
    if (lines.ends[last] - (lines.ends[first - 1] if first else 0)) // 2 > max(room, 0) * _LONGEST_TOKEN:
        return None
    text = printable("\n".join(line.rstrip("\r\n") for line in lines.texts[first : last + 1]))
    tokens = counter.count(text)
    if tokens > room:
        return None
    start, end = section.content_line + first, section.content_line + last
    begins = section.place_at(lines.ends[first - 1] if first else 0)
    ends = section.place_at(lines.ends[last])
    place = begins if ends == begins else f"{begins} to {ends}"
    return ContextPiece(
        section_id=section.id,
        citation=_cite(section, start, end, place),
        text=text,
        start_line=start,
        end_line=end,
        place=place,
        is_whole=(first, last) == (lines.with_text[0], lines.with_text[-1]),
        token_count=tokens,
    )


def _cite(section: Section, start: int, end: int, place: str = "") -> str:
    """Return a citation by lines, or by the place in the file, whose lines are others, if the section was converted."""
    anchor = f"#{section.anchor}" if section.anchor else ""
    if place:
        return one_line(f"{section.document_path}{anchor}, {place}")
    return one_line(f"{section.document_path}{anchor}:L{start}-L{end}")


def _in_order(chosen: Mapping[str, ContextPiece], by_id: Mapping[str, SearchResult]) -> list[ContextPiece]:
    """Documents by their best hit, which was chosen first, and pieces as they stand in the document."""
    documents = list(dict.fromkeys(by_id[identity].section.document_path for identity in chosen))
    return sorted(
        chosen.values(),
        key=lambda piece: (documents.index(by_id[piece.section_id].section.document_path), piece.start_line),
    )


def _render(pieces: Sequence[ContextPiece], by_id: Mapping[str, SearchResult]) -> str:
    blocks = []
    shown: set[str] = set()
    for piece in pieces:
        hit = by_id[piece.section_id]
        above = [line for key, line in _orientation(hit) if key not in shown]
        shown.update(key for key, _ in _orientation(hit))
        shown.add(piece.section_id)
        marks = ", ".join(["part"] * (not piece.is_whole) + ["stale"] * piece.stale)
        # a part has the summary, which says what the rest is about
        summary = "" if piece.is_whole else _summary_line(hit.section.summary)
        blocks.append(
            "\n".join(filter(None, (*above, f"[{piece.citation}]{f' ({marks})' * bool(marks)}", summary, piece.text)))
        )
    return "\n\n".join(blocks)


def _orientation(hit: SearchResult) -> Iterator[tuple[str, str]]:
    """Lines with what is above a section, each with a key by which it is shown once: the document's title, then headings."""
    section = hit.section
    top = hit.ancestors[0].heading if hit.ancestors else section.heading
    if section.document_title and section.document_title != top:
        yield f"title of {section.document_path}", one_line(section.document_title)
    if section.document_summary:
        yield f"summary of {section.document_path}", _summary_line(section.document_summary)
    if hit.properties:
        told = "; ".join(f"{name}: {value}" for name, value in hit.properties.items())
        yield f"properties of {section.document_path}", one_line(f"Front matter of {section.document_path}: {told}")
    for link in hit.ancestors:
        if link.heading:
            yield (
                link.id,
                " ".join(filter(None, ("#" * link.depth, one_line(link.heading), _summary_line(link.summary)))),
            )


def _summary_line(summary: str | None) -> str:
    """A summary in brackets on one line, so that it can fake no citation and no heading; "" for none."""
    return printable(f"({' '.join(summary.split())})") if summary else ""
