"""Workers of a pool: results in order, few jobs ahead, and what an ended worker did not answer is done by another."""

import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass

import pytest

import indexer.workers.pool
import schema
from indexer.workers.base import Bench, Here, Problem
from indexer.workers.choice import workers_of
from indexer.workers.pool import ATTEMPTS, MOST_BYTES, SENT_BYTES, WorkerPool
from schema.errors import LibraryMissingError, ModelError, SectionaryError, WorkersError


@dataclass(frozen=True)
class Double:
    """A job that doubles a number; `error` is raised instead."""

    number: int
    error: Exception | None = None
    size: int = SENT_BYTES
    is_for_gpu: bool = False

    def do(self, tools):
        if self.error is not None:
            raise self.error
        tools.append(self.number)
        return self.number * 2


class EndedError(Exception):
    """What a worker of these tests answers when it has ended."""


class FakeWorker:
    """Answers when it is told to, or at once; `lives` is how many tasks it answers before it ends."""

    def __init__(self, log, *, lives=1_000_000, version=schema.VERSION, is_ready=True, is_quick=True):
        self.log, self.lives, self.is_quick = log, lives, is_quick
        self.done, self.asked, self.is_stopped = [], [], False
        self.ready = Future()
        if is_ready:
            self.ready.set_result(version)
        log.append(self)

    def submit(self, jobs):
        future = Future()
        self.asked.append((jobs, future))
        if self.is_quick:
            self.answer()
        return future

    def answer(self):
        jobs, future = self.asked.pop(0)
        if self.lives <= 0:
            future.set_exception(EndedError("it was killed"))
            return
        self.lives -= 1
        future.set_result(Bench(self, 1).perform(jobs))

    def tools(self, cores):
        return self.done

    def why_lost(self, error):
        return str(error) if isinstance(error, EndedError) else None

    def stop(self):
        self.is_stopped = True


@pytest.fixture
def log():
    return []


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(indexer.workers.pool, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(indexer.workers.pool, "READY_SECONDS", 0.01)


def pool_of(log, count=2, **options):
    return WorkerPool(lambda: FakeWorker(log, **options), lambda: count, tools=[])


def doubled(pool, numbers, **options):
    return list(pool.map((number, Double(number, **options)) for number in numbers))


def test_results_come_in_the_order_of_the_jobs_whoever_is_done_first(log):
    pool = pool_of(log, is_quick=False)
    found = pool.map((n, Double(n)) for n in range(4))
    first = []
    waiting = threading.Thread(target=lambda: first.append(next(found)))
    waiting.start()
    while len(log) < 2 or not all(len(worker.asked) for worker in log):
        time.sleep(0.001)
    log[1].answer()  # the second job is done before the first
    while log[0].asked:
        log[0].answer()
    waiting.join()
    for worker in log:
        worker.is_quick = True
        while worker.asked:
            worker.answer()
    assert [*first, *found] == [(0, 0), (1, 2), (2, 4), (3, 6)]


def test_a_single_task_is_done_here_and_starts_no_worker(log):
    pool = WorkerPool(lambda: FakeWorker(log), lambda: pytest.fail("the number is not needed"), tools=[])
    assert (doubled(pool, [1]), doubled(pool, [1, 2, 3], size=10), log) == ([(1, 2)], [(1, 2), (2, 4), (3, 6)], [])


def test_nothing_is_done_without_jobs(log):
    assert (doubled(pool_of(log), []), log) == ([], [])


def test_small_jobs_are_sent_together(log):
    pool = pool_of(log, count=1)
    assert doubled(pool, range(40), size=SENT_BYTES // 10) == [(n, 2 * n) for n in range(40)]
    assert (len(log), log[0].lives) == (1, 1_000_000 - 4)


def test_no_more_workers_are_started_than_there_are_tasks(log):
    doubled(pool_of(log, count=8, is_quick=True), range(2))
    assert len(log) <= 2


def taken_while_nobody_answers(log, count, size=SENT_BYTES, **options):
    """How many jobs are taken while no worker answers."""
    taken, ended = [], threading.Event()

    def jobs():
        for number in range(100):
            taken.append(number)
            yield number, Double(number, size=size)

    found = pool_of(log, count, is_quick=False).map(jobs(), ended.is_set, **options)
    waiting = threading.Thread(target=lambda: next(found, None))
    waiting.start()
    before = -1
    while not log or before != len(taken):  # no more are taken
        before = len(taken)
        time.sleep(0.02)
    ended.set()
    waiting.join()
    return len(taken)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_jobs_are_taken_a_bounded_number_ahead_of_the_results(log, count):
    assert taken_while_nobody_answers(log, count) == 4 * count + 1


def test_fewer_jobs_are_taken_ahead_where_a_clock_ends_them(log):
    assert taken_while_nobody_answers(log, 3, is_timed=True) == 2 * 3 + 1


def test_bytes_that_are_not_answered_yet_are_bounded(log):
    assert taken_while_nobody_answers(log, 4, MOST_BYTES // 2) == 3


def test_what_an_ended_worker_did_not_answer_is_done_by_another(log):
    lives = iter([2, 1_000_000, 1_000_000, 1_000_000])
    pool = WorkerPool(lambda: FakeWorker(log, lives=next(lives)), lambda: 2, tools=[])
    assert doubled(pool, range(12)) == [(n, 2 * n) for n in range(12)]
    assert [worker.is_stopped for worker in log] == [True, False, False][: len(log)]
    assert sorted(number for worker in log for number in worker.done) == list(range(12))


def test_a_job_that_ends_every_worker_is_given_up_with_the_reason(log):
    with pytest.raises(WorkersError, match=r"3 workers ended one after the other in the same work \(it was killed\)"):
        doubled(pool_of(log, count=1, lives=0), range(3))
    assert (len(log), all(worker.is_stopped for worker in log)) == (ATTEMPTS, True)


def test_workers_that_end_again_and_again_between_answers_do_not_end_the_run(log):
    assert doubled(pool_of(log, count=1, lives=1), range(6)) == [(n, 2 * n) for n in range(6)]
    assert len(log) == 6


def test_workers_that_never_start_are_told_with_the_reason(log):
    def start():
        worker = FakeWorker(log, is_ready=False)
        worker.ready.set_exception(EndedError("no room"))
        return worker

    with pytest.raises(WorkersError, match=r"Workers cannot be started \(no room\)"):
        doubled(WorkerPool(start, lambda: 1, tools=[]), range(3))
    assert len(log) == ATTEMPTS


def test_the_run_goes_on_with_the_workers_that_could_be_started(log, caplog):
    def start():
        worker = FakeWorker(log, is_ready=not log, is_quick=False)
        if len(log) > 1:
            worker.ready.set_exception(EndedError("no Sectionary there"))
        return worker

    def answer():
        while not ended.wait(0.001):
            while log and log[0].asked:
                log[0].answer()

    ended = threading.Event()
    answering = threading.Thread(target=answer)
    answering.start()
    try:
        assert doubled(WorkerPool(start, lambda: 4, tools=[]), range(40)) == [(n, 2 * n) for n in range(40)]
    finally:
        ended.set()
        answering.join()
    assert len(log[0].done) == 40
    assert ATTEMPTS < len(log) < 2 * ATTEMPTS  # some may be starting when no further one is tried
    assert caplog.messages == ["only 1 of 4 workers can be started: no Sectionary there"]


def test_workers_that_are_not_ready_in_time_are_told(log):
    with pytest.raises(WorkersError, match="No worker could be started within"):
        doubled(pool_of(log, is_ready=False), range(3))


def test_a_worker_that_is_never_ready_stops_nobody_else(log):
    ready = iter([True, False, False])
    pool = WorkerPool(lambda: FakeWorker(log, is_ready=next(ready)), lambda: 3, tools=[])
    assert doubled(pool, range(9)) == [(n, 2 * n) for n in range(9)]
    assert len(log[0].done) == 9


def test_another_version_of_a_worker_is_refused(log):
    with pytest.raises(WorkersError, match=r"A worker has Sectionary 0\.0\.1 and this process"):
        doubled(pool_of(log, version="0.0.1"), range(3))


def test_an_error_of_a_job_is_raised_and_ends_all_workers(log):
    pool = pool_of(log)
    jobs = [(0, Double(0)), (1, Double(1, ModelError("no such model"))), (2, Double(2))]
    with pytest.raises(ModelError, match="no such model"):
        list(pool.map(jobs))
    assert all(worker.is_stopped for worker in log)


def test_a_fault_in_a_job_is_told_with_where_it_was(log):
    with pytest.raises(RuntimeError, match=r"(?s)fault of Sectionary.*in do\b.*ZeroDivisionError"):
        list(pool_of(log).map([(0, Double(0)), (1, Double(1, ZeroDivisionError()))]))


def test_an_error_that_cannot_be_sent_back_keeps_its_sentence():
    class OwnError(SectionaryError):
        def __init__(self, message, *, needed):
            super().__init__(message)

    assert str(Problem.of(OwnError("it is full", needed=1)).raised()) == "it is full"


def test_a_run_that_is_stopped_waits_for_no_answer(log):
    pool = pool_of(log, is_quick=False)
    assert list(pool.map(((n, Double(n)) for n in range(9)), lambda: True)) == []
    assert [worker.is_stopped for worker in log] == [True, True]


def test_a_pool_can_be_used_again_after_it_was_closed(log):
    pool = pool_of(log, count=1)
    doubled(pool, range(3))
    pool.close()
    assert doubled(pool, range(3)) == [(0, 0), (1, 2), (2, 4)]
    assert [worker.is_stopped for worker in log] == [True, False]


def test_a_worker_whose_end_was_interrupted_is_stopped_by_the_next_call(log):
    class Stubborn(FakeWorker):
        tries = 0

        def stop(self):
            self.tries += 1
            if self.tries == 1:
                raise KeyboardInterrupt
            super().stop()

    pool = WorkerPool(lambda: Stubborn(log, is_quick=False), lambda: 2, tools=[])
    with pytest.raises(KeyboardInterrupt):
        list(pool.map(((n, Double(n)) for n in range(9)), lambda: True))
    with pytest.raises(KeyboardInterrupt):
        pool.close()
    pool.close()
    assert [worker.is_stopped for worker in log] == [True, True]


def test_less_than_two_workers_are_this_process():
    assert all(isinstance(workers_of(count, "", tools=[], setup=None), Here) for count in (0, 1))
    assert isinstance(workers_of(2, "", tools=[], setup=None), WorkerPool)


def test_a_cluster_without_ray_says_what_to_install(monkeypatch):
    monkeypatch.setattr("indexer.workers.choice.find_spec", lambda name: None)
    with pytest.raises(LibraryMissingError, match=r"pip install 'sectionary\[cluster\]'"):
        workers_of(2, "ray", tools=[], setup=None)
