"""Searching a real table: hits, their context, paging, marks and updates."""

import pickle
from pathlib import Path

import pytest

from schema.errors import IndexIncompatibleError, IndexNotFoundError, QueryError
from schema.settings import Settings


@pytest.fixture
def indexed(indexed_manual):
    return indexed_manual


def names(hits):
    return [hit.section.heading for hit in hits]


def test_hit_has_place_path_and_exact_text(indexed):
    hit = indexed.engine().search("penguins special crank")[0]
    section = hit.section
    assert (section.document_path, section.heading_path, section.document_title) == (
        "docs/guide.md",
        ("Guide", "Install", "Linux"),
        "The Guide",
    )
    lines = (indexed.home / "docs/guide.md").read_text().splitlines(keepends=True)
    assert "".join(lines[section.start_line - 1 : section.end_line]) == section.content
    assert section.tags == ("guide", "API")
    assert 0 < hit.score <= 1
    assert set(hit.scores) == {"dense", "section_vector", "lexical", "sentence", "passage"}


def test_hit_has_ancestors_neighbours_and_children(indexed):
    hit = indexed.engine().search("turn the crank", filters={"depth": 2})[0]
    assert [a.heading for a in hit.ancestors] == ["Guide"]
    assert (hit.previous.heading, hit.next.heading, [c.heading for c in hit.children]) == ("Guide", "Linux", ["Linux"])
    assert (hit.summary, hit.document_summary) == (None, None)


def test_window_is_the_best_part_of_the_content(project, make_embedder):
    project.embedder = make_embedder(max_tokens=16)
    project.write("docs/a.md", "# A\n\n" + "apple " * 30 + "\n\nzebra zebra zebra\n\n" + "pear " * 30)
    project.index()
    hit = project.engine().search("zebra", mode="dense")[0]
    assert "zebra" in hit.section.content[hit.window.start : hit.window.end]


def test_section_of_headings_and_links_alone_is_not_found_by_its_vector(project):
    project.write("docs/a.md", "# Zebra\n\n[zebra](b.md)\n\n## Stripes\n\nA zebra has stripes.\n")
    project.index()
    assert [hit.section.heading for hit in project.engine().search("zebra", mode="dense")] == ["Stripes"]
    assert project.engine().search("zebra", mode="hybrid")[0].section.heading == "Zebra"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_window_stands_where_the_file_has_it_whatever_ends_its_lines(project, make_embedder, line_end):
    project.embedder = make_embedder(max_tokens=16)
    text = "# A\n\n" + "apple\n\n" * 60 + "zebra zebra zebra\n\n" + "pear\n\n" * 60
    project.write("docs/a.md", text.replace("\n", line_end))
    project.index()
    hit = project.engine().search("zebra", mode="dense")[0]
    assert "zebra zebra zebra" in hit.section.content[hit.window.start : hit.window.end]


@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
def test_scores_fall_in_every_mode(indexed, mode):
    scores = [hit.score for hit in indexed.engine().search("the crank of the widget", mode=mode)]
    assert scores == sorted(scores, reverse=True)
    assert scores


def test_pages_are_disjoint_and_together_the_whole(indexed):
    engine = indexed.engine()
    whole = names(engine.search("the widget", limit=6))
    assert names(engine.search("the widget", limit=2)) + names(engine.search("the widget", limit=4, offset=2)) == whole
    assert engine.search("the widget", offset=500) == []


@pytest.mark.parametrize(("query", "heading"), [("検索", "検索エンジン"), ("검색", "검색 안내")])
def test_words_decide_where_the_model_knows_nothing(indexed, query, heading):
    hit = indexed.engine().search(query)[0]
    assert (hit.section.heading, set(hit.scores), hit.window) == (heading, {"lexical", "sentence", "passage"}, None)


def test_filters_narrow_the_search(indexed):
    engine = indexed.engine()
    assert {h.section.document_path for h in engine.search("the", filters={"path": "docs/sub/"})} <= {"docs/sub/notes.md"}
    assert {h.section.document_path for h in engine.search("crank words", filters={"tags": "api"})} == {"docs/guide.md"}


@pytest.mark.parametrize("query", ["", " \n\t", "\u3000"])
def test_blank_query_is_refused(indexed, query):
    with pytest.raises(QueryError, match="empty"):
        indexed.engine().search(query)


@pytest.mark.parametrize("options", [{"limit": 0}, {"offset": -1}, {"mode": "fuzzy"}])
def test_impossible_options_are_mistakes_of_the_caller(indexed, options):
    with pytest.raises(ValueError, match="must be"):
        indexed.engine().search("x", **options)


@pytest.mark.parametrize(
    "query", ['"', "a AND (b", "x' OR 1=1 --", "🎉", "?!", "\x00", "a", "word " * 2000, "<script>", "\ud800"]
)
def test_no_query_raises(indexed, query):
    assert isinstance(indexed.engine().search(query), list)


def test_stale_tells_a_changed_and_a_deleted_file(indexed):
    engine = indexed.engine()
    assert not engine.search("penguins")[0].stale
    with (indexed.home / "docs/guide.md").open("a") as stream:
        stream.write("more\n")
    changed = engine.search("penguins")[0]
    (indexed.home / "docs/guide.md").unlink()
    gone = engine.search("penguins")[0]
    assert [(hit.stale, hit.gone) for hit in (changed, gone)] == [(True, False), (True, True)]


@pytest.mark.parametrize("change", [Path.unlink, lambda file: file.write_text("# Tides\n\nSomething else.\n")])
def test_a_copy_whose_file_is_as_it_was_indexed_stands_for_one_that_is_gone_or_changed(indexed, change):
    tides = "# Tides\n\nThe moon pulls the sea twice a day, and spring tides follow when the sun helps it along.\n"
    for name in ("tides-a.md", "tides-b.md"):
        indexed.write(f"docs/{name}", tides)
    indexed.index()
    engine = indexed.engine()
    (before,) = engine.search("spring tides", limit=1, fold=True)
    change(indexed.home / before.section.document_path)
    (after,) = engine.search("spring tides", limit=1, fold=True)
    assert (before.stale, after.stale) == (False, False)
    assert [one.document_path for one in after.similar] == [before.section.document_path]


def test_without_a_manifest_nothing_is_called_stale(indexed):
    (indexed.index_dir / "store" / "ledger.sqlite").unlink()
    assert not indexed.engine().search("penguins")[0].stale


def test_engine_follows_an_update(indexed):
    engine = indexed.engine()
    indexed.write("docs/new.md", "# Walrus\n\nTusks.\n")
    indexed.index()
    assert names(engine.search("walrus tusks"))[0] == "Walrus"


def test_engine_follows_a_rebuild(indexed):
    engine = indexed.engine()
    indexed.write("docs/new.md", "# Walrus\n\nTusks.\n")
    indexed.indexer().rebuild(indexed.home / "docs")
    assert names(engine.search("walrus tusks"))[0] == "Walrus"


def test_section_is_found_by_id_with_its_context(indexed):
    engine = indexed.engine()
    hit = engine.search("penguins")[0]
    same = engine.get_section(hit.section.id)
    assert (same.section, [a.heading for a in same.ancestors]) == (hit.section, ["Guide", "Install"])
    assert engine.get_section("x") is None


def test_hits_of_an_engine_are_pickled(indexed):
    hits = indexed.engine().search("penguins")
    assert pickle.loads(pickle.dumps(hits)) == hits


def test_outline_is_in_reading_order(indexed):
    engine = indexed.engine()
    outline = engine.outline("docs/guide.md")
    assert [(link.heading, link.depth) for link in outline] == [
        ("Guide", 1), ("Install", 2), ("Linux", 3), ("Empty parent", 2), ("First child", 3), ("Second child", 3),
    ]  # fmt: skip
    assert engine.outline("nothing.md") == []


def test_same_page_in_other_languages_is_told_with_its_title(project):
    project.write("docs/en/key.md", "# The key\n\nThe key of the house is under the mat.\n")
    project.write("docs/ja/key.md", "# 鍵\n\n家の鍵はマットの下にあります。\n")
    project.index()
    told = [(one.path, one.title, one.language) for one in project.engine().translations("docs/en/key.md")]
    assert told == [("docs/ja/key.md", "鍵", "ja")]
    assert project.engine().translations("nothing.md") == []


@pytest.fixture
def bilingual(project):
    project.write("docs/a.md", "# Tools\n\nThe keytool of the house turns it, and the keytool is the only one that can.\n")
    project.write("docs/b.md", "# 道具\n\nこの家ではすべて keytool という道具で回します。\n")
    rooms = "The house has a room of that kind. " * 20
    project.write("docs/c.md", f"# Rooms\n\n{rooms}No keytool is in it. {rooms}\n")
    project.index()
    return project


def test_own_language_passes_others_that_answer_about_as_well_if_asked_for(bilingual):
    question = "keytool はどこで使いますか"
    engine = bilingual.engine()
    assert names(engine.search(question)) == ["Tools", "Rooms", "道具"]
    assert names(engine.search(question, prefer_own_language=True)) == ["Tools", "道具", "Rooms"]
    assert names(bilingual.engine(settings=Settings(prefer_own_language=True)).search(question)) == [
        "Tools",
        "道具",
        "Rooms",
    ]


def test_what_the_preference_takes_is_told_among_the_parts(bilingual):
    best, own, other = bilingual.engine().search("keytool はどこで使いますか", prefer_own_language=True)
    assert "language" not in own.parts
    assert best.parts["language"] < other.parts["language"] < 0
    assert sum(best.parts.values()) == pytest.approx(best.score)


def test_question_in_no_telling_language_prefers_none(bilingual):
    hits = bilingual.engine().search("keytool", prefer_own_language=True)
    assert len(hits) == 3
    assert not any("language" in hit.parts for hit in hits)


def test_documents_are_listed(indexed):
    assert [(d.path, d.title, d.section_count) for d in indexed.engine().documents()] == [
        ("docs/guide.md", "The Guide", 6),
        ("docs/sub/notes.md", "検索エンジン", 3),
    ]


def test_missing_index_is_told(project):
    with pytest.raises(IndexNotFoundError):
        project.engine()


def test_index_of_another_model_is_refused(indexed, make_embedder):
    with pytest.raises(IndexIncompatibleError):
        indexed.engine(embedder=make_embedder("other"))


def test_search_on_an_empty_index_finds_nothing(project):
    project.write("docs/a.md", "\n")
    project.index()
    assert project.engine().search("anything") == []


def test_words_that_no_section_has_find_nothing_where_the_own_language_is_preferred(project):
    project.write("docs/en.md", "# Guide\n\nHow the gateway keeps its batches.\n")
    project.write("docs/ja.md", "# 手引き\n\nゲートウェイはバッチを保持します。\n")
    project.index()
    found = project.engine().search("qqzzxx the", mode="lexical", prefer_own_language=True)
    assert [hit.section.heading for hit in found] in ([], ["Guide"])
    assert project.engine().search("qqzzxxqq", mode="lexical", prefer_own_language=True) == []
