"""Whether a server is ready, and how it is told to stop: no question is refused before its time."""

import asyncio
import signal
import threading
from pathlib import Path

import pytest

from schema.errors import IndexNotFoundError
from search.server.readiness import Readiness, StoppingError
from search.server.run import Named, configured
from search.server.stopping import StoppingServer


def test_calls_at_the_same_time_share_one_check():
    begun, go = [], threading.Event()

    def prepare():
        begun.append(1)
        go.wait(10)

    async def all_at_once():
        readiness = Readiness(prepare)
        waiting = [asyncio.create_task(readiness.check()) for _ in range(20)]
        while not begun:
            await asyncio.sleep(0.01)
        go.set()
        await asyncio.gather(*waiting)
        await readiness.check()

    asyncio.run(all_at_once())
    assert len(begun) == 2  # one for the twenty, one for the call after them


def test_a_caller_that_leaves_does_not_end_the_check_of_another():
    go = threading.Event()

    async def one_leaves():
        readiness = Readiness(lambda: go.wait(10))
        leaving, staying = asyncio.create_task(readiness.check()), asyncio.create_task(readiness.check())
        await asyncio.sleep(0)
        leaving.cancel()
        go.set()
        return await asyncio.gather(leaving, staying, return_exceptions=True)

    left, stayed = asyncio.run(one_leaves())
    assert isinstance(left, asyncio.CancelledError)
    assert stayed is None


def test_what_keeps_the_server_from_answering_is_raised_and_asked_again_at_the_next_check():
    reasons = [IndexNotFoundError("There is no index.", index_dir=Path("none"))]

    def prepare():
        if reasons:
            raise reasons.pop()

    async def twice():
        readiness = Readiness(prepare)
        with pytest.raises(IndexNotFoundError):
            await readiness.check()
        await readiness.check()

    asyncio.run(twice())


def test_a_server_that_is_told_to_stop_is_not_ready_even_by_a_check_that_began_before():
    go = threading.Event()

    async def told_meanwhile():
        readiness = Readiness(lambda: go.wait(10))
        waiting = asyncio.create_task(readiness.check())
        await asyncio.sleep(0)
        readiness.is_stopping = True
        go.set()
        with pytest.raises(StoppingError):
            await waiting
        with pytest.raises(StoppingError):
            await readiness.check()

    asyncio.run(told_meanwhile())


# -- signals ---------------------------------------------------------------------------------------------------------------


async def nothing(scope, receive, send):
    await send({"type": "http.response.start", "status": 204, "headers": []})


def server_with(drain):
    return StoppingServer(configured(nothing), Readiness(lambda: None), drain=drain)


def is_over(server):
    return asyncio.run(server.on_tick(1))


def test_after_sigterm_it_answers_on_for_the_seconds_given_without_being_ready(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("search.server.stopping.time.monotonic", lambda: now[0])
    server = server_with(5.0)
    assert not server.readiness.is_stopping
    server.handle_exit(signal.SIGTERM, None)
    assert (server.readiness.is_stopping, server.should_exit, is_over(server)) == (True, False, False)
    now[0] = 104.9
    assert not is_over(server)
    now[0] = 105.0
    assert is_over(server)


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_the_draining(second):
    server = server_with(3600.0)
    server.handle_exit(signal.SIGTERM, None)
    server.handle_exit(second, None)
    assert (is_over(server), server.force_exit) == (True, False)


@pytest.mark.parametrize(("number", "drain"), [(signal.SIGINT, 3600.0), (signal.SIGTERM, 0.0)])
def test_sigint_and_a_server_that_does_not_drain_stop_at_once(number, drain):
    server = server_with(drain)
    server.handle_exit(number, None)
    assert (server.readiness.is_stopping, is_over(server)) == (True, True)


@pytest.mark.parametrize("is_stopping", [False, True])
def test_a_server_that_is_being_stopped_ends_each_connection_with_its_answer(is_stopping):
    sent = []
    readiness = Readiness(lambda: None)
    readiness.is_stopping = is_stopping

    async def send(message):
        sent.append(message)

    asyncio.run(Named(nothing, "name", readiness)({"type": "http"}, None, send))
    headers = dict(sent[0]["headers"])
    assert headers[b"sectionary-instance"] == b"name"
    assert (headers.get(b"connection") == b"close") is is_stopping


def given_up(app, *, is_stopping):
    """What a client gets of a request whose task is cancelled while it is answered."""
    sent = []
    readiness = Readiness(lambda: None)
    readiness.is_stopping = is_stopping

    async def send(message):
        sent.append(message)

    async def cancelled():
        task = asyncio.create_task(Named(app, "name", readiness)({"type": "http"}, None, send))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancelled())
    return sent


async def never(scope, receive, send):
    await asyncio.sleep(3600)


async def half(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await asyncio.sleep(3600)


def test_a_request_that_is_given_up_at_the_end_gets_503_and_may_be_asked_of_another_server():
    start, body = given_up(never, is_stopping=True)
    assert (start["status"], dict(start["headers"])[b"retry-after"]) == (503, b"1")
    assert b'"kind": "busy", "code": "stopping"' in body["body"]


def test_an_answer_that_was_begun_is_not_answered_twice_and_a_request_of_a_server_that_goes_on_not_at_all():
    assert [message.get("status") for message in given_up(half, is_stopping=True)] == [200]
    assert given_up(never, is_stopping=False) == []
