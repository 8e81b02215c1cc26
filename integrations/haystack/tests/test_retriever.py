"""The component finds the sections that answer, alone and in pipelines, and is stored with them."""

import asyncio
import shutil
import threading

import pytest
from documented import snippets
from haystack import Pipeline
from haystack.components.builders import PromptBuilder
from haystack_integrations.components.retrievers.sectionary import SectionaryRetriever

from schema import IndexIncompatibleError, IndexNotFoundError, QueryError
from search import SearchEngine

QUESTION = "how do I rotate the signing key?"
UNANSWERED = "What is the capital of Australia?"


@pytest.fixture(scope="module")
def retriever(project):
    made = SectionaryRetriever(project / ".sectionary")
    made.warm_up()
    return made


def test_document_holds_the_section_and_where_it_is(retriever):
    first = retriever.run(QUESTION)["documents"][0]
    assert first.content.startswith("## Rotate the signing key\n\nRotate the signing key once a year")
    assert 0 < first.score <= 1
    meta = dict(first.meta)
    assert 0.8 < meta.pop("relevance") <= 1
    assert meta.pop("section_id") == first.id
    assert meta == {
        "path": "guide/keys.md",
        "title": "Keys of the collector",
        "heading_path": "Keys > Rotate the signing key",
        "anchor": "rotate-the-signing-key",
        "start_line": 9,
        "end_line": 13,
        "stale": False,
    }


def test_snippet_is_the_passage_with_its_own_lines(project):
    made = SectionaryRetriever(project / ".sectionary", content="snippet")
    first = made.run("how do I keep buffered data?")["documents"][0]
    assert first.content.startswith("Rotate the signing key once a year with `collector key rotate`. Keep the old")
    assert (first.meta["start_line"], first.meta["end_line"]) == (11, 12)


def test_run_takes_its_own_filters_and_number(retriever):
    assert len(retriever.run(QUESTION, top_k=2)["documents"]) == 2
    found = retriever.run("which ports does the collector use?", filters={"path": "faq.md"})["documents"]
    assert {document.meta["path"] for document in found} == {"faq.md"}


def test_unanswered_question_has_no_documents(retriever):
    assert retriever.run(UNANSWERED) == {"documents": []}


def test_unanswered_question_has_the_nearest_documents_where_any_relevance_will_do(project):
    assert SectionaryRetriever(project / ".sectionary", min_relevance=0).run(UNANSWERED)["documents"]


def test_pipeline_puts_the_sections_into_a_prompt(in_project):
    pipeline = Pipeline()
    pipeline.add_component("retriever", SectionaryRetriever(".sectionary", top_k=1))
    template = "{% for each in documents %}[{{ each.meta.path }}] {{ each.content }}{% endfor %} {{ question }}"
    pipeline.add_component("prompt", PromptBuilder(template, required_variables="*"))
    pipeline.connect("retriever.documents", "prompt.documents")
    prompt = pipeline.run({"retriever": {"query": QUESTION}, "prompt": {"question": QUESTION}})["prompt"]["prompt"]
    assert prompt.startswith("[guide/keys.md] ## Rotate the signing key")
    assert prompt.endswith(QUESTION)


def test_pipeline_is_stored_and_read_again(in_project):
    pipeline = Pipeline()
    given = {
        "index_dir": ".sectionary",
        "top_k": 2,
        "content": "snippet",
        "mode": "lexical",
        "filters": {"path": ["guide/"]},
        "min_relevance": 0.2,
    }
    pipeline.add_component("retriever", SectionaryRetriever(**given))
    again = Pipeline.loads(pipeline.dumps())
    assert again.to_dict()["components"]["retriever"]["init_parameters"] == given
    assert len(again.run({"retriever": {"query": QUESTION}})["retriever"]["documents"]) == 2


def test_component_is_stored_without_opening_an_index(tmp_path):
    made = SectionaryRetriever(tmp_path / "none")
    assert SectionaryRetriever.from_dict(made.to_dict()).index_dir == str(tmp_path / "none")


async def test_event_loop_runs_while_a_search_does(retriever, monkeypatch):
    loop_ran = threading.Event()
    real = SearchEngine.page

    def waiting(self, *given, **more):
        assert loop_ran.wait(20)
        return real(self, *given, **more)

    monkeypatch.setattr(SearchEngine, "page", waiting)
    asyncio.get_running_loop().call_later(0.05, loop_ran.set)
    found = await retriever.run_async(QUESTION, top_k=1)
    assert found["documents"][0].meta["anchor"] == "rotate-the-signing-key"


async def test_event_loop_runs_while_an_index_is_opened(project, monkeypatch):
    loop_ran = threading.Event()
    monkeypatch.setattr(SearchEngine, "prepare", lambda self: loop_ran.wait(20) or pytest.fail("the loop stood still"))
    asyncio.get_running_loop().call_later(0.05, loop_ran.set)
    await SectionaryRetriever(project / ".sectionary").warm_up_async()
    assert loop_ran.is_set()


def test_warming_up_twice_opens_the_index_once(retriever):
    before = retriever._engine
    retriever.warm_up()
    assert retriever._engine is before


def test_missing_index_is_told(tmp_path):
    with pytest.raises(IndexNotFoundError, match="There is no index"):
        SectionaryRetriever(tmp_path / ".sectionary").warm_up()


def test_index_that_was_made_otherwise_is_told(project, tmp_path):
    shutil.copytree(project / ".sectionary", tmp_path / ".sectionary")
    (tmp_path / "sectionary.toml").write_text('token_encoding = "o200k_base"\n', encoding="utf-8")
    with pytest.raises(IndexIncompatibleError, match="o200k_base"):
        SectionaryRetriever(tmp_path / ".sectionary").warm_up()


def test_blank_query_is_told(retriever):
    with pytest.raises(QueryError, match="query is empty"):
        retriever.run(" ")


def test_filter_of_a_document_store_is_told(retriever):
    with pytest.raises(QueryError, match="the filters are path, depth"):
        retriever.run(QUESTION, filters={"field": "meta.path", "operator": "==", "value": "faq.md"})


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("top_k", 0, "limit"), ("content", "page", "content"), ("mode", "fast", "mode"), ("min_relevance", 2, "rel")],
)
def test_value_out_of_its_range_is_refused(project, name, value, said):
    with pytest.raises(ValueError, match=said):
        SectionaryRetriever(project / ".sectionary", **{name: value})


@pytest.mark.parametrize("snippet", snippets("python haystack"))
def test_documented_snippet_runs(in_project, snippet, capsys):
    exec(compile(snippet, "snippet", "exec"), {})
    assert "guide/keys.md" in capsys.readouterr().out
