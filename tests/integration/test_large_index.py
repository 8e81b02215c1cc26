"""An index that is searched by the table's own indexes answers as one that is held in memory, and mends itself."""

import re
import shutil

import pytest

import schema.storage.indexes
import schema.storage.maintenance
from schema.errors import QueryError
from schema.filters import Filters
from schema.index_files.layout import statistics_path, store_dir
from schema.index_files.statistics import StoredStatistics
from schema.requests import SearchRequest
from schema.storage import lance
from schema.storage.retrieval import Retrieval
from search.engine import SearchEngine
from search.sources.held import HeldSource
from search.sources.stored import TableSource
from tests.conftest import Project, WordEmbedder
from tests.lance_tables import lance_table
from tests.large import page, table_of

QUESTIONS = [
    "how does the amber birch reach the inlet",
    "cedar and quartz in the north",
    "Section 17",
    "section-40",
    "guide 3",
    "ridge jetti",  # a word nobody wrote
    "oce",  # the beginning of one
    '"delta ember"',
    '"delta ember" knoll',
    "全文検索の仕組み",
    "검색 안내",
    "zzzz",
]


def asked(project, monkeypatch, question, **options):
    """The ids that the table finds, and those that a source in memory finds."""
    found = []
    for kind, bound in ((TableSource, 100), (HeldSource, 1 << 30)):
        with monkeypatch.context() as patch:
            patch.setattr(schema.storage.indexes, "LARGE", bound)
            engine = project.engine()
            assert isinstance(engine.source(), kind)
            found.append([(hit.section.id, round(hit.score, 6)) for hit in engine.search(question, **options)])
    return found


def test_table_of_many_rows_has_its_indexes_and_a_small_one_has_not(large, tmp_path):
    assert large.engine().source().__class__ is TableSource
    assert table_of(large).indexes.missing() == []
    other = Project(tmp_path / "other", WordEmbedder())
    other.write("docs/a.md", "# A\n\nWords.\n")
    other.index()
    assert other.engine().source().__class__ is HeldSource


def test_process_that_asks_once_is_answered_by_the_table_where_one_that_asks_often_holds_it(medium):
    once, often = medium.engine(once=True), medium.engine()
    found = [[hit.section.id for hit in engine.search("amber cedar quartz", limit=20)] for engine in (once, often)]
    assert [type(engine.source()) for engine in (once, often)] == [TableSource, HeldSource]
    assert found[0] == found[1]
    assert len(found[0]) == 20


def test_table_too_small_for_its_indexes_is_held_by_a_process_that_asks_once(medium, monkeypatch):
    monkeypatch.setattr(schema.storage.indexes, "WITH_TERMS", 5_000)
    assert isinstance(medium.engine(once=True).source(), HeldSource)


def test_process_that_asks_once_follows_an_edit(medium):
    engine = medium.engine(once=True)
    engine.search("amber")
    medium.write("docs/new.md", "# New\n\nThe vermilion kite.\n")
    medium.index()
    assert engine.search("vermilion kite")[0].section.document_path == "docs/new.md"
    assert isinstance(engine.source(), TableSource)


def test_index_with_as_many_sections_as_that_has_an_index_of_terms_and_none_of_vectors(medium):
    for column in ("terms", "window_vectors"):
        lance_table(store_dir(medium.index_dir)).drop_index(f"{column}_idx")
    medium.index()
    assert schema.storage.indexes.large_indexes(lance_table(store_dir(medium.index_dir))) == ["terms"]


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_same_ten_are_found_by_the_table_and_in_memory(large, monkeypatch, question, mode):
    by_table, held = asked(large, monkeypatch, question, mode=mode)
    assert by_table == held


@pytest.mark.parametrize(
    "filters",
    [
        {"path": "docs/part1/"},
        {"path": "**/page1*.md"},
        {"path": ["docs/part2/", "!docs/part2/page2.md"]},
        {"tags": "part/1"},
        {"tags": "part"},
        {"fields": {"status": "draft"}},
        {"depth": [1]},
        {"language": "en"},
        {"language": ["ja", "ko-KR"]},
        {"clean": True},
        {"since": "1d"},
        {"since": "2990-01-01"},
        {"path": "docs/part1/", "tags": "part/2", "depth": 2},
        {"title": "guide"},
        {"title": ["section 7", "検索 案内", "guide 12"]},
        {"title": "nowhere"},
        {"without": "amber"},
        {"without": ["delta ember", "quartz", "全文検索", "검색 안내"]},
        {"without": "!?"},
        {"without_path": ["docs/part1/", "**/page2*.md"]},
        {"without_tags": "part/1", "title": "section", "without": "cedar"},
        SearchRequest(query="x path:docs/part1/ title:section -tag:part/2", filters=Filters(path=("docs/",))).parsed.filters,
        {"path": "nowhere/"},
    ],
    ids=str,
)
def test_filters_leave_the_same_sections_of_a_large_index(large, monkeypatch, filters):
    by_table, held = asked(large, monkeypatch, "the amber ridge 検索 검색", filters=filters, limit=40)
    assert by_table == held


@pytest.mark.parametrize("query", ["path:docs/part1/", "title:section -tag:part/1 depth:2", 'lang:ja -"全文"', "path:no/"])
def test_fields_alone_list_the_same_sections_of_a_large_index(large, monkeypatch, query):
    by_table, held = asked(large, monkeypatch, query, limit=30, offset=2)
    assert by_table == held
    assert bool(held) == (not query.startswith(("path:no", "lang")))


def test_words_to_leave_out_are_looked_for_among_what_a_search_of_a_large_index_finds(large, monkeypatch):
    monkeypatch.setattr("search.sources.stored.MOST_LOOKED_UP", 0)
    by_table, held = asked(large, monkeypatch, 'the amber ridge -quartz -"delta ember"', limit=30)
    assert by_table == held
    assert held
    with pytest.raises(QueryError, match="Too many sections have the words of section to look at them all"):
        large.engine().search("amber title:section")
    with pytest.raises(QueryError, match="Too many sections have the words of amber to look at them all"):
        large.engine().search("-amber path:docs/")


def test_more_of_a_large_index_is_read_where_nearly_all_that_is_found_is_left_out(large, monkeypatch):
    monkeypatch.setattr("search.sources.stored.BY_WORDS", 2)
    monkeypatch.setattr("search.sources.stored.BY_VECTOR", 2)
    by_table, held = asked(large, monkeypatch, "section amber -amber", limit=3, mode="lexical")
    assert by_table == held
    assert len(held) == 3


def test_title_of_too_many_sections_of_a_large_index_is_refused(large, monkeypatch):
    monkeypatch.setattr("search.sources.stored.MOST_TITLED", 40)
    assert large.engine().search('amber title:"guide 3"')
    with pytest.raises(QueryError, match="Too many sections have the words of guide to look at them all"):
        large.engine().search("amber title:guide")


def test_ids_are_found_by_their_beginnings_in_a_large_index(large):
    source = large.engine().source()
    ids = sorted(section.id for section in source.survey.sections(range(source.survey.rows)))
    for digits in (1, 2, 24):
        assert source.ids_from(ids[9][:digits], 500) == [each for each in ids if each.startswith(ids[9][:digits])]
    assert source.ids_from("f" * 24, 5) == []


def test_pages_of_a_large_index_follow_each_other_without_gap(large):
    engine = large.engine()
    whole = [hit.section.id for hit in engine.search("amber birch inlet", limit=60, mode="lexical")]
    parts = [
        hit.section.id
        for start in range(0, 60, 10)
        for hit in engine.search("amber birch inlet", limit=10, offset=start, mode="lexical")
    ]
    assert len(whole) == len(set(whole)) == 60
    assert parts == whole


@pytest.fixture
def few_candidates(monkeypatch):
    """Few sections are ranked for a page, and those after the tenth row are of the ranking of more."""
    for name, value in {
        "search.ranking.folding.BLOCK": 5,
        "search.sources.stored.FIRST_ROWS": 10,
        "search.engine.FIRST_ROWS": 10,
        "search.sources.stored.BY_WORDS": 20,
        "search.sources.stored.BY_VECTOR": 15,
        "search.sources.stored._WITH_VECTORS": 10,
    }.items():
        monkeypatch.setattr(name, value)


@pytest.mark.parametrize(
    "options", [{}, {"mode": "lexical", "prefer_recent": "30d"}, {"filters": {"without": "quartz"}}], ids=str
)
def test_every_hit_of_a_large_index_is_on_one_page_and_in_one_group(large, few_candidates, options):
    for number in range(8):
        large.write(f"docs/copy/{number}.md", page(number))
    large.index()
    engine = large.engine()
    assert isinstance(engine.source(), TableSource)
    for fold in (False, True):
        whole = engine.search("amber birch of the inlet", limit=1000, fold=fold, **options)
        ids = [each for hit in whole for each in (hit.section.id, *(other.id for other in hit.similar))]
        assert len(ids) == len(set(ids)) > 60
        assert any(hit.similar for hit in whole) == fold
        for limit in (4, 70):  # the tenth row is within a page of both
            for offset in range(0, 4 * limit, limit):
                hits = engine.search("amber birch of the inlet", limit=limit, offset=offset, fold=fold, **options)
                expected = whole[offset : offset + limit]
                assert [(hit.section.id, hit.similar) for hit in hits] == [(hit.section.id, hit.similar) for hit in expected]


def test_edited_section_of_a_large_index_is_found_at_once_by_words_and_vector(large):
    engine = large.engine()
    engine.search("amber")
    large.write("docs/part1/page1.md", "# Guide 1\n\n## Walrus\n\nA walrus sleeps on the wharf.\n")
    large.index()
    assert engine.search("walrus wharf", mode="lexical")[0].section.heading == "Walrus"
    assert engine.search("walrus wharf sleeps", mode="dense")[0].section.heading == "Walrus"
    assert engine.search("Section 9", mode="lexical")[0].section.heading != "Section 9"


def test_removed_document_of_a_large_index_is_not_found_any_more(large):
    engine = large.engine()
    assert engine.search("全文検索の仕組み")[0].section.document_path == "docs/ja.md"
    (large.home / "docs/ja.md").unlink()
    large.index()
    assert all(hit.section.document_path != "docs/ja.md" for hit in engine.search("全文検索の仕組み"))


def test_page_stands_before_a_collection_of_which_few_sections_are_found(large, monkeypatch):
    text = "The vermilion kite " + " ".join(f"word{n}" for n in range(30))
    large.write("docs/kite.md", f"# Kite\n\n{text}.\n")
    large.write("docs/all.md", f"# Kite\n\n{text}.\n" + "".join(f"\n## Other {n}\n\nNothing {n}.\n" for n in range(9)))
    large.index()
    monkeypatch.setattr("search.sources.stored.BY_WORDS", 3)
    monkeypatch.setattr("search.sources.stored.BY_VECTOR", 3)
    engine = large.engine()
    assert isinstance(engine.source(), TableSource)
    assert engine.search("vermilion kite", fold=True)[0].section.document_path == "docs/kite.md"


def test_sections_of_older_versions_stand_behind_the_newest_in_a_large_index_too(large, monkeypatch):
    for folder in ("", "v2/", "v3/"):
        large.write(f"docs/{folder}kite.md", "# Kite\n\nThe vermilion kite flies.\n")
    large.index()
    by_table, held = asked(large, monkeypatch, "vermilion kite flies", limit=3)
    assert by_table == held
    hits = large.engine().search("vermilion kite flies", limit=3)
    assert hits[0].section.document_path == "docs/kite.md"
    hits = large.engine().search("vermilion kite flies in v2", limit=3)
    assert hits[0].section.document_path == "docs/v2/kite.md"


def test_terms_that_each_question_reads_are_stored_without_compression(large):
    field = lance_table(store_dir(large.index_dir)).schema.field("terms")
    assert field.metadata == {b"lance-encoding:compression": b"none"}


def test_section_outline_documents_and_translations_of_a_large_index_are_those_in_memory(large, monkeypatch):
    large.write("docs/en/intro.md", "# Intro\n\nThe words of the house.\n")
    large.write("docs/ja/intro.md", "# 紹介\n\nこの家の言葉です。\n")
    large.index()
    told = []
    for bound in (100, 1 << 30):
        monkeypatch.setattr(schema.storage.indexes, "LARGE", bound)
        engine = large.engine()
        hit = engine.search("cedar quartz")[0]
        told.append((
            engine.get_section(hit.section.id),
            engine.get_section("nosuch"),
            engine.outline("docs/part1/page1.md"),
            engine.outline("docs/none.md"),
            engine.documents(),
            engine.translations("docs/en/intro.md"),
            engine.read(lambda source: [source.sections_of(path) for path in ("docs/part1/page1.md", "docs/none.md")]),
        ))  # fmt: skip
    assert told[0] == told[1]
    assert [other.path for other in told[0][-2]] == ["docs/ja/intro.md"]


def test_large_table_without_its_index_of_terms_is_read_whole_and_mended_by_the_next_run(large):
    lance_table(store_dir(large.index_dir)).drop_index("terms_idx")
    engine = large.engine()
    assert isinstance(engine.source(), HeldSource)
    assert engine.search("cedar quartz")
    large.index()
    assert isinstance(large.engine().source(), TableSource)


def test_large_table_whose_index_files_are_gone_is_read_whole_and_mended_by_the_next_run(large):
    expected = [hit.section.id for hit in large.engine().search("cedar quartz")]
    shutil.rmtree(store_dir(large.index_dir) / "sections.lance" / "_indices")
    engine = large.engine()
    assert isinstance(engine.source(), HeldSource)
    assert [hit.section.id for hit in engine.search("cedar quartz")] == expected
    large.index()
    assert isinstance(large.engine().source(), TableSource)


def test_large_table_without_statistics_is_read_whole_until_the_next_run(large):
    statistics_path(store_dir(large.index_dir)).unlink()
    assert isinstance(large.engine().source(), HeldSource)
    large.index()
    assert isinstance(large.engine().source(), TableSource)


def test_verify_tells_a_dropped_index_and_repair_makes_it_again(large):
    lance_table(store_dir(large.index_dir)).drop_index("terms_idx")
    told = large.indexer().verify()
    assert [each.detail for each in told.differences] == ["terms has no index, which a table of this size has"]
    assert large.indexer().verify(repair=True).repaired
    assert large.indexer().verify().differences == ()


def test_verify_tells_a_term_that_the_index_does_not_find(large, monkeypatch):
    real = lance.MatchQuery
    monkeypatch.setattr(lance, "MatchQuery", lambda term, column: real("nosuch" if term == "==Section_17" else term, column))
    told = [each.detail for each in large.indexer().verify().differences]
    assert len(told) == 1
    assert re.fullmatch(r"terms does not find 1 of \d+ sections by their names", told[0])


def test_answer_is_given_from_the_next_version_where_the_files_of_one_go_away(large):
    engine = large.engine()
    source = engine.source()
    assert isinstance(source, TableSource)
    large.write("docs/part1/page1.md", "# Guide 1\n\n## Walrus\n\nA walrus sleeps on the wharf.\n")
    large.indexer().rebuild(large.home / "docs")
    assert engine.search("walrus")[0].section.heading == "Walrus"


def test_a_term_is_held_also_where_statistics_do_not_know_it_yet(large, monkeypatch):
    large.write("docs/part1/page1.md", "# Guide 1\n\n## Walrus\n\nA walrus sleeps on the wharf.\n")
    large.index()
    source = large.engine().source()
    assert isinstance(source, TableSource)
    assert (source.holds("walrus"), source.holds("wombat")) == (True, False)
    monkeypatch.setattr(StoredStatistics, "frequencies", lambda self, terms: {})
    assert (source.holds("walrus"), source.holds("wombat")) == (True, False)


def test_share_of_sections_in_a_language_is_the_same_for_a_large_index(large, monkeypatch):
    large.write("docs/ja.md", "# 検索\n\n全文検索の仕組みを説明します。\n\n## 索引\n\n索引を作ります。\n")
    large.write("docs/ko.md", "# 당면 삶기\n\n당면은 6분 삶고 찬물에 헹굼.\n")
    large.index()
    shares = []
    for bound in (100, 1 << 30):
        monkeypatch.setattr(schema.storage.indexes, "LARGE", bound)
        source = large.engine().source()
        rows = len(source.first_keys(10_000))
        shares.append([round(source.share_of_languages(some) * rows) for some in (["ja"], ["ko"], ["zh", "ja"], ["fr"])])
    assert shares == [[2, 1, 2, 0]] * 2


def test_texts_with_a_term_are_found_in_a_large_index_too(large, monkeypatch):
    large.write("docs/walrus.md", "# Walrus\n\n## Sleep\n\nWalruses sleep.\n")
    large.index()
    for bound in (100, 1 << 30):
        monkeypatch.setattr(schema.storage.indexes, "LARGE", bound)
        source = large.engine().source()
        assert any("Walruses sleep." in text and "# Sleep" in text for text in source.texts_with("walrus"))
        assert len(list(source.texts_with("amber"))) == 30
        assert list(source.texts_with("wombat")) == []


def test_question_reads_some_hundreds_of_sections_whatever_the_size(large, monkeypatch):
    from search.sources import stored as table_source

    monkeypatch.setattr(table_source, "BY_WORDS", 20)
    monkeypatch.setattr(table_source, "BY_VECTOR", 10)
    engine = SearchEngine(large.index_dir, embedder=large.embedder)
    sizes = []
    real = table_source.IndexSnapshot.of
    monkeypatch.setattr(
        table_source.IndexSnapshot, "of", lambda table, **given: (sizes.append(table.num_rows), real(table, **given))[1]
    )
    assert len(engine.search("the amber ridge")) == 10
    assert sizes
    assert max(sizes) <= 2 * 20 + 3 * 20


def test_page_beyond_what_anybody_reads_is_empty_and_reads_no_more(large, few_candidates, monkeypatch):
    from search.sources import stored as table_source

    monkeypatch.setattr(table_source, "MOST", 30)
    asked = []
    real = Retrieval.matching
    monkeypatch.setattr(
        Retrieval, "matching", lambda self, weights, **given: (asked.append(given["most"]), real(self, weights, **given))[1]
    )
    assert large.engine().search("the amber ridge", mode="lexical", offset=1_000_000) == []
    assert len(large.engine().search("the amber ridge", mode="lexical", limit=100)) == 30
    assert asked == [20, 30, 20, 30]
