"""What all reports for people show of a finding: its subject, its stacks, the values of its rule."""

from __future__ import annotations

import os
import struct

from whence.abi import points
from whence.findings import Finding, RunInfo, Undefined, Value, telling_stack, thread_name
from whence.report import frames, words
from whence.report.facts import Section, facts_of, section
from whence.report.source import cut_cells
from whence.report.styles import printable

PROCESS_WIDTH = 60  # a program can change the name that the system shows for it


def subject(finding: Finding) -> str:
    """The names of the innermost function and of the caller that the source shows."""
    telling = telling_stack(finding)
    stack, place = frames.visible(telling), frames.place(telling)
    if place is None or not stack:
        return "an unknown function"
    name = frames.code_name(place, 60)
    if stack[0].module == place.module or finding.leak:
        return name
    return f"{frames.code_name(stack[0], 60)}, called from {name}"


def sections(finding: Finding, run: RunInfo) -> list[Section]:
    """The stacks of a finding: its own, and those of its facts."""
    process = _process(finding, run)
    thread = thread_name(finding.thread) + process
    facts = [part for shown, fact in facts_of(finding) for part in shown.sections(fact, finding)]
    if not finding.leak:
        return [section(f"stack of {thread}", finding.stack), *facts]
    stack = frames.visible(finding.stack)
    unknown = "" if stack else "at its end"  # no function runs any more
    found = [Section(f"found in {thread}", stack, unknown)] if len(stack) > 1 or process else []
    return [*facts, *found]


def _process(finding: Finding, run: RunInfo) -> str:
    """The process, if it is not the first one of the run."""
    process = finding.process
    if not finding.pid or not run.pid:
        return ""
    name = process.name if process else ""
    began = {os.path.basename(path) for path in (run.program, *run.arguments[:1])}
    shown = cut_cells(printable(name), 0, PROCESS_WIDTH)
    other = f"{shown}, " if name and name not in began else ""
    if finding.pid != run.pid:
        parent = process.parent if process else run.pid
        how = f"{'started by' if other else 'forked from'} {parent}"
        if parent <= 1:  # taken over by init
            how = "its parent has ended"
        return f", in process {finding.pid} ({other}{how})"
    return f", in process {finding.pid} ({shown})" if other else ""


def values(finding: Finding) -> str:
    """``r = 0x440000000028, r1 = 0x440000000020``; empty if there is no more than the address itself, and the
    size of its block, which the headline tells, or an undefined value, which says nothing."""
    traced = finding.values
    if finding.fact(Undefined) and len(traced) == 1:
        return ""
    sizes = [f"Size({value.name})" for value in traced] if finding.block else []
    if all(value.value == finding.access.address or value.name in sizes for value in traced):
        return ""
    row = points.BY_NAME.get(finding.point)
    return ", ".join(f"{printable(value.name)} = {_value(value, row)}" for value in traced)


def _value(traced: Value, row: points.Point | None) -> str:
    """A value as the program's type has it; a slot that a rule gives another name is shown as its bits."""
    if row is not None and row.floating(traced.name):
        return repr(struct.unpack("<d", struct.pack("<Q", traced.value))[0])
    if row is not None and row.shows_signed(traced.name):
        return str(words.signed(traced.value))
    return str(traced.value) if row is not None and row.decimal else _number(traced.value)


def _number(value: int) -> str:
    """Small numbers in decimal, possible addresses in hexadecimal."""
    return str(value) if value < 1 << 16 else f"{value:#x}"
