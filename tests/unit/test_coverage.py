"""How much of a text a model's vocabulary knows."""

import re

import pytest

from indexer.models.coverage import COVERAGE_SAMPLE, covered_share


def tokens(text, *pieces):
    """The pieces, each found after the one before it, under their own names."""
    place = 0
    for piece in pieces:
        start = text.index(piece, place)
        place = start + len(piece)
        yield (start, place), piece


@pytest.mark.parametrize(
    ("text", "pieces", "share"),
    [
        ("", [], 1),
        ("12 %", ["12", "%"], 1),
        ("key", ["key"], 1),
        ("I see", ["I", "see"], 1),
        ("検索", ["検", "索"], 0),
        ("検索", ["検索"], 1),
        ("key 検", ["key", "検"], 0.75),
        ("abc", ["a", "bc"], 2 / 3),
        ("ab", [], 0),
    ],
)
def test_letters_count_in_known_parts_of_words(text, pieces, share):
    assert covered_share(text, tokens(text, *pieces), unknown="?") == pytest.approx(share)


def test_unknown_tokens_cover_nothing():
    assert covered_share("ab cd", [((0, 2), "ab"), ((3, 5), "[UNK]")], unknown="[UNK]") == 0.5


def test_only_the_beginning_of_a_text_counts():
    text = "ab " * COVERAGE_SAMPLE
    beginning = ((found.span(), "ab") for found in re.finditer("ab", text[:COVERAGE_SAMPLE]))
    assert covered_share(text, beginning, unknown=None) == pytest.approx(1, abs=1e-3)
