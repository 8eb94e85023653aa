"""What reports show of a call path, and how they name frames."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from whence.findings.frames import Frame
from whence.findings.heap import HeapProcess, HeapStack
from whence.findings.leaks import Total
from whence.report.frames import module_position, short_path
from whence.report.styles import printable


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a call path: `of` a stack, and of the whole process; title: as a heading says it."""

    title: str
    of: Callable[[HeapStack], Total]
    whole: Callable[[HeapProcess], Total]


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "peak": Measure("Alive at the peak", lambda stack: stack.peak, lambda process: process.peak),
        "end": Measure("Alive at the end", lambda stack: stack.end, lambda process: process.end),
        "total": Measure("Allocated in total", lambda stack: stack.total, lambda process: process.total),
        "temporary": Measure(
            "Temporary: freed before the thread's next allocation",
            lambda stack: stack.temporary,
            lambda process: process.temporary,
        ),
    }
)
OTHERS = "(call paths that found no room)"


def name_of(frame: Frame) -> str:
    """The function, or the place in the module."""
    return printable(frame.function) if frame.function else module_position(frame) or "(unknown)"


def place_of(frame: Frame, directory: str | None = None) -> str:
    """``fill.c:12``, or the library; the whole path without `directory`."""
    if not frame.file:
        return printable(os.path.basename(frame.module or "?"))
    file = printable(frame.file) if directory is None else short_path(frame.file, directory)
    return f"{file}:{frame.line}" if frame.line else file
