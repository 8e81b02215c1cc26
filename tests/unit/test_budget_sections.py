"""Several sections within a token budget: pages that make the whole, and what is said of what is left out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search.answers.brief import brief_search
from search.answers.budget import MIN_TOKENS, fit_search, fit_section, fit_sections
from tests.budgets import LINE, found, hit, within


def read(*contents):
    entries = [
        {
            "id": f"{number:024x}", "document_path": "docs/a.md", "heading": "Heading", "depth": 1, "anchor": "heading",
            "start_line": 1, "end_line": 9, "place": "", "stale": False, "gone": False, "content": content,
        }
        for number, content in enumerate(contents)
    ]  # fmt: skip
    return {"schema_version": 1, "sections": entries}


def test_sections_that_fit_are_the_same_object():
    answer = read(LINE, LINE)
    assert fit_sections(answer, within(2000)) is answer


def test_sections_that_do_not_fit_are_counted_and_the_next_one_is_begun():
    fitted = fit_sections(read(*[LINE * 20] * 9), within(950))
    shown = fitted["sections"]
    assert [one.get("content_truncated", False) for one in shown] == [False] * (len(shown) - 1) + [True]
    assert shown[-1]["content"].endswith("\n")
    assert (len(shown) + fitted["omitted"], fitted["next_offset"]) == (9, sum(len(one["content"]) for one in shown))
    assert fitted["advice"] == f"Ask again with offset {fitted['next_offset']} for the rest, or with a larger max_tokens."


def test_last_page_says_where_its_content_begins_and_no_more():
    fitted = fit_sections(read(LINE * 2, LINE * 2), within(1000), offset=len(LINE))
    assert [one.get("content_offset") for one in fitted["sections"]] == [len(LINE), None]
    assert {"omitted", "next_offset", "advice"}.isdisjoint(fitted)


def test_page_begins_behind_the_sections_that_were_read_whole():
    fitted = fit_sections(read(LINE, LINE * 2), within(1000), offset=len(LINE))
    assert [(one["id"], one["content"]) for one in fitted["sections"]] == [(f"{1:024x}", LINE * 2)]


def test_next_section_is_not_begun_where_only_a_few_words_of_it_would_fit():
    answer = read(LINE * 20, LINE * 200)
    (whole, cut) = fit_sections(answer, within(2000))["sections"]
    room = next(tokens for tokens in range(300, 2000, 10) if fit_sections(answer, within(tokens))["sections"] == [whole])
    assert cut["content_truncated"]
    assert fit_sections(answer, within(room))["omitted"] == 1


def test_section_whose_own_fields_are_too_large_is_told():
    answer = read(LINE)
    answer["sections"][0]["heading"] = "much " * 400
    assert fit_sections(answer, within(300)) == {
        "schema_version": 1, "sections": [], "omitted": 1, "advice": "Not even the first fits: give a larger max_tokens, such as 1000.",
    }  # fmt: skip


_CONTENT = st.one_of(
    st.text(min_size=1, max_size=200),
    st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=40), st.integers(1, 100)),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(_CONTENT, min_size=1, max_size=12), st.integers(MIN_TOKENS + 200, 2000))
def test_pages_are_within_the_budget_and_make_the_whole(contents, tokens):
    answer, budget, text, offset = read(*contents), within(tokens), "", 0
    while offset is not None:
        page = fit_sections(answer, budget, offset=offset)
        assert budget.holds(page)
        text += "".join(one["content"] for one in page["sections"])
        assert page.get("next_offset", len(text)) == len(text) > (offset or 0)
        offset = page.get("next_offset")
    assert text == "".join(contents)


def test_brief_hits_that_do_not_fit_are_left_out_from_the_end():
    fitted = fit_search(brief_search(found(*[hit(n, LINE * 30) for n in range(9)])), within(400))
    assert 0 < len(fitted["results"]) < 9
    assert fitted["next_offset"] == len(fitted["results"]) == 9 - fitted["omitted"]


def test_brief_hit_whose_own_fields_are_too_large_is_left_out():
    fitted = fit_search(brief_search(found(hit(heading="much " * 400))), within(300))
    assert (fitted["results"], fitted["omitted"]) == ([], 1)


def test_brief_hit_says_what_is_unusual_and_only_that():
    usual, unusual = brief_search(
        found(hit(1), hit(2, stale=True, gone=True, is_pending=True, place="page 3", url="https://example.org/a#b", similar=[{
            "id": "f" * 24, "document_path": "docs/b.md", "heading": "B", "start_line": 4, "place": "",
        }]))
    )["results"]  # fmt: skip
    added = {"gone": True, "is_pending": True, "place": "page 3", "url": "https://example.org/a#b"}
    assert set(unusual) - set(usual) == {*added, "similar"}
    assert {name: unusual[name] for name in added} == added
    assert (usual["stale"], unusual["stale"]) == (False, True)
    assert unusual["similar"] == [{"id": "f" * 24, "document_path": "docs/b.md", "start_line": 4}]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n\n"])
def test_part_of_a_section_has_its_own_lines(end):
    lines = [f"line {number} of a text that is long{end}" for number in range(400)]
    content = "".join(lines)
    per = end.count("\n")
    answer = {"schema_version": 1, **hit(0, content, 0, start_line=11, end_line=10 + 400 * per)}
    at = len("".join(lines[:100]))
    fitted = fit_section(answer, within(500), offset=at)
    shown = content[at : at + len(fitted["content"])].splitlines()
    assert fitted["content_lines"] == [11 + 100 * per, 10 + 100 * per + len(shown)]


def test_parts_at_both_ends_of_several_sections_have_their_own_lines():
    answer = read(LINE * 40, LINE * 400)
    for entry, (first, last) in zip(answer["sections"], ((1, 40), (41, 440)), strict=True):
        entry |= {"start_line": first, "end_line": last}
    begun, cut = fit_sections(answer, within(2000), offset=10 * len(LINE))["sections"]
    assert begun["content_lines"] == [11, 40]
    assert cut["content_lines"] == [41, 40 + cut["content"].count("\n")]


def test_part_of_a_converted_file_has_no_lines():
    answer = {"schema_version": 1, **hit(0, LINE * 400, 0), "place": "page 3"}
    assert "content_lines" not in fit_section(answer, within(500))


def test_brief_hit_of_a_long_section_says_what_reads_it_from_its_snippet_on():
    snippet = {"text": "Text.", "start": 90, "end": 95, "start_line": 40, "end_line": 41, "matches": [], "place": ""}
    whole = {"snippet": snippet, "document_path": "docs/a.md", "token_count": 2001}
    told = [hit(1, **whole), hit(2, **{**whole, "token_count": 2000}), hit(3, **whole, place="page 3")]
    brief = brief_search(found(*told))["results"]
    assert [one.get("read_from") for one in brief] == ["docs/a.md:40", None, None]
