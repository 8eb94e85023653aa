"""What a program did with its heap: the document of a run under ``whence heap``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from whence.findings.documents import Document
from whence.findings.frames import Frame
from whence.findings.leaks import Total
from whence.findings.plain import OWN, plain, shown

SCHEMA = 1
"""The version of the document, which increases if a field is removed or changes its meaning."""


@dataclass(frozen=True, slots=True)
class HeapStack:
    """What was allocated by one call path.

    frames: numbers of frames in the profile, innermost first; empty for paths that found no room.
    peak: what of it was alive at the process's peak, end: at its end or its last event. total: ever.
    temporary: freed before the thread's next allocation. most: most bytes of it that were alive at a time.
    resized: blocks that realloc put in the place of another one.
    unused, unused_at_peak: bytes that the allocator gave beyond what was asked for, in live blocks.
    """

    frames: tuple[int, ...]
    peak: Total
    end: Total
    total: Total
    temporary: Total
    most: int = 0
    resized: int = 0
    unused: int = 0
    unused_at_peak: int = 0


@dataclass(frozen=True, slots=True)
class HeapPoint:
    """A part of the timeline: after `moved` bytes that were allocated or freed, and `microseconds`.

    most: most bytes that were alive in it. end: what was alive at its end.
    """

    moved: int
    microseconds: int
    most: int
    end: Total


@dataclass(frozen=True, slots=True)
class HeapProcess:
    """One program in one process.

    forked: it began with what its parent had allocated, `inherited`. peak: what was alive when most bytes
    were, after `peak_moved` of `moved` bytes that were allocated or freed. end: what was alive at its end.
    step: bytes of `moved` that a point of the timeline stands for.
    crowded: call paths that found no room, which share one entry. missed: events that are not counted.
    """

    pid: int
    parent: int
    command: tuple[str, ...]
    forked: bool
    peak: Total
    peak_moved: int
    end: Total
    total: Total
    temporary: Total
    inherited: Total
    moved: int
    step: int
    resized: int
    unused: int
    unused_at_peak: int
    crowded: int
    missed: int
    timeline: tuple[HeapPoint, ...]
    stacks: tuple[HeapStack, ...]

    @property
    def name(self) -> str:
        """The program, as its command line names it."""
        return self.command[0].rpartition("/")[2] if self.command else f"process {self.pid}"


@dataclass(frozen=True, slots=True)
class HeapProfile(Document, key="heap"):
    """What the processes of a run allocated, the first one first. frames: those of all stacks."""

    processes: tuple[HeapProcess, ...] = ()
    frames: tuple[Frame, ...] = field(default=(), metadata=OWN)

    def document(self) -> dict[str, Any]:
        return {"schema": SCHEMA, **shown(self), "frames": plain(self.frames)}

    def stack(self, stack: HeapStack) -> tuple[Frame, ...]:
        """The frames of a stack, innermost first."""
        return tuple(self.frames[each] for each in stack.frames)


def total_of(totals: Iterable[Total]) -> Total:
    """The sum."""
    blocks = size = 0
    for each in totals:
        blocks, size = blocks + each.blocks, size + each.bytes
    return Total(blocks, size)


def profile_of(document: Mapping[str, Any]) -> HeapProfile:
    """The profile that a document in JSON describes.

    Raises `KeyError`, `TypeError` or `ValueError` for what is no such document.
    """
    if document["schema"] != SCHEMA:
        raise ValueError(f"its schema is {document['schema']}, this whence reads {SCHEMA}")
    frames = tuple(_frame(each) for each in document["frames"])
    processes = tuple(_process(each) for each in document["processes"])
    numbers = {number for each in processes for stack in each.stacks for number in stack.frames}
    if numbers and not 0 <= min(numbers) <= max(numbers) < len(frames):
        raise ValueError("it has stacks whose frames it does not have")
    return HeapProfile(processes, frames)


def _frame(known: Mapping[str, Any]) -> Frame:
    pc, offset = known["pc"], known["offset"]
    return Frame(
        int(pc, 16),
        known["module"],
        None if offset is None else int(offset, 16),
        known["function"],
        known["file"],
        int(known["line"] or 0),
        int(known["column"] or 0),
        bool(known["inlined"]),
    )


def _process(known: Mapping[str, Any]) -> HeapProcess:
    numbers = {
        name: int(known[name])
        for name in (
            *("pid", "parent", "peak_moved", "moved", "step", "resized", "unused", "unused_at_peak"),
            *("crowded", "missed"),
        )
    }
    totals = {name: _total(known[name]) for name in ("peak", "end", "total", "temporary", "inherited")}
    made: dict[str, Any] = {
        **numbers,
        **totals,
        "command": tuple(map(str, known["command"])),
        "timeline": tuple(map(_point, known["timeline"])),
        "stacks": tuple(map(_stack, known["stacks"])),
        "forked": bool(known["forked"]),
    }
    return HeapProcess(**made)


def _point(known: Mapping[str, Any]) -> HeapPoint:
    moved, microseconds, most = (int(known[name]) for name in ("moved", "microseconds", "most"))
    return HeapPoint(moved, microseconds, most, _total(known["end"]))


def _stack(known: Mapping[str, Any]) -> HeapStack:
    made: dict[str, Any] = {name: _total(known[name]) for name in ("peak", "end", "total", "temporary")}
    made |= {name: int(known[name]) for name in ("most", "resized", "unused", "unused_at_peak")}
    return HeapStack(tuple(map(int, known["frames"])), **made)


def _total(known: Mapping[str, Any]) -> Total:
    return Total(int(known["blocks"]), int(known["bytes"]))
