"""Findings in Memcheck's terms, from which the XML and the text for its tools are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from whence.findings import Finding, Frame, Point, facts, memcheck, telling_stack
from whence.report import frames, words

_LOST = {
    "definite": "definitely lost",
    "indirect": "indirectly lost",
    "possible": "possibly lost",
    "reachable": "still reachable",
}
_RUNTIME = "libwhence-rt.so"
"""What stands in for Memcheck's own allocator and string functions."""
_RELEASE = {facts.Family.NEW: "operator delete", facts.Family.NEW_ARRAY: "operator delete[]"}
_ALLOCATE = {facts.Family.NEW: "operator new", facts.Family.NEW_ARRAY: "operator new[]"}


@dataclass(frozen=True, slots=True)
class Error:
    """One error in Memcheck's terms.

    `leaked` are bytes and blocks, None for what is no leak. `notes` are
    sentences about the address, each with a stack, which may be empty.
    """

    finding: Finding
    kind: str
    what: str
    stack: tuple[Frame, ...]
    notes: tuple[tuple[str, tuple[Frame, ...]], ...] = ()
    leaked: tuple[int, int] | None = None


def errors(findings: Sequence[Finding], callers: int) -> list[Error]:
    """Errors, then signals, then leaks, as Memcheck orders them; stacks of `callers` frames at most."""
    leaks = [finding for finding in findings if finding.leak]
    others = [finding for finding in findings if not finding.leak]
    made = [_error(f) for f in sorted(others, key=lambda f: f.point is Point.SIGNAL)]
    made += [_leak(finding, number, len(leaks)) for number, finding in enumerate(leaks, 1)]
    return [_cut(error, callers) for error in made]


def _cut(error: Error, callers: int) -> Error:
    notes = tuple((text, stack[:callers]) for text, stack in error.notes)
    return replace(error, stack=error.stack[:callers], notes=notes)


def _leak(finding: Finding, number: int, total: int) -> Error:
    leak, kind = finding.leak, memcheck.leak_kind(finding)
    assert leak is not None and kind is not None
    blocks = leak.own.blocks or leak.count
    parts = f" ({leak.own.bytes:,} direct, {leak.indirect_bytes:,} indirect)" if blocks < leak.count else ""
    what = (
        f"{leak.bytes:,}{parts} bytes in {blocks:,} blocks are {_LOST[kind]} "
        f"in loss record {number} of {total}"
    )
    stack = _with_entry(memcheck.entered(finding)[:1], telling_stack(finding))
    return Error(finding, memcheck.error_kind(finding), what, stack, leaked=(leak.bytes, blocks))


def _error(finding: Finding) -> Error:
    names = memcheck.entered(finding)[:1]
    if finding.library_function:
        names = (finding.library_function,)
    stack = _with_entry(names, finding.stack)
    return Error(finding, memcheck.error_kind(finding), _what(finding), stack, tuple(_notes(finding)))


def _what(finding: Finding) -> str:
    kind, access = memcheck.error_kind(finding), finding.access
    if finding.point is Point.SIGNAL:
        name = words.signal_name(finding.signal)
        return f"Process terminating with default action of signal {finding.signal} ({name})"
    if kind in ("InvalidRead", "InvalidWrite"):
        return f"Invalid {'write' if kind == 'InvalidWrite' else 'read'} of size {access.size}"
    if kind == "InvalidFree":
        return "Invalid free() / delete / delete[] / realloc()"
    if kind == "MismatchedFree":
        return "Mismatched free() / delete / delete []"
    if kind == "Overlap":
        return f"Source and destination overlap in {finding.library_function or 'a library function'}"
    return f"{finding.rule.name}: {finding.rule.title or finding.rule.name}"


def _with_entry(names: Sequence[str], stack: Sequence[Frame]) -> tuple[Frame, ...]:
    """The frames down to main; in front of them the function that Memcheck would have replaced."""
    shown = tuple(frames.visible(stack))
    pc = shown[0].pc if shown else 0
    return (*(Frame(pc, _RUNTIME, function=name) for name in names), *shown)


def _notes(finding: Finding) -> Iterator[tuple[str, tuple[Frame, ...]]]:
    """The description of the address, then the allocation of a freed block."""
    if finding.point is Point.SIGNAL:
        if words.has_fault_address(finding):
            yield f"Access not within mapped region at address {_hex(finding.access.address)}", ()
        return
    if not finding.access.address and finding.block is None and not finding.access.touches:
        return
    address, block = _hex(finding.access.address), finding.block
    known, relation = finding.fact(facts.Described), finding.relation
    if (undefined := finding.fact(facts.Undefined)) and (block := undefined.block) is not None:
        relation = block.relation(finding.access.address)
    if known is not None and finding.access.address >= known.begin:
        distance = finding.access.address - known.begin
        where = f"{distance:,} bytes inside a {known.text} of size {known.size:,} client-defined"
        yield f"Address {address} is {where}", tuple(frames.visible(known.stack))
        return
    if block is None or relation is None:
        yield f"Address {address} is not stack'd, malloc'd or (recently) free'd", ()
        return
    freed = block.state is facts.BlockState.FREED
    where = f"{relation.distance:,} bytes {relation.where} a block of size {block.size:,}"
    yield f"Address {address} is {where} {'free' if freed else 'alloc'}'d", _block_stack(block, freed)
    if freed:
        yield "Block was alloc'd at", _block_stack(block, False)


def _block_stack(block: facts.Block, freed: bool) -> tuple[Frame, ...]:
    event = block.freed if freed else block.allocated
    if event is None:
        return ()
    name = _RELEASE.get(block.family, "free") if freed else _ALLOCATE.get(block.family, "malloc")
    return _with_entry((name,), event.stack)


def _hex(address: int) -> str:
    return f"{address:#x}"
