"""Filters: which documents and sections they allow, and which of them are refused."""

import time
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema import clock
from schema.errors import QueryError
from schema.filters import Filters, moment


@pytest.mark.parametrize("value", [None, {}, {"path": None}, Filters()])
def test_no_filters_allow_everything(value):
    assert not Filters.of(value)


def test_filters_take_one_value_or_several():
    assert Filters.of({"path": "a", "depth": 1, "tags": ["x", "y"]}) == Filters(path=("a",), depth=(1,), tags=("x", "y"))


@pytest.mark.parametrize("wrong", [{"depth": 4}, {"depth": True}, {"depth": "1"}, {"path": " "}, {"tags": 3}, {"paht": "x"}])
def test_wrong_filters_are_refused(wrong):
    with pytest.raises(QueryError):
        Filters.of(wrong)


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("docs/", True), ("./docs/a", True), ("doc_", False), ("docs/*.md", True), ("**/b.md", False), ("other/", False)],
)
def test_paths_are_prefixes_or_globs(path, allowed):
    assert Filters(path=(path,)).allows_document("docs/a.md", ()) is allowed


def test_tags_are_compared_without_case():
    assert Filters(tags=("api",)).allows_document("a.md", ["API"])
    assert not Filters(tags=("api",)).allows_document("a.md", ["other"])


@pytest.mark.parametrize(
    ("filters", "needs"),
    [
        (Filters(path=("docs/",)), True),
        (Filters(fields=(("a", "b"),)), True),
        (Filters(tags=("a",)), True),
        (Filters(depth=(1,)), False),
    ],
)
def test_paths_tags_and_fields_are_conditions_on_documents(filters, needs):
    assert filters.needs_documents is needs


@pytest.mark.parametrize(
    "wrong",
    [
        {"language": " "},
        {"language": "klingon"},
        {"language": 3},
        {"clean": 1},
        {"since": "soon"},
        {"since": datetime(2026, 1, 1)},
        {"since": "9999999999w"},
        {"since": "999999w"},
        {"fields": "status"},
        {"fields": "=x"},
        {"fields": 3},
    ],
)
def test_filter_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(QueryError, match="filter takes"):
        Filters.of(wrong)


@pytest.mark.parametrize(
    ("text", "age"),
    [("12h", timedelta(hours=12)), ("7d", timedelta(days=7)), (" 2W ", timedelta(weeks=2))],
)
def test_age_counts_back_from_now(text, age):
    assert abs(moment(text) - (clock.now() - age)) < timedelta(minutes=1)


def test_moment_is_utc_unless_it_says_otherwise():
    assert moment("2026-11-01T12:00").isoformat() == "2026-11-01T12:00:00+00:00"
    assert moment("2026-11-01T12:00+09:00").isoformat() == "2026-11-01T12:00:00+09:00"
    assert Filters.of({"since": "2026-11-01"}) == Filters(since=moment("2026-11-01"))


MATTER = {
    "status": "Draft",
    "tags": ["a", "b"],
    "n": 3,
    "flag": True,
    "owner": {"team": "core"},
    "a.b": "dotted",
    "none": None,
    "company": ["[[Brightfield Labs]]", "[[orgs/acme|Acme]]"],
}


@pytest.mark.parametrize(
    ("fields", "allowed"),
    [
        ({"status": "draft"}, True),
        ({"status": "final"}, False),
        ({"status": ["final", "draft"]}, True),
        ({"status": "draft", "n": 4}, False),
        ({"tags": "B"}, True),
        ({"n": 3}, True),
        ({"flag": True}, True),
        ("flag=true", True),
        (["status = draft", "n=3"], True),
        ({"owner.team": "core"}, True),
        ({"owner.none": "core"}, False),
        ({"status.deep": "x"}, False),
        ({"a.b": "dotted"}, True),
        ({"none": "None"}, False),
        ({"missing": ""}, False),
        ({"company": "Brightfield labs"}, True),
        ({"company": "[[Brightfield Labs]]"}, True),
        ({"company": "acme"}, True),
        ({"company": "orgs"}, False),
    ],
)
def test_fields_are_compared_as_their_author_wrote_them(fields, allowed):
    assert Filters.of({"fields": fields}).allows_document("a.md", (), MATTER) is allowed


def test_path_may_begin_with_a_slash_or_a_dot():
    assert Filters.of({"path": "/docs/"}).allows_document("docs/a.md")
    assert Filters.of({"path": "docs/a..b"}).allows_document("docs/a..b.md")
    assert Filters.of({"path": "./docs/"}).allows_document("docs/a.md")
    assert not Filters.of({"path": "/docs/"}).allows_document("other/docs/a.md")


def test_clean_and_empty_filters():
    assert Filters.of({"clean": True}).clean
    assert Filters.of({"clean": True})
    assert not Filters.of({"clean": False})


@pytest.mark.parametrize("path", ["..", "../a", "a/../b", "a\\..\\b", "a\x00", "a\nb", "\\\\host\\share"])
def test_path_that_leads_away_is_refused(path):
    with pytest.raises(QueryError, match="The path filter takes a document's path in the index"):
        Filters(path=(path,))


@pytest.mark.parametrize("glob", ["*\\", "a[", "#*", "[[:no:]]"])
def test_glob_that_is_none_is_refused(glob):
    with pytest.raises(QueryError, match="cannot read the glob"):
        Filters(path=(glob,))


def test_the_glob_that_cannot_be_read_is_named():
    with pytest.raises(QueryError, match=r"cannot read the glob 'a\[\*'"):
        Filters(path=("*.md", "a[*"))


def test_a_hostile_glob_is_compared_in_no_time():
    started = time.process_time()
    filters = Filters(path=("*[ab]" * 20 + "[cd]", "**/*a" * 50 + "/b"))
    assert not filters.allows_document("ab" * 200 + "/ab" * 200)
    assert time.process_time() - started < 1


def test_too_many_globs_are_refused():
    with pytest.raises(QueryError, match="globs of 10,000 characters in all"):
        Filters(path=("*" * 100,) * 101)


def test_later_glob_takes_back_what_an_earlier_one_allowed():
    filters = Filters(path=("docs/**", "!*.txt"))
    assert filters.allows_document("docs/a.md")
    assert not filters.allows_document("docs/a.txt")


@pytest.mark.parametrize(
    ("filters", "allowed"),
    [
        ({"path": "DOCS/guide/"}, True),
        ({"path": "docs/Guide/k"}, True),
        ({"path": "DOCS/**/KEYS.md"}, True),
        ({"path": "docs/guide/[a-k]eys.md"}, True),
        ({"path": "docs/guide/[!k]eys.md"}, False),
        ({"path": "docs/guide/[[:lower:]]eys.md"}, True),
        ({"path": "*.MD"}, True),
        ({"path": ["docs/**", "!**/keys.MD"]}, False),
        ({"path": "other"}, False),
        ({"tags": "API"}, True),
        ({"tags": "PROJECT/infra"}, True),
        ({"fields": {"STATUS": "draft"}}, True),
        ({"fields": {"owner.TEAM": "Core"}}, True),
        ({"fields": {"Status": "draft", "status": "final"}}, True),
        ({"fields": {"nothing": "draft"}}, False),
    ],
)
def test_filters_ignore_case(filters, allowed):
    matter = {"Status": "Draft", "Owner": {"Team": "core"}, "Nothing": None}
    assert Filters.of(filters).allows_document("Docs/Guide/Keys.md", ["api", "Project/Infra"], matter) is allowed


@pytest.mark.parametrize(
    ("wanted", "allowed"),
    [
        ("project", True),
        ("project/", True),
        ("project/infra", True),
        ("project/infra/net", True),
        ("projects", False),
        ("project/inf", False),
        ("infra", False),
        ("project/infra/net/x", False),
    ],
)
def test_a_tag_is_met_by_the_tags_below_it(wanted, allowed):
    assert Filters(tags=(wanted,)).allows_document("a.md", ["other", "project/infra/net"]) is allowed


def test_a_tag_may_have_its_sign_before_it():
    assert Filters(tags=("#Project/infra",)).allows_document("a.md", ["project/infra/net"])
    assert not Filters(tags=("#infra",)).allows_document("a.md", ["project/infra"])
    assert not Filters(without_tags=(" #draft",)).allows_document("a.md", ["draft"])


TAG = st.lists(st.text("abAß", min_size=1, max_size=2), min_size=1, max_size=4)


@given(TAG, TAG)
def test_a_tag_is_met_by_itself_and_below_and_by_nothing_else(wanted, own):
    folded = [[part.casefold() for part in parts] for parts in (wanted, own)]
    expected = folded[1][: len(wanted)] == folded[0]
    assert Filters(tags=("/".join(wanted),)).allows_document("a.md", ["/".join(own)]) is expected


@given(st.text("aB/éÉ.", min_size=1, max_size=8).filter(lambda path: ".." not in path and path.strip("/.")))
def test_a_path_is_met_in_any_case(path):
    document = path.removeprefix("./").lstrip("/")
    for given_path in (path, path.upper(), path.lower()):
        assert Filters(path=(given_path,)).allows_document(document)
        assert Filters(path=(f"{given_path}*",)).allows_document(f"{document}x".replace("//", "/")) or "//" in path


def test_roots_are_given_by_one_name_or_several():
    assert Filters.of({"root": "manual"}).root == ("manual",)
    assert Filters.of({"root": ["manual", "notes"]}).root == ("manual", "notes")
    with pytest.raises(QueryError, match="The root filter takes text that is not blank"):
        Filters(root=(" ",))


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda: Filters(path="docs/"), "The path filter of Filters(…) must be a tuple, not 'docs/'."),
        (
            lambda: Filters(fields=("status",)),
            "The fields filter of Filters(…) takes pairs of two texts, a name and a value.",
        ),
        (lambda: Filters.of(3), "filters must be Filters or a mapping of their names, not 3."),
    ],
)
def test_filter_of_the_wrong_kind_is_refused(made, told):
    with pytest.raises(QueryError) as caught:
        made()
    assert str(caught.value) == told


def test_filters_that_are_set_are_named():
    assert Filters(path=("docs/",), clean=True).set_names == ("path", "clean")


def test_documents_with_a_tag_can_be_left_out():
    where = Filters(without_tags=("draft",))
    assert where.allows_document("a.md", ("api",))
    assert not where.allows_document("a.md", ("Draft",))


DOCUMENTS = ["docs/[slug].md", "docs/s.md", "docs/[lang]/index.md", "docs/l/index.md"]


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("docs/[slug].md", ["docs/[slug].md"]),
        ("docs/[SLUG]", ["docs/[slug].md"]),
        ("docs/[lang]/", ["docs/[lang]/index.md"]),
        ("docs/[ls].md", ["docs/s.md"]),
        ("docs/[l]/", ["docs/l/index.md"]),
        ("docs/\\[lang\\]", ["docs/[lang]/index.md"]),
        ("docs/s", ["docs/s.md"]),
    ],
)
def test_path_with_brackets_that_a_document_begins_with_means_that_and_else_is_a_glob(pattern, meant):
    where = Filters(path=(pattern,)).as_named(DOCUMENTS)
    assert [path for path in DOCUMENTS if where.allows_document(path)] == meant
    without = Filters(without_path=(pattern,)).as_named(DOCUMENTS)
    assert [path for path in DOCUMENTS if not without.allows_document(path)] == meant
