"""More than the HTTP server can do at once: a full queue, and what takes too long."""

import asyncio
import socket
import threading
import time

import pytest

from search.server.http import create_app
from search.server.pool import BusyError, WorkPool
from search.server.security import Access
from tests.http_site import site_of


class SlowAnswers:
    """Answers a status when it is let go."""

    def __init__(self):
        self.go = threading.Event()
        self.begun = 0

    def status(self):
        self.begun += 1
        self.go.wait(30)
        return {"name": "slow"}


def slow_site(**limits):
    slow = SlowAnswers()
    app = create_app(slow, access=Access(), pool=WorkPool(**limits))
    return slow, site_of(app)


def test_a_full_queue_says_when_to_ask_again():
    slow, serving = slow_site(workers=1, waiting=1)
    with serving as site:
        replies = []
        threads = [threading.Thread(target=lambda: replies.append(site.get("/api/status"))) for _ in range(2)]
        for thread in threads:
            thread.start()
            time.sleep(0.3)
        third = site.get("/api/status")
        assert (third.status, third.kind, third.headers["retry-after"]) == (503, "busy", "1")
        assert site.get("/healthz").status == 200
        slow.go.set()
        for thread in threads:
            thread.join()
        assert [reply.status for reply in replies] == [200, 200]
        assert site.get("/api/status").status == 200


def test_question_whose_client_has_left_is_not_begun_and_leaves_its_place_to_others():
    slow, serving = slow_site(workers=1, spare=0, waiting=1)
    with serving as site:
        replies = []
        first, last = (threading.Thread(target=lambda: replies.append(site.get("/api/status"))) for _ in range(2))
        first.start()
        time.sleep(0.3)
        with socket.create_connection(("127.0.0.1", site.port)) as leaving:
            leaving.sendall(f"GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n\r\n".encode())
            time.sleep(0.3)
            assert site.get("/api/status").status == 503
        time.sleep(0.3)
        last.start()
        time.sleep(0.3)
        slow.go.set()
        first.join()
        last.join()
        assert ([reply.status for reply in replies], slow.begun) == ([200, 200], 2)


def test_what_takes_too_long_is_given_up_and_what_waited_is_never_begun():
    slow, serving = slow_site(workers=1, spare=0, waiting=4, time_limit=0.5)
    with serving as site:
        replies = []
        threads = [threading.Thread(target=lambda: replies.append(site.get("/api/status"))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {(reply.status, reply.kind) for reply in replies} == {(504, "time_limit")}
        slow.go.set()
        time.sleep(0.2)
        assert slow.begun == 1


def test_slow_work_does_not_keep_others_waiting():
    async def run():
        pool = WorkPool(workers=2, spare=2, waiting=4, time_limit=5, slow_after=0.2)
        gate = threading.Event()
        heavy = [asyncio.create_task(pool.run(gate.wait)) for _ in range(2)]
        await asyncio.sleep(0)
        third = await pool.run(lambda: "answered")
        assert [one.done() for one in heavy] == [False, False]
        gate.set()
        assert [(await one).value for one in heavy] == [True, True]
        return third.value, third.waited_ms

    value, waited = asyncio.run(run())
    assert value == "answered"
    assert waited < 2000


def test_work_past_its_limit_takes_no_more_threads_than_are_spare():
    async def run():
        pool = WorkPool(workers=1, spare=2, waiting=8, time_limit=1.0, slow_after=0.1)
        gate = threading.Event()
        begun = []

        def hang(number):
            begun.append(number)
            gate.wait()

        stuck = await asyncio.gather(*(pool.run(lambda i=i: hang(i)) for i in range(5)), return_exceptions=True)
        assert [type(one) for one in stuck] == [TimeoutError] * 5
        assert begun == [0, 1, 2]
        gate.set()
        return (await pool.run(lambda: "answered")).value

    assert asyncio.run(run()) == "answered"


def test_threads_that_end_late_are_used_again():
    async def run():
        pool = WorkPool(workers=1, spare=1, waiting=1, time_limit=0.3, slow_after=0.05)
        for _ in range(3):
            gate = threading.Event()
            stuck = await asyncio.gather(pool.run(gate.wait), pool.run(gate.wait), return_exceptions=True)
            assert [type(one) for one in stuck] == [TimeoutError, TimeoutError]
            gate.set()
            assert (await pool.run(lambda: 1)).value == 1

    asyncio.run(run())


def test_the_pool_raises_what_the_work_raises():
    def fail():
        raise KeyError("x")

    with pytest.raises(KeyError):
        asyncio.run(WorkPool().run(fail))


def test_the_pool_counts_only_what_is_inside():
    async def run():
        pool = WorkPool(workers=1, waiting=0)
        for i in range(5):
            assert (await pool.run(lambda i=i: i)).value == i
            await asyncio.sleep(0)
        gate = threading.Event()
        first = asyncio.create_task(pool.run(gate.wait))
        await asyncio.sleep(0.05)
        with pytest.raises(BusyError):
            await pool.run(lambda: None)
        gate.set()
        return (await first).value

    assert asyncio.run(run()) is True
