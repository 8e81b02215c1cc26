"""The one JSON form: every answer fits its schema, and what it carries of a result comes back."""

import json
from dataclasses import replace

import pytest
from jsonschema import Draft202012Validator

from schema.reports import IndexStatus, RunRecord
from schema.results import (
    Context,
    ContextPack,
    DocumentInfo,
    ResultPage,
    SearchResult,
    SectionLink,
    SimilarSection,
    Snippet,
    Window,
)
from schema.sections import Section
from search.answers.wire import (
    documents_to_json,
    editor_to_json,
    outline_to_json,
    overview_to_json,
    pack_to_json,
    result_from_json,
    result_to_json,
    search_to_json,
    section_to_json,
    sections_to_json,
    spelt,
    status_to_json,
)
from search.answers.wire_schema import SCHEMAS
from search.overview import Facet, NearPair, Overview, SectionSize

LINK = SectionLink(
    id="0" * 24, document_path="docs/a.md", heading="A", depth=1, parent_id=None, order=0, position=0, anchor="a", start_line=1,
    end_line=2, token_count=3, section_number=(), summary="On A.",
)  # fmt: skip
SECTION = Section(
    id="1" * 24, document_path="docs/a.md", heading="B", depth=2, content="## B\n\nline\n", token_count=9, parent_id="0" * 24,
    order=0, heading_path=("A", "B"), anchor="b", start_line=3, end_line=8, body_start=6, section_number=(1, 1),
    document_title="A", tags=("x",), summary="On B.", is_dirty=True,
)  # fmt: skip
HIT = SearchResult(
    section=SECTION, score=0.5, scores={"lexical": 2.0}, parts={"lexical": 0.5}, window=Window(6, 10), passage=None,
    matches=(Window(6, 10),), context=Context((LINK,), LINK, None, (LINK,)), stale=True, is_pending=True, relevance=0.71234,
    snippet=Snippet(
        text="line", start=6, end=10, start_line=5, end_line=5, matches=(Window(0, 4),), place="page 2", answer=Window(6, 10)
    ),
    similar=(SimilarSection(id="2" * 24, document_path="docs/old/a.md", heading="B", start_line=7),),
)  # fmt: skip
PAGE = ResultPage(results=(HIT,), relevance=0.71234, min_relevance=0.35)
SIZE = SectionSize(id="0" * 24, document_path="docs/a.md", heading="A", anchor="a", start_line=1, token_count=3)
STATUS = IndexStatus(
    index_dir="/home/me/project/.sectionary", root="/home/me/project", documents=1, sections=2, dirty=0, summaries=0, stale=(),
    orphans=(), failed=(), paths=("docs",), last_run=RunRecord(started="2026-11-21T00:00:00+00:00"), is_being_written=False,
    model="m", dimension=2, token_encoding="cl100k_base", schema_version=3, data_bytes=1, disk_bytes=2, fragments=1,
    unindexed_rows=0,
)  # fmt: skip
OVERVIEW = Overview(
    documents=1, sections=2, tokens=3, dirty=0, window_tokens=254, over_window=0, histogram=(), largest=(SIZE,), compared=2,
    near_duplicates=(NearPair(cosine=0.99, first=SIZE, second=SIZE),), unsettled=(),
    tags=(Facet(value="x", count=1),), languages=(), folders=(),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("search", search_to_json("q", "hybrid", PAGE, took_ms=1)),
        ("section", section_to_json(HIT)),
        ("outline", outline_to_json([LINK])),
        ("documents", documents_to_json([DocumentInfo("docs/a.md", "A", 2, 3, ("x",))])),
        ("context", pack_to_json("q", ContextPack(text="", token_count=0, max_tokens=9, answered=False))),
        ("status", status_to_json(STATUS)),
        ("overview", overview_to_json(OVERVIEW)),
    ],
)
def test_every_answer_fits_its_schema(name, answer):
    told = json.loads(json.dumps(answer))
    Draft202012Validator(SCHEMAS[name]).validate(told)
    assert set(SCHEMAS[name]["required"]) <= set(told)
    assert (next(iter(told)), told["schema_version"]) == ("schema_version", 1)


def test_a_status_names_the_project_and_not_where_it_lies():
    told = status_to_json(STATUS)
    assert (told["name"], told["index_schema_version"]) == ("project", 3)
    assert "/home" not in json.dumps(told)


@pytest.mark.parametrize(
    "hit",
    [
        HIT,
        replace(
            HIT, window=None, passage=Window(0, 4), matches=(), context=Context(), stale=False, snippet=None, similar=()
        ),
    ],
)
def test_what_a_result_carries_comes_back(hit):
    told = json.loads(json.dumps(result_to_json(hit)))
    assert result_to_json(result_from_json(told)) == told


def test_a_result_tells_its_answer_its_relevance_and_what_is_similar():
    told = result_to_json(HIT)
    assert (told["relevance"], told["is_pending"], told["trail"]) == (0.7123, True, ["A", "B"])
    assert told["snippet"] == {
        "text": "line",
        "start": 6,
        "end": 10,
        "start_line": 5,
        "end_line": 5,
        "place": "page 2",
        "answer": {"start": 6, "end": 10},
        "matches": [[0, 4]],
    }
    assert told["similar"] == [
        {"id": "2" * 24, "document_path": "docs/old/a.md", "heading": "B", "start_line": 7, "place": ""}
    ]


@pytest.mark.parametrize(("relevance", "answered"), [(0.35, True), (0.3499, False), (0.0, False)])
def test_an_answer_says_whether_it_reaches_the_floor(relevance, answered):
    told = search_to_json("q", "hybrid", replace(PAGE, relevance=relevance), took_ms=0)
    assert (told["answered"], told["min_relevance"], len(told["results"])) == (answered, 0.35, 1)


def test_a_page_behind_the_last_hit_is_still_of_an_answered_question():
    assert replace(PAGE, results=()).answered is True
    assert replace(PAGE, results=(), relevance=0.0, min_relevance=0.0).answered is False


def test_text_before_the_first_heading_is_called_by_the_title():
    root = replace(SECTION, depth=0, heading="(document root)", heading_path=("(document root)",), document_title="Keys")
    told = result_to_json(replace(HIT, section=root))
    assert (told["heading"], told["heading_path"], told["trail"]) == ("Keys", ["Keys"], ["Keys"])
    assert "(document root)" not in json.dumps(told)
    assert replace(root, document_title="").name == "docs/a.md"


def test_a_result_that_came_back_knows_its_parent():
    assert result_from_json(result_to_json(HIT)).section.parent_id == "0" * 24


def test_several_sections_have_their_texts_and_say_which_documents_have_changed():
    sections = [Section(id=name, document_path=f"docs/{name}.md", heading="A", depth=1, content="# A\n", token_count=3,
                        parent_id=None, order=0) for name in "ab"]  # fmt: skip
    found = sections_to_json(sections, {"docs/b.md"})["sections"]
    assert [(one["id"], one["content"], one["stale"]) for one in found] == [("a", "# A\n", False), ("b", "# A\n", True)]


def test_nobody_who_may_not_know_it_gets_the_address_of_an_editor():
    assert editor_to_json()["address"] == ""


def test_spans_fit_the_text_whose_unsafe_characters_are_spelt_out():
    content = "Turn\u200b\u202e the crank <!-- a note --> now."

    def span(text):
        return [content.index(text), content.index(text) + len(text)]

    shown = spelt(
        {
            "content": content,
            "body_start": span("crank")[0],
            "matches": [span("crank")],
            "hidden": [span("<!-- a note -->")],
            "window": dict(zip(("start", "end"), span("crank <!--"), strict=True)),
            "passage": None,
            "snippet": {
                "start": span("now")[0],
                "end": span("now")[1],
                "answer": dict(zip(("start", "end"), span("now"), strict=True)),
            },
        }
    )
    text = shown["content"]
    assert text == "Turn\\u200b\\u202e the crank <!-- a note --> now."
    assert text[shown["body_start"] :].startswith("crank")
    assert [text[start:end] for start, end in (*shown["matches"], *shown["hidden"])] == ["crank", "<!-- a note -->"]
    assert text[shown["window"]["start"] : shown["window"]["end"]] == "crank <!--"
    assert text[shown["snippet"]["start"] : shown["snippet"]["end"]] == "now"
    assert text[shown["snippet"]["answer"]["start"] : shown["snippet"]["answer"]["end"]] == "now"
