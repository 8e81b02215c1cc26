"""A word of a query stands for its irregular forms that sections have."""

import pytest

from search.ranking.irregular_forms import irregular_forms
from tests.unit.test_relevance import source


def forms(query, text):
    return irregular_forms(query, source(notes=f"# Notes\n\n{text}\n").vocabulary)


@pytest.mark.parametrize(
    ("typed", "written", "found"),
    [
        ("hide a subcommand", "It has `hidden: true`.", {"hide": ("hidden",)}),
        ("before it wrote the log", "Logs are written.", {"wrote": ("written",)}),
        ("I forgot my password", "Forgotten passwords.", {"forgot": ("forgotten",)}),
        ("Choosing a plan", "The plan that you chose.", {"choos": ("chose",)}),
        ("which indices", "An index.", {"indic": ("index",)}),
        ("how much water for two loaves", "One loaf.", {"loav": ("loaf",)}),
    ],
)
def test_form_that_sections_have_is_looked_for_too(typed, written, found):
    assert forms(typed, written) == found


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("hide a subcommand", "No such word."),
        ("run a test", "It ran."),  # in most documents
        ('"hide" it', "It is hidden."),
        ("what does Hide do", "It is hidden."),  # a name
        ("hide-me", "It is hidden."),
        ("숨기기 hide 하는 방법", "It is hidden."),
    ],
)
def test_word_without_another_form_here_stays_alone(typed, written):
    assert forms(typed, written) == {}
