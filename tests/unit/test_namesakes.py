"""Of several sections with the query as their name, the one that others link to stands first."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.namesakes import linked_first
from search.ranking.query import parse_query
from search.ranking.rank import rank
from tests.unit.test_relevance import snapshot

TEXT = "# {title}\n\nAll about the {title} of a gateway.\n\n## Key slots\n\n{text}\n"
LONG = "Key slots hold the keys of a gateway: key slots are made when the gateway starts, and a key slot holds one key."
SHORT = "A slot for the next key, which the operator of the gateway hands out, is opened by the script of the release."


def asked(query="key slots", links=None):
    """The paths of the sections in order, before and after, and both rankings; `links` counts those to each path."""
    index = snapshot(api=TEXT.format(title="Reference", text=LONG), guide=TEXT.format(title="Guide", text=SHORT))
    ranking = rank(index, parse_query(query), None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    near = np.maximum(ranking.total, ranking.total.max(initial=0.05) - 0.05)  # as close as they are among many sections
    ranking = replace(ranking, total=near)
    after = linked_first(ranking, lambda rows: [(links or {}).get(index.path(row), 0) for row in rows])
    return [[index.path(row) for row in each.order] for each in (ranking, after)], ranking, after


def test_section_that_others_link_to_stands_before_another_of_its_name():
    (before, after), _, ranking = asked(links={"guide.md": 6})
    assert (before[0], after[0]) == ("api.md", "guide.md")
    assert np.all(np.diff(ranking.total[ranking.order]) <= 0)


def test_links_count_by_their_logarithm_up_to_ten():
    _, _, few = asked(links={"guide.md": 2, "api.md": 1})
    _, _, many = asked(links={"guide.md": 500})
    few_links, many_links = few.parts["links"][few.order[:2]], many.parts["links"][many.order[:2]]
    assert sorted(few_links) == pytest.approx([0.1 / 1.1 * np.log(count) / np.log(11) for count in (2, 3)])
    assert sorted(many_links) == pytest.approx([0, 0.1 / 1.1])


@pytest.mark.parametrize(
    ("query", "links"), [("key slots", {}), ("opened by the script", {"guide.md": 6}), ("zzz", {"guide.md": 6})]
)
def test_ranking_stays_where_no_names_or_no_links_are(query, links):
    _, before, after = asked(query, links)
    assert after is before
