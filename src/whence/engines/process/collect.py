"""Converts the record of a run to findings; `facts` decodes what belongs to their facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from signal import SIGABRT, SIGTRAP

from whence.abi import fixed, points, records
from whence.abi.undefined import USES
from whence.engines.process.decode import RawFinding, RawRun
from whence.engines.process.facts import Seen, facts_of
from whence.findings import (
    ACCESS_OF_POINT,
    Access,
    AccessKind,
    Block,
    BlockState,
    Finding,
    Point,
    RuleInfo,
    States,
    UseKind,
    Where,
)
from whence.symbols.maps import MemoryMap
from whence.symbols.symbolizer import Symbolizer

_POINTS = {number: Point[name] for name, number in points.NUMBERS.items()}
_USES = {number: UseKind[name] for name, number in USES.items()}
_FIXED_RULES = {
    fixed.NUMBERS[each.name]: RuleInfo(
        each.name, each.title, severity=each.severity, advice=each.advice, cwe=each.cwe
    )
    for each in fixed.FIXED_FINDINGS
}


_STACK_OVERFLOW = RuleInfo(
    "stack-overflow",
    "the stack is full",
    advice="Look for recursion that does not end, or is deep, and for large local variables; "
    "ulimit -s sets how large the stack may become.",
    cwe=(674,),
)


_TRAPS = {
    "RETURN": RuleInfo(
        "overwritten-return-address",
        "the return address was overwritten",
        advice="Look for a local array of this function, or of one that it called, "
        "that is written past its end.",
        cwe=(121, 787),
    ),
    "FETCH": RuleInfo(
        "wild-call",
        "call of an address without code",
        advice="See where the function pointer was last set, and whether it was overwritten since.",
        cwe=(824,),
    ),
    "STACK_END": _STACK_OVERFLOW,
    "ABOVE": RuleInfo(
        "signal",
        "killed by a signal",
        advice="The address lies above the thread's stack, at the first byte that is not mapped: "
        "look for a loop that leaves a local array upwards.",
        cwe=(121, 787),
    ),
}
"""The kind of a trap, by the first of these flags that it has; `signal` without any."""

_CHILD_ABORT = RuleInfo(
    "child-abort",
    "a child of the program aborted",
    severity="note",
    advice="Tests start children that abort on purpose, so this does not fail the run; "
    "--child-aborts error makes it an error.",
)
_ENDINGS = frozenset({SIGABRT, SIGTRAP})
"""Signals by which programs end themselves: GLib's fatal messages raise SIGTRAP."""

_BROKEN_MEMORY = frozenset({"__stack_chk_fail", "__fortify_fail", "__chk_fail"})
"""Functions of the C library that abort because they found memory overwritten, or about to be."""


def findings(
    raw: RawRun, rule_names: Sequence[RuleInfo], symbolizer: Symbolizer, *, child_aborts: str = "note"
) -> list[Finding]:
    """The findings in the order of the record, including repetitions, with names of addresses and rules.

    `rule_names` are the rules of the rule set, in its order; `child_aborts` is the severity
    of a child's abort.
    """
    found = [_finding(record, rule_names, raw, symbolizer) for record in raw.findings]
    if child_aborts != _CHILD_ABORT.severity:
        return found
    return [replace(each, rule=_CHILD_ABORT) if _is_child_abort(each, raw) else each for each in found]


def _is_child_abort(finding: Finding, run: RawRun) -> bool:
    """Whether a child ended itself by abort, and not since the C library found its memory broken."""
    return (
        finding.point is Point.SIGNAL
        and finding.signal in _ENDINGS
        and finding.pid != run.pid
        and _BROKEN_MEMORY.isdisjoint(frame.function for frame in finding.stack)
    )


def _finding(raw: RawFinding, rules: Sequence[RuleInfo], run: RawRun, symbolizer: Symbolizer) -> Finding:
    f = raw.fields
    memory = _memory(f["maps_id"], run)
    exact = raw.flag("SIGNAL") and not raw.flag("FETCH")
    whole = symbolizer.stack(raw.stack, memory, exact_top=exact)
    seen = Seen(raw, run, memory, symbolizer, _rule(f, rules), _point(f), whole)
    found = Finding(
        rule=seen.rule,
        point=seen.point,
        access=_access(raw, seen.point),
        stack=seen.stack,
        facts=facts_of(seen),
        library_function=raw.name or None,
        thread=f["thread"],
        tid=f["tid"],
        pid=f["pid"],
        time=f["time"],
        halted=raw.flag("HALTED") and not raw.flag("GO"),
        process=raw.process,
        occurrences=1 + f["repeats"],
        twins=symbolizer.twins(raw.stack, memory, exact_top=exact),
    )
    if not found.access.touches:
        return found
    first_bad = _first_bad(f["address"], f["size"], found.block, found.fact(States))
    return replace(found, access=replace(found.access, first_bad=first_bad))


def _memory(number: int, run: RawRun) -> MemoryMap | None:
    """The map at the finding, and libraries that processes of its program have unloaded before."""
    memory = run.maps.get(number)
    if memory is None:
        return None
    if number not in run.merged:
        others = [each for each in run.maps.values() if each.program == memory.program]
        run.merged[number] = memory.over(others)
    return run.merged[number]


def _rule(fields: dict[str, int], rules: Sequence[RuleInfo]) -> RuleInfo:
    number = fields["rule"]
    if number in _FIXED_RULES:
        return _FIXED_RULES[number]
    if number == records.RULE_SIGNAL:
        traps = (rule for name, rule in _TRAPS.items() if fields["flags"] & records.FINDING_FLAGS[name])
        return next(traps, RuleInfo("signal", "killed by a signal"))
    if number < len(rules):
        return rules[number]
    return RuleInfo(f"rule-{number}", "a rule that is not in the rule set")


def _point(fields: dict[str, int]) -> Point:
    if fields["rule"] == records.RULE_SIGNAL:
        return Point.SIGNAL
    return _POINTS.get(fields["point"], Point.UNKNOWN)


def _access(raw: RawFinding, point: Point) -> Access:
    f = raw.fields
    kind = AccessKind.CALL if raw.flag("FETCH") else ACCESS_OF_POINT.get(point, AccessKind.UNKNOWN)
    use = _USES.get(f["use"])
    return Access(kind, f["address"], f["size"], root=f["root"], late=raw.flag("LATE"), use=use)


def _first_bad(address: int, size: int, block: Block | None, states: States | None) -> int | None:
    """The first byte of an access that lies outside its block, or that the state plane forbids."""
    if block is None:
        return _first_forbidden(address, size, states)
    relation = block.relation(address, size)
    if block.state is BlockState.FREED or relation.where is not Where.INSIDE:
        return address
    return block.end if relation.overrun else _first_forbidden(address, size, states)


def _first_forbidden(address: int, size: int, states: States | None) -> int | None:
    """The first byte whose state forbids the access; None if the states do not show one."""
    if states is None:
        return None
    for byte in range(address, min(address + max(size, 1), states.end)):
        if states.addressable(byte) is not True:
            return byte if states.addressable(byte) is False else None
    return None
