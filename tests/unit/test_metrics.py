"""The text format of Prometheus: what was counted, what an index holds, and that no text of a request gets into it."""

import re

import pytest

from schema.reports import IndexStatus, RunRecord
from search.server.meter import OTHER, Meter, Metered
from search.server.metrics import BUCKETS, Counts, index_lines, process_lines, text_of

#: A line of the format: a comment, or a name with labels and a number.
LINE = re.compile(
    r'# (?:HELP [a-z_]+ [^\n]+|TYPE [a-z_]+ (?:counter|gauge|histogram))|[a-z_]+(?:\{(?:[a-z]+="[^"\n]*",?)+\})? -?[0-9.e+-]+'
)


def status(**given):
    values = {
        "index_dir": "/x", "root": "/x", "documents": 3, "sections": 12, "dirty": 2, "summaries": 0, "stale": ("a.md",),
        "orphans": (), "failed": (), "paths": (), "last_run": None, "is_being_written": False, "model": "m", "dimension": 4,
        "token_encoding": "t", "schema_version": 1, "data_bytes": 10, "disk_bytes": 20, "fragments": 1, "unindexed_rows": 0,
    }  # fmt: skip
    return IndexStatus(**values | given)


def values(lines):
    """Name with labels → value, of lines that all have the format."""
    assert [line for line in lines if not LINE.fullmatch(line)] == []
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if not line.startswith("#")}


def test_requests_are_counted_by_route_and_status():
    counts = Counts()
    for status_code in (200, 200, 404):
        counts.add_request("/api/search", status_code)
    found = values(counts.lines())
    assert found['sectionary_requests_total{route="/api/search",status="200"}'] == 2
    assert found['sectionary_requests_total{route="/api/search",status="404"}'] == 1


def test_times_of_searches_add_up_in_the_histogram():
    counts = Counts()
    for seconds, answered in ((0.004, True), (0.005, True), (0.3, False), (99.0, False)):
        counts.add_search(seconds, answered)
    found = values(counts.lines())
    name = "sectionary_search_seconds"
    assert [found[f'{name}_bucket{{le="{bound}"}}'] for bound in ("0.005", "0.25", "0.5", "20", "+Inf")] == [2, 2, 3, 3, 4]
    assert (found[f"{name}_count"], round(found[f"{name}_sum"], 3)) == (4, 99.309)
    assert found['sectionary_searches_total{answered="true"}'] == 2
    assert found['sectionary_searches_total{answered="false"}'] == 2
    assert len([line for line in found if line.startswith(f"{name}_bucket")]) == len(BUCKETS) + 1


def test_gauges_tell_what_the_index_holds_and_how_old_it_is():
    run = RunRecord(started="2026-01-01T00:00:00+00:00", ended="2026-01-01T00:00:10+00:00", outcome="finished")
    found = values(index_lines(status(last_run=run), now=1767225700.0))
    names = ("sections", "documents", "dirty_sections", "stale_documents", "index_up", "index_age_seconds")
    assert [found[f"sectionary_{name}"] for name in names] == [12, 3, 2, 1, 1, 90]


def test_index_that_cannot_be_read_is_told_and_has_no_gauges():
    assert values(index_lines(None, now=0.0)) == {"sectionary_index_up": 0}


def test_no_path_of_a_document_is_in_the_gauges():
    assert "a.md" not in text_of(index_lines(status(), now=0.0), process_lines())


def test_every_family_is_described_once():
    counts = Counts()
    counts.add_request("/", 200)
    text = text_of(counts.lines(), index_lines(status(), now=0.0), process_lines())
    typed = re.findall(r"^# TYPE (\S+)", text, re.MULTILINE)
    assert len(typed) == len(set(typed)) > 10
    assert text.endswith("\n")


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/api/search", "/api/search"),
        ("/api/sections/0123", "/api/sections/{section_id}"),
        ("/assets/0123/app.js", "/assets/{of_version}/{name}"),
        ("/secret words", OTHER),
        ("/api/searches", OTHER),
        ('/"}\n', OTHER),
    ],
)
def test_request_is_known_by_its_route_alone(path, route):
    routes = ["/", "/api/search", "/api/sections/{section_id}", "/assets/{of_version}/{name}"]
    assert Metered(lambda *_: None, meter=Meter(), routes=routes).route_of(path) == route
