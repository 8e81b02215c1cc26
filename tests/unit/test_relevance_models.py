"""Relevance by vectors: each model has weights of its own, and so have sections in another language than the question."""

from types import SimpleNamespace

import numpy as np
import pytest

from search.ranking.query import parse_query
from search.ranking.rank import Ranking
from search.ranking.relevance import Relevance
from tests.unit.test_relevance import snapshot

BOTH = "use-multilingual-v3+all-MiniLM-L6-v2"


def likely(query, cosine, *, language="en", model=BOTH, others=0.0):
    """The relevance of a section without a word of the question, among twenty with other cosines."""
    index = snapshot(**{f"page{number}": f"# Page {number}\n\nPlain text.\n" for number in range(20)})
    index.languages = np.full(index.rows, language)
    index.dense_confidence = np.ones(index.rows)
    index.vectors = SimpleNamespace(present=np.ones(index.rows, np.bool_))
    near = np.full(index.rows, others)
    near[0] = cosine
    asked = parse_query(query)
    raw = {"dense": near, "section_vector": near}
    ranking = Ranking(np.arange(index.rows), np.ones(index.rows), raw, {}, asked.weights, {})
    return Relevance(index, asked, ranking, model=model).of([0])[0]


def test_cosine_counts_less_where_others_are_as_near():
    assert likely("how do I rotate the keys", 0.6, others=0.5) < likely("how do I rotate the keys", 0.6, others=0.1)


@pytest.mark.parametrize("others", [0.1, 0.5])
def test_cosine_of_a_section_in_another_language_counts_whatever_others_have(others):
    assert likely("鍵を交換するにはどうすればいいですか", 0.6, others=others) == pytest.approx(0.945, abs=0.005)
    assert likely("鍵を交換するにはどうすればいいですか", 0.6, others=others, language="ja") < 0.6


def test_cosine_by_an_unknown_model_is_not_compared_with_others():
    found = [likely("how do I rotate the keys", 0.6, others=others, model="own") for others in (0.1, 0.5)]
    assert found[0] == found[1]
