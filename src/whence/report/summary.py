"""The last line of a report: findings, how the program ended, and what was checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from whence.findings import Finding, RunInfo
from whence.report import words
from whence.report.documents import facts_of
from whence.report.styles import ERROR, GOOD, HEADING, WARNING, printable

Piece = tuple[str, str]
"""A part of the line, and how it is highlighted."""


def summary(findings: Sequence[Finding], run: RunInfo) -> list[Piece]:
    """How many findings of which rules, how the program ended, what was checked under how many rules."""
    pieces: list[Piece] = [("whence: ", HEADING)]
    unchecked, ended = run.unchecked, run.ended
    failures = [finding for finding in findings if not finding.rule.is_note]
    if failures:
        pieces.append((words.plural(len(failures), "finding"), ERROR))
        pieces.append((f" ({_kinds(failures)}){_met(failures)}", ""))
    elif unchecked:
        pieces.append((printable(unchecked), WARNING))
    elif not run.lost:
        pieces.append(("no findings", WARNING if ended else GOOD))
    if run.lost:  # the record was full or damaged; the program's standard error has a line for each
        pieces.append((", and " if failures or unchecked else "", ""))
        pieces.append((f"{words.plural(run.lost, 'finding')} without a report", ERROR))
    if ended and not unchecked:
        pieces.append((f" until the checks ended: {printable(ended)}", WARNING))
    notes = [finding for finding in findings if finding.rule.is_note]
    if notes:
        pieces.append((f", {words.plural(len(notes), 'note')} ({_kinds(notes)}){_met(notes)}", ""))
    hidden = sum(len(use.findings) for use in run.suppressed)
    pieces.append((f", {hidden:,} suppressed" if hidden else "", ""))
    facts = [_ending(run), _stopped(findings, run), *facts_of(run)]
    return [*pieces, *((f"; {fact}", "") for fact in facts if fact)]


def _met(findings: Sequence[Finding]) -> str:
    """``, met 7 times``, if one was met again: a finding counts once, as in every other report."""
    times = sum(finding.occurrences for finding in findings)
    return f", met {times:,} times" if times > len(findings) else ""


def _kinds(findings: Sequence[Finding]) -> str:
    counts: Counter[str] = Counter()
    leaked: Counter[str] = Counter()
    for finding in findings:
        counts[finding.rule.name] += 1
        leaked[finding.rule.name] += finding.leak.bytes if finding.leak else 0
    parts = []
    for rule, count in counts.items():
        size = f" of {words.bytes_(leaked[rule])}" if leaked[rule] else ""
        parts.append(f"{count:,} {printable(rule)}{size}")
    return ", ".join(parts)


def _ending(run: RunInfo) -> str:
    if run.halted:
        return "the program was stopped at the first"
    if run.signal is not None:
        return f"the program was killed by {words.signal_name(run.signal)}"
    if run.exit_status is not None:
        return f"the program exited with status {run.exit_status}"
    return ""


def _stopped(findings: Sequence[Finding], run: RunInfo) -> str:
    """The processes that were stopped while the program itself went on."""
    stopped = [finding for finding in findings if finding.halted and finding.pid != run.pid]
    count = sum(finding.occurrences for finding in stopped)
    if run.halted or not count:
        return ""
    what = "a child was" if count == 1 else f"{count:,} children were"
    return f"{what} stopped at the first"
