"""The processes of a run besides the one that was started: forked, executed, or left behind as daemons.

Every process with the runtime writes its number into the header page of the
record file, and maps that file until it ends.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from whence.abi import records

_COUNTS = struct.Struct("<III")
_NUMBER = struct.Struct("<I")
_PATIENCE = 2.0
"""Seconds to wait for a child whose fork or start has begun; it may have failed or been killed."""
_PAUSE = 0.005


def left_behind(record: Path, held: int = 0) -> list[int]:
    """Processes that still run under the rules and write to this record file, but the one that is held.

    A process that has just executed a program does not map the file yet; if there is no other, the call
    waits for it.
    """
    name = os.fsencode(record)
    end = time.monotonic() + _PATIENCE
    while True:
        numbers = [number for number in dict.fromkeys(_numbers(record)) if number not in (os.getpid(), held)]
        found = [number for number in numbers if _maps(number, name)]
        starts = not found and any(_starts(number, name) for number in numbers)
        if not starts or time.monotonic() > end:
            return found
        time.sleep(_PAUSE)


def await_arrivals(record: Path) -> None:
    """Waits until every forked child has registered; usually there is no wait."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        begun, arrived, _ = _COUNTS.unpack_from(_page(record), records.PROCESSES_OFFSET)
        if arrived >= begun:
            return
        time.sleep(_PAUSE)


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
        return [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    begin = records.PROCESSES_OFFSET + _COUNTS.size
    return [number for (number,) in _NUMBER.iter_unpack(page[begin : begin + count * _NUMBER.size])]


def _maps(process: int, name: bytes) -> bool:
    """Whether a process runs and maps a file; another process may have got its number."""
    try:
        with open(f"/proc/{process}/maps", "rb") as file:
            return name in file.read()
    except OSError:
        return False


def lives(process: int) -> bool:
    """Whether a process is there and has not ended; one that its parent has not waited for has."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


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
