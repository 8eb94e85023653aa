"""What a second run of a program gets again: the answers from outside, and a standard input that is no file.

The runtime of the first run keeps answers such as the time in a file (`whence.abi.outside`), and the order
in which threads come to what they share; that of the second repeats them. What comes through a pipe or a
socket is kept on its way to the program.
"""

from __future__ import annotations

import contextlib
import os
import select
import struct
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whence.abi import outside
from whence.errors import ToolLimit

_AT_ONCE = 1 << 16
_NAMES = {False: "KEEP", True: "REPEAT"}
_ASTRAY = {
    "ANSWER": "it asked for the time, random numbers or processes at another moment",
    "TURN": "its threads came to locks, conditions or the heap in another order",
    "FULL": f"only the first {outside.MOST_TURNS} turns of its threads were kept",
}


@dataclass(frozen=True)
class Repeating:
    """A run that is repeated, or repeats another one.

    folder: of what is kept, which outlives both runs. again: whether this is the second. source: the
    descriptor of a standard input that is kept; None: it need not be.
    """

    folder: Path
    again: bool = False
    source: int | None = None

    @property
    def mode(self) -> int:
        """The value of the runtime's option."""
        return outside.MODES[_NAMES[self.again]]

    def second(self) -> Repeating:
        """The second run, whose first process gets the answers."""
        header = self._header()
        with open(self.folder / "answers", "r+b") as file:
            file.write(struct.pack(outside.HEADER.format, *(header | {"owner": 0, "programs": 0}).values()))
        return replace(self, again=True)

    def place(self, record: Path) -> None:
        """Puts the file of the answers beside a record."""
        os.symlink(self.folder / "answers", f"{record}{outside.SUFFIX}")

    @property
    def threads(self) -> bool:
        """Whether the first process had threads, which then had turns."""
        header = self._header()
        return bool(header["turns"] > header["programs"])

    @property
    def astray(self) -> Sequence[str]:
        """What the second run had otherwise than the first, in words."""
        bits = self._header()["astray"]
        return [words for name, words in _ASTRAY.items() if bits & outside.ASTRAY[name]]

    def _header(self) -> dict[str, Any]:
        with open(self.folder / "answers", "rb") as file:
            return outside.HEADER.unpack(file.read(outside.HEADER.size))

    @contextlib.contextmanager
    def input(self) -> Iterator[int | None]:
        """The descriptor that the program reads from; None: its usual one."""
        if self.source is None:
            yield None
            return
        kept = self.folder / "stdin"
        with contextlib.ExitStack() as stack:
            if self.again:
                source = stack.enter_context(kept.open("rb")).fileno()
                copy = -1
            else:
                source = self.source
                copy = stack.enter_context(kept.open("wb", buffering=0)).fileno()
            yield stack.enter_context(_pumped(source, copy))


@contextlib.contextmanager
def repeatable(source: int | None) -> Iterator[Repeating]:
    """The first of two runs; what is kept is gone in the end. Raises `ToolLimit` without room for it."""
    with tempfile.TemporaryDirectory(prefix="whence-repeat-") as name:
        folder = Path(name)
        try:
            with open(folder / "answers", "xb") as file:
                file.truncate(outside.FILE_SIZE)
        except OSError as error:
            raise ToolLimit(f"{folder}: no room for a second run: {error.strerror}; set TMPDIR") from error
        yield Repeating(folder, source=source)


@contextlib.contextmanager
def _pumped(source: int, copy: int) -> Iterator[int]:
    """A pipe through which a descriptor's bytes come, which are also written to `copy`, if that is not -1."""
    reading, writing = os.pipe()
    stopped, stop = os.pipe()
    os.set_blocking(writing, False)
    thread = threading.Thread(target=_pump, args=(source, copy, writing, stopped), daemon=True)
    thread.start()
    try:
        yield reading
    finally:
        os.close(stop)
        thread.join()
        os.close(stopped)
        os.close(reading)


def _pump(source: int, copy: int, to: int, stopped: int) -> None:
    """Moves bytes until the source ends, or the other end of `stopped` is closed. No more is read than a pipe
    has room for, so that what the program leaves stays where it is, but for that."""
    try:
        while _is_ready(source, select.POLLIN, stopped):
            data = os.read(source, _AT_ONCE)
            if not data:
                return
            rest = memoryview(data)
            if copy >= 0:
                _write_all(copy, data)
            while rest:
                if not _is_ready(to, select.POLLOUT, stopped):
                    return
                with contextlib.suppress(BlockingIOError):
                    rest = rest[os.write(to, rest) :]
    except OSError:
        return  # nobody reads, or the source cannot be read: the program sees the end
    finally:
        os.close(to)


def _write_all(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _is_ready(file: int, event: int, stopped: int) -> bool:
    """Waits until a descriptor can be read or written; False if all is to stop."""
    waiting = select.poll()
    waiting.register(file, event)
    waiting.register(stopped, select.POLLHUP)
    return stopped not in dict(waiting.poll())
