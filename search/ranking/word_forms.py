"""The words of a query in German, French and others → the forms and parts of them that sections have.

Terms lose the endings of English alone, so "Einstellung" and "Einstellungen", "installer" and "installation" are different
terms. Here they are brought together by the stemmer of the language that the question or the sections are in. And words that
German, Dutch and the languages of the north write as one are divided where sections have their parts alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice, takewhile

import regex

from schema.text.analyzer import terms
from schema.text.inflection import COMPOUNDING, STEMMED, stem_in
from schema.text.query_words import small_terms
from schema.text.runs import folded_word
from search.index.vocabulary import Synonyms, Vocabulary
from search.ranking.query import QUOTED

_WORD = regex.compile(r"(?<![\p{L}\p{N}_.:/@-])\p{Latin}{4,40}+(?![\p{L}\p{N}_@/:-]|\.\p{L})")
#: Stems of fewer letters are those of too many words.
_SHORTEST_STEM = 4
#: Letters at the end of a stem that another form may have otherwise, and terms with the others that are looked at.
_CHANGING, _MOST_COMPARED = 2, 3_000
_MOST_FORMS = 8
#: Words of a query whose forms are looked for.
_MOST_WORDS = 24
#: Endings that make another word of a stem: who or what does it (imprimante), where, how it is done or how it is.
_MAKING_OTHERS = regex.compile(
    r"(?:ante?|er?ie|eria|eure?|euse|trice|tore|ador|dora|tora|heit|keit|lich|isch|bar|los|i[sz]mu?o?e?|ist[ae]?|[ai]ble|mente)s?"
)
#: What Germans type for letters with an umlaut.
_UMLAUTS = regex.compile("([aou])e")
#: Letters of a part of a compound, at least, and what may stand between two parts.
_SHORTEST_PART, _JOINTS = 4, ("", "s", "es", "n", "en", "er", "e")


def inflected_forms(text: str, vocabulary: Vocabulary, languages: Collection[str]) -> Synonyms:
    """By each term of a word in a query, the terms of its other forms that sections have, the commonest first."""
    found = {}
    stemmed = STEMMED.intersection(languages)
    for word, term in _words(text, languages) if stemmed else ():
        if forms := _held_forms(word, term, vocabulary, stemmed):
            found[term] = tuple(forms[:_MOST_FORMS])
    return found


def parts_of_compounds(
    text: str, weights: Mapping[str, float], vocabulary: Vocabulary, languages: Collection[str], known: Synonyms
) -> dict[str, float]:
    """The weights of a query's terms, in which the two parts of each compound that no section has share what it counts, if
    sections have both; compounds that are `known` in another form stay."""
    found = dict(weights)
    able = COMPOUNDING.intersection(languages)
    for word, term in _words(text, able) if able else ():
        if term in found and term not in known and not vocabulary.frequencies([term]):
            parts = _parts(word, vocabulary, able)
            if parts:
                share = found.pop(term) / len(parts)
                found |= {part: max(share, found.get(part, 0.0)) for part in parts}
    return found


def _words(text: str, languages: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield each word of one term, outside of quotes, in small letters without accents, and its term; no small ones."""
    small = small_terms(languages)
    for match in islice(_WORD.finditer(QUOTED.sub(" ", text)), _MOST_WORDS):
        own = terms(match.group())
        if len(own) == 1 and own[0] not in small:
            yield folded_word(match.group()), own[0]


def _held_forms(word: str, term: str, vocabulary: Vocabulary, languages: Collection[str]) -> list[str]:
    """The terms of the forms of a word that sections have, without its own, the commonest first."""
    forms = {form for language in languages for form in _forms(word, vocabulary, language)}
    if "de" in languages and (plain := _UMLAUTS.sub(r"\1", word)) != word and not vocabulary.frequencies([term]):
        forms.update(_forms(plain, vocabulary, "de"))
    counts = vocabulary.frequencies(forms - {term})
    return sorted(counts, key=lambda form: (-counts[form], form))


def _forms(word: str, vocabulary: Vocabulary, language: str) -> Iterator[str]:
    """Yield the terms with the stem that a word has in a language."""
    stem = stem_in(language, word)
    if len(stem) < _SHORTEST_STEM:
        return
    cut = terms(stem)
    stems = {stem, *(cut if len(cut) == 1 else ())}
    begins = stem[: max(_SHORTEST_STEM, min(map(len, stems)) - _CHANGING)]
    for other in vocabulary.beginning_with(begins, _MOST_COMPARED):
        if other.isalpha() and (other in stems or stem_in(language, other) in stems) and _is_inflected(word, other):
            yield other


def _is_inflected(word: str, other: str) -> bool:
    """Whether two words with one stem are forms of one word, as far as their endings tell."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    return not any(_MAKING_OTHERS.fullmatch(one, same) for one in (word, other))


def _parts(word: str, vocabulary: Vocabulary, languages: Collection[str]) -> tuple[str, ...]:
    """The terms of the two parts of a compound, of which most sections have both; none where sections have no such two."""
    best: tuple[str, ...] = ()
    most = 0
    for end in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        second = _commonest(word[end:], vocabulary, languages)
        for joint in _JOINTS if second[1] > most else ():
            if word[:end].endswith(joint) and end - len(joint) >= _SHORTEST_PART:
                first = _commonest(word[: end - len(joint)], vocabulary, languages)
                if min(first[1], second[1]) > most:
                    best, most = (first[0], second[0]), min(first[1], second[1])
    return best


def _commonest(word: str, vocabulary: Vocabulary, languages: Collection[str]) -> tuple[str, int]:
    """Of a word's terms and their forms the one that most sections have, and how many; "" and 0 for none."""
    own = terms(word)
    forms = (
        {*own, *(form for language in languages for form in _forms(word, vocabulary, language))} if len(own) == 1 else set()
    )
    counts = vocabulary.frequencies(forms)
    return max(counts.items(), key=lambda item: item[1], default=("", 0))
