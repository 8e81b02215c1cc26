"""Statistics of all sections: changes against a recount, and what a reader is told against plain counting."""

import contextlib
import sqlite3
import threading
from bisect import bisect_left
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schema.index_files.statistics import Statistics, find_fault, open_statistics
from schema.index_files.term_counts import Change, Sums, Totals, count, sentence_hash
from schema.text.fields import ABOVE, FIXED_LINES, HEADING
from search.index.inverted_index import InvertedIndex

WORD = st.sampled_from(["a", "ab", "abc", "b", "é", "検索", "\U0001f600", "\uffff", "z"])
LINE = st.lists(WORD, max_size=4).map(" ".join)
TEXT = st.lists(LINE, min_size=FIXED_LINES, max_size=FIXED_LINES + 4).map("\n".join)
TEXTS = st.lists(TEXT, max_size=8)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("statistics") / "statistics.sqlite"


def counted(path, texts):
    Statistics.recount(path, texts, store_id="s").close()
    return path


def read(path, store_id="s"):
    found = open_statistics(path, store_id=store_id)
    assert found is not None
    return contextlib.closing(found)


def content(path):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return [sorted(connection.execute(f"select * from {table}")) for table in ("facts", "terms", "sentences")]


def holders(texts):
    return Counter(term for text in texts for term in {*text.replace("\n", " ").split(" ")} - {""})


def section(heading="", above="", *sentences):
    return "\n".join((heading, above, "", "", "", *sentences))


# -- counting ----------------------------------------------------------------------------------------------------------


def test_section_adds_its_lengths_its_terms_and_its_sentences():
    found = count(section("a b", "c", "a d e", "", "f"))
    assert found.totals == Totals(1, 2, 1, 4, 3, 6, 3)
    assert found.terms == set("abcdef")
    assert found.sentences == {sentence_hash("a d e"), sentence_hash("f")}


def test_section_without_text_is_one_passage():
    assert count(section("a b", "c")).totals == Totals(1, 2, 1, 0, 1, 2, 1)


def test_sentence_that_a_section_says_twice_counts_once():
    assert len(count(section("", "", "a b", "a b")).sentences) == 1


@pytest.mark.parametrize("text", [None, "", "a", "\n\n"])
def test_terms_that_lack_lines_are_counted_as_far_as_they_go(text):
    assert count(text).totals.passages == 1


def test_lone_surrogates_are_counted_as_they_are_stored():
    assert count(section("a\ud800")) == count(section("a?"))
    assert sentence_hash("\ud800") == sentence_hash("?")


def test_hash_of_a_sentence_is_the_same_everywhere():
    assert sentence_hash("rotat the key") == -5482535772448151891


@given(TEXTS)
def test_totals_give_the_means_that_ranking_takes_from_all_rows(texts):
    change = Change()
    change.add(texts)
    totals = Totals(**{"rows": 0, **change.totals})
    inverted_index = InvertedIndex(pa.array(texts, pa.string()))
    if texts:
        above = 0.75
        mean = (totals.text + totals.heading + above * totals.above) / totals.rows
        single = (totals.heading_by_passages + above * totals.above_by_passages + totals.text) / totals.passages
        double = single + totals.text / totals.passages
        assert inverted_index.mean_length == pytest.approx(max(1.0, mean), rel=1e-5)
        assert inverted_index.mean_passages == pytest.approx((max(1.0, single), max(1.0, double)), rel=1e-5)


def test_lines_of_headings_come_first():
    assert (HEADING, ABOVE) == (0, 1)  # as `section` above writes them


# -- changes -----------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(TEXTS, st.lists(st.tuples(st.lists(st.integers(0, 20), max_size=4), TEXTS), max_size=4))
def test_any_changes_equal_a_recount(place, begin, steps):
    kept = list(begin)
    statistics = Statistics.recount(place, begin, store_id="s")
    with contextlib.closing(statistics):
        for removals, added in steps:
            removed = [kept.pop(i) for i in removals if i < len(kept)]
            kept += added
            statistics.change(removed, added)
        assert statistics.totals.rows == len(kept)
    after = content(place)
    assert after == content(counted(place, kept))


def test_section_that_stays_as_it_is_changes_nothing():
    change = Change()
    change.replace([section("a"), section("a"), section("b")], [section("a"), section("c")])
    assert change.terms() == {"c": 1, "a": -1, "b": -1}
    assert (change.sections, change.totals["rows"]) == (3, -1)


@given(TEXTS, TEXTS, TEXTS)
def test_two_changes_are_as_good_as_one(first, second, gone):
    one, parts, other = Change(), Change(), Change()
    one.replace(gone, [])
    one.add([*first, *second])
    parts.add(first)
    other.replace(gone, [])
    other.add(second)
    parts.include(other)
    assert (parts.terms(), parts.sentences(), parts.sections) == (one.terms(), one.sentences(), one.sections)
    assert parts.totals == one.totals


def test_recount_writes_what_it_gathered_in_portions(tmp_path, monkeypatch):
    texts = [section("a", "", f"s{i}", "same") for i in range(10)]
    whole = content(counted(tmp_path / "whole", texts))
    monkeypatch.setattr("schema.index_files.statistics.GATHERED", 3)
    assert content(counted(tmp_path / "parts", texts)) == whole


def test_removing_what_was_never_counted_leaves_no_count_below_one(tmp_path):
    statistics = Statistics.recount(tmp_path / "s", [section("a")], store_id="s")
    with contextlib.closing(statistics):
        statistics.change([section("a b", "", "c"), section("a")], [])
    with read(tmp_path / "s") as found:
        assert (found.totals, found.frequencies("abc")) == (Totals(), {})


def test_change_that_fails_midway_changes_nothing(tmp_path, monkeypatch):
    statistics = Statistics.recount(tmp_path / "s", [section("a")], store_id="s")
    before = content(tmp_path / "s")
    with contextlib.closing(statistics):
        monkeypatch.setattr(Change, "sentences", lambda self: {"no number": 1})
        with pytest.raises(sqlite3.Error):
            statistics.change([], [section("b")])
    assert content(tmp_path / "s") == before


def test_recount_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    counted(tmp_path / "s", [section("a")])

    def failing():
        yield section("b")
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        Statistics.recount(tmp_path / "s", failing(), store_id="s")
    assert [place.name for place in tmp_path.iterdir()] == ["s"]
    with read(tmp_path / "s") as found:
        assert found.frequencies("ab") == {"a": 1}


def test_version_of_the_table_is_kept(tmp_path):
    with contextlib.closing(Statistics.recount(tmp_path / "s", [], store_id="s", table_version=3)) as statistics:
        assert statistics.table_version == 3
        statistics.change([], [], table_version=4)
    with read(tmp_path / "s") as found:
        assert found.table_version == 4


# -- reading -----------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(TEXTS, st.lists(WORD | st.just("none"), max_size=9), WORD | st.just(""), WORD, WORD, st.integers(0, 9))
def test_reader_is_told_what_plain_counting_tells(place, texts, asked, prefix, first, last, most):
    model = holders(texts)
    ordered = sorted(model)
    between = ordered[bisect_left(ordered, first) : bisect_left(ordered, last)]
    with read(counted(place, texts)) as found:
        assert found.rows == len(texts)
        assert found.frequencies(asked) == {term: model[term] for term in asked if term in model}
        assert found.beginning_with(prefix, most) == [term for term in ordered if term.startswith(prefix)][:most]
        assert found.between(first, last, most) == (between if len(between) <= most else [])


@given(TEXTS, st.integers(1, 4))
@settings(max_examples=40)
def test_repeated_sentences_are_those_of_so_many_sections(place, texts, least):
    lines = Counter(line for text in texts for line in set(text.split("\n")[FIXED_LINES:]) - {""})
    with read(counted(place, texts)) as found:
        repeated = found.repeated(least)
        assert repeated.dtype == np.int64
        assert repeated.tolist() == sorted(sentence_hash(line) for line, times in lines.items() if times >= least)
        assert found.repeated(least) is repeated


def test_more_terms_than_fit_one_question_are_all_found(tmp_path):
    terms = [f"t{i}" for i in range(1201)]
    with read(counted(tmp_path / "s", [section(" ".join(terms))])) as found:
        assert found.frequencies([*terms, *terms, "none"]) == dict.fromkeys(terms, 1)


def test_lone_surrogates_in_a_question_stand_between_their_neighbours(tmp_path):
    with read(counted(tmp_path / "s", [section("a\ud7ff a\ue000 a")])) as found:
        assert found.frequencies(["a\ud800", "a"]) == {"a": 1}
        assert found.beginning_with("a\ud800", 9) == []
        assert found.between("a\ud800", "b", 9) == ["a\ue000"]
        assert found.between("a", "a\udfffz", 9) == ["a", "a\ud7ff"]


def test_several_threads_may_ask_one_reader(tmp_path):
    terms = [f"t{i}" for i in range(300)]
    wrong = []
    with read(counted(tmp_path / "s", [section(" ".join(terms))])) as found:

        def ask():
            answers = [(found.frequencies(terms), found.beginning_with("t29", 1)) for _ in range(50)]
            wrong.extend(answer for answer in answers if answer != (dict.fromkeys(terms, 1), ["t29"]))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def hurt(path, statement):
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "update facts set value = 'other' where name = 'store'",
        "update facts set value = '0' where name = 'format'",
        "update facts set value = 'x' where name = 'table_version'",
        "update facts set value = -1 where name = 'rows'",
        "delete from facts where name = 'text'",
        "drop table sentences",
        "create trigger t after update on terms begin delete from terms; end",
    ],
)
def test_file_of_another_table_or_version_is_none(tmp_path, statement):
    path = counted(tmp_path / "s", [section("a")])
    hurt(path, statement)
    with pytest.raises(sqlite3.Error):
        Statistics(path, store_id="s")
    if "trigger" not in statement:  # of which only a writer has to be afraid
        assert open_statistics(path, store_id="s") is None


@pytest.mark.parametrize("damage", [b"", b"junk" * 1000, None])
def test_file_that_is_no_database_is_none(tmp_path, damage):
    if damage is not None:
        (tmp_path / "s").write_bytes(damage)
    assert open_statistics(tmp_path / "s", store_id="s") is None


def test_reader_of_a_file_that_is_damaged_later_knows_nothing_and_says_so_once(tmp_path, caplog):
    path = counted(tmp_path / "s", [section(f"w{i} " * 50) for i in range(500)])
    with read(path) as found:
        data = bytearray(path.read_bytes())
        data[100:] = bytes(len(data) - 100)
        path.write_bytes(data)
        assert found.frequencies(["w1"]) == {}
        assert (found.beginning_with("w", 5), found.between("a", "z", 5)) == ([], [])
        assert found.repeated(2).tolist() == []
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_counts_that_are_none_are_left_out(tmp_path):
    path = counted(tmp_path / "s", [section("a b")])
    hurt(path, "update terms set sections = 'many' where term = 'a'")
    with read(path) as found:
        assert found.frequencies(["a", "b"]) == {"b": 1}


# -- checking ----------------------------------------------------------------------------------------------------------


def sums(texts):
    found = Sums()
    for text in texts:
        found.take(text)
    return found


@given(TEXTS)
@settings(max_examples=20)
def test_recount_has_no_fault(place, texts):
    assert find_fault(counted(place, texts), sums(reversed(texts)), store_id="s") is None


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("update facts set value = 7 where name = 'above'", "give 7 for above where the rows give 2"),
        ("update terms set sections = 2 where term = 'b'", "do not count all terms as the rows do"),
        ("delete from terms where term = 'c'", "do not count all terms as the rows do"),
        ("insert into terms values ('d', 1)", "do not count all terms as the rows do"),
        ("update terms set sections = 'many'", "cannot be used (they hold what is no count)"),
        ("delete from sentences", "do not count all sentences as the rows do"),
        ("update facts set value = 'other' where name = 'store'", "cannot be used (they are of another table or version)"),
        ("drop table terms", "hold other tables than they should"),
    ],
)
def test_every_wrong_count_is_found(tmp_path, statement, fault):
    texts = [section("a", "b c", "a c"), section("a")]
    path = counted(tmp_path / "s", texts)
    hurt(path, statement)
    assert find_fault(path, sums(texts), store_id="s") == fault


def test_missing_statistics_are_a_fault_where_there_are_sections(tmp_path):
    assert find_fault(tmp_path / "s", sums([section("a")]), store_id="s") == "are missing"
    assert find_fault(tmp_path / "s", sums([]), store_id="s") is None
