"""The text of a query: what of it is words, what are fields and exclusions, and what is refused."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.clock import now
from schema.errors import QueryError
from schema.filters import Filters
from schema.query_language import map_paths, parse_fields
from schema.requests import SearchRequest

QUESTIONS = Path(__file__).resolve().parents[3] / "shared" / "questions"


def read(text):
    """The words of a query, and its filters that are set, by name."""
    parsed = parse_fields(text)
    names = ("path", "tags", "title", "language", "root", "depth", "without", "without_path", "without_tags")
    return parsed.words, {name: value for name in names if (value := getattr(parsed.filters, name))}


@pytest.mark.parametrize(
    ("query", "words", "filters"),
    [
        ("keys path:guide/", "keys", {"path": ("guide/",)}),
        ("tag:api tag:cli rotate", "rotate", {"tags": ("api", "cli")}),
        ("tags:api x", "x", {"tags": ("api",)}),
        ("title:install linux", "linux", {"title": ("install",)}),
        ('title:"getting started" linux', "linux", {"title": ("getting started",)}),
        ("lang:ja 検索", "検索", {"language": ("ja",)}),
        ("language:ko 검색", "검색", {"language": ("ko",)}),
        ("root:notes x depth:2 depth:0", "x", {"root": ("notes",), "depth": (2, 0)}),
        ("サーバ depth:② depth:３", "サーバ", {"depth": (2, 3)}),
        ('a path:"my notes/" b', "a b", {"path": ("my notes/",)}),
        ("a -path:old/ -tag:draft", "a", {"without_path": ("old/",), "without_tags": ("draft",)}),
        ('rotate -"dead letter" keys', "rotate keys", {"without": ("dead letter",)}),
        ("react hooks -vue -angular", "react hooks", {"without": ("vue", "angular")}),
        ("hooks -vue path:docs/", "hooks", {"path": ("docs/",), "without": ("vue",)}),
        ("path：guide/ 検索 －英語", "検索", {"path": ("guide/",), "without": ("英語",)}),
        ("検索　－「全文 検索」", "検索", {"without": ("全文 検索",)}),
        ("path:「私の メモ/」 lang：ｊａ depth：２", "", {"path": ("私の メモ/",), "language": ("ja",), "depth": (2,)}),
        ('"keep -this as:it path:is" -"not this"', '"keep -this as:it path:is"', {"without": ("not this",)}),
    ],
)
def test_fields_and_exclusions_become_filters_and_the_rest_stays_words(query, words, filters):
    assert read(query) == (words, filters)


@pytest.mark.parametrize(
    "query",
    [
        "std::vector push_back",
        "http://example.org/a path",
        "foo:bar 12:30",
        r"C:\x is a path",
        "key: value",
        "path: value",
        "path:",
        "path::new",
        "root::x title://y",
        "title:-",
        "Path:guide",
        '"path:guide/" keys',
        "「path:guide/」",
        "tar -xzf",
        "tar -xzf backup.tar",
        "curl -X POST",
        "curl -XPOST -data x",
        "git commit -v",
        "git commit --no-verify",
        "git commit --no-verify -amend",
        "--no-verify",
        "-verbose",
        "-verbose -debug",
        "ls -la",
        'find . -name "*.md"',
        "java -jar app.jar",
        "what does -verbose do",
        "a - b",
        "a -1 b -2",
        "well-known state-of-the-art",
        "サーバー ー -",
        '5" disk -x 3"',
        '-""',
        '"unclosed path',
        "gcc -I/usr/include -DNAME=value -O2",
    ],
)
def test_what_looks_like_a_field_or_an_option_but_is_text_stays_as_it_is(query):
    assert read(query) == (query, {})


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("x since:lately", "since: takes a date"),
        ("x lang:typescript", "lang: takes a language code"),
        ("depth:4", "depth: takes 0, 1, 2 or 3, not 4"),
        ("x -lang:ja", "A minus can stand before words, path: and tag:, not before lang:"),
        ("path:../secret x", "The path filter takes"),
        (" ".join(f"tag:{number}" for number in range(51)), "50 fields"),
    ],
)
def test_field_with_a_value_it_cannot_take_is_refused_in_one_sentence(query, sentence):
    with pytest.raises(QueryError, match=sentence) as refused:
        SearchRequest(query=query)
    assert "\n" not in str(refused.value)


def test_quotes_take_a_refused_field_for_text():
    assert read('"since:yesterday"') == ('"since:yesterday"', {})


def test_the_earliest_of_several_times_counts():
    since = parse_fields("since:7d since:2026-01-05 since:1d").filters.since
    assert since.isoformat() == "2026-01-05T00:00:00+00:00"
    week, begun = timedelta(days=7), now()
    assert begun <= parse_fields("since:7d").filters.since + week <= now()


def test_literal_query_has_no_fields():
    request = SearchRequest(query="path:guide/ -draft", literal=True)
    assert (request.parsed.words, request.parsed.filters) == ("path:guide/ -draft", Filters())


def test_fields_and_given_filters_must_both_hold():
    request = SearchRequest.of("x path:docs/b", {"path": ["docs/"]})
    assert [part.path for part in request.parsed.filters.parts] == [("docs/",), ("docs/b",)]


@pytest.mark.skipif(not QUESTIONS.is_dir(), reason="needs the shared questions")
def test_no_shared_question_is_read_as_fields():
    files = sorted(QUESTIONS.glob("*.jsonl"))
    queries = [json.loads(line)["query"] for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(queries) > 100
    assert [query for query in queries if read(query) != (query, {})] == []


def test_paths_of_a_query_are_mapped_and_the_rest_stays():
    assert map_paths('a  -path:"b c" path:d "path:e"', lambda path: f"x/{path}") == 'a -path:"x/b c" path:"x/d" "path:e"'
    assert map_paths("a  path: b", str.upper) == "a  path: b"


PIECES = st.lists(
    st.sampled_from(
        ["path:", "tag:a", "-", "－", '"', "“", "”", "「", "」", " ", "\u3000", "x", "word", "-word", "since:", "7d", "-path:a", ":", "：",
         "--no", "\n", "検索", "lang:ja", "title:", "\ud800", "\x00"]
    )
).map("".join)  # fmt: skip


@given(st.one_of(st.text(), PIECES))
def test_any_text_is_a_query_or_refused_in_one_sentence(text):
    try:
        parsed = parse_fields(text)
    except QueryError:
        return
    if not parsed.filters:
        assert parsed.words == text


@given(st.lists(st.text("abcdefgh検索", min_size=1, max_size=6)), st.integers(0, 5))
def test_words_keep_their_order_around_fields(words, where):
    tokens = [*words[:where], "path:guide/", *words[where:]]
    assert parse_fields(" ".join(tokens)).words.split() == words


@given(PIECES)
def test_words_of_a_query_have_no_fields_left(text):
    try:
        words = parse_fields(text).words
        again = parse_fields(words)
    except QueryError:
        return
    assert [again.words, again.filters.path, again.filters.tags] == [words, (), ()]


@pytest.mark.parametrize(
    ("query", "guessed"),
    [
        ("java -version", ("version",)),
        ("gcc -Wall", ("Wall",)),
        ("rotate -old -Broken path:a/ -old", ("old", "Broken")),
        ('java "-version"', ()),
        ('java -"version" -path:old/ -tag:draft', ()),
        ("tar -xzf", ()),
    ],
)
def test_words_without_quotes_that_are_left_out_are_named(query, guessed):
    assert parse_fields(query).guessed == guessed
    assert SearchRequest(query=query).parsed.guessed == guessed
    assert SearchRequest(query=query, literal=True).parsed.guessed == ()
