"""The soak of benchmarks/soak.py in short: many clients on real documentation while its index is written again and again."""

from pathlib import Path

import pytest

from benchmarks.soak import BOOK, soak

CLIENTS, SECONDS = 16, 5.0

pytestmark = pytest.mark.slow


@pytest.mark.process
@pytest.mark.model
@pytest.mark.skipif(not BOOK.is_dir(), reason="the corpora of real documentation are not beside the project")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process is read from /proc")
def test_many_clients_are_answered_while_the_index_is_written(tmp_path, capsys, sample_manual):
    # `sample_manual` has left the graphs of the models: a server that has to make them takes hundreds of megabytes for it
    found = soak(tmp_path, BOOK, seconds=SECONDS, clients=CLIENTS, every=0.2, writes=2)
    with capsys.disabled():
        print(f"\n{found.told()}")
    assert found.faults == []
    assert set(found.statuses) <= {200, 404, 503}
    assert found.statuses[200] > CLIENTS
    assert found.writes >= 2
    # a busy machine takes seconds until all threads of the server are there, each with memory of its own
    settled = next(sample for sample in found.samples if sample.threads >= 0.8 * found.late.threads)
    assert found.late.own < 1.25 * max(found.early.own, settled.own) + 96e6
    assert found.late.threads < found.early.threads + 24
    assert found.late.descriptors < found.early.descriptors + 40
