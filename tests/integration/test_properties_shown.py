"""A question for a field of the front matter is answered by the document's first section, and every reader sees the value."""

import json

import pytest

from schema.settings import Settings
from search import SearchEngine
from tests.conftest import Project, WordEmbedder
from tests.http_site import site_over
from tests.mcp_agent import agent_within, answers_over

ADA = "---\nbirthday: 1990-04-12\nemail: ada@example.org\nlayout: note\n---\n# Ada Lovelace\n\nLikes chess.\n\n## Gifts\n\nA loom.\n"
QUESTION = "when is the birthday of Ada Lovelace"
WANTED = {"birthday": "1990-04-12"}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A project that no test changes: two people, of whom one has a birthday."""
    project = Project(tmp_path_factory.mktemp("people"), WordEmbedder())
    project.write("docs/ada.md", ADA)
    project.write("docs/ben.md", "---\nrole: purchasing manager\n---\n# Ben Fisher\n\nMet at a birthday of Lovelace.\n")
    project.index()
    return project


@pytest.fixture
def run(people, search_in):
    return search_in(people)


@pytest.fixture(scope="module")
def engine(people):
    return SearchEngine(people.index_dir, embedder=people.embedder, settings=Settings())


def test_section_with_the_property_comes_first(engine):
    hit = engine.page(QUESTION, mode="lexical").results[0]
    assert (hit.section.heading, hit.properties) == ("Ada Lovelace", WANTED)


def test_value_in_small_letters_is_found(engine):
    (hit,) = engine.page("purchasing manager", mode="lexical").results
    assert (hit.section.heading, hit.properties) == ("Ben Fisher", {"role": "purchasing manager"})


def test_phone_number_and_day_in_the_front_matter_count_as_the_section_s(tmp_path):
    project = Project(tmp_path / "p", WordEmbedder())
    project.write("docs/kenta.md", "---\n電話: 090-1234-5678\n誕生日: 5月21日\n---\n# 田中健太\n\n営業。\n")
    project.write("docs/diary.md", "# 日記\n\n田中さんの電話番号と誕生日を聞いた。田中さんに電話した。\n")
    for number in range(9):
        project.write(f"docs/other{number}.md", f"# 記録{number}\n\n会議の記録です。\n")
    project.index()
    engine = SearchEngine(project.index_dir, embedder=project.embedder, settings=Settings())
    for query, told in (("田中さんの電話番号を教えて", "090-1234-5678"), ("田中さんの誕生日はいつですか", "5月21日")):
        hit = engine.page(query, mode="lexical").results[0]
        assert (hit.section.heading, list(hit.properties.values())) == ("田中健太", [told])


def test_other_sections_have_no_properties(engine):
    hits = {hit.section.heading: hit for hit in engine.page("Ada Lovelace gifts birthday", mode="lexical").results}
    assert hits["Gifts"].properties == {}


def test_terminal_shows_the_property_above_the_snippet(run):
    _, out, _ = run(QUESTION, "-n", "1")
    assert [line for line in out.splitlines() if line][-2:] == ["   birthday: 1990-04-12", "   | Likes chess."]


def test_json_http_and_agents_give_the_same_properties(run, people):
    told = json.loads(run(QUESTION, "--json", "-n", "1")[1])["results"][0]["properties"]
    with site_over(people) as site:
        over_http = site.get("/api/search?mode=lexical&limit=1&q=" + QUESTION.replace(" ", "+")).json["results"][0]
    with agent_within(answers_over(people)) as agent:
        brief = agent.ask("search", query=QUESTION, mode="lexical", limit=1)["results"][0]
        nothing = agent.ask("search", query="loom", mode="lexical", limit=1)["results"][0]
    assert told == over_http["properties"] == brief["properties"] == WANTED
    assert "properties" not in nothing


def test_context_pack_has_the_property_above_the_citation(engine):
    pack = engine.context(QUESTION, mode="lexical")
    above = "Front matter of docs/ada.md: birthday: 1990-04-12\n"
    assert f"{above}[docs/ada.md#ada-lovelace:L6-L8]\n# Ada Lovelace\n" in pack.text


def test_section_that_is_read_has_all_its_properties(engine, people):
    (hit,) = engine.page("purchasing manager", mode="lexical").results
    assert engine.get_section("docs/ada.md#ada-lovelace").properties == {
        "birthday": "1990-04-12",
        "email": "ada@example.org",
    }
    assert engine.get_section("docs/ada.md#gifts").properties == {}
    with agent_within(answers_over(people)) as agent:
        assert agent.ask("get_section", id=hit.section.id)["properties"] == {"role": "purchasing manager"}
        assert "properties" not in agent.ask("get_section", id="docs/ada.md#gifts")
        whole = agent.ask("get_section", document_path="docs/ada.md")["sections"]
    assert [section.get("properties") for section in whole] == [{"birthday": "1990-04-12", "email": "ada@example.org"}, None]


def test_notebook_shows_the_property(engine):
    hit = engine.page(QUESTION, mode="lexical").results[0]
    assert "birthday: 1990-04-12" in hit._repr_html_()
    assert "birthday: 1990\\-04\\-12" in hit._repr_markdown_() or "birthday: 1990-04-12" in hit._repr_markdown_()


def test_note_of_front_matter_alone_answers_with_its_fields(tmp_path):
    project = Project(tmp_path / "p", WordEmbedder())
    project.write("docs/marta.md", '---\ntitle: Marta Kowalska\nbirthday: 1990-04-12\nphone: "+48 600 100 200"\n---\n')
    project.write("docs/garden.md", "# Garden\n\nMarta waters it.\n")
    project.index()
    page = SearchEngine(project.index_dir, embedder=project.embedder, settings=Settings()).page("birthday of Marta Kowalska")
    hit = page.results[0]
    assert (page.answered, hit.section.document_path, hit.section.document_title) == (
        True,
        "docs/marta.md",
        "Marta Kowalska",
    )
    assert hit.snippet.text == 'birthday: 1990-04-12\nphone: "+48 600 100 200"'
    assert (hit.snippet.start_line, hit.snippet.end_line, hit.properties) == (3, 4, {})


def test_changed_field_of_a_note_without_text_is_found_after_a_run(tmp_path):
    project = Project(tmp_path / "p", WordEmbedder())
    project.write("docs/marta.md", "---\nemployer: Acme\n---\n")
    project.index()
    project.write("docs/marta.md", "---\nemployer: Globex\n---\n")
    project.index()
    engine = SearchEngine(project.index_dir, embedder=project.embedder, settings=Settings())
    assert [hit.section.text.strip() for hit in engine.page("Globex").results] == ["employer: Globex"]
    assert not engine.page("Acme", mode="lexical").results
