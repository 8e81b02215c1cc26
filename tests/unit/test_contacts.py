"""Who asks for a phone number or a mail address gets the section that has one."""

from dataclasses import replace

import numpy as np
import pytest

from search.ranking.contacts import contact_first
from search.ranking.query import parse_query
from search.ranking.rank import rank
from tests.unit.test_relevance import snapshot

NOTES = {
    "plumber": "# Plumber\n\nAsk for Tom: 07700 900417. He comes on the phone's charge of 12.50.\n",
    "bank": "# Bank\n\nWrite to help@bank.example, or go there until 2026-11-24.\n",
    "phone": "# Phone\n\nThe number of the plumber's phone calls is counted by the office.\n",
    "dentist": "# 歯医者\n\n山田歯科。03-1234-5678\n",
    "heating": "# Heating\n\nMended on 2026/03/30 and on 30.3.2026; it answers at 192.168.10.20.\n",
    "branch": "# 오사카 지점\n\n담당은 김 과장. 06-1234-5678\n",
}


def after(query, *, first="phone"):
    """The document that is first after the step, where one was first, and the document that answers."""
    index = snapshot(**NOTES)
    asked = parse_query(query)
    ranking = rank(index, asked, None, mode="lexical", dense_weight=0.0, allowed=np.ones(index.rows, np.bool_))
    paths = [index.path(row).removesuffix(".md") for row in range(index.rows)]
    total = np.array([0.9 if path == first else 0.5 for path in paths])
    ranking = replace(ranking, total=total, order=np.argsort(-total, kind="stable"))
    found, answering = contact_first(index, asked, ranking, index.contents)
    return paths[found.order[0]], None if answering is None else paths[answering]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("plumber phone number", "plumber"),
        ("what's the plumber's phone number?", "plumber"),
        ("mobile number of the plumber", "plumber"),
        ("email of the bank", "bank"),
        ("bank contact details", "bank"),
        ("歯医者の電話番号を教えて", "dentist"),
        ("歯医者さんの電話番号は？", "dentist"),
        ("오사카 지점 님 전화번호", "branch"),
        ("오사카 지점 전화번호 알려줘", "branch"),
    ],
)
def test_section_of_the_subject_with_a_number_or_an_address_takes_the_place(query, expected):
    assert after(query) == (expected, expected)


@pytest.mark.parametrize(
    "query",
    [
        "plumber",
        "plumber email",  # which its section lacks
        "bank phone number",  # a day is no number
        "heating phone number",  # nor is an address of a machine
        "florist phone number",
        "how are phone calls of the plumber counted by the office",
    ],
)
def test_other_questions_stay_as_they_are(query):
    assert after(query) == ("phone", None)


def test_section_that_has_it_and_is_first_stays_and_answers():
    assert after("plumber phone number", first="plumber") == ("plumber", "plumber")
