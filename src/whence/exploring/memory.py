"""The bound of an exploration's memory: of its own process with the solver, and those that run paths."""

from __future__ import annotations

import contextlib
import gc
import os
import time
from collections.abc import Callable
from pathlib import Path

_INTERVAL = 0.1
"""Seconds from look to look."""
_ENOUGH = 0.9
"""The share of the bound below which memory has to come by what is forgotten, lest it be all that is done."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident(process: int | str = "self") -> int:
    """Bytes of memory that a process has, with those it shares; 0 if it has ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_bytes().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def children(process: int) -> list[int]:
    """The processes that the first thread of a process has started; none where the kernel does not say."""
    try:
        return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_bytes().split()]
    except OSError:
        return []


class Bound:
    """Bytes that an exploration may use. others: what the other processes use; forget: gives up what can be
    found again.

    forgotten: how often that was done.
    """

    def __init__(self, limit: int, others: Callable[[], int], forget: Callable[[], None]) -> None:
        self.limit = limit
        self.forgotten = 0
        self._others, self._forget = others, forget
        self._next = 0.0

    def exceeded(self) -> bool:
        """Whether it is, after all that can be has been forgotten."""
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + _INTERVAL
        if self._used() <= self.limit:
            return False
        self.forgotten += 1
        self._forget()
        _give_back()
        return self._used() > _ENOUGH * self.limit

    def _used(self) -> int:
        return resident() + self._others()


def _give_back() -> None:
    """Free memory becomes the system's, where the C library can do that."""
    import ctypes

    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
