"""A heap profile as Massif writes it, for ms_print and massif-visualizer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from whence.findings.frames import Frame
from whence.findings.heap import HeapProcess, HeapProfile
from whence.findings.leaks import Total
from whence.report.heap.measures import OTHERS, name_of, place_of

_SNAPSHOTS = 100
"""As many as Massif keeps; ms_print numbers them in a line."""
_WHOLE = "(heap allocation functions) malloc/new/new[], --alloc-fns, etc."


@dataclass
class _Node:
    size: int = 0
    callers: dict[Frame, _Node] = field(default_factory=dict)


def render(profile: HeapProfile, process: HeapProcess) -> str:
    """The file of one process, with the call tree at its peak. Sizes are those that were asked for."""
    return "".join(f"{line}\n" for line in _lines(profile, process))


def _lines(profile: HeapProfile, process: HeapProcess) -> Iterator[str]:
    yield "desc: --time-unit=B --threshold=0"
    yield f"cmd: {' '.join(process.command).replace(chr(10), ' ')}"
    yield "time_unit: B"
    yield from _snapshot(0, 0, Total())
    number = 1
    peaked = False
    for moved, live in _points(process):
        if not peaked and moved >= process.peak_moved:
            yield from _snapshot(number, process.peak_moved, process.peak, _tree(profile, process))
            number, peaked = number + 1, True
        yield from _snapshot(number, moved, live)
        number += 1
    if not peaked:
        yield from _snapshot(number, process.peak_moved, process.peak, _tree(profile, process))


def _points(process: HeapProcess) -> Sequence[tuple[int, Total]]:
    """Evenly chosen parts of the timeline, the last one included."""
    points = process.timeline
    step = -(-len(points) // _SNAPSHOTS) or 1
    chosen = points[step - 1 :: step]
    if points and (not chosen or chosen[-1] is not points[-1]):
        chosen = (*chosen, points[-1])
    return [(each.moved, each.end) for each in chosen]


def _snapshot(number: int, moved: int, live: Total, tree: Sequence[str] = ()) -> Iterator[str]:
    yield "#-----------"
    yield f"snapshot={number}"
    yield "#-----------"
    yield f"time={moved}"
    yield f"mem_heap_B={live.bytes}"
    yield "mem_heap_extra_B=0"
    yield "mem_stacks_B=0"
    yield "heap_tree=peak" if tree else "heap_tree=empty"
    yield from tree


def _tree(profile: HeapProfile, process: HeapProcess) -> list[str]:
    """What was alive at the peak: functions that allocate, and below each of them its callers."""
    root = _Node(process.peak.bytes)
    unknown = 0
    for stack in process.stacks:
        if not stack.peak.bytes:
            continue
        if not stack.frames:
            unknown += stack.peak.bytes
            continue
        node = root
        for frame in profile.stack(stack):
            node = node.callers.setdefault(frame, _Node())
            node.size += stack.peak.bytes
    lines = [f"n{len(root.callers) + bool(unknown)}: {root.size} {_WHOLE}"]
    waiting = [(frame, node, 1) for frame, node in _by_size(root)]
    while waiting:
        frame, node, depth = waiting.pop(0)
        lines.append(f"{' ' * depth}n{len(node.callers)}: {node.size} {_words(frame)}")
        waiting = [(caller, each, depth + 1) for caller, each in _by_size(node)] + waiting
    if unknown:
        lines.append(f" n0: {unknown} {OTHERS}")
    return lines


def _by_size(node: _Node) -> list[tuple[Frame, _Node]]:
    return sorted(node.callers.items(), key=lambda each: -each[1].size)


def _words(frame: Frame) -> str:
    place = place_of(frame) if frame.file else f"in {frame.module or '?'}"
    return f"{frame.pc:#X}: {name_of(frame)} ({place})".replace("0X", "0x", 1)
