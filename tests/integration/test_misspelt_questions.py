"""Questions with misspelt words, at every door: what is found, and what is said of it."""

import json

import pytest

import schema.storage.indexes
from indexer.models.loading import embedder_of
from indexer.tokens import TokenCounter
from schema.settings import Settings
from search.server.http import create_app
from search.server.security import Access
from search.server.tools import TOOLS
from search.sources.stored import TableSource
from tests.conftest import Project, WordEmbedder
from tests.http_site import site_of
from tests.large import page
from tests.mcp_agent import answers_over

MANUAL = """# Manual

## Rotating a certificate

A certificate is rotated every ninety days.

## Cleaning the sieve

The sieve is cleaned with warm water.
"""
TOLD = "Searched for: rotate the certificate. Put words in quotes to search for them as they are written."


class PieceEmbedder(WordEmbedder):
    """Knows only some words whole, as a model does: other words are two tokens each."""

    def token_spans(self, texts):
        known = {"certificate", "sieve", "rotate", "the", "ember", "penguin"}
        return [[(0, len(text))] * (1 if text in known else 2) for text in texts]


@pytest.fixture
def manual(tmp_path):
    project = Project(tmp_path, WordEmbedder())
    project.write("docs/manual.md", MANUAL)
    project.index()
    project.embedder = PieceEmbedder()
    return project


@pytest.fixture
def run(manual, command_in):
    return command_in(manual)


def test_misspelt_question_has_the_hits_of_the_one_that_was_meant(manual):
    engine = manual.engine()
    meant, typed = engine.page("rotate the certificate"), engine.page("rotate the certifcate")
    assert typed.respelt == "rotate the certificate"
    assert [(hit.section.heading, hit.score, hit.relevance) for hit in typed.results] == [
        (hit.section.heading, hit.score, hit.relevance) for hit in meant.results
    ]
    assert typed.relevance == meant.relevance
    assert meant.respelt == engine.page("rotate the penguin").respelt == ""


def test_search_by_words_alone_asks_no_model_what_was_meant(manual):
    page_found = manual.engine().page("rotate the certifcate", mode="lexical")
    assert page_found.respelt == ""
    assert page_found.results[0].section.heading == "Rotating a certificate"


@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
def test_answer_says_how_a_number_was_read(project, mode):
    project.write("docs/a.md", "# People\n\n## Gwyn\n\nPlumber, 07700 900612.\n\n## Lise\n\nPiano tuner, 07700 900944.\n")
    project.index()
    page = project.engine().page("07700900612", mode=mode)
    assert (page.respelt, page.results[0].section.heading) == ("07700 900612", "Gwyn")


def test_words_in_quotes_are_not_respelt(manual):
    assert manual.engine().page('rotate the "certifcate"').respelt == ""


def test_command_says_for_what_it_searched(run):
    assert run("-n", "1", "rotate the certifcate")[2] == f"search: {TOLD}\n"
    assert run("context", "rotate the certifcate")[2] == f"search: {TOLD}\n"
    assert run("-n", "1", "rotate the certificate")[2] == run("-n", "1", "--quiet", "rotate the certifcate")[2] == ""
    answer = json.loads(run("--json", "rotate the certifcate")[1])
    assert (answer["query"], answer["respelt"], answer["advice"]) == (
        "rotate the certifcate",
        "rotate the certificate",
        TOLD,
    )
    assert "respelt" not in json.loads(run("--json", "rotate the certificate")[1])


def test_http_and_agents_say_for_what_was_searched(manual):
    with site_of(create_app(answers_over(manual), access=Access())) as site:
        found = site.get("/api/search?q=rotate+the+certifcate").json
        assert (found["respelt"], found["advice"]) == ("rotate the certificate", TOLD)
        assert site.get("/api/context?q=rotate+the+certifcate").json["advice"] == TOLD
    (tool,) = (tool for tool in TOOLS if tool.name == "search")
    answer = tool.answer(answers_over(manual), tool.checked({"query": "rotate the certifcate"}), TokenCounter())
    assert answer["advice"].endswith(TOLD)


def test_page_of_python_says_for_what_was_searched(manual):
    assert manual.engine().page("rotate the certifcate").to_dict()["respelt"] == "rotate the certificate"


def test_table_of_a_large_index_knows_what_was_meant_and_words_that_were_just_written(tmp_path, monkeypatch):
    monkeypatch.setattr(schema.storage.indexes, "LARGE", 100)
    project = Project(tmp_path, WordEmbedder())
    for number in range(30):
        project.write(f"docs/{number}.md", page(number))
    project.index()
    engine = project.engine(embedder=PieceEmbedder())
    assert isinstance(engine.source(), TableSource)
    assert engine.page("the emebr").respelt == "the ember"
    project.write("docs/new.md", "# New\n\nThe emebr is a bird.\n")
    project.index()
    found = engine.page("the emebr")
    assert (found.respelt, found.results[0].section.heading) == ("", "New")


@pytest.mark.model
def test_default_models_know_a_misspelt_word_from_one_that_the_folder_lacks(tmp_path):
    project = Project(tmp_path, embedder_of(Settings()))
    project.write("docs/manual.md", MANUAL)
    project.write("docs/other.md", "# Oven\n\n## Baking bread\n\nKneed the dough, and bake it.\n\nLessen the heat.\n")
    project.index()
    engine = project.engine()
    respelt = {query: engine.page(query).respelt for query in ("rotating a certificte", "clean the siieve", "lesson plan")}
    assert respelt == {
        "rotating a certificte": "rotating a certificate",
        "clean the siieve": "clean the sieve",
        "lesson plan": "",
    }


@pytest.mark.model
def test_default_models_read_loanwords_as_the_english_words_of_the_folder(tmp_path):
    project = Project(tmp_path, embedder_of(Settings()))
    project.write("docs/manual.md", MANUAL)
    project.write(
        "docs/other.md", "# Book\n\n## Smart pointers\n\nA smart pointer owns its data.\n\n## Match guards\n\nA guard.\n"
    )
    project.write("docs/ja.md", "# 検索\n\nサーバーの設定\n")
    project.index()
    engine = project.engine()
    pages = {query: engine.page(query) for query in ("スマートポインタとは", "매치 가드를 쓰는 법", "サーバー", "같지")}
    assert {query: page_found.respelt for query, page_found in pages.items()} == {
        "スマートポインタとは": "smart pointer とは",
        "매치 가드를 쓰는 법": "match guard 쓰는 법",
        "サーバー": "",
        "같지": "",
    }
    headings = [pages[query].results[0].section.heading for query in ("スマートポインタとは", "매치 가드를 쓰는 법")]
    assert headings == ["Smart pointers", "Match guards"]


@pytest.fixture(scope="module")
def translated(tmp_path_factory):
    """Documents in Korean that keep an English word, with one section that does not."""
    project = Project(tmp_path_factory.mktemp("translated"), embedder_of(Settings()))
    rules = "\n\n".join(f"## Hook을 부르는 곳 {number}\n\n함수에서 Hook을 {number}번 부르세요." for number in range(4))
    project.write("docs/rules.md", f"# Hook의 규칙\n\n모두 지켜야 합니다.\n\n{rules}\n")
    overview = "## Hook의 규칙\n\nHook의 규칙은 [Hook의 규칙](rules.md)에 있습니다. 글이 두 줄 더 있습니다."
    project.write("docs/index.md", f"# 개요\n\n문서의 개요입니다.\n\n{overview}\n")
    project.write("docs/blog.md", "# 소식\n\n새로운 훅이 나왔습니다.\n\n## 새로운 훅\n\n두 가지가 있습니다.\n")
    others = "\n\n".join(f"## 표 {number}\n\n표의 칸 {number}개를 채우는 방법입니다." for number in range(8))
    project.write("docs/other.md", f"# 표\n\n표는 칸으로 이루어집니다.\n\n{others}\n")
    project.index()
    return project


@pytest.mark.model
@pytest.mark.parametrize("query", ["훅 규칙", "훅의 규칙"])
def test_loanword_finds_the_sections_that_keep_the_english_word(translated, query):
    page_found = translated.engine().page(query)
    hit = page_found.results[0].section
    assert (hit.document_path, hit.heading) == ("docs/rules.md", "Hook의 규칙")
    assert (page_found.answered, page_found.respelt) == (True, "")


@pytest.mark.model
def test_loanword_still_finds_the_section_that_is_written_with_it(translated):
    assert translated.engine().page("새로운 훅").results[0].section.heading == "새로운 훅"


@pytest.mark.model
def test_question_in_japanese_finds_english_sections_beside_a_single_page_in_japanese(tmp_path):
    project = Project(tmp_path, embedder_of(Settings()))
    topics = {
        "Renewing a certificate": "Run the renew command on the gateway thirty days before the certificate ends.",
        "Cleaning the sieve": "Take the sieve out and rinse it with warm water, then let it dry.",
        "Reading the meter": "The meter shows the pressure in the pipe and the flow of the water.",
        "Adding a user": "An administrator adds a user with a name, a role and a password.",
    }
    others = {f"Part number {number}": f"Order part {number} from the shop by its number." for number in range(30)}
    text = "\n\n".join(f"## {heading}\n\n{body}" for heading, body in {**topics, **others}.items())
    project.write("docs/manual.md", f"# Manual\n\nAll about the gateway.\n\n{text}\n")
    project.write(
        "docs/README-ja.md",
        "# はじめに\n\nこのページでは、使い始めるための方法を書きます。質問する方法は、次のページにあります。\n",
    )
    project.index()
    page_found = project.engine().page("証明書を更新する方法は")
    assert page_found.results[0].section.heading == "Renewing a certificate"
    assert project.engine().page("使い始めるための方法").results[0].section.heading == "はじめに"


@pytest.mark.model
def test_words_count_fully_where_the_model_does_not_know_their_language(tmp_path):
    project = Project(tmp_path, embedder_of(Settings(model="all-MiniLM-L6-v2")))
    parts = "\n\n".join(f"## Part {number}\n\nOrder part {number} from the shop." for number in range(30))
    project.write("docs/manual.md", f"{MANUAL}\n{parts}\n")
    project.write("docs/ja.md", "# 検索\n\nサーバーの設定を変更する方法です。\n")
    project.index()
    with project.engine() as engine:
        assert engine.page("サーバーの設定").relevance == engine.page("サーバーの設定", mode="lexical").relevance > 0.5


@pytest.mark.parametrize("mode", ["hybrid", "lexical"])
def test_question_in_two_words_finds_the_section_that_writes_them_as_one(manual, mode):
    manual.write(
        "docs/server.md", "# Server\n\n## Ratelimiting\n\nOf logins and messages.\n\n## Mail\n\nThe rate is high.\n"
    )
    manual.index()
    page = manual.engine().page("rate limiting of messages", mode=mode)
    assert page.results[0].section.heading == "Ratelimiting"
    assert page.results[0].relevance > 0.8 > page.results[1].relevance


@pytest.mark.parametrize(
    ("query", "meant", "said", "other"),
    [
        (
            "how do I write a filter",
            "## Creating filters\n\nCreating filters takes a class with one method.",
            "Creating page {} takes a while.",
            "## Rights of filters\n\nFilters may write to the log and to the disk.",
        ),
        (
            "restore db",
            "## Restoring a database\n\nThe database is read from its dump.",
            "The database has page {}.",
            "## Restoring order\n\nThe db of the office is in the cellar, and order too.",
        ),
    ],
)
def test_words_that_documents_say_in_another_way_find_them(project, query, meant, said, other):
    project.write("docs/a.md", f"# First\n\n{meant}\n")
    project.write("docs/b.md", f"# Second\n\n{other}\n")
    for number in range(8):
        project.write(f"docs/other{number}.md", f"# Other {number}\n\n{said.format(number)}\n")
    project.index()
    assert project.engine().search(query)[0].section.document_path == "docs/a.md"
