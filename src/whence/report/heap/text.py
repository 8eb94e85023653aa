"""A heap profile as aligned text for people."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from whence.findings.frames import Frame, is_own
from whence.findings.heap import HeapProcess, HeapProfile
from whence.report.frames import short_name
from whence.report.heap.measures import MEASURES, OTHERS, Measure, name_of, place_of
from whence.report.styles import printable
from whence.report.words import bytes_, plural

_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 60
_CALLERS = 3
_NAME = 60


def render(profile: HeapProfile, *, top: int = 10, directory: str | None = None) -> str:
    """The text; top: call paths of each table."""
    directory = directory or os.getcwd()
    if not profile.processes:
        return "whence: no process of the run has a profile of its heap\n"
    parts = ("\n".join(_process(profile, each, top, directory)) for each in profile.processes)
    return "\n\n".join(parts) + "\n"


def _process(profile: HeapProfile, process: HeapProcess, top: int, directory: str) -> Iterator[str]:
    forked = f", forked by {process.parent}" if process.forked else ""
    yield f"Heap of {printable(process.name)} (process {process.pid}{forked})"
    if not process.peak.blocks:
        yield "  it allocated nothing"
        return
    rows = [("peak", _amount(process.peak.bytes, process.peak.blocks) + _moment(process))]
    if process.inherited.blocks:
        rows.append(("inherited", _amount(process.inherited.bytes, process.inherited.blocks)))
    rows.append(("at the end", _amount(process.end.bytes, process.end.blocks)))
    resized = f", {process.resized:,} by realloc" if process.resized else ""
    rows.append(("in total", _amount(process.total.bytes, process.total.blocks) + resized))
    if process.temporary.blocks:
        temporary = _amount(process.temporary.bytes, process.temporary.blocks)
        share = process.temporary.blocks / process.total.blocks
        rows.append(("temporary", f"{temporary} ({share:.1%} of all blocks)"))
    if process.unused_at_peak:
        share = process.unused_at_peak / max(1, process.peak.bytes)
        unused = f"{bytes_(process.unused_at_peak)} more at the peak ({share:.1%}), as sizes are rounded up"
        rows.append(("unused", unused))
    width = max(len(name) for name, _ in rows)
    yield from (f"  {name:{width}}  {text}" for name, text in rows)
    if len(process.timeline) > 1:
        yield f"  {'over time':{width}}  {_line(process)}"
    for measure in MEASURES.values():
        yield from _table(profile, process, measure, top, directory)


def _amount(size: int, blocks: int) -> str:
    return f"{bytes_(size)} in {plural(blocks, 'block')}"


def _moment(process: HeapProcess) -> str:
    return f", after {process.peak_moved / max(1, process.moved):.0%} of what was allocated and freed"


def _line(process: HeapProcess) -> str:
    """Live bytes over bytes allocated and freed, as bars."""
    most = [0] * _WIDTH
    last, at = 0, 0
    for point in process.timeline:
        column = min(_WIDTH - 1, (point.moved - 1) * _WIDTH // max(1, process.moved))
        for between in range(at, column):
            most[between] = max(most[between], last)
        most[column] = max(most[column], point.most)
        last, at = point.end.bytes, column + 1
    return "".join(_BARS[min(7, each * 8 // max(1, process.peak.bytes))] for each in most)


def _table(
    profile: HeapProfile, process: HeapProcess, measure: Measure, top: int, directory: str
) -> Iterator[str]:
    known = [(measure.of(stack), stack) for stack in process.stacks]
    found = sorted(
        ((total, stack) for total, stack in known if total.blocks),
        key=lambda row: (-row[0].bytes, -row[0].blocks, row[1].frames),
    )
    if not found:
        return
    whole = measure.whole(process)
    cells = [
        (f"{total.bytes:,}", f"{total.blocks:,}", f"{total.bytes / max(1, whole.bytes):.1%}")
        for total, _ in found[:top]
    ]
    widths = [max(len(row[column]) for row in (*cells, _HEADS)) for column in range(3)]
    yield ""
    yield f"  {measure.title}:"
    yield (
        "  " + "  ".join(f"{head:>{width}}" for head, width in zip(_HEADS, widths, strict=False)) + "  where"
    )
    for row, (_, stack) in zip(cells, found, strict=False):
        numbers = "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=False))
        yield f"  {numbers}  {_path(profile.stack(stack), directory)}"
    if len(found) > top:
        rest = sum(total.bytes for total, _ in found[top:])
        yield f"  and {bytes_(rest)} by {plural(len(found) - top, 'further call path')}"


_HEADS = ("bytes", "blocks", "share")


def _path(frames: Sequence[Frame], directory: str) -> str:
    """The innermost function of the program's own, its place, and some callers."""
    if not frames:
        return OTHERS
    own = [frame for frame in frames if is_own(frame)] or list(frames)
    shown = [_name(frame) for frame in own[: 1 + _CALLERS]]
    more = " ← …" if len(own) > 1 + _CALLERS else ""
    inner = frames.index(own[0])
    via = f" by {_name(frames[inner - 1])}" if inner else ""
    return (
        f"{shown[0]} at {place_of(own[0], directory)}{via}"
        + "".join(f" ← {each}" for each in shown[1:])
        + more
    )


def _name(frame: Frame) -> str:
    return short_name(frame, _NAME) if frame.function else name_of(frame)
