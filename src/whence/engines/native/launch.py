"""Starts the instrumented program and stands aside until it ends."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from whence.abi.options import OPTIONS_VARIABLE, RECORD_VARIABLE, encode
from whence.errors import CannotExecute, UserMistake

_ADDR_NO_RANDOMIZE = 0x0040000
_QUERY = 0xFFFFFFFF

_RELAYED = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGQUIT", "SIGALRM")
)


@dataclass(frozen=True)
class Ending:
    """How the program ended: exactly one of `status` and `signal` is set."""

    status: int | None
    signal: int | None
    timed_out: bool = False


@dataclass(frozen=True)
class Surroundings:
    """What the program finds around it, and who looks after it.

    environment: the whole of it. cwd: None is ours. stdin, stdout, stderr: descriptors, None is ours.
    timeout: seconds until the program's process group, which is one of its own then, is killed.
    relay: signals that we get are passed on to the program; else they are ours, and the program is
    killed if one of them ends the wait.
    """

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    cwd: Path | None = None
    stdin: int | None = None
    stdout: int | None = None
    stderr: int | None = None
    timeout: float | None = None
    relay: bool = False


def launch(
    image: Path, arguments: Sequence[str], record: Path, options: dict[str, int], around: Surroundings
) -> tuple[Ending, list[str]]:
    """Run `image` under the name `arguments[0]` until it ends; also returns notes to the user.

    Raises `CannotExecute` if the system refuses.
    """
    notes = []
    environment = {**around.environment, RECORD_VARIABLE: str(record), OPTIONS_VARIABLE: encode(options)}
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed by whoever started us
            stream.flush()
    with _waiting(around) as wait:
        with fixed_addresses() as fixed:
            child = _start(image, arguments, environment, around)
        if not fixed:
            notes.append(
                "the system does not let address randomisation be switched off; addresses differ between runs"
            )
        return _await(child, wait, around), notes


def _waiting(around: Surroundings) -> _Wait:
    if around.relay and threading.current_thread() is threading.main_thread():
        return _Relay(around.timeout is not None)
    return _Wait()


def _start(
    image: Path, arguments: Sequence[str], environment: dict[str, str], around: Surroundings
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(arguments),
            executable=image.absolute(),
            env=environment,
            cwd=around.cwd,
            stdin=around.stdin,
            stdout=around.stdout,
            stderr=around.stderr,
            close_fds=False,
            process_group=None if around.timeout is None else 0,
        )
    except OSError as error:
        if around.cwd is not None and error.filename in (around.cwd, str(around.cwd)):
            sentence = f"{around.cwd}: cannot be the working directory: {error.strerror}"
            raise UserMistake(sentence) from error
        raise CannotExecute(f"{arguments[0]}: cannot be started: {error.strerror}") from error
    except ValueError as error:  # a null byte, a variable's name with '='
        raise UserMistake(
            f"{arguments[0]}: cannot be started: {error} in its arguments or environment"
        ) from None


def _await(child: subprocess.Popen[bytes], wait: _Wait, around: Surroundings) -> Ending:
    """Wait for the end, which is now when the time is over or the wait is interrupted."""
    timed_out = False
    try:
        code = wait.until_end(child, around.timeout)
        if code is None:
            timed_out = True
    finally:
        if child.returncode is None:
            code = _kill(child, group=around.timeout is not None)
    assert code is not None
    return Ending(None, -code, timed_out) if code < 0 else Ending(code, None, timed_out)


def _kill(child: subprocess.Popen[bytes], group: bool) -> int:
    with contextlib.suppress(ProcessLookupError):
        if group:
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    return child.wait()


def die_by(number: int) -> None:
    """End this process by the signal that ended the program, without a core file of our own."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)


@contextlib.contextmanager
def fixed_addresses() -> Iterator[bool]:
    """Programs started by this thread inside of the block have no address randomisation, if it is true."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.personality.argtypes = [ctypes.c_ulong]
    before = libc.personality(_QUERY)
    fixed = before >= 0 and libc.personality(before | _ADDR_NO_RANDOMIZE) >= 0
    try:
        yield fixed
    finally:
        if fixed:
            libc.personality(before)


class _Wait:
    """Waits for a child; signals are for the handlers of whoever calls us."""

    def __enter__(self) -> _Wait:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def until_end(self, child: subprocess.Popen[bytes], timeout: float | None) -> int | None:
        """The return code as of `Popen.returncode`; None when `timeout` seconds were over before."""
        try:
            return child.wait(timeout)
        except subprocess.TimeoutExpired:
            return None


class _Relay(_Wait):
    """Passes signals on to the child; those that come before there is one are kept for it.

    A signal that arrives just before a blocking system call begins would have
    its Python handler run only after that call, which may be never. So the
    wait is for a byte in a pipe that the C level handler of every signal,
    SIGCHLD included, fills at once.
    """

    def __init__(self, apart: bool) -> None:
        self._apart = apart  # the child is in a process group of its own, which no terminal signals
        self._child: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []
        self._before: dict[int, Any] = {}
        self._bell, bell = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(bell, False)
        self._rung_by = signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
        self._written = bell

    def __enter__(self) -> _Relay:
        handlers = dict.fromkeys(_RELAYED, self._forward)
        for number, handler in (handlers | {signal.SIGINT: self._interrupt}).items():
            if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup: the child ignores it too
                self._before[number] = signal.signal(number, handler)
        self._before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._rung_by)
        for descriptor in (self._bell, self._written):
            os.close(descriptor)

    def until_end(self, child: subprocess.Popen[bytes], timeout: float | None) -> int | None:
        self._attach(child)
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := child.poll()) is None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return None
            if select.select([self._bell], [], [], left)[0]:
                os.read(self._bell, 4096)
        return code

    def _attach(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child
        for number in self._early:
            child.send_signal(number)

    def _forward(self, number: int, frame: FrameType | None) -> None:
        if self._child is None:
            self._early.append(number)
        else:
            self._child.send_signal(number)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self._apart or not _in_foreground():  # else the terminal has sent it to the child as well
            self._forward(number, frame)


def _in_foreground() -> bool:
    """Does a terminal send its signals to our process group?"""
    try:
        with open("/dev/tty", "rb") as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False
