"""Findings as Memcheck's text, with ``==PID==`` before each line, for tools that read such logs (ctest)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from whence import __version__
from whence.findings import Finding, Frame, RunInfo
from whence.report import leak_words
from whence.report.styles import printable
from whence.report.valgrind_errors import Error, errors
from whence.report.valgrind_xml import ALL_CALLERS


class ValgrindTextRenderer:
    """`callers`: frames of a stack at most. `quiet`: errors only, as with ``-q``."""

    def __init__(self, *, callers: int = ALL_CALLERS, quiet: bool = False) -> None:
        self.callers = callers
        self.quiet = quiet

    def render(self, findings: Sequence[Finding], run: RunInfo) -> str:
        made = errors(findings, self.callers)
        lines = [] if self.quiet else _head(run)
        lines += [f"whence: {note}" for note in run.sentences]
        for error in made:
            lines += [*_error(error), ""]
        if not self.quiet:
            lines += [*_leaks(run), _summary(made, run)]
        return "".join(f"=={run.pid}== {printable(line)}\n" for line in lines)


def _head(run: RunInfo) -> list[str]:
    return [f"whence {__version__}, reporting as Memcheck does", f"Command: {' '.join(run.arguments)}", ""]


def _error(error: Error) -> Iterator[str]:
    yield error.what
    yield from _stack(error.stack)
    for text, stack in error.notes:
        yield f" {text}"
        yield from _stack(stack)


def _stack(stack: Sequence[Frame]) -> Iterator[str]:
    for index, frame in enumerate(stack):
        yield f"   {'by' if index else 'at'} 0x{frame.pc:X}: {frame.function or '???'}{_place(frame)}"


def _place(frame: Frame) -> str:
    if frame.file:
        return f" ({os.path.basename(frame.file)}:{frame.line})"
    return f" (in {frame.module})" if frame.module else ""


def _leaks(run: RunInfo) -> list[str]:
    """The results of the last leak search; all kinds, because tools read from them that nothing was lost."""
    check = leak_words.leak_check(run)
    if check is None:
        return []
    totals = [(name, getattr(check, field)) for name, field in leak_words.LEAK_ROWS]
    if not any(total.blocks for _, total in totals):
        return ["All heap blocks were freed -- no leaks are possible", ""]
    rows = [f"{name:>18}: {total.bytes:,} bytes in {total.blocks:,} blocks" for name, total in totals]
    return ["LEAK SUMMARY:", *rows, ""]


def _summary(made: Sequence[Error], run: RunInfo) -> str:
    hidden = [finding for use in run.suppressed for finding in use.findings]
    counted = [error for error in made if not error.finding.rule.is_note]
    total = sum(error.finding.occurrences for error in counted)
    return (
        f"ERROR SUMMARY: {total} errors from {len(counted)} contexts "
        f"(suppressed: {sum(finding.occurrences for finding in hidden)} from {len(hidden)})"
    )
