"""A number of processes and a cluster → who does the jobs of a run."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from indexer.models.cores import usable_cores
from indexer.workers.base import Here, Packed, Setup, Workers
from schema.errors import LibraryMissingError


def workers_of(count: int, cluster: str, *, tools: Any, setup: Setup) -> Workers:
    """Return who does jobs: a Ray cluster if one is named, else `count` processes, or this process for less than two.

    `tools` are those of this process, and `setup` makes those of another. `count` 0 is as many as a cluster has processors.
    Nothing is started before there are jobs.

    Raises:
        LibraryMissingError: a cluster is named, and Ray is not installed.
        WorkersError: the setup cannot be sent to other processes.
    """
    if cluster:
        if find_spec("ray") is None:
            raise LibraryMissingError(
                "Ray, which a cluster needs, is not installed; install it with `pip install 'sectionary[cluster]'`, or use "
                "--workers for several processes on this machine."
            )
        from indexer.workers.ray_cluster import RayCluster

        return RayCluster(cluster, count, tools=tools, setup=Packed.of(setup))
    if count < 2:
        return Here(tools)
    from indexer.workers.pool import WorkerPool
    from indexer.workers.processes import ProcessWorker

    sent, cores = Packed.of(setup), max(1, usable_cores() // count)
    return WorkerPool(lambda: ProcessWorker(sent, cores), lambda: count, tools=tools)
