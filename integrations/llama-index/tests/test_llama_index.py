"""The retriever, the reader and the node parser give LlamaIndex the sections that the index has."""

import asyncio
import threading

import pytest
from documented import snippets
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import Document, MetadataMode, NodeRelationship
from llama_index.retrievers.sectionary import SectionaryNodeParser, SectionaryReader, SectionaryRetriever

from indexer import Indexer
from schema import Embedder, IndexIncompatibleError, IndexNotFoundError, QueryError, Settings, SourceError
from schema.index_files.roots import FileChoice
from search import SearchEngine

QUESTION = "how do I rotate the signing key?"
UNANSWERED = "What is the capital of Australia?"


@pytest.fixture(scope="module")
def engine(project):
    return SearchEngine(project / ".sectionary")


# -- retriever


def test_node_holds_the_section_and_where_it_is(engine, project):
    first = SectionaryRetriever(engine=engine).retrieve(QUESTION)[0]
    assert first.text.startswith("## Rotate the signing key\n\nRotate the signing key once a year")
    metadata = dict(first.metadata)
    assert 0.8 < metadata.pop("relevance") <= 1
    assert 0 < metadata.pop("score") == first.score <= 1
    assert metadata.pop("section_id") == first.node_id
    assert metadata == {
        "path": "guide/keys.md",
        "title": "Keys of the collector",
        "heading_path": "Keys > Rotate the signing key",
        "anchor": "rotate-the-signing-key",
        "start_line": 9,
        "end_line": 13,
        "stale": False,
    }
    text = (project / "guide/keys.md").read_text(encoding="utf-8")
    assert text[first.node.start_char_idx : first.node.end_char_idx].strip() == first.text
    assert first.node.ref_doc_id == "guide/keys.md"


def test_models_are_shown_only_what_names_a_node(engine):
    first = SectionaryRetriever(engine=engine).retrieve(QUESTION)[0].node
    expected = "path: guide/keys.md\ntitle: Keys of the collector\nheading_path: Keys > Rotate the signing key"
    assert first.get_metadata_str(MetadataMode.LLM) == first.get_metadata_str(MetadataMode.EMBED) == expected


def test_snippet_is_the_passage_with_its_own_lines_and_offsets(engine, project):
    found = SectionaryRetriever(engine=engine, content="snippet").retrieve("how do I keep buffered data?")[0]
    text = (project / "guide/keys.md").read_text(encoding="utf-8")
    assert found.text.startswith("Rotate the signing key once a year with `collector key rotate`. Keep the old")
    assert (found.metadata["start_line"], found.metadata["end_line"]) == (11, 12)
    assert text[found.node.start_char_idx : found.node.end_char_idx].split() == found.text.split()


def test_most_nodes_are_as_many_as_wanted(project):
    assert len(SectionaryRetriever(project / ".sectionary", similarity_top_k=2).retrieve(QUESTION)) == 2


def test_filters_limit_the_nodes(engine):
    retriever = SectionaryRetriever(engine=engine, filters={"path": "faq.md"}, mode="lexical", min_relevance=0)
    assert {each.metadata["path"] for each in retriever.retrieve("collector")} == {"faq.md"}


def test_unanswered_question_has_no_nodes(engine):
    assert SectionaryRetriever(engine=engine).retrieve(UNANSWERED) == []


def test_unanswered_question_has_the_nearest_nodes_where_any_relevance_will_do(engine):
    assert SectionaryRetriever(engine=engine, min_relevance=0).retrieve(UNANSWERED)


def test_query_engine_answers_from_the_nodes(engine):
    asking = RetrieverQueryEngine.from_args(SectionaryRetriever(engine=engine, similarity_top_k=1), llm=MockLLM())
    answer = asking.query(QUESTION)
    assert "collector key rotate" in str(answer)  # the model repeats what it was asked
    assert [node.metadata["anchor"] for node in answer.source_nodes] == ["rotate-the-signing-key"]


async def test_event_loop_runs_while_a_search_does(engine, monkeypatch):
    loop_ran = threading.Event()
    real = SearchEngine.page

    def waiting(self, *given, **more):
        assert loop_ran.wait(20)
        return real(self, *given, **more)

    monkeypatch.setattr(SearchEngine, "page", waiting)
    asyncio.get_running_loop().call_later(0.05, loop_ran.set)
    found = await SectionaryRetriever(engine=engine).aretrieve(QUESTION)
    assert found[0].metadata["anchor"] == "rotate-the-signing-key"


def test_missing_index_is_told(tmp_path):
    with pytest.raises(IndexNotFoundError, match="There is no index"):
        SectionaryRetriever(tmp_path / ".sectionary")


def test_other_model_is_told(project):
    class Other(Embedder):
        name = "another-model"

    with pytest.raises(IndexIncompatibleError, match="another-model"):
        SectionaryRetriever(engine=SearchEngine(project / ".sectionary", embedder=Other()))


def test_blank_query_is_told(engine):
    with pytest.raises(QueryError, match="query is empty"):
        SectionaryRetriever(engine=engine).retrieve(" ")


def test_index_is_needed():
    with pytest.raises(ValueError, match="Give index_dir"):
        SectionaryRetriever()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("similarity_top_k", 0, "limit"),
        ("content", "page", "content"),
        ("mode", "fast", "mode"),
        ("min_relevance", 2, "rel"),
    ],
)
def test_value_out_of_its_range_is_refused(engine, name, value, said):
    with pytest.raises(ValueError, match=said):
        SectionaryRetriever(engine=engine, **{name: value})


# -- reader


def test_reader_gives_each_document_whole(project):
    documents = SectionaryReader(project).load_data()
    assert [each.id_ for each in documents] == ["faq.md", "guide/buffer.md", "guide/keys.md"]
    assert documents[2].text == (project / "guide/keys.md").read_text(encoding="utf-8")
    assert documents[2].metadata == {
        "path": "guide/keys.md",
        "title": "Keys of the collector",
        "tags": "security",
        "dialects": "",
    }


def test_reader_takes_the_files_that_an_index_would(tmp_path):
    for path in ("a.md", "b.txt", "c.mdx", "node_modules/d.md", ".hidden/e.md", "drafts/f.md"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("# Title\n\nText.\n", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("drafts/\n", encoding="utf-8")
    documents = SectionaryReader(tmp_path).load_data()
    assert {each.id_: each.metadata["dialects"] for each in documents} == {"a.md": "", "c.mdx": "mdx"}


def test_paths_are_relative_to_the_root(project):
    documents = SectionaryReader(project / "guide", root=project).load_data()
    assert [each.id_ for each in documents] == ["guide/buffer.md", "guide/keys.md"]


def test_file_that_cannot_be_read_is_listed_and_the_others_are_loaded(tmp_path, caplog):
    (tmp_path / "good.md").write_text("# Good\n", encoding="utf-8")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere.md")
    reader = SectionaryReader(tmp_path)
    assert [each.id_ for each in reader.load_data()] == ["good.md"]
    assert [failure.path for failure in reader.failed] == ["gone.md"]
    assert "gone.md is left out: the link leads nowhere" in caplog.text


def test_folder_that_is_missing_is_told(tmp_path):
    with pytest.raises(SourceError, match="There is no folder or file"):
        SectionaryReader(tmp_path / "none", root=tmp_path).load_data()


def test_reader_converts_what_an_index_would(tmp_path):
    (tmp_path / "docusaurus.config.js").touch()  # the dialect of Markdown beside it
    (tmp_path / "page.html").write_text("<h1>Title</h1><p>Text.</p>", encoding="utf-8")
    (found,) = SectionaryReader(tmp_path, settings=Settings(convert=True)).load_data()
    assert (found.text.split(), found.metadata["dialects"]) == (["#", "Title", "Text."], "")


def test_reader_converts_nothing_that_the_index_was_told_to_leave(tmp_path):
    (tmp_path / "docusaurus.config.js").touch()
    (tmp_path / "page.html").write_text("<h1>Title</h1>\n\n# Text\n", encoding="utf-8")
    settings, choice = Settings(convert=True), FileChoice(convert=False, include=("**/*.html",))
    with Indexer(tmp_path / ".sectionary", root=tmp_path, settings=settings, files=choice) as indexer:
        assert indexer.scan(tmp_path).sections_added == 2
    (found,) = SectionaryReader(tmp_path, settings=settings).load_data()
    assert (found.text, found.metadata["dialects"]) == ("<h1>Title</h1>\n\n# Text\n", "docusaurus")


def test_reader_writes_nothing(tmp_path):
    (tmp_path / "a.md").write_text("# A\n", encoding="utf-8")
    SectionaryReader(tmp_path).load_data()
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


# -- node parser


def test_nodes_are_the_sections_of_the_index(project, engine):
    nodes = SectionaryNodeParser().get_nodes_from_documents(SectionaryReader(project).load_data())
    assert {node.id_ for node in nodes} == {
        link.id for document in engine.documents() for link in engine.outline(document.path)
    }


def test_nodes_are_exact_slices_with_lines_and_headings(project):
    documents = SectionaryReader(project).load_data()
    texts = {document.id_: document.text for document in documents}
    nodes = SectionaryNodeParser().get_nodes_from_documents(documents)
    assert all(node.text == texts[node.ref_doc_id][node.start_char_idx : node.end_char_idx] for node in nodes)
    rotate = next(node for node in nodes if node.metadata["anchor"] == "rotate-the-signing-key")
    assert rotate.metadata["heading_path"] == "Keys > Rotate the signing key"
    assert (rotate.metadata["start_line"], rotate.metadata["end_line"]) == (9, 13)
    assert rotate.metadata["tags"] == "security"


def test_section_that_stands_twice_has_its_own_offsets():
    text = "# A\n\n```\n## B\n\nText.\n```\n\n## B\n\nText.\n"  # the first time in code, where it is no section
    nodes = SectionaryNodeParser().get_nodes_from_documents([Document(text=text, metadata={"path": "a.md"})])
    assert [node.start_char_idx for node in nodes] == [0, text.rindex("## B")]
    assert "".join(node.text for node in nodes) == text


def test_markup_is_blank_and_offsets_hold():
    text = "# A\n\n<Tabs>\n\nText.\n\n</Tabs>\n\n# B\n"
    first, second = SectionaryNodeParser().get_nodes_from_documents([Document(text=text, metadata={"path": "a.mdx"})])
    assert "Tabs" not in first.text
    assert len(first.text) == first.end_char_idx == second.start_char_idx == text.index("# B")


def test_line_ends_and_wide_characters_are_kept():
    text = "# 見出し\r\n\r\n🙂 text\r\n\r\n## 次\r\n"
    nodes = SectionaryNodeParser().get_nodes_from_documents([Document(text=text)])
    assert "".join(node.text for node in nodes) == text
    assert [(node.start_char_idx, node.end_char_idx) for node in nodes] == [(0, 19), (19, 25)]


def test_deeper_headings_begin_no_section_if_so_told():
    document = Document(text="# A\n\n## B\n\n### C\n")
    assert len(SectionaryNodeParser(max_depth=2).get_nodes_from_documents([document])) == 2


def test_nodes_know_their_neighbours_and_their_document():
    document = Document(id_="d", text="# A\n\n# B\n")
    first, second = SectionaryNodeParser().get_nodes_from_documents([document])
    assert first.next_node.node_id == second.id_
    assert second.prev_node.node_id == first.id_
    assert first.relationships[NodeRelationship.SOURCE].node_id == "d"
    alone = SectionaryNodeParser(include_prev_next_rel=False).get_nodes_from_documents([document])
    assert all(node.next_node is None for node in alone)


def test_ids_are_the_same_whenever_a_document_is_parsed():
    def ids():
        document = Document(text="# A\n\n# B\n\n# B\n", metadata={"path": "a.md"})
        return [node.id_ for node in SectionaryNodeParser().get_nodes_from_documents([document])]

    assert ids() == ids()
    assert len(set(ids())) == 3


def test_ids_are_made_by_a_function_that_is_given():
    parser = SectionaryNodeParser(id_func=lambda index, document: f"{document.id_}-{index}")
    nodes = parser.get_nodes_from_documents([Document(id_="d", text="# A\n\n# B\n")])
    assert [node.id_ for node in nodes] == ["d-0", "d-1"]


async def test_event_loop_runs_while_documents_are_parsed(monkeypatch):
    loop_ran = threading.Event()
    real = SectionaryNodeParser._parse_nodes

    def waiting(self, *given, **more):
        assert loop_ran.wait(20)
        return real(self, *given, **more)

    monkeypatch.setattr(SectionaryNodeParser, "_parse_nodes", waiting)
    asyncio.get_running_loop().call_later(0.05, loop_ran.set)
    assert len(await SectionaryNodeParser().aget_nodes_from_documents([Document(text="# A\n\n# B\n")])) == 2


def test_blank_document_has_no_nodes():
    assert SectionaryNodeParser().get_nodes_from_documents([Document(text=" \n")]) == []


def test_parser_is_stored_with_its_name_and_parameters():
    stored = SectionaryNodeParser(max_depth=2).to_dict()
    assert (stored["class_name"], stored["max_depth"]) == ("SectionaryNodeParser", 2)


def test_ingestion_pipeline_makes_an_index_of_the_nodes(project):
    documents = SectionaryReader(project).load_data()
    nodes = IngestionPipeline(transformations=[SectionaryNodeParser()]).run(documents=documents)
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=4))
    found = index.as_retriever(similarity_top_k=3).retrieve(QUESTION)
    assert {each.metadata["path"] for each in found} <= {"faq.md", "guide/buffer.md", "guide/keys.md"}
    assert len(found) == 3


@pytest.mark.parametrize("snippet", snippets("python llama-index"))
def test_documented_snippet_runs(in_project, snippet, capsys):
    exec(compile(snippet, "snippet", "exec"), {})
    assert "guide/keys.md" in capsys.readouterr().out
