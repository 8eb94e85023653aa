"""The summary of leaks: totals of all processes, as a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from whence.findings import LeakCheck, LeakKind, LeakMoment, RunInfo, Total
from whence.findings.deduplication import united

LEAK_ROWS = (
    ("definitely lost", "definite"),
    ("indirectly lost", "indirect"),
    ("possibly lost", "possible"),
    ("still reachable", "reachable"),
    ("suppressed", "excused"),
)
"""The rows of a leak summary as Memcheck names them, and the fields of `LeakCheck`."""


def leak_check(run: RunInfo) -> LeakCheck | None:
    """What the last leak checks of all processes counted, with suppressed leaks among the excused blocks."""
    checks = leak_processes(run)
    if not checks:
        return None
    totals: dict[str, Any] = {name: _united(checks, name) for _, name in LEAK_ROWS}
    hidden = [finding.leak for use in run.suppressed for finding in use.findings if finding.leak]
    for leak in hidden:
        for kind, part in ((leak.kind, leak.own), (LeakKind.INDIRECT, leak.owned)):
            totals["excused"] += part
            totals[kind] = _less(totals[kind], part)
    return replace(checks[0], **totals)


def leak_processes(run: RunInfo) -> list[LeakCheck]:
    """The last leak check of each process."""
    return list({check.pid: check for check in run.leak_checks}.values())


def _united(checks: list[LeakCheck], kind: str) -> Total:
    parts: list[tuple[Total, Total]] = [
        (getattr(check, kind), check.inherited.get(kind, Total())) for check in checks
    ]
    return Total(
        united((total.blocks, inherited.blocks) for total, inherited in parts),
        united((total.bytes, inherited.bytes) for total, inherited in parts),
    )


def _less(total: Total, part: Total) -> Total:
    """The difference, at least 0, because a block may have been freed after it was reported."""
    return Total(max(0, total.blocks - part.blocks), max(0, total.bytes - part.bytes))


_MOMENTS = {
    LeakMoment.END: "at the end of the program",
    LeakMoment.REQUEST: "when the program asked",
    LeakMoment.SIGNAL: "when the signal came",
}


def leak_table(check: LeakCheck, run: RunInfo) -> list[str]:
    """The leak summary of a run, a heading and a line for each kind."""
    rows = [(label, getattr(check, name)) for label, name in LEAK_ROWS]
    wide, blocks_wide = (
        max(len(f"{number:,}") for number in numbers)
        for numbers in ([total.bytes for _, total in rows], [total.blocks for _, total in rows])
    )
    lines = [
        f"  {label:>15}: {total.bytes:>{wide},} bytes in {total.blocks:>{blocks_wide},} "
        + ("block" if total.blocks == 1 else "blocks")
        for label, total in rows
        if label != "suppressed" or total.blocks
    ]
    return [f"leak summary{_whose(check, run)}:", *lines]


def _whose(check: LeakCheck, run: RunInfo) -> str:
    """The processes of a summary, and when they were checked; several have moments of their own."""
    processes = len(leak_processes(run))
    if processes > 1:
        return f" of {processes:,} processes"
    if check.pid != run.pid:
        return f" of process {check.pid}, {_MOMENTS[check.moment]}"
    return f", {_MOMENTS[check.moment]}"
