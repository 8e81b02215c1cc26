"""Numbers of tokens → unit vectors: the layers of the Universal Sentence Encoder, multilingual, version 3.

Three branches read every token with its neighbours, two, three or five tokens at once, in two layers each. All that a text
has of its tokens is then added up, and four more layers make a vector of the sum. What the first layer of a branch makes of
a token does not depend on its neighbours until it is added to theirs, so it is computed once for all places where the token
stands: that saves half of the work or more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from indexer.models.multilingual.threads import mapped
from schema.protocols import Vectors

DIMENSION = 512
#: The branches: how many tokens each reads at once, and how many of them before the token itself.
BRANCHES = {2: 0, 3: 1, 5: 2}
#: Columns of a branch.
BRANCH_WIDTH = 256
#: Rows of zeros before, between and after texts, as many as the widest branch reads beside a token.
_GAP = 2
#: Tokens whose different ones are computed together, by one thread: more would take more memory and hardly less time.
GROUP_TOKENS = 4096
#: Tokens of texts computed together, so that what they take stays in the processor's cache.
BATCH_TOKENS = 1024

_Matrix = npt.NDArray[np.float32]
_Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Tokens:
    """What is known of each token without its neighbours; the last row is that of a gap, zeros.

    `words`: (tokens + 1, 512). `entered`: (branch, tokens + 1, 256). `parts`: for each branch (neighbour, tokens + 1, 256).
    """

    words: _Matrix
    entered: _Matrix
    parts: tuple[_Matrix, ...]


class Network:
    """The layers, given as the arrays that `package.LAYOUT` names. Many threads may use one."""

    def __init__(self, stored: Mapping[str, npt.NDArray[Any]]) -> None:
        self._stored = stored
        self._tiny = np.float32(stored["tiny"])

    def vectors(self, texts: Sequence[Sequence[int]]) -> Vectors:
        """Unit vectors of texts given as the numbers of their tokens, at least one each; shape (texts, dimension)."""
        if not texts:
            return np.empty((0, DIMENSION), np.float32)
        groups = list(_portions(texts, GROUP_TOKENS))
        return np.concatenate(mapped(lambda group: self._group([texts[place] for place in group]), groups))

    def _group(self, texts: Sequence[Sequence[int]]) -> Vectors:
        """As `vectors`, for a portion of the texts."""
        numbers, rows = np.unique(np.concatenate([np.asarray(text, np.int64) for text in texts]), return_inverse=True)
        lengths = np.array([len(text) for text in texts])
        rows_of_texts = np.split(rows, np.cumsum(lengths)[:-1])
        tokens = self._tokens(numbers)
        batches = _portions(texts, BATCH_TOKENS)
        sums = np.concatenate([self._sums([rows_of_texts[place] for place in batch], tokens) for batch in batches])
        counts = lengths.astype(np.float32)[:, None]
        return self._deepened((sums @ self._stored["sum"] + counts * self._stored["sum_bias"]) / np.sqrt(counts))

    def _tokens(self, numbers: _Numbers) -> _Tokens:
        """What is known of tokens, given by their numbers, all different."""
        stored = self._stored
        table = numbers % len(stored["scale"])
        words = np.zeros((len(numbers) + 1, DIMENSION), np.float32)
        np.multiply(stored["rows"][numbers], stored["scale"][table, None], out=words[:-1])
        words[:-1] += stored["least"][table, None]
        rows = words[:-1] @ stored["enter"]
        rows += stored["enter_bias"]
        rows -= rows.mean(axis=1, keepdims=True)
        rows *= (1 / np.sqrt(np.einsum("ij,ij->i", rows, rows) / rows.shape[1] + self._tiny))[:, None]
        rows *= stored["enter_gain"]
        rows += stored["enter_shift"]
        entered = np.zeros((len(BRANCHES), len(words), BRANCH_WIDTH), np.float32)
        entered[:, :-1] = rows.reshape(len(numbers), len(BRANCHES), BRANCH_WIDTH).swapaxes(0, 1)
        parts = []
        for branch, (size, before) in zip(entered, BRANCHES.items(), strict=True):
            part = branch @ stored[f"first{size}"].reshape(size, BRANCH_WIDTH, BRANCH_WIDTH)
            part[before] += stored[f"first_bias{size}"]
            parts.append(part)
        return _Tokens(words, entered, tuple(parts))

    def _sums(self, texts: Sequence[_Numbers], tokens: _Tokens) -> _Matrix:
        """For each text the sum of what all layers before the sum make of its tokens, given as rows of `tokens`."""
        lengths = np.array([len(text) for text in texts])
        starts = np.cumsum(lengths + _GAP) - lengths
        rows = np.full(starts[-1] + lengths[-1] + _GAP, len(tokens.words) - 1)
        for start, text in zip(starts.tolist(), texts, strict=True):
            rows[start : start + len(text)] = text
        inner = rows[_GAP:-_GAP]
        is_gap = inner == len(tokens.words) - 1
        found = np.empty((len(inner), DIMENSION + len(BRANCHES) * BRANCH_WIDTH), np.float32)
        found[:, :DIMENSION] = _taken(tokens.words, inner)
        for place, size in enumerate(BRANCHES):
            left = DIMENSION + place * BRANCH_WIDTH
            out = found[:, left : left + BRANCH_WIDTH]
            self._branch(size, rows, is_gap, tokens.entered[place], tokens.parts[place], out)
        # layer normalisation and sum at once: every row is shifted by its mean, scaled, and added to the others of its text
        means = found.mean(axis=1)
        scales = np.einsum("ij,ij->i", found, found) / found.shape[1] - means * means
        scales = 1 / np.sqrt(scales + self._tiny)
        sums = np.empty((len(texts), found.shape[1]), np.float32)
        for row, (start, length) in enumerate(zip((starts - _GAP).tolist(), lengths.tolist(), strict=True)):
            here = slice(start, start + length)
            np.matmul(scales[here], found[here], out=sums[row])
            sums[row] -= scales[here] @ means[here]
        sums *= self._stored["gain"]
        sums += lengths.astype(np.float32)[:, None] * self._stored["shift"]
        return sums

    def _branch(
        self,
        size: int,
        rows: _Numbers,
        is_gap: npt.NDArray[np.bool_],
        entered: _Matrix,
        parts: _Matrix,
        out: _Matrix,
    ) -> None:
        """Write to `out` what the branch of that size makes of each token, given as rows of `entered` and of `parts`."""
        stored = self._stored
        count, before = len(out), BRANCHES[size]
        spread = np.zeros((len(rows), BRANCH_WIDTH), np.float32)
        first = spread[_GAP:-_GAP]
        for neighbour, part in enumerate(parts):
            start = _GAP - before + neighbour
            first += _taken(part, rows[start : start + count])
        np.maximum(first, 0, out=first)
        first += _taken(entered, rows[_GAP:-_GAP])
        first[is_gap] = 0
        windows = np.lib.stride_tricks.sliding_window_view(spread.reshape(-1), size * BRANCH_WIDTH)[::BRANCH_WIDTH]
        start = _GAP - before
        second = np.ascontiguousarray(windows[start : start + count]) @ stored[f"second{size}"]
        second += stored[f"second_bias{size}"]
        np.maximum(second, 0, out=second)
        np.add(first, second, out=out)

    def _deepened(self, sums: _Matrix) -> Vectors:
        """The last layers: two blocks, each with a way around it."""
        stored = self._stored
        middle = np.maximum(sums @ stored["p1"] + np.maximum(sums @ stored["d0"], 0) @ stored["d1"], 0)
        last = np.tanh(middle @ stored["p3"] + np.maximum(middle @ stored["d2"], 0) @ stored["d3"])
        lengths = np.linalg.norm(last, axis=1, keepdims=True)
        return np.asarray(last / np.maximum(lengths, 1e-12), np.float32)


def _taken(matrix: _Matrix, rows: _Numbers) -> _Matrix:
    taken: _Matrix = np.take(matrix, rows, axis=0, mode="clip")  # several times as fast as with a check of each row
    return taken


def _portions(texts: Sequence[Sequence[int]], limit: int) -> Iterator[list[int]]:
    """Places of texts, in order, with at most `limit` tokens together, unless one text has more."""
    portion: list[int] = []
    size = 0
    for place, text in enumerate(texts):
        if portion and size + len(text) > limit:
            yield portion
            portion, size = [], 0
        portion.append(place)
        size += len(text)
    if portion:
        yield portion
