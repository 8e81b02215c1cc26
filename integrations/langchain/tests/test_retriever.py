"""The retriever passes LangChain's own tests, and its documents are the sections that answer."""

import asyncio
import threading

import pytest
from documented import snippets
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_sectionary import SectionaryRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests

from schema import Embedder, IndexIncompatibleError, IndexNotFoundError, QueryError
from search import SearchEngine

QUESTION = "how do I rotate the signing key?"
UNANSWERED = "What is the capital of Australia?"


class TestStandard(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _stand(self, in_project):
        """Let the parameters below name the index."""

    @property
    def retriever_constructor(self):
        return SectionaryRetriever

    @property
    def retriever_constructor_params(self):
        return {"index_dir": ".sectionary"}

    @property
    def retriever_query_example(self):
        return QUESTION


@pytest.fixture(scope="module")
def retriever(project):
    return SectionaryRetriever(index_dir=project / ".sectionary")


def test_document_holds_the_section_and_where_it_is(retriever):
    first = retriever.invoke(QUESTION)[0]
    assert first.page_content.startswith("## Rotate the signing key\n\nRotate the signing key once a year")
    assert first.page_content.endswith("so that no buffered data is lost.")
    metadata = first.metadata
    assert 0.8 < metadata.pop("relevance") <= 1
    assert 0 < metadata.pop("score") <= 1
    assert metadata.pop("section_id") == first.id
    assert metadata == {
        "source": "guide/keys.md",
        "path": "guide/keys.md",
        "title": "Keys of the collector",
        "heading_path": "Keys > Rotate the signing key",
        "anchor": "rotate-the-signing-key",
        "start_line": 9,
        "end_line": 13,
        "stale": False,
    }


def test_snippet_is_the_passage_with_its_own_lines(retriever):
    first = retriever.invoke("how do I keep buffered data?", content="snippet")[0]
    assert first.page_content == (
        "Rotate the signing key once a year with `collector key rotate`. Keep the old key trusted until the last batch that it "
        "signed has been delivered, so that no buffered data is lost."
    )
    assert (first.metadata["start_line"], first.metadata["end_line"]) == (11, 12)


def test_unanswered_question_has_no_documents(retriever):
    assert retriever.invoke(UNANSWERED) == []


def test_unanswered_question_has_the_nearest_documents_where_any_relevance_will_do(retriever):
    found = retriever.invoke(UNANSWERED, min_relevance=0)
    assert found
    assert all(document.metadata["relevance"] < 0.5 for document in found)


def test_document_says_that_its_file_changed(retriever, project):
    file = project / "faq.md"
    text = file.read_text(encoding="utf-8")
    file.write_text(f"{text}More.\n", encoding="utf-8")
    try:
        assert retriever.invoke("which ports does the collector use?", k=1)[0].metadata["stale"] is True
    finally:
        file.write_text(text, encoding="utf-8")


def test_filters_and_mode_can_be_given_for_one_call(retriever):
    found = retriever.invoke("collector", mode="lexical", filters={"path": "faq.md"}, min_relevance=0)
    assert {document.metadata["path"] for document in found} == {"faq.md"}


def test_engine_of_the_caller_is_used(project):
    engine = SearchEngine(project / ".sectionary")
    assert SectionaryRetriever(engine=engine, k=1).invoke(QUESTION)[0].metadata["anchor"] == "rotate-the-signing-key"


async def test_event_loop_runs_while_a_search_does(retriever, monkeypatch):
    loop_ran = threading.Event()
    real = SearchEngine.page

    def waiting(self, *given, **more):
        assert loop_ran.wait(20)
        return real(self, *given, **more)

    monkeypatch.setattr(SearchEngine, "page", waiting)
    asyncio.get_running_loop().call_later(0.05, loop_ran.set)
    found = await retriever.ainvoke(QUESTION, k=1, content="snippet")
    assert found[0].metadata["heading_path"] == "Keys > Rotate the signing key"


def test_chain_answers_from_the_documents(retriever):
    asked = []

    class Model(FakeListChatModel):
        def _call(self, messages, *given, **more):
            asked.extend(messages)
            return super()._call(messages, *given, **more)

    prompt = ChatPromptTemplate.from_template("Answer from this:\n{context}\n\nQuestion: {question}")

    def shown(documents):
        return "\n\n".join(f"[{each.metadata['source']}]\n{each.page_content}" for each in documents)

    chain = (
        {"context": retriever | shown, "question": RunnablePassthrough()}
        | prompt
        | Model(responses=["With `collector key rotate`."])
        | StrOutputParser()
    )
    assert chain.invoke(QUESTION) == "With `collector key rotate`."
    assert "[guide/keys.md]\n## Rotate the signing key" in asked[0].content


def test_missing_index_is_told(tmp_path):
    with pytest.raises(IndexNotFoundError, match="There is no index"):
        SectionaryRetriever(index_dir=tmp_path / ".sectionary")


def test_other_model_is_told(project):
    class Other(Embedder):
        name = "another-model"

    with pytest.raises(IndexIncompatibleError, match="another-model"):
        SectionaryRetriever(engine=SearchEngine(project / ".sectionary", embedder=Other()))


def test_blank_query_is_told(retriever):
    with pytest.raises(QueryError, match="query is empty"):
        retriever.invoke("  ")


def test_index_is_needed():
    with pytest.raises(ValueError, match="Give index_dir"):
        SectionaryRetriever()


@pytest.mark.parametrize(("name", "value"), [("k", 0), ("content", "page"), ("mode", "fast"), ("min_relevance", 2)])
def test_value_out_of_its_range_is_refused(retriever, project, name, value):
    with pytest.raises(ValueError, match=name if name != "k" else "k|limit"):
        SectionaryRetriever(index_dir=project / ".sectionary", **{name: value})
    with pytest.raises(ValueError, match=name if name != "k" else "limit"):
        retriever.invoke(QUESTION, **{name: value})


def test_misspelt_argument_of_a_call_is_refused(retriever):
    with pytest.raises(TypeError, match="no argument 'top_k'"):
        retriever.invoke(QUESTION, top_k=3)


@pytest.mark.parametrize("snippet", snippets("python langchain"))
def test_documented_snippet_runs(in_project, snippet, capsys):
    exec(compile(snippet, "snippet", "exec"), {})
    assert "guide/keys.md" in capsys.readouterr().out


def test_field_that_is_not_known_is_refused(in_project):
    with pytest.raises(ValueError, match="min_relevence"):
        SectionaryRetriever(index_dir=".sectionary", min_relevence=0)
