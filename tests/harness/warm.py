"""Command lines of whence without the start of an interpreter: a process that has all modules forks each.

A command has all that a process inherits from whoever starts it, or it gets an interpreter of its own: where
variables that interpreters read, limits, masks or the like are not those of the worker, where the worker is
busy or has died, and where a module asks for it (`real_starts`).
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import selectors
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.harness.limits import TIMEOUT
from tests.harness.worker import MOST

_REPOSITORY = Path(__file__).resolve().parents[2]
_OF_STARTS = ("PYTHON", "LD_", "GLIBC_", "MALLOC_", "LC_", "LANG", "OMP_", "OPENBLAS_", "NPY_")
"""How variables begin that an interpreter, its loader or what it imports reads when it starts."""
_OF_PROCESS = ("Umask", "Uid", "Gid", "Groups", "Sig", "Cap", "NoNewPrivs", "Seccomp", "Cpus_allowed")
"""How lines of /proc/self/status begin that say what a new process has from the old one."""
_NOT_INHERITED = ("SigQ", "SigPnd", "SigCgt")

_ROOM = 50_000
"""Characters of a request, at most; sockets take messages of about four times that."""


@dataclass(frozen=True)
class Answer:
    """How a command ended: its status as `subprocess` counts it, and whether that was the timeout."""

    status: int
    timeout: bool


class Worker:
    """One `tests.harness.worker` process, for one command at a time."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.border, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.harness.worker", str(other.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd=_REPOSITORY,
                env=dict(env),
                pass_fds=(other.fileno(),),
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def begin(
        self, argv: Sequence[str], env: Mapping[str, str], cwd: Path, streams: Sequence[int], alone: bool
    ) -> bool:
        """Start a command line with these descriptors as its standard ones; False: the worker has died."""
        request = {
            "argv": list(argv),
            "env": dict(env),
            "cwd": str(cwd.absolute()),
            "timeout": TIMEOUT,
            "alone": alone,
        }
        try:
            socket.send_fds(self.border, [json.dumps(request).encode()], list(streams))
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True

    def end(self) -> Answer:
        """Wait for the command line."""
        answer = self.border.recv(MOST)
        assert answer, f"the process that runs command lines died (status {self._process.wait()})"
        return Answer(**json.loads(answer))

    def run(self, argv: Sequence[str], env: Mapping[str, str], cwd: Path, streams: Sequence[int]) -> Answer:
        """A command line that leads a process group, all of which ends at the timeout."""
        assert self.begin(argv, env, cwd, streams, alone=True), "the process that runs command lines died"
        return self.end()

    def close(self) -> None:
        """End it, and what it runs."""
        self.border.close()
        self._process.wait()


class Service:
    """The worker that takes the commands of this process if what they inherit is as now."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._state = _inherited(env)
        self._worker: Worker | None = None
        self._busy = threading.Lock()

    def run(
        self, words: Sequence[str], env: Mapping[str, str], cwd: Path, stdin: bytes
    ) -> subprocess.CompletedProcess[bytes] | None:
        """As `run` below."""
        large = sum(map(len, [*words, *env, *env.values()])) > _ROOM
        if large or _inherited(env) != self._state or not self._busy.acquire(blocking=False):
            return None
        try:
            self._worker = self._worker or Worker(self._env)
            done = _piped(self._worker, words, env, cwd, stdin)
            if done is None:
                self.close()
            return done
        except BaseException:
            self.close()
            raise
        finally:
            self._busy.release()

    @property
    def pid(self) -> int | None:
        """The worker's, if there is one."""
        return self._worker.pid if self._worker else None

    def close(self) -> None:
        """End the worker; the next command starts another one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()


_service: Service | None = None


def run(
    words: Sequence[str], env: Mapping[str, str], cwd: Path, stdin: bytes
) -> subprocess.CompletedProcess[bytes] | None:
    """A command line of whence, as by `subprocess.run`; None where it needs an interpreter of its own."""
    return None if _service is None else _service.run(words, env, cwd, stdin)


@contextlib.contextmanager
def serving(service: Service | None) -> Iterator[None]:
    """Commands go to this service meanwhile."""
    global _service
    before, _service = _service, service
    try:
        yield
    finally:
        _service = before


@pytest.fixture(scope="module", autouse=True)
def real_starts() -> Iterator[None]:
    """For modules that import it: their tests are about starts, so each command has an interpreter."""
    with serving(None):
        yield


def _inherited(env: Mapping[str, str]) -> tuple[object, ...]:
    """What a process that this thread starts with that environment has from it."""
    lines = Path("/proc/thread-self/status").read_text().splitlines()
    state = [line for line in lines if line.startswith(_OF_PROCESS) and not line.startswith(_NOT_INHERITED)]
    limits = Path("/proc/thread-self/limits").read_text()
    read = sorted(item for item in env.items() if item[0].startswith(_OF_STARTS))
    return state, limits, read, os.getpgrp(), os.getsid(0), os.getpriority(os.PRIO_PROCESS, 0)


def _piped(
    worker: Worker, words: Sequence[str], env: Mapping[str, str], cwd: Path, stdin: bytes
) -> subprocess.CompletedProcess[bytes] | None:
    """None: the worker has died before."""
    with ExitStack() as ours, ExitStack() as theirs:
        given, out, err = (os.pipe() for _ in range(3))
        for end in (given[0], out[1], err[1]):
            theirs.callback(os.close, end)
        talk = _Talk(ours, worker.border, given[1], stdin, (out[0], err[0]))
        if not worker.begin(words, env, cwd, (given[0], out[1], err[1]), alone=False):
            return None
        theirs.close()
        in_time = talk.go_on()
        answer = worker.end() if in_time else Answer(-9, timeout=True)
    if answer.timeout:
        raise subprocess.TimeoutExpired(list(words), TIMEOUT, *talk.read)
    return subprocess.CompletedProcess(list(words), answer.status, *talk.read)


class _Talk:
    """Feeds a command and reads what it writes, until it has ended and nobody has its pipes open."""

    def __init__(
        self, stack: ExitStack, border: socket.socket, given: int, stdin: bytes, outputs: tuple[int, int]
    ) -> None:
        self._selector = stack.enter_context(selectors.DefaultSelector())
        self._open = {given, *outputs}
        stack.callback(self._close_all)
        self._border, self._given, self._rest = border, given, memoryview(stdin)
        self._outputs: dict[int, list[bytes]] = {each: [] for each in outputs}
        self._selector.register(border, selectors.EVENT_READ)
        self._selector.register(given, selectors.EVENT_WRITE)
        for each in outputs:
            self._selector.register(each, selectors.EVENT_READ)

    @property
    def read(self) -> tuple[bytes, ...]:
        """What it wrote to standard output and standard error."""
        return tuple(b"".join(each) for each in self._outputs.values())

    def go_on(self) -> bool:
        """Returns when the answer can be read; False: nothing happened for too long."""
        while self._selector.get_map():
            ready = self._selector.select(TIMEOUT)
            if not ready:
                return False
            for key, _ in ready:
                self._step(key.fd)
        return True

    def _step(self, descriptor: int) -> None:
        if descriptor == self._border.fileno():
            self._selector.unregister(self._border)
        elif descriptor == self._given:
            self._feed()
        else:
            data = os.read(descriptor, 1 << 16)
            self._outputs[descriptor].append(data)
            if not data:
                self._close(descriptor)

    def _feed(self) -> None:
        try:
            written = os.write(self._given, self._rest[: select.PIPE_BUF]) if self._rest else 0
        except BrokenPipeError:
            self._rest = self._rest[:0]
        else:
            self._rest = self._rest[written:]
        if not self._rest:
            self._close(self._given)

    def _close_all(self) -> None:
        for descriptor in self._open:
            os.close(descriptor)

    def _close(self, descriptor: int) -> None:
        self._selector.unregister(descriptor)
        self._open.remove(descriptor)
        os.close(descriptor)
