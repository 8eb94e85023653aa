"""Explorations with a scheduler and workers of dask.distributed: real processes, some of which are killed."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT

from .test_programs import build, explore, inputs_of

pytest.importorskip("distributed", reason="the engine for clusters is an extra")
pytestmark = pytest.mark.build


class Engine:
    """A scheduler and its workers, of one thread each, on the loopback interface."""

    def __init__(self, folder, env, stack):
        self.folder, self.stack, self.token = folder, stack, uuid.uuid4().hex
        self.env = {**env, "DASK_CONFIG": str(folder / "no-configuration"), "ENGINE_OF_TEST": self.token}
        self.workers = []
        file = folder / "scheduler.json"
        self.scheduler = self._start("dask_scheduler", "--port", "0", "--scheduler-file", file, "--no-show")
        wait_for(file.exists)
        self.address = json.loads(file.read_text())["address"]

    def _start(self, name, *options):
        words = [sys.executable, "-m", f"distributed.cli.{name}", "--host", "127.0.0.1", "--no-dashboard"]
        nothing = subprocess.DEVNULL
        process = subprocess.Popen(
            [*words, *options], env=self.env, cwd=self.folder, stdout=nothing, stderr=nothing
        )
        self.stack.callback(end, process)
        return process

    def work(self, *options):
        """One more worker."""
        place = self.folder / f"worker-{len(self.workers)}"
        place.mkdir()
        common = ("--nthreads", "1", "--no-nanny", "--local-directory", place)
        self.workers.append(self._start("dask_worker", self.address, *common, *options))

    def wait_for_workers(self):
        """Until the scheduler knows all of them."""
        code = "import distributed, sys; distributed.Client(sys.argv[1]).wait_for_workers(int(sys.argv[2]))"
        words = [sys.executable, "-c", code, self.address, str(len(self.workers))]
        subprocess.run(words, env=self.env, check=True, timeout=TIMEOUT, capture_output=True)

    def processes(self):
        """Of the engine, of sessions, and of programs: all that inherited its environment."""
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self._has(pid)]

    def _has(self, pid):
        try:
            return f"ENGINE_OF_TEST={self.token}".encode() in Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False


def end(process):
    process.kill()
    process.wait()


def wait_for(condition):
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@contextmanager
def engine(folder, env):
    """When it ends, none of its processes is left."""
    with ExitStack() as stack:
        started = Engine(folder, env, stack)
        yield started
    wait_for(lambda: not started.processes())


@contextmanager
def command(program, folder, env, *options):
    """`whence explore`, while it runs."""
    words = [sys.executable, "-m", "whence.cli.main", "explore", "--no-progress", "--out", folder / "out"]
    words += ["--json", folder / "summary", *options, program]
    with subprocess.Popen(words, env=env, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def recorded(folder):
    journal = folder / "out" / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def paths_of(folder):
    """The way of each choice on each path."""
    return Counter(
        tuple((byte >= 50) + (byte >= 100) for byte in inputs["memory:x"]) for inputs in inputs_of(folder)
    )


def assert_all_paths(folder, text=""):
    found = paths_of(folder)
    assert len(found) == 243 and set(found.values()) == {1}, text
    journal = [json.loads(line) for line in (folder / "out" / "journal.jsonl").read_text().splitlines()]
    assert len({path["d"] for path in journal}) == len(journal) == 243
    assert [path["n"] for path in journal] == list(range(1, 244))


def test_workers_are_killed_and_no_path_is_missing_or_there_twice(tmp_path, whence_env):
    program = build("slow", tmp_path, whence_env, "-O1")
    with engine(tmp_path, whence_env) as started:
        started.work(), started.work()
        with command(program, tmp_path, whence_env, "--cluster", started.address) as process:
            wait_for(lambda: recorded(tmp_path) > 20)
            started.workers[0].send_signal(signal.SIGKILL)
            started.work()
            wait_for(lambda: recorded(tmp_path) > 100)
            started.workers[1].send_signal(signal.SIGKILL)
            _, text = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0, text
    assert_all_paths(tmp_path, text)
    summary = json.loads((tmp_path / "summary").read_text())
    assert summary["complete"] and summary["paths"] == 243 and summary["queries"]["solver"]
    assert not any(summary["lost"].values()), summary["lost"]
    assert [line for line in text.splitlines() if not line.startswith("whence: 243 paths, 0 errors")] == []


def test_the_scheduler_is_killed_and_another_command_goes_on(tmp_path, whence_env):
    program = build("slow", tmp_path, whence_env, "-O1")
    with engine(tmp_path, whence_env) as started:
        started.work()
        with command(program, tmp_path, whence_env, "--cluster", started.address) as process:
            wait_for(lambda: recorded(tmp_path) > 0)
            started.scheduler.send_signal(signal.SIGKILL)
            _, text = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0
    assert f"stopped: the scheduler at {started.address} is gone: what was found is kept" in text
    assert text.count("\n") == 1, text
    assert 0 < recorded(tmp_path) < 243
    summary, text = explore(program, tmp_path, whence_env)
    assert summary["complete"], text
    assert_all_paths(tmp_path, text)


OTHERS = {
    "older": ("import whence\nwhence.__version__ = '0.0.7'\n", "it has whence 0.0.7, and this is "),
    "without": ("import sys\nsys.modules['whence'] = None\n", "is not installed there (No module named"),
}


def test_workers_that_cannot_take_part_and_then_one_that_can(tmp_path, whence_env):
    program = build("switches", tmp_path, whence_env, "-O1")
    with engine(tmp_path, whence_env) as started:
        options = ("--cluster", started.address)
        for name, (code, _) in OTHERS.items():
            (tmp_path / f"{name}.py").write_text(code)
            started.work("--preload", tmp_path / f"{name}.py")
        started.wait_for_workers()
        done = explore_refused(program, tmp_path / "refused", whence_env, *options)
        assert done.returncode == 125 and done.stderr.count("\n") == 1, done.stderr
        assert done.stderr.count(" takes no part: ") == 2
        for _, sentence in OTHERS.values():
            assert sentence in done.stderr
        started.work()
        started.wait_for_workers()
        summary, text = explore(program, tmp_path, whence_env, *options)
    alone = tmp_path / "alone"
    alone.mkdir()
    wanted, _ = explore(program, alone, whence_env)
    assert summary["complete"] and summary["paths"] == wanted["paths"], text


def explore_refused(program, folder, env, *options):
    words = [sys.executable, "-m", "whence.cli.main", "explore", "--no-progress", "--out", folder, *options]
    return subprocess.run([*words, program], env=env, capture_output=True, text=True, timeout=TIMEOUT)


def test_no_workers_come(tmp_path, whence_env):
    program = build("switches", tmp_path, whence_env, "-O1")
    with engine(tmp_path, whence_env) as started:
        words = ["--max-time", "1", "--cluster", started.address]
        summary, text = explore(program, tmp_path, whence_env, *words)
    assert summary["stopped"] == f"1 seconds (no workers at {started.address})", text
    assert (summary["paths"], summary["waiting"], summary["complete"]) == (0, 1, False)
