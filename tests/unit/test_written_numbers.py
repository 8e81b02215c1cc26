"""Numbers and codes of a query are looked for as sections write them."""

import pytest

from search.ranking.written_numbers import as_written
from tests.unit.test_relevance import source

NOTES = (
    "# Numbers\n\n## Plumber\n\nGwyn, 07700 900612, no weekends.\n\n## Account\n\nIBAN DE89 3704 0044 0532 0130 00.\n\n"
    "## Van\n\nVO68 ZKT, white.\n\n## Policy\n\nP-4419-7702631 until May.\n\n## Hash\n\nSHA-256 of the file.\n\n"
    "## Dose\n\nTake 4400 mg.\n\n## Lock\n\nRM 21-40.\n\n## Serial\n\nYV1ZW25U1K2345678.\n\n## Day\n\nPaid on 2026-11-03.\n"
)


def read(query):
    index = source(notes=NOTES)
    return as_written(query, index.vocabulary, index.holds, index.texts_with)


@pytest.mark.parametrize(
    ("query", "written"),
    [
        ("07700900612", "07700 900612"),
        ("who has 07700-900-612?", "who has 07700 900612?"),
        ("0770 090 0612", "07700 900612"),
        ("de89370400440532013000", "DE89 3704 0044 0532 0130 00"),
        ("vo68zkt", "VO68 ZKT"),
        ("policy P44197702631", "policy P-4419-7702631"),
        ("sha256", "SHA-256"),
    ],
)
def test_number_is_read_as_a_section_writes_it(query, written):
    assert read(query) == written


@pytest.mark.parametrize(
    "query",
    [
        "07700 900612",
        "YV1ZW25U1K2345678",
        "07700900613",  # another number
        "7700900612",  # a part of one
        "2026-11-03",
        "20261103 paid",  # no section has such a code
        "1.2.3",
        "900612",
        "4400mg",
        "rotate the keys",
        '"07700900612"',  # as it is written
    ],
)
def test_number_that_sections_have_so_or_not_at_all_stays(query):
    assert read(query) == query


def test_three_numbers_of_a_query_are_looked_for():
    assert read("07700900612 vo68zkt sha256 rm2140") == "07700 900612 VO68 ZKT SHA-256 rm2140"
