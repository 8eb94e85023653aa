"""Keeps this process and the one that runs its paths on one processor, while paths are short.

They take turns: one sleeps while the other works. On two processors each turn wakes one that is idle, which
takes longer than a short path, and the scheduler, which knows nothing of turns, prefers idle ones.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

_LOOK = 0.01
"""Seconds from look to look."""
_SHORT = 0.001
"""Seconds: paths that take less with all that is done for them are short."""
_LOST = 0.2
"""The part of the time in which neither may work before the pair lets go of its processor: others want it."""
_APART_FIRST, _APART_MOST = 0.25, 8.0
"""Seconds until the pair has a processor again after that; each time twice as long, up to a bound."""
_MOST = 8
"""Processes that are looked at. Where each path has one of its own, they do not take turns."""
_SELF: int | str = "thread-self"
_PROCESSES = Path("/proc")
_RUNS_ON = 36
"""The field of /proc/PID/stat behind the name."""


class Pair:
    """Decides which processor the two have. Where others want it, too, or where paths are long, the scheduler
    has its way."""

    def __init__(self) -> None:
        self._all = _affinity()
        self._number = 0
        self._apart = _APART_FIRST
        self._begin()

    def processor(self, now: float, process: int) -> int:
        """The number of the processor for the next path, plus 1; 0 for any. now: by the monotonic clock.
        process: in which the last path of the same server was, or 0."""
        self._paths += 1
        if process not in self._worked and len(self._worked) <= _MOST:
            self._worked[process] = _worked(process)
        if now >= self._next:
            self._look(now)
        return self._number

    def part(self) -> None:
        """Something else than paths comes next: no process that is started now is to inherit a processor."""
        if self._number:
            self._number = 0
            _set_affinity(self._all)
        self._begin()

    def _begin(self) -> None:
        """An interval begins."""
        self._begun, self._paths = time.monotonic(), 0
        self._worked = {_SELF: _worked(_SELF)}
        self._next = self._begun + _LOOK

    def _look(self, now: float) -> None:
        seconds, paths, before = now - self._begun, self._paths, self._worked
        worked = sum(_worked(each) - was for each, was in before.items())
        self._begin()
        if len(self._all) < 2 or not before[_SELF]:
            self._next = float("inf")
        elif seconds > _SHORT * paths or len(before) > _MOST:
            self.part()
        elif seconds - worked <= _LOST * seconds:
            self._stay()
        elif self._number:
            self.part()
            self._next = now + self._apart
            self._apart = min(2 * self._apart, _APART_MOST)

    def _stay(self) -> None:
        if self._number:
            return
        processor = _processor()
        if processor in self._all and _set_affinity({processor}):
            self._number = processor + 1


def _affinity() -> set[int]:
    try:
        return os.sched_getaffinity(0)
    except OSError:
        return set()


def _set_affinity(processors: set[int]) -> bool:
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, processors)
        return True
    return False


def _worked(process: int | str) -> float:
    """The seconds for which a process had a processor; 0: not known."""
    try:
        return int((_PROCESSES / str(process) / "schedstat").read_bytes().split()[0]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _processor() -> int:
    """That on which this process runs; negative: not known."""
    try:
        return int((_PROCESSES / "thread-self" / "stat").read_bytes().rpartition(b")")[2].split()[_RUNS_ON])
    except (OSError, ValueError, IndexError):
        return -1
