"""What changed, as agents get it: one list of sections within a token budget."""

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from schema.changes import ChangedSection, Changes, by_document, counted
from schema.sections import Section
from search.answers.brief import brief_changes
from search.answers.budget import MIN_TOKENS, fit_changes
from search.answers.changes_wire import changes_to_json
from tests.budgets import within

NOON = datetime(2026, 11, 23, 12, 0, 0, 123_000, tzinfo=UTC)


def changed(number, kind="changed", text="How it begins."):
    content = f"# Heading {number}\n\n{text}\n"
    section = Section(
        id=f"{number:024x}", document_path=f"docs/{number % 3}.md", heading=f"Heading {number}", depth=1, content=content,
        body_start=content.index("\n"), token_count=9, parent_id=None, order=0, updated_at=NOON, anchor=f"heading-{number}",
        start_line=number + 1, end_line=number + 3, position=number,
    )  # fmt: skip
    return ChangedSection.of(section, kind)


def answer_of(sections, *, limit=10_000, removed_since=None):
    documents, omitted = by_document(sections, limit=limit)
    changes = Changes(
        documents=documents, since=NOON, counts=counted(sections), omitted=omitted, removed_since=removed_since
    )
    return brief_changes(changes_to_json(changes))


def test_a_section_has_its_place_its_kind_and_how_it_begins():
    (section,) = answer_of([changed(1)])["sections"]
    assert section == {
        "id": f"{1:024x}", "kind": "changed", "document_path": "docs/1.md", "heading": "Heading 1",
        "at": "2026-11-23T12:00:00Z", "anchor": "heading-1", "start_line": 2, "end_line": 4, "opening": "How it begins.",
    }  # fmt: skip


def test_a_removed_section_has_no_lines():
    gone = ChangedSection(id="0" * 24, document_path="docs/a.md", heading="Gone", kind="removed", at=NOON)
    (section,) = answer_of([gone])["sections"]
    assert set(section) == {"id", "kind", "document_path", "heading", "at"}


def test_the_beginning_of_a_text_is_one_short_line():
    (section,) = answer_of([changed(1, text="word\r\n\tword " * 400)])["sections"]
    assert len(section["opening"]) <= 160
    assert section["opening"].startswith("word word word")
    assert section["opening"].endswith("…")


def test_an_answer_says_since_when_removals_are_known_only_where_that_is_later():
    later = datetime(2026, 11, 24, tzinfo=UTC)
    assert answer_of([changed(1)], removed_since=later)["removed_since"] == "2026-11-24T00:00:00Z"
    assert "removed_since" not in answer_of([changed(1)], removed_since=NOON)


def test_sections_that_were_not_listed_are_counted_though_all_others_fit():
    answer = answer_of([changed(n) for n in range(5)], limit=3)
    fitted = fit_changes(answer, within(6000))
    assert (len(fitted["sections"]), fitted["omitted"], fitted["next_offset"]) == (3, 2, 3)


@settings(max_examples=40)
@given(st.integers(0, 40), st.integers(1, 50), st.integers(0, 45), st.integers(MIN_TOKENS, 4000))
def test_changes_are_within_their_budget_and_nothing_is_lost(many, limit, offset, tokens):
    sections = [changed(n) for n in range(many)]
    whole = answer_of(sections)["sections"]
    fitted = fit_changes(answer_of(sections, limit=limit), within(tokens), offset=offset)
    assert within(tokens).holds(fitted)
    shown = fitted["sections"]
    assert shown == whole[offset : offset + len(shown)]
    if offset <= min(limit, many):
        assert len(shown) + fitted.get("omitted", 0) == many - offset
