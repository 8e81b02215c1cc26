"""Fields and exclusions in a query, at every door: which sections they leave, how fields alone are listed, and what is said."""

import json
import os

import pytest

from indexer.tokens import TokenCounter
from search.engine import SearchEngine
from search.server.http import create_app
from search.server.security import Access
from search.server.tools import TOOLS
from tests.http_site import site_of
from tests.mcp_agent import answers_over

GUIDE = """---
tags: [manual]
---
# The guide

Cranks turn here.

## Installing cranks

A crank is installed with care.

### On Linux

Penguins turn the crank. A dead letter waits.

## Removing cranks

Pull the crank. The letter is dead.
"""
NOTES = "---\ntags: [draft]\n---\n# Notes\n\n## Crank notes\n\nA crank squeaks.\n"
JAPANESE = "# 検索\n\n## 全文検索\n\n全文検索の crank を説明します。\n\n## 検索の全文\n\n検索で crank の全文を出します。\n"


@pytest.fixture
def cranks(project, copied):
    return copied(three_documents, project)


def three_documents(project):
    for number, (path, text) in enumerate(
        {"docs/guide.md": GUIDE, "docs/sub/notes.md": NOTES, "docs/ja.md": JAPANESE}.items()
    ):
        project.write(path, text)
        os.utime(project.home / path, (1_700_000_000 + number * 1000,) * 2)
    project.index()


def found(project, query, **options):
    return {hit.section.name for hit in project.engine().search(query, limit=50, **options)}


@pytest.mark.parametrize(
    ("query", "headings"),
    [
        ("crank path:docs/sub/", {"Crank notes"}),
        ("crank -path:docs/", set()),
        ("crank tag:draft", {"Crank notes"}),
        ("crank -tag:draft lang:en", {"The guide", "Installing cranks", "On Linux", "Removing cranks"}),
        ("crank title:installing", {"Installing cranks", "On Linux"}),
        ("crank title:install depth:3", {"On Linux"}),
        ('crank title:"guide removing"', {"Removing cranks"}),
        ("crank title:notes title:removing", {"Notes", "Crank notes", "Removing cranks"} - {"Notes"}),
        ("crank title:nowhere", set()),
        ('crank path:docs/guide.md -"dead letter"', {"The guide", "Installing cranks", "Removing cranks"}),
        ("crank path:docs/guide.md -penguins", {"The guide", "Installing cranks", "Removing cranks"}),
        ("crank path:docs/guide.md -penguin", {"The guide", "Installing cranks", "Removing cranks"}),
        ("crank path:docs/guide.md -installing", {"The guide", "Removing cranks"}),
        ("crank path:docs/ja.md －全文検索", {"検索の全文"}),
        ("crank path:docs/sub/ -nowhere", {"Crank notes"}),
    ],
)
def test_fields_leave_these_sections(cranks, query, headings):
    assert found(cranks, query, mode="lexical") == headings


def test_given_filters_and_fields_must_both_hold(cranks):
    assert found(cranks, "crank path:docs/sub", filters={"path": "docs/ja.md"}) == set()
    assert found(cranks, "crank path:docs/", filters={"title": "notes"}, mode="lexical") == {"Crank notes"}


def test_python_takes_exclusions_as_filters(cranks):
    wanted = {"without": ["penguins", "dead letter"], "without_path": "docs/ja.md", "without_tags": "draft"}
    assert found(cranks, "crank", filters=wanted, mode="lexical") == {"The guide", "Installing cranks", "Removing cranks"}


def test_a_left_out_text_is_looked_for_in_the_title_and_in_each_heading_and_not_across_two_headings(project):
    project.write("docs/handbook.md", "---\ntitle: Dead letter handbook\n---\n# Opening\n\nA crank.\n")
    project.write(
        "docs/crank.md", "# Cranks\n\n## A dead letter\n\n### Its crank\n\nA crank.\n\n## Dead\n\n### Letter\n\nA crank.\n"
    )
    project.index()
    for left in ('-"dead letter"', '-"dead letters"', "-letter"):
        kept = found(project, f"crank {left}", mode="lexical")
        assert ("Opening" in kept, "Its crank" in kept, "Letter" in kept) == {
            '-"dead letter"': (False, False, True),
            '-"dead letters"': (True, True, True),
            "-letter": (False, False, False),
        }[left]


def test_literal_query_is_plain_words(cranks):
    names = found(cranks, "crank path:docs/sub/ -squeaks", literal=True, mode="lexical")
    assert {"Crank notes", "Removing cranks"} <= names


def test_words_of_fields_are_not_looked_for_or_shown_as_matches(cranks):
    (hit,) = cranks.engine().search("squeaks path:docs/sub/notes.md title:crank")
    assert [hit.section.content[match.start : match.end] for match in hit.matches] == ["squeaks"]
    plain = cranks.engine().search("squeaks", filters={"path": "docs/sub/notes.md", "title": "crank"})[0]
    assert (hit.score, hit.snippet) == (plain.score, plain.snippet)


def test_fields_alone_list_the_sections_of_the_newest_documents_first(cranks):
    page = cranks.engine().page("-path:nowhere/ depth:2", limit=3)
    assert [hit.section.name for hit in page.results] == ["全文検索", "検索の全文", "Crank notes"]
    assert page.answered
    assert [hit.section.name for hit in cranks.engine().search("depth:2", limit=9, offset=3)] == [
        "Installing cranks",
        "Removing cranks",
    ]


def test_fields_alone_that_nothing_meets_list_nothing(cranks):
    page = cranks.engine().page("path:nowhere/")
    assert (page.results, page.answered) == ((), False)


def test_word_with_too_many_sections_to_read_is_refused(cranks, monkeypatch):
    monkeypatch.setattr("search.sources.wording.MOST_READ", 1)
    cranks_engine = cranks.engine()
    with pytest.raises(Exception, match="Too many sections have the words of the crank"):
        cranks_engine.search('x -"the crank"')


@pytest.fixture
def run(cranks, command_in):
    return command_in(cranks)


def paths(out):
    return {json.loads(line)["document_path"] for line in out.splitlines()}


def test_command_reads_fields(run):
    assert paths(run("--jsonl", "crank", "path:docs/sub/")[1]) == {"docs/sub/notes.md"}
    assert paths(run("--jsonl", "--literal", "crank", "path:docs/sub/")[1]) > {"docs/sub/notes.md"}
    assert json.loads(run("context", "--json", "crank tag:draft")[1])["pieces"][0]["citation"].startswith(
        "docs/sub/notes.md"
    )


@pytest.mark.parametrize("words", [("crank", "--", "-linux"), ("crank -linux",), ("--", "crank", "-linux")])
def test_command_leaves_out_words_behind_two_dashes_or_in_quotes(run, words):
    def headings(*args):
        return {json.loads(line)["heading"] for line in run("--jsonl", "--path", "docs/guide.md", *args)[1].splitlines()}

    assert headings("crank") - headings(*words) == {"On Linux"}
    assert "Penguins" not in run("context", "--path", "docs/guide.md", *words)[1]


def test_command_takes_paths_of_fields_as_the_user_types_them(run, cranks, monkeypatch):
    monkeypatch.chdir(cranks.home / "docs")
    assert paths(run("--jsonl", "crank", "path:./sub/")[1]) == {"docs/sub/notes.md"}
    assert paths(run("--jsonl", "crank path:guide.md -path:sub")[1]) == {"docs/guide.md"}


def test_command_says_that_fields_left_nothing(run):
    code, out, err = run("crank path:doc/ -tag:draft")
    assert (code, out) == (0, "")
    assert err.startswith(
        "search: The filters leave nothing of what was found (path doc/, without tag draft); ask with fewer"
    )


def test_command_refuses_a_field_in_one_sentence(run):
    code, out, err = run("crank", "since:soon")
    assert (code, out) == (2, "")
    assert err.startswith(
        "search: since: takes a date such as 2026-11-01, an age such as 30min, 2h, 7d or 2w, today or yesterday, not soon; put"
    )
    assert len(err.splitlines()) == 1


def test_http_reads_fields_unless_the_query_is_literal(cranks):
    with site_of(create_app(answers_over(cranks), access=Access())) as site:
        hits = site.get("/api/search?q=crank+tag:draft&limit=20").json
        assert ({hit["document_path"] for hit in hits["results"]}, hits["query"]) == (
            {"docs/sub/notes.md"},
            "crank tag:draft",
        )
        assert len(site.get("/api/search?q=crank+tag:draft&literal=true").json["results"]) > 1
        assert site.get("/api/search?q=crank+depth:7").kind == "invalid_query"
        pack = site.get("/api/context?q=crank+tag:draft").json
        assert {piece["citation"].partition("#")[0] for piece in pack["pieces"]} == {"docs/sub/notes.md"}


def ask(project, name, **arguments):
    (tool,) = (tool for tool in TOOLS if tool.name == name)
    return tool.answer(answers_over(project), tool.checked(arguments), TokenCounter())


def test_agents_read_fields_unless_the_query_is_literal(cranks):
    assert {hit["document_path"] for hit in ask(cranks, "search", query="crank tag:draft")["results"]} == {
        "docs/sub/notes.md"
    }
    assert len(ask(cranks, "search", query="crank tag:draft", literal=True)["results"]) > 1
    assert "docs/sub/notes.md" in ask(cranks, "context", query="crank tag:draft")["text"]


def test_agents_are_told_that_fields_left_nothing(cranks):
    advice = ask(cranks, "search", query="crank path:doc/ root:nowhere")["advice"]
    assert advice.startswith("The filters leave nothing of what was found (path doc/, root nowhere); ask with fewer")


def test_path_of_the_projects_own_folder_allows_everything(run, cranks, monkeypatch):
    monkeypatch.chdir(cranks.home)
    assert paths(run("--jsonl", "-n", "50", "path:.")[1]) == {"docs/guide.md", "docs/sub/notes.md", "docs/ja.md"}
    assert paths(run("--jsonl", "-n", "50", "crank", "path:./")[1]) == {"docs/guide.md", "docs/sub/notes.md", "docs/ja.md"}


def test_list_of_sections_looks_at_no_file_for_its_order(cranks):
    engine = cranks.engine()
    expected = [hit.section.id for hit in engine.search("depth:2", limit=9)]
    os.utime(cranks.home / "docs/guide.md", (1_900_000_000,) * 2)
    assert [hit.section.id for hit in engine.search("depth:2", limit=9)] == expected
    cranks.indexer().index(cranks.home / "docs")
    assert engine.search("depth:2", limit=9)[0].section.document_path == "docs/guide.md"


def counted(project, name, **arguments):
    """An agents' answer, and whether a section answered, for each search that was counted."""
    (tool,) = (tool for tool in TOOLS if tool.name == name)
    noted, answers = [], answers_over(project)
    answers.on_search = lambda _seconds, answered: noted.append(answered)
    return tool.answer(answers, tool.checked(arguments), TokenCounter()), noted


def test_searches_are_counted_once_for_each_question(cranks):
    assert counted(cranks, "search", query="crank path:doc/ root:nowhere")[1] == [False]
    assert counted(cranks, "context", query="crank path:doc/ root:nowhere")[1] == [False]


def test_context_that_must_be_made_smaller_ranks_once(cranks, monkeypatch):
    for number in range(8):
        cranks.write(f"docs/more{number}.md", f"# More {number}\n\n## Crank {number}\n\n" + "The crank turns.\n" * 150)
    cranks.index()
    packs = []
    real = SearchEngine.context_of
    monkeypatch.setattr(
        SearchEngine, "context_of", lambda self, page, **given: (packs.append(page), real(self, page, **given))[1]
    )
    answer, noted = counted(cranks, "context", query="crank turns", max_tokens=900)
    assert len(packs) > 1
    assert all(page is packs[0] for page in packs)
    assert (len(noted), bool(answer["text"])) == (1, True)


def test_documents_are_listed_once_for_all_references_of_a_call(cranks, monkeypatch):
    name = "docs/a\u202eb.md"
    cranks.write(name, "# Odd\n\nText.\n\n## More\n\nText.\n")
    cranks.index()
    listed = []
    real = SearchEngine.documents
    monkeypatch.setattr(SearchEngine, "documents", lambda self: listed.append(self) or real(self))
    ids = ["docs/a\\u202eb.md#odd", "docs/a\\u202eb.md#more", "docs/guide.md"]
    found = ask(cranks, "get_section", ids=ids)["sections"]
    assert [one["anchor"] for one in found[:2]] == ["odd", "more"]
    assert len(listed) == 1


LEFT_OUT = "Left out: sections with squeaks; put the words in quotes to search for them."


def test_command_says_which_words_it_left_out(run):
    assert run("-n", "1", "crank -squeaks")[2] == f"search: {LEFT_OUT}\n"
    assert run("-n", "1", "--files", "crank -squeaks")[2] == f"search: {LEFT_OUT}\n"
    assert run("context", "crank -squeaks")[2] == f"search: {LEFT_OUT}\n"
    assert run("-n", "1", "--quiet", "crank -squeaks")[2] == run("-n", "1", 'crank -"squeaks"')[2] == ""
    assert json.loads(run("--json", "crank -squeaks")[1])["advice"] == LEFT_OUT
    assert "advice" not in json.loads(run("--json", "--literal", "crank -squeaks")[1])


def test_http_and_agents_say_which_words_were_left_out(cranks):
    with site_of(create_app(answers_over(cranks), access=Access())) as site:
        found = site.get("/api/search?q=crank+-squeaks").json
        assert (found["advice"], found["words_left_out"]) == (LEFT_OUT, ["squeaks"])
        assert site.get("/api/context?q=crank+-squeaks").json["advice"] == LEFT_OUT
        assert "advice" not in site.get("/api/search?q=crank").json
    assert ask(cranks, "search", query="crank -squeaks")["advice"].endswith(LEFT_OUT)
    assert ask(cranks, "context", query="crank -squeaks")["advice"].endswith(LEFT_OUT)
    nothing = ask(cranks, "search", query="crank path:doc/ root:nowhere -squeaks")["advice"]
    assert nothing.startswith("The filters leave nothing of what was found (path doc/")
    assert nothing.endswith(LEFT_OUT)


NOT_FOUND = 'No section has "dead penguin" as it is written; the words were searched one by one.'


def test_command_says_that_no_section_has_a_phrase(run):
    assert run("-n", "1", '"dead penguin" letter')[2] == f"search: {NOT_FOUND}\n"
    assert run("context", '"dead penguin" letter')[2] == f"search: {NOT_FOUND}\n"
    assert run("-n", "1", "--quiet", '"dead penguin" letter')[2] == run("-n", "1", '"dead letter"')[2] == ""
    answer = json.loads(run("--json", '"dead penguin" letter')[1])
    assert (answer["advice"], answer["phrases_not_found"]) == (NOT_FOUND, ["dead penguin"])
    assert "phrases_not_found" not in json.loads(run("--json", '"dead letter"')[1])


def test_http_and_agents_say_that_no_section_has_a_phrase(cranks):
    with site_of(create_app(answers_over(cranks), access=Access())) as site:
        found = site.get("/api/search?q=%22dead+penguin%22+letter").json
        assert (found["advice"], found["phrases_not_found"]) == (NOT_FOUND, ["dead penguin"])
    assert ask(cranks, "search", query='"dead penguin" letter')["advice"].endswith(NOT_FOUND)
    assert ask(cranks, "context", query='"dead penguin" letter')["advice"].endswith(NOT_FOUND)


NO_CODE = 'No section has "ECRANK" as it is written; the words were searched one by one.'


def test_every_door_says_that_no_section_has_an_identifier(cranks, run):
    assert run("-n", "1", "crank ECRANK")[2] == run("context", "crank ECRANK")[2] == f"search: {NO_CODE}\n"
    answer = json.loads(run("--json", "crank ECRANK")[1])
    assert (answer["advice"], answer["phrases_not_found"]) == (NO_CODE, ["ECRANK"])
    with site_of(create_app(answers_over(cranks), access=Access())) as site:
        assert site.get("/api/search?q=crank+ECRANK").json["advice"] == NO_CODE
    assert ask(cranks, "search", query="crank ECRANK")["advice"].endswith(NO_CODE)


def test_identifier_within_a_longer_one_is_not_told(run, cranks):
    cranks.write("docs/settings.md", "# Settings\n\nSet `app.crank.max_turns` to five.\n")
    cranks.index()
    assert run("-n", "1", "crank.max_turns")[2] == run("-n", "1", "max_turns")[2] == ""
    assert run("-n", "1", "crank.max_wombats")[2].startswith('search: No section has "crank.max_wombats"')


def test_identifier_of_a_section_that_filters_leave_out_is_not_told(run):
    assert run("-n", "1", "crank LINUX path:docs/sub/")[2] == ""


def test_a_word_that_is_emphasised_in_part_is_found_and_left_out_as_it_is_read(project):
    project.write(
        "docs/bold.md", "# Bold\n\nThe **dead**letter waits with **R**epresentational cranks.\n\n# Power\n\n2**8 cranks.\n"
    )
    project.index()
    for query in ("deadletter", '"deadletter"', "dead", '"**dead**letter"', "representational"):
        assert found(project, query, mode="lexical") == {"Bold"}
    assert found(project, 'cranks -"deadletter"', mode="lexical") == {"Power"}
    assert found(project, "cranks -deadletter", mode="lexical") == {"Power"}
