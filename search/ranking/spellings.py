"""Words of a query in English as others write them: colour and color, oedema and edema, λ and lambda."""

from __future__ import annotations

import re
from collections.abc import Iterator

from schema.text.analyzer import terms
from search.index.vocabulary import Synonyms, Vocabulary
from search.ranking.query import QUOTED

#: Words of a query that are looked at, and one of them.
_MOST_WORDS = 24
_WORD = re.compile(r"(?<![\w.:/-])[A-Za-z]{4,30}(?![\w-]|[.:/]\w)")
#: What the spelling of Britain and that of America have in the same place, and what stands around it.
_DIFFER = (
    ("our", "or", r"(?<=\w{3})", r"(?=(?:s|ed|ing|al|ful|able|ite|less|ist|y)?$)"),
    ("re", "er", r"(?<=[bct])", r"(?=(?:s|d|ed)?$)"),
    ("ogue", "og", "", r"(?=s?$)"),
    ("is", "iz", "", r"(?=(?:e[drs]?|ers|ing|ations?|able)$)"),
    ("ys", "yz", "", r"(?=(?:e[drs]?|ers|ing)$)"),
    ("ence", "ense", "(?<=lic|def|off)", r"(?=s?$)"),
)
_PATTERNS = tuple(
    (re.compile(f"{before}{one}{behind}"), other)
    for british, american, before, behind in _DIFFER
    for one, other in ((british, american), (american, british))
)
#: Vowels of Greek words, which only Britain writes with two letters.
_JOINED, _SINGLE = re.compile(r"[ao]e"), re.compile(r"(?<![ao])e")
#: Words that differ in another way.
_PAIRS = """
acknowledgement acknowledgment, ageing aging, aluminium aluminum, artefact artifact, cheque check, grey gray,
judgement judgment, mould mold, plough plow, programme program, sulphur sulfur, tyre tire
"""
_OTHER: dict[str, str] = {}
for _pair in _PAIRS.split(","):
    _one, _two = _pair.split()
    _OTHER |= {_one: _two, _two: _one}
_GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψω",
        """
        alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi
        psi omega
        """.split(),
        strict=True,
    )
)
_LETTER = re.compile(rf"(?<!\w)([{''.join(_GREEK)}])[0-9²³]?(?!\w)", re.IGNORECASE)


def other_spellings(text: str, vocabulary: Vocabulary) -> Synonyms:
    """By each term of a word in a query, the terms of its other spellings that sections have.

    >>> sorted(set(_spelt("colour")) & {"color"}), sorted(set(_spelt("hyperkalemia")) & {"hyperkalaemia"})
    (['color'], ['hyperkalaemia'])
    """
    plain = QUOTED.sub(" ", text)
    likely: dict[str, set[str]] = {}
    for word in _WORD.findall(plain)[:_MOST_WORDS]:
        own = terms(word)
        if len(own) == 1:
            found = {term for other in _spelt(word.lower()) for term in terms(other)}
            likely.setdefault(own[0], set()).update(found)
    for match in _LETTER.finditer(plain):
        letter = match[1].casefold()  # the sign of micro and other signs that are a Greek letter too
        likely.setdefault(terms(match[0])[0], set()).update((*terms(_GREEK[letter]), letter))
    known = vocabulary.frequencies({term for found in likely.values() for term in found})
    held = {term: tuple(sorted(known.keys() & found - {term})) for term, found in likely.items()}
    return {term: others for term, others in held.items() if others}


def _spelt(word: str) -> Iterator[str]:
    """Yield how else a word in small letters may be spelt; most are no words."""
    if word in _OTHER:
        yield _OTHER[word]
    for form, other in _PATTERNS:
        if form.search(word):
            yield form.sub(other, word)
    if _JOINED.search(word):
        yield _JOINED.sub("e", word)
    for match in _SINGLE.finditer(word[:-1]):  # the last one is silent
        for vowel in "ao":
            yield f"{word[: match.start()]}{vowel}{word[match.start() :]}"
    if word in _NAMES_OF_GREEK:
        yield _NAMES_OF_GREEK[word]


_NAMES_OF_GREEK = {name: letter for letter, name in _GREEK.items()}
