"""A word of a query stands for its spelling in Britain or America, and a Greek letter for its name, if sections have them."""

import pytest

from search.ranking.spellings import other_spellings
from tests.unit.test_relevance import source


def spellings(query, text):
    return other_spellings(query, source(notes=f"# Notes\n\n{text}\n").vocabulary)


@pytest.mark.parametrize(
    ("typed", "written", "found"),
    [
        ("colour", "Its color.", {"colour": ("color",)}),
        ("Behavior", "Its behaviour.", {"behavior": ("behaviour",)}),
        ("centre", "The center.", {"centr": ("center",)}),
        ("fibers", "Two fibres.", {"fiber": ("fibr",)}),
        ("licence", "A license.", {"licenc": ("licens",)}),
        ("analogue", "An analog.", {"analogu": ("analog",)}),
        ("organised", "It is organized.", {"organis": ("organiz",)}),
        ("analyze", "We analyse it.", {"analyz": ("analys",)}),
        ("hyperkalaemia", "A hyperkalemia.", {"hyperkalaemia": ("hyperkalemia",)}),
        ("edema", "An oedema.", {"edema": ("oedema",)}),
        ("grey", "It is gray.", {"grey": ("gray",)}),
        ("what is λ", "The parameter $\\lambda$.", {"λ": ("lambda",)}),
        ("partial η²", "As $\\eta^2$ says.", {"η2": ("eta",)}),
        ("lambda", "The value λ.", {"lambda": ("λ",)}),
        ("µ", "The mean \\mu.", {"μ": ("mu",)}),  # the sign of micro
        ("ϑ", "The angle \\theta.", {"θ": ("theta",)}),
    ],
)
def test_other_spelling_that_sections_have_is_looked_for_too(typed, written, found):
    assert spellings(typed, written) == found


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("colour", "No such word."),
        ("four", "It is for you."),  # too short
        ('"colour"', "Its color."),
        ("theme.colour", "Its color."),
        ("meter", "A matter."),
    ],
)
def test_word_without_another_spelling_here_stays_alone(typed, written):
    assert spellings(typed, written) == {}
