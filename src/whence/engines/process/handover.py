"""The program as the process that was started: it executes the program, and another process looks after it.

As a rule a program is our child. Those who start Valgrind rely on its process being the program's: they look
for its number in the program's output, send signals to it, and find the report complete once it has ended.
So our process forks another one, in a session of its own and nobody's child, and waits. The other one goes on
with the run, and sends what is to be executed. The runtime holds the program's process at its end until the
report is written (`whence.abi.records`, option ``held`` of the runtime).

A process that is killed cannot be held, nor one that ends by a system call of its own; its report follows.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import select
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from whence.abi import records
from whence.engines.process.launch import UNKNOWN, fixed_addresses
from whence.errors import CannotExecute, ToolLimit, WhenceError

_ENDED = records.HEADER.offset("ended") // 4
_REPORTED = records.HEADER.offset("reported") // 4
_DEVICES = ("/dev/", "/proc/")
_RESTORED = (signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that Python ignores, and that programs are not to ignore for that."""


class Handover:
    """One run of a program in the place of this process.

    reports: the files that reports are written to. A path in a file system of descriptors keeps all of ours
    open in the process that looks after the program; else it has standard error alone.
    pid: the program's process, 0 before `begun`.
    """

    def __init__(self, reports: Iterable[str | os.PathLike[str] | None] = ()) -> None:
        self.pid = 0
        self._keeps = any(os.fspath(path or "").startswith(_DEVICES) for path in reports)
        self._orders = self._failures = self._handle = -1
        self._words = memoryview(bytes(records.HEADER_SIZE)).cast("I")
        self.returncode: Any = None

    @contextlib.contextmanager
    def begun(self) -> Iterator[None]:
        """The block is executed in the process that looks after the program.

        This process becomes the program there (`become`), or raises the error that the block raised before.
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
        """Have our former process execute the program; this one ends if it cannot."""
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

    # ---- the program, as a child would be ----

    def poll(self) -> int | None:
        """The exit status, minus the number of a signal, or `UNKNOWN`; None while the program runs."""
        if self.returncode is None and self._words[_ENDED]:
            status = self._words[_ENDED] & ~records.ENDED
            known = status != records.STATUS_UNKNOWN
            self.returncode = os.waitstatus_to_exitcode(status) if known else UNKNOWN
        if self.returncode is None and self._gone(0):
            self.returncode = UNKNOWN
        return None if self.returncode is None else int(self.returncode)

    def wait(self) -> int:
        """Like `poll`, at the end."""
        while (code := self.poll()) is None:
            self._gone(0.05)
        return code

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def release(self, *, stop: bool = False) -> None:
        """The process need not wait any more; stop: it ends with the error exit code."""
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
    """Fork a process that is nobody's child, in a session of its own; false in that one."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return True
    try:
        if os.fork():
            os._exit(0)
    except OSError:
        os._exit(1)  # our process finds that nobody writes to it
    os.setsid()
    return False


def _let_go() -> None:
    """Close what the program has inherited, but standard error: others may wait until nobody has it open."""
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
    """Become the program; raises the error that comes instead of its name, or `CannotExecute`."""
    with open(orders, "rb") as pipe:
        order = pipe.read()
    received = pickle.loads(order) if order else ToolLimit("the process that was to report has ended")
    if isinstance(received, BaseException):
        raise received
    image, words, environment = received
    for number in _RESTORED:
        signal.signal(number, signal.SIG_DFL)
    try:
        with fixed_addresses():
            os.execve(image, words, environment)
    except OSError as error:
        os.write(failures, b"x")
        raise CannotExecute(f"{words[0]}: cannot be started: {error.strerror}") from error
