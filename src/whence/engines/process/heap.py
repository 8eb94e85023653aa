"""Reads the profiles of the heap that processes leave beside the record (`whence.abi.profile`)."""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.abi import profile, records
from whence.engines.process.decode import RawRun
from whence.engines.process.facts import without_runtime
from whence.findings import Frame
from whence.findings.frames import visible
from whence.findings.heap import HeapPoint, HeapProcess, HeapProfile, HeapStack, total_of
from whence.findings.leaks import Total
from whence.symbols.symbolizer import Symbolizer


@dataclass(frozen=True, slots=True)
class RawRow:
    """One stack: the numbers of `profile.ROW`, and return addresses."""

    fields: dict[str, int]
    pcs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RawProfile:
    """One file: the numbers of `profile.HEADER`, its timeline as far as something happened, and its rows.

    program: how many programs the process has executed before this one. command: its command line.
    """

    program: int
    command: tuple[str, ...]
    fields: dict[str, int]
    points: tuple[dict[str, int], ...]
    rows: tuple[RawRow, ...]


def read_profiles(record: Path) -> tuple[list[RawProfile], list[str]]:
    """The profiles beside a record, in the order in which they were begun, and sentences for the user."""
    found, notes = [], []
    for path in record.parent.glob(f"{record.name}{profile.SUFFIX}*"):
        _, _, program = path.name.rpartition(".")
        try:
            with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                each = _read(memoryview(data), int(program))
        except (OSError, ValueError, struct.error):
            each = None
        if each is None:
            notes.append(f"a profile of the heap cannot be read: {path.name}")
        else:
            found.append(each)
    return sorted(found, key=lambda each: (each.fields["begun"], each.fields["pid"], each.program)), notes


def _read(data: memoryview, program: int) -> RawProfile | None:
    """None if it is not complete; raises `struct.error` if it is too short."""
    with data:
        head = profile.HEADER.unpack(data)
        if head["magic"] != int.from_bytes(profile.MAGIC, "little") or head["version"] != profile.VERSION:
            return None
        points = (
            profile.POINT.unpack(data, profile.POINTS_AT + number * profile.POINT.size)
            for number in range(profile.POINTS)
        )
        known = ({"number": number, **each} for number, each in enumerate(points) if each["time"])
        words = bytes(data[profile.COMMAND_AT : profile.POINTS_AT][: head["command"]])
        command = tuple(map(os.fsdecode, words.rstrip(b"\0").split(b"\0"))) if words else ()
        return RawProfile(program, command, head, tuple(known), tuple(_rows(data, head["rows"])))


def _rows(data: memoryview, count: int) -> Iterator[RawRow]:
    for number in range(min(count, profile.ROWS)):
        at = profile.ROWS_AT + number * profile.ROW_SIZE
        fields = profile.ROW.unpack(data, at)
        frames = min(fields["frames"], records.ALLOC_FRAMES)
        yield RawRow(fields, struct.unpack_from(f"<{frames}Q", data, at + profile.ROW.size))


_ALLOCATING = ("operator new", "operator new[]")
"""Functions of the C++ library that only pass on what is asked for."""


class _Frames:
    """The frames of all stacks, each once."""

    def __init__(self, raw: RawRun, symbolizer: Symbolizer) -> None:
        self.raw, self.symbolizer = raw, symbolizer
        self.all: list[Frame] = []
        self._numbers: dict[Frame, int] = {}

    def of(self, row: RawRow) -> tuple[int, ...]:
        """The numbers of the frames of a stack."""
        if not row.pcs:
            return ()
        memory = self.raw.maps.get(row.fields["maps"])
        whole = self.symbolizer.stack(row.pcs, memory)
        stack = visible(without_runtime(whole) or whole)
        inner = 0
        while inner + 1 < len(stack) and stack[inner].function in _ALLOCATING:
            inner += 1
        return tuple(map(self._number, stack[inner:]))

    def _number(self, frame: Frame) -> int:
        number = self._numbers.setdefault(frame, len(self.all))
        if number == len(self.all):
            self.all.append(frame)
        return number


def profile_of(raw: RawRun, profiles: Sequence[RawProfile], symbolizer: Symbolizer) -> HeapProfile:
    """The document of a run."""
    frames = _Frames(raw, symbolizer)
    processes = tuple(_process(each, frames) for each in profiles)
    return HeapProfile(processes, tuple(frames.all))


def notes_of(found: HeapProfile) -> list[str]:
    """Sentences for the user: what is not counted, or not by its call path."""
    notes = []
    for each in found.processes:
        if each.missed:
            notes.append(f"{each.name} ({each.pid}): {each.missed:,} allocations or frees are not counted")
        if each.crowded:
            notes.append(
                f"{each.name} ({each.pid}): {each.crowded:,} call paths found no room and share one entry"
            )
    return notes


def _process(raw: RawProfile, frames: _Frames) -> HeapProcess:
    head = raw.fields
    stacks = _united(_stack(row, head["epoch"], frames) for row in raw.rows)
    return HeapProcess(
        pid=head["pid"],
        parent=head["parent"],
        command=raw.command,
        forked=bool(head["forked"]),
        peak=Total(head["peak_blocks"], head["peak"]),
        peak_moved=head["peak_moved"],
        end=Total(head["blocks"], head["live"]),
        total=total_of(each.total for each in stacks),
        temporary=total_of(each.temporary for each in stacks),
        inherited=Total(head["inherited_blocks"], head["inherited"]),
        moved=head["moved"],
        step=1 << head["shift"],
        resized=sum(each.resized for each in stacks),
        unused=sum(each.unused for each in stacks),
        unused_at_peak=sum(each.unused_at_peak for each in stacks),
        crowded=head["crowded"],
        missed=head["missed"],
        timeline=tuple(_points(raw)),
        stacks=tuple(sorted(stacks, key=lambda each: (-each.peak.bytes, -each.total.bytes, each.frames))),
    )


def _points(raw: RawProfile) -> Iterator[HeapPoint]:
    shift = raw.fields["shift"]
    for each in raw.points:
        moved = min((each["number"] + 1) << shift, raw.fields["moved"])
        yield HeapPoint(moved, each["time"] - 1, each["most"], Total(each["blocks"], each["live"]))


def _stack(row: RawRow, epoch: int, frames: _Frames) -> HeapStack:
    f = row.fields
    kept = f["epoch"] == epoch
    peak = ("blocks_at_peak", "at_peak", "unused_at_peak") if kept else ("blocks", "live", "unused")
    blocks, size, unused = (f[name] for name in peak)
    return HeapStack(
        frames=frames.of(row),
        peak=Total(blocks, size),
        end=Total(f["blocks"], f["live"]),
        total=Total(f["total_blocks"], f["total"]),
        temporary=Total(f["temporary_blocks"], f["temporary"]),
        most=f["most"],
        resized=f["resized_blocks"],
        unused=f["unused"],
        unused_at_peak=unused,
    )


def _united(stacks: Iterator[HeapStack]) -> list[HeapStack]:
    """Those of equal frames are one, as of a library that was loaded twice; empty ones are left out."""
    made: dict[tuple[int, ...], HeapStack] = {}
    for each in stacks:
        if not (each.total.blocks or each.end.blocks or each.peak.blocks):
            continue
        other = made.get(each.frames)
        made[each.frames] = each if other is None else _sum(each, other)
    return list(made.values())


def _sum(a: HeapStack, b: HeapStack) -> HeapStack:
    """`most` is then an upper bound."""
    return HeapStack(
        a.frames,
        a.peak + b.peak,
        a.end + b.end,
        a.total + b.total,
        a.temporary + b.temporary,
        a.most + b.most,
        a.resized + b.resized,
        a.unused + b.unused,
        a.unused_at_peak + b.unused_at_peak,
    )
