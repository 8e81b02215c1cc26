"""Which fields of the front matter are properties, and which of these a question asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.text.analyzer import terms
from schema.text.properties import properties
from search.context.properties import asked_properties


@pytest.mark.parametrize(
    ("matter", "told"),
    [
        ({"birthday": "1990-04-12"}, {"birthday": "1990-04-12"}),
        ({"rating": 4.5}, {"rating": "4.5"}),
        ({"country": "NO"}, {"country": "NO"}),
        ({"誕生日": "4月12日"}, {"誕生日": "4月12日"}),
        ({"attendees": ["[[Jo Berg]]", "[[people/Ann|Ann]]", 7]}, {"attendees": "Jo Berg, Ann, 7"}),
        ({"website": "https://example.org/a"}, {"website": "https://example.org/a"}),
        ({"doi": "10.1038/nature14539"}, {"doi": "10.1038/nature14539"}),
        ({"note": "two\n  lines"}, {"note": "two lines"}),
        ({"next_mot": "2027-02-11"}, {"next_mot": "2027-02-11"}),
        ({"blood_type": "A"}, {"blood_type": "A"}),
        ({"position": "Head of Sales"}, {"position": "Head of Sales"}),
        ({"weight": "72 kg"}, {"weight": "72 kg"}),
        ({"Phone (home)": "01434 600000"}, {"Phone (home)": "01434 600000"}),
        ({"favourite band": "AC/DC"}, {"favourite band": "AC/DC"}),
        ({"finished": "2026/11/01"}, {"finished": "2026/11/01"}),
    ],
)
def test_what_is_told_of_a_subject_is_a_property(matter, told):
    assert properties(matter) == told


@pytest.mark.parametrize(
    "matter",
    [
        {"title": "A"},
        {"aliases": ["A"]},
        {"tags": ["a"]},
        {"description": "A page."},
        {"layout": "post"},
        {"sidebar_position": 3},
        {"sidebarLabel": "A"},
        {"nav_order": 2},
        {"weight": 20},
        {"position": 3},
        {"last_update": "2026-01-02"},
        {"source_file": "docs/a/b.md"},
        {"created_at": "2026-01-02"},
        {"lastUpdated": "2026-01-02"},
        {"draft": True},
        {"archived": False},
        {"comments": "yes"},
        {"maths": "off"},
        {"related": {"title": "More"}},
        {"steps": [{"run": "make"}]},
        {"source": "guide/other.md"},
        {"empty": ""},
        {"nothing": None},
        {"a\u202eb": "x"},
        {"n" * 61: "x"},
    ],
)
def test_what_programs_read_is_no_property(matter):
    assert properties(matter) == {}


def test_long_values_are_cut_and_many_are_left_out():
    assert properties({"a": "x" * 1000}) == {"a": "x" * 200}
    assert len(properties({f"field{n}": n for n in range(99)})) == 50


@given(st.dictionaries(st.text(), st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.lists(st.text()))))
def test_properties_are_single_lines_in_the_order_of_the_front_matter(matter):
    told = properties(matter)
    assert list(told) == [name for name in matter if name in told]
    assert all(value and value == " ".join(value.split()) for value in told.values())


ADA = {"birthday": "1990-04-12", "email": "ada@example.org", "company": "Analytical Engines"}


def asked(question, told=ADA, trail=("Ada Lovelace",)):
    return asked_properties(told, dict.fromkeys(terms(question), 1.0), trail)


def test_property_is_shown_by_its_name_or_its_value():
    assert asked("birthday of Ada") == {"birthday": "1990-04-12"}
    assert asked("who works for Analytical Engines") == {"company": "Analytical Engines"}


def test_words_of_the_title_ask_for_no_property():
    assert asked("ada") == {}
    assert asked("lovelace engines", trail=("Engines of Lovelace",)) == {}


def test_three_properties_are_shown_at_most_in_their_order():
    told = {"first": "tin", "second": "tin can", "third": "tin can lid", "fourth": "tin can lid"}
    assert asked("tin can lid", told) == {name: told[name] for name in ("second", "third", "fourth")}


def test_property_with_a_word_that_hardly_counts_is_not_shown():
    assert asked_properties(ADA, {"zebra": 9.5, "company": 0.5}, ["Ada"]) == {}
