"""Words of languages in Latin letters → their stems, by the stemmer of each language.

Terms have the endings of English taken off (`runs`), in every language: a query of one word does not show its language. Here
words are compared by the endings of the language that they are in.
"""

from __future__ import annotations

from functools import lru_cache

import Stemmer

#: The names of Snowball's stemmers by ISO 639-1 code.
_NAMES = {
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "sv": "swedish",
    "tr": "turkish",
}
#: Languages with a stemmer here, and those of them that write compounds as one word.
STEMMED = frozenset(_NAMES)
COMPOUNDING = frozenset({"da", "de", "fi", "hu", "nl", "no", "sv"})
#: Languages in which names have endings too.
INFLECTING = frozenset({"cs", "fi", "hu", "pl", "ro", "ru", "tr", "uk"})


def stem_in(language: str, word: str) -> str:
    """The stem of a word in small letters by the stemmer of a language in `STEMMED`; accents may be left out.

    >>> stem_in("de", "häuser") == stem_in("de", "hauser") == stem_in("de", "haus")
    True
    >>> stem_in("fr", "installations")
    'install'
    """
    return str(_stemmer(language).stemWord(word))


@lru_cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(_NAMES[language], 0)
