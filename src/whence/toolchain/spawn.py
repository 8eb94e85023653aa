"""Starting processes with `os.posix_spawn`, because importing `subprocess` would slow the wrapper down."""

from __future__ import annotations

import contextlib
import os
import signal


def start(
    command: list[str],
    *,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    environment: dict[str, str] | None = None,
) -> int:
    """Start `command` with the given descriptors as its standard ones; returns the process id.

    Raises `OSError` when it cannot be started.
    """
    actions = [
        (os.POSIX_SPAWN_DUP2, descriptor, target)
        for target, descriptor in enumerate((stdin, stdout, stderr))
        if descriptor is not None
    ]
    return os.posix_spawn(
        command[0],
        command,
        os.environ if environment is None else environment,
        file_actions=actions,
        setsigdef=[signal.SIGPIPE],
    )


def output(command: list[str], data: bytes = b"") -> bytes:
    """Standard output of a command that reads `data`, its errors discarded; raises `OSError`."""
    return _outputs(command, data)[0]


def complaints(command: list[str]) -> bytes:
    """Standard error of a command that reads nothing; raises `OSError`."""
    return _outputs(command, b"")[1]


def _outputs(command: list[str], data: bytes) -> tuple[bytes, bytes]:
    source, sink, errors = memory("input"), memory("output"), memory("errors")
    try:
        write_all(source, data)
        os.lseek(source, 0, os.SEEK_SET)
        pid = start(command, stdin=source, stdout=sink, stderr=errors)
        os.waitpid(pid, 0)
        return contents(sink), contents(errors)
    finally:
        for descriptor in (source, sink, errors):
            os.close(descriptor)


def memory(name: str) -> int:
    """The descriptor of a new anonymous file in memory."""
    return os.memfd_create(f"whence-{name}")


def contents(descriptor: int) -> bytes:
    """All bytes of a file, from its beginning."""
    size = os.fstat(descriptor).st_size
    parts = []
    offset = 0
    while offset < size:
        part = os.pread(descriptor, size - offset, offset)
        if not part:
            break
        parts.append(part)
        offset += len(part)
    return b"".join(parts)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte at the current position; raises `OSError`."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


class Forwarding:
    """Forwards SIGINT, SIGTERM and SIGHUP to a child during a `with` block, so that the child cleans up."""

    def __init__(self) -> None:
        self._pid = 0
        self._early: list[int] = []
        self._numbers: list[int] = []

    def to(self, pid: int) -> int:
        """Sets the child and sends it the signals that came earlier; returns its process id."""
        self._pid = pid
        for number in self._early:
            self._forward(number, None)
        return pid

    def __enter__(self) -> Forwarding:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._numbers.append(number)
                signal.signal(number, self._forward)
        return self

    def _forward(self, number: int, _frame: object) -> None:
        if not self._pid:
            self._early.append(number)
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, number)

    def __exit__(self, *_: object) -> None:
        for number in self._numbers:
            signal.signal(number, signal.SIG_DFL)


def end_as(status: int) -> int:
    """The exit code of a wait status; after a death by signal this process gets the same signal."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        return 128 + number
    return os.WEXITSTATUS(status)
