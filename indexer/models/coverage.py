"""A text and a model's tokens of it → how much of its letters the model can have learnt as parts of words."""

from __future__ import annotations

from collections.abc import Iterable

from schema.text.analyzer import sets_blanks

#: How much of a text is looked at; more shows nothing new about its language (characters).
COVERAGE_SAMPLE = 2000


def covered_share(text: str, tokens: Iterable[tuple[tuple[int, int], str]], *, unknown: str | None) -> float:
    """Share, 0..1, of the letters that stand inside known tokens of several letters, or are words by themselves.

    Without letters, 1. `tokens`: offsets and names of the tokens of the first `COVERAGE_SAMPLE` characters; `unknown`: the
    name of those that the model does not know.

    >>> covered_share("I see 検", [((0, 1), "i"), ((2, 5), "see"), ((6, 7), "検")], unknown="[UNK]")
    0.8
    """
    sample = text[:COVERAGE_SAMPLE]
    letters = sum(map(str.isalpha, sample))
    covered = 0
    for (start, end), token in tokens:
        inside = sum(map(str.isalpha, sample[start:end]))
        if token == unknown or not inside:
            continue
        if inside > 1 or _is_whole_word(sample, start, end):
            covered += inside
    return min(1.0, covered / letters) if letters else 1.0


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """Whether a token of one letter is a word of its own in a script that sets blanks between words (I, a, x)."""
    letter = text[start:end].strip()
    before, after = text[start - 1 : start], text[end : end + 1]
    return sets_blanks(letter) and not before.isalnum() and not after.isalnum()
