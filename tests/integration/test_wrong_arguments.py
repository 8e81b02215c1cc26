"""Every public callable refuses wrong arguments in one sentence that names the argument, its value and what it takes."""

import asyncio
import inspect

import pytest

from indexer import Indexer, MarkdownSplitter, TokenCounter, decode
from schema import (
    ArgumentError,
    Filters,
    QueryError,
    SearchRequest,
    SectionaryError,
    Settings,
    SettingsError,
    get_sections_schema,
    load_settings,
    read_status,
)
from search import AsyncSearchEngine, ResultPage, SearchEngine
from tests.conftest import GUIDE, Project, WordEmbedder


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A project that no test changes."""
    project = Project(tmp_path_factory.mktemp("wrong"), WordEmbedder())
    project.write("docs/guide.md", GUIDE)
    project.index()
    return project


@pytest.fixture(scope="module")
def engine(home):
    return home.engine()


@pytest.fixture(scope="module")
def indexer(home):
    return home.indexer()


#: A method of `SearchEngine`, its arguments, and the sentence.
ENGINE = [
    ("search", (3,), {}, "query must be a text, not 3."),
    ("search", (None,), {}, "query must be a text, not None."),
    ("search", (b"x",), {}, "query must be a text, not b'x'."),
    ("search", (" ",), {}, "The query is empty; ask a question or give some words."),
    ("search", ("x",), {"limit": "5"}, "limit must be a whole number of at least 1, not '5'."),
    ("search", ("x",), {"limit": 0}, "limit must be a whole number of at least 1, not 0."),
    ("search", ("x",), {"limit": 2.5}, "limit must be a whole number of at least 1, not 2.5."),
    ("search", ("x",), {"limit": True}, "limit must be a whole number of at least 1, not True."),
    ("search", ("x",), {"limit": -(10**400)}, "limit must be a whole number of at least 1, not a very large number."),
    ("search", ("x",), {"offset": -1}, "offset must be a whole number of at least 0, not -1."),
    ("search", ("x",), {"mode": "fuzzy"}, "mode must be one of hybrid, dense, lexical, not 'fuzzy'."),
    (
        "search",
        ("x",),
        {"mode": "lexcal"},
        "mode must be one of hybrid, dense, lexical, not 'lexcal' (did you mean lexical?).",
    ),
    ("search", ("x",), {"mode": None}, "mode must be one of hybrid, dense, lexical, not None."),
    ("search", ("x",), {"mode": ["dense"]}, "mode must be one of hybrid, dense, lexical, not a list."),
    ("search", ("x",), {"fold": "yes"}, "fold must be True or False, not 'yes'."),
    ("search", ("x",), {"prefer_own_language": 1}, "prefer_own_language must be True or False, not 1."),
    ("search", ("x",), {"filters": "docs/"}, "filters must be Filters or a mapping of their names, not 'docs/'."),
    ("search", ("x",), {"filters": {"depth": 7}}, "The depth filter takes 0, 1, 2 or 3, not 7."),
    ("search", ("x",), {"filters": {3: "a"}}, "There is no filter 3; "),
    ("search", ("x",), {"filters": {"paht": "docs/"}}, "There is no filter 'paht' (did you mean path?); "),
    ("page", ("x",), {"min_relevance": 2}, "min_relevance must be a number from 0 to 1, not 2."),
    ("page", ("x",), {"min_relevance": float("nan")}, "min_relevance must be a number from 0 to 1, not nan."),
    ("page", ("x",), {"min_relevance": "0.5"}, "min_relevance must be a number from 0 to 1, not '0.5'."),
    ("answer", ("x",), {}, "request must be a SearchRequest, not 'x'."),
    ("context", ("x",), {"max_tokens": 0}, "max_tokens must be a whole number of at least 1, not 0."),
    ("context", ("x",), {"max_tokens": None}, "max_tokens must be a whole number of at least 1, not None."),
    ("context_of", ("x",), {"max_tokens": 9}, "page must be a ResultPage, not 'x'."),
    (
        "context_of",
        (ResultPage(results=(), relevance=0.0, min_relevance=0.5),),
        {"max_tokens": 0},
        "max_tokens must be a whole number of at least 1, not 0.",
    ),
    ("answer_parts", ("x",), {}, "request must be a SearchRequest, not 'x'."),
    ("get_section", (3,), {}, "section_id must be a text, not 3."),
    ("section_links", (None,), {}, "reference must be a text, not None."),
    ("document_links", (None,), {}, "document_path must be a text, not None."),
    ("similar", (None,), {}, "reference must be a text, not None."),
    ("similar", ("docs/guide.md",), {"limit": 101}, "limit must be a whole number from 1 to 100, not 101."),
    ("changes", (), {"limit": 0}, "limit must be a whole number from 1 to 10000, not 0."),
    ("changes", ("7d",), {"since_commit": "HEAD"}, "Give since or since_commit, not both."),
    ("changes", (), {"since_commit": 3}, "since_commit must be a text, not 3."),
    ("outline", (["a.md"],), {}, "document_path must be a text, not a list."),
    ("translations", (3,), {}, "document_path must be a text, not 3."),
]
#: Methods of `SearchEngine` without an argument that users give; `read` takes a function of ours.
WITHOUT = {
    "close",
    "documents",
    "is_closed",
    "prepare",
    "read",
    "resolve",
    "resolve_place",
    "roots",
    "source",
    "states",
    "window_tokens",
}

#: A method of `Indexer`, its arguments, and the sentence.
INDEXER = [
    ("index", (3,), {}, "path must be the path of a file or folder, not 3."),
    ("index", ("a\0b",), {}, "path must be the path of a file or folder, not 'a\\x00b'."),
    ("index", (), {"summary_budget": "1m"}, "summary_budget must be a number of seconds, not '1m'."),
    ("scan", (None,), {}, "path must be the path of a file or folder, not None."),
    ("scan", (["docs"],), {}, "path must be the path of a file or folder, not a list."),
    ("rebuild", (b"docs",), {}, "path must be the path of a file or folder, not b'docs'."),
    ("add_root", (None,), {}, "path must be the path of a file or folder, not None."),
    ("add_root", ("docs",), {"name": 3}, "name must be a text, not 3."),
    ("add_root", ("docs",), {"description": 3}, "description must be a text, not 3."),
    ("remove_root", (3,), {}, "root must be the name or path of a root, not 3."),
    ("process_dirty", (), {"limit": -1}, "limit must be a whole number of at least 0, not -1."),
    ("process_dirty", (), {"limit": "5"}, "limit must be a whole number of at least 0, not '5'."),
    ("process_dirty", (), {"time_budget": "60s"}, "time_budget must be a number of seconds, not '60s'."),
    ("summarize", (), {"refresh": 1}, "refresh must be True or False, not 1."),
    ("summarize", (), {"limit": 1.5}, "limit must be a whole number of at least 0, not 1.5."),
    ("verify", (), {"repair": "yes"}, "repair must be True or False, not 'yes'."),
]
NO_ARGUMENTS = {"close", "is_closed", "optimize", "roots", "status"}


def _made(kind, index_dir=".sectionary", **given):
    return lambda: kind(index_dir, **given)


#: What is called, and the sentence.
OTHERS = [
    (_made(SearchEngine, None), "index_dir must be the path of a file or folder, not None."),
    (_made(SearchEngine, ""), "index_dir must be the path of a file or folder, not ''."),
    (_made(SearchEngine, settings={"model": "x"}), "settings must be a Settings, not a dict."),
    (_made(SearchEngine, settings=Settings(min_relevance="high")), "The setting min_relevance must be a number, not 'high' "),
    (_made(SearchEngine, embedder="all-MiniLM"), "embedder must be an object with the method embed_query, not 'all-MiniLM'."),
    (_made(SearchEngine, reranker=object()), "reranker must be an object with the method rerank, not an object."),
    (_made(AsyncSearchEngine, 3), "index_dir must be the path of a file or folder, not 3."),
    (_made(AsyncSearchEngine, threads=0), "threads must be a whole number from 1 to 64, not 0."),
    (_made(AsyncSearchEngine, reranker=3), "reranker must be an object with the method rerank, not 3."),
    (_made(Indexer, None), "index_dir must be the path of a file or folder, not None."),
    (_made(Indexer, root=3), "root must be the path of a file or folder, not 3."),
    (_made(Indexer, root="no-such-folder"), "root must be a folder that is there, not 'no-such-folder'."),
    (_made(Indexer, settings="x"), "settings must be a Settings, not 'x'."),
    (_made(Indexer, settings=Settings(batch_tokens=1)), "The setting batch_tokens must be between 64 and 1048576, not 1 "),
    (_made(Indexer, embedder=3), "embedder must be an object with the method embed_sections, not 3."),
    (_made(Indexer, summarizer=3), "summarizer must be an object with the method summarize_document, not 3."),
    (_made(Indexer, progress=3), "progress must be a function, not 3."),
    (_made(Indexer, should_stop=True), "should_stop must be a function, not True."),
    (_made(Indexer, wait="long"), "wait must be a number of seconds, not 'long'."),
    (_made(Indexer, is_trusted=1), "is_trusted must be True or False, not 1."),
    (_made(Indexer, files={"include": ()}), "files must be a FileChoice, not a dict."),
    (lambda: MarkdownSplitter(max_depth=9), "max_depth must be 1, 2 or 3, not 9."),
    (lambda: MarkdownSplitter(max_depth="2"), "max_depth must be 1, 2 or 3, not '2'."),
    (lambda: MarkdownSplitter(max_depth=[2]), "max_depth must be 1, 2 or 3, not a list."),
    (lambda: MarkdownSplitter(max_tokens_per_section=0), "max_tokens_per_section must be a whole number of at least 1, not 0."),
    (lambda: MarkdownSplitter(token_counter=3), "token_counter must be an object with the method count, not 3."),
    (lambda: MarkdownSplitter().split(b"# A", "a.md"), "source must be a text, not b'# A'."),
    (lambda: MarkdownSplitter().split("# A", None), "document_path must be the path of the document, as a text, not None."),
    (lambda: MarkdownSplitter().parse("# A", "a.md", dialects="hugo"), "dialects must be a tuple of names of dialects, not 'hugo'."),
    (lambda: MarkdownSplitter().parse("# A", "a.md", dialects=("hugoo",)), "dialects must be one of mdx, docusaurus, "),
    (lambda: TokenCounter("gpt-4"), "encoding must be one of cl100k_base, o200k_base, not 'gpt-4'."),
    (lambda: TokenCounter().count(3), "text must be a text, not 3."),
    (lambda: TokenCounter().spans(None), "text must be a text, not None."),
    (lambda: decode("text"), "data must be the bytes of a file, not 'text'."),
    (lambda: get_sections_schema(0), "vector_dimension must be a whole number of at least 1, not 0."),
    (lambda: get_sections_schema("256"), "vector_dimension must be a whole number of at least 1, not '256'."),
    (lambda: load_settings(3, environ={}), "root must be the path of a file or folder, not 3."),
    (lambda: load_settings(".", environ="x"), "environ must be a mapping such as os.environ, not 'x'."),
    (lambda: read_status(None), "index_dir must be the path of a file or folder, not None."),
    (lambda: Filters(path="docs/"), "The path filter of Filters(…) must be a tuple, not 'docs/'."),
    (lambda: Filters(fields=("status",)), "The fields filter of Filters(…) takes pairs of two texts, a name and a value."),
    (lambda: Filters(clean="no"), "The clean filter takes true or false, not 'no'."),
    (lambda: SearchRequest(query=3), "query must be a text, not 3."),
    (lambda: SearchRequest(query="x", filters={"path": "a"}), "filters must be Filters or a mapping of their names, not a dict."),
    (lambda: SearchRequest(query="x", mode="x" * 10**6), "mode must be one of hybrid, dense, lexical, not '" + "x" * 80),
]  # fmt: skip


def refused(call):
    with pytest.raises(SectionaryError) as told:
        call()
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 400
    assert isinstance(told.value, ArgumentError | SettingsError)
    assert isinstance(told.value, ValueError) != isinstance(told.value, SettingsError)
    return str(told.value)


@pytest.mark.parametrize(("method", "args", "given", "sentence"), ENGINE)
def test_a_wrong_argument_of_a_search_is_named(engine, method, args, given, sentence):
    assert refused(lambda: getattr(engine, method)(*args, **given)).startswith(sentence)


@pytest.mark.parametrize(("method", "args", "given", "sentence"), INDEXER)
def test_a_wrong_argument_of_indexing_is_named(indexer, method, args, given, sentence):
    assert refused(lambda: getattr(indexer, method)(*args, **given)) == sentence


@pytest.mark.parametrize(("call", "sentence"), OTHERS)
def test_a_wrong_argument_of_another_callable_is_named(call, sentence):
    assert refused(call).startswith(sentence)


def test_the_event_loops_door_names_the_same(home):
    async def ask():
        async with AsyncSearchEngine(home.index_dir, embedder=home.embedder) as engine:
            await engine.search("x", limit=0)

    assert refused(lambda: asyncio.run(ask())) == "limit must be a whole number of at least 1, not 0."


@pytest.mark.parametrize(("kind", "rows", "without"), [(SearchEngine, ENGINE, WITHOUT), (Indexer, INDEXER, NO_ARGUMENTS)])
def test_every_public_method_has_its_row(kind, rows, without):
    public = {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}
    assert public == {row[0] for row in rows} | without


def test_a_query_error_is_an_argument_error():
    assert issubclass(QueryError, ArgumentError)
    assert issubclass(ArgumentError, ValueError)


def test_numbers_of_numpy_are_numbers(engine):
    import numpy as np

    assert len(engine.search("crank", limit=np.int64(2), offset=np.int32(0))) == 2
    assert engine.page("crank", min_relevance=np.float32(0.5)).min_relevance == 0.5
