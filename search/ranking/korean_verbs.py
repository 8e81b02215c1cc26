"""The forms of a Korean verb in a query → those that sections have: 보여요, 보입니다, 보이지, 보임.

Terms are words and pairs of syllables, and the ending of a verb joins the last syllable of its stem. So two forms of one
verb may share no term. Here that syllable is taken apart, and put together as other endings join it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from schema.text.analyzer import terms
from search.index.vocabulary import Synonyms, Vocabulary
from search.ranking.query import QUOTED
from search.ranking.sounds import is_surely_loanword

_WORDS = re.compile(r"(?P<not>(?<![가-힣])[안못]\s?)?(?P<word>[가-힣]{2,12})(?![가-힣])")
#: The vowels of a stem's last syllable and what they become where an ending with a vowel joins: 이 + 어 is 여.
_JOINED = {"ㅣ": "ㅕ", "ㅗ": "ㅘ", "ㅜ": "ㅝ", "ㅚ": "ㅙ", "ㅏ": "ㅏ", "ㅐ": "ㅐ", "ㅓ": "ㅓ", "ㅔ": "ㅔ"}
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
#: The consonants that end a syllable, by their numbers: none, and what endings put there.
_NONE, _N, _R, _M, _B, _SS = 0, 4, 8, 16, 17, 20
_OF_STEM, _OF_JOINED = (_NONE, _N, _R, _M, _B), (_NONE, _SS)
#: What follows a syllable of a verb that ends so, first where an ending has joined the vowel; and what may be a noun too,
#: and is a verb only behind a word that says no.
_AFTER_JOINED = {_NONE: r"요|서|도|야\w*|지\w+", _SS: r"[어습는네다지던을음고나죠]\w*"}
_AFTER_STEM = {
    _NONE: r"지\w*|면\w*|네요?|나요?|는데\w*|기\w?|려\w+|게|거나|니까?|죠|도록",
    _N: r"다\w*|데\w*",
    _R: r"까\w*|때\w*",
    _B: r"니[다까]\w*",
}
_AFTER_NO = {_NONE: r"", _M: r"", _N: r"", _R: r""}
#: Words with these ends are nouns of their own, and no form of a verb as 갇힘 is: 책임, 알림 (notification), 그림 (picture).
_NOUNS = ("임", "알림", "그림", "올림", "도움")
_FIRST, _LAST_VOWELS = ord("가"), len(_VOWELS)
#: Verbs made of a noun have that as their term.
_MAKE = frozenset("하해")


def verb_forms(text: str, vocabulary: Vocabulary) -> Synonyms:
    """By each term of a Korean verb in a query, the terms of its other forms that sections have."""
    likely = list(_likely(text))
    known = vocabulary.frequencies({form for _, forms in likely for form in forms})
    found: dict[str, tuple[str, ...]] = {}
    for own, forms in reversed(likely):  # the first syllables of a word that may be a stem decide
        if held := sorted(known.keys() & forms):
            found |= dict.fromkeys(own, tuple(held))
    return found


def _likely(text: str) -> Iterator[tuple[set[str], set[str]]]:
    """Yield the terms of a word, and those of its other forms, for each place in it where a verb's stem may end."""
    for match in _WORDS.finditer(QUOTED.sub(" ", text)):
        word = match["word"]
        is_denied = match["not"] is not None or word[0] in "안못"
        may_be_noun = not word.endswith(_NOUNS) and not is_surely_loanword(word)
        for at in range(1, len(word)):
            forms = set(_forms(word[at], word[at + 1 :], is_denied=is_denied, may_be_noun=may_be_noun)) - {word[at]}
            if forms:
                own = {word[at - 1 : at + 1], terms(word)[0]}
                yield own.intersection(terms(word)), {word[at - 1] + form for form in forms}


def _forms(syllable: str, rest: str, *, is_denied: bool, may_be_noun: bool) -> Iterator[str]:
    """Yield what the last syllable of a verb's stem becomes with other endings; nothing for a syllable that is none, since
    the `rest` of the word is no ending. The word `may_be_noun` that is made of a verb."""
    number = ord(syllable) - _FIRST
    first, vowel, last = number // (28 * _LAST_VOWELS), _VOWELS[number // 28 % _LAST_VOWELS], number % 28
    if syllable in _MAKE:
        return
    for stem, joined in _JOINED.items():
        after = [_AFTER_STEM.get(last)] if vowel == stem else []
        after += [_AFTER_JOINED.get(last)] if vowel == joined else []
        after += [_AFTER_NO.get(last)] if is_denied and vowel in (stem, joined) else []
        after += [""] if may_be_noun and last == _M and vowel == stem != joined else []
        if any(form is not None and re.fullmatch(form, rest) for form in after):
            for some, ends in ((stem, _OF_STEM), (joined, _OF_JOINED)):
                yield from (_syllable(first, some, end) for _, end in product(some, ends))


def _syllable(first: int, vowel: str, last: int) -> str:
    return chr(_FIRST + (first * _LAST_VOWELS + _VOWELS.index(vowel)) * 28 + last)
