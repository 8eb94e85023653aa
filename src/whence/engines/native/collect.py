"""Reads the record file that a checked process leaves behind, and makes findings of it.

The file may be cut off, half written or damaged by the very bug that is looked
for: what can be read is read, and a note says what was lost. The format stands
in `whence.abi.records`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from whence.abi import records
from whence.errors import ToolLimit
from whence.findings import (
    Access,
    AccessKind,
    Block,
    BlockState,
    Event,
    Family,
    Finding,
    Frame,
    HitBlock,
    Leak,
    LeakCheck,
    LeakKind,
    LeakMoment,
    Point,
    Process,
    RuleInfo,
    States,
    Total,
    Value,
    Where,
    is_runtime,
)
from whence.symbols import MemoryMap, Symbolizer

__all__ = ["RawFinding", "RawRun", "RuleInfo", "findings", "read_records"]

_PREFIX = struct.Struct("<II")
_NOT_ZERO = re.compile(rb"[^\0]")

_POINTS = {number: Point[name] for name, number in records.POINTS.items()}
_BLOCK_STATES = {
    records.BLOCK_STATES["LIVE"]: BlockState.LIVE,
    records.BLOCK_STATES["FREED"]: BlockState.FREED,
}
_FAMILIES = {number: Family[name] for name, number in records.FAMILIES.items()}
_LEAK_KINDS = {number: LeakKind[name] for name, number in records.LEAK_KINDS.items() if number}
_MOMENTS = {number: LeakMoment[name] for name, number in records.LEAK_CHECKS.items() if number}
_ACCESS_KINDS = {
    Point.DEREF_R: AccessKind.READ,
    Point.DEREF_W: AccessKind.WRITE,
    Point.FREE: AccessKind.FREE,
    Point.CALL: AccessKind.CALL,
    Point.RET: AccessKind.RETURN,
    Point.MALLOC: AccessKind.ALLOCATE,
    Point.ALLOC: AccessKind.REQUEST,
    Point.COPY: AccessKind.COPY,
    Point.ARGUMENT: AccessKind.PASS,
    Point.SIGNAL: AccessKind.TRAP,
}


@dataclass(frozen=True, slots=True)
class RawFinding:
    """One FINDING record: the numbers of `records.FINDING` and its arrays, addresses unnamed."""

    fields: dict[str, int]
    stack: tuple[int, ...] = ()
    alloc: tuple[int, ...] = ()
    free: tuple[int, ...] = ()
    values: tuple[int, ...] = ()
    states: bytes = b""
    name: str = ""
    process: Process | None = None

    def flag(self, name: str) -> bool:
        return bool(self.fields["flags"] & records.FINDING_FLAGS[name])


@dataclass(slots=True)
class RawRun:
    """A record file, decoded: findings, memory maps by number, processes, sentences of the runtime.

    `pid` is the process that initialised the runtime (0: it never did),
    `finished` whether it ended in order, `dropped` counts records without room,
    `lost` the findings among them.
    """

    pid: int = 0
    finished: bool = False
    dropped: int = 0
    lost: int = 0
    findings: list[RawFinding] = field(default_factory=list)
    maps: dict[int, MemoryMap] = field(default_factory=dict)
    processes: dict[int, Process] = field(default_factory=dict)
    merged: dict[int, MemoryMap] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    leak_checks: list[LeakCheck] = field(default_factory=list)

    @property
    def started(self) -> bool:
        """The runtime was loaded and wrote its header."""
        return self.pid != 0


def read_records(path: str | Path) -> RawRun:
    """Decode a record file.

    Raises `ToolLimit` when the file cannot be read, is of another version, or
    holds nothing that can be understood. Any other damage ends in `notes`.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(records.HEADER_SIZE)
            header = records.HEADER.unpack(data[: records.HEADER.size].ljust(records.HEADER.size, b"\0"))
            if not any(data[: records.HEADER.size]):
                return RawRun()
            intact = header["magic"] == int.from_bytes(records.MAGIC, "little")
            wanted = min(header["used"], records.FILE_SIZE) if intact else records.FILE_SIZE
            data += file.read(max(0, wanted - len(data)))
    except OSError as error:
        raise ToolLimit(f"{path}: cannot read the record of the run: {error.strerror}") from error
    if not intact:
        return _salvage(data, path)
    if header["version"] != records.VERSION:
        raise ToolLimit(
            f"{path}: record format {header['version']}, this whence reads {records.VERSION}; "
            "reinstall it so that runtime and command line are of one version"
        )
    run = RawRun(header["pid"], header["state"] == records.FILE_STATES["FINISHED"], header["dropped"])
    _decode(data[: header["used"]], run)
    run.lost = max(0, header["findings"] - len(run.findings))
    _note_losses(run, header, len(data))
    return run


def _salvage(data: bytes, path: str | Path) -> RawRun:
    """What stands behind a header that the program has overwritten."""
    run = RawRun(dropped=1)
    _decode(data, run)
    if not (run.findings or run.maps):
        raise ToolLimit(
            f"{path}: the record of the run is not one of whence, or the program has overwritten it; "
            "run again with --halt to stop at the first finding"
        )
    run.pid = run.findings[0].fields["pid"] if run.findings else 0
    run.notes.append("the program has overwritten the record of its run: findings may be missing")
    return run


def _note_losses(run: RawRun, header: dict[str, int], read: int) -> None:
    if header["dropped"]:
        run.notes.append(
            f"the record of the run was full: {header['dropped']} records are missing; "
            "correct the first findings and run again"
        )
    if read < min(header["used"], header["capacity"], records.FILE_SIZE):
        run.notes.append("the record of the run is cut off: later findings are missing")


def _decode(data: bytes, run: RawRun) -> None:
    """Read record after record; stops with a note where lengths make no sense any more."""
    view = memoryview(data)
    offset, unfinished = records.HEADER_SIZE, False
    while offset + _PREFIX.size <= len(data):
        kind, length = _PREFIX.unpack_from(data, offset)
        if kind == length == 0:  # space that was taken by a writer who died before the first word
            unfinished = True
            offset = _next_word(data, offset)
            continue
        if length < _PREFIX.size or length % 8 or length > len(data) - offset:
            run.notes.append(
                f"the record of the run is damaged at byte {offset} (a record of {length} bytes): "
                "what follows is missing"
            )
            break
        unfinished |= kind == 0
        _decode_record(kind, view[offset + _PREFIX.size : offset + length], run)
        offset += length
    if unfinished and not run.dropped:
        run.notes.append("a finding was being written when the program died: it is missing")


def _next_word(data: bytes, offset: int) -> int:
    """Offset of the next 8-byte word that is not zero; the end when there is none."""
    match = _NOT_ZERO.search(data, offset)
    return match.start() & ~7 if match else len(data)


def _decode_record(kind: int, payload: memoryview, run: RawRun) -> None:
    """One record; unknown kinds are of a newer runtime and carry nothing we need."""
    try:
        if kind == records.RECORD_TYPES["FINDING"]:
            found = _decode_finding(payload)
            run.findings.append(replace(found, process=run.processes.get(found.fields["pid"])))
        elif kind == records.RECORD_TYPES["PROCESS"]:
            _decode_process(payload, run)
        elif kind == records.RECORD_TYPES["MAPS"]:
            number, length = _PREFIX.unpack_from(payload)
            run.maps[number] = MemoryMap.parse(_text(payload[8 : 8 + length]))
        elif kind == records.RECORD_TYPES["NOTE"]:
            (length,) = struct.unpack_from("<I", payload)
            run.notes.append(_text(payload[8 : 8 + length]))
        elif kind == records.RECORD_TYPES["LEAKS"]:
            run.leak_checks.append(_decode_check(payload))
    except struct.error:
        run.notes.append("a record of the run is damaged and was left out")


def _decode_process(payload: memoryview, run: RawRun) -> None:
    """A process that executes another program tells itself again, before the findings that it then makes."""
    pid, parent, length, _ = struct.unpack_from("<IIII", payload)
    words = bytes(payload[16 : 16 + length]).rstrip(b"\0").split(b"\0")
    command = tuple(word.decode(errors="surrogateescape") for word in words) if length else ()
    run.processes[pid] = Process(pid, parent, command)


def _text(data: memoryview) -> str:
    return bytes(data).rstrip(b"\0").decode(errors="surrogateescape")


def _decode_check(payload: memoryview) -> LeakCheck:
    """Raises `struct.error` for a payload that is too short or of a check that is not known."""
    f = records.LEAKS.unpack(payload)
    kinds = ("definite", "indirect", "possible", "reachable", "excused")
    if f["check"] not in _MOMENTS:
        raise struct.error(f"leak check {f['check']}")
    totals = {kind: Total(f[f"{kind}_blocks"], f[f"{kind}_bytes"]) for kind in kinds}
    return LeakCheck(_MOMENTS[f["check"]], f["pid"], f["time"], **totals)


def _decode_finding(payload: memoryview) -> RawFinding:
    """Raises `struct.error` when the payload is shorter than its own counts say."""
    fields = records.FINDING.unpack(payload)
    offset = records.FINDING.size
    arrays: dict[str, bytes] = {}
    for name, kind in records.FINDING_ARRAYS:
        size = fields[f"n_{name}"] * (8 if kind == "u64" else 1)
        if size > len(payload) - offset:
            raise struct.error(f"array {name} runs past its record")
        arrays[name] = bytes(payload[offset : offset + size])
        offset += size + (-size % 8)
    return RawFinding(
        fields,
        stack=_words(arrays["stack"]),
        alloc=_words(arrays["alloc"]),
        free=_words(arrays["free"]),
        values=_words(arrays["values"]),
        states=arrays["states"],
        name=_text(memoryview(arrays["name"])),
    )


def _words(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 8}Q", data)


def read_finding(data: memoryview, offset: int) -> RawFinding | None:
    """The FINDING record at an offset of a record file; None if there is none that can be understood."""
    if not records.HEADER_SIZE <= offset <= len(data) - _PREFIX.size:
        return None
    kind, length = _PREFIX.unpack_from(data, offset)
    if kind != records.RECORD_TYPES["FINDING"] or length < _PREFIX.size:
        return None
    try:
        return _decode_finding(data[offset + _PREFIX.size : offset + length])
    except struct.error:
        return None


def findings(raw: RawRun, rule_names: Sequence[RuleInfo], symbolizer: Symbolizer) -> list[Finding]:
    """Name addresses and rules; in the order of the record, repetitions included.

    `rule_names` are the rules of the rule set, in its order.
    """
    return [_finding(record, rule_names, raw, symbolizer) for record in raw.findings]


def _finding(raw: RawFinding, rules: Sequence[RuleInfo], run: RawRun, symbolizer: Symbolizer) -> Finding:
    f = raw.fields
    memory = _memory(f["maps_id"], run)
    rule = _rule(f, rules)
    point = _point(f)
    block = _block(raw, memory, symbolizer)
    stack = symbolizer.stack(raw.stack, memory, exact_top=raw.flag("SIGNAL"))
    states = States(f["state_begin"], raw.states) if raw.states else None
    return Finding(
        rule=rule,
        point=point,
        access=_access(raw, point, block, states),
        stack=_without_runtime(stack),
        block=block,
        hit_block=HitBlock(f["hit_id"], f["hit_begin"], f["hit_size"]) if f["hit_id"] else None,
        values=tuple(_values(rule, raw.values)),
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
    )


def _memory(number: int, run: RawRun) -> MemoryMap | None:
    """The map at the finding, and what was unloaded before, if all processes executed one program."""
    memory = run.maps.get(number)
    if memory is None or len({process.command[:1] for process in run.processes.values()}) > 1:
        return memory
    if number not in run.merged:
        run.merged[number] = memory.over(run.maps.values())
    return run.merged[number]


def _rule(fields: dict[str, int], rules: Sequence[RuleInfo]) -> RuleInfo:
    number = fields["rule"]
    if number == records.RULE_SIGNAL:
        return RuleInfo("signal", "killed by a signal")
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
    """Blocks that were there when a function was entered or left, and should not have been."""
    if point not in (Point.CALL, Point.RET) or not fields["block_id"]:
        return None
    if not fields["bytes"] and fields["leak_kind"] not in _LEAK_KINDS:
        return None
    kind = _LEAK_KINDS.get(fields["leak_kind"], LeakKind.DEFINITE)
    return Leak(fields["count"], fields["bytes"], fields["count_indirect"], kind)


def _block(raw: RawFinding, memory: MemoryMap | None, symbolizer: Symbolizer) -> Block | None:
    f = raw.fields
    if not f["block_id"]:
        return None
    allocated = Event(f["block_alloc_time"], f["block_alloc_thread"], _stack(raw.alloc, memory, symbolizer))
    freed = None
    if f["block_free_time"]:
        freed = Event(f["block_free_time"], f["block_free_thread"], _stack(raw.free, memory, symbolizer))
    return Block(
        f["block_id"],
        f["block_begin"],
        f["block_size"],
        _BLOCK_STATES.get(f["block_state"], BlockState.UNKNOWN),
        _FAMILIES.get(f["block_family"], Family.UNKNOWN),
        allocated,
        freed,
    )


def _stack(pcs: Sequence[int], memory: MemoryMap | None, symbolizer: Symbolizer) -> tuple[Frame, ...]:
    return _without_runtime(symbolizer.stack(pcs, memory))


def _without_runtime(stack: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """Drop the frames of the runtime library: its wrappers also stand below frames of the C library."""
    return tuple(frame for frame in stack if not is_runtime(frame))


def _access(raw: RawFinding, point: Point, block: Block | None, states: States | None) -> Access:
    f = raw.fields
    kind = _ACCESS_KINDS.get(point, AccessKind.UNKNOWN)
    first_bad = None
    if kind in (AccessKind.READ, AccessKind.WRITE):
        first_bad = _first_bad(f["address"], f["size"], block, states)
    return Access(kind, f["address"], f["size"], first_bad, f["root"])


def _first_bad(address: int, size: int, block: Block | None, states: States | None) -> int | None:
    """The first byte of an access that lies outside its block, or that the state plane forbids."""
    if block is None:
        return _first_forbidden(address, size, states)
    relation = block.relation(address, size)
    if block.state is BlockState.FREED or relation.where is not Where.INSIDE:
        return address
    return block.end if relation.overrun else _first_forbidden(address, size, states)


def _first_forbidden(address: int, size: int, states: States | None) -> int | None:
    """The first byte whose state says it must not be accessed; None when the states do not tell."""
    if states is None:
        return None
    for byte in range(address, min(address + max(size, 1), states.end)):
        if states.addressable(byte) is not True:
            return byte if states.addressable(byte) is False else None
    return None
