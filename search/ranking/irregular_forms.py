"""The words of a query in English → their irregular forms that sections have: hide, hid and hidden; index and indices.

A stemmer takes off endings, and leaves these as other terms. Left out are verbs that are in most documents or name something
else there (run, send, build, find, lose, leave, bind).
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice

from schema.text.analyzer import terms
from schema.text.language import question_language
from search.index.vocabulary import Synonyms, Vocabulary
from search.ranking.query import QUOTED, proper_names

#: Irregular forms of verbs and nouns.
_FORMS = """
arise arose arisen, begin began begun, blow blew blown, break broke broken, bring brought, burn burnt, buy bought,
catch caught, choose chose chosen, deal dealt, draw drew drawn, drive drove driven, eat ate eaten, fall fell fallen,
feed fed, feel felt, fly flew flown, forbid forbade forbidden, forget forgot forgotten, freeze froze frozen,
give gave given, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept, know knew known,
lend lent, override overrode overridden, overwrite overwrote overwritten, pay paid, rebuild rebuilt,
rewrite rewrote rewritten, seek sought, sell sold, shrink shrank shrunk, sleep slept, spend spent, steal stole stolen,
stick stuck, take took taken, teach taught, tear tore torn, tell told, throw threw thrown, undo undid undone,
understand understood, wake woke woken, wear wore worn, win won, withdraw withdrew withdrawn, write wrote written
appendix appendices, axis axes, child children, crisis crises, criterion criteria, foot feet, goose geese,
hypothesis hypotheses, index indices, knife knives, loaf loaves, matrix matrices, mouse mice, parenthesis parentheses,
person people, shelf shelves, thief thieves, tooth teeth, vertex vertices, wolf wolves
"""
_WORD = re.compile(r"(?<![\w.:/-])[A-Za-z]{3,20}(?![\w-]|[.:/]\w)")
#: Words of a query that are looked at.
_MOST_WORDS = 24


def irregular_forms(text: str, vocabulary: Vocabulary) -> Synonyms:
    """By each term of a word in a query, the terms of its irregular forms that sections have, the commonest first; names
    stand for themselves."""
    if question_language(text) not in ("", "en"):
        return {}
    forms = _by_term()
    own = (match[0] for match in islice(_WORD.finditer(QUOTED.sub(" ", text)), _MOST_WORDS))
    words = terms(" ".join(set(own).difference(proper_names(text))))
    found = {term: forms[term] - {term} for term in words if term in forms}
    counts = vocabulary.frequencies(set().union(*found.values())) if found else {}
    held = {
        term: sorted(counts.keys() & others, key=lambda other: (-counts[other], other)) for term, others in found.items()
    }
    return {term: tuple(others) for term, others in held.items() if others}


@cache
def _by_term() -> dict[str, frozenset[str]]:
    """By each term the terms of all forms of its word."""
    words = (frozenset(terms(forms)) for forms in re.split(r"[,\n]\s*", _FORMS.strip()))
    return {term: forms for forms in words for term in forms}
