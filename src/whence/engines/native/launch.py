"""Starts the instrumented program and stands aside until it ends."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from whence.abi.options import OPTIONS_VARIABLE, RECORD_VARIABLE, encode
from whence.errors import CannotExecute

_ADDR_NO_RANDOMIZE = 0x0040000
_QUERY = 0xFFFFFFFF

_RELAYED = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGQUIT", "SIGALRM")
)


@dataclass(frozen=True)
class Ending:
    """How the program ended: exactly one of the two is set."""

    status: int | None
    signal: int | None


def launch(
    image: Path, arguments: Sequence[str], record: Path, options: dict[str, int], environment: dict[str, str]
) -> tuple[Ending, list[str]]:
    """Run `image` under the name `arguments[0]` until it ends; also returns notes to the user.

    Standard streams and the working directory are inherited, signals are
    passed on. Raises `CannotExecute` if the system refuses.
    """
    notes = []
    if not _fix_addresses():
        notes.append(
            "the system does not let address randomisation be switched off; addresses differ between runs"
        )
    environment = dict(environment)
    environment[RECORD_VARIABLE] = str(record)
    environment[OPTIONS_VARIABLE] = encode(options)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed by whoever started us
            stream.flush()
    with _Relay() as relay:
        try:
            child = subprocess.Popen(list(arguments), executable=image, env=environment, close_fds=False)
        except OSError as error:
            raise CannotExecute(f"{arguments[0]}: cannot be started: {error.strerror}") from error
        code = relay.wait(child)
    return (Ending(None, -code) if code < 0 else Ending(code, None)), notes


def die_by(number: int) -> None:
    """End this process by the signal that ended the program, without a core file of our own."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)


def _fix_addresses() -> bool:
    """Switch address randomisation off for programs started from now on."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.personality.argtypes = [ctypes.c_ulong]
    current = libc.personality(_QUERY)
    return bool(current >= 0 and libc.personality(current | _ADDR_NO_RANDOMIZE) >= 0)


class _Relay:
    """Passes signals on to the child; those that come before there is one are kept for it.

    A signal that arrives just before a blocking system call begins would have
    its Python handler run only after that call, which may be never. So the
    wait is for a byte in a pipe that the C level handler of every signal,
    SIGCHLD included, fills at once.
    """

    def __init__(self) -> None:
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

    def wait(self, child: subprocess.Popen[bytes]) -> int:
        """Pass signals on to `child` until it ends; its return code as of `Popen.returncode`."""
        self._attach(child)
        while (code := child.poll()) is None:
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
        if not _in_foreground():  # else the terminal has sent it to the child as well
            self._forward(number, frame)


def _in_foreground() -> bool:
    """Does a terminal send its signals to our process group?"""
    try:
        with open("/dev/tty", "rb") as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False
