"""Compounds of a query → the parts, or the one word, that sections have in their place.

内線番号 is asked for where the documents say 内線. As a word that stands nowhere it would count as what every section lacks,
and the name beside it would decide alone. And "rate limiting" is asked for where the documents say "ratelimiting".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

import regex

from schema.text.analyzer import terms
from schema.text.runs import HAN_KANA, HANGUL
from search.index.vocabulary import Synonyms, Vocabulary
from search.ranking.query import QUOTED

#: A compound: four characters or more of one script; the last one of a Korean word may be a form of address, or tell when,
#: for what or how.
_COMPOUND = regex.compile(
    rf"[{HAN_KANA}]{{4,16}}|(?=.{{4}})[{HANGUL}]{{3,16}}?(?P<behind>[님씨군양들시때중후전별용형식값률측란])?"
)

#: English words, and what may stand between the two parts of a compound.
_WORD, _BETWEEN = re.compile(r"(?<![^\W_])[A-Za-z]{1,20}(?![^\W_])"), re.compile("[ -]")
#: Letters of a compound, at least, and the second parts of verbs (log in, back up), which are no terms of a query.
_SHORTEST = 5
_PARTICLES = frozenset({"around", "back", "by", "down", "in", "off", "on", "out", "over", "through", "up"})
#: A word that so many times as many sections have as the verb is another one: "mark down" is not Markdown.
_MUCH_COMMONER = 5


def in_one_word(text: str, weights: Mapping[str, float], vocabulary: Vocabulary) -> Synonyms:
    """Return, for two words of a query that some section writes as one, each of their terms with the term of that one word.

    `weights` are the query's terms. A word that says nothing by itself is only a second part: "log in".
    """
    plain = QUOTED.sub(lambda quoted: "." * len(quoted.group()), text)
    wholes: dict[str, set[str]] = {}
    verbs: set[str] = set()
    for first, second in pairwise(_WORD.finditer(plain)):
        if not _BETWEEN.fullmatch(plain, first.end(), second.start()):
            continue
        own = [term for term in terms(plain[first.start() : second.end()]) if term in weights]
        is_verb = second.group().lower() in _PARTICLES
        if len(own) < 2 and not (is_verb and own == terms(first.group())):
            continue
        verbs.update(own if is_verb else ())
        for begin in {first.group(), *terms(first.group())}:
            whole = terms(begin + second.group())
            if len(whole) == 1 and len(begin + second.group()) >= _SHORTEST and whole[0] not in weights:
                for term in own:
                    wholes.setdefault(term, set()).add(whole[0])
    known = vocabulary.frequencies({*wholes, *(whole for some in wholes.values() for whole in some)})

    def is_meant(whole: str, term: str) -> bool:
        is_other = term in verbs and term in known and known.get(whole, 0) > _MUCH_COMMONER * known[term]
        return whole in known and not is_other

    found = {term: tuple(sorted(one for one in some if is_meant(one, term))) for term, some in wholes.items()}
    return {term: some for term, some in found.items() if some}


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
        needed = len(word) - (match.group("behind") is not None)
        if vocabulary.frequency(word) or not reached.issuperset(range(needed)):
            continue
        kept = dict.fromkeys(pairs[at] for at in held)
        whole = sum(moved.pop(term, 0.0) for term in {word, *pairs} - kept.keys()) + sum(moved[pair] for pair in kept)
        moved |= {pair: whole / len(kept) for pair in kept}
    return moved
