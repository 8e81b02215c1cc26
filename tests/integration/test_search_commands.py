"""The commands beside the plain query: context, eval, outline, section; and what the query's own options print."""

import json
import os
import unicodedata

import pytest

from schema.errors import QueryError
from schema.settings import Settings
from search.answers.service import SearchService
from search.evaluation import Question, evaluate, read_questions


@pytest.fixture
def run(indexed_manual, command_in):
    return command_in(indexed_manual)


def first_place(done):
    """The path and line of the first result."""
    return next(line.split()[0] for line in done[1].splitlines() if "  section " in line)


def test_explanation_says_what_each_step_gave(run):
    code, out, _ = run("--explain", "-n", "1", "linux penguins")
    assert code == 0
    assert "     lexical   +0." in out
    assert "     heading   +" in out


def test_json_tells_parts_passage_and_matches(run):
    hit = json.loads(run("--json", "penguins")[1])["results"][0]
    content = hit["content"]
    assert [content[a:b] for a, b in hit["matches"]] == ["Penguins"]
    assert content[hit["passage"]["start"] : hit["passage"]["end"]] == "Penguins need a special crank."
    assert sum(hit["parts"].values()) == pytest.approx(hit["score"], abs=1e-4)


def test_numbers_go_on_with_the_offset(run):
    assert run("--offset", "1", "-n", "1", "crank")[1].startswith("2. ")


@pytest.mark.parametrize(
    ("options", "path"),
    [
        (["--language", "ko"], "docs/sub/notes.md"),
        (["--lang", "ko"], "docs/sub/notes.md"),
        (["--field", "title=the guide"], "docs/guide.md"),
        (["--since", "1d", "--path", "docs/guide.md"], "docs/guide.md"),
        (["--clean", "--tag", "guide"], "docs/guide.md"),
    ],
)
def test_filters_of_the_command(run, options, path):
    _, out, _ = run("--jsonl", *options, "crank 검색")
    assert {json.loads(line)["document_path"] for line in out.splitlines()} == {path}


@pytest.mark.parametrize("options", [["--since", "soon"], ["--field", "novalue"]])
def test_wrong_filter_is_one_sentence(run, options):
    code, out, err = run(*options, "x")
    assert (code, out) == (2, "")
    assert err.startswith("search: The ")
    assert len(err.splitlines()) == 1


def test_context_prints_a_pack(run):
    code, out, _ = run("context", "--max-tokens", "80", "penguins")
    assert code == 0
    assert "[docs/guide.md#linux:L13-L15]\n### Linux\n\nPenguins need a special crank." in out


def test_context_as_json(run):
    pack = json.loads(run("context", "--json", "--max-tokens", "80", "penguins")[1])
    assert pack["token_count"] <= pack["max_tokens"] == 80
    assert "docs/guide.md#linux:L13-L15" in [piece["citation"] for piece in pack["pieces"]]


def test_context_without_room_is_told_once(run):
    _, out, err = run("context", "--max-tokens", "1", "penguins")
    assert (out, err) == ("", "search: So few tokens have no room for any text: ask for more.\n")


def test_context_that_finds_nothing_says_so(run):
    code, out, err = run("context", "--mode", "lexical", "zzzzz")
    assert (code, out) == (0, "")
    assert err == "search: No section answers this. Nothing was found; try other words.\n"


def test_context_of_an_empty_index_says_so(run, manual):
    for path in ("docs/guide.md", "docs/sub/notes.md"):
        (manual.home / path).unlink()
    manual.index()
    assert "holds no text yet" in run("context", "penguins")[2]


@pytest.mark.parametrize("typed", ["./docs/guide.md", "docs/../docs/guide.md", "{home}/docs/guide.md", "docs/guide.md:7",
                                   "docs/guide.md#install"])  # fmt: skip
def test_outline_takes_a_path_as_it_was_printed_or_typed(run, manual, typed):
    assert run("outline", typed.format(home=manual.home)) == run("outline", "docs/guide.md")


def test_paths_open_from_the_folder_in_which_the_user_stands_and_are_taken_from_there(run, manual, monkeypatch):
    manual.write("guide.md", "# Another\n\nOf the root.\n")
    manual.indexer().index(manual.home)
    monkeypatch.chdir(manual.home / "docs")
    assert first_place(run("--mode", "lexical", "penguins")) == "guide.md:15"
    assert json.loads(run("--mode", "lexical", "--json", "penguins")[1])["results"][0]["document_path"] == "docs/guide.md"
    assert run("outline", "guide.md")[1].split()[0] == "Guide"
    assert run("outline", "../guide.md")[1].split()[0] == "Another"
    assert run("outline", "docs/guide.md")[1].split()[0] == "Guide"
    assert first_place(run("--mode", "lexical", "root")) == "../guide.md:3"


def test_document_whose_path_is_stored_taken_apart_is_found_by_the_path_that_a_keyboard_gives(run, manual):
    stored = unicodedata.normalize("NFD", "docs/안내/서버.md")
    manual.write(stored, "# Penguins\n\nPenguins of the server.\n")
    manual.indexer().index(manual.home)
    assert run("outline", "docs/안내/서버.md")[1].split()[0] == "Penguins"
    assert json.loads(run("outline", "--json", "docs/안내/서버.md")[1])["document_path"] == stored
    assert run("section", "docs/안내/서버.md:3") == run("section", f"{stored}#penguins")
    assert first_place(run("--mode", "lexical", "penguins path:docs/안내/")) == f"{stored}:3"
    assert first_place(run("--mode", "lexical", "penguins -path:docs/안내/")) == "docs/guide.md:15"
    service = SearchService(manual.index_dir, settings=Settings(), embedder=manual.embedder)
    assert service.document("docs/안내/서버.md") == service.sections(["docs/안내/서버.md"])


@pytest.mark.parametrize(
    ("folder", "typed", "found"),
    [
        (".", "docs/sub", ["docs/sub/notes.md"]),
        (".", "./docs/sub/", ["docs/sub/notes.md"]),
        (".", "{home}/docs/sub", ["docs/sub/notes.md"]),
        (".", "{home}", ["docs/guide.md", "docs/sub/notes.md"]),
        (".", "/docs/sub", ["docs/sub/notes.md"]),
        ("docs", "sub", ["docs/sub/notes.md"]),
        ("docs", "docs/sub", ["docs/sub/notes.md"]),
        ("docs", "sub/*.md", ["docs/sub/notes.md"]),
        ("docs", "guide.md", ["docs/guide.md"]),
        ("docs/sub", "../guide.md", ["docs/guide.md"]),
        ("docs/sub", ".", ["docs/sub/notes.md"]),
        ("docs/sub", "**/guide.md", ["docs/guide.md"]),
    ],
)
def test_path_filter_is_read_from_where_the_user_stands(run, manual, monkeypatch, folder, typed, found):
    monkeypatch.chdir(manual.home / folder)
    hits = json.loads(run("--mode", "lexical", "--json", "--path", typed.format(home=manual.home), "검색 penguins")[1])
    assert sorted({hit["document_path"] for hit in hits["results"]}) == found


def test_misspelt_paths_get_suggestions(run):
    assert run("outline", "docs/guid.md")[2] == (
        "search: There is no document docs/guid.md in the index; did you mean docs/guide.md?\n"
    )
    assert "did you mean docs/sub/notes.md?" in run("outline", "notes.md")[2]
    assert "did you mean docs/guide.md?" in run("section", "docs/guid.md")[2]
    assert run("--mode", "lexical", "--path", "doc/sub", "penguins")[2].endswith(
        "No document's path begins with doc/sub; did you mean docs/sub/?\n"
    )


def test_section_is_taken_by_its_place(run):
    by_id = run("section", json.loads(run("--mode", "lexical", "--json", "penguins")[1])["results"][0]["id"])
    assert run("section", "docs/guide.md:14") == by_id
    assert run("section", "./docs/guide.md#linux") == by_id
    code, _, err = run("section", "docs/guide.md#nowhere")
    assert (code, "`search outline docs/guide.md` shows those there are" in err) == (2, True)


@pytest.mark.parametrize("typed", ["docs/log.md#v1.2", "docs/log.md#V1.2", "docs/log.md#v1.2:L3-L5", "docs/log.md#v1.2:3"])
def test_section_is_taken_by_an_anchor_with_a_dot_or_in_other_case_and_by_its_citation(run, manual, typed):
    manual.write("docs/log.md", "# Changes\n\n## Version 1.2 {#v1.2}\n\nKeys can be rotated.\n\n## Version 1.1\n\nOlder.\n")
    manual.index()
    assert run("section", typed)[1].splitlines()[0] == "1. Changes > Version 1.2"
    assert run("outline", typed) == run("outline", "docs/log.md")


@pytest.mark.parametrize("typed", ["docs/guide.md#on-bsd", "docs/guide.md#On-BSD"])
def test_section_is_taken_by_the_anchor_of_a_heading_below_h3(run, manual, typed):
    manual.write("docs/guide.md", "# Guide\n\n## Install\n\nTurn it.\n\n#### On BSD\n\nTurn it twice.\n\n## Use\n\nPush.\n")
    manual.index()
    assert run("section", typed)[1].splitlines()[0] == "1. Guide > Install"
    assert run("links", typed)[0] == run("similar", typed)[0] == 0
    assert run("section", "docs/guide.md#on-mac")[0] == 2


def test_anchor_with_a_dot_that_is_nowhere_is_told_with_its_document(run, manual):
    manual.write("docs/log.md", "# Changes\n\n## Version 1.2 {#v1.2}\n\nKeys can be rotated.\n")
    manual.index()
    assert run("section", "docs/log.md#v1.3")[2] == (
        "search: There is no section docs/log.md#v1.3 in the index; did you mean v1.2?\n"
    )


def test_documents_outside_are_shown_and_taken_by_the_name_of_their_folder(run, manual, tmp_path_factory, monkeypatch):
    notes = tmp_path_factory.mktemp("elsewhere") / "notes"
    notes.mkdir()
    (notes / "x.md").write_text("# Xylophone\n\nWooden bars.\n")
    manual.indexer().index(notes)
    (manual.home / "docs/notes").mkdir()
    for folder in (".", "docs"):
        monkeypatch.chdir(manual.home / folder)
        assert first_place(run("--mode", "lexical", "wooden")) == "notes/x.md:3"
        for typed in ("notes/x.md", notes / "x.md", os.path.relpath(notes / "x.md")):
            assert run("outline", str(typed))[1].split()[0] == "Xylophone"
        hits = json.loads(run("--mode", "lexical", "--json", "--path", str(notes), "wooden penguins")[1])["results"]
        assert [hit["document_path"] for hit in hits] == ["notes/x.md"]


def test_outline_of_a_document(run):
    _, out, _ = run("outline", "./docs/guide.md")
    assert out.splitlines()[0].startswith("  Guide             L5-")
    assert len(json.loads(run("outline", "--json", "docs/guide.md")[1])["sections"]) == 6


def test_outline_of_a_document_tells_that_its_file_is_gone(run, indexed_manual):
    assert run("outline", "docs/guide.md")[2] == ""
    (indexed_manual.home / "docs/guide.md").unlink()
    told = "[gone] The file is not there any more; `index scan` takes it out of the index.\n"
    assert run("outline", "docs/guide.md")[2] == told
    assert json.loads(run("outline", "--json", "docs/guide.md")[1])["stale"] is True


def test_outline_of_a_document_tells_that_its_file_has_changed(run, indexed_manual):
    indexed_manual.write("docs/guide.md", "# Another\n")
    assert run("outline", "docs/guide.md")[2] == "[stale] The file has changed since it was indexed.\n"


def test_words_that_look_like_options_are_told_how_to_be_searched_for(run):
    code, _, told = run("--no-such-flag")
    assert code == 2
    assert told.startswith("search: No such option '--no-such-flag'.")
    assert told.endswith("stand in quotes with the others, or after all options and --, as in `search -- --no-such-flag`.\n")
    assert run("--quiet", "--", "--penguins")[0] == 0


@pytest.mark.parametrize("command", [(), ("context",)])
@pytest.mark.parametrize("words", ["--no-such-flag of wooden penguins", "-w wooden penguins", "-json wooden penguins"])
def test_words_of_one_argument_are_a_question_also_where_the_first_begins_with_a_dash(run, command, words):
    found = json.loads(run(*command, "--mode", "lexical", words, "--json")[1])
    assert "penguins" in json.dumps(found)
    assert run(*command, "--mode", "lexical", "--path", "-x y", "--", words)[0] in (0, 1)


def test_section_by_its_id(run):
    identity = json.loads(run("--json", "penguins")[1])["results"][0]["id"]
    assert "Penguins need a special crank." in run("section", identity)[1]
    assert json.loads(run("section", "--json", identity)[1])["id"] == identity


@pytest.mark.parametrize("args", [("outline", "docs/none.md"), ("section", "none"), ("eval", "none.jsonl"), ("context",)])
def test_what_is_not_there_is_wrong_use(run, args):
    code, out, err = run(*args)
    assert (code, out) == (2, "")
    assert err.startswith("search: ")


def test_query_named_like_a_command_follows_two_dashes(run):
    assert run("--", "outline")[0] == 0


def questions(manual, *lines):
    place = manual.home / "questions.jsonl"
    place.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return place


def test_eval_measures_sections_and_documents(run, manual):
    place = questions(
        manual,
        {"query": "penguins", "gold": "docs/guide.md#linux"},
        {"query": "검색합니다", "path": "docs/sub/notes.md"},
        {"query": "bananas", "path": "docs/guide.md", "anchor": "second-child"},
        {"query": "apples", "gold": ["docs/guide.md#gone"]},
    )
    code, out, err = run("eval", "--mode", "lexical", "--worst", "1", str(place))
    assert code == 0
    assert out.splitlines()[0] == "4 questions, lexical"
    assert "  nDCG@10     0.750" in out
    assert "  Recall@100  0.750" in out
    assert out.splitlines()[-1].startswith("0.00  apples  (docs/guide.md#gone at none of the first 100)")
    assert err == "search: There is no docs/guide.md#gone in the index; it counts as not found.\n"


def test_eval_as_json_gives_every_question(run, manual):
    place = questions(manual, {"query": "penguins", "gold": "docs/guide.md#linux"}, "")
    found = json.loads(run("eval", "--json", "--mode", "lexical", str(place))[1])
    assert found["questions"] == [{"query": "penguins", "nDCG@10": 1.0, "places": {"docs/guide.md#linux": 1}}]
    assert found["means"]["MRR@10"] == 1.0


def test_eval_fails_below_a_minimum_and_says_which(run, manual):
    place = questions(
        manual, {"query": "penguins", "gold": "docs/guide.md#linux"}, {"query": "apples", "gold": "docs/none.md"}
    )
    args = ("eval", "--mode", "lexical", str(place))
    assert run(*args, "--min", "0.5", "--min", "s@1=0.5")[0] == 0
    code, out, err = run(*args, "--min", "0.6", "--min", "s@1=0.5", "--min", "r@100=0.9")
    assert (code, out.splitlines()[0]) == (1, "2 questions, lexical")
    assert err.splitlines()[1:] == [
        "search: nDCG@10 is 0.5000, below the minimum of 0.6.", "search: Recall@100 is 0.5000, below the minimum of 0.9."
    ]  # fmt: skip
    code, out, err = run(*args, "--min", "best=1")
    assert (code, out) == (2, "")
    assert "--min takes a number from 0 to 1" in err


def test_document_counts_where_its_first_section_is(manual):
    manual.index()
    found = evaluate(manual.engine(), [Question("crank", ("docs/guide.md",))], mode="lexical")
    assert found.judged[0].places == {"docs/guide.md": 1}
    assert found.means["nDCG@10"] == 1.0


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
@pytest.mark.parametrize("asked", ["NFC", "NFD"])
def test_answers_of_an_evaluation_are_the_same_in_either_form_of_unicode(manual, stored, asked):
    heading, path = (unicodedata.normalize(stored, text) for text in ("Crème brûlée", "docs/café/menü.md"))
    manual.write(path, f"# 검색\n\nflambé\n\n## {heading}\n\nsugar on top\n")
    manual.index()
    composed = "docs/café/menü.md"
    section, document, folder = (
        unicodedata.normalize(asked, name) for name in (f"{composed}#crème-brûlée", composed, "docs/café")
    )
    place = questions(manual, {"query": "sugar", "gold": section}, {"query": "sugar", "gold": document})
    found = evaluate(manual.engine(), read_questions(place), mode="lexical")
    assert ([dict(one.places) for one in found.judged], found.unknown) == ([{section: 1}, {document: 1}], ())
    place = questions(manual, {"query": "sugar", "gold": "menü.md"})
    found = evaluate(manual.engine(), read_questions(place, under=folder), mode="lexical")
    assert (found.means["nDCG@10"], found.unknown) == (1.0, ())


def test_answer_that_is_named_in_both_forms_of_unicode_counts_once(manual):
    manual.write("docs/menü.md", "# Menu\n\nsugar\n")
    manual.index()
    both = tuple(unicodedata.normalize(form, "docs/menü.md") for form in ("NFC", "NFD"))
    found = evaluate(manual.engine(), [Question("sugar", both)], mode="lexical")
    assert (found.means["nDCG@10"], dict(found.judged[0].places)) == (1.0, dict.fromkeys(both, 1))


@pytest.mark.parametrize(
    "line", ["not json", "[]", '{"query": "x"}', '{"gold": "x"}', '{"query": "", "gold": "x"}', '{"query": "x", "gold": []}',
             '{"query": "x", "gold": [3]}', '{"query": "x", "gold": 3}', "1" * 5000, "[" * 100_000],
)  # fmt: skip
def test_line_that_is_no_question_is_named(manual, line):
    with pytest.raises(QueryError, match=r"Line 2 of .* is no question"):
        read_questions(questions(manual, {"query": "x", "gold": "y"}, line))


def test_empty_questions_and_other_encodings_are_refused(manual, tmp_path):
    with pytest.raises(QueryError, match="holds no question"):
        read_questions(questions(manual, ""))
    (tmp_path / "q").write_bytes(b"\xff\xfe{")
    with pytest.raises(QueryError, match="UTF-8"):
        read_questions(tmp_path / "q")


def test_paths_may_be_relative_to_a_folder(run, manual):
    place = questions(manual, {"query": "penguins", "gold": ["guide.md#linux", "0" * 24]})
    found = json.loads(run("eval", "--json", "--mode", "lexical", "--under", "./docs/", str(place))[1])
    assert list(found["questions"][0]["places"]) == ["docs/guide.md#linux", "0" * 24]


def test_questions_of_an_evaluation_are_plain_words_unless_they_say_otherwise(manual, tmp_path):
    asked = tmp_path / "questions.jsonl"
    asked.write_text(
        '{"query": "linux -crank", "gold": "docs/guide.md"}\n{"query": "depth:7 crank", "gold": "docs/guide.md"}\n'
        '{"query": "linux -crank", "gold": "docs/guide.md", "literal": false}\n'
    )
    manual.index()
    plain, _, left_out = evaluate(manual.engine(), read_questions(asked), mode="lexical").judged
    assert plain.places["docs/guide.md"] == 1
    assert left_out.places["docs/guide.md"] is None


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"query": "depth:7 crank", "gold": "a.md", "literal": false}', "Line 2 of .*: depth: takes 0, 1, 2 or 3, not 7"),
        ('{"query": "crank", "gold": "a.md", "literal": "no"}', "Line 2 of .* is no question"),
    ],
)
def test_question_whose_field_makes_no_sense_is_told_with_its_line(tmp_path, line, told):
    asked = tmp_path / "questions.jsonl"
    asked.write_text('{"query": "depth:7", "gold": "a.md"}\n' + line)
    with pytest.raises(QueryError, match=told):
        read_questions(asked)
