"""Spans of OpenTelemetry: what they say of a search and of an indexing run, and that there are none without it."""

import asyncio
import sys

import pytest

from schema.settings import Settings
from schema.tracing import traced
from search.server.pool import WorkPool

pytest.importorskip("opentelemetry.sdk.trace", reason="opentelemetry-sdk is not installed")

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


@pytest.fixture
def spans(monkeypatch):
    """Collects what is made from now on; gives the finished spans by name."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)

    def finished():
        return {span.name: span for span in exporter.get_finished_spans()}

    yield finished
    provider.shutdown()


def test_search_has_a_span_with_its_steps(manual, spans):
    manual.index()
    engine = manual.engine()
    before = set(spans())
    engine.search("linux penguins", limit=3, mode="hybrid", filters={"depth": [3]})
    found = spans()
    whole = found["sectionary.search"]
    steps = {"sectionary.search." + step for step in ("parse", "embed", "candidates", "rank", "hits")}
    assert set(found) - before == {"sectionary.search", *steps}
    assert {found[step].parent.span_id for step in steps} == {whole.context.span_id}
    told = {name.removeprefix("sectionary."): value for name, value in whole.attributes.items()}
    assert told.pop("relevance") > 0
    assert told == {"mode": "hybrid", "limit": 3, "offset": 0, "is_filtered": True, "results": 3, "answered": True}


def test_question_is_in_no_span_unless_the_setting_says_so(manual, spans):
    manual.index()
    manual.engine().search("unspeakable penguins")
    assert "unspeakable" not in "".join(span.to_json() for span in spans().values())
    manual.engine(settings=Settings(trace_queries=True)).search("unspeakable penguins")
    assert spans()["sectionary.search"].attributes["sectionary.query"] == "unspeakable penguins"


def test_error_is_noted_by_its_class_alone(spans):
    @traced("search")
    def fail():
        raise ValueError("unspeakable")

    with pytest.raises(ValueError, match="unspeakable"):
        fail()
    span = spans()["sectionary.search"]
    assert (span.attributes["error.type"], span.status.status_code.name) == ("ValueError", "ERROR")
    assert "unspeakable" not in span.to_json()


def test_indexing_run_has_a_span_with_its_counts(manual, spans):
    manual.index()
    found = spans()
    run = found["sectionary.index"]
    assert (run.attributes["sectionary.documents_added"], run.attributes["sectionary.failed"]) == (2, 0)
    assert found["sectionary.index.scan"].attributes["sectionary.sections_added"] == 9
    assert found["sectionary.index.embed"].attributes["sectionary.sections_embedded"] == 9
    assert {found[f"sectionary.index.{step}"].parent.span_id for step in ("scan", "embed")} == {run.context.span_id}


def test_without_the_library_a_call_is_only_a_call(monkeypatch):
    monkeypatch.delitem(sys.modules, "opentelemetry.trace")
    described = []
    double = traced("search", described.append)(lambda number: 2 * number)
    assert double(4) == 8
    assert described == []
    assert "opentelemetry.trace" not in sys.modules


def test_step_in_a_thread_belongs_to_the_request_that_waits_for_it(spans):
    step = traced("search.step")(lambda: None)

    @traced("request")
    def request():
        asyncio.run(asked())

    async def asked():
        pool = WorkPool()
        await pool.run(step)
        pool.close()

    request()
    found = spans()
    assert found["sectionary.search.step"].parent.span_id == found["sectionary.request"].context.span_id
