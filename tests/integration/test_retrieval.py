"""What a search finds, in which order, and why: words, phrases, guesses, filters, pages, explanations, packs."""

import os
import time

import numpy as np
import pytest

from schema.errors import QueryError
from schema.settings import Settings


def headings(hits):
    return [hit.section.heading for hit in hits]


@pytest.fixture
def library(project, copied):
    return copied(many_kinds, project)


def many_kinds(project):
    project.write(
        "docs/keys.md",
        "---\ntags: [api]\nstatus: Draft\nowner: {team: core}\n---\n# Keys\n\nRotate a key now.\n\n## Old keys\n\nRetire the key.\n",
    )
    project.write(
        "docs/letters.md",
        "---\nlang: en-GB\nstatus: final\ndraft: true\n---\n# Letters\n\nA dead letter waits.\n\n## Queues\n\nThe letter is dead.\n",
    )
    project.write("docs/ja/search.md", "# 検索する\n\n全文を検索します。\n")
    project.write("docs/ko/search.md", "# 검색 안내\n\n문서를 검색합니다.\n")
    project.write("docs/a_b/flags.md", "# Flags\n\nUse `--time-budget 15m` and max_tokens_per_section.\n")
    project.write("docs/axb/other.md", "# Other\n\nNothing of the kind. Time flies.\n")
    project.index()


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("検索", "検索する"),
        ("검색", "검색 안내"),
        ("--time-budget", "Flags"),
        ("max_tokens_per_section", "Flags"),
        ("tokens per section", "Flags"),
        ("rotating keys", "Keys"),
        ("rotaet", "Keys"),
        ("retir", "Old keys"),
        ("a_b/flags.md", "Flags"),
    ],
)
def test_words_are_found_in_the_language_and_form_they_have(library, query, heading):
    assert headings(library.engine().search(query, mode="lexical"))[0] == heading


@pytest.mark.parametrize("page", ["billing-rules", "mail", "search"])
def test_section_is_named_by_its_heading_and_the_name_of_its_file(project, page):
    titles = {"billing-rules": "What we charge", "mail": "Letters", "search": "Finding text"}
    for name, title in titles.items():
        others = " ".join(other.replace("-", " ") for other in titles if other != name)
        said = f"Read {others} too."
        project.write(f"docs/{name}.md", f"# {title}\n\nText.\n\n## Requirements\n\n{said}\n")
    project.index()
    found = project.engine().search(f"{page.replace('-', ' ')} requirements", mode="lexical")[0].section
    assert (found.document_path, found.heading) == (f"docs/{page}.md", "Requirements")


def test_quoted_words_must_stand_so(library):
    engine = library.engine()
    assert set(headings(engine.search("dead letter"))) >= {"Letters", "Queues"}
    assert headings(engine.search('"dead letter"')) == ["Letters"]


def test_quotes_that_no_section_has_count_as_words(library):
    assert {"Letters", "Queues"} <= set(headings(library.engine().search('"letter dead"')))


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"path": "docs/a_b/"}, ["Flags"]),
        ({"path": "/docs/a_b/"}, ["Flags"]),
        ({"path": "./docs/a_b/"}, ["Flags"]),
        ({"path": "docs/a%"}, []),
        ({"path": "docs/a?b/*"}, ["Flags", "Other"]),
        ({"path": ["docs/ja/", "**/flags.md"]}, ["Flags", "検索する"]),
        ({"tags": "API"}, ["Keys", "Old keys"]),
        ({"tags": "x' OR 1=1 --"}, []),
        ({"tags": "api", "depth": 2}, ["Old keys"]),
        ({"fields": {"status": "draft"}}, ["Keys", "Old keys"]),
        ({"fields": ["status=draft", "status=final"], "depth": 1}, ["Keys", "Letters"]),
        ({"fields": {"owner.team": "core", "status": "final"}}, []),
        ({"fields": {"owner.team": "core"}, "depth": 1}, ["Keys"]),
        ({"fields": {"draft": True}, "depth": 1}, ["Letters"]),
        ({"fields": {"missing": "x"}}, []),
        ({"language": "ja"}, ["検索する"]),
        ({"language": ["ko", "JA"]}, ["検索する", "검색 안내"]),
        ({"language": "en", "path": "docs/letters.md"}, ["Letters", "Queues"]),
        ({"clean": True, "path": "docs/a_b/"}, ["Flags"]),
    ],
)
def test_filters_leave_just_what_they_say(library, filters, found):
    query = "key letter 検索 검색 flags time dead"
    for mode in ("hybrid", "dense"):
        assert sorted(headings(library.engine().search(query, limit=50, mode=mode, filters=filters))) == found


def test_since_goes_by_the_files_time(library):
    old = time.time() - 30 * 86_400
    os.utime(library.home / "docs/keys.md", (old, old))
    library.index()
    engine = library.engine()
    assert "Keys" not in headings(engine.search("key", filters={"since": "7d"}))
    assert "Keys" in headings(engine.search("key", filters={"since": "2001-02-03"}))


def test_since_finds_what_was_read_right_after_it_was_written_and_is_not_at_hand(library):
    library.write("docs/new.md", "# New key\n\nOf brass.\n")
    library.index()
    (library.home / "docs").rename(library.home / "away")
    engine = library.engine()
    assert "New key" in headings(engine.search("key brass", filters={"since": "1d"}))
    assert "New key" not in headings(engine.search("key brass", filters={"since": "2099-01-01"}))


def test_clean_leaves_out_sections_whose_vector_is_old(library):
    library.write("docs/axb/other.md", "# Other\n\nSomething new. Time flies.\n")
    library.indexer().scan(library.home / "docs")
    engine = library.engine()
    assert "Other" in headings(engine.search("time flies", mode="lexical"))
    assert "Other" not in headings(engine.search("time flies", mode="lexical", filters={"clean": True}))


@pytest.mark.parametrize(
    "filters",
    [
        {"since": "soon"},
        {"since": 5},
        {"fields": "novalue"},
        {"fields": 3},
        {"language": ""},
        {"clean": "yes"},
        {"since": "999999w"},
    ],
)
def test_filter_that_makes_no_sense_is_one_sentence(library, filters):
    with pytest.raises(QueryError, match="filter takes"):
        library.engine().search("x", filters=filters)


@pytest.mark.parametrize("mode", ["hybrid", "dense", "lexical"])
def test_parts_add_up_to_the_score(library, mode):
    hits = library.engine().search("dead letter", mode=mode)
    assert hits
    for hit in hits:
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-6)
        assert 0 <= hit.score <= 1


def test_pages_cut_one_ranking(library):
    engine = library.engine()
    whole = engine.search("letter key time", limit=50)
    pages = [hit for offset in range(0, 12, 3) for hit in engine.search("letter key time", limit=3, offset=offset)]
    assert [h.section.id for h in pages] == [h.section.id for h in whole[:12]]
    assert [h.score for h in whole] == sorted((h.score for h in whole), reverse=True)


def test_matches_and_passage_point_into_the_content(library):
    (hit,) = library.engine().search('"dead letter"', mode="lexical")
    assert [hit.section.content[m.start : m.end] for m in hit.matches] == ["Letters", "dead", "letter"]
    assert hit.section.content[hit.passage.start : hit.passage.end] == "A dead letter waits."


def test_vector_that_is_zero_leaves_the_ranking_to_words(library, make_embedder):
    class Dumb(make_embedder):
        def embed_query(self, text):
            return np.zeros(32, np.float32)

    engine = library.engine(embedder=Dumb())
    assert headings(engine.search("rotate"))[0] == "Keys"
    assert engine.search("rotate", mode="dense") == []


def test_pack_is_within_its_budget_and_cites_lines_of_the_files(library):
    pack = library.engine().context("dead letter", max_tokens=60)
    assert 0 < pack.token_count <= 60
    for piece in pack.pieces:
        path = piece.citation.split("#")[0]
        lines = (library.home / path).read_text().splitlines()
        assert "\n".join(lines[piece.start_line - 1 : piece.end_line]) == piece.text
        assert piece.citation.endswith(f":L{piece.start_line}-L{piece.end_line}")


def test_pack_of_nothing_is_empty(library):
    pack = library.engine().context("zzzz", mode="lexical")
    assert (pack.text, pack.pieces, pack.token_count) == ("", (), 0)


def test_budget_must_be_positive(library):
    with pytest.raises(ValueError, match="max_tokens"):
        library.engine().context("x", max_tokens=0)


class Backwards:
    """Prefers long texts, whatever was asked."""

    name = "backwards"

    def rerank(self, query, sections):
        return [min(1.0, len(section.content) / 1000) for section in sections]


def test_reranker_orders_the_first_hits_and_scores_never_rise(library):
    from search import SearchEngine

    settings = Settings(rerank_depth=3)
    plain = library.engine().search("key letter time", limit=8)
    engine = SearchEngine(library.index_dir, settings=settings, embedder=library.embedder, reranker=Backwards())
    hits = engine.search("key letter time", limit=8)
    first = [len(hit.section.content) for hit in hits[:3]]
    assert first == sorted(first, reverse=True)
    assert {h.section.id for h in hits[:3]} == {h.section.id for h in plain[:3]}
    assert [h.section.id for h in hits[3:]] == [h.section.id for h in plain[3:]]
    assert all("rerank" in h.scores and h.parts == {"rerank": h.score} for h in hits[:3])
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert [sum(hit.parts.values()) for hit in hits] == pytest.approx(scores)
    assert engine.search("key letter time", limit=2, offset=1)[0].section.id == hits[1].section.id


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory):
    """A real cross-encoder, small and untrained."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    place = tmp_path_factory.mktemp("model") / "cross"
    vocabulary = place.parent / "vocab.txt"
    vocabulary.write_text(
        "\n".join(
            [
                "[PAD]",
                "[UNK]",
                "[CLS]",
                "[SEP]",
                "[MASK]",
                *map(chr, range(97, 123)),
                *(f"##{chr(c)}" for c in range(97, 123)),
            ]
        )
    )
    BertTokenizerFast(vocab_file=str(vocabulary), model_max_length=64).save_pretrained(place)
    config = BertConfig(
        vocab_size=60, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, num_labels=1
    )
    BertForSequenceClassification(config).save_pretrained(place, safe_serialization=True)
    return place


def test_cross_encoder_from_a_folder_reranks(library, cross_encoder):
    from search import SearchEngine

    settings = Settings(reranker=str(cross_encoder), rerank_depth=4)
    hits = SearchEngine(library.index_dir, settings=settings, embedder=library.embedder).search("dead letter", limit=3)
    assert all(0 <= hit.scores["rerank"] <= 1 for hit in hits)
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)


def test_reranker_that_is_not_there_is_one_sentence(library, tmp_path):
    from schema.errors import ModelError
    from search import SearchEngine

    settings = Settings(reranker=str(tmp_path), device="cpu")
    with pytest.raises(ModelError, match="leave the setting reranker empty"):
        SearchEngine(library.index_dir, settings=settings, embedder=library.embedder).search("dead letter")


def test_engine_follows_a_new_version_and_keeps_one_otherwise(library):
    engine = library.engine()
    engine.search("key")
    held = engine.source()
    engine.search("letter")
    assert engine.source() is held
    library.write("docs/new.md", "# Walrus\n\nTusks of ivory.\n")
    library.index()
    assert headings(engine.search("ivory", mode="lexical")) == ["Walrus"]
