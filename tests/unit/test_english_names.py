"""A query of loanwords alone is the name of a section with an English heading too."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.query import parse_query
from search.ranking.rank import rank
from tests.unit.test_relevance import snapshot

PAGE = (
    "# 오류\n\n## 에러 처리\n\n에러와 바운더리의 처리를 여기에서 설명합니다. 에러 바운더리는 에러 처리의 한 방법입니다.\n\n"
    "## Error Boundary\n\n에러를 잡아서 다른 화면을 보여 주는 컴포넌트입니다.\n"
)


def first(english_name):
    """The heading of the first section, for a query that has this name in English."""
    index = snapshot(page=PAGE)
    query = replace(parse_query("에러 바운더리"), english_name=english_name)
    ranking = rank(index, query, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    return index.contents([int(ranking.order[0])])[0].split("\n")[0].lstrip("# ")


@pytest.mark.parametrize(("english_name", "heading"), [("error boundary", "Error Boundary"), ("", "에러 처리")])
def test_section_whose_heading_is_the_name_in_english_stands_first(english_name, heading):
    assert first(english_name) == heading
