"""The inverted index in memory: BM25, passages and guesses, compared with plain counting."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search.lexicon import Lexicon
from tests.lexicons import lexicon, ones

WORDS = st.lists(st.sampled_from("abcdef"), max_size=6).map(" ".join)
SECTIONS = st.lists(st.lists(WORDS, min_size=2, max_size=5).map(" | ".join), min_size=1, max_size=8)


def plain_bm25(units, query, idf, k1=1.2, b=0.75, mean=None):
    lengths = [len(unit) for unit in units]
    mean = mean or max(1.0, sum(lengths) / len(lengths))
    return [
        sum(
            idf[t] * unit.count(t) * (k1 + 1) / (unit.count(t) + k1 * (1 - b + b * len(unit) / mean))
            for t in query
            if unit.count(t)
        )
        for unit in units
    ]


def parsed(text):
    return [part.split() for part in text.split("|")]


@given(SECTIONS, st.sets(st.sampled_from("abcdefg"), min_size=1))
def test_scores_are_those_of_plain_counting(texts, query):
    sections = [parsed(text) for text in texts]
    index = lexicon(*texts)
    holders = {t: sum(any(t in line for line in section) for section in sections) for t in query}
    idf = {t: math.log(1 + (len(sections) - n + 0.5) / (n + 0.5)) for t, n in holders.items()}
    assert all(math.isclose(index.idf(t), idf[t], rel_tol=1e-5) for t in query)

    # without words of the path, which count half
    if not any(section[1] for section in sections):
        whole = [[word for line in (section[0], *section[2:]) for word in line] for section in sections]
        np.testing.assert_allclose(index.bm25(ones(*query)), plain_bm25(whole, query, idf), rtol=1e-4)

    rows = np.arange(len(sections), dtype=np.int64)
    found = index.passages(ones(*query), rows)
    singles = [[section[0] + line for line in section[2:] or [[]]] for section in sections]
    mean = max(1.0, np.mean([len(unit) for units in singles for unit in units]))
    expected = [max(plain_bm25(units, query, idf, mean=mean)) for units in singles]
    np.testing.assert_allclose(found.single, expected, rtol=1e-4, atol=1e-6)


def test_word_of_the_path_counts_half_and_adds_no_length():
    index = lexicon("|guide install|x y", "guide||x y", "||x y")
    scores = index.bm25(ones("guide"))
    assert 0 < scores[0] < scores[1]
    assert scores[2] == 0
    assert index.bm25(ones("x"))[0] == index.bm25(ones("x"))[2]


def test_word_of_the_summary_counts_half_and_adds_no_length():
    index = lexicon("||x y", "||x guide", "||x y", summaries=["guide install", "", ""])
    scores = index.bm25(ones("guide"))
    assert 0 < scores[0] < scores[1]
    assert scores[2] == 0
    assert index.bm25(ones("x"))[0] == index.bm25(ones("x"))[2]


def test_summary_speaks_for_every_passage_of_its_section():
    index = lexicon("||a|b", "||a|b", summaries=["key", ""])
    found = index.passages(ones("key", "b"), np.array([0, 1]))
    assert found.single[0] > found.single[1] > 0


def test_best_pair_of_sentences_is_named():
    index = lexicon("h||a|b c|c d|e", "h||a")
    found = index.passages(ones("b", "d"), np.array([0, 1]))
    assert (found.first.tolist(), found.last.tolist()) == ([1, 0], [2, 0])
    assert found.double[0] > found.single[0]


def test_headings_belong_to_every_passage():
    found = lexicon("key||a|b").passages(ones("key", "b"), np.array([0]))
    alone = lexicon("||a|b").passages(ones("key", "b"), np.array([0]))
    assert found.single[0] > alone.single[0]


def test_section_without_a_sentence_is_its_heading():
    found = lexicon("key|", "x||y").passages(ones("key"), np.array([0]))
    assert found.single[0] > 0
    assert (found.first.tolist(), found.last.tolist()) == ([0], [0])


def test_no_rows_have_no_passages():
    assert len(lexicon("a||b").passages(ones("a"), np.zeros(0, np.int64)).single) == 0


def test_empty_collection_scores_nothing():
    index = Lexicon(pa.array([], pa.string()))
    assert len(index.bm25(ones("a"))) == 0
    assert index.known(ones("alpha")) == {}


@pytest.mark.parametrize(
    ("term", "readings"),
    [
        ("configuration", {"configuration": 1.0}),
        ("configu", {"configuration": 0.5}),
        ("configurtaion", {"configuration": 0.5}),
        ("buffr", {"buffer": 0.5}),
        ("buf", {"buffer": 0.5, "buffalo": 0.5}),
        ("xuffer", {}),
        ("bx", {}),
        ("検策", {}),
    ],
)
def test_unknown_term_is_read_as_its_nearest(term, readings):
    index = lexicon("||configuration buffer buffer|buffalo 検索 検索エンジン")
    assert index.known({term: 1.0}) == readings


def test_reading_that_was_asked_for_too_keeps_its_weight():
    assert lexicon("||buffer").known({"buffer": 1.0, "buffr": 1.0}) == {"buffer": 1.0}


def test_rows_that_hold_all_terms():
    index = lexicon("a||b", "a||c", "b||c a")
    assert index.holds_all(["a", "c"]).tolist() == [False, True, True]
    assert index.holds_all(["a", "zz"]).tolist() == [False, False, False]
    assert index.holds_all([]).tolist() == [True, True, True]


def test_vocabulary_may_be_larger_than_half_a_code():
    many = " ".join(f"w{i}" for i in range(70_000))
    index = lexicon(f"||{many}", "||w69999 w1")
    assert index.bm25(ones("w69999")).argmax() == 1
    assert (index.bm25(ones("w69998")) > 0).tolist() == [True, False]


def test_unknown_terms_are_compared_until_there_were_too_many(monkeypatch):
    index = lexicon("||buffer bank", "||rotate")
    asked = ones("buffr", "bannk", "rotaet")
    assert index.known(asked) == {"buffer": 0.5, "bank": 0.5, "rotate": 0.5}
    monkeypatch.setattr("search.vocabulary._MAX_COMPARED", 3)
    assert index.known(asked) == {"buffer": 0.5, "rotate": 0.5}
