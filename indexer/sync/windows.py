"""Section text → windows that fit the embedding model, so that the model gets all of the text.

Windows end at the end of a block if possible, else of a line, else of a sentence (also a Japanese or Chinese one), else
after any token.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from schema.protocols import TokenSpan
from schema.results import Window
from schema.text.sentences import SENTENCE_END

#: Tokens that two neighbouring windows share where a sentence is cut, so that at least one has more of it.
OVERLAP_TOKENS = 16
#: Most tokens of a breadcrumb in a window; a longer one loses its beginning, the outermost headings.
MAX_BREADCRUMB_TOKENS = 64
#: A window may be shorter than an even division of the text by this share of it.
_SLACK = 0.3
_CUTS = (
    re.compile(r"(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)"),
    re.compile(r"\r\n|\n|\r"),
    SENTENCE_END,
)


def cut_windows(text: str, spans: Sequence[TokenSpan], *, budget: int, overlap: int = OVERLAP_TOKENS) -> list[Window]:
    """Return windows of at most `budget` tokens that together cover the text, as character offsets into `text`.

    `spans` are the offsets of the embedding model's tokens in `text`. Texts without a token give no window.
    """
    if budget < 1:
        raise ValueError(f"budget must be at least 1, not {budget!r}")
    if not spans:
        return []
    overlap = min(overlap, budget // 4)
    cuts = [[match.end() for match in pattern.finditer(text)] for pattern in _CUTS]
    starts = [start for start, _ in spans]
    windows: list[Window] = []
    first = 0
    while True:
        remaining = len(spans) - first
        if remaining <= budget:
            windows.append(Window(spans[first][0] if windows else 0, len(text)))
            return windows
        # windows of about the same size, so that the last one is not very short
        shares = -(-(remaining - overlap) // (budget - overlap))
        even = -(-(remaining + (shares - 1) * overlap) // shares)
        low = first + max(1, int(even * (1 - _SLACK)))
        last, is_end = _cut(starts, cuts, low=low, even=first + even, high=first + budget)
        windows.append(Window(spans[first][0] if windows else 0, spans[last - 1][1]))
        first = last if is_end else max(first + 1, last - overlap)


def _cut(starts: Sequence[int], cuts: Sequence[Sequence[int]], *, low: int, even: int, high: int) -> tuple[int, bool]:
    """Return the token before which to cut, in low..high, and whether a block, line or sentence ends there.

    Of the cuts of the best kind that there is, it is the nearest to `even`.
    """
    for offsets in cuts:
        nearby = offsets[bisect_left(offsets, starts[low - 1] + 1) : bisect_right(offsets, starts[high])]
        tokens = {bisect_left(starts, offset) for offset in nearby}
        possible = [token for token in tokens if low <= token <= high]
        if possible:
            return min(possible, key=lambda token: (abs(token - even), token)), True
    return high, False


def join_breadcrumb(parts: Sequence[str]) -> str:
    """Return title and headings as one line."""
    return " > ".join(parts)


def clip_breadcrumb(text: str, spans: Sequence[TokenSpan], *, limit: int = MAX_BREADCRUMB_TOKENS) -> str:
    """Return the last `limit` tokens of a breadcrumb, since the innermost headings tell most about a section."""
    return text if len(spans) <= limit else text[spans[len(spans) - limit][0] :]
