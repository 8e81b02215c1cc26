"""What every reader is told beside the hits: that no section answers, what filters left, what is similar, where the answer is."""

import json
from urllib.parse import urlencode

import pytest

from schema.settings import Settings
from search import SearchEngine
from tests.conftest import GUIDE, Project, WordEmbedder
from tests.http_site import site_over
from tests.mcp_agent import agent_within, answers_over

#: One of these words stands in the manual, and not even that is said of the others.
NEAR = "penguins quokkas wombats numbats bilbies"
STRICT = 0.99
EDITION = "The valve opens when the pressure of the tank rises above four bar, and closes again below three bar.\n"


@pytest.fixture(scope="module")
def valves(tmp_path_factory):
    """A project that no test changes: a guide, three editions of one page, a text before any heading."""
    project = Project(tmp_path_factory.mktemp("valves"), WordEmbedder())
    project.write("docs/guide.md", GUIDE)
    for edition in ("2022", "2023", "2024"):
        project.write(f"docs/{edition}/valves.md", f"---\ntags: [plant/Tank]\n---\n# Valves\n\n{EDITION}")
    project.write(
        "docs/loose.md", "---\ntitle: Loose Leaves\n---\nKettles are descaled on Mondays.\n\n# Teapots\n\nNever.\n"
    )
    project.index()
    return project


@pytest.fixture
def run(valves, search_in):
    return search_in(valves)


@pytest.fixture(scope="module")
def site(valves):
    with site_over(valves) as site:
        yield site


@pytest.fixture(scope="module")
def agent(valves):
    with agent_within(answers_over(valves)) as agent:
        yield agent


def over_http(site, route="search", **asked):
    return site.get(f"/api/{route}?" + urlencode({"mode": "lexical", **asked}, doseq=True)).json


# -- where no section answers ------------------------------------------------------------------------------------------


def test_text_says_that_no_section_answers_above_the_nearest(run):
    code, out, _ = run(NEAR, "--min-relevance", str(STRICT))
    assert code == 0
    assert out.startswith("No section answers this. The nearest are:\n\n1. The Guide > Guide > Install > Linux\n")
    assert not run("penguins need a special crank", "--min-relevance", "0")[1].startswith("No section")


def test_fewer_hits_change_nothing_about_whether_the_question_is_answered(tmp_path):
    project = Project(tmp_path / "p", WordEmbedder())
    text = "# Valves\n\nThe tank is old.\n\n## Pressure of the valve\n\nIt closes again.\n\n## Tank\n\n"
    project.write("docs/a.md", f"{text}The valve opens when the pressure of the tank rises.\n")
    project.write("docs/guide.md", GUIDE)
    project.index()
    engine = SearchEngine(project.index_dir, embedder=project.embedder, settings=Settings())
    pages = [engine.page("when does the tank valve close", mode="lexical", limit=limit) for limit in (1, 10)]
    assert [page.answered for page in pages] == [True, True]
    first, second = pages[1].results[:2]
    assert first.parts["answers"] > 0 > second.parts["answers"]  # it was second, and answers
    assert first.relevance >= pages[1].min_relevance > second.relevance
    assert pages[0].results[0].section.id == first.section.id


def test_fourth_hit_answers_no_question(valves, monkeypatch):
    def relevance(_snapshot, _query, ranking, rows, **_):
        return [0.31 if row == ranking.order[3] else 0.29 for row in rows]

    monkeypatch.setattr("search.ranking.relevance.relevance", relevance)
    page = SearchEngine(valves.index_dir, embedder=valves.embedder, settings=Settings()).page("the guide", mode="lexical")
    assert [hit.relevance for hit in page.results[:4]] == [0.29, 0.29, 0.29, 0.31]
    assert (page.answered, page.relevance) == (False, 0.29)


def test_nothing_but_results_is_printed_where_quiet_is_asked_for(run):
    code, out, err = run(NEAR, "--min-relevance", str(STRICT), "--quiet")
    assert (code, err) == (0, "")
    assert out.startswith("1. The Guide")


def test_json_and_its_lines_say_that_no_section_answers(run):
    told = json.loads(run(NEAR, "--json", "--min-relevance", str(STRICT))[1])
    assert (told["answered"], told["min_relevance"], told["results"][0]["heading"]) == (False, STRICT, "Linux")
    _, out, err = run(NEAR, "--jsonl", "--min-relevance", str(STRICT))
    assert json.loads(out.splitlines()[0])["heading"] == "Linux"
    assert err == "search: No section answers this.\n"


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ((NEAR, "--min-relevance", str(STRICT)), 1),
        ((NEAR, "--min-relevance", "0"), 0),
        (("penguins", "--offset", "50"), 1),
        (("zzyzx",), 1),
    ],
)
def test_exit_status_tells_whether_a_section_answers(run, args, code):
    assert run("--exit-status", "--quiet", *args)[0] == code


def test_http_says_that_no_section_answers(site):
    told = over_http(site, q=NEAR, min_relevance=STRICT)
    assert (told["answered"], told["results"][0]["heading"]) == (False, "Linux")
    assert over_http(site, q=NEAR, min_relevance=0)["answered"] is True
    assert over_http(site, q="zzyzx", min_relevance=0)["answered"] is False


def test_agents_are_told_that_no_section_answers(agent):
    told = agent.ask("search", query=NEAR, mode="lexical", min_relevance=STRICT)
    assert told["answered"] is False
    assert told["advice"].startswith("No section answers this. The hits are only the nearest")
    short = agent.ask("search", query=NEAR, mode="lexical", min_relevance=STRICT, max_tokens=200)
    assert short["answered"] is False
    assert "advice" not in agent.ask("search", query=NEAR, mode="lexical", min_relevance=0)


def test_agents_are_told_that_nothing_was_found(agent):
    told = agent.ask("search", query="zzyzx", mode="lexical")
    assert (told["answered"], told["results"]) == (False, [])
    assert told["advice"] == "No section answers this. Nothing was found; try other words."


def test_a_context_pack_of_what_is_only_near_says_so_everywhere(valves, run, site, agent, monkeypatch):
    monkeypatch.setenv("SECTIONARY_MIN_RELEVANCE", str(STRICT))
    opening = "No section answers this. The nearest are:\n\n"
    assert run("context", NEAR)[1].startswith(opening)
    told = json.loads(run("context", "--json", NEAR)[1])
    assert told["answered"] is False
    assert told["text"].startswith(opening)
    empty = agent.ask("context", query="zzyzx", mode="lexical")
    assert (empty["answered"], empty["text"]) == (False, "")
    assert empty["advice"] == "No section answers this. Nothing was found; try other words."
    assert over_http(site, "context", q="zzyzx")["answered"] is False


# -- what filters left -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "told", "more"),
    [
        (["--tag", "nothing"], "tag nothing", " No document has the tag nothing."),
        (
            ["--path", "docs/none/", "--depth", "3"],
            "path docs/none/, depth 3",
            " No document's path begins with docs/none/.",
        ),
        (["--field", "status=final"], "field status=final", ""),
    ],
)
def test_an_answer_that_filters_emptied_names_them(run, options, told, more):
    sentence = f"search: The filters leave nothing of what was found ({told}); ask with fewer of them.{more}\n"
    assert run("penguins", *options)[1:] == ("", sentence)
    assert run("context", "penguins", *options)[1:] == ("", sentence)
    assert json.loads(run("--json", "penguins", *options)[1])["results"] == []


def test_json_and_http_name_the_filters_that_left_nothing(run, site):
    told = (
        "The filters leave nothing of what was found (tag nothing); ask with fewer of them. No document has the tag nothing."
    )
    assert json.loads(run("--json", "penguins", "--tag", "nothing")[1])["advice"] == told
    assert over_http(site, q="penguins", tag="nothing")["advice"] == told


def test_filters_are_not_blamed_for_words_that_no_section_has(run):
    assert run("zzyzx", "--tag", "guide")[2] == "search: No section answers this. Nothing was found; try other words.\n"


def test_an_offset_behind_the_last_section_is_told_as_that(run):
    assert run("penguins", "--offset", "50")[2] == "search: There are no hits behind the first 50.\n"


def test_json_http_and_agents_say_that_no_hits_are_behind_an_offset(run, site, agent):
    told = "There are no hits behind the first 50."
    assert json.loads(run("--json", "penguins", "--offset", "50")[1])["advice"] == told
    assert over_http(site, q="penguins", offset="50")["advice"] == told
    assert agent.ask("search", query="penguins", offset=50)["advice"].startswith(told)


@pytest.mark.parametrize("tool", ["search", "context"])
def test_agents_are_told_which_filters_left_nothing(agent, tool):
    told = agent.ask(tool, query="penguins", mode="lexical", tags=["nothing"], fields={"status": "final"})
    assert told["answered"] is False
    assert told["advice"] == (
        "The filters leave nothing of what was found (tag nothing, field status=final); ask with fewer of them. "
        "No document has the tag nothing."
    )


@pytest.mark.parametrize(
    "options", [("--tag", "PLANT"), ("--tag", "plant/tank"), ("--path", "DOCS/202*/**"), ("--field", "Tags=plant/tank")]
)
def test_filters_of_the_command_ignore_case_and_tags_meet_their_parents(run, options):
    hits = [json.loads(line) for line in run("--jsonl", "--no-fold", "valve pressure guide", *options)[1].splitlines()]
    assert {hit["document_path"] for hit in hits} == {f"docs/{edition}/valves.md" for edition in (2022, 2023, 2024)}
    assert run("--jsonl", "valve pressure", "--tag", "plan")[1] == ""


# -- what is similar, and where the answer is --------------------------------------------------------------------------


def test_text_counts_and_names_what_is_similar(run):
    _, out, _ = run("valve pressure tank")
    assert out.count("rises above four bar") == 1
    assert "   +2 similar: docs/20" in out
    assert run("valve pressure tank", "--no-fold")[1].count("rises above four bar") == 3


def test_http_and_agents_fold_alike(run, site, agent):
    folded, single = [over_http(site, q="valve pressure tank", fold=fold)["results"] for fold in ("true", "false")]
    assert [len(hit["similar"]) for hit in folded] == [2]
    assert [len(hit["similar"]) for hit in single] == [0, 0, 0]
    assert {hit["document_path"] for hit in single} == {
        folded[0]["document_path"], *(one["document_path"] for one in folded[0]["similar"])
    }  # fmt: skip
    assert agent.ask("search", query="valve pressure tank", mode="lexical", content=True)["results"] == folded
    assert agent.ask("search", query="valve pressure tank", mode="lexical", content=True, fold=False)["results"] == single


def test_the_line_of_the_answer_is_told(run, site):
    _, out, _ = run("valve pressure tank", "-n", "1")
    (hit,) = over_http(site, q="valve pressure tank")["results"]
    assert (hit["snippet"]["start_line"], hit["snippet"]["text"]) == (6, EDITION.strip())
    assert f"   {hit['document_path']}:6  section 4-6  relevance {hit['relevance']:.2f}\n" in out


# -- names and marks ---------------------------------------------------------------------------------------------------


def test_text_before_the_first_heading_is_called_by_the_title_everywhere(run, site, agent):
    said = [
        run("kettles descaled")[1],
        run("--json", "kettles descaled")[1],
        run("context", "kettles descaled")[1],
        run("outline", "docs/loose.md")[1],
        json.dumps(over_http(site, q="kettles")),
        json.dumps(over_http(site, "context", q="kettles")),
        site.get("/api/outline?path=docs/loose.md").body.decode(),
        site.get("/api/overview").body.decode(),
        agent.text("search", query="kettles", mode="lexical"),
        agent.text("context", query="kettles", mode="lexical"),
        agent.text("outline", document_path="docs/loose.md"),
    ]
    assert [text for text in said if "(document root)" in text] == []
    assert said[0].startswith("1. Loose Leaves\n   docs/loose.md:4  ")
    assert said[3].startswith("Loose Leaves  L4-5")
    assert '"heading": "Loose Leaves", "depth": 0' in said[6]


@pytest.fixture
def scanned(project):
    """A project whose sections have no vectors yet."""
    project.write("docs/en.md", "# Penguins\n\nPenguins need a special crank.\n")
    project.write("docs/ko.md", "# 펭귄 안내\n\n펭귄에게는 특별한 크랭크가 필요합니다.\n")
    project.indexer().scan(project.home / "docs")
    return project


@pytest.mark.parametrize(
    ("query", "mode", "path", "is_pending"),
    [
        ("penguins", "hybrid", "docs/en.md", True),
        ("penguins", "lexical", "docs/en.md", False),
        ("펭귄", "hybrid", "docs/ko.md", False),
        ("Penguins 펭귄", "hybrid", "docs/ko.md", False),
        ("Penguins 펭귄", "hybrid", "docs/en.md", True),
    ],
)
def test_a_vector_is_missed_only_where_it_would_have_had_a_say(scanned, query, mode, path, is_pending):
    found = {hit.section.document_path: hit for hit in scanned.engine().search(query, mode=mode)}
    assert (found[path].is_dirty, found[path].is_pending) == (True, is_pending)


def test_a_section_read_by_its_id_misses_no_vector(scanned):
    engine = scanned.engine()
    assert engine.get_section(engine.search("penguins")[0].section.id).is_pending is False
