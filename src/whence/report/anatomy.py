"""What all reports for people show of a finding: its subject, its stacks, the values of its rule."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from whence.abi import points
from whence.findings import (
    Block,
    BlockState,
    Event,
    Family,
    Finding,
    Frame,
    RunInfo,
    Value,
    telling_stack,
    thread_name,
)
from whence.report import frames, words
from whence.report.source import cut_cells
from whence.report.styles import printable

PROCESS_WIDTH = 60  # a program can change the name that the system shows for it


@dataclass(frozen=True, slots=True)
class Section:
    """One stack of a finding under a heading; `unknown` says what is missing where there is no stack."""

    heading: str
    stack: Sequence[Frame] = ()
    unknown: str = ""


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
    """The stacks of a finding: its own, and those of what happened to its block before."""
    block, process = finding.block, _process(finding, run)
    thread = thread_name(finding.thread) + process
    if finding.leak:
        shown = frames.visible(finding.stack)
        unknown = "" if shown else "at its end"  # no function runs any more
        found = [Section(f"found in {thread}", shown, unknown)] if len(shown) > 1 or process else []
        return [*_allocated(finding), *_last_use(finding), *found]
    own = [_section(f"stack of {thread}", finding.stack)]
    if block is not None and not block.variable and (block.freed or block.state is BlockState.FREED):
        own.append(_event("moved by realloc" if block.moved else "freed", block.freed))
    if finding.types is not None and (called := finding.types.function) is not None and called.file:
        own.append(_section("function defined", (called,)))
    own += [*_last_use(finding), *_allocated(finding), *_origin(finding), *_descriptor(finding)]
    return [*own, *_earlier(finding), *_described(finding)]


def _section(heading: str, stack: Sequence[Frame]) -> Section:
    shown = frames.visible(stack)
    return Section(heading, shown, "" if shown else "unknown place: no stack was recorded")


def _event(what: str, event: Event | None) -> Section:
    if event is None:
        return Section(what, (), "unknown place")
    return _section(f"{what} in {thread_name(event.thread)}", event.stack)


def _allocated(finding: Finding) -> Iterator[Section]:
    first, second = finding.block, finding.second.block if finding.second else None
    if first is not None and second is not None and first.id != second.id:
        yield from _birth(first, "block of the left pointer, ")
        yield from _birth(second, "block of the right pointer, ")
    elif first is not None:
        yield from _birth(first)
    elif second is not None:
        yield from _birth(second)


def _birth(block: Block, whose: str = "") -> Iterator[Section]:
    """Where a block began; nothing of a variable of which no place is known."""
    variable = block.variable
    if variable is None:
        family = "" if block.family is Family.UNKNOWN else f" by {block.family}"
        yield _event(f"{whose}allocated{family}", block.allocated)
    elif variable.place.file or variable.place.function:
        yield _section(f"{whose}{'declared' if variable.name else 'made'}", (variable.place,))


def _last_use(finding: Finding) -> Iterator[Section]:
    use = finding.block.last_use if finding.block else None
    if use is not None:
        yield _section(f"last used, at {use.address:#x}", use.stack)


def _origin(finding: Finding) -> Iterator[Section]:
    origin = finding.origin
    if origin is not None and origin.labelled:
        yield _section("bytes with such a label came by", origin.stack)
        return
    if origin is None or finding.block is not None:
        return
    if origin.variable is not None:
        place = origin.variable.place
        if place.file or place.function:
            since = "its declaration" if origin.variable.name else "it was made"
            yield _section(f"never written since {since}", (place,))
    else:
        yield _section("never written since its allocation", origin.stack)


def _descriptor(finding: Finding) -> Iterator[Section]:
    known = finding.descriptor
    if known is not None:
        yield _event(f"descriptor {known.number} closed", known.closed)
        yield _event(f"descriptor {known.number} opened", known.opened)


def _earlier(finding: Finding) -> Iterator[Section]:
    for known in finding.earlier:
        yield _section(words.earlier(known), known.event.stack)


def _described(finding: Finding) -> Iterator[Section]:
    known = finding.described
    if known is not None:
        yield _section(f"described as '{printable(known.text)}'", known.stack)


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
    if finding.undefined is not None and len(traced) == 1:
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
