"""Starts the instrumented program and waits for its end."""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol

from whence.engines import interruption
from whence.engines.process import stack
from whence.engines.process.addresses import fixed_addresses
from whence.engines.process.handover import UNKNOWN, Handover
from whence.engines.process.processes import descendants, handles, left_behind, lives, named
from whence.engines.settings import Surroundings
from whence.engines.start import Resumed
from whence.errors import CannotExecute, UserMistake

if TYPE_CHECKING:
    from whence.engines.patience import Patience
    from whence.engines.process.watching import Attendant


_RELAYED = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGQUIT", "SIGALRM")
)

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


@dataclass(frozen=True)
class Ending:
    """How the program ended: at most one of `status` and `signal` is set, none where it is not known."""

    status: int | None
    signal: int | None
    timed_out: bool = False
    seconds: float = 0.0
    """CPU time of the program, and of its processes for which their parents waited."""


class Child(Protocol):
    """A started program: the part of `subprocess.Popen` that the launcher needs."""

    pid: int

    @property
    def returncode(self) -> Any: ...

    def poll(self) -> int | None: ...

    def wait(self) -> int: ...

    def kill(self) -> None: ...


class _Adopted:
    """The program of a run that the native launcher began; this process is its parent."""

    def __init__(self, resumed: Resumed) -> None:
        self.pid = resumed.child
        self.returncode = None if resumed.child else os.waitstatus_to_exitcode(resumed.status)

    def poll(self) -> int | None:
        return self._wait(os.WNOHANG)

    def wait(self) -> int:
        code = self._wait(0)
        assert code is not None
        return code

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def _wait(self, options: int) -> int | None:
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, options)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


def launch(
    image: Path | Resumed,
    arguments: Sequence[str],
    record: Path,
    around: Surroundings,
    attendants: Sequence[Attendant] = (),
    handover: Handover | None = None,
    started: Callable[[int], None] = lambda _: None,
) -> tuple[Ending, list[str]]:
    """Run `image` under the name `arguments[0]` until it ends; also returns notes to the user.

    A run that the launcher began goes on, with the signals that came meanwhile. With `handover` our former
    process executes it, which is held at its end unless other processes of the run are left. `started` is
    called with the number of the program's process.
    Raises `CannotExecute` if the system refuses.
    """
    notes = []
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # the parent of this process closed it
            stream.flush()
    before = 0.0 if isinstance(image, Resumed) else _cpu_seconds()
    if around.relay:
        interruption.current.begin()
    with _waiting(around) as wait, _interrupts_held() as release:
        wait.attendants = attendants
        child, fixed = _begun(image, arguments, record, around, handover)
        started(child.pid)
        wait.glances, wait.patience = handover is not None, around.patience
        if not fixed:
            notes.append(
                "the system does not let address randomisation be switched off; addresses differ between runs"
            )
        wait.until(around.timeout)
        ending = _await(child, wait, around, release)
        ending, sentences = _remaining(arguments[0], record, wait, around, ending, handover)
        return replace(ending, seconds=_cpu_seconds() - before), notes + sentences


def _cpu_seconds() -> float:
    """CPU time of the child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _waiting(around: Surroundings) -> _Wait:
    if around.relay and threading.current_thread() is threading.main_thread():
        return _Relay(around.timeout is not None)
    return _Wait()


def _begun(
    image: Path | Resumed,
    arguments: Sequence[str],
    record: Path,
    around: Surroundings,
    handover: Handover | None,
) -> tuple[Child, bool]:
    """The program, and whether its addresses are fixed."""
    if isinstance(image, Resumed):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {*_RELAYED, signal.SIGINT, signal.SIGCHLD})
        return _Adopted(image), True
    with fixed_addresses() as fixed:
        if handover is None:
            return _start(image, arguments, around), fixed
        handover.become(image, arguments, around.environment, record)
        return handover, fixed


def _start(image: Path, arguments: Sequence[str], around: Surroundings) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(arguments),
            executable=image.absolute(),
            env=around.environment,
            cwd=around.cwd,
            stdin=around.stdin,
            stdout=around.stdout,
            stderr=around.stderr,
            close_fds=False,
            process_group=None if around.timeout is None else 0,
            preexec_fn=stack.restoring(),
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


@contextlib.contextmanager
def _interrupts_held() -> Iterator[Callable[[], None]]:
    """Defers SIGINT until the returned function is called, when the program runs and can be ended by it."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda *arguments: came.append(arguments))

    def release() -> None:
        signal.signal(signal.SIGINT, handler)
        while came:
            handler(*came.pop())

    try:
        yield release
    finally:
        release()


def _await(child: Child, wait: _Wait, around: Surroundings, release: Callable[[], None]) -> Ending:
    """Waits for the end of the program; kills it at the timeout or if a signal interrupts the wait."""
    timed_out = False
    try:
        release()
        running = [child.pid] if child.poll() is None else []
        with handles(running) as ended:
            timed_out = not wait.while_(lambda: child.poll() is None, running, ended)
    finally:
        if child.returncode is None:
            others = descendants(child.pid) if around.patience else []
            _kill(child, group=around.timeout is not None)
            _kill_all(others)
    code = child.returncode
    if code == UNKNOWN:
        return Ending(None, None, timed_out)
    return Ending(None, -code, timed_out) if code < 0 else Ending(code, None, timed_out)


def _remaining(
    name: str,
    record: Path,
    wait: _Wait,
    around: Surroundings,
    ending: Ending,
    handover: Handover | None,
) -> tuple[Ending, list[str]]:
    """Waits for checked processes that outlive the program; returns a sentence if some outlive the wait.

    The timeout kills them.
    """
    held = handover.pid if handover else 0
    left = left_behind(record, held)
    if left and around.patience and around.patience.over:
        _kill_all(left)
        left = []
    if left and around.remain and not ending.timed_out:
        if handover:
            handover.release()
        elif around.relay and sys.stderr is not None:
            what = "a process" if len(left) == 1 else f"{len(left)} processes"
            with contextlib.suppress(OSError, ValueError):  # nobody reads it any more
                sentence = f"{name} has ended; waiting for {what} that it left behind: {named(left)}"
                sys.stderr.write(f"whence: {sentence}\n")
                sys.stderr.flush()
        wait.remaining = True
        while left and not wait.given_up() and not ending.timed_out:
            if not _outlived(left, record, wait, held):
                ending = replace(ending, timed_out=True)
                _kill_all(left)
            left = left_behind(record, held)
    if not left:
        return ending, []
    return ending, [f"{len(left)} of its processes still ran at the end; what they do later is not reported"]


def _outlived(left: list[int], record: Path, wait: _Wait, held: int) -> bool:
    """Waits until some of these processes have ended; false after the timeout."""
    with handles(left) as ended:
        return wait.while_(lambda: left_behind(record, held) == left, left, ended)


_DYING = 5000
"""Milliseconds to wait for the end of a killed process."""


def _kill_all(processes: list[int]) -> None:
    with handles(processes) as ended:
        for number in processes:
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGKILL)
        for descriptor in ended:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            poll.poll(_DYING)


def _kill(child: Child, group: bool) -> int:
    with contextlib.suppress(ProcessLookupError):
        if group:
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    return child.wait()


def die_by(number: int) -> None:
    """End this process by the signal that ended the program, without a second core file."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    os.kill(os.getpid(), number)


_POLL = 0.05
"""Seconds between two checks of a process without a descriptor to wait for."""
_LOOK = 0.25
"""Seconds between two looks whether a run is given up, and between two calls of its progress."""
_GLANCE = 0.02
"""Seconds between two checks whether the runtime holds the program at its end."""


class _Wait:
    """Waits for processes, and attends to services meanwhile; the caller's handlers get the signals."""

    def __init__(self) -> None:
        self.attendants: Sequence[Attendant] = ()
        self.processes: Sequence[int] = ()
        self.remaining = False  # the program itself has ended
        self.glances = False  # the program may be held at its end
        self.patience: Patience | None = None
        self._deadline: float | None = None

    def __enter__(self) -> _Wait:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def until(self, timeout: float | None) -> None:
        """Sets the timeout of all waits, in seconds from now."""
        self._deadline = None if timeout is None else time.monotonic() + timeout

    def while_(self, running: Callable[[], bool], processes: Sequence[int], ended: Sequence[int]) -> bool:
        """Waits while `processes`, whose handles are `ended`, are `running`; false after the timeout."""
        self._attach(processes)
        while running() and not self.given_up():
            left = None if self._deadline is None else self._deadline - time.monotonic()
            if (left is not None and left <= 0) or (self.patience and self.patience.looked()):
                return False
            # No handle tells that a process that was left behind executes a program that is not checked.
            if len(ended) < len(processes) or self.glances or self.remaining:
                most = _GLANCE if self.glances else _POLL
                left = most if left is None else min(left, most)
            if self.patience:
                left = _LOOK if left is None else min(left, _LOOK)
            self._pause(ended, left)
        self.processes = ()
        return True

    def given_up(self) -> bool:
        """Whether a second request to end has arrived: the first one ends only the remaining processes."""
        return False

    def endings(self) -> int:
        """The number of signals so far that request the end of the run."""
        return 0

    def _attach(self, processes: Sequence[int]) -> None:
        self.processes = processes

    def _bells(self) -> Sequence[int]:
        return ()

    def _pause(self, ended: Sequence[int], seconds: float | None) -> None:
        """Waits for the next event, and handles it."""
        attendants = {each.fileno(): each for each in self.attendants}
        poll = select.poll()
        for descriptor in (*ended, *self._bells(), *attendants):
            poll.register(descriptor, select.POLLIN)
        for descriptor, _ in poll.poll(None if seconds is None else max(1.0, seconds * 1000)):
            if descriptor in attendants:
                attendants[descriptor].attend(self.endings)
            elif descriptor in self._bells():
                os.read(descriptor, 4096)


class _Relay(_Wait):
    """Passes signals on to the child, including those that arrive before it starts.

    A signal that arrives just before a blocking system call begins would have
    its Python handler run only after that call, which may be never. So the
    wait is for a byte in a pipe that the C level handler of every signal,
    SIGCHLD included, fills at once.
    """

    def __init__(self, apart: bool) -> None:
        super().__init__()
        self._apart = apart  # the child is in a process group of its own, which no terminal signals
        self._early: list[int] = []
        self._before: dict[int, Any] = {}
        self._endings = 0
        self._asked_to_end = 0
        self._bell, bell = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(bell, False)
        self._rung_by = signal.set_wakeup_fd(bell, warn_on_full_buffer=False)
        self._written = bell

    def __enter__(self) -> _Relay:
        handlers = dict.fromkeys(_RELAYED, self._forward)
        for number, handler in (handlers | {signal.SIGINT: self._interrupt}).items():
            if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup: the child ignores it, too
                self._before[number] = signal.signal(number, handler)
        self._before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._rung_by)
        for descriptor in (self._bell, self._written):
            os.close(descriptor)

    def given_up(self) -> bool:
        return self._asked_to_end > 1

    def endings(self) -> int:
        return self._endings

    def _bells(self) -> Sequence[int]:
        return (self._bell,)

    def _attach(self, processes: Sequence[int]) -> None:
        super()._attach(processes)
        early, self._early = self._early, []
        for number in early:
            self._send(number)

    def _send(self, number: int) -> None:
        """What comes when the program has just ended is for those that it has left behind."""
        running = [each for each in self.processes if lives(each)]
        for process in running:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)
        if not running:
            self._early.append(number)

    def _forward(self, number: int, frame: FrameType | None) -> None:
        self._endings += number in _ENDING
        if self.remaining and number in _ENDING:
            self._asked_to_end += 1
        self._send(number)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        # Otherwise the terminal has sent it to the child, too.
        if self.remaining or self._apart or not _in_foreground():
            self._forward(number, frame)
        else:
            self._endings += 1


def _in_foreground() -> bool:
    """Whether a terminal sends its signals to this process group."""
    try:
        with open("/dev/tty", "rb") as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False
