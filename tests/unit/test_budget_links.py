"""Links of a section within a token budget."""

from search.answers.budget import MIN_TOKENS, fit_links
from tests.budgets import within

ADVICE = "Give a larger max_tokens for all of them."


def linked(links, backlinks, heading="Heading"):
    def some(count):
        return [{"line": n, "kind": "markdown", "target": f"{n}.md", "text": "there", "status": "ok"} for n in range(count)]

    return {
        "schema_version": 1, "id": "0" * 24, "document_path": "docs/a.md", "anchor": "heading", "heading": heading,
        "link_count": links, "links": some(links), "backlink_count": backlinks, "backlinks": some(backlinks),
    }  # fmt: skip


def test_links_that_fit_are_the_same_object():
    answer = linked(2, 2)
    assert fit_links(answer, within(400)) is answer


def test_the_last_links_to_other_places_go_first():
    answer = linked(200, 3)
    fitted = fit_links(answer, within(600))
    shown = len(fitted["links"])
    assert 5 < shown < 30
    assert fitted == {**answer, "links": answer["links"][:shown], "advice": ADVICE}
    assert within(600).holds(fitted)


def test_the_last_links_to_the_section_go_where_no_other_link_is_left():
    answer = linked(3, 200)
    fitted = fit_links(answer, within(600))
    shown = len(fitted["backlinks"])
    assert 5 < shown < 30
    assert fitted == {**answer, "links": [], "backlinks": answer["backlinks"][:shown], "advice": ADVICE}
    assert within(600).holds(fitted)


def test_no_link_is_left_where_the_other_fields_are_too_large():
    fitted = fit_links(linked(1, 1, heading="much " * 400), within(MIN_TOKENS))
    assert fitted == {
        "schema_version": 1, "links": [], "backlinks": [], "advice": "Not even the first fits: give a larger max_tokens, such as 1000."
    }  # fmt: skip
