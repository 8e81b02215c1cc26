"""Which hits a context pack is made of."""

from dataclasses import replace

import pytest

from search.context.context_pack import build_context
from tests.unit.test_context_pack import COUNTER, hits

SIX = {f"{name}.md": f"# {name}\n\nText.\n" for name in "abcdef"}


def test_only_the_three_nearest_hits_are_packed_where_none_answers():
    made = build_context(hits(SIX), max_tokens=500, counter=COUNTER, answered=False)
    assert "".join(piece.citation[0] for piece in made.pieces) == "abc"
    assert made.left_out == ()


@pytest.mark.parametrize(
    ("relevances", "packed"),
    [((0.9, 0.1, 0.09, 0.2), "abd"), ((0.09, 0.9, 0.5, 0.3), "bcd"), ((0.2, 0.06, 0.04, 0.05), "abd"), ((0.0, 0.0), "ab")],
)
def test_hits_of_hardly_any_relevance_are_not_packed_beside_one_that_answers(relevances, packed):
    found = [replace(hit, relevance=value) for hit, value in zip(hits(SIX), relevances, strict=False)]
    made = build_context(found, max_tokens=500, counter=COUNTER)
    assert "".join(piece.citation[0] for piece in made.pieces) == packed
