"""Answers within a token budget: what is kept, what is cut, what is counted."""

import pytest

from search.answers.brief import brief_pack
from search.answers.budget import fit_context, fit_documents, fit_outline, fit_search, fit_section, fit_status
from tests.budgets import LINE, documented, found, hit, outlined, packer, section, state, within


def test_budget_below_the_least_is_refused():
    with pytest.raises(ValueError, match="at least 200, not 199"):
        within(199)


# -- searches ----------------------------------------------------------------------------------------------------------


def test_search_that_fits_is_the_same_object():
    answer = found(hit(1), hit(2))
    assert fit_search(answer, within(2000)) is answer


def test_search_loses_its_last_hits_first():
    answer = found(*[hit(n, LINE * 30) for n in range(5)])
    fitted = fit_search(answer, within(1700))
    assert fitted["results"] == answer["results"][:2]
    assert (fitted["omitted"], fitted["next_offset"]) == (3, 2)


def test_next_offset_of_a_search_counts_from_its_offset():
    answer = found(*[hit(n, LINE * 30) for n in range(5)])
    fitted = fit_search(answer, within(1700), offset=20)
    assert fitted["next_offset"] == 22
    assert fitted["advice"] == "Ask again with offset 22 for the rest, or with a larger max_tokens."


def test_single_hit_that_is_too_large_is_cut_at_the_end_of_a_line():
    answer = found(hit(content=LINE * 500))
    (cut,) = fit_search(answer, within(1000))["results"]
    assert cut["content_truncated"] is True
    assert cut["content"] == LINE * (len(cut["content"]) // len(LINE))
    assert 1000 < len(cut["content"]) < 5000


def test_content_without_lines_is_cut_between_characters():
    answer = found(hit(content="word " * 5000))
    fitted = fit_search(answer, within(1000))
    assert 960 < within(1000).count(fitted) <= 1000
    assert ("word " * 5000).startswith(fitted["results"][0]["content"])


def test_cut_hit_says_how_to_read_it_whole():
    fitted = fit_search(found(hit(content=LINE * 500), hit(2)), within(1000))
    assert fitted["advice"] == "The hit's content is cut: get_section with its id gives it whole."
    assert (len(fitted["results"]), fitted["omitted"], fitted["next_offset"]) == (1, 1, 1)


def test_spans_of_a_cut_content_end_with_it_or_are_gone():
    content = LINE * 500
    answer = found(hit(content=content, passage={"start": 9000, "end": 9100}, matches=[[0, 3], [9000, 9003]]))
    (cut,) = fit_search(answer, within(1000))["results"]
    assert cut["window"] == {"start": 0, "end": len(cut["content"])}
    assert cut["passage"] is None
    assert cut["matches"] == [[0, 3]]


def test_many_children_give_way_to_the_content():
    answer = found(hit(content=LINE * 20, children=60))
    (cut,) = fit_search(answer, within(1000))["results"]
    assert cut["context"] == {"ancestors": [], "previous": None, "next": None, "children": []}
    assert (cut["context_truncated"], cut["content"]) == (True, LINE * 20)
    assert "content_truncated" not in cut


def test_hit_whose_own_fields_are_too_large_is_left_out():
    fitted = fit_search(found(hit(document_title="much " * 400), hit(2)), within(300))
    assert fitted["results"] == []
    assert fitted["omitted"] == 2
    assert fitted["advice"] == "Not even the first fits: give a larger max_tokens, such as 1000."
    assert "next_offset" not in fitted


def brief(number, text):
    return {"id": f"{number:024}", "document_path": "docs/a.md", "snippet": {"text": text, "start_line": 3, "end_line": 4}}


def test_snippet_of_a_brief_hit_that_is_too_large_is_cut():
    fitted = fit_search(found(brief(1, LINE * 40), brief(2, LINE)), within(200))
    (cut,) = fitted["results"]
    assert within(200).holds(fitted)
    assert cut["snippet"]["text"].endswith("…")
    assert (LINE * 40).startswith(cut["snippet"]["text"][:-1])
    assert len(cut["snippet"]["text"]) > 60
    assert fitted["omitted"] == 1
    assert fitted["advice"].startswith("The snippet is cut; get_section")


def test_brief_hit_whose_other_fields_are_too_large_is_left_out():
    assert fit_search(found({**brief(1, LINE), "trail": ["much " * 200]}), within(200))["results"] == []
    assert fit_search(found({**brief(1, LINE), "snippet": None, "trail": ["much " * 200]}), within(200))["results"] == []


def test_query_that_alone_is_too_large_is_not_repeated():
    fitted = fit_search(found(hit(), query="證" * 2000), within(200))
    assert fitted == {
        "schema_version": 1,
        "answered": True,
        "results": [],
        "omitted": 1,
        "advice": "Not even the first fits: give a larger max_tokens, such as 1000.",
    }


def test_empty_search_with_a_query_that_is_too_large_is_empty():
    assert fit_search(found(query="證" * 2000), within(200)) == {
        "schema_version": 1,
        "answered": True,
        "results": [],
    }


def test_that_nothing_answers_is_told_in_every_shorter_answer():
    told = {"answered": False, "advice": "No section answers this."}
    many = fit_search(found(*[hit(n, LINE * 30) for n in range(5)], **told), within(1700))
    assert many["advice"] == ("No section answers this. Ask again with offset 2 for the rest, or with a larger max_tokens.")
    cut = fit_search(found(hit(content=LINE * 500), **told), within(1000))
    assert cut["advice"].startswith("No section answers this. The hit's content is cut")
    none = fit_search(found(hit(document_title="much " * 400), **told), within(300))
    assert none["advice"] == "No section answers this. Not even the first fits: give a larger max_tokens, such as 1000."
    bare = fit_search(found(hit(), query="證" * 2000, **told), within(200))
    assert [fitted["answered"] for fitted in (many, cut, none, bare)] == [False] * 4


def test_snippet_of_a_cut_content_keeps_its_text_and_lines():
    snippet = {
        "text": "a dull boy", "start": 9000, "end": 9010, "start_line": 200, "end_line": 200, "matches": [[0, 1]],
        "answer": {"start": 9002, "end": 9010},
    }  # fmt: skip
    (cut,) = fit_search(found(hit(content=LINE * 500, snippet=snippet)), within(1000))["results"]
    assert cut["snippet"] == {"text": "a dull boy", "start_line": 200, "end_line": 200, "matches": [[0, 1]], "answer": None}
    page = fit_section(section(content=LINE * 500, snippet=snippet), within(1000), offset=8950)
    assert page["snippet"] == {**snippet, "start": 50, "end": 60, "answer": {"start": 52, "end": 60}}


# -- sections ----------------------------------------------------------------------------------------------------------


def test_section_that_fits_is_the_same_object():
    answer = section()
    assert fit_section(answer, within(2000)) is answer


def test_section_that_is_too_large_says_where_it_goes_on():
    fitted = fit_section(section(content=LINE * 500), within(1000))
    assert fitted["next_offset"] == len(fitted["content"])
    assert fitted["advice"] == f"Ask again with offset {fitted['next_offset']} for the rest of the content."


def test_section_without_offsets_is_cut_too():
    whole = {"schema_version": 1, "id": "a" * 24, "content": LINE * 200, "context": hit()["context"]}
    cut = fit_section(whole, within(700), offset=len(LINE))
    assert cut["content"] == LINE * (len(cut["content"]) // len(LINE))
    assert (cut["content_truncated"], cut["content_offset"]) == (True, len(LINE))


def test_pages_of_a_section_make_its_content():
    content = "".join(f"Line {n} of many.\n" for n in range(2000))
    answer, pages, offset = section(content=content), [], 0
    while offset is not None:
        page = fit_section(answer, within(2000), offset=offset)
        pages.append(page["content"])
        assert page.get("content_offset", 0) == offset
        offset = page.get("next_offset")
    assert len(pages) > 5
    assert "".join(pages) == content


def test_spans_of_a_later_page_are_moved_with_it():
    content = LINE * 10
    answer = section(content=content, window={"start": 40, "end": 60}, matches=[[0, 3], [44, 47]])
    page = fit_section(answer, within(5000), offset=44)
    assert page["content"] == content[44:]
    assert (page["window"], page["matches"], page["body_start"]) == ({"start": 0, "end": 16}, [[0, 3]], 0)


def test_section_whose_own_fields_are_too_large_keeps_its_id():
    fitted = fit_section(section(document_title="much " * 400), within(300))
    assert fitted == {
        "schema_version": 1,
        "id": f"{1:024x}",
        "advice": "Not even the first fits: give a larger max_tokens, such as 1000.",
    }


def test_section_with_many_children_is_whole_without_them():
    fitted = fit_section(section(content=LINE * 20, children=60), within(1000))
    assert (fitted["content"], fitted["context_truncated"]) == (LINE * 20, True)
    assert "next_offset" not in fitted


# -- lists -------------------------------------------------------------------------------------------------------------


def test_outline_that_fits_is_the_same_object():
    answer = outlined(3)
    assert fit_outline(answer, within(1000)) is answer


def test_pages_of_an_outline_make_the_whole():
    answer, entries, offset, pages = outlined(100), [], 0, 0
    while offset is not None:
        page = fit_outline(answer, within(1000), offset=offset)
        entries += page["sections"]
        offset, pages = page.get("next_offset"), pages + 1
    assert entries == answer["sections"]
    assert pages > 3


def test_outline_beyond_its_end_is_empty_and_says_so():
    assert fit_outline(outlined(3), within(1000), offset=9) == {
        "schema_version": 1,
        "document_path": "docs/a.md",
        "sections": [],
        "advice": "There is nothing behind the first 9.",
    }


def test_path_that_alone_is_too_large_is_not_repeated():
    fitted = fit_outline(outlined(3, path="證" * 2000), within(200))
    assert fitted == {
        "schema_version": 1,
        "sections": [],
        "omitted": 3,
        "advice": "Not even the first fits: give a larger max_tokens, such as 1000.",
    }


def test_documents_are_those_below_a_prefix():
    answer = documented("a/1.md", "b/1.md", "b/2.md")
    assert [d["path"] for d in fit_documents(answer, within(1000), prefix="b/")["documents"]] == ["b/1.md", "b/2.md"]


def test_documents_left_out_are_counted():
    answer = documented(*[f"docs/{n}.md" for n in range(200)])
    fitted = fit_documents(answer, within(1000))
    shown = len(fitted["documents"])
    assert 10 < shown < 100
    assert fitted["omitted"] == 200 - shown
    assert fitted["next_offset"] == shown


def test_offset_counts_documents_below_the_prefix():
    answer = documented("a/1.md", "b/1.md", "b/2.md")
    assert [d["path"] for d in fit_documents(answer, within(1000), prefix="b/", offset=1)["documents"]] == ["b/2.md"]


# -- context packs -----------------------------------------------------------------------------------------------------


def test_pack_that_fits_is_not_changed():
    ask = packer([LINE])
    assert fit_context(ask, within(1000)) == ask(1000)


def test_brief_pack_has_pieces_without_what_text_and_citation_say():
    pack = packer([LINE, LINE])(1000)
    pack["pieces"][1] |= {"stale": True, "place": "page 3"}
    brief = brief_pack(pack)
    assert brief == {
        **{name: value for name, value in pack.items() if name not in ("query", "max_tokens")},
        "pieces": brief["pieces"],
    }
    assert brief["pieces"] == [
        {"section_id": f"{0:024x}", "citation": "docs/a.md#s0:L0-L0", "language": "en"},
        {"section_id": f"{1:024x}", "citation": "docs/a.md#s1:L1-L1", "language": "en", "stale": True, "place": "page 3"},
    ]


def test_smaller_pack_is_asked_for_where_the_text_alone_is_too_large():
    ask = packer([LINE * 10] * 50)
    fitted = fit_context(lambda tokens: brief_pack(ask(tokens)), within(2000))
    assert ask.asked[0] == 2000
    assert ask.asked[-1] < 2000
    assert fitted["text"] == ask(ask.asked[-1])["text"]
    assert len(fitted["pieces"]) > 8


def test_places_without_room_are_counted_where_they_are_too_many():
    fitted = fit_context(packer([LINE * 10] * 400), within(1000))
    assert fitted["pieces"]
    assert fitted["omitted"] > 300
    assert fitted["omitted"] + len(fitted["left_out"]) + len(fitted["pieces"]) == 400


@pytest.mark.parametrize("sections", [[LINE], []])
def test_pack_whose_query_is_too_large_says_so(sections):
    def ask(tokens):
        return {**packer(sections)(tokens), "query": "證" * 2000}

    expected = {
        "schema_version": 1,
        "answered": True,
        "text": "",
        "pieces": [],
        "advice": "Not even the first fits: give a larger max_tokens, such as 1000.",
    }
    assert fit_context(ask, within(200)) == expected


def test_packs_that_hardly_get_smaller_end_the_asking():
    asked = []

    def ask(tokens):
        asked.append(tokens)
        size = 17 - len(asked) // 4
        return {**packer([LINE * size])(5000), "token_count": 10**6}

    assert fit_context(ask, within(280))["text"] == ""
    assert 3 < len(asked) <= 8


def test_pack_that_cannot_be_made_smaller_is_asked_for_once():
    asked = []

    def ask(tokens):
        asked.append(tokens)
        return {**packer([LINE * 20])(5000), "token_count": 1}

    assert fit_context(ask, within(200))["text"] == ""
    assert len(asked) == 1


def test_pack_without_text_but_with_places_left_out_is_the_last_asked_for():
    asked = []

    def ask(tokens):
        asked.append(tokens)
        return {**packer([LINE])(tokens), "text": "", "pieces": [], "left_out": [{"document_path": "a.md"}]}

    assert fit_context(ask, within(1000))["advice"] == "Not even the first fits: give a larger max_tokens, such as 1000."
    assert asked == [1000]


# -- states ------------------------------------------------------------------------------------------------------------


def test_state_that_fits_is_the_same_object():
    answer = state()
    assert fit_status(answer, within(400)) is answer


def test_long_lists_of_a_state_are_cut_and_counted():
    answer = state(stale=[f"docs/{n}.md" for n in range(500)], orphans=["gone.md"])
    fitted = fit_status(answer, within(1000))
    shown = len(fitted["stale"])
    assert fitted["stale"] == answer["stale"][:shown]
    assert fitted["omitted"] == {"stale": 500 - shown}
    assert fitted["orphans"] == ["gone.md"]


def test_last_fields_of_a_state_go_where_even_that_is_too_large():
    answer = state(last_run={"counts": {f"count_{n}": n for n in range(100)}})
    fitted = fit_status(answer, within(200))
    assert fitted["documents"] == 2
    assert fitted["omitted"] == {"paths": 1, "fields": 4}
    assert "last_run" not in fitted


def test_included_lines_of_a_section_are_left_out_first():
    answer = section(content=LINE * 20) | {"included": [{"line": 1, "text": LINE * 500}]}
    fitted = fit_section(answer, within(1000))
    assert "included" not in fitted
    assert fitted["content"] == LINE * 20
