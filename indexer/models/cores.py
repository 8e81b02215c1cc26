"""A number of processor cores → limits for every library that computes vectors in this process."""

from __future__ import annotations

import os
import sys

#: What the libraries' own threads read when they are loaded: OpenMP (torch), MKL, OpenBLAS (numpy), Rayon (tokenizers).
VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")
#: The limit of this process, as "cores"; empty for none.
limit: dict[str, int] = {}


def use_cores(count: int) -> None:
    """Let libraries use at most `count` cores of this process's from now on, also those that are not loaded yet."""
    limit["cores"] = count
    os.environ.update(dict.fromkeys(VARIABLES, str(count)))
    from threadpoolctl import threadpool_limits

    threadpool_limits(count)
    if "torch" in sys.modules:
        import torch

        torch.set_num_threads(count)


def usable_cores() -> int:
    """Return how many cores this process may use, at least 1."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(found, limit.get("cores", found)))
