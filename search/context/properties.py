"""The properties of a document → those that a question asks for, which are shown with its first section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schema.text.analyzer import marked_terms, terms
from search.index.snapshot import IndexSnapshot
from search.sources.base import Source

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
    held = {name: sum(asked.get(term, 0.0) for term in _terms(f"{name}: {value}")) for name, value in told.items()}
    best = sorted(held, key=lambda name: -held[name])[:_MOST]
    least = _SHARE * sum(by_idf.values())
    return {name: value for name, value in told.items() if name in best and held[name] > 0 and held[name] >= least}


def properties_of(source: Source, section_id: str) -> Mapping[str, str]:
    """The properties of the section with this id; none if there is no such section."""
    found = source.snapshot_with(section_id)
    return {} if found is None else source.found([int(found[0].keys[found[1]])])[0].properties


def texts_with_properties(source: Source, snapshot: IndexSnapshot, rows: Sequence[int]) -> list[str]:
    """The texts of the sections in some rows of a snapshot, in their order, each with the properties that it has."""
    found = source.found(snapshot.keys[list(rows)].tolist()) if rows else []
    return [
        "\n".join((each.section.text, *(f"{name}: {value}" for name, value in each.properties.items()))) for each in found
    ]


def _terms(text: str) -> set[str]:
    return {*terms(text), *marked_terms(text)}
