"""Links of sections and documents as HTTP, agents, Python and the terminal give them."""

import pytest
from jsonschema import Draft202012Validator

from schema.errors import NotIndexedError
from schema.index_files.layout import links_path, store_dir
from schema.settings import Settings
from schema.text.characters import to_json
from search.answers.links_wire import render_links
from search.answers.service import SearchService
from search.answers.wire_schema import SCHEMAS
from search.server.arguments import DEFAULT_TOKENS
from search.server.tools import TOOLS
from tests.agent_answers import ANSWERS
from tests.budgets import COUNTER
from tests.http_site import site_over
from tests.integration.test_commands import run  # noqa: F401 — a fixture


def test_http_gives_the_links_of_a_section(made_vault):
    with site_over(made_vault) as server:
        reply = server.get("/api/links?section=Garden/Pears.md%23pears")
        assert reply.status == 200
        Draft202012Validator(SCHEMAS["links"]).validate(reply.json)
        assert [(link["target"], link["status"], link["heading"], link["anchor"]) for link in reply.json["links"]] == [
            ("../Orchard.md#tools-needed", "section", "Pruning", "pruning"),
            ("Apples#Keeping them", "section", "Keeping them", "keeping-them"),
            ("https://example.org", "external", None, None),
        ]
        assert [(link["document_path"], link["line"]) for link in reply.json["backlinks"]] == [
            ("Garden/Apples.md", 5),
            ("Home.md", 3),
        ]
        same = server.get(f"/api/links?section={reply.json['id']}")
        assert same.json == reply.json
        missing = server.get("/api/links?section=Nowhere.md")
        assert (missing.status, missing.kind) == (404, "not_indexed")
        assert server.get("/api/links").status == 422


def ask_links(project, **given):
    tool = next(tool for tool in TOOLS if tool.name == "links")
    service = SearchService(project.index_dir, settings=Settings(), embedder=project.embedder)
    answer = tool.answer(service, tool.checked(given), COUNTER)
    assert COUNTER.count(to_json(answer)) <= given.get("max_tokens", DEFAULT_TOKENS)
    Draft202012Validator(ANSWERS["links"]).validate(answer)
    return answer


def test_an_agent_gets_the_links_of_a_section_within_its_budget(made_vault):
    whole = ask_links(made_vault, section="Harvest.md")
    assert (len(whole["backlinks"]), "omitted" in whole) == (20, False)
    small = ask_links(made_vault, section="Harvest.md", max_tokens=500)
    assert 0 < len(small["backlinks"]) < 20
    assert small["omitted"] == len(whole["links"]) + 20 - len(small["links"]) - len(small["backlinks"])


def test_pages_of_links_and_backlinks_make_the_whole(made_vault):
    whole, pages, offset = ask_links(made_vault, section="Orchard.md"), [], 0
    assert whole["backlinks"]
    while offset is not None:
        pages.append(ask_links(made_vault, section="Orchard.md", offset=offset, max_tokens=400))
        offset = pages[-1].get("next_offset")
    assert len(pages) > 1
    for name in ("links", "backlinks"):
        assert [one for page in pages for one in page[name]] == whole[name]


def test_an_agent_is_told_of_links_beyond_the_most_that_are_listed(project):
    project.write("docs/many.md", "# Many\n\n" + "".join(f"[one](other.md#{n})\n" for n in range(230)))
    project.write("docs/other.md", "# Other\n\nText.\n")
    project.index()
    found = ask_links(project, section="docs/many.md#many", max_tokens=20_000)
    assert (found["link_count"], len(found["links"])) == (230, 200)
    assert "the first 200 of 230 links" in found["advice"]


def test_links_of_an_agents_answer_have_only_what_is_set(made_vault):
    (link, *_) = ask_links(made_vault, section="Garden/Pears.md")["links"]
    assert all(link.values())


def test_section_is_read_by_its_place_from_python(made_vault):
    engine = made_vault.engine()
    section = engine.get_section("Home.md#more").section
    assert section.heading == "More"
    for place in (f"Home.md:{section.start_line}", f"[Home.md#more:L{section.start_line}-L{section.end_line}]"):
        assert engine.get_section(place).section == section
    assert engine.get_section("Home.md#nothing") is None


def test_long_section_is_read_from_a_heading_inside_of_it(project):
    text = (
        "# Long\n\n"
        + "Walruses sleep.\n" * 2000
        + "\n#### The fourth level\n\nNarwhals are here.\n"
        + "Seals sleep.\n" * 2000
    )
    project.write("docs/long.md", text)
    project.index()
    tool = next(tool for tool in TOOLS if tool.name == "get_section")
    service = SearchService(project.index_dir, settings=Settings(), embedder=project.embedder)
    read = tool.answer(service, tool.checked({"id": "docs/long.md#the-fourth-level", "max_tokens": 500}), COUNTER)
    assert read["content"].startswith("#### The fourth level\n\nNarwhals are here.\nSeals")
    assert read["content_offset"] == text.index("####")


def test_links_of_a_file_are_those_of_all_its_sections_and_those_to_it_from_other_documents(made_vault):
    sections, found = made_vault.engine().document_links("Home.md")
    assert [section.heading for section in sections] == ["Home", "More"]
    assert [link.target for link in found.links] == [
        "Orchard", "orchard#pruning", "Orchard#^age", "The big garden", "Garden/Pears",
        "Orchard", "sketch.png", "Garden/Apples.md#Keeping%20them", "Missing note",
    ]  # fmt: skip
    assert (found.link_count, found.broken_count, found.backlink_count) == (9, 1, 0)
    _, orchard = made_vault.engine().document_links("Orchard.md")
    assert {link.document_path for link in orchard.backlinks} == {"Home.md", "Harvest.md", "Garden/Pears.md"}


def test_every_door_gives_the_links_of_a_whole_document_for_its_path_and_of_a_section_for_its_anchor(made_vault):
    answer = links_answer(made_vault, "Home.md")
    Draft202012Validator(SCHEMAS["links"]).validate(answer)
    assert (answer["anchor"], answer["link_count"], answer["broken_count"]) == ("", 9, 1)
    assert [one["heading"] for one in answer["sections"]] == ["Home", "More"]
    assert {link["section_id"] for link in answer["links"]} == {one["id"] for one in answer["sections"]}
    part = links_answer(made_vault, "Home.md#more")
    assert (part["link_count"], part["broken_count"], "sections" in part) == (4, 1, False)
    tool = next(tool for tool in TOOLS if tool.name == "links")
    service = SearchService(made_vault.index_dir, settings=Settings(), embedder=made_vault.embedder)
    told = tool.answer(service, tool.checked({"section": "Home.md", "similar": True}), COUNTER)
    assert (told["link_count"], len(told["similar"]) > 0) == (9, True)
    Draft202012Validator(ANSWERS["links"]).validate(told)


def test_a_terminal_shows_the_links_of_a_document_below_its_sections(made_vault):
    text = render_links(links_answer(made_vault, "Home.md")).split("\n")
    assert text[:4] == ["Home.md", "links: 9, 1 broken", "  Home  #home", "    Home.md:3  Orchard → Orchard.md  Orchard"]
    assert "  More  #more" in text
    assert "    Home.md:7  Missing note → no file" in text
    back = render_links(links_answer(made_vault, "Orchard.md")).split("\n")
    assert "    Garden/Pears.md:3  Pears  (../Orchard.md#tools-needed)" in back[back.index("  Pruning  #pruning") :]


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("Home#more", "There is no document Home in the index; did you mean Home.md?"),
        ("Orchrd.md", "There is no document or section Orchrd.md in the index; did you mean Orchard.md?"),
        ("Home.md#mor", "Home.md has no section with the anchor mor; did you mean more?"),
    ],
)
def test_a_misspelt_reference_is_refused_with_the_names_like_it(made_vault, reference, told):
    for ask in (made_vault.engine().section_links, made_vault.engine().similar, lambda name: links_answer(made_vault, name)):
        with pytest.raises(NotIndexedError) as refused:
            ask(reference)
        assert str(refused.value) == told


@pytest.mark.parametrize(
    ("reference", "heading"),
    [("Orchard.md#tools-needed", "Pruning"), ("Orchard.md#Tools-Needed", "Pruning"), ("Orchard.md#^age", "Orchard")],
)
def test_a_place_inside_of_a_section_names_the_section_that_holds_it(made_vault, reference, heading):
    service = SearchService(made_vault.index_dir, settings=Settings(), embedder=made_vault.embedder)
    (section,) = service.sections([reference])["sections"]
    assert section["heading"] == heading
    assert service.place_of(reference)[0] == service.links(reference)["id"] == section["id"]


def test_a_block_is_no_heading_of_its_name(made_vault):
    with pytest.raises(NotIndexedError, match="no section with the anchor age"):
        made_vault.engine().section_links("Orchard.md#age")


def test_without_links_an_anchor_inside_of_a_section_names_nothing(vault):
    vault.index(".")
    links_path(store_dir(vault.index_dir)).write_bytes(b"no database")
    with pytest.raises(NotIndexedError, match="no section with the anchor tools-needed"):
        vault.engine().section_links("Orchard.md#tools-needed")


def links_answer(project, reference):
    return SearchService(project.index_dir, settings=Settings(), embedder=project.embedder).links(reference)
