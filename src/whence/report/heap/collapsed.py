"""A heap profile as collapsed stacks, for flamegraph.pl, inferno and speedscope."""

from __future__ import annotations

from whence.findings.heap import HeapProfile
from whence.report.heap.measures import MEASURES, OTHERS, name_of


def render(profile: HeapProfile, measure: str = "peak") -> str:
    """A line for each call path: its functions from the outermost on, then bytes.

    The program stands first where the run has several processes.
    """
    of = MEASURES[measure].of
    lines: dict[str, int] = {}
    for process in profile.processes:
        first = [f"{process.name} ({process.pid})"] if len(profile.processes) > 1 else []
        for stack in process.stacks:
            names = [name_of(frame) for frame in reversed(profile.stack(stack))] or [OTHERS]
            key = ";".join(each.replace(";", ":") for each in (*first, *names))
            if of(stack).bytes:
                lines[key] = lines.get(key, 0) + of(stack).bytes
    return "".join(f"{names} {size}\n" for names, size in sorted(lines.items()))
