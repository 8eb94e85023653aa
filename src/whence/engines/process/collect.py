"""Converts the record of a run to findings: names addresses, describes blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from signal import SIGABRT, SIGTRAP

from whence.abi import fixed, points, records
from whence.abi.undefined import USES
from whence.abi.zones import SHAPES, TEXT_FIELDS, THREAD_LOCAL
from whence.engines.process.chains import chains
from whence.engines.process.decode import RawFinding, RawRun
from whence.engines.process.senders import followed
from whence.findings import (
    ACCESS_OF_POINT,
    Access,
    AccessKind,
    Block,
    BlockKind,
    BlockState,
    Described,
    Descriptor,
    Earlier,
    EarlierKind,
    Event,
    Family,
    Finding,
    Frame,
    HitBlock,
    Leak,
    LeakKind,
    Origin,
    Point,
    Pointer,
    RuleInfo,
    States,
    Types,
    Undefined,
    UndefinedRun,
    Use,
    UseKind,
    Value,
    Variable,
    Where,
    is_runtime,
)
from whence.findings.chains import Chain
from whence.symbols.demangle import demangle
from whence.symbols.maps import MemoryMap
from whence.symbols.symbolizer import Symbolizer

_POINTS = {number: Point[name] for name, number in points.NUMBERS.items()}
_BLOCK_STATES = {
    records.BLOCK_STATES["LIVE"]: BlockState.LIVE,
    records.BLOCK_STATES["FREED"]: BlockState.FREED,
}
_USES = {number: UseKind[name] for name, number in USES.items()}
_BLOCK_KINDS = {number: BlockKind[name] for name, number in records.BLOCK_KINDS.items()}
_EARLIER = {number: EarlierKind[name] for name, number in records.EARLIER.items()}
_FAMILIES = {number: Family[name] for name, number in records.FAMILIES.items()}
_LEAK_KINDS = {number: LeakKind[name] for name, number in records.LEAK_KINDS.items() if number}
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
    rule = _rule(f, rules)
    point = _point(f)
    block = _block(raw, memory, symbolizer)
    exact = raw.flag("SIGNAL") and not raw.flag("FETCH")
    stack = symbolizer.stack(raw.stack, memory, exact_top=exact)
    if block is not None and raw.flag("IN_FRAME") and len(raw.stack) < records.MAX_FRAMES:
        block = replace(block, returned=_has_returned(block, _without_runtime(stack)))
    states = States(f["state_begin"], raw.states) if raw.states else None
    values = tuple(_values(rule, raw.values))
    second = _second(raw, memory, symbolizer)
    return Finding(
        rule=rule,
        point=point,
        access=_access(raw, point, block, states),
        stack=_without_runtime(stack),
        block=block,
        hit_block=_hit(f, "hit"),
        values=values,
        library_function=raw.name or None,
        thread=f["thread"],
        tid=f["tid"],
        pid=f["pid"],
        time=f["time"],
        leak=_leak(f, point),
        signal=f["signal"],
        states=states,
        halted=raw.flag("HALTED") and not raw.flag("GO"),
        process=raw.process,
        origin=_origin(raw, memory, symbolizer)
        if f["use"] or _is_labelled(f) or _reads_unknown(point, block)
        else None,
        descriptor=_descriptor(raw, memory, symbolizer) if point is Point.DESCRIPTOR else None,
        earlier=tuple(_earlier(raw.earlier, memory, symbolizer)),
        types=_types(raw, point, memory, symbolizer),
        message=" ".join(raw.types.split()) if point is Point.SIGNAL else "",
        chains=_chains(raw, values, point, stack, run, lambda pcs: _stack(pcs, memory, symbolizer)),
        described=_described(raw, memory, symbolizer),
        second=None if raw.undefined else second,
        undefined=_undefined(raw, second) if raw.undefined else None,
        occurrences=1 + f["repeats"],
        twins=symbolizer.twins(raw.stack, memory, exact_top=exact),
    )


def _chains(
    raw: RawFinding,
    values: Sequence[Value],
    point: Point,
    stack: tuple[Frame, ...],
    run: RawRun,
    stacks: Callable[[Sequence[int]], Sequence[Frame]],
) -> tuple[Chain, ...]:
    """The chains, also through the processes that sent the values."""
    line = next((frame.line for frame in _without_runtime(stack)), 0)
    found = chains(raw.chains, values, points.BY_NAME.get(point), line, stacks)
    return tuple(followed(chain, run.sent, raw.fields["pid"]) for chain in found)


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


def _values(rule: RuleInfo, values: Sequence[int]) -> Iterator[Value]:
    for index, value in enumerate(values):
        yield Value(rule.values[index] if index < len(rule.values) else f"value {index + 1}", value)


def _leak(fields: dict[str, int], point: Point) -> Leak | None:
    """The leaked blocks of a finding at the entry or the return of a function."""
    if point not in (Point.CALL, Point.RET) or not fields["block_id"]:
        return None
    if not fields["bytes"] and fields["leak_kind"] not in _LEAK_KINDS:
        return None
    kind = _LEAK_KINDS.get(fields["leak_kind"], LeakKind.DEFINITE)
    names = ("inherited", "bytes_inherited", "indirect_inherited", "bytes_indirect_inherited")
    count, size, indirect, indirect_size = (fields[name] for name in names)
    return Leak(
        fields["count"],
        fields["bytes"],
        fields["count_indirect"],
        fields["bytes_indirect"],
        kind,
        (count, size, indirect, indirect_size),
    )


def _block(raw: RawFinding, memory: MemoryMap | None, symbolizer: Symbolizer) -> Block | None:
    f = raw.fields
    if not f["block_id"]:
        return None
    variable = _variable(raw.variable)
    allocated = Event(f["block_alloc_time"], f["block_alloc_thread"], _stack(raw.alloc, memory, symbolizer))
    freed = None
    if f["block_free_time"]:
        freed = Event(f["block_free_time"], f["block_free_thread"], _stack(raw.free, memory, symbolizer))
    return Block(
        f["block_id"],
        f["block_begin"],
        f["block_size"],
        _BLOCK_STATES.get(f["block_state"], BlockState.UNKNOWN),
        Family.UNKNOWN if variable else _FAMILIES.get(f["block_family"], Family.UNKNOWN),
        None if variable else allocated,
        freed,
        raw.flag("MOVED"),
        _last_use(f, memory, symbolizer),
        _BLOCK_KINDS.get(f["block_kind"], BlockKind.UNKNOWN),
        variable,
        f["block_cookie"],
        raw.flag("RETURNED"),
    )


def _has_returned(block: Block, stack: Sequence[Frame]) -> bool:
    """Whether the function of a variable whose scope has ended is none of those that go on, with the whole
    stack: its code stands in that of a caller, where the variable has its place."""
    if block.state is not BlockState.FREED or block.variable is None or not block.variable.line:
        return False
    function = block.variable.function
    names = [frame.function or "" for frame in stack]
    return bool(function) and not any(_names(name, function) or _names(function, name) for name in names)


def _names(name: str, text: str) -> bool:
    """Whether a function's name stands in a longer one, with parameters and the type of a result; one that is
    not known may be any."""
    return not name or re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text) is not None


def _is_labelled(fields: Mapping[str, int]) -> bool:
    """Whether the stack in the record is that at which labels were born."""
    return bool(fields["flags"] & records.FINDING_FLAGS["LABELLED"])


def _reads_unknown(point: Point, block: Block | None) -> bool:
    """Whether never-written bytes of no known block are read: then their origin says where they come from."""
    return point is Point.READ and block is None


def _origin(raw: RawFinding, memory: MemoryMap | None, symbolizer: Symbolizer) -> Origin | None:
    variable = _variable(raw.variable)
    if variable is None and not raw.alloc:
        return None
    return Origin(variable, _stack(raw.alloc, memory, symbolizer), _is_labelled(raw.fields))


def _descriptor(raw: RawFinding, memory: MemoryMap | None, symbolizer: Symbolizer) -> Descriptor:
    f = raw.fields
    opened = closed = None
    if f["block_alloc_time"]:
        opened = Event(f["block_alloc_time"], f["block_alloc_thread"], _stack(raw.alloc, memory, symbolizer))
    if f["block_free_time"]:
        closed = Event(f["block_free_time"], f["block_free_thread"], _stack(raw.free, memory, symbolizer))
    return Descriptor(f["block_begin"], opened, closed)


def _earlier(words: Sequence[int], memory: MemoryMap | None, symbolizer: Symbolizer) -> Iterator[Earlier]:
    low = (1 << 32) - 1
    at = 0
    while at + records.EARLIER_WORDS <= len(words):
        what, who, time = words[at : at + records.EARLIER_WORDS]
        at += records.EARLIER_WORDS
        pcs = words[at : at + (who >> 32)]
        at += who >> 32
        if what & low in _EARLIER:
            event = Event(time, who & low, _stack(pcs, memory, symbolizer))
            yield Earlier(_EARLIER[what & low], event, what >> 32)


def _described(raw: RawFinding, memory: MemoryMap | None, symbolizer: Symbolizer) -> Described | None:
    f = raw.fields
    if not f["described_size"]:
        return None
    stack = _stack(raw.described, memory, symbolizer)
    return Described(raw.description, f["described_begin"], f["described_size"], stack)


def _second(raw: RawFinding, memory: MemoryMap | None, symbolizer: Symbolizer) -> Pointer | None:
    """The second pointer of a step that takes two; its block lives."""
    f = raw.fields
    if not f["second_address"]:
        return None
    block = None
    if f["second_id"]:
        stack = _stack(raw.second_alloc, memory, symbolizer)
        variable = _variable(raw.second_variable)
        block = Block(
            f["second_id"],
            f["second_begin"],
            f["second_size"],
            _BLOCK_STATES.get(f["second_state"], BlockState.UNKNOWN),
            Family.UNKNOWN if variable else _FAMILIES.get(f["second_family"], Family.UNKNOWN),
            None if variable else Event(f["second_id"], f["second_alloc_thread"], stack),
            kind=_BLOCK_KINDS.get(f["second_kind"], BlockKind.UNKNOWN),
            variable=variable,
        )
    return Pointer(f["second_address"], f["second_root"], block, _hit(f, "second_hit"))


def _undefined(raw: RawFinding, first: Pointer | None) -> Undefined:
    """The undefined bytes of memory that was read, of which `first` is the first one."""
    f, pairs = raw.fields, zip(raw.undefined[::2], raw.undefined[1::2], strict=False)
    runs = tuple(UndefinedRun(offset, size) for offset, size in pairs)
    block = None if first is None else first.block
    return Undefined(f["read_begin"], f["read_size"], runs, bool(f["undefined_more"]), block)


def _hit(fields: dict[str, int], prefix: str) -> HitBlock | None:
    number, begin, size = (fields[f"{prefix}_{name}"] for name in ("id", "begin", "size"))
    return HitBlock(number, begin, size) if number else None


def _types(raw: RawFinding, point: Point, memory: MemoryMap | None, symbolizer: Symbolizer) -> Types | None:
    """The types of the step; the class of an object stands on a line of its own, as `typeid` has it."""
    if point is Point.SIGNAL or not raw.types:
        return None
    if point is Point("callee"):
        return Types(raw.types, function=symbolizer.frames(raw.fields["address"], memory, exact=True)[-1])
    expected, _, name = raw.types.partition("\n")
    found = demangle(f"_ZTS{name}").removeprefix(_NAME_OF_TYPE) if name else ""
    return Types(expected, found) if expected else None


_NAME_OF_TYPE = "typeinfo name for "


def _variable(text: str) -> Variable | None:
    """The fields of `TEXT_FIELDS`, if the block or the origin is a variable."""
    fields = text.split("\t")
    if len(fields) != len(TEXT_FIELDS):
        return None
    line, shape, name, function, file = fields
    threads = shape.startswith(THREAD_LOCAL)
    is_array = shape.removeprefix(THREAD_LOCAL) == SHAPES[0]
    return Variable(demangle(name), is_array, demangle(function), file or None, int(line), threads)


def _last_use(fields: dict[str, int], memory: MemoryMap | None, symbolizer: Symbolizer) -> Use | None:
    if not fields["use_time"]:
        return None
    stack = symbolizer.stack((fields["use_pc"],), memory)
    return Use(fields["use_time"], fields["use_address"], stack)


def _stack(pcs: Sequence[int], memory: MemoryMap | None, symbolizer: Symbolizer) -> tuple[Frame, ...]:
    return _without_runtime(symbolizer.stack(pcs, memory))


def _without_runtime(stack: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The stack without frames of the runtime library, whose wrappers may also call the C library."""
    return tuple(frame for frame in stack if not is_runtime(frame))


def _access(raw: RawFinding, point: Point, block: Block | None, states: States | None) -> Access:
    f = raw.fields
    kind = AccessKind.CALL if raw.flag("FETCH") else ACCESS_OF_POINT.get(point, AccessKind.UNKNOWN)
    first_bad = None
    if kind in (AccessKind.READ, AccessKind.WRITE):
        first_bad = _first_bad(f["address"], f["size"], block, states)
    return Access(kind, f["address"], f["size"], first_bad, f["root"], raw.flag("LATE"), _USES.get(f["use"]))


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
