"""The sections that are like one, from a small index and from a large one."""

import pytest

import schema.storage.indexes
from schema.errors import NotIndexedError, QueryError
from search.sources.held import HeldSource
from search.sources.stored import TableSource

KEYS = "A signing key is rotated every month. The old key stays valid for a day, so that running jobs can finish their work."
PAGES = {
    "docs/keys.md": f"# Keys\n\n## Rotation\n\n{KEYS}\n\n## Loss\n\nA lost signing key is revoked. Every job stops until a new key is made.\n",
    "docs/all.md": f"# Everything\n\n{KEYS} Besides, apples are red, and bananas are yellow, and the sea is deep and blue and cold.\n"
    "Penguins walk over the ice and swim in the water below it, where fish are many and whales few.\n",
    "docs/copy.md": f"# Key rotation\n\n{KEYS}\n",
    "docs/fruit.md": "# Fruit\n\nApples keep until spring. Bananas do not keep.\n",
    "docs/ja.md": "# 鍵\n\n## 署名鍵の交換\n\n署名鍵は毎月交換します。古い鍵は一日だけ有効です。\n\n## 署名鍵の紛失\n\n紛失した署名鍵は失効させます。\n\n"
    "## 果物\n\n林檎は赤い。\n",
    "docs/ko.md": "# 열쇠\n\n## 서명 키 교체\n\n서명 키는 매달 교체합니다. 이전 키는 하루 동안 유효합니다.\n\n## 서명 키 분실\n\n분실한 서명 키는 폐기합니다.\n\n"
    "## 과일\n\n사과는 빨갛다.\n",
}


@pytest.fixture
def keys(project):
    for path, text in PAGES.items():
        project.write(path, text)
    project.index()
    return project


def names(hits):
    return [f"{hit.section.document_path}#{hit.section.anchor}" for hit in hits]


def test_the_section_its_copy_and_what_only_contains_it_are_left_out(keys):
    found = names(keys.engine().similar("docs/keys.md#rotation"))
    assert found[0] == "docs/keys.md#loss"
    assert not {"docs/keys.md#rotation", "docs/copy.md#key-rotation", "docs/all.md#everything", "docs/keys.md#keys"} & set(
        found
    )


def test_a_section_is_named_by_its_id_or_its_anchor(keys):
    engine = keys.engine()
    by_anchor = engine.similar("docs/keys.md#rotation")
    (row,) = [one for one in keys.stored().values() if one.section.anchor == "rotation"]
    assert names(engine.similar(row.section.id)) == names(by_anchor)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [("docs/ja.md#署名鍵の交換", "docs/ja.md#署名鍵の紛失"), ("docs/ko.md#서명-키-교체", "docs/ko.md#서명-키-분실")],
)
def test_words_decide_where_the_model_does_not_know_the_language(keys, reference, expected):
    found = keys.engine().similar(reference)
    assert names(found)[0] == expected
    assert {name for hit in found for name in hit.scores} == {"lexical"}


def test_hits_are_as_alike_as_they_say_and_nothing_is_embedded(keys):
    engine = keys.engine()
    before = len(keys.embedder.embedded)
    hits = engine.similar("docs/keys.md#rotation", limit=2)
    assert len(hits) == 2
    assert all(0 < hit.relevance <= 1 and 0 <= hit.score <= 1 for hit in hits)
    assert hits[0].relevance == max(hit.relevance for hit in hits)
    assert hits[0].snippet is not None
    assert hits[0].matches
    assert hits[0].context.ancestors
    assert len(keys.embedder.embedded) == before


def test_near_duplicates_of_each_other_are_one_hit(keys):
    keys.write("docs/one.md", "# Key loss\n\nA lost signing key is revoked. Every job stops until a new key is made.\n")
    keys.index()
    (hit, *_) = keys.engine().similar("docs/keys.md#rotation")
    assert (len(hit.similar), {one.document_path for one in hit.similar} | {hit.section.document_path}) == (
        1,
        {"docs/keys.md", "docs/one.md"},
    )


def test_filters_choose_among_the_similar_sections(keys):
    assert names(keys.engine().similar("docs/keys.md#rotation", filters={"path": "docs/fruit.md"})) == [
        "docs/fruit.md#fruit"
    ]
    assert keys.engine().similar("docs/keys.md#rotation", filters={"path": "nowhere/"}) == []


def test_a_section_without_a_vector_is_compared_by_words(keys):
    keys.write("docs/new.md", "# New\n\nThe signing key is rotated by hand.\n")
    keys.indexer().scan(keys.home / "docs")
    found = keys.engine().similar("docs/new.md#new")
    assert "docs/keys.md#rotation" in names(found)[:2]
    assert "lexical" in found[0].scores
    assert "dense" not in found[0].scores


def test_a_section_that_is_not_there_is_told(keys):
    engine = keys.engine()
    for reference in ["docs/none.md", "docs/keys.md#none", "f" * 24, "", "#", "../../etc/passwd", "\ud800#\0"]:
        with pytest.raises(NotIndexedError):
            engine.similar(reference)


def test_wrong_limits_and_filters_are_refused(keys):
    for limit in (0, 101, -1):
        with pytest.raises(ValueError, match="limit must be a whole number from 1 to 100"):
            keys.engine().similar("docs/keys.md", limit=limit)
    with pytest.raises(QueryError):
        keys.engine().similar("docs/keys.md", filters={"depth": 9})


def test_a_large_index_finds_the_same_as_one_in_memory(large, monkeypatch):
    found = []
    for kind, bound in ((TableSource, 100), (HeldSource, 1 << 30)):
        with monkeypatch.context() as patch:
            patch.setattr(schema.storage.indexes, "LARGE", bound)
            engine = large.engine()
            assert isinstance(engine.source(), kind)
            for reference in ("docs/part1/page1.md#section-7", "docs/part2/page2.md", "docs/ja.md#全文検索", "docs/ko.md"):
                for filters in ({}, {"path": "docs/part1/"}, {"depth": [1]}, {"language": "ja"}):
                    hits = engine.similar(reference, filters=filters)
                    told = [(hit.section.id, round(hit.score, 6), hit.relevance, hit.similar, hit.snippet) for hit in hits]
                    found.append((reference, filters, told))
    assert found[:16] == found[16:]
    assert all(told for _, filters, told in found if not filters)
