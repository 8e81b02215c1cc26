"""Plans, embeddings, rows, filters, reports."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pytest

from indexer.splitter import MarkdownSplitter
from indexer.sync.embedding import commits_of, embed_rows, with_second
from indexer.sync.plan import child_headings, embedding_input, input_hash, plan_document
from schema import clock
from schema.reports import Failure, IndexReport
from schema.sections import section_id, text_hash
from schema.storage.read_sections import ReadSections
from schema.storage.rows import (
    SECTION_COLUMNS,
    DirtySection,
    StoredSection,
    from_arrow,
    get_sections_schema,
    to_arrow,
    to_link,
    to_section,
)
from schema.storage.vector_columns import vector_column, vector_matrix
from schema.text.fields import SUMMARY, section_terms

NOW = datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)
LATER = datetime(2026, 2, 2, tzinfo=UTC)


def split(text):
    return MarkdownSplitter().split(text, "a.md")


def plan(text, stored=(), reusable=None, now=NOW):
    by_id = {row.section.id: row for row in stored}
    return plan_document(split(text), front_matter={"k": 1}, stored=by_id, reusable=reusable or {}, now=now)


def test_hash_frames_its_parts():
    assert text_hash("a", "b") != text_hash("ab")
    assert section_id("a.md", ("x",), 0) != section_id("a.md", ("x",), 1)


def test_clock_is_utc_in_whole_milliseconds():
    assert clock.now().tzinfo is UTC
    assert clock.now().microsecond % 1000 == 0


def test_new_sections_are_dirty_and_dated():
    rows = plan("# A\n\ntext\n").rows
    assert [(r.section.is_dirty, r.section.created_at, r.section.updated_at, r.front_matter) for r in rows] == [
        (True, NOW, NOW, {"k": 1})
    ]


def test_unchanged_section_keeps_vector_and_dates(embedder):
    done = embed_rows(plan("# A\n\ntext\n").rows, embedder)
    again = plan("# A\n\ntext\n", done, now=LATER)
    assert (again.unchanged, again.reused, again.rows[0].section.is_dirty) == (1, 0, False)
    assert again.rows[0].section.updated_at == NOW
    assert again.rows[0].embedding is done[0].embedding


def test_changed_section_is_dirty_and_keeps_its_last_vector(embedder):
    done = embed_rows(plan("# A\n\ntext\n").rows, embedder)
    row = plan("# A\n\nother\n", done, now=LATER).rows[0]
    assert (row.section.is_dirty, row.section.created_at, row.section.updated_at) == (True, NOW, LATER)
    assert row.embedding is done[0].embedding


def test_dirty_section_stays_dirty_until_embedded():
    first = plan("# A\n\ntext\n").rows
    assert plan("# A\n\ntext\n", first).rows[0].section.is_dirty


def test_summary_goes_when_the_text_changes(embedder):
    (row,) = embed_rows(plan("# A\n\ntext\n").rows, embedder)
    section = replace(row.section, summary="s", document_summary="d")
    row = replace(row, section=section, summary_source="x/1", document_summary_source="x/1")
    same, changed = plan("# A\n\ntext\n", [row]).rows[0], plan("# A\n\nnew\n", [row]).rows[0]
    assert (same.section.summary, same.section.document_summary) == ("s", "d")
    assert (changed.section.summary, changed.section.document_summary) == (None, None)


def test_terms_of_a_summary_are_those_its_section_does_not_have():
    section = replace(
        split("# Keys\n\nRotate the key.\n")[0], summary="Keys are renewed, 鍵の更新", document_summary="About locks"
    )
    assert section_terms(section, {}).split("\n")[SUMMARY].split() == [
        "are",
        "renew",
        "键",
        "键の",
        "の更",
        "更",
        "更新",
        "新",
        "更新",
    ]


def test_summary_of_a_document_is_no_term_of_its_sections():
    section = split("# Keys\n\nRotate the key.\n")[0]
    assert section_terms(replace(section, document_summary="About locks"), {}) == section_terms(section, {})


def test_equal_input_takes_a_vector_from_anywhere(embedder):
    (row,) = embed_rows(plan("# A\n\ntext\n").rows, embedder)
    found = plan("# A\n\ntext\n", reusable={row.input_hash: row.embedding})
    assert (found.reused, found.rows[0].section.is_dirty, found.added) == (1, False, 1)


def test_sections_that_went_are_counted():
    rows = plan("# A\n\n# B\n").rows
    found = plan("# A\n\nnew\n", rows)
    assert (found.added, found.updated, found.unchanged, found.removed) == (0, 1, 0, 1)


def test_heading_without_text_is_embedded_from_its_childrens_headings():
    sections = split("# A\n## B\n## C\n\ntext\n")
    headings = child_headings(sections)
    assert headings == {sections[0].id: ("B", "C"), sections[1].id: ()}
    assert embedding_input(sections[0], headings[sections[0].id]) == (("A",), "B\nC")


def test_input_does_not_depend_on_blanks_line_ends_or_place():
    one, two = split("# A\n\nx\ny\n")[0], split("\n\n# A\r\nx\r\ny\r\n\r\n")[0]
    assert input_hash(one, ()) == input_hash(two, ())


def test_text_shares_no_input_with_headings_of_the_same_words():
    text, (headings, _) = split("# A\n\nB\n")[0], split("# A\n\n## B\n")
    assert embedding_input(text, ()) == embedding_input(headings, ("B",))
    assert input_hash(text, ()) != input_hash(headings, ("B",))


@pytest.mark.parametrize(("before", "after"), [("# A\n\n## B\n", "# A\nB\n"), ("# A\nB\n", "# A\n\n## B\n")])
def test_heading_whose_child_becomes_its_text_or_the_reverse_is_embedded_again(embedder, before, after):
    rows = embed_rows(plan(before).rows, embedder)
    reusable = {row.input_hash: row.embedding for row in rows}
    first = plan(after, rows, reusable=reusable).rows[0]
    assert (first.section.id, first.section.is_dirty) == (rows[0].section.id, True)


def test_input_depends_on_the_headings_above():
    assert input_hash(split("# A\n## C\n\nx\n")[1], ()) != input_hash(split("# B\n## C\n\nx\n")[1], ())


def test_every_window_carries_the_breadcrumb_and_fits(make_embedder):
    embedder = make_embedder(max_tokens=16)
    rows = embed_rows(plan("# Alpha\n\n" + "word " * 60 + "\n\n## Beta\n").rows, embedder)
    assert len(rows[0].embedding.windows) == len(rows[0].embedding.window_vectors) > 3
    assert embedder.embedded[-1] == "Alpha > Beta"
    assert all(text.startswith("Alpha\n") for text in embedder.embedded[:-1])
    assert max(len(s) for s in embedder.token_spans(embedder.embedded)) <= 16


def test_windows_are_small_and_the_first_stands_for_the_section(make_embedder):
    embedder = make_embedder(max_tokens=512)
    text = " ".join(f"w{i}" for i in range(600))
    (row,) = embed_rows(plan(f"# A\n\n{text}\n").rows, embedder)
    lengths = [len(s) for s in embedder.token_spans(embedder.embedded)]
    assert len(lengths) > 1
    assert max(lengths) <= 128
    np.testing.assert_array_equal(row.embedding.vector, embedder.embed_query(embedder.embedded[0]))


def test_short_section_and_equal_sections_are_given_to_the_model_once(embedder):
    rows = embed_rows([*plan("# A\n\nsame\n").rows, *plan("# A\n\nsame\n").rows], embedder)
    assert embedder.embedded == ["A\nsame"]
    np.testing.assert_array_equal(rows[0].embedding.vector, rows[1].embedding.window_vectors[0])


def test_schema_begins_with_the_fifteen_fields_of_the_design():
    fields = [(f.name, f.type) for f in get_sections_schema()][:15]
    assert fields == [
        ("id", pa.string()),
        ("document_path", pa.string()),
        ("heading", pa.string()),
        ("depth", pa.int32()),
        ("content", pa.string()),
        ("token_count", pa.int32()),
        ("vector", pa.list_(pa.float32(), 256)),
        ("parent_id", pa.string()),
        ("order", pa.int32()),
        ("is_dirty", pa.bool_()),
        ("document_hash", pa.string()),
        ("created_at", pa.timestamp("ms")),
        ("updated_at", pa.timestamp("ms")),
        ("summary", pa.string()),
        ("document_summary", pa.string()),
    ]


def test_vectors_beside_that_of_the_section_have_16_bits_a_number():
    schema = get_sections_schema(256, 384)
    assert schema.field("window_vectors").type == pa.list_(pa.list_(pa.float16(), 256))
    assert schema.field("heading_vector").type == pa.list_(pa.float16(), 256)
    assert schema.field("second_vectors").type == pa.list_(pa.list_(pa.float16(), 384))


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "384"])
def test_dimension_that_is_no_positive_number_is_refused(wrong):
    with pytest.raises(ValueError, match="vector_dimension"):
        get_sections_schema(wrong)


def in_16_bits(vectors):
    return vectors.astype(np.float16).astype(np.float32)


def test_every_number_of_16_bits_comes_back_as_it_is():
    numbers = np.arange(2**16, dtype=np.uint16).view(np.float16)
    finite = numbers[np.isfinite(numbers)].reshape(-1, 4)
    found, present = vector_matrix(pa.chunked_array([vector_column(list(finite), pa.list_(pa.float16(), 4))]), 4)
    assert found.dtype == np.float32
    assert present.all()
    np.testing.assert_array_equal(found, finite)


def test_rows_come_back_as_they_were(embedder):
    text = "pre\n\n# A {#x}\n\n見出し text\n\n## B\n"
    rows = [*embed_rows(plan(text).rows, embedder)[:2], *plan(text).rows[2:]]
    back = from_arrow(to_arrow(rows, get_sections_schema(32)))
    assert [r.section for r in back] == [r.section for r in rows]
    assert [(r.input_hash, r.child_headings, r.front_matter) for r in back] == [
        (r.input_hash, r.child_headings, r.front_matter) for r in rows
    ]
    assert back[2].embedding is None
    for a, b in zip(back[:2], rows[:2], strict=True):
        assert (a.embedding.windows, a.embedding.coverage) == (b.embedding.windows, pytest.approx(b.embedding.coverage))
        np.testing.assert_array_equal(a.embedding.window_vectors, in_16_bits(b.embedding.window_vectors))
        np.testing.assert_array_equal(a.embedding.vector, b.embedding.vector)


def test_sections_with_new_vectors_are_the_rows_that_were_written_whole(embedder):
    text = "pre\n\n# A {#x}\r\n\r\n見出し text\r\nmore\r\n\n## B\n"
    rows = plan(text).rows
    done = [with_second(row, row.embedding.window_vectors) for row in embed_rows(rows, embedder)]
    kinds = get_sections_schema(32, 32)
    read = ReadSections.read(to_arrow(rows, kinds)).of([row.section.id for row in reversed(rows)])
    assert read.rows == [replace(row, terms=back.terms) for row, back in zip(reversed(rows), read.rows, strict=True)]
    assert read.with_embeddings([*done[1:], done[1]]).equals(to_arrow(done[1:], kinds))
    assert [row.section.id for row in read.of([rows[2].section.id, "gone"]).rows] == [rows[2].section.id]


@pytest.mark.parametrize("name", [name for name in get_sections_schema(4, 4).names if name != "checksum"])
def test_checksum_tells_of_a_change_in_any_column(name, embedder):
    first, second = (
        with_second(row, row.embedding.window_vectors)
        for row in embed_rows(plan("# A\n\none\n\n# B\n\ntwo words\n").rows, embedder)
    )
    kinds = get_sections_schema(32, 32)
    table = to_arrow([first, second], kinds)
    value = another(table[name].to_pylist(), kinds.field(name).type)
    changed = table.set_column(
        table.schema.get_field_index(name), kinds.field(name), pa.array([value, value], kinds.field(name).type)
    )
    assert not any(row.is_intact for row in from_arrow(changed))
    assert all(row.is_intact for row in from_arrow(table))


def another(values, kind):
    """A value of a column that none of its rows has."""
    if pa.types.is_boolean(kind):
        return not values[0]
    if pa.types.is_string(kind):
        return '{"other": 1}'  # also as front matter
    if pa.types.is_timestamp(kind):
        return datetime(2001, 1, 1)
    if pa.types.is_list(kind) and pa.types.is_integer(kind.value_type):
        return [1, 2]
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        inner = another([], kind.value_type) if not pa.types.is_struct(kind.value_type) else {"start": 0, "end": 1}
        return [inner] * (kind.list_size if pa.types.is_fixed_size_list(kind) else 1)
    return 77


def test_no_rows_make_an_empty_table():
    assert to_arrow([], get_sections_schema(4)).num_rows == 0


def test_section_that_was_never_stored_has_no_times():
    row = to_arrow([StoredSection(split("# A\n")[0], "h")], get_sections_schema(4)).select(SECTION_COLUMNS).to_pylist()[0]
    assert (to_section(row).created_at, to_link(row).section_number) == (None, (1,))


def test_reports_add_up():
    total = IndexReport(sections_added=1, timings={"scan": 1.0}, warnings=["a"])
    total += IndexReport(sections_added=2, failed=[Failure("p", "r")], timings={"scan": 0.5, "embed": 2.0})
    assert (total.sections_added, total.failed, total.warnings) == (3, [Failure("p", "r")], ["a"])
    assert total.timings == {"scan": 1.5, "embed": 2.0}


def dirty(count, *, tokens, equal=False):
    return [DirtySection(f"id{i}", "one" if equal else f"hash{i}", tokens) for i in range(count)]


def test_small_sections_share_a_commit():
    assert [len(ids) for ids in commits_of(dirty(2000, tokens=1008))] == [512, 512, 512, 464]
    assert [len(ids) for ids in commits_of(dirty(5000, tokens=8))] == [2000, 2000, 1000]


def test_large_section_has_a_commit_of_its_own():
    assert [len(ids) for ids in commits_of(dirty(3, tokens=10_000_000))] == [1, 1, 1]


def test_equal_sections_share_a_commit_that_is_not_too_large():
    given = [*dirty(2, tokens=300), *dirty(4000, tokens=300, equal=True), *dirty(1, tokens=300)]
    portions = list(commits_of([given[2], *given]))
    assert [len(ids) for ids in portions] == [2000, 2000, 4]


def test_no_dirty_section_is_no_commit():
    assert list(commits_of([])) == []


@pytest.mark.parametrize(("length", "repeated"), [(4000, True), (5000, False)])
def test_long_front_matter_stands_with_the_first_section_alone(length, repeated):
    front_matter = {"k": "x" * length}
    sections = split("# A\n\ntext\n\n# B\n\ntext\n")
    rows = plan_document(sections, front_matter=front_matter, stored={}, reusable={}, now=NOW).rows
    assert [row.front_matter for row in rows] == [front_matter, front_matter if repeated else {}]


def test_rows_of_different_documents_keep_their_own_front_matter():
    rows = [*plan("# A\n").rows, *plan_document(split("# B\n"), front_matter={"j": 2}, stored={}, reusable={}, now=NOW).rows]
    assert [row.front_matter for row in from_arrow(to_arrow(rows, get_sections_schema(4)))] == [{"k": 1}, {"j": 2}]


def test_rows_without_vectors_between_others_keep_theirs_apart(embedder):
    rows = list(plan("# A\n\none\n\n# B\n\ntwo\n\n# C\n\n" + "three words here. " * 40).rows)
    done = embed_rows(rows, embedder)
    mixed = [done[0], rows[1], done[2]]
    found = from_arrow(to_arrow(mixed, get_sections_schema(32)))
    assert [row.embedding is None for row in found] == [False, True, False]
    for row, before in ((found[0], done[0]), (found[2], done[2])):
        np.testing.assert_array_equal(row.embedding.vector, before.embedding.vector)
        np.testing.assert_array_equal(row.embedding.window_vectors, in_16_bits(before.embedding.window_vectors))
        assert row.embedding.windows == before.embedding.windows
    assert found[0].embedding.vector.base is None
