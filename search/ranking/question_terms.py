"""A question → how much each of its terms says about whether a section answers it.

Ranking compares sections by all terms of a question. Whether one answers is another matter: the parts of an identifier are
one word, words that only ask for a meaning are none, and a code that stands nowhere is answered by nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from schema.text.analyzer import terms
from schema.text.dates import MARK, days
from schema.text.inflection import INFLECTING
from schema.text.language import question_language
from schema.text.normal_form import compatible
from schema.text.query_words import LIGHT_TERMS, query_terms, word_weight
from schema.text.runs import RUN, word_terms
from search.index.inverted_index import InvertedIndex
from search.index.vocabulary import Synonyms, Vocabulary
from search.ranking.definitions import subject_of
from search.ranking.query import Query, is_heard_of, named_words, proper_names

#: Letters of an ending that a name may have in some languages, and of the name without it, at least.
_LETTERS_OF_ENDING, _SHORTEST_NAME = (1, 2, 3), 4
#: What a word that says little counts of its weight.
_LIGHT = 0.3
#: A code: capitals and a number of three digits or more, which a sign may join, or two behind a hyphen; in small letters too
#: where no sign is between.
_CODE = re.compile(
    r"(?<![\w.:/-])(?:[A-Z][A-Z\d]{0,15}(?:[-_:#][A-Za-z\d]{1,16}){1,3}|[A-Z]{1,6}\d[A-Z\d]{1,12}|[a-z]{1,6}\d{3,12})"
    r"(?![\w-]|[./:]\w)",
    re.ASCII,
)
#: The name of a constant or an environment variable.
_CONSTANT = re.compile(r"(?<![\w.:/-])[A-Z][A-Z\d]{0,30}(?:_[A-Z\d]{1,30}){1,8}(?![\w-])", re.ASCII)
_NUMBER, _SIGN = re.compile(r"\d\d\d"), re.compile(r"[-_:#]")
#: A code of fewer digits: the name of a model.
_MODEL = re.compile(r"(?!GMT|UTC)[A-Z]{2,6}-\d\d[A-Z]?")
_LETTERS = re.compile(r"[a-z]{1,6}(?=[-_:#\d])")
#: An option, which is a name without its dashes too.
_OPTION = re.compile(r"(?<![\w-])--[A-Za-z][\w-]{1,64}", re.ASCII)
_BORDER = re.compile(r"(?<=[a-z])(?=\d)")
#: Nouns with which Japanese and Korean ask for a way, a reason or a remedy, whatever it is for.
_ASKED_NOUNS = re.compile(
    r"方法|対処法?|解決[法策]?|やり方|しかた|仕方|使い方|作り方|書き方|直し方|手順|原因"
    r"|(?:하는|만드는|쓰는|푸는|끓이는|고치는) ?법|방법|사용법|해결[법책]?|대처법?|원인|이유"
)
_DEFAULT_VALUE = re.compile(r"\bdefault values?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Code:
    """A code, a constant, an option or a day in a question: its term as it is written, those of its other forms, and of its
    parts."""

    term: str
    others: tuple[str, ...]
    parts: tuple[str, ...]

    def is_other_of(self, terms: Iterable[str]) -> bool:
        """Whether some terms have another code of the same letters and length, and not this one.

        >>> Code("tr-50", ("tr50",), ("tr", "50")).is_other_of(["tr-60", "door"])
        True
        """
        letters = _LETTERS.match(self.term)
        if letters is None or not self.parts:
            return False
        other = re.compile(rf"{letters[0]}[-_:#]?[a-z]{{0,3}}\d\w*")
        own = set(terms)
        length = len(_SIGN.sub("", self.term))
        others = (term for term in own if len(_SIGN.sub("", term)) == length and other.fullmatch(term))
        return own.isdisjoint((self.term, *self.others)) and any(others)


@dataclass(frozen=True, slots=True)
class Counted:
    """What the terms of a question count for relevance, `weights`, and its codes: `lacking`, if no section has any of them,
    else those that one has, `known`. `unheard_of`: names in it that no section has. `names` is the part of the weights
    that words have which likely name something."""

    weights: Mapping[str, float]
    lacking: tuple[Code, ...]
    known: tuple[Code, ...] = ()
    unheard_of: tuple[str, ...] = ()
    names: Mapping[str, float] = field(default_factory=dict)


def counted(query: Query, inverted: InvertedIndex) -> Counted:
    """Return what the terms of a question count for relevance; those that are left out count nothing.

    Of a question for what something is, its subject counts. The terms of an identifier count as one word together, but for
    those that stand alone too, and those of the parts of a code that no section has as a whole. Of a date that a section
    has, the day counts, not its notation.
    """
    weights = dict(query.weights)
    subject = subject_of(query.text)
    about = query_terms(subject) if subject else weights
    weights = {term: weight for term, weight in weights.items() if term in about} or weights
    if _DEFAULT_VALUE.search(query.text):  # as much as "default" alone
        weights |= {term: weights[term] * _LIGHT for term in terms("value") if term in weights}
    of_word = word_weight(query.text)
    words = _words(query.text)
    alone = frozenset().union(*(word for word in words if len(word) == 1))
    for word in words:
        share = of_word / sum(weights.get(term, 1.0) for term in word) if len(word) > 1 else 1.0
        weights |= {term: min(1.0, share) * weights[term] for term in word - alone if term in weights}
    asked = codes(query.text)
    known = {code.term for code in asked if _is_known(code, inverted)}
    left_out = {code.term for code in asked if code.parts and code.term not in known}
    plain = compatible(query.text)
    for day in days(plain) if known else ():
        left_out.update(terms(plain[day.start : day.end]) if day.terms[0] in known else ())
    weights = {
        term: weight * (_LIGHT if term in LIGHT_TERMS else 1.0) for term, weight in weights.items() if term not in left_out
    }
    light = _only_asking(query.text) & weights.keys()
    if len(light) < len(weights):
        weights |= {term: weights[term] * _LIGHT for term in light}
    return Counted(
        weights,
        () if known else tuple(asked),
        tuple(code for code in asked if code.term in known),
        tuple(name for name in proper_names(query.text) if not is_heard_of(name, partial(_is_meant, query, inverted))),
        {term: weights[term] for words in named_words(query.text) for term in terms(words) if term in weights},
    )


def _only_asking(text: str) -> frozenset[str]:
    """The terms of the nouns of a question that only ask for a way or a reason, without those of its other words."""
    nouns = _ASKED_NOUNS.findall(text)
    return frozenset(terms(" ".join(nouns))).difference(terms(_ASKED_NOUNS.sub(" ", text))) if nouns else frozenset()


def codes(text: str) -> list[Code]:
    """Return the codes, constants, options and days in a question.

    >>> codes("--gpu-memory")
    [Code(term='--gpu-memory', others=('gpu-memory',), parts=('gpu', 'memori'))]
    >>> codes("SG-9999")
    [Code(term='sg-9999', others=('sg9999',), parts=('sg', '9999'))]
    >>> codes("XR500")
    [Code(term='xr500', others=('xr-500',), parts=('xr', '500'))]
    >>> codes("NODE_ENV")
    [Code(term='node_env', others=(), parts=('node', 'env'))]
    >>> codes("UTF-8, F12, localhost:8080, python3.11")
    []
    """
    plain = compatible(text)
    found = [Code(day.terms[0], day.terms[1:], ()) for day in days(plain)]
    for match in _CODE.finditer(plain):
        written = match.group().lower()
        if _NUMBER.search(written) or _MODEL.fullmatch(match.group()):
            whole, *parts = word_terms(written)
            forms = (_SIGN.sub("", whole), _BORDER.sub("-", whole, count=1))
            others = tuple(form for form in forms if form != whole)
            found.append(Code(whole, others, tuple(parts or _BORDER.split(whole, maxsplit=1))))
    for match in _CONSTANT.finditer(plain):
        whole, *parts = word_terms(match.group().lower())
        found += [Code(whole, (), tuple(parts))] if all(code.term != whole for code in found) else []
    for match in _OPTION.finditer(plain):
        option = match.group().lower()
        whole, *parts = word_terms(option.removeprefix("--"))
        found.append(Code(option, (whole,), tuple(parts or (whole,))))
    return list(dict.fromkeys(found))


def _is_known(code: Code, inverted: InvertedIndex) -> bool:
    """Whether a section has a code as a whole, in one of its forms, as the statistics say or one of these sections."""
    forms = [code.term, *code.others]
    return bool(inverted.frequencies(forms)) or any(inverted.code(form) is not None for form in forms)


def _is_meant(query: Query, inverted: InvertedIndex, term: str) -> bool:
    """Whether a section has a term, one that means the same, or that of a name without the ending which the term has."""
    names = [term]
    if question_language(query.text) in INFLECTING:
        names += [term[:-end] for end in _LETTERS_OF_ENDING if len(term) - end >= _SHORTEST_NAME]
    return (
        term in query.synonyms or any(inverted.code(name) is not None for name in names) or bool(inverted.frequencies(names))
    )


def other_forms(text: str, vocabulary: Vocabulary) -> Synonyms:
    """By each code of a question that no section has as it is written, the other form that one has."""
    written = (code for code in codes(text) if code.others and not code.term.startswith(MARK))
    lacking = [code for code in written if not vocabulary.frequencies([code.term])]
    known = vocabulary.frequencies([form for code in lacking for form in code.others])
    found = {code.term: tuple(form for form in code.others if form in known) for code in lacking}
    return {term: forms for term, forms in found.items() if forms}


def _words(text: str) -> list[frozenset[str]]:
    """The different terms of each word, several of an identifier: it and its parts."""
    return [frozenset(word_terms(run.group())) for run in RUN.finditer(compatible(text)) if run.lastgroup == "word"]
