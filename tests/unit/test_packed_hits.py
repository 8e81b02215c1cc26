"""Which hits a context pack is made of."""

from dataclasses import replace

import pytest

from search.context.context_pack import build_context
from tests.unit.test_context_pack import COUNTER, hits

SIX = {f"{name}.md": f"# {name}\n\nText.\n" for name in "abcdef"}


LONG = {f"{name}.md": f"# {name}\n\n" + "Text of it. " * 20 + "\n" for name in "abcdef"}


@pytest.mark.parametrize(
    ("documents", "max_tokens", "packed"),
    [
        (SIX, 500, "abcdef"),  # all of them are short
        (LONG, 500, "abc"),  # three take half of the room
        (LONG, 1000, "abcd"),
        (
            {"a.md": LONG["a.md"], "b.md": LONG["b.md"], "c.md": LONG["c.md"], "d.md": LONG["d.md"], "e.md": SIX["e.md"]},
            750,
            "abce",
        ),
    ],
)
def test_where_none_answers_the_three_nearest_hits_are_packed_and_others_in_half_of_the_room(documents, max_tokens, packed):
    made = build_context(hits(documents), max_tokens=max_tokens, counter=COUNTER, answered=False)
    assert "".join(piece.citation[0] for piece in made.pieces) == packed
    assert made.left_out == ()


def test_no_more_than_eight_hits_are_packed_where_none_answers():
    many = {f"{name}.md": f"# {name}\n\nText.\n" for name in "abcdefghij"}
    assert len(build_context(hits(many), max_tokens=2000, counter=COUNTER, answered=False).pieces) == 8


def test_parts_of_a_question_stand_behind_the_best_hit_and_before_the_others():
    found = hits(LONG)
    made = build_context(found[:4], max_tokens=500, counter=COUNTER, parts=[found[5], found[0]])
    assert "".join(piece.citation[0] for piece in made.pieces)[:2] == "af"
    assert len({piece.citation for piece in made.pieces}) == len(made.pieces)


def test_a_long_section_leaves_room_for_what_answers_the_other_parts():
    whole = {"a.md": "# a\n\n" + "Text of it.\n\n" * 150, **{name: LONG[name] for name in ("b.md", "c.md", "d.md")}}
    found = hits(whole)
    alone = build_context(found, max_tokens=700, counter=COUNTER)
    made = build_context(found[:1], max_tokens=700, counter=COUNTER, parts=found[1:])
    assert alone.left_out
    assert not made.left_out
    assert "".join(piece.citation[0] for piece in made.pieces) == "abcd"


def test_a_question_of_which_parts_are_answered_is_not_told_as_unanswered():
    found = hits(SIX)
    assert build_context(found, max_tokens=500, counter=COUNTER, answered=False, parts=found[:1]).answered


@pytest.mark.parametrize(
    ("relevances", "packed"),
    [
        ((0.9, 0.1, 0.09, 0.2), "abd"),
        ((0.09, 0.9, 0.5, 0.3), "bcd"),
        ((0.2, 0.06, 0.04, 0.05), "abd"),
        ((0.3, 0.2, 0.08, 0.9), "abcd"),  # compared with the first three
        ((0.0, 0.0), "ab"),
    ],
)
def test_hits_of_hardly_any_relevance_are_not_packed_beside_one_that_answers(relevances, packed):
    found = [replace(hit, relevance=value) for hit, value in zip(hits(SIX), relevances, strict=False)]
    made = build_context(found, max_tokens=500, counter=COUNTER)
    assert "".join(piece.citation[0] for piece in made.pieces) == packed
