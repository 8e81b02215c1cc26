"""Jobs → results by the workers of a Ray cluster, which need Sectionary and its models, but none of the files.

Everything of Ray is here. Without an address a cluster of this machine is started, which no other machine can reach, and
ended after the run.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import secrets
import signal
import socket
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any

from indexer.models.cores import usable_cores
from indexer.workers.base import Answer, Bench, Job, Kept, Setup, environment
from indexer.workers.pool import WorkerPool
from schema.errors import WorkersError

#: What stands for the cluster in Ray's own variable, or else for one of this machine that is started for the run.
ANY = "ray"
#: Ray's own variable with the address of a cluster.
_ADDRESS = "RAY_ADDRESS"
#: Most workers, unless a number is given.
_MOST_WORKERS = 64
#: Memory of a local cluster for what is sent (bytes): jobs that are not answered yet have less.
_STORE_BYTES = 256 << 20
#: How long the machine of a cluster may take to answer (seconds).
_REACH_SECONDS = 10.0
#: Ray's workers, on all machines, take modules first from the folder in which Ray was started. So it is started where there
#: are none, and where only who may do everything can put one.
_NOWHERE = os.path.abspath(os.sep)
#: Read by Ray when it is imported: it tells its makers nothing, and prints nothing about GPUs and workers that ended.
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "1",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # lines to leave out
}
#: The same for a local cluster, which listens on the loopback interface alone (the variable's name tells where that is the
#: default), and takes jobs from nobody without a token: other users of this machine can connect to it too.
LOCAL = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}

#: The same for a cluster that is named: each of these attempts takes most of a minute.
NAMED = {"RAY_NUM_REDIS_GET_RETRIES": "2"}


class RayWorker:
    """An actor that may use so many processor cores and GPUs of the cluster."""

    def __init__(self, ray: Any, setup: Setup, *, cores: int, gpus: int = 0) -> None:
        self._ray = ray
        # another actor is started by who gives the jobs, which knows what was not answered
        options = {"num_cpus": 0 if gpus else cores, "num_gpus": gpus, "max_restarts": 0, "max_task_retries": 0}
        self._actor = ray.remote(**options)(_Actor).remote(setup, cores)
        self.ready: Future[str] = self._actor.version.remote().future()

    def submit(self, jobs: Sequence[Job]) -> Future[Answer]:
        """Begin to do jobs."""
        found: Future[Answer] = self._actor.perform.remote(list(jobs)).future()
        return found

    def why_lost(self, error: BaseException) -> str | None:
        """Return why the actor has ended, None if it has not."""
        errors = self._ray.exceptions
        if isinstance(error, errors.RayActorError | errors.WorkerCrashedError | errors.ObjectLostError):
            return _last_line(error)
        return None

    def stop(self) -> None:
        """End the actor."""
        with contextlib.suppress(Exception):  # whatever Ray raises for an actor or a cluster that is gone
            self._ray.kill(self._actor)


class _Actor:
    """What runs in a worker of the cluster."""

    def __init__(self, setup: Setup, cores: int) -> None:
        self._bench = Bench(setup, cores)

    def version(self) -> str:
        return self._bench.version()

    def perform(self, jobs: Sequence[Job]) -> Answer:
        return self._bench.perform(jobs)


class RayCluster:
    """The workers of the cluster at `address`: `ANY`, or an address that Ray knows.

    There are at most `count` of them, by default one for each processor. Jobs that a GPU does faster go to one worker for
    each GPU, if the cluster has any. It is connected to when there are jobs.
    """

    def __init__(self, address: str, count: int, *, tools: Any, setup: Setup) -> None:
        self._address = address
        self._count = count
        self._tools = tools
        self._setup = setup
        self._ray: Any = None
        self._held = contextlib.ExitStack()  # what was started, and what was changed for it
        self._pools: dict[bool, WorkerPool] = {}

    def map(
        self, jobs: Iterable[tuple[Kept, Any]], should_stop: Callable[[], bool] = lambda: False, *, is_timed: bool = False
    ) -> Iterator[tuple[Kept, Any]]:
        """Yield for each job, in order, what was kept beside it and its result; see `Workers.map`."""
        jobs = iter(jobs)
        first = list(itertools.islice(jobs, 2))
        is_for_gpu = len(first) == 2 and first[0][1].is_for_gpu and bool(self._resource("GPU"))
        if is_for_gpu not in self._pools:
            for pool in self._pools.values():  # the processors are needed for other workers
                pool.close()
            self._pools = {is_for_gpu: self._pool(gpus=is_for_gpu)}
        yield from self._pools[is_for_gpu].map(itertools.chain(first, jobs), should_stop, is_timed=is_timed)

    def close(self) -> None:
        """Stop all workers, and the cluster if it was started for this run."""
        try:
            for pool in self._pools.values():
                pool.close()
            self._pools = {}
        finally:
            self._ray = None
            self._held.close()

    def _pool(self, *, gpus: bool) -> WorkerPool:
        def count() -> int:
            if gpus:
                return max(1, self._resource("GPU"))
            return self._count or max(1, min(_MOST_WORKERS, self._resource("CPU")))

        def start() -> RayWorker:
            cores = min(self._resource("CPU") // count(), self._smallest())
            return RayWorker(self._connected(), self._setup, cores=max(1, cores), gpus=int(gpus))

        return WorkerPool(start, count, tools=self._tools)

    def _resource(self, name: str) -> int:
        """Return how many processors or GPUs the cluster has."""
        return int(self._connected().cluster_resources().get(name, 0))

    def _smallest(self) -> int:
        """Return the processors of the machine that has fewest: a worker that wants more would have to wait for ever."""
        found = (int(node["Resources"].get("CPU", 0)) for node in self._connected().nodes() if node["Alive"])
        return min((cores for cores in found if cores), default=1)

    def _connected(self) -> Any:
        """Return Ray, connected to the cluster.

        Raises:
            WorkersError: it cannot be loaded, or no such cluster answers.
        """
        if self._ray is None:
            self._held.enter_context(environment(QUIET | (LOCAL if self._wanted == "local" else NAMED)))
            try:
                if not _is_connected():
                    _reach(self._wanted)  # before the import: a process keeps to the authentication that Ray met first
                import ray

                if not ray.is_initialized():
                    place = self._place()
                    self._held.callback(_shut_down, ray)
                    with _handlers_kept(), contextlib.chdir(_NOWHERE), warnings.catch_warnings():
                        # Ray starts other programs, in which nothing of LanceDB runs
                        warnings.filterwarnings("ignore", "lancedb fork support", RuntimeWarning)
                        ray.init(logging_level=logging.CRITICAL, log_to_driver=False, **place)
            except Exception as error:
                self._held.close()
                where = "on this machine" if self._wanted == "local" else f"at {self._wanted}"
                raise WorkersError(
                    f"There is no Ray cluster {where} that can be used ({_last_line(error)}); start it with `ray start "
                    "--head`, name another one, or use --workers."
                ) from error
            self._ray = ray
        return self._ray

    @property
    def _wanted(self) -> str:
        return (os.environ.get(_ADDRESS) or "local") if self._address == ANY else self._address

    def _place(self) -> dict[str, Any]:
        """Return what Ray needs to find a cluster, or to start one that only this user of this machine can use."""
        if self._wanted != "local":
            return {"address": self._wanted}
        folder = tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True)
        return {
            "address": "local",
            "num_cpus": usable_cores(),
            "include_dashboard": False,
            "object_store_memory": _STORE_BYTES,
            "_node_ip_address": "127.0.0.1",
            "_temp_dir": self._held.enter_context(folder),
        }


def _is_connected() -> bool:
    loaded = sys.modules.get("ray")
    return loaded is not None and bool(loaded.is_initialized())


def _reach(address: str) -> None:
    """Connect to an address once, since Ray tries for many minutes.

    Raises:
        OSError: nobody answers there.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host:  # as it has unless Ray's own variable holds a word
        socket.create_connection((host.strip("[]"), int(port)), timeout=_REACH_SECONDS).close()


def _shut_down(ray: Any) -> None:
    with contextlib.suppress(Exception):  # whatever Ray raises when it was started in part
        ray.shutdown()


@contextlib.contextmanager
def _handlers_kept() -> Iterator[None]:
    """Undo what Ray does with the signal that asks a run to stop."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


def _last_line(error: BaseException) -> str:
    """Return the last line of an error's message, where Ray says what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:300]
