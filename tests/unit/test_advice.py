"""What readers are told beside the hits."""

import pytest

from search.context.advice import emptied_by, filters_told


@pytest.mark.parametrize(
    ("filters", "told"),
    [
        ({}, ""),
        ({"path": (), "depth": (), "since": None, "clean": False}, ""),
        ({"path": ("docs/", "a.md"), "depth": [0, 2]}, "path docs/ or a.md, depth 0 or 2"),
        ({"depth": 0}, "depth 0"),
        ({"tags": "api", "fields": {"status": "draft", "n": 3}}, "tag api, field status=draft, field n=3"),
        ({"tags": ["a"], "fields": ("status=draft",), "clean": True}, "tag a, field status=draft, clean"),
        ({"since": "7d", "language": ("ja",)}, "since 7d, language ja"),
        ({"tags": "a\nb\x1b"}, "tag a\\x0ab\\x1b"),
        ({"tags": "x" * 200}, f"tag {'x' * 96}…"),
    ],
)
def test_filters_are_told_as_they_were_given(filters, told):
    assert filters_told(filters) == told


def test_an_emptied_answer_names_the_filters():
    assert emptied_by({"tags": ("api",)}) == (
        "The filters leave nothing of what was found (tag api); ask with fewer of them."
    )
