"""Execution of the program in the process that was started, while another process manages the run.

By default a program is a child of whence. Tools that start Valgrind expect its process to be the program:
they search the program's output for the process number, send signals to it, and read the report once it has
ended. So this process forks a manager, which has a session of its own and is reparented, and waits. The
manager continues the run and sends the command to execute. At its end the program waits in the runtime until
the report is written (`whence.abi.records`, option ``held`` of the runtime).

The runtime cannot hold a process that SIGKILL or a direct system call ends: its report is written afterwards.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import select
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from whence.abi import records
from whence.engines.process import stack
from whence.engines.process.addresses import fixed_addresses
from whence.errors import CannotExecute, ToolLimit, WhenceError

_ENDED = records.HEADER.offset("ended") // 4
_REPORTED = records.HEADER.offset("reported") // 4
_RESTORED = (signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that Python ignores and the program must not inherit as ignored."""
UNKNOWN = 1 << 16
"""The return code of a program that has ended in a way that is not known."""


class Handover:
    """A run whose program replaces this process.

    keeps: whether the manager keeps all inherited descriptors, because a report is written to one; otherwise
    it keeps standard error alone.
    pid: the program's process, 0 before `begun`.
    """

    def __init__(self, keeps: bool = False) -> None:
        self.pid = 0
        self._keeps = keeps
        self._orders = self._failures = self._handle = -1
        self._words = memoryview(bytes(records.HEADER_SIZE)).cast("I")
        self.returncode: Any = None

    @contextlib.contextmanager
    def begun(self) -> Iterator[None]:
        """Forks the manager, which alone executes the block.

        The original process becomes the program when the manager calls `become`, or raises the `WhenceError`
        that the manager raised before.
        """
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        orders, failures, pid = os.pipe(), os.pipe(), os.getpid()
        if _forked_apart():
            os.close(orders[1])
            os.close(failures[0])
            _obey(orders[0], failures[1])
        os.close(orders[0])
        os.close(failures[1])
        self.pid, self._orders, self._failures = pid, orders[1], failures[0]
        with contextlib.suppress(OSError):
            self._handle = os.pidfd_open(pid)
        if not self._keeps:
            _let_go()
        try:
            yield
        except WhenceError as error:
            if self._orders < 0:
                raise
            self._send(error)
            raise SystemExit(0) from None

    def become(self, image: Path, words: Sequence[str], environment: Mapping[str, str], record: Path) -> None:
        """Makes the original process execute the program; raises `SystemExit` if it cannot."""
        with open(record, "r+b") as file:
            self._words = memoryview(mmap.mmap(file.fileno(), records.HEADER_SIZE)).cast("I")
        self._send((str(image.absolute()), list(words), dict(environment)))
        if os.read(self._failures, 1):
            raise SystemExit(0)
        os.close(self._failures)

    def _send(self, order: object) -> None:
        with contextlib.suppress(BrokenPipeError), open(self._orders, "wb") as pipe:
            pipe.write(pickle.dumps(order))
        self._orders = -1

    # ---- the interface of a child ----

    def poll(self) -> int | None:
        """The exit status, the negated number of a signal, or `UNKNOWN`; None while the program runs."""
        if self.returncode is None and self._words[_ENDED]:
            status = self._words[_ENDED] & ~records.ENDED
            known = status != records.STATUS_UNKNOWN
            self.returncode = os.waitstatus_to_exitcode(status) if known else UNKNOWN
        if self.returncode is None and self._gone(0):
            self.returncode = UNKNOWN
        return None if self.returncode is None else int(self.returncode)

    def wait(self) -> int:
        """Waits for the end; returns what `poll` does then."""
        while (code := self.poll()) is None:
            self._gone(0.05)
        return code

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def release(self, *, stop: bool = False) -> None:
        """Lets the program end; stop: with the error exit code."""
        self._words[_REPORTED] = records.REPORTS["STOP" if stop else "DONE"]

    def _gone(self, seconds: float) -> bool:
        if self._handle >= 0:
            return bool(select.select([self._handle], [], [], seconds)[0])
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        select.select([], [], [], seconds)
        return False


def _forked_apart() -> bool:
    """Forks a process that is not a child of this one and has its own session; false in that process."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return True
    try:
        if os.fork():
            os._exit(0)
    except OSError:
        os._exit(1)  # the original process then reads the end of its pipe
    os.setsid()
    return False


def _let_go() -> None:
    """Closes inherited descriptors but standard error, because readers of pipes wait until all are closed."""
    empty = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/proc/self/fd"):
        number = int(name)
        with contextlib.suppress(OSError):
            if number in (0, 1):
                os.dup2(empty, number)
            elif number != 2 and os.get_inheritable(number):
                os.close(number)
    os.close(empty)


def _obey(orders: int, failures: int) -> NoReturn:
    """Executes the received command; raises the error that was sent instead, or `CannotExecute`."""
    with open(orders, "rb") as pipe:
        order = pipe.read()
    received = pickle.loads(order) if order else ToolLimit("the process that manages the run has ended")
    if isinstance(received, BaseException):
        raise received
    image, words, environment = received
    for number in _RESTORED:
        signal.signal(number, signal.SIG_DFL)
    try:
        stack.restore()
        with fixed_addresses():
            os.execve(image, words, environment)
    except OSError as error:
        os.write(failures, b"x")
        raise CannotExecute(f"{words[0]}: cannot be started: {error.strerror}") from error
