"""Compounds of a query that no section has → their weight is that of their parts.

内線番号 is asked for where the documents say 内線. As a word that stands nowhere it would count as what every section lacks,
and the name beside it would decide alone.
"""

from __future__ import annotations

from collections.abc import Mapping

import regex

from schema.text.runs import HAN_KANA, HANGUL
from search.index.vocabulary import Vocabulary

#: A compound: four characters or more of one script. The last one of a Korean word may be an ending or a form of address.
_COMPOUND = regex.compile(rf"[{HAN_KANA}]{{4,16}}|(?P<korean>[{HANGUL}]{{4,16}})")


def divided(weights: Mapping[str, float], vocabulary: Vocabulary) -> Mapping[str, float]:
    """Return the weights of a query's terms with those of each compound that no section holds, and of its pairs that none
    holds, given to the other pairs, if these have all its characters."""
    compounds = [match for term in weights if (match := _COMPOUND.fullmatch(term))]
    if not compounds:
        return weights
    vocabulary.look_up(weights)
    moved = dict(weights)
    for match in compounds:
        word = match.group()
        pairs = [word[at : at + 2] for at in range(len(word) - 1)]
        held = [at for at, pair in enumerate(pairs) if pair in moved and vocabulary.frequency(pair)]
        reached = {at for begin in held for at in (begin, begin + 1)}
        needed = len(word) - (match.group("korean") is not None)
        if vocabulary.frequency(word) or not reached.issuperset(range(needed)):
            continue
        kept = dict.fromkeys(pairs[at] for at in held)
        taken = sum(moved.pop(term, 0.0) for term in {word, *pairs} - kept.keys())
        share = sum(moved[pair] for pair in kept)
        moved |= {pair: moved[pair] * (1.0 + taken / share) for pair in kept}
    return moved
