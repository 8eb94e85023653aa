"""The processes of a run besides the one that was started: forked, executed, or left behind as daemons.

Every process with the runtime writes its number into the header page of the
record file, and maps that file until it ends. A process that has just been forked or
executed a program may lack one of both; the kernel knows whether the file is mapped at all.
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from whence.abi import records

_COUNTS = struct.Struct("<III")
_NUMBER = struct.Struct("<I")
_PATIENCE = 2.0
"""Seconds to wait for a process that has executed a program and sleeps: it may be one that is not checked.
Also for one that maps the file and is not in the table of processes: it may be of another PID namespace."""
_BUSY = 1.0
"""Seconds of CPU time after which one that does not sleep is no longer taken for one that starts."""
_PAUSE = 0.005
_GLANCE = 0.1
"""Seconds to look for a forked process that has not arrived, where the kernel does not say if it is there."""
_TICKS = os.sysconf("SC_CLK_TCK")


def left_behind(record: Path, held: int = 0) -> list[int]:
    """Processes that still run under the rules and write to this record file, but the one that is held.

    A process that has just executed a program does not map the file yet; if there is no other, the call
    waits for it.
    """
    others = (os.getpid(), held)
    while True:
        before = _counts(record)
        found = _registered(record, others)
        if found:
            return found
        found = _unregistered(record, others)
        if found or _counts(record) == before:  # else one of those that have ended may have left another one
            return found


def _registered(record: Path, others: tuple[int, int]) -> list[int]:
    """Processes that have written their numbers and map the file; waits for those that only start."""
    name = os.fsencode(record)
    end = time.monotonic() + _PATIENCE
    while True:
        numbers = [number for number in dict.fromkeys(_numbers(record)) if number not in others]
        found = [number for number in numbers if _maps(number, name)]
        starting = [] if found else [number for number in numbers if _starts(number, name)]
        if not starting or (time.monotonic() > end and not any(map(_is_busy, starting))):
            return found
        time.sleep(_PAUSE)


def _unregistered(record: Path, others: tuple[int, int]) -> list[int]:
    """Processes that map the file and have not written their numbers yet, or never will."""
    begun = time.monotonic()
    while patience := _patience_for_mapping(record):  # any number of looks may miss one that forks and ends
        found = [number for number in _all_numbers() if number not in others]
        found = [number for number in found if _maps(number, os.fsencode(record))]
        if found or time.monotonic() > begun + patience:
            return found
        time.sleep(_PAUSE)
    return []


def _patience_for_mapping(record: Path) -> float:
    """Seconds to look for a process that maps the file; none if there is no other.

    Usually it is one that starts or has been forked just now. The kernel grants a lease for reading only
    where nobody can write. As a process that opens the file meanwhile makes it send a signal, that is one
    without effect.
    """
    begun, arrived, _ = _counts(record)
    unknown = _GLANCE if begun != arrived else 0.0
    if _maps(os.getpid(), os.fsencode(record)):  # suppressions, or a debugger
        return unknown
    try:
        with open(record, "rb") as file:
            fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except BlockingIOError:
        return _PATIENCE
    except OSError:  # a file system without leases
        return unknown
    return 0.0


def named(processes: list[int]) -> str:
    """What to call some processes in a sentence: their names and numbers."""
    texts = [f"{_name(number)} ({number}{_how(number)})" for number in processes[:_NAMED]]
    more = len(processes) - len(texts)
    return ", ".join(texts) + (f" and {more} more" if more else "")


_NAMED = 3


def _name(process: int) -> str:
    try:
        with open(f"/proc/{process}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except OSError:
        return "process"


def _how(process: int) -> str:
    status = _status(process)
    return ", which is stopped" if status and status[0] in (b"T", b"t") else ""


def _counts(record: Path) -> tuple[int, int, int]:
    """Forks that have begun, those whose child has arrived, processes."""
    begun, arrived, count = _COUNTS.unpack_from(_page(record), records.PROCESSES_OFFSET)
    return begun, arrived, count


def _page(record: Path) -> bytes:
    try:
        with open(record, "rb") as file:
            return file.read(records.HEADER_SIZE).ljust(records.HEADER_SIZE, b"\0")
    except OSError:
        return bytes(records.HEADER_SIZE)


def _numbers(record: Path) -> list[int]:
    page = _page(record)
    _, _, count = _COUNTS.unpack_from(page, records.PROCESSES_OFFSET)
    if count > records.PROCESSES_MOST:
        return _all_numbers()
    begin = records.PROCESSES_OFFSET + _COUNTS.size
    return [number for (number,) in _NUMBER.iter_unpack(page[begin : begin + count * _NUMBER.size])]


def _all_numbers() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]


def _maps(process: int, name: bytes) -> bool:
    """Whether a process runs and maps a file; another process may have got its number."""
    try:
        with open(f"/proc/{process}/maps", "rb") as file:
            return name in file.read()
    except OSError:
        return False


def lives(process: int) -> bool:
    """Whether a process is there and has not ended; one that its parent has not waited for has."""
    status = _status(process)
    return bool(status) and status[0] not in (b"Z", b"X")


def _status(process: int) -> list[bytes]:
    """The fields of its status from the state on; none without such a process."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


_PARENT, _USER, _SYSTEM = 1, 11, 12
"""Which of these fields are the parent's number and the CPU time."""


def _is_busy(process: int) -> bool:
    """Whether a process runs, or waits for a processor or a disk, and has not had much time yet."""
    status = _status(process)
    if not status or status[0] not in (b"R", b"D"):
        return False
    return int(status[_USER]) + int(status[_SYSTEM]) < _BUSY * _TICKS


def _starts(process: int, name: bytes) -> bool:
    """Whether a process runs that has this file in its environment and may map it soon."""
    if not lives(process):
        return False
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            environment = file.read()
    except OSError:
        return False
    return not environment or name in environment  # in the middle of exec there is none


@contextmanager
def handles(processes: list[int]) -> Iterator[list[int]]:
    """Descriptors, each readable once its process has ended; none where Linux is older than 5.3."""
    with ExitStack() as stack:
        found = []
        for process in processes:
            try:
                found.append(os.pidfd_open(process))
            except OSError:
                continue
            stack.callback(os.close, found[-1])
        yield found


def descendants(process: int) -> list[int]:
    """The children of a process, and theirs, as long as their parents live."""
    children: dict[int, list[int]] = {}
    for number in _all_numbers():
        status = _status(number)
        if status:
            children.setdefault(int(status[_PARENT]), []).append(number)
    found = list(children.get(process, ()))
    for each in found:
        found += children.get(each, ())
    return found
