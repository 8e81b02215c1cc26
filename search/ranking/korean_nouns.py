"""A Korean noun of one syllable in a query, alone or with a particle → its forms that sections have: 물, 물이, 물을.

Longer nouns lose their particles in all texts (`schema.text.stems`). Of two syllables the second may be a particle (물이) or
not (나이, age), so texts keep them, and a query looks for the noun with each particle that may follow its sound.
"""

from __future__ import annotations

import re

from search.index.vocabulary import Synonyms, Vocabulary
from search.ranking.query import QUOTED

_WORD = re.compile(r"(?<![가-힣\d])[가-힣]{1,2}(?![가-힣])")
#: The particles behind a consonant, behind a vowel, and behind either.
_BEHIND_CONSONANT, _BEHIND_VOWEL, _BEHIND_EITHER = "이은을", "가는를", "에"
#: The same that are looked for, but that a word in a query may end with as a noun of its own: 결과, 지도, 경로.
_LOOKED_FOR = {True: "이은을과에도", False: "가는를와로에도"}
#: So many sections, or this share of all, may have a form for it to be looked for.
_MOST, _SHARE = 3, 0.05
#: Words of two syllables that end as if with a particle, and syllables that are small words, no nouns.
_OTHER_WORDS = frozenset("같은 같이 많은 많이 없이 굳이 길이 높이 깊이 넓이 놀이 종이 먹이 휴가 추가 요가 하는 되는".split())
_SMALL_WORDS = frozenset("안못더덜잘꼭또왜뭐수것게때등및그이저제내네나너누")


def noun_forms(text: str, vocabulary: Vocabulary) -> Synonyms:
    """By each noun of one syllable in a query, as it is typed, its other forms that sections have; none of a noun that many
    sections have, since it would weigh little then."""
    likely = {word: forms for word in _WORD.findall(QUOTED.sub(" ", text)) if (forms := _forms(word))}
    known = vocabulary.frequencies({form for word, forms in likely.items() for form in (word, *forms)})
    most = max(_MOST, _SHARE * vocabulary.all_rows)
    held = {word: sorted(known.keys() & forms) for word, forms in likely.items()}
    return {word: tuple(forms) for word, forms in held.items() if forms and max(known[form] for form in forms) <= most}


def _forms(word: str) -> set[str]:
    """The forms of the noun that a word begins with, but for the word; none for a word that is no noun with a particle."""
    noun, particle = word[0], word[1:]
    ends_in_consonant = (ord(noun) - ord("가")) % 28 > 0
    may_follow = (_BEHIND_CONSONANT if ends_in_consonant else _BEHIND_VOWEL) + _BEHIND_EITHER
    if word in _OTHER_WORDS or noun in _SMALL_WORDS or particle not in may_follow:
        return set()
    return {noun, *(noun + each for each in _LOOKED_FOR[ends_in_consonant])} - {word}
