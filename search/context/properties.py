"""The properties of a document → those that a question asks for, which are shown with its first section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schema.text.analyzer import terms

#: The share of a question's weight that a property holds beside the names of its section, and how many are shown at most.
_SHARE, _MOST = 0.1, 3


def asked_properties(told: Mapping[str, str], by_idf: Mapping[str, float], trail: Sequence[str]) -> dict[str, str]:
    """Return the properties that hold most of a question, in their order; `by_idf` are the terms of the question with what
    they weigh, `trail` are the title and headings of the section, whose terms do not count.

    >>> asked_properties({"birthday": "1990-04-12", "email": "ada@example.org"}, {"ada": 2.0, "birthday": 5.0}, ["Ada"])
    {'birthday': '1990-04-12'}
    """
    if not told:
        return {}
    named = set(terms("\n".join(trail)))
    asked = {term: weight for term, weight in by_idf.items() if term not in named}
    held = {name: sum(asked.get(term, 0.0) for term in set(terms(f"{name}: {value}"))) for name, value in told.items()}
    best = sorted(held, key=lambda name: -held[name])[:_MOST]
    least = _SHARE * sum(by_idf.values())
    return {name: value for name, value in told.items() if name in best and held[name] > 0 and held[name] >= least}
