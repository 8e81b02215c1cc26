"""Links of a section within a token budget."""

from search.answers.budget import MIN_TOKENS, fit_links
from tests.budgets import within


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


def advised(fitted):
    return f"Ask again with offset {fitted['next_offset']} for the rest, or with a larger max_tokens."


def test_the_last_links_of_the_longer_list_go_first():
    for answer, longer, shorter in ((linked(200, 3), "links", "backlinks"), (linked(3, 200), "backlinks", "links")):
        fitted = fit_links(answer, within(600))
        shown = len(fitted[longer])
        assert 5 < shown < 30
        assert (fitted["next_offset"], fitted["omitted"]) == (shown + 3, 200 - shown)
        left = {"omitted": 200 - shown, "next_offset": shown + 3, "advice": advised(fitted)}
        assert fitted == {**answer, longer: answer[longer][:shown], shorter: answer[shorter], **left}
        assert within(600).holds(fitted)


def test_both_lists_are_there_in_turns_where_neither_fits():
    fitted = fit_links(linked(200, 200), within(600))
    assert abs(len(fitted["links"]) - len(fitted["backlinks"])) <= 1
    assert fitted["links"]


def test_next_page_goes_on_where_the_one_before_ended():
    answer = linked(40, 25)
    pages, offset = [], 0
    while offset is not None:
        pages.append(fit_links(answer, within(500), offset=offset))
        offset = pages[-1].get("next_offset")
    assert len(pages) > 2
    for name in ("links", "backlinks"):
        assert [one for page in pages for one in page[name]] == answer[name]


def test_no_link_is_left_where_the_other_fields_are_too_large():
    fitted = fit_links(linked(1, 1, heading="much " * 400), within(MIN_TOKENS))
    assert fitted == {
        "schema_version": 1, "links": [], "backlinks": [], "omitted": 2,
        "advice": "Not even the first fits: give a larger max_tokens, such as 1000.",
    }  # fmt: skip
