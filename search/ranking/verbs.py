"""Verbs of a question that documents say in another way: who asks how to write a plugin finds "Creating a plugin".

They say little beside what they are about, and a verb that few sections have would decide which one is first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from schema.text.analyzer import terms
from search.index.vocabulary import Synonyms
from search.ranking.query import QUOTED

#: Verbs of making that say no more than that, and what documents say instead of them ("make" is no term of a query).
_MAKE, _MADE = frozenset(terms("write build")), terms("write make create build implement develop define custom")
_REMOVE = terms("delete remove")
#: The verb of what somebody wants to do, which begins a query or follows a word of asking, before its object.
_VERB = re.compile(
    r"(?:^|\b(?:how (?:to|(?:do|can|could|should|would) (?:i|we|you|one))|(?:want|need|like|try|trying|able|way|possible) to"
    r"|(?:can|could|should) (?:i|we))\s+)([a-z]{3,10})(?=\s+(?:a|an|the|my|our|your|own|new|its?|this|that)\b)",
    re.IGNORECASE,
)


def other_verbs(text: str, weights: Mapping[str, float]) -> Synonyms:
    """Return, for the verb of what a query wants to do, its term with those of the verbs that may stand for it.

    `weights` are the query's terms. A query that says "custom" says more than its verb.

    >>> other_verbs("how do I delete a tool", {"delet": 1.0, "tool": 1.0})
    {'delet': ('remov',)}
    """
    found = {}
    for match in _VERB.finditer(QUOTED.sub(" ", text)):
        for term in terms(match[1]):
            others = _REMOVE if term in _REMOVE else _MADE if term in _MAKE and "custom" not in weights else ()
            if others and term in weights:
                found[term] = tuple(other for other in others if other not in weights)
    return {term: others for term, others in found.items() if others}
