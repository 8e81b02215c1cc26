"""An index that the workers of a Ray cluster made: the same table as one process makes, although a worker is killed.

The cluster has two machines with a processor each, which are processes of this machine.
"""

import os
import shutil
import signal
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import indexer.sync.embedding
import indexer.workers.pool
import indexer.workers.ray_cluster
from indexer import Indexer, Settings
from schema.errors import ModelError, WorkersError
from schema.index_files.layout import store_dir
from schema.storage.table import SectionTable
from tests.conftest import Project, WordEmbedder
from tests.integration.test_workers import Broken, assert_same, write_files

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(not find_spec("ray"), reason="Ray is not installed: make test-cluster does it"),
]
CORPORA = Path(__file__).resolve().parents[3] / "shared" / "corpora"
#: The largest difference of two numbers in unit vectors that count as equal. Some processors compute in 16 bits, where a few
#: texts differ by more, also between two runs of one process: so the models are told to compute in 32.
NOISE = 1e-4


@pytest.fixture(scope="module")
def machines():
    """A cluster of two machines with a worker each, and a third that only keeps its records."""
    os.environ.update(indexer.workers.ray_cluster.QUIET | indexer.workers.ray_cluster.LOCAL)
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1, include_dashboard=False) for _ in range(2)]
    cluster.wait_for_nodes()
    yield cluster, nodes
    cluster.shutdown()


def worker_processes(nodes):
    """The numbers of the processes in which our workers run on these machines."""
    raylets = {node.all_processes["raylet"][0].process.pid for node in nodes}
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            if parent in raylets and b"ray::_Actor" in (place / "cmdline").read_bytes():
                found.append(int(place.name))
        except OSError:
            continue
    return found


def no_worker_is_left(nodes):
    """Whether our workers have ended, which Ray does not wait for."""
    end = time.monotonic() + 20
    while worker_processes(nodes) and time.monotonic() < end:
        time.sleep(0.1)
    return worker_processes(nodes) == []


class Killer:
    """Kills a worker in the middle of each phase but the first, once; to be given as `progress`."""

    def __init__(self, nodes):
        self.nodes, self.killed = nodes, Counter()

    def __call__(self, phase, done, total):
        if phase != "scan" and not self.killed[phase] and total / 4 <= done < total * 0.9:
            workers = worker_processes(self.nodes)
            if workers:
                os.kill(workers[0], signal.SIGKILL)
                self.killed[phase] += 1


@pytest.fixture
def many_jobs(monkeypatch):
    monkeypatch.setattr(indexer.workers.pool, "SENT_BYTES", 1)
    monkeypatch.setattr(indexer.sync.embedding, "PORTION_TOKENS", 0)


def rows_of(index_dir):
    table = SectionTable.open(store_dir(index_dir))
    return {row.section.id: row for row in table.stored(sorted(table.paths()))}


def largest_difference(left, right):
    """The largest difference of two numbers in the vectors of two indexes, and how many vectors were compared."""
    largest, compared = 0.0, 0
    for identity, row in left.items():
        one, other = row.embedding, right[identity].embedding
        assert (one is None, row.section.is_dirty) == (other is None, right[identity].section.is_dirty)
        if one is None:
            continue
        assert (one.windows, one.awaits_second) == (other.windows, other.awaits_second)
        for name in ("vector", "window_vectors", "second", "heading"):
            a, b = getattr(one, name), getattr(other, name)
            assert (a is None) == (b is None), name
            if a is not None:
                largest = max(largest, float(np.abs(a - b).max(initial=0)))
                compared += a.size // a.shape[-1]
    return largest, compared


@pytest.mark.parametrize("name", ["vue-docs-ja", "rust-book"])
def test_two_machines_make_the_same_index_as_one_process_although_workers_are_killed(machines, tmp_path, name):
    corpus = CORPORA / name
    if not corpus.is_dir():
        pytest.skip(f"the corpus {name} is not beside the project")
    cluster, nodes = machines
    killer = Killer(nodes)
    began = time.perf_counter()
    settings = Settings(cluster=cluster.address, workers=2, precision="float32")
    with Indexer(tmp_path / "there", root=corpus, settings=settings, progress=killer) as indexer:
        together = indexer.index(corpus)
    between = time.perf_counter()
    with Indexer(tmp_path / "here", root=corpus, settings=Settings(precision="float32")) as indexer:
        alone = indexer.index(corpus)
    ended = time.perf_counter()
    left, right = rows_of(tmp_path / "here"), rows_of(tmp_path / "there")
    largest, compared = largest_difference(left, right)
    print(
        f"\n{name}: {len(left):,} sections, {compared:,} vectors, largest difference {largest:.1e}; killed: "
        f"{dict(killer.killed)}; cluster {between - began:.0f} s {rounded(together)}, one process {ended - between:.0f} s "
        f"{rounded(alone)}"
    )
    assert sum(killer.killed.values()) >= 1
    assert list(left) == list(right)
    assert all(row.section.content == right[each].section.content for each, row in left.items())
    assert all(row.terms == right[each].terms for each, row in left.items())
    assert largest <= NOISE
    assert alone.to_dict() | {"timings": 0} == together.to_dict() | {"timings": 0}


def rounded(report):
    return {phase: round(seconds) for phase, seconds in report.timings.items()}


def test_a_stopped_run_on_a_cluster_is_finished_by_the_next(machines, tmp_path, many_jobs):
    cluster, nodes = machines
    here, there = Project(tmp_path / "here", WordEmbedder()), Project(tmp_path / "there", WordEmbedder())
    for project in (here, there):
        write_files(project)
    here.index()
    embedded = []

    def progress(phase, done, total):
        embedded.append((phase, done))

    settings = Settings(cluster=cluster.address, workers=2)
    options = {"settings": settings, "progress": progress}
    report = there.index(should_stop=lambda: any(phase == "embed" and done for phase, done in embedded), **options)
    assert report.stopped
    assert there.headings(dirty=True)
    assert not there.index(settings=settings).stopped
    assert_same(here, there)
    assert no_worker_is_left(nodes)


def test_a_local_cluster_is_started_and_ended_with_the_run(tmp_path, many_jobs, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    here, there = Project(tmp_path / "here", WordEmbedder()), Project(tmp_path / "there", WordEmbedder())
    for project in (here, there):
        write_files(project)
    here.index()
    handler = signal.getsignal(signal.SIGTERM)
    there.index(settings=Settings(cluster="ray"))
    assert_same(here, there)
    assert signal.getsignal(signal.SIGTERM) == handler
    import ray

    assert not ray.is_initialized()


def test_workers_load_no_module_from_the_working_folder(tmp_path, many_jobs, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    project = Project(tmp_path, WordEmbedder())
    write_files(project)
    for name in ("indexer", "schema", "hypothesis"):  # which workers load, and this process has loaded
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'came-alive')!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    assert project.index(settings=Settings(cluster="ray")).failed == []
    assert not (tmp_path / "came-alive").exists()


def test_a_local_cluster_listens_on_the_loopback_interface_alone(tmp_path, many_jobs):
    if not shutil.which("ss"):
        pytest.skip("needs the program ss")
    heard = []

    def progress(phase, done, total):
        if phase == "embed" and 0 < done < total and not heard:
            heard.append(os.popen("ss -Hltnp").read())

    project = Project(tmp_path, WordEmbedder())
    write_files(project)
    before = {line.split()[3] for line in os.popen("ss -Hltn").read().splitlines()}
    project.index(settings=Settings(cluster="ray"), progress=progress)
    opened = [line for line in heard[0].splitlines() if line.split()[3] not in before]
    assert any("raylet" in line for line in opened)
    assert [line for line in opened if "127.0.0.1" not in line.split()[3]] == []


def test_an_address_without_a_cluster_is_told(tmp_path, many_jobs):
    project = Project(tmp_path, WordEmbedder())
    write_files(project)
    with pytest.raises(WorkersError, match=r"There is no Ray cluster at 127\.0\.0\.1:1 that can be used .*ray start"):
        project.index(settings=Settings(cluster="127.0.0.1:1"))


def test_a_model_that_a_worker_cannot_load_is_told(machines, tmp_path, many_jobs):
    project = Project(tmp_path, Broken())
    write_files(project)
    with pytest.raises(ModelError, match="The model x cannot be loaded"):
        project.index(settings=Settings(cluster=machines[0].address))
