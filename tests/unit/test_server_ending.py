"""How a server process ends: with the status of what ended it, and without a wait for threads that have nothing to do."""

import asyncio
import threading
from types import SimpleNamespace

import pytest

import search.server.run
from schema.settings import Settings
from search.server.application import agents_application, full_application
from search.server.meter import Meter
from search.server.pool import WorkPool
from search.server.run import ServerOptions, leave, serve
from search.server.security import Access


class EndedError(BaseException):
    """The process would have ended here; the argument is its status."""


@pytest.fixture
def loading(monkeypatch):
    """A thread still loads a model, so that the process can only be ended by force."""

    def end(status):
        raise EndedError(status)

    monkeypatch.setattr("os._exit", end)
    monkeypatch.setattr(search.server.run, "THREAD_PREFIX", "only of this test")  # other tests may leave threads of theirs
    done = threading.Event()
    thread = threading.Thread(target=done.wait, name=search.server.run.LOADING_THREAD)
    thread.start()
    yield
    done.set()
    thread.join()


@pytest.mark.parametrize(("error", "status", "logged"), [
    (None, 0, []), (SystemExit(3), 3, []), (KeyboardInterrupt(), 130, []),
    (OSError("no room"), 1, ["the server ended by an error"]),
])  # fmt: skip
def test_the_status_tells_what_ended_the_server_also_where_it_is_ended_by_force(loading, caplog, error, status, logged):
    def ended():
        try:
            if error is not None:
                raise error
        finally:
            leave()

    with pytest.raises(EndedError) as end:
        ended()
    assert (end.value.args, caplog.messages) == ((status,), logged)


def test_a_server_whose_application_cannot_start_ends_with_an_error(loading, tmp_path, monkeypatch):
    async def broken(scope, receive, send):
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no room"})

    monkeypatch.setattr("search.server.run.full_application", lambda *_: broken)
    answers = SimpleNamespace(index_dir=tmp_path, prepare=lambda: None)
    with pytest.raises(EndedError) as end:
        serve(answers, place=ServerOptions(port=0), settings=Settings(), told=lambda _: None)
    assert end.value.args == (3,)  # uvicorn's status, which logs the reason


@pytest.mark.parametrize("build", [full_application, agents_application])
def test_threads_without_work_end_with_a_server_that_is_ended_at_once(tmp_path, monkeypatch, build):
    closed = []

    def close(pool):
        closed.append(pool)

    monkeypatch.setattr(WorkPool, "close", close)
    answers = SimpleNamespace(index_dir=tmp_path, prepare=lambda: None, on_search=None)
    app = build(answers, Access(), Meter())

    async def run():
        is_started, asked = asyncio.Event(), iter([{"type": "lifespan.startup"}])

        async def receive():
            return next(asked, None) or await asyncio.Event().wait()

        async def send(message):
            assert message["type"] == "lifespan.startup.complete"
            is_started.set()

        running = asyncio.create_task(app({"type": "lifespan", "state": {}, "app": app}, receive, send))
        await is_started.wait()
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(run())
    assert closed
