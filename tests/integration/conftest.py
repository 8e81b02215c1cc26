"""A small project and servers of it, for the tests over HTTP, and a vault of notes."""

import shutil

import pytest

from schema.clock import now
from schema.storage.fingerprint import Fingerprint
from schema.storage.table import SectionTable
from tests.clones import SECRET, Listener
from tests.conftest import GUIDE, NOTES, Project, WordEmbedder
from tests.http_site import site_over
from tests.large import page
from tests.vault_notes import VAULT

MADE = Fingerprint(model="words-32", dimension=32, token_encoding="cl100k_base")


@pytest.fixture
def search_in(monkeypatch, search_command):
    """Runs the command `search` by words within a project: the project → what `search_command` gives."""

    def within(project):
        monkeypatch.chdir(project.home)
        monkeypatch.setattr("search.engine.embedder_of", lambda _settings: project.embedder)
        return lambda *args: search_command(*args, *(["--mode", "lexical"] if args[0] not in ("outline", "section") else []))

    return within


@pytest.fixture(scope="module")
def orchard(tmp_path_factory):
    """A project that no test changes."""
    return planted(Project(tmp_path_factory.mktemp("orchard"), WordEmbedder()))


@pytest.fixture
def changing(project):
    """The same, for a test that changes it."""
    return planted(project)


def planted(project):
    project.write("docs/guide.md", GUIDE)
    project.write(
        "docs/apples & <b>pears</b>.md", "# Apples\n\nApples keep until spring.\n\n## Pears\n\nPears do not keep.\n"
    )
    project.index()
    return project


@pytest.fixture(scope="module")
def site(orchard):
    with site_over(orchard) as site:
        yield site


@pytest.fixture
def listener():
    listener = Listener()
    yield listener
    listener.close()


@pytest.fixture
def secret(tmp_path):
    """A file of the user's, outside every clone."""
    place = tmp_path / "private" / "notes.md"
    place.parent.mkdir()
    place.write_text(f"# Private\n\n{SECRET}\n")
    return place


@pytest.fixture
def clone(tmp_path):
    project = Project(tmp_path / "clone", WordEmbedder())
    project.write("docs/a.md", "# A\n\nordinary text\n")
    return project


@pytest.fixture
def rows(embedder):
    """A path and its text → its rows, embedded."""
    from indexer.splitter import MarkdownSplitter
    from indexer.sync.embedding import embed_rows
    from indexer.sync.plan import plan_document

    def make(path, text, *, tags=()):
        front = f"---\ntags: {list(tags)}\n---\n" if tags else ""
        split = MarkdownSplitter().parse(front + text, path)
        plan = plan_document(split.sections, front_matter=split.front_matter, stored={}, reusable={}, now=now())
        return embed_rows(plan.rows, embedder)

    return make


@pytest.fixture
def table(tmp_path):
    """An empty table in the store of an index folder."""
    return SectionTable.create(tmp_path / "index" / "store", MADE)


@pytest.fixture
def mixed(project):
    """A project with Markdown and text files."""
    for path in ("docs/a.md", "docs/b.txt", "docs/sub/c.txt", "docs/sub/d.md", "other/e.txt", "other/f.md"):
        project.write(path, f"# {path}\n\nText of {path}.\n")
    return project


@pytest.fixture
def notes(tmp_path_factory):
    """A folder outside of the project."""
    folder = tmp_path_factory.mktemp("elsewhere") / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "x.md").write_text("# Xylophone\n\nWooden bars.\n")
    (folder / "sub" / "y.md").write_text("# Yoghurt\n\nSour milk.\n")
    return folder


@pytest.fixture(scope="module")
def guide(tmp_path_factory):
    """A project that no test changes, with documents that are long or try to mislead."""
    from tests.mcp_agent import EVIL, LONG

    project = Project(tmp_path_factory.mktemp("guide"), WordEmbedder())
    project.write("docs/guide.md", GUIDE)
    project.write("docs/sub/notes.md", NOTES)
    project.write("docs/long.md", LONG)
    project.write("docs/evil.md", EVIL)
    project.write("docs/odd\u202egnp.md", "# Odd\n\nThe kelpie.\n")
    project.index()
    return project


@pytest.fixture(scope="module", params=[pytest.param("stdio", marks=pytest.mark.process), "http, handshake"])
def agent(guide, request, tmp_path_factory):
    """A client of the agents' protocol that asks the project `guide`."""
    from tests.mcp_agent import agent_of, agent_of_process, answers_over, command, http_calls

    transport, _, mode = request.param.partition(", ")
    options = {"mode": "legacy" if mode else "auto"}
    if transport == "stdio":
        parameters = command("--index", str(guide.index_dir), "--model", guide.embedder.name)
        with agent_of_process(parameters, tmp_path_factory.mktemp("log") / "stderr", **options) as agent:
            yield agent
    else:
        with http_calls(answers_over(guide)) as site, agent_of(f"{site.url}mcp", **options) as agent:
            yield agent


@pytest.fixture
def small_bounds(monkeypatch):
    """A table is large with a hundred rows."""
    monkeypatch.setattr("schema.storage.indexes.LARGE", 100)
    monkeypatch.setattr("schema.storage.indexes.LEAST_VECTORS", 100)


@pytest.fixture
def large(project, small_bounds, copied):
    """An index that its table's own indexes search."""
    return copied(many_sections, project)


@pytest.fixture
def medium(large, monkeypatch):
    """An index whose table answers a process that asks once, and is held in memory by others."""
    monkeypatch.setattr("schema.storage.indexes.LARGE", 10_000)
    monkeypatch.setattr("schema.storage.indexes.WITH_TERMS", 100)
    return large


def many_sections(project):
    for number in range(30):
        project.write(f"docs/part{number % 4}/page{number}.md", page(number))
    project.write("docs/ja.md", "# 検索\n\n## 全文検索\n\n全文検索の仕組みを説明します。\n\n## 他\n\nその他の話です。\n")
    project.write("docs/ko.md", "# 검색\n\n## 검색 안내\n\n문서를 검색하는 방법입니다.\n")
    project.index()


@pytest.fixture(scope="module")
def made_vault(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("vault"), WordEmbedder())
    for path, text in VAULT.items():
        project.write(path, text)
    project.write("attachments/sketch.png", b"\x89PNG")
    project.index(".")
    return project


@pytest.fixture
def vault(made_vault, tmp_path):
    """The same vault, for a test that changes it."""
    home = tmp_path / "vault"
    shutil.copytree(made_vault.home, home)
    return Project(home, WordEmbedder())
