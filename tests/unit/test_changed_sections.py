"""The order in which changes are told, and what git is not given of the environment."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from schema.changes import KINDS, ChangedSection, by_document, counted
from schema.sections import Section
from search.changes.git import clean_environment


def section(path, at=0, position=0, kind="changed", heading=""):
    moment = None if at is None else datetime.fromtimestamp(at, UTC)
    return ChangedSection(
        id=f"{path}{position}{heading}", document_path=path, heading=heading, kind=kind, at=moment, position=position
    )


def told(sections, limit=100):
    documents, omitted = by_document(sections, limit=limit)
    return [(document.path, [one.position for one in document.sections]) for document in documents], omitted


def test_documents_stand_newest_first_and_sections_in_reading_order():
    some = [section("b", 5, 2), section("a", 9, 0), section("b", 7, 1), section("c", 7, 0)]
    assert told(some) == ([("a", [0]), ("b", [1, 2]), ("c", [0])], 0)


def test_documents_without_a_time_stand_last():
    assert told([section("a", None), section("b", 3)])[0] == [("b", [0]), ("a", [0])]


def test_removed_sections_stand_behind_the_others_of_their_document():
    gone = ChangedSection(id="x", document_path="a", heading="Gone", kind="removed")
    (document,), _ = by_document([gone, section("a", 1, 7)], limit=9)
    assert [one.kind for one in document.sections] == ["changed", "removed"]


def test_a_removed_section_is_told_as_it_was_without_lines():
    was = Section(
        id="x", document_path="a", heading="Gone", depth=1, content="# Gone\n\nIt  said\nthis.\n", body_start=7, token_count=5,
        parent_id=None, order=0, anchor="gone", start_line=4, end_line=7, position=2,
    )  # fmt: skip
    gone = ChangedSection.of(was, "removed")
    assert (gone.opening, gone.start_line, gone.end_line, gone.anchor) == ("It said this.", 0, 0, "")
    assert gone.position > ChangedSection.of(was, "changed").position == 2


def test_a_limit_counts_sections_and_says_how_many_are_left_out():
    some = [section("a", 9, n) for n in range(3)] + [section("b", 8, n) for n in range(3)]
    assert told(some, 4) == ([("a", [0, 1, 2]), ("b", [0])], 2)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.integers(0, 9), st.sampled_from(KINDS))),
    st.integers(1, 9),
)
def test_a_limit_leaves_the_beginning_of_the_whole_list(drawn, limit):
    some = [section(path, at, n, kind, str(at)) for n, (path, at, _, kind) in enumerate(drawn)]
    whole = [one for document in by_document(some, limit=1000)[0] for one in document.sections]
    documents, omitted = by_document(some, limit=limit)
    assert [one for document in documents for one in document.sections] == whole[:limit]
    assert omitted == max(0, len(some) - limit)
    assert sum(counted(some).values()) == len(some)


def test_nothing_of_the_environment_leads_git_elsewhere():
    given = {
        "PATH": "/bin",
        "HOME": "/h",
        "GIT_DIR": "/x",
        "git_dir": "/x",
        "GIT_CONFIG_COUNT": "1",
        "GIT_TRACE": "/f",
        "PAGER": "sh",
    }
    cleaned = clean_environment(given)
    assert {name: cleaned[name] for name in ("PATH", "HOME", "GIT_ALLOW_PROTOCOL", "GIT_NO_LAZY_FETCH")} == {
        "PATH": "/bin", "HOME": "/h", "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1",
    }  # fmt: skip
    assert {"GIT_DIR", "git_dir", "GIT_CONFIG_COUNT", "GIT_TRACE", "PAGER"}.isdisjoint(cleaned)
