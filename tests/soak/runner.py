"""One run of the soak: ``whence run`` as a process of its own, a fault, and what came of it.

The process that calls `observe` adopts every orphan below it, so "nothing is
left behind" is exact: the system says that there are no children any more.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.harness.expect import Case
from tests.harness.session import REPOSITORY, compile_program, environment
from tests.soak import faults
from tests.soak.draw import Draw
from tests.soak.faults import Scene

from whence.engines.process.decode import read_records
from whence.errors import WhenceError

_SUBREAPER = 36
_SHORT, _LONG = 0.003, 0.03
"""Seconds between two looks: while a fault waits for its moment, and otherwise."""
_TEXT = 1 << 20
"""Bytes of an output that are looked at and kept."""


@dataclass
class Observation:
    """What one run did.

    status: the launcher's, negative for a signal. hung: processes that had to be killed at the end of the
    limit, each in a line. document: the JSON report, None if there is none or it cannot be read. written:
    there is a JSON file with something in it. recorded: findings in a record file that nobody collected.
    orphans: exit statuses of processes that outlived the launcher. litter: names left in TMPDIR.
    """

    command: str
    status: int
    fired: str
    seconds: float
    hung: list[str] = field(default_factory=list)
    stdout: bytes = b""
    stderr: str = ""
    log: str = ""
    document: dict[str, Any] | None = None
    written: bool = False
    recorded: int = 0
    orphans: list[int] = field(default_factory=list)
    litter: list[str] = field(default_factory=list)
    stderr_kept: bool = True


class Place:
    """A directory with built programs, a cache and the runs of one worker, whose children are all its own."""

    def __init__(self, directory: Path, limit: float) -> None:
        self.directory = directory
        self.limit = limit
        for part in ("programs", "cache", "runs"):
            (directory / part).mkdir(parents=True, exist_ok=True)
        self.env = environment(directory / "cache")
        self.env.pop("WHENCE_TRACEBACK", None)
        if ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError("this system does not let a process adopt orphans (Linux 3.4 or newer)")

    def program(self, case: Case, level: str) -> Path:
        """The program, built if it has not been; raises `tests.harness.session.BuildError`."""
        directory = self.directory / "programs" / f"{case.path.parent.name}.{case.path.name}{level}"
        program = directory / case.path.stem
        if not program.exists():
            directory.mkdir(exist_ok=True)
            compile_program(case, directory / "building", (level,), self.env)
            (directory / "building").rename(program)
        return program

    def observe(self, draw: Draw) -> tuple[Observation, Path]:
        """Do the run; also returns its directory, which is the caller's to remove (`faults.remove`)."""
        program = self.program(draw.case, draw.level)
        run = self.directory / "runs" / str(draw.index)
        faults.remove(run)
        for part in ("tmp", "outputs", "work"):
            (run / part).mkdir(parents=True)
        env = {**self.env, "TMPDIR": str(run / "tmp"), **dict(draw.case.run.env)}
        scene = Scene(run, run / "outputs", self.directory / "cache", env)
        if draw.options.suppressions:
            (run / "known.supp").write_text(draw.options.suppressions)
        (run / "stdin").write_bytes(draw.case.run.stdin)
        draw.fault.prepare(scene)
        try:
            return _Run(draw, scene, self.limit).observe(program), run
        finally:
            draw.fault.finish(scene)


class _Run:
    """The processes of one run."""

    def __init__(self, draw: Draw, scene: Scene, limit: float) -> None:
        self._draw = draw
        self._scene = scene
        self._limit = limit
        self._ended: dict[int, int] = {}
        self._watch = _Watch(scene)
        self._struck = draw.fault.when is None
        self._said: dict[int, bytearray] = {}  # reading end of a pipe -> what came out of it
        self._begin = self._appeared = 0.0

    def observe(self, program: Path) -> Observation:
        command = self._command(program)
        self._begin = time.monotonic()
        with ExitStack() as stack:
            self._scene.launcher = self._start(command, stack)
        hung = self._attend()
        self._listen()
        seconds = time.monotonic() - self._begin
        launcher = self._scene.launcher
        status = self._ended.pop(launcher)
        helpers = {each.pid for each in self._scene.helpers}
        for each in self._scene.helpers:
            each.returncode = self._ended.get(each.pid, 0)  # reaped by us
        result = Observation(shlex.join(command), status, self._scene.fired, seconds, hung)
        result.orphans = [code for pid, code in self._ended.items() if pid not in helpers]
        result.stdout, errors = map(bytes, self._said.values())
        result.stderr = errors.decode(errors="replace")
        for descriptor in self._said:
            os.close(descriptor)
        _collect(result, self._draw, self._scene)
        return result

    def _command(self, program: Path) -> list[str]:
        places = {"OUTPUTS": str(self._scene.outputs), "RUN": str(self._scene.run)}
        words = []
        for word in self._draw.options.words:
            name, slash, rest = word.partition("/")
            words.append(f"{places[name]}/{rest}" if slash and name in places else word)
        arguments = self._draw.case.run.args
        return [sys.executable, "-m", "whence.cli.main", "run", *words, str(program), *arguments]

    def _start(self, command: list[str], stack: ExitStack) -> int:
        files = list(self._streams(stack))
        limits = self._scene.limits

        def prepare() -> None:
            for number, kind in enumerate(self._scene.streams):
                if kind == "closed":
                    os.close(number)
            for each, number in limits:
                resource.setrlimit(each, (number, number))

        process = subprocess.Popen(
            command,
            cwd=self._scene.run / "work",
            env=self._scene.env,
            stdin=files[0],
            stdout=files[1],
            stderr=files[2],
            start_new_session=True,
            preexec_fn=prepare,
        )
        process.returncode = 0  # it is reaped by us
        return process.pid

    def _streams(self, stack: ExitStack) -> Iterator[int]:
        """Descriptors for the launcher's standard streams; closed ones are closed later.

        Outputs are pipes: a limit of files does not hold for them.
        """
        for number, kind in enumerate(self._scene.streams):
            reader = writer = -1
            if kind == "full":
                writer = os.open("/dev/full", os.O_RDWR)
            elif number == 0 and kind != "broken":
                writer = os.open(self._scene.run / "stdin", os.O_RDONLY)
            else:
                reader, writer = os.pipe()
            stack.callback(os.close, writer)
            if reader >= 0 and kind == "broken":
                os.close(reader)
                reader = -1
            if number and reader < 0:
                reader = os.open("/dev/null", os.O_RDONLY)
            if number:
                os.set_blocking(reader, False)
                self._said[reader] = bytearray()
            yield writer

    def _attend(self) -> list[str]:
        """Until nothing of the run lives; the lines of what had to be killed."""
        hung: list[str] = []
        while self._reap():
            if time.monotonic() - self._begin > self._limit:
                hung += _kill_all()
                self._begin = time.monotonic()  # what it leaves behind gets its own time
            if not self._struck:
                self._strike()
            self._listen()
            time.sleep(_LONG if self._struck else _SHORT)
        return hung

    def _listen(self) -> None:
        """Take what has been written, so that nobody waits for room in a pipe."""
        for descriptor, said in self._said.items():
            with suppress(BlockingIOError):
                while piece := os.read(descriptor, _TEXT):
                    said += piece[: _TEXT - len(said)]

    def _reap(self) -> bool:
        """Note what has ended; false when there are no children any more."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if not pid:
                return True
            self._ended[pid] = os.waitstatus_to_exitcode(status)

    def _strike(self) -> None:
        when = self._draw.fault.when
        assert when is not None
        now = time.monotonic()
        if self._scene.launcher in self._ended:
            self._struck = True  # too late
        elif when.phase == "launch":
            if now - self._begin >= when.delay:
                self._struck = True
                self._draw.fault.strike(self._scene)
        elif self._appeared:
            if now - self._appeared >= when.delay:
                self._struck = True
                self._draw.fault.strike(self._scene)
        elif self._watch.look():
            self._appeared = now


class _Watch:
    """Looks for the program: a process below the launcher whose file is in the cache or the run's place."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._foreign = set(_processes())
        self._below: set[int] = set()

    def look(self) -> bool:
        """Whether it is there; its number is in the scene then."""
        for pid in _processes():
            if pid not in self._foreign and pid not in self._below:
                parent = _parent(pid)
                mine = parent == self._scene.launcher or parent in self._below
                (self._below if mine else self._foreign).add(pid)
        self._foreign.discard(self._scene.launcher)
        for pid in self._below:
            with suppress(OSError):
                if Path(os.readlink(f"/proc/{pid}/exe")).is_relative_to(self._root()):
                    self._scene.program = pid
                    return True
        return False

    def _root(self) -> Path:
        return self._scene.run.parents[1].resolve()


def _processes() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdecimal())


def _parent(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    return 0


def _kill_all() -> list[str]:
    """Kill every process below this one; a line for each: number, state, what it waits in, command."""
    lines = []
    below = {os.getpid()}
    parents = {pid: _parent(pid) for pid in _processes()}
    for _ in parents:
        more = {pid for pid, parent in parents.items() if parent in below} - below
        if not more:
            break
        below |= more
    for pid in sorted(below - {os.getpid()}):
        lines.append(_describe(pid))
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return lines


def _describe(pid: int) -> str:
    told = []
    for name in ("stat", "wchan", "syscall", "cmdline"):
        with suppress(OSError):
            text = Path(f"/proc/{pid}/{name}").read_bytes()
            told.append(text[:200].replace(b"\0", b" ").decode(errors="replace").strip())
    return "; ".join(told)


def _collect(result: Observation, draw: Draw, scene: Scene) -> None:
    """Read what the run left in its files; the fault is still there, so a full disk is, too."""
    result.stderr_kept = scene.streams[2] == "normal"
    result.log = _read(scene.outputs / "report.log").decode(errors="replace")
    text = _read(scene.outputs / "report.json", 1 << 28)
    result.written = bool(text)
    with suppress(ValueError):
        result.document = json.loads(text) if text else None
    folder = Path(scene.env["TMPDIR"])
    result.litter = sorted(path.name for path in folder.glob("whence*"))
    result.recorded = sum(_recorded(path) for path in folder.glob("whence-run-*/record"))


def _recorded(path: Path) -> int:
    with suppress(WhenceError):
        return len(read_records(path).findings)
    return 0


def _read(path: Path, most: int = _TEXT) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError:
        return b""


__all__ = ["REPOSITORY", "Observation", "Place"]
