"""What Ray is asked for: a worker for each processor or GPU, a cluster of this machine alone, and no word to its makers.

Ray itself is replaced by a module that does what it is asked at once; tests/cluster has the real one.
"""

import contextlib
import os
import socket
import sys
from concurrent.futures import Future
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

import indexer.workers.ray_cluster as ray_cluster
import schema
from indexer.workers.base import Packed
from indexer.workers.pool import SENT_BYTES
from indexer.workers.ray_cluster import RayCluster
from schema.errors import WorkersError


class Square:
    """A job that squares a number."""

    size = SENT_BYTES

    def __init__(self, number, *, is_for_gpu=False):
        self.number, self.is_for_gpu = number, is_for_gpu

    def do(self, tools):
        return self.number**2


class NoTools:
    """A setup that makes nothing."""

    def tools(self, cores):
        return None


class ActorError(Exception):
    """As Ray raises it for an actor that has ended."""


class FakeRay:
    """The part of Ray that is used; `resources` are those of the cluster, `lives` how many answers each actor gives."""

    def __init__(self, resources, lives=(), machines=1):
        self.resources, self.lives, self.machines = resources, iter(lives), machines
        self.started, self.options, self.killed, self.is_on = [], [], 0, False
        self.exceptions = SimpleNamespace(
            RayActorError=ActorError, WorkerCrashedError=ActorError, ObjectLostError=ActorError
        )

    def init(self, **options):
        self.started.append(options)
        self.folder = os.getcwd()
        self.is_on = True

    def is_initialized(self):
        return self.is_on

    def shutdown(self):
        self.is_on = False

    def cluster_resources(self):
        return self.resources

    def nodes(self):
        share = {"CPU": self.resources.get("CPU", 0) / self.machines}
        return [{"Alive": True, "Resources": {}}, {"Alive": False, "Resources": {"CPU": 1.0}}] + [
            {"Alive": True, "Resources": share} for _ in range(self.machines)
        ]

    def kill(self, actor):
        self.killed += 1

    def remote(self, **options):
        self.options.append(options)
        left = [next(self.lives, 1_000_000)]

        def method(function):
            def begin(*args):
                future = Future()
                if left[0] <= 0:
                    future.set_exception(ActorError("the actor died\nits machine is gone"))
                else:
                    future.set_result(function(*args))
                    left[0] -= 1
                return SimpleNamespace(future=lambda: future)

            return SimpleNamespace(remote=begin)

        def wrap(cls):
            def make(*args):
                actor = cls(*args)
                return SimpleNamespace(version=method(actor.version), perform=method(actor.perform))

            return SimpleNamespace(remote=make)

        return wrap


@pytest.fixture
def cluster_of(monkeypatch):
    """A cluster with these resources, and the fake of Ray that it uses."""

    def make(resources, address="ray", count=0, **about):
        fake = FakeRay(resources, **about)
        monkeypatch.setitem(sys.modules, "ray", fake)
        monkeypatch.setattr(socket, "create_connection", Mock())
        cluster = RayCluster(address, count, tools=None, setup=Packed.of(NoTools()))
        ended.callback(cluster.close)
        return cluster, fake

    with pytest.MonkeyPatch.context() as patch, contextlib.ExitStack() as ended:
        for name in (*ray_cluster.QUIET, *ray_cluster.LOCAL, *ray_cluster.NAMED, "RAY_ADDRESS"):
            patch.setenv(name, "")  # so that it is put back
        yield make


def squares(cluster, count=6, **options):
    return [result for _, result in cluster.map((n, Square(n, **options)) for n in range(count))]


def test_there_is_a_worker_for_each_processor(cluster_of):
    cluster, ray = cluster_of({"CPU": 3.0})
    assert squares(cluster) == [0, 1, 4, 9, 16, 25]
    assert ray.options[0] == {"num_cpus": 1, "num_gpus": 0, "max_restarts": 0, "max_task_retries": 0}
    assert 1 <= len(ray.options) <= 3


def test_fewer_workers_have_more_processors_each(cluster_of):
    cluster, ray = cluster_of({"CPU": 8.0}, count=2)
    squares(cluster)
    assert ray.options[0]["num_cpus"] == 4


def test_a_worker_asks_for_no_more_processors_than_a_machine_has(cluster_of):
    cluster, ray = cluster_of({"CPU": 8.0}, count=2, machines=4)
    squares(cluster)
    assert ray.options[0]["num_cpus"] == 2


def test_what_a_gpu_does_faster_goes_to_a_worker_for_each_gpu(cluster_of):
    cluster, ray = cluster_of({"CPU": 8.0, "GPU": 2.0})
    assert squares(cluster, is_for_gpu=True) == [0, 1, 4, 9, 16, 25]
    assert {(each["num_cpus"], each["num_gpus"]) for each in ray.options} == {(0, 1)}
    assert len(ray.options) <= 2


def test_without_a_gpu_the_same_workers_do_everything(cluster_of):
    cluster, ray = cluster_of({"CPU": 1.0})
    squares(cluster)
    squares(cluster, is_for_gpu=True)
    assert [each["num_gpus"] for each in ray.options] == [0]


def test_workers_without_a_gpu_make_room_for_those_with_one(cluster_of):
    cluster, ray = cluster_of({"CPU": 1.0, "GPU": 1.0})
    squares(cluster)
    squares(cluster, is_for_gpu=True)
    assert ([each["num_gpus"] for each in ray.options], ray.killed) == ([0, 1], 1)


def test_a_single_job_needs_no_cluster(cluster_of):
    cluster, ray = cluster_of({"CPU": 2.0, "GPU": 1.0})
    assert (squares(cluster, 1), squares(cluster, 1, is_for_gpu=True), squares(cluster, 0), ray.started) == (
        [0],
        [0],
        [],
        [],
    )


def test_jobs_of_an_actor_that_ended_are_done_by_another(cluster_of):
    cluster, ray = cluster_of({"CPU": 1.0}, lives=[3])
    assert squares(cluster) == [0, 1, 4, 9, 16, 25]
    assert (len(ray.options), ray.killed) == (2, 1)


def test_actors_that_never_start_are_told_with_what_ray_says_last(cluster_of):
    cluster, _ = cluster_of({"CPU": 1.0}, lives=[0, 0, 0])
    with pytest.raises(WorkersError, match=r"Workers cannot be started \(its machine is gone\)"):
        squares(cluster)


def test_without_an_address_the_cluster_is_of_this_machine_alone(cluster_of):
    cluster, ray = cluster_of({"CPU": 2.0})
    squares(cluster)
    (options,) = ray.started
    assert (options["address"], options["_node_ip_address"], options["include_dashboard"]) == ("local", "127.0.0.1", False)
    assert options["log_to_driver"] is False
    assert (os.environ["RAY_USAGE_STATS_ENABLED"], os.environ["RAY_AUTH_MODE"]) == ("0", "token")
    assert len(os.environ["RAY_AUTH_TOKEN"]) == 64
    folder = options["_temp_dir"]
    assert os.stat(folder).st_mode & 0o077 == 0
    cluster.close()
    assert (ray.is_on, os.path.exists(folder)) == (False, False)


@pytest.mark.parametrize("address", ["ray", "head:6379"])
def test_workers_take_no_module_from_the_working_folder(cluster_of, tmp_path, monkeypatch, address):
    monkeypatch.chdir(tmp_path)
    cluster, ray = cluster_of({"CPU": 2.0}, address)
    squares(cluster)
    assert (ray.folder, os.getcwd()) == (os.path.abspath(os.sep), str(tmp_path))


@pytest.mark.parametrize(("address", "variable", "wanted"), [
    ("ray", "10.0.0.1:6379", "10.0.0.1:6379"),
    ("ray://head:10001", "10.0.0.1:6379", "ray://head:10001"),
])  # fmt: skip
def test_a_named_cluster_is_connected_to_and_gets_no_token(cluster_of, monkeypatch, address, variable, wanted):
    monkeypatch.setenv("RAY_ADDRESS", variable)
    cluster, ray = cluster_of({"CPU": 2.0}, address)
    squares(cluster)
    assert [(each["address"], "_temp_dir" in each) for each in ray.started] == [(wanted, False)]
    assert (os.environ["RAY_USAGE_STATS_ENABLED"], os.environ["RAY_AUTH_TOKEN"]) == ("0", "")


def test_a_connection_of_the_users_own_program_is_left_open(cluster_of):
    cluster, ray = cluster_of({"CPU": 2.0})
    ray.is_on = True
    squares(cluster)
    cluster.close()
    assert (ray.started, ray.is_on) == ([], True)


def test_a_cluster_that_refuses_is_told_with_what_ray_says_last(cluster_of, monkeypatch):
    cluster, ray = cluster_of({}, "head:6379")
    monkeypatch.setattr(ray, "init", refuse)
    with pytest.raises(WorkersError, match=r"no Ray cluster at head:6379 that can be used \(Ray 2\.9 here\); start it with"):
        squares(cluster)


def refuse(**_options):
    raise RuntimeError("Version mismatch:\nRay 2.9 here")


def test_what_a_local_cluster_needs_leaves_the_environment_with_it(cluster_of, monkeypatch):
    monkeypatch.setenv("RAY_AUTH_MODE", "own")
    monkeypatch.delenv("RAY_AUTH_TOKEN")
    before = dict(os.environ)
    cluster, _ = cluster_of({"CPU": 2.0})
    squares(cluster)
    assert os.environ["RAY_AUTH_MODE"] == "token"
    cluster.close()
    assert dict(os.environ) == before


def test_a_local_cluster_that_is_started_in_part_is_ended(cluster_of, monkeypatch):
    cluster, ray = cluster_of({"CPU": 2.0})
    before, start = dict(os.environ), ray.init
    monkeypatch.setattr(ray, "init", lambda **options: (start(**options), refuse()))
    with pytest.raises(WorkersError, match="no Ray cluster on this machine"):
        squares(cluster)
    assert (ray.is_on, dict(os.environ), os.path.exists(ray.started[0]["_temp_dir"])) == (False, before, False)


def test_an_interrupted_start_of_a_cluster_is_undone_when_the_run_ends(cluster_of, monkeypatch):
    cluster, ray = cluster_of({"CPU": 2.0})
    before, start = dict(os.environ), ray.init

    def interrupted(**options):
        start(**options)
        raise KeyboardInterrupt

    monkeypatch.setattr(ray, "init", interrupted)
    with pytest.raises(KeyboardInterrupt):
        squares(cluster)
    cluster.close()
    assert (ray.is_on, dict(os.environ), os.path.exists(ray.started[0]["_temp_dir"])) == (False, before, False)


def test_an_address_where_nobody_answers_is_noticed_at_once():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        cluster = RayCluster(f"ray://127.0.0.1:{taken.getsockname()[1]}", 1, tools=None, setup=Packed.of(NoTools()))
        with contextlib.closing(cluster), pytest.raises(WorkersError, match="refused"):
            squares(cluster)


def test_the_version_of_an_actor_is_asked_for(cluster_of, monkeypatch):
    cluster, _ = cluster_of({"CPU": 2.0})
    monkeypatch.setattr(ray_cluster.Bench, "version", lambda self: "0.0.9")
    with pytest.raises(WorkersError, match=rf"A worker has Sectionary 0\.0\.9 and this process {schema.VERSION}"):
        squares(cluster)
