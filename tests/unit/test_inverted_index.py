"""The inverted index in memory: BM25, passages and guesses, compared with plain counting."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.index_files.term_counts import Change, sentence_hashes
from schema.text.analyzer import terms
from search.index.inverted_index import REPEATED, InvertedIndex, Whole
from search.index.vocabulary import HeldCounts, idf
from search.ranking.boosts import heading_match
from tests.inverted_indexes import inverted_index, ones

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
    index = inverted_index(*texts)
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
    index = inverted_index("|guide install|x y", "guide||x y", "||x y")
    scores = index.bm25(ones("guide"))
    assert 0 < scores[0] < scores[1]
    assert scores[2] == 0
    assert index.bm25(ones("x"))[0] == index.bm25(ones("x"))[2]


def test_word_of_the_summary_counts_half_and_adds_no_length():
    index = inverted_index("||x y", "||x guide", "||x y", summaries=["guide install", "", ""])
    scores = index.bm25(ones("guide"))
    assert 0 < scores[0] < scores[1]
    assert scores[2] == 0
    assert index.bm25(ones("x"))[0] == index.bm25(ones("x"))[2]


def test_summary_speaks_for_every_passage_of_its_section():
    index = inverted_index("||a|b", "||a|b", summaries=["key", ""])
    found = index.passages(ones("key", "b"), np.array([0, 1]))
    assert found.single[0] > found.single[1] > 0


def test_best_pair_of_sentences_is_named():
    index = inverted_index("h||a|b c|c d|e", "h||a")
    found = index.passages(ones("b", "d"), np.array([0, 1]))
    assert (found.first.tolist(), found.last.tolist()) == ([1, 0], [2, 0])
    assert found.double[0] > found.single[0]


def test_headings_belong_to_every_passage():
    found = inverted_index("key||a|b").passages(ones("key", "b"), np.array([0]))
    alone = inverted_index("||a|b").passages(ones("key", "b"), np.array([0]))
    assert found.single[0] > alone.single[0]


def test_section_without_a_sentence_is_its_heading():
    found = inverted_index("key|", "x||y").passages(ones("key"), np.array([0]))
    assert found.single[0] > 0
    assert (found.first.tolist(), found.last.tolist()) == ([0], [0])


def test_no_rows_have_no_passages():
    assert len(inverted_index("a||b").passages(ones("a"), np.zeros(0, np.int64)).single) == 0


def test_empty_collection_scores_nothing():
    index = InvertedIndex(pa.array([], pa.string()))
    assert len(index.bm25(ones("a"))) == 0
    assert index.expand_terms(ones("alpha")) == {}


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
    index = inverted_index("||configuration buffer buffer|buffalo 検索 検索エンジン")
    assert index.expand_terms({term: 1.0}) == readings


def test_reading_that_was_asked_for_too_keeps_its_weight():
    assert inverted_index("||buffer").expand_terms({"buffer": 1.0, "buffr": 1.0}) == {"buffer": 1.0}


def test_synonyms_are_looked_for_beside_a_term():
    index = inverted_index("||hook", "||hook", "||훅", "||rule")
    both = index.expand_terms({"훅": 1.0}, {"훅": ("hook",)})
    assert (index.bm25(both) > 0).tolist() == [True, True, True, False]


def test_synonyms_weigh_as_much_as_the_one_that_most_sections_hold():
    index = inverted_index("||hook", "||hook", "||훅", "||rule")
    both = index.expand_terms({"훅": 0.5, "rule": 1.0}, {"훅": ("hook",)})
    assert both == pytest.approx({"훅": 0.5 * index.idf("hook") / index.idf("훅"), "hook": 0.5, "rule": 1.0})
    assert index.mass({"훅": 0.5, "rule": 1.0}, {"훅": ("hook",)}) == pytest.approx(
        0.5 * index.idf("hook") + index.idf("rule")
    )


def test_a_term_that_no_section_holds_is_read_as_its_synonym_and_not_as_similar_terms():
    assert inverted_index("||hook", "||hooks").expand_terms({"hool": 1.0}, {"hool": ("hook",)})["hook"] == 1.0


def test_a_misspelt_name_of_several_words_is_read_as_the_one_that_sections_hold():
    index = inverted_index("||label_replace label replac", "||label")
    assert index.expand_terms({"label_repalce": 1.0}) == {"label_replace": 0.5}
    assert index.expand_terms({"label_repla": 1.0}) == {"label_replace": 0.5}


def test_rows_that_hold_all_terms():
    index = inverted_index("a||b", "a||c", "b||c a")
    assert index.holds_all(["a", "c"]).tolist() == [False, True, True]
    assert index.holds_all(["a", "zz"]).tolist() == [False, False, False]
    assert index.holds_all([]).tolist() == [True, True, True]


def test_vocabulary_may_be_larger_than_half_a_code():
    many = " ".join(f"w{i}" for i in range(70_000))
    index = inverted_index(f"||{many}", "||w69999 w1")
    assert index.bm25(ones("w69999")).argmax() == 1
    assert (index.bm25(ones("w69998")) > 0).tolist() == [True, False]


def test_unknown_terms_are_compared_until_there_were_too_many(monkeypatch):
    index = inverted_index("||buffer bank", "||rotate")
    asked = ones("buffr", "bannk", "rotaet")
    assert index.expand_terms(asked) == {"buffer": 0.5, "bank": 0.5, "rotate": 0.5}
    monkeypatch.setattr("search.index.vocabulary.MAX_COMPARED", 3)
    assert index.expand_terms(asked) == {"buffer": 0.5, "rotate": 0.5}


ALL = [
    ("Turn the crank", "Manual", ["the widget has a crank", "turn it slowly"]),
    ("Widgets", "Manual", ["a widget is made of brass", "the same note stands here", "it turns"]),
    ("", "", ["the same note stands here"]),
    ("Brass", "Metals", ["brass is an alloy", "the same note stands here", "cranks are made of it"]),
    ("Slow", "Manual", ["the same note stands here", "slowly and slowly"]),
    ("Fast", "Manual", ["the same note stands here", "the crank turns fast", "not slowly at all"]),
]


def text_of(heading, above, sentences):
    return "\n".join(
        [" ".join(terms(heading)), " ".join(terms(above)), "", "", "", *(" ".join(terms(s)) for s in sentences)]
    )


def some_of(texts, rows):
    """A inverted index of some sections, with what is known of all."""
    everything = InvertedIndex(pa.array(texts))
    change = Change()
    change.add(texts)
    counts = HeldCounts(
        {term: number for number, term in enumerate(change.terms())}, np.array(list(change.terms().values())), len(texts)
    )
    many = np.array(sorted(key for key, held in change.sentences().items() if held >= REPEATED), np.int64)
    whole = Whole(counts, everything.mean_length, everything.mean_passages, many)
    mine = [texts[row] for row in rows]
    hashes = np.array([one for text in mine for one in sentence_hashes(text)], np.int64)
    return InvertedIndex(pa.array(mine, pa.string()), hashes, whole=whole)


def test_lexicon_of_some_sections_scores_them_as_one_of_all():
    texts = [text_of(*section) for section in ALL]
    rows = np.array([0, 1, 3, 5])
    everything = InvertedIndex(pa.array(texts), np.array([one for text in texts for one in sentence_hashes(text)], np.int64))
    some = some_of(texts, rows)
    weights = everything.expand_terms({"crank": 1.0, "slowly": 0.5, "widge": 1.0, "brsas": 1.0})
    assert some.expand_terms({"crank": 1.0, "slowly": 0.5, "widge": 1.0, "brsas": 1.0}) == weights
    assert some.bm25(weights).tolist() == pytest.approx(everything.bm25(weights)[rows].tolist())
    mine, theirs = some.passages(weights, np.arange(4)), everything.passages(weights, rows)
    assert mine.double.tolist() == pytest.approx(theirs.double.tolist())
    assert some.heading_idf(np.arange(len(rows))).tolist() == pytest.approx(everything.heading_idf(np.array(rows)).tolist())
    assert heading_match(some, weights, np.arange(4)).tolist() == pytest.approx(
        heading_match(everything, weights, rows).tolist()
    )
    assert some.mass(weights) == pytest.approx(everything.mass(weights))
    assert some.repeated.tolist() == pytest.approx(everything.repeated[rows].tolist())
    assert 0 < some.repeated[1] < 1


def test_term_that_the_statistics_do_not_know_yet_counts_as_one_of_a_single_section():
    texts = [text_of(*section) for section in ALL]
    counts = HeldCounts({"crank": 0}, np.array([3]), 6)
    inverted_index = InvertedIndex(pa.array(texts[:1]), whole=Whole(counts, 8.0, (4.0, 6.0), np.zeros(0, np.int64)))
    assert inverted_index.idf_of([inverted_index.code("turn")])[0] == pytest.approx(float(idf(6, 1)))


# -- a later version ---------------------------------------------------------------------------------------------------


def hashes_of(texts):
    return np.array([one for text in texts for one in sentence_hashes(text)], np.int64)


@pytest.mark.parametrize("source", [[0, 1, 2, 3, 4, 5], [5, 0, 6, 2], [6, 7], [0, 7, 1], []])
def test_lexicon_of_a_later_version_is_that_of_its_texts(source):
    texts = [text_of(*section) for section in ALL]
    fresh = [
        text_of("Brass", "Manual", ["zephyrs turn slowly", "the same note stands here"]),
        text_of("Other", "", []),
    ]
    later = [[*texts, *fresh][place] for place in source]
    renewed = InvertedIndex(pa.array(texts), hashes_of(texts)).renewed(
        pa.array(fresh), hashes_of(fresh), np.array(source, np.int64)
    )
    read = InvertedIndex(pa.array(later, pa.string()), hashes_of(later))
    for query in (
        {"crank": 1.0, "slowly": 0.5},
        {"zephyr": 1.0, "widge": 1.0},
        {"brsas": 1.0},
        {"turn": 1.0, "manual": 1.0},
    ):
        weights = read.expand_terms(query)
        assert renewed.expand_terms(query) == weights
        assert renewed.bm25(weights).tolist() == read.bm25(weights).tolist()
        assert renewed.mass(query) == read.mass(query)
    assert renewed.repeated.tolist() == read.repeated.tolist()
    assert renewed.heading_idf(np.arange(renewed.rows)).tolist() == read.heading_idf(np.arange(read.rows)).tolist()


def test_lexicon_of_a_version_after_a_later_one_knows_the_words_of_both():
    texts = [text_of(*section) for section in ALL]
    inverted_index = InvertedIndex(pa.array(texts), hashes_of(texts))
    for word, place in (("zephyr", 6), ("monsoon", 7)):
        fresh = [text_of(word, "", [word])]
        inverted_index = inverted_index.renewed(pa.array(fresh), hashes_of(fresh), np.arange(place + 1))
    assert inverted_index.frequency("zephyr") == inverted_index.frequency("monsoon") == 1
    assert np.flatnonzero(inverted_index.bm25({"monsoon": 1.0})).tolist() == [7]


def test_no_sentence_is_repeated_where_the_whole_has_none():
    texts = [text_of(*section) for section in ALL]
    whole = Whole(HeldCounts({"crank": 0}, np.array([3]), 6), 8.0, (4.0, 6.0), np.zeros(0, np.int64))
    assert InvertedIndex(pa.array(texts), hashes_of(texts), whole=whole).repeated.tolist() == [0.0] * 6


def test_sections_that_hold_all_terms_may_be_asked_for_in_their_headings_alone():
    index = inverted_index("wind | a | pump", "pump | b | wind", "pump wind | c | sun")
    assert index.holds_all(["pump", "wind"]).tolist() == [True, True, True]
    assert index.holds_all(["pump", "wind"], among=(0,)).tolist() == [False, False, True]
    assert index.holds_all(["pump", "nothing"]).tolist() == [False, False, False]


def test_same_sentences_of_sections_have_the_same_hashes():
    texts = ["a\n\n\na\n\npump wind\nsun", "b\n\n\nb\n\nsun", "c\n\n\nc\n"]
    hashes = np.array([one for text in texts for one in sentence_hashes(text)], np.int64)
    index = InvertedIndex(pa.array(texts), hashes)
    assert [index.sentences(row) for row in range(3)] == [set(sentence_hashes(text)) for text in texts]
    assert index.sentences(0) & index.sentences(1) == index.sentences(1) != set()
