"""The border to the engine for clusters, and what workers answer, without a scheduler."""

import contextlib
import pickle
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import whence
from whence.api.options import RunOptions
from whence.errors import ToolLimit, UserMistake
from whence.exploring import api
from whence.exploring.api import ExploreOptions
from whence.exploring.cluster import engine, worker
from whence.exploring.cluster.exploring import mission_of
from whence.exploring.cluster.shares import Gains, Prefix, Share
from whence.exploring.inputs import Symbolic
from whence.toolchain.cache import Cache

from .test_programs import build


class Future:
    def __init__(self, done):
        self.done, self.cancelled, self.told = done, False, None

    def add_done_callback(self, told):
        self.told = told

    def result(self, timeout):
        done = self.done()
        if isinstance(done, Exception):
            raise done
        return done

    def cancel(self):
        self.cancelled = True


class Client:
    """Of a scheduler whose workers, by name, have so many threads; what they are to do waits in `tasks`."""

    status = "running"

    def __init__(self, **workers):
        self.workers, self.tasks = workers, []
        self.scheduler = SimpleNamespace(ncores=lambda: dict(self.workers))

    def sync(self, function, callback_timeout):
        return function()

    def submit(self, function, data, *, key, workers, allow_other_workers, pure):
        assert not allow_other_workers and not pure
        future = Future(lambda: self.answer(function, data, *workers))
        self.tasks.append((*workers, future))
        return future

    def answer(self, function, data, name):
        return ModuleNotFoundError("No module named 'whence'") if name == "bare" else function(data)

    def work(self, name):
        """Let a worker do its first task."""
        task = next(task for task in self.tasks if task[0] == name)
        self.tasks.remove(task)
        task[1].told(task[1])

    def close(self, timeout):
        self.status = "closed"


@pytest.fixture
def greeted(monkeypatch):
    """What workers answer to a mission: that it is refused, where it is said."""
    answers = []
    monkeypatch.setattr(worker, "greet", greet)
    monkeypatch.setattr(worker, "explore", explore)
    monkeypatch.setattr(engine, "_LOOKS", 0)
    return answers


def greet(version, number, mission):
    return ""


def explore(number, share):
    return pickle.dumps(Gains(repeats=[len(pickle.loads(share).repeats)])), ""


def cluster_of(monkeypatch, client):
    monkeypatch.setattr(engine, "connected", lambda address: client)
    return contextlib.closing(engine.Cluster("tcp://there", "mission", None))


def test_workers_come_take_part_and_go(monkeypatch, greeted):
    client = Client()
    with cluster_of(monkeypatch, client) as cluster:
        assert cluster.next(0) is None and cluster.lacks == "no workers at tcp://there"
        client.workers |= {"a": 2, "bare": 8}
        assert cluster.next(0) is None and cluster.lacks == "the workers of tcp://there prepare the program"
        client.work("a"), client.work("bare")
        assert cluster.next(0) is None and cluster.next(0) is None
        assert (cluster.free, cluster.running, cluster.lacks) == (2, 0, "")
        assert cluster.notes == (
            f"the worker bare takes no part: whence {whence.__version__} is not installed there "
            "(No module named 'whence')",
        )
        cluster.begin("first", Share(repeats=(1, 2, 3)))
        cluster.begin("second", Share(repeats=(1,)))
        assert (cluster.free, cluster.running) == (0, 2)
        client.work("a")
        key, gains = cluster.next(0)
        assert (key, gains.repeats, cluster.free, cluster.running) == ("first", [3], 1, 1)
        late = client.tasks[0][1]
        del client.workers["a"]
        key, gains = cluster.next(0)
        assert (key, gains.lost, cluster.running) == ("second", "the worker a is gone", 0)
        assert late.cancelled
        client.work("a")
        assert cluster.next(0) is None and cluster.next(0) is None, "it had been given up"


def test_a_worker_that_was_started_again_is_told_the_mission_again(monkeypatch, greeted):
    client = Client(a=1)
    with cluster_of(monkeypatch, client) as cluster:
        cluster.next(0), client.work("a"), cluster.next(0)
        cluster.begin("key", Share())
        monkeypatch.setattr(worker, "explore", lambda number, share: (b"", "a worker was started again"))
        cluster._tasks[next(iter(cluster._tasks))].future.done = lambda: (b"", "a worker was started again")
        client.work("a")
        key, gains = cluster.next(0)
        assert (key, gains.lost, cluster.free) == ("key", "a worker was started again", 0)
        client.work("a")
        assert cluster.next(0) is None and cluster.free == 1


def test_all_workers_refuse(monkeypatch, greeted):
    client = Client(bare=1)
    with cluster_of(monkeypatch, client) as cluster:
        cluster.next(0), client.work("bare")
        with pytest.raises(ToolLimit, match=r"the worker bare takes no part: whence .* is not installed"):
            cluster.next(0)


def test_the_scheduler_is_gone(monkeypatch, greeted):
    client = Client(a=1)
    with cluster_of(monkeypatch, client) as cluster:
        client.status = "connecting"
        with pytest.raises(ToolLimit, match="the scheduler at tcp://there is gone: what was found is kept"):
            cluster.next(0)


def test_a_scheduler_that_does_not_answer(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(engine, "_CONNECT", 0.2)
    with pytest.raises(ToolLimit, match=r"no scheduler answers at tcp://127.0.0.1:1 within 0.2 seconds"):
        engine.connected("tcp://127.0.0.1:1")


@pytest.mark.parametrize("address", ["nowhere://x", "tcp://127.0.0.1:port", "tcp://there", "tls://there:1"])
def test_an_address_that_is_none(address):
    pytest.importorskip("distributed")
    with pytest.raises(UserMistake, match=f"--cluster {address}: "):
        engine.connected(address)


def test_a_client_that_does_not_start(monkeypatch):
    distributed = pytest.importorskip("distributed")

    def start(*_, **__):
        assert distributed is None

    monkeypatch.setattr(distributed, "Client", start)
    with pytest.raises(ToolLimit, match=r"--cluster tcp://there:1: the client .* did not start"):
        engine.connected("tcp://there:1")


def test_the_engine_is_not_installed(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserMistake, match=r"needs dask.distributed: pip install 'whence\[cluster\]'"):
        whence.explore("program", cluster="tcp://there", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_jobs_are_for_this_machine(tmp_path):
    pytest.importorskip("distributed")
    with pytest.raises(UserMistake, match="--jobs is for this machine: with --cluster, each thread"):
        whence.explore("program", cluster="tcp://there", options=ExploreOptions(jobs=2))


def test_a_worker_with_another_version():
    answer = worker.greet("0.0.7", "number", b"")
    assert answer == f"it has whence {whence.__version__}, and this is 0.0.7: install the same version there"


def test_a_share_of_a_mission_that_is_not_known():
    assert worker.explore("none", b"") == (b"", "a worker was started again")


@pytest.mark.build
def test_what_a_session_answers_to_a_mission(tmp_path, whence_env, monkeypatch):
    program = build("switches", tmp_path, whence_env, "-O1")
    for name in ("WHENCE_CACHE", "PYTHONPATH"):
        monkeypatch.setenv(name, whence_env[name])
    folder = tmp_path / "folder"
    folder.mkdir()
    built = api._built([str(program)], Symbolic(), folder, ExploreOptions(), RunOptions(), Cache.of_user())
    mission = mission_of(built, ExploreOptions(solver="z3"), None)

    def answer(**changed):
        return worker.greet(whence.__version__, "number", pickle.dumps(replace(mission, **changed)))

    assert answer(program=Path("/none")).startswith("/none: No such file or directory: the program is to be ")
    assert f"{program} is another program there: its digest is {mission.digest}, not x" == answer(digest="x")
    assert answer(folder="/no/folder") == "the working directory /no/folder is not there"
    assert answer(layout="x").startswith(f"{program} does not lie at the same addresses there: kernel, ")
    assert "expected one of" in answer(solver="nothing")
    assert answer() == ""
    try:
        first = ask(Share(seeds=({},), seconds=1e-9))
        assert len(first.paths) == 1 and first.waiting and not first.stopped and first.solver == "z3"
        found, waiting, inputs = first.paths[0], first.waiting[0], {1: first.paths[0].inputs}
        decision = found.decisions[waiting[1]]
        prefix = Prefix(waiting, found.decisions[: waiting[1]], (decision,))
        second = ask(Share(prefixes=(prefix,), inputs=inputs, seconds=60))
        assert second.paths and all(path.decisions[waiting[1]] != decision for path in second.paths)
        assert not second.waiting
    finally:
        (left,) = worker._pools["number"]._idle
        worker.leave("number")
    assert left.process.returncode == 0


def ask(share):
    message, lost = worker.explore("number", pickle.dumps(share))
    assert not lost
    return pickle.loads(message)


@pytest.mark.build
def test_a_session_that_is_killed_loses_its_share_alone(tmp_path, whence_env, monkeypatch):
    program = build("switches", tmp_path, whence_env, "-O1")
    for name in ("WHENCE_CACHE", "PYTHONPATH"):
        monkeypatch.setenv(name, whence_env[name])
    built = api._built([str(program)], Symbolic(), tmp_path, ExploreOptions(), RunOptions(), Cache.of_user())
    mission = pickle.dumps(mission_of(built, ExploreOptions(), None))
    assert worker.greet(whence.__version__, "killed", mission) == ""
    try:
        take = worker._Pool.take

        def killed(pool):
            session, refused = take(pool)
            session.process.kill()
            session.process.wait()
            return session, refused

        monkeypatch.setattr(worker._Pool, "take", killed)
        answer = worker.explore("killed", pickle.dumps(Share(seeds=({},))))
        assert answer == (b"", "a process that explores ended with status -9")
    finally:
        worker.leave("killed")


@pytest.mark.build
def test_addresses_do_not_depend_on_the_names_of_folders(tmp_path, whence_env, monkeypatch):
    program = build("switches", tmp_path, whence_env, "-O1")
    found = {"b": set(), "x" * 99: set()}
    for name in ("a", "a folder with a long name, much longer than the other"):
        monkeypatch.setenv("WHENCE_CACHE", str(tmp_path / name / "cache"))
        for number, (value, layouts) in enumerate(found.items()):
            folder = tmp_path / name / str(number)
            folder.mkdir(parents=True)
            run = RunOptions(env={"A": value})
            built = api._built([str(program)], Symbolic(), folder, ExploreOptions(), run, Cache.of_user())
            layouts.add(built.layout())
    assert [len(layouts) for layouts in found.values()] == [1, 1]
    assert not set.intersection(*found.values()), "the environment of the program has its place"
