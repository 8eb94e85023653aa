"""The processes of a run besides the one that was started: forked, executed, or left behind as daemons.

Every process that the runtime is in writes its number into the header page of
the record file, and maps that file as long as it lives.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from whence.abi import records

_NUMBER = struct.Struct("<I")


def left_behind(record: Path) -> list[int]:
    """Processes that still run under the rules and write to this record file."""
    try:
        with open(record, "rb") as file:
            page = file.read(records.HEADER_SIZE)
    except OSError:
        return []
    (count,) = _NUMBER.unpack_from(page, records.PROCESSES_OFFSET)
    if count > records.PROCESSES_MOST:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    else:
        table = page[records.PROCESSES_OFFSET + _NUMBER.size :]
        numbers = [number for (number,) in _NUMBER.iter_unpack(table[: count * _NUMBER.size])]
    name = os.fsencode(record)
    return [number for number in dict.fromkeys(numbers) if number != os.getpid() and _maps(number, name)]


def _maps(process: int, name: bytes) -> bool:
    """Whether a process lives and has a file in its memory; a number may have passed to another process."""
    try:
        with open(f"/proc/{process}/maps", "rb") as file:
            return name in file.read()
    except OSError:
        return False


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
