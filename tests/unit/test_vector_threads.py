"""Parts of work on several threads, with linear algebra on one thread meanwhile."""

import os
import sys
import threading

import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from indexer.models import cores
from indexer.models.multilingual import threads
from indexer.models.multilingual.threads import mapped


def blas_threads():
    """Of the libraries that numpy calls: other packages may have loaded some of their own meanwhile."""
    found = ThreadpoolController().select(user_api="blas").info()
    return [library["num_threads"] for library in found if "numpy" in library["filepath"]]


@pytest.fixture
def two_cores(monkeypatch):
    monkeypatch.setattr(threads, "usable_cores", lambda: 2)


def test_results_come_in_the_order_of_the_parts(two_cores):
    assert mapped(lambda part: part * 2, list(range(20))) == list(range(0, 40, 2))


def test_parts_are_done_at_the_same_time_where_there_are_cores(two_cores):
    meeting = threading.Barrier(2, timeout=10)
    assert sorted(mapped(lambda part: meeting.wait(), [1, 2])) == [0, 1]


def test_a_single_part_is_done_by_the_thread_that_asks(two_cores):
    assert mapped(lambda part: threading.current_thread(), [1]) == [threading.current_thread()]


def test_linear_algebra_has_one_thread_meanwhile_and_as_many_as_before_afterwards(two_cores):
    before = blas_threads()
    found = mapped(lambda part: blas_threads(), [1])
    assert found == [[1] * len(before)]
    assert blas_threads() == before


def test_callers_that_overlap_leave_as_many_threads_as_before(two_cores):
    before = blas_threads()
    is_inside, may_leave = threading.Event(), threading.Event()

    def first(part):
        is_inside.set()
        may_leave.wait(10)

    caller = threading.Thread(target=mapped, args=(first, [1]))

    def second(part):
        may_leave.set()
        caller.join()
        return blas_threads()

    caller.start()
    is_inside.wait(10)
    assert mapped(second, [1]) == [[1] * len(before)]
    assert blas_threads() == before


def test_an_error_of_a_part_is_raised_and_the_threads_are_as_before(two_cores):
    before = blas_threads()
    with pytest.raises(ZeroDivisionError):
        mapped(lambda part: 1 // part, [1, 0])
    assert blas_threads() == before


@pytest.fixture
def limits(monkeypatch):
    monkeypatch.setattr(cores, "limit", {})
    monkeypatch.delitem(sys.modules, "torch", raising=False)  # which another test may have loaded
    for name in cores.VARIABLES:
        monkeypatch.setenv(name, "")
    with threadpool_limits():  # so that they are put back
        yield


def test_a_worker_uses_no_more_cores_than_its_share(limits, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(8), raising=False)
    assert cores.usable_cores() == 8
    cores.use_cores(3)
    assert (cores.usable_cores(), os.environ["OMP_NUM_THREADS"], os.environ["RAYON_NUM_THREADS"]) == (3, "3", "3")


def test_libraries_that_are_loaded_are_limited_too(limits):
    cores.use_cores(1)
    assert set(blas_threads()) == {1}
