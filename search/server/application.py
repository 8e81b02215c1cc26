"""`SearchService` → the ASGI application of a server: everything, or agents' calls alone."""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from search.answers.service import SearchService
from search.server.meter import Meter, Metered
from search.server.pool import WorkPool
from search.server.readiness import Readiness
from search.server.security import CALLS, Access, SecurityMiddleware


def full_application(answers: SearchService, access: Access, meter: Meter, readiness: Readiness | None = None) -> ASGIApp:
    """Build the application over one index: JSON, the page, and agents' calls where the extra `mcp` is installed."""
    from search.server.http import create_app

    pool = WorkPool()
    answers.on_search = meter.counts.add_search
    if importlib.util.find_spec("mcp") is None:
        return create_app(answers, access=access, pool=pool, meter=meter, readiness=readiness)
    from search.server.mcp import HttpCalls

    calls = HttpCalls(answers, pool=pool, hosts=access.hosts)
    return create_app(
        answers, access=access, pool=pool, calls=calls, running=calls.running, meter=meter, readiness=readiness
    )


def agents_application(answers: SearchService, access: Access, meter: Meter, _: Readiness | None = None) -> ASGIApp:
    """Build the application that answers agents alone; it needs the extra `mcp` and no other."""
    from search.server.mcp import HttpCalls

    pool = WorkPool()
    calls = HttpCalls(answers, pool=pool, hosts=access.hosts)

    @asynccontextmanager
    async def running(__: Starlette) -> AsyncIterator[None]:
        try:
            async with calls.running():
                yield
        finally:
            pool.close()

    guarded = SecurityMiddleware(Starlette(routes=[Route(CALLS, calls)], lifespan=running), access)
    return Metered(guarded, meter=meter, routes=[CALLS])
