"""A query that lists several things is looked for thing by thing."""

from types import SimpleNamespace

import pytest

from schema.filters import Filters
from schema.requests import SearchRequest
from search.context.requirements import MOST_PARTS, best_of_parts, parts_of


@pytest.mark.parametrize(
    ("query", "parts"),
    [
        ("read a file, hash it and write the result", ("read a file", "hash it", "write the result")),
        ("ignore files; print JSON; exit with 1", ("ignore files", "print JSON", "exit with 1")),
        ("a config: strict mode, no semicolons, and tabs", ("a config: strict mode", "no semicolons", "tabs")),
        (
            "what are the defaults of timeout, retries and backoff?",
            ("what are the defaults of timeout", "retries", "backoff"),
        ),
        ("有給休暇、健康診断、通勤手当", ("有給休暇", "健康診断", "通勤手当")),
        ("배포 그리고 롤백 그리고 모니터링", ("배포", "롤백", "모니터링")),
        ("tabs, tabs, spaces", ("tabs", "spaces")),
        (
            "再試行の回数の既定値と、間隔の決まり方、失敗したジョブの通知先の設定を教えて",
            ("再試行の回数の既定値", "間隔の決まり方", "失敗したジョブの通知先の設定"),
        ),
        ("What is a slot? How are props declared?", ("What is a slot?", "How are props declared?")),
        (
            "We use version 3. How are props declared? Is it slow? What is a slot?",
            ("How are props declared?", "What is a slot?"),
        ),
        ("再試行は何回ですか。通知先はどこで設定しますか。", ("再試行は何回ですか。", "通知先はどこで設定しますか。")),
    ],
)
def test_things_of_a_list_are_looked_for_one_by_one(query, parts):
    assert parts_of(query) == parts


@pytest.mark.parametrize(
    "query",
    [
        "rotate keys",
        "the difference between admins and owners",
        "Hello, I am new here, what do I do?",
        "First, the server starts. Then, it stops, and I look at the logs, and see nothing.",
        'find "a, b, and c"',
        "Error: ENOSPC: no space left on device, watch '/tmp/x'",
        "設定を変えて保存したのに画面がまったく変わらず、再起動しても、直りません",
        "a, b, c, " * 100,
        "",
        "How do I rotate keys? Does it need a restart?",
        "The build fails. What do I do?",
        "v-if vs v-show",
    ],
)
def test_other_queries_ask_for_one_thing(query):
    assert parts_of(query) == ()


def test_of_a_long_list_six_things_are_looked_for():
    long = "alpha, beta, gamma, delta, epsilon, zeta, eta, theta, iota, kappa"
    assert parts_of(long) == ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
    assert MOST_PARTS == 6


def answers_by(found):
    """An engine's `answer` that knows the ids of the hits by query, and the requests that it was asked."""
    asked = []

    def answer(request):
        asked.append(request)
        ids = found.get(request.query, [])
        return SimpleNamespace(
            answered=bool(ids), results=[SimpleNamespace(section=SimpleNamespace(id=each)) for each in ids]
        )

    return answer, asked


def test_nothing_is_added_where_no_section_answers_most_of_the_things():
    answer, _ = answers_by({"timeout": ["x"], "bears": ["y"]})
    assert best_of_parts(answer, SearchRequest(query="lions, tigers, timeout and bears")) == ()


def test_each_thing_that_a_section_answers_gives_its_section_once():
    answer, _ = answers_by({"tabs": ["x"], "spaces": ["y"], "lines": ["x"]})
    best = best_of_parts(answer, SearchRequest(query="tabs, spaces, lines, unknown"))
    assert [hit.section.id for hit in best] == ["x", "y"]


def named(*headings):
    """An engine's `answer` that finds a section with a heading by each query that is the heading or has it."""

    def answer(request):
        found = [each for each in headings if each.lower() in request.query.lower() or request.query.lower() in each.lower()]
        hits = [SimpleNamespace(section=SimpleNamespace(id=each, heading=each)) for each in found]
        return SimpleNamespace(answered=bool(hits), results=hits)

    return answer


@pytest.mark.parametrize(
    ("query", "headings"),
    [
        ("compare preValidation and preHandler", ["preValidation", "preHandler"]),
        ("difference between onRequest and preHandler hooks", ["onRequest", "preHandler"]),
        ("v-if vs. v-show?", ["v-if", "v-show"]),
        ("v-showとv-ifの違いを教えて", ["v-show", "v-if"]),
    ],
)
def test_sections_named_like_two_things_that_are_compared_are_their_best(query, headings):
    best = best_of_parts(named(*headings, "Other"), SearchRequest(query=query))
    assert [hit.section.id for hit in best] == headings


def test_things_of_which_one_names_no_section_are_not_looked_for():
    assert best_of_parts(named("preHandler"), SearchRequest(query="compare preValidation and preHandler")) == ()
    assert best_of_parts(named("How to compare apples"), SearchRequest(query="compare apples and pears")) == ()
    assert best_of_parts(named("preHandler"), SearchRequest(query="rotate keys")) == ()


def test_filters_of_the_query_hold_for_each_thing():
    answer, asked = answers_by({})
    request = SearchRequest(query="tabs, spaces, lines path:docs/", filters=Filters.of({"tags": "api"}))
    best_of_parts(answer, request)
    assert [(one.query, one.limit) for one in asked] == [("tabs", 1), ("spaces", 1), ("lines", 1)]
    assert all(one.parsed.filters == request.parsed.filters for one in asked)
