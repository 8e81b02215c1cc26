"""Numbers and codes of a query, as sections write them: 07700900612 where a note has 07700 900612.

People set blanks, hyphens and dots into telephone numbers, accounts and number plates as they like, and leave them out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from schema.text.dates import days
from search.index.vocabulary import Vocabulary
from search.ranking.query import QUOTED

#: A number or code in one piece, or numbers with something between them; fewer signs than this are no code, and the first
#: ones of a query are looked for.
_CODE = re.compile(r"(?<![\w.-])(?:(?=[A-Za-z]{0,8}[0-9])[A-Za-z0-9]{5,40}|[0-9]{1,12}(?:[ -][0-9]{1,12}){1,10})(?![\w-])")
_FEWEST, _MOST_CODES, _SIGNS = 5, 3, re.compile(r"[^A-Za-z0-9]")
#: A number with its unit, which is no code: 400mg.
_AMOUNT = re.compile("[0-9]+[A-Za-z]+")
#: What may stand between the parts of a number, and the shortest part that sections are looked up by.
_BETWEEN, _SHORTEST_PART = r"[ \u00a0./-]{0,2}", 2
#: The parts by which sections are looked up, the rarest ones, and the sections of each.
_MOST_PARTS, _MOST_TEXTS = 4, 50


def as_written(
    text: str, vocabulary: Vocabulary, is_held: Callable[[str], bool], texts_with: Callable[[str], Iterable[str]]
) -> str:
    """A query with its numbers and codes as a section writes them, where none has them as they are typed; not of its dates,
    and not in quotes.

    `is_held` tells whether a section holds a term, and `texts_with` gives the texts of some sections that hold one.
    """
    kept = [range(day.start, day.end) for day in days(text)]
    kept += [range(*quoted.span()) for quoted in QUOTED.finditer(text)]

    def written(match: re.Match[str]) -> str:
        code = _SIGNS.sub("", match.group())
        is_kept = any(match.start() in part for part in kept)
        if len(code) < _FEWEST or is_kept or _AMOUNT.fullmatch(code) or is_held(match.group().lower()):
            return match.group()
        return next(_forms(code, vocabulary, texts_with), match.group())

    return _CODE.sub(written, text, count=_MOST_CODES)


def _forms(code: str, vocabulary: Vocabulary, texts_with: Callable[[str], Iterable[str]]) -> Iterator[str]:
    """Yield a code as sections write it: its first or last part is a term of theirs."""
    folded = code.lower()
    ends = range(_SHORTEST_PART, len(folded))
    counts = vocabulary.frequencies({folded, *(folded[:end] for end in ends), *(folded[-end:] for end in ends)})
    form = re.compile(rf"(?<![A-Za-z0-9]){_BETWEEN.join(folded)}(?![A-Za-z0-9])", re.IGNORECASE)
    for part in sorted(counts, key=lambda part: (counts[part], -len(part)))[:_MOST_PARTS]:
        for found in islice(texts_with(part), _MOST_TEXTS):
            if (match := form.search(found)) is not None:
                yield match.group()
