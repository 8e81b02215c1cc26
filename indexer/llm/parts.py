"""A long text → parts of at most so many tokens, cut where the text itself has its borders.

The borders are, best first: headings of level 1, 2, 3, blank lines, line ends; a line that is too long is cut at a blank or
between two characters. The parts are about as long as each other, and joined they are the text. Time is linear in the text.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from indexer.markdown.blocks import read_headings
from indexer.markdown.frontmatter import read_front_matter
from schema.protocols import TokenCounter

#: How strong a border is: a heading has its level.
_PARAGRAPH, _LINE, _WORD, _TOO_SOON = 4, 5, 6, 7
#: Ends of sentences and words, at which a long line is cut.
_ENDS = ("。", "．", ". ", " ", "、", "\t")
_WHOLE_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")
#: A token has rarely more characters.
_CHARACTERS_OF_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class _Piece:
    """A line or a part of one: where it begins, its tokens, and how strong the border before it is (1 the strongest)."""

    start: int
    tokens: int
    border: int


def cut(text: str, limit: int, counter: TokenCounter) -> list[tuple[int, int]]:
    """Return the (start, end) character offsets of parts of at most `limit` tokens, in order; one for a text that fits."""
    if limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit!r}")
    if counter.count(text) <= limit:
        return [(0, len(text))]
    pieces = list(_pieces(text, limit, counter))
    sums = [0, *itertools.accumulate(piece.tokens for piece in pieces)]
    starts = [0]
    first = 0
    while sums[-1] - sums[first] > limit and first + 1 < len(pieces):
        first = _next_part(pieces, sums, first, limit)
        starts.append(pieces[first].start)
    return list(itertools.pairwise([*starts, len(text)]))


def _next_part(pieces: Sequence[_Piece], sums: Sequence[int], first: int, limit: int) -> int:
    """Return the index of the piece before which the part that begins with the piece `first` ends.

    Among the borders that leave the part at least half as long as the rest divided evenly, it is the strongest; of equal
    ones that which divides the rest most evenly.
    """
    rest = sums[-1] - sums[first]
    even = rest / math.ceil(rest / limit)
    best, best_rank = first + 1, (math.inf, math.inf)
    for index in range(first + 1, len(pieces)):
        tokens = sums[index] - sums[first]
        if tokens > limit:
            break
        rank = (pieces[index].border if tokens >= even / 2 else _TOO_SOON, abs(tokens - even))
        if rank < best_rank:
            best, best_rank = index, rank
    return best


def _pieces(text: str, limit: int, counter: TokenCounter) -> Iterator[_Piece]:
    front = read_front_matter(text).raw
    headings, _ = read_headings(text[len(front) :], {})
    first = sum(1 for _ in _WHOLE_LINE.finditer(front))
    levels = {first + heading.line: heading.level for heading in headings if heading.level <= 3 and not heading.is_nested}
    is_after_paragraph = is_after_heading = False
    for number, line in enumerate(_WHOLE_LINE.finditer(text)):
        border = levels.get(number, _PARAGRAPH if is_after_paragraph else _LINE)
        for at, tokens in _chunks(line.group(), limit, counter):
            yield _Piece(line.start() + at, tokens, _WORD if at else border)
        is_blank = not line.group().strip()
        is_after_paragraph = is_blank and not is_after_heading
        is_after_heading = number in levels or (is_after_heading and is_blank)


def _chunks(line: str, limit: int, counter: TokenCounter) -> Iterator[tuple[int, int]]:
    """Yield the offset and tokens of each part of a line that has at most `limit` tokens; of the line, if it fits."""
    at = 0
    while at < len(line):
        length = min(len(line) - at, limit * _CHARACTERS_OF_A_TOKEN)
        while (tokens := counter.count(line[at : at + length])) > limit and length > 1:
            length = max(1, min(length - 1, length * limit // tokens))
        if at + length < len(line):
            found = max(line.rfind(end, at + length // 2, at + length) + len(end) for end in _ENDS)
            length = found - at if found > at + length // 2 else length
        yield at, tokens
        at += length
