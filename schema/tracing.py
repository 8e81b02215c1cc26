"""Work → OpenTelemetry spans, in a process that has set OpenTelemetry up; nothing otherwise.

A process that collects spans has imported `opentelemetry.trace`, so that is what is looked for: nothing is imported here,
and where nobody collects spans, a span costs the look into a table. Refuses to pass on the text of a question unless the
setting `trace_queries` allows it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from schema.reports import IndexReport

if TYPE_CHECKING:
    from schema.requests import SearchRequest
    from schema.results import ResultPage

_P = ParamSpec("_P")
_R = TypeVar("_R")
#: Values that a span can hold.
Attributes = Mapping[str, str | int | float | bool]

_API = "opentelemetry.trace"
_NAME = "sectionary"


def traced(name: str, describe: Callable[..., Attributes] | None = None) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Return a decorator: each call becomes a span `sectionary.NAME`, a child of the one that is open.

    `describe` gets what the call returned, then its arguments, and returns attributes. It is called only for a span that is
    collected. An error that leaves the call is noted by its class alone, since its message may hold the question.
    """

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def call(*args: _P.args, **given: _P.kwargs) -> _R:
            api = sys.modules.get(_API)
            if api is None:
                return function(*args, **given)
            tracer = api.get_tracer(_NAME)
            opened = tracer.start_as_current_span(f"{_NAME}.{name}", record_exception=False, set_status_on_exception=False)
            with opened as span:
                try:
                    found = function(*args, **given)
                except BaseException as error:
                    span.set_status(api.Status(api.StatusCode.ERROR))
                    span.set_attribute("error.type", type(error).__name__)
                    raise
                if describe is not None and span.is_recording():
                    for key, value in describe(found, *args, **given).items():
                        span.set_attribute(f"{_NAME}.{key}", value)
                return found

        return call

    return decorate


def search_attributes(page: ResultPage, request: SearchRequest, *, shows_query: bool) -> Attributes:
    """Return what a span says of a search: how it was asked and what was found; the question only if `shows_query`."""
    found: dict[str, str | int | float | bool] = {
        "mode": request.mode,
        "limit": request.limit,
        "offset": request.offset,
        "is_filtered": bool(request.filters),
        "results": len(page.results),
        "answered": page.answered,
        "relevance": round(page.relevance, 4),
    }
    return {**found, "query": request.query} if shows_query else found


def report_attributes(report: IndexReport, *_: Any, **__: Any) -> Attributes:
    """Return what a span says of an indexing run: its counts, and how many files failed."""
    counts = {name: getattr(report, name) for name in IndexReport.__slots__}
    found = {name: value for name, value in counts.items() if isinstance(value, int)}
    return {**found, "failed": len(report.failed)}
