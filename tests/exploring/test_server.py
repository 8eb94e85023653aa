"""The client of the fork server, with a server in Python."""

import os
import sys
from pathlib import Path

import pytest
from tests.harness.session import REPOSITORY

from whence.abi import records
from whence.errors import CannotExecute, ToolLimit
from whence.exploring import server as serving
from whence.exploring.api import ExploreOptions, explored
from whence.exploring.server import Server, Servers, Start
from whence.exploring.summary import text

from .test_search import IDENTITY

pytestmark = pytest.mark.long


class Places:
    def name(self, site):
        return "a place"

    def code(self, site):
        return ""

    def source(self, site):
        return None

    def lines(self, covered=None):
        return {}

    def asked(self):
        return None

    def graph(self):
        return None


def servers(folder, mode="fine", jobs=1, limit=None):
    def make(count):
        place = folder / f"server-{len(list(folder.iterdir()))}"
        place.mkdir()
        with open(place / "record", "wb") as file:
            file.truncate(records.FILE_SIZE)
        words = [os.fsencode(sys.executable), b"-m", b"tests.exploring.fake", mode.encode()]
        environment = {os.fsencode(name): os.fsencode(value) for name, value in os.environ.items()}
        environment[b"PYTHONPATH"] = os.fsencode(f"{REPOSITORY}:{REPOSITORY / 'src'}")
        start = Start(Path(sys.executable), words, environment, place, REPOSITORY, 1000, lambda _: ((), ()))
        return Server(start, lambda socket: {b"FD": str(socket).encode()})

    return Servers(make, lambda inputs: 0, jobs, Places(), limit)


@pytest.mark.parametrize("jobs", [1, 2])
def test_paths_of_a_server(jobs, tmp_path):
    (tmp_path / "run").mkdir()
    executor = servers(tmp_path / "run", jobs=jobs)
    try:
        result = explored(executor, tmp_path / "out", IDENTITY, [{"stdin": b""}], ExploreOptions(jobs=jobs))
        assert (result.paths, result.complete, result.diverged) == (5, True, 0)
    finally:
        executor.close()


@pytest.mark.parametrize(
    ("mode", "ends", "killed"),
    [
        ("late", {"time limit": 1, "exit": 4}, 0),
        ("asleep", {"waiting": 1, "exit": 4}, 0),
        ("dies", {"exit": 5}, 0),
        ("dies of 3", {"exit": 4}, 1),
    ],
)
def test_paths_that_are_late_and_a_server_that_dies(mode, ends, killed, tmp_path):
    (tmp_path / "run").mkdir()
    executor = servers(tmp_path / "run", mode)
    try:
        result = explored(executor, tmp_path / "out", IDENTITY, [{}], ExploreOptions())
        assert result.ends == ends and result.killed == killed
        assert result.complete == (mode == "dies") and not result.stopped
        said = text(result)
        paths = f"the paths of {sys.executable}"
        assert (f"the process that starts {paths} is gone: status 5" in said) == bool(killed)
        assert ("the process of 1 run was killed, twice each: their paths" in said) == bool(killed)
        assert ("the time of 1 path was over (--path-time), waiting for a clock" in said) == (
            mode == "asleep"
        )
    finally:
        executor.close()


def test_a_server_that_dies_of_the_first_path(tmp_path):
    (tmp_path / "run").mkdir()
    executor = servers(tmp_path / "run", "dies of 0")
    try:
        with pytest.raises(ToolLimit, match=r"the process that starts the paths of .* is gone: status 5"):
            explored(executor, tmp_path / "out", IDENTITY, [{}], ExploreOptions())
    finally:
        executor.close()


def test_servers_that_are_gone_before_their_first_path(tmp_path):
    """The second one is not replaced: what it was given has no result."""
    executor = servers(tmp_path, "leaves")
    make, made = executor._make, []

    def wait(count):
        made.append(make(count))
        made[-1]._process.wait()
        return made[-1]

    executor._make = wait
    executor.begin("a", {})
    key, ran = executor.next(None)
    assert (key, len(made)) == ("a", 2) and "is gone: status 0" in ran.lost
    executor.close()


@pytest.mark.parametrize(("path", "counted", "cut"), [(100, 100, ""), (101, 0, ""), (900, 0, "memory limit")])
def test_a_path_that_is_killed_for_its_memory_is_not_what_the_exploration_ends_for(
    path, counted, cut, tmp_path, monkeypatch
):
    executor = servers(tmp_path, limit=800)
    executor.begin("a", {})
    for name, size in (("memory", lambda _: 10), ("path_memory", lambda _: path)):
        monkeypatch.setattr(Server, name, size)
    monkeypatch.setattr(serving, "resident", lambda: 0)
    assert executor.memory() == 10 + counted
    executor._watch_memory()
    assert [server._cut for _, server in executor._busy.values()] == [cut]
    executor.close()


def test_a_program_that_does_not_come_to_main(tmp_path):
    executor = servers(tmp_path, "ends")
    with pytest.raises(CannotExecute, match="did not come to its main function: it ended with status 3"):
        executor.begin(None, {})


def test_the_processes_are_gone_afterwards(tmp_path):
    executor = servers(tmp_path)
    executor.begin("a", {})
    assert executor.running == 1 and executor.free == 0
    (_, server), *_ = executor._busy.values()
    pid = server._process.pid
    executor.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises((ToolLimit, OSError, ValueError)):
        server.begin("b", {})
