"""Searching while the index changes, and paging further than the first candidates."""

import shutil

import pytest

from schema.errors import IndexIncompatibleError, IndexNotFoundError, QueryError
from search.query_vectors import QueryEmbedder


def ids(hits):
    return [hit.section.id for hit in hits]


def pages(engine, query, *, total, size, **options):
    return [i for start in range(0, total, size) for i in ids(engine.search(query, limit=size, offset=start, **options))]


@pytest.fixture
def wide(project):
    """260 sections that share a word, in one document."""
    lines = (f"# H{i}\n\n{'key ' * (1 + i % 7)}{'apple banana ' * (i % 11)}word{i}\n\n" for i in range(260))
    project.write("docs/wide.md", "".join(lines))
    project.index()
    return project


def test_dense_pages_beyond_the_first_hundred_are_disjoint(wide):
    found = pages(wide.engine(), "key apple", total=260, size=20, mode="dense")
    assert len(found) == len(set(found)) == 260


@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_pages_of_equal_sections_are_disjoint(project, mode):
    for i in range(250):
        project.write(f"docs/{i}.md", "# Same\n\nequal words\n")
    project.index()
    found = pages(project.engine(), "words", total=250, size=10, mode=mode)
    assert len(found) == len(set(found)) == 250


def test_hybrid_pages_beyond_the_first_hundred_are_disjoint(wide):
    found = pages(wide.engine(), "key apple", total=260, size=20)
    assert len(found) == len(set(found)) == 260


def test_hybrid_pages_within_the_first_hundred_are_disjoint_and_the_whole(wide):
    engine = wide.engine()
    assert pages(engine, "key apple", total=100, size=10) == ids(engine.search("key apple", limit=100))


def test_the_same_question_twice_gives_the_same_answer(wide):
    first, second = (wide.engine().search("key banana", limit=30) for _ in range(2))
    assert [(h.section.id, h.score, dict(h.scores)) for h in first] == [
        (h.section.id, h.score, dict(h.scores)) for h in second
    ]


def test_windows_of_every_hit_lie_in_its_content(project, make_embedder):
    project.embedder = make_embedder(max_tokens=12)
    body = "".join(f"Paragraph {i} names {i}zebra{i} once.\r\n\r\n" for i in range(20))
    project.write("docs/a.md", f"Setext heading\r\n==============\r\n\r\n \r\n   {body}\r\n## Bare\r\n")
    project.index()
    engine = project.engine()
    seen = set()
    for query in ("paragraph names once", "setext heading", "the", *(f"{i}zebra{i}" for i in range(20))):
        hit = next(h for h in engine.search(query, mode="dense") if h.section.heading == "Setext heading")
        assert hit.section.body_start <= hit.window.start < hit.window.end <= len(hit.section.content)
        part = hit.section.content[hit.window.start : hit.window.end]
        assert part in hit.section.body
        seen.add(part)
    assert len(seen) > 3


def test_stale_is_told_of_the_changed_document_only(manual):
    manual.index()
    (manual.home / "docs/sub/notes.md").write_text("# Other\n")
    hits = manual.engine().search("words penguins")
    assert {h.section.document_path: h.stale for h in hits} == {"docs/guide.md": False, "docs/sub/notes.md": True}


def test_touched_file_without_a_trusted_time_is_not_stale(manual):
    manual.index()
    (manual.home / "docs/guide.md").touch()
    assert not manual.engine().search("penguins")[0].stale


def test_removed_document_is_found_no_more_by_an_open_engine(manual):
    manual.index()
    engine = manual.engine()
    (manual.home / "docs/guide.md").unlink()
    manual.index()
    assert [d.path for d in engine.documents()] == ["docs/sub/notes.md"]
    assert engine.search("penguins", mode="lexical") == []


def test_removed_index_is_told_by_an_open_engine(manual):
    manual.index()
    engine = manual.engine()
    shutil.rmtree(manual.index_dir)
    with pytest.raises(IndexNotFoundError):
        engine.search("penguins")


def test_index_rebuilt_with_another_model_is_refused_by_an_open_engine(manual, make_embedder):
    manual.index()
    engine = manual.engine()
    manual.indexer(embedder=make_embedder("other")).rebuild(manual.home / "docs")
    with pytest.raises(IndexIncompatibleError):
        engine.search("penguins")


def test_engine_follows_two_rebuilds_between_two_queries(manual):
    manual.index()
    engine = manual.engine()
    assert len(engine.documents()) == 2
    manual.indexer().rebuild(manual.home / "docs")
    manual.write("docs/new.md", "---\ntags: [sea]\n---\n# Walrus\n\nTusks.\n")
    manual.indexer().rebuild(manual.home / "docs")
    assert [d.path for d in engine.documents()] == ["docs/guide.md", "docs/new.md", "docs/sub/notes.md"]
    assert [h.section.heading for h in engine.search("tusks", filters={"tags": "sea"})] == ["Walrus"]


def test_query_that_a_rebuild_overtakes_is_answered(manual, make_embedder):
    class Overtaken(make_embedder):
        def embed_query(self, text):
            manual.indexer(embedder=make_embedder()).rebuild(manual.home / "docs")
            return super().embed_query(text)

    manual.index()
    assert manual.engine(embedder=Overtaken()).search("penguins special crank")[0].section.heading == "Linux"


def test_update_between_question_and_answer_leaves_no_half_result(manual, make_embedder):
    class Overtaken(make_embedder):
        def embed_query(self, text):
            (manual.home / "docs/guide.md").unlink()
            manual.index()
            return super().embed_query(text)

    manual.index()
    hits = manual.engine(embedder=Overtaken()).search("penguins words")
    assert {h.section.document_path for h in hits} == {"docs/sub/notes.md"}


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"depth": 4}, "depth filter takes 0, 1, 2 or 3"),
        ({"depth": True}, "depth filter takes 0, 1, 2 or 3"),
        ({"depth": "1"}, "depth filter takes 0, 1, 2 or 3"),
        ({"path": " "}, "path filter takes text"),
        ({"tags": [3]}, "tags filter takes text"),
        ({"author": "x"}, "There is no filter 'author'"),
        ({"depth": [[1]]}, "depth"),
        ({"path": "\udcff"}, "path"),
    ],
)  # fmt: skip
def test_filter_that_makes_no_sense_is_refused(manual, filters, said):
    manual.index()
    with pytest.raises(QueryError, match=said):
        manual.engine().search("x", filters=filters)


def test_filters_that_allow_nothing_find_nothing(manual):
    manual.index()
    engine = manual.engine()
    for filters in (
        {"tags": "x' OR 1=1 --"},
        {"path": "%"},
        {"path": "docs_"},
        {"path": "*.txt"},
        {"depth": 3, "path": "docs/sub/"},
    ):
        assert engine.search("penguins widget", filters=filters) == []


def test_index_that_is_rebuilt_while_a_question_is_read_answers_it(medium, monkeypatch):
    expected = ids(medium.engine(once=True).search("amber cedar quartzz"))
    read, rebuilt = QueryEmbedder.query_of, []

    def rebuild_first(self, *given):
        if not rebuilt:
            rebuilt.append(medium.indexer().rebuild(medium.home / "docs"))
        return read(self, *given)

    monkeypatch.setattr(QueryEmbedder, "query_of", rebuild_first)
    assert ids(medium.engine(once=True).search("amber cedar quartzz")) == expected
    assert len(rebuilt) == 1
