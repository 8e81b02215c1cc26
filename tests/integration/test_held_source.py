"""What is held in memory follows the index by what is new in it, and answers as if all were read again."""

import random
import weakref

import pytest

from schema.index_files.layout import store_dir
from schema.storage.retrieval import Retrieval
from schema.storage.table import SectionTable
from search.engine import SearchEngine
from search.sources.held import HELD_COLUMNS, HeldSource

WORDS = (
    "amber birch cedar delta ember fjord grove heath inlet jetty knoll larch maple north ocean pearl quartz ridge".split()
)
QUESTIONS = [
    "amber birch",
    "how does the cedar reach the inlet",
    "Section 3",
    "ridge jetti",
    "oce",
    '"delta ember"',
    "全文検索",
]


def page(chance):
    sections = [f"# Guide {chance.choice(WORDS)}\n"]
    for place in range(chance.randrange(1, 6)):
        said = " ".join(chance.choices(WORDS, k=12))
        shared = "The same sentence stands in many sections." if chance.random() < 0.6 else ""
        japanese = "全文検索の仕組みを説明します。" if chance.random() < 0.1 else ""
        sections.append(f"## Section {place} {chance.choice(WORDS)}\n\nHere the {said}. {shared}\n\n{japanese}\n")
    return "\n".join(sections)


@pytest.fixture
def held(project):
    chance = random.Random(1)
    for number in range(25):
        project.write(f"docs/part{number % 3}/page{number}.md", page(chance))
    project.index()
    return project


def told(engine, question):
    page = engine.page(question, limit=10)
    hits = [
        (hit.section, round(hit.score, 5), hit.relevance, hit.similar, hit.snippet, hit.window, hit.context, hit.is_pending)
        for hit in page.results
    ]
    return round(page.relevance, 4), hits


def read_whole(project):
    engine = SearchEngine(project.index_dir, embedder=project.embedder)
    assert isinstance(engine.source(), HeldSource)
    return engine


def read_rows(monkeypatch):
    """The numbers of rows that are read by their numbers from now on."""
    rows = []
    real = Retrieval.columns_of
    monkeypatch.setattr(
        Retrieval, "columns_of", lambda self, some, names: (rows.append(len(some)), real(self, some, names))[1]
    )
    return rows


def test_after_an_edit_only_the_sections_of_that_document_are_read(held, monkeypatch):
    engine = read_whole(held)
    monkeypatch.setattr(HeldSource, "of", lambda *_, **__: pytest.fail("all was read"))
    held.write("docs/part1/page4.md", "# Zephyr\n\nA word that nobody wrote: zephyrine.\n\n## Two\n\namber\n")
    held.index()
    rows = read_rows(monkeypatch)  # from here on, since the indexer reads rows too
    assert [hit.section.heading for hit in engine.search("zephyrine", mode="lexical")] == ["Zephyr"]
    assert rows == [2]


def test_version_before_is_let_go_once_the_next_is_made_of_it(held):
    engine = read_whole(held)
    earlier = weakref.ref(engine.source())
    held.write("docs/part1/page4.md", "# Zephyr\n\nA word that nobody wrote: zephyrine.\n")
    held.index()
    engine.search("zephyrine", mode="lexical")
    assert earlier() is None


def test_removed_document_is_forgotten_and_its_words_too(held, monkeypatch):
    held.write("docs/gone.md", "# Gone\n\nzephyrine\n")
    held.index()
    engine = read_whole(held)
    monkeypatch.setattr(HeldSource, "of", lambda *_, **__: pytest.fail("all was read"))
    assert engine.search("zephyrine", mode="lexical")
    (held.home / "docs/gone.md").unlink()
    held.index()
    assert engine.outline("docs/gone.md") == []
    assert engine.search("zephyrine", mode="lexical") == []
    assert engine.search("zephyrin", mode="lexical") == []


@pytest.mark.parametrize("seed", range(2))
def test_random_edits_are_answered_as_if_all_were_read_again(held, seed):
    chance = random.Random(seed)
    engine = read_whole(held)
    renewed = 0
    for _ in range(8):
        for _ in range(chance.randrange(1, 4)):
            path = f"docs/part{chance.randrange(3)}/page{chance.randrange(30)}.md"
            if chance.random() < 0.25:
                (held.home / path).unlink(missing_ok=True)
            else:
                held.write(path, page(chance))
        before = engine.source()
        held.index()
        again = read_whole(held)
        for question in QUESTIONS:
            assert told(engine, question) == told(again, question)
        assert engine.documents() == again.documents()
        renewed += engine.source().snapshot.vectors.blocks[0] is before.snapshot.vectors.blocks[0]
    assert renewed >= 3


def test_vectors_that_come_later_are_read(held):
    held.write("docs/new.md", "# New\n\nThe zephyr goes on the ridge.\n")
    held.indexer().scan(held.home / "docs")
    engine = read_whole(held)
    assert [hit.section.is_dirty for hit in engine.search("zephyr", mode="lexical")] == [True]
    held.index()
    assert [hit.section.is_dirty for hit in engine.search("zephyr", mode="lexical")] == [False]
    assert told(engine, "zephyr") == told(read_whole(held), "zephyr")


def test_only_new_sections_are_read_of_a_table_whose_files_were_merged(held, monkeypatch):
    engine = read_whole(held)
    before = engine.source()
    held.write("docs/part1/page4.md", "# Other\n\nzephyrine\n")
    held.index()
    SectionTable.open(store_dir(held.index_dir.resolve())).optimize(force=True)
    rows = read_rows(monkeypatch)
    assert engine.source() is not before
    assert rows == [1]
    for question in QUESTIONS:
        assert told(engine, question) == told(read_whole(held), question)


def test_index_that_becomes_empty_and_is_filled_again_is_followed(held):
    engine = read_whole(held)
    pages = sorted(held.home.glob("docs/**/*.md"))
    for path in pages:
        path.unlink()
    held.index()
    for _ in range(2):
        assert engine.search("amber birch", mode="lexical") == []
        held.write("docs/other.md", "")
        held.index()
    held.write("docs/other.md", "# Amber\n\nThe birch.\n")
    held.index()
    assert [hit.section.heading for hit in engine.search("amber birch", mode="lexical")] == ["Amber"]


def test_words_that_edits_leave_behind_do_not_pile_up(held):
    engine = read_whole(held)
    sizes = []
    for number in range(12):
        held.write("docs/part1/page4.md", "# Page\n\n" + " ".join(f"w{number}x{word}" for word in range(40)) + "\n")
        held.index()
        assert engine.search(f"w{number}x7", mode="lexical")
        sizes.append(engine.source().snapshot.inverted.size)
    assert max(sizes) < 2 * min(sizes)
    assert sorted(sizes) != sizes


def test_section_that_becomes_what_it_was_is_followed(held):
    engine = read_whole(held)
    path = held.home / "docs/part1/page4.md"
    before, told_before = path.read_text(encoding="utf-8"), told(engine, "amber birch")
    for text in ("# Amber birch\n\nAmber birch.\n", before):
        held.write("docs/part1/page4.md", text)
        held.index()
        again = read_whole(held)
        assert told(engine, "amber birch") == told(again, "amber birch")
    assert [hit[0].id for hit in told(engine, "amber birch")[1]] == [hit[0].id for hit in told_before[1]]


def test_columns_of_a_held_source_have_what_tells_versions_apart():
    assert "checksum" in HELD_COLUMNS
