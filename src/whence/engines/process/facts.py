"""Facts of findings from their records: a table of what decodes the parts of a record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from whence.abi import points, records
from whence.abi.analyses import DEFINEDNESS, EDGES, LABELS, ORIGINS, RACES, SYMBOLIC, Analysis
from whence.abi.zones import SHAPES, TEXT_FIELDS, THREAD_LOCAL
from whence.engines.process.chains import chains
from whence.engines.process.decode import RawFinding, RawRun
from whence.engines.process.senders import followed
from whence.findings import Fact, Frame, Leak, LeakKind, Point, RuleInfo, facts, is_runtime
from whence.symbols.demangle import demangle
from whence.symbols.maps import MemoryMap
from whence.symbols.symbolizer import Symbolizer

_BLOCK_STATES = {
    records.BLOCK_STATES["LIVE"]: facts.BlockState.LIVE,
    records.BLOCK_STATES["FREED"]: facts.BlockState.FREED,
}
_BLOCK_KINDS = {number: facts.BlockKind[name] for name, number in records.BLOCK_KINDS.items()}
_EARLIER = {number: facts.EarlierKind[name] for name, number in records.EARLIER.items()}
_FAMILIES = {number: facts.Family[name] for name, number in records.FAMILIES.items()}
_LEAK_KINDS = {number: LeakKind[name] for name, number in records.LEAK_KINDS.items() if number}


@dataclass(frozen=True)
class Seen:
    """A record with what its parts are decoded by; whole: the stack of the finding, with our frames."""

    raw: RawFinding
    run: RawRun
    memory: MemoryMap | None
    symbolizer: Symbolizer
    rule: RuleInfo
    point: Point
    whole: tuple[Frame, ...]

    @property
    def fields(self) -> dict[str, int]:
        return self.raw.fields

    @property
    def stack(self) -> tuple[Frame, ...]:
        """The stack of the finding."""
        return without_runtime(self.whole)

    def named(self, pcs: Sequence[int]) -> tuple[Frame, ...]:
        """The frames of a stack in the record."""
        return without_runtime(self.symbolizer.stack(pcs, self.memory))

    def event(self, which: str, pcs: Sequence[int]) -> facts.Event:
        """An event of the block: `alloc` or `free`."""
        f = self.fields
        return facts.Event(f[f"block_{which}_time"], f[f"block_{which}_thread"], self.named(pcs))


def without_runtime(stack: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """The stack without frames of the runtime library, whose wrappers may also call the C library."""
    return tuple(frame for frame in stack if not is_runtime(frame))


# ---- what any finding may have ----


def _block(seen: Seen) -> Iterator[facts.Block]:
    f, raw = seen.fields, seen.raw
    if not f["block_id"]:
        return
    variable = _variable(raw.variable)
    allocated = seen.event("alloc", raw.alloc)
    block = facts.Block(
        f["block_id"],
        f["block_begin"],
        f["block_size"],
        _BLOCK_STATES.get(f["block_state"], facts.BlockState.UNKNOWN),
        facts.Family.UNKNOWN if variable else _FAMILIES.get(f["block_family"], facts.Family.UNKNOWN),
        None if variable else allocated,
        seen.event("free", raw.free) if f["block_free_time"] else None,
        raw.flag("MOVED"),
        _last_use(seen),
        _BLOCK_KINDS.get(f["block_kind"], facts.BlockKind.UNKNOWN),
        variable,
        f["block_cookie"],
        raw.flag("RETURNED"),
    )
    if raw.flag("IN_FRAME") and len(raw.stack) < records.MAX_FRAMES:
        block = replace(block, returned=_has_returned(block, seen.stack))
    yield block


def _has_returned(block: facts.Block, stack: Sequence[Frame]) -> bool:
    """Whether the function of a variable whose scope has ended is none of those that go on, with the whole
    stack: its code stands in that of a caller, where the variable has its place."""
    if block.state is not facts.BlockState.FREED or block.variable is None or not block.variable.line:
        return False
    function = block.variable.function
    names = [frame.function or "" for frame in stack]
    return bool(function) and not any(_names(name, function) or _names(function, name) for name in names)


def _names(name: str, text: str) -> bool:
    """Whether a function's name stands in a longer one, with parameters and the type of a result; one that is
    not known may be any."""
    return not name or re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text) is not None


def _last_use(seen: Seen) -> facts.Use | None:
    f = seen.fields
    if not f["use_time"]:
        return None
    return facts.Use(f["use_time"], f["use_address"], seen.symbolizer.stack((f["use_pc"],), seen.memory))


def _variable(text: str) -> facts.Variable | None:
    """The fields of `TEXT_FIELDS`, if the block or the origin is a variable."""
    fields = text.split("\t")
    if len(fields) != len(TEXT_FIELDS):
        return None
    line, shape, name, function, file = fields
    threads = shape.startswith(THREAD_LOCAL)
    is_array = shape.removeprefix(THREAD_LOCAL) == SHAPES[0]
    return facts.Variable(demangle(name), is_array, demangle(function), file or None, int(line), threads)


def _hits(seen: Seen) -> Iterator[facts.HitBlock]:
    yield from _hit(seen.fields, "hit")


def _hit(fields: Mapping[str, int], prefix: str) -> Iterator[facts.HitBlock]:
    number, begin, size = (fields[f"{prefix}_{name}"] for name in ("id", "begin", "size"))
    if number:
        yield facts.HitBlock(number, begin, size)


def _values(seen: Seen) -> Iterator[facts.Value]:
    names = seen.rule.values
    for index, value in enumerate(seen.raw.values):
        yield facts.Value(names[index] if index < len(names) else f"value {index + 1}", value)


def _leak(seen: Seen) -> Iterator[Leak]:
    """The leaked blocks of a finding at the entry or the return of a function."""
    f = seen.fields
    if seen.point not in (Point.CALL, Point.RET) or not f["block_id"]:
        return
    if not f["bytes"] and f["leak_kind"] not in _LEAK_KINDS:
        return
    names = ("inherited", "bytes_inherited", "indirect_inherited", "bytes_indirect_inherited")
    count, size, indirect, indirect_size = (f[name] for name in names)
    yield Leak(
        f["count"],
        f["bytes"],
        f["count_indirect"],
        f["bytes_indirect"],
        _LEAK_KINDS.get(f["leak_kind"], LeakKind.DEFINITE),
        (count, size, indirect, indirect_size),
    )


def _signal(seen: Seen) -> Iterator[Fact]:
    if number := seen.fields["signal"]:
        yield facts.Signal(number)
    if seen.point is Point.SIGNAL and (said := " ".join(seen.raw.types.split())):
        yield facts.Message(said)


def _states(seen: Seen) -> Iterator[facts.States]:
    if seen.raw.states:
        yield facts.States(seen.fields["state_begin"], seen.raw.states)


def _descriptor(seen: Seen) -> Iterator[facts.Descriptor]:
    f, raw = seen.fields, seen.raw
    if seen.point is Point.DESCRIPTOR:
        opened = seen.event("alloc", raw.alloc) if f["block_alloc_time"] else None
        closed = seen.event("free", raw.free) if f["block_free_time"] else None
        yield facts.Descriptor(f["block_begin"], opened, closed)


def _earlier(seen: Seen) -> Iterator[facts.Earlier]:
    words, low = seen.raw.earlier, (1 << 32) - 1
    at = 0
    while at + records.EARLIER_WORDS <= len(words):
        what, who, time = words[at : at + records.EARLIER_WORDS]
        at += records.EARLIER_WORDS
        pcs = words[at : at + (who >> 32)]
        at += who >> 32
        if what & low in _EARLIER:
            yield facts.Earlier(_EARLIER[what & low], time, who & low, seen.named(pcs), what >> 32)


def _described(seen: Seen) -> Iterator[facts.Described]:
    f, raw = seen.fields, seen.raw
    if f["described_size"]:
        yield facts.Described(
            raw.description, f["described_begin"], f["described_size"], seen.named(raw.described)
        )


def _types(seen: Seen) -> Iterator[facts.Types]:
    """The types of the step; the class of an object stands on a line of its own, as `typeid` has it."""
    raw = seen.raw
    if seen.point is Point.SIGNAL or not raw.types:
        return
    if seen.point is Point("callee"):
        function = seen.symbolizer.frames(raw.fields["address"], seen.memory, exact=True)[-1]
        yield facts.Types(raw.types, function=function)
        return
    expected, _, name = raw.types.partition("\n")
    found = demangle(f"_ZTS{name}").removeprefix(_NAME_OF_TYPE) if name else ""
    if expected:
        yield facts.Types(expected, found)


_NAME_OF_TYPE = "typeinfo name for "


def _pointers(seen: Seen) -> Iterator[facts.Pointer]:
    """The second pointer of a step that takes two."""
    if not seen.raw.undefined:
        yield from _second(seen)


def _second(seen: Seen) -> Iterator[facts.Pointer]:
    """The second address of the record; its block lives."""
    f, raw = seen.fields, seen.raw
    if not f["second_address"]:
        return
    block = None
    if f["second_id"]:
        variable = _variable(raw.second_variable)
        made = facts.Event(f["second_id"], f["second_alloc_thread"], seen.named(raw.second_alloc))
        block = facts.Block(
            f["second_id"],
            f["second_begin"],
            f["second_size"],
            _BLOCK_STATES.get(f["second_state"], facts.BlockState.UNKNOWN),
            facts.Family.UNKNOWN if variable else _FAMILIES.get(f["second_family"], facts.Family.UNKNOWN),
            None if variable else made,
            kind=_BLOCK_KINDS.get(f["second_kind"], facts.BlockKind.UNKNOWN),
            variable=variable,
        )
    hit = next(_hit(f, "second_hit"), None)
    yield facts.Pointer(f["second_address"], f["second_root"], block, hit)


# ---- what those of an analysis have ----


def _undefined(seen: Seen) -> Iterator[facts.Undefined]:
    """The undefined bytes of memory that was read; the record's second address is that of the first one."""
    f, words = seen.fields, seen.raw.undefined
    if words:
        runs = tuple(facts.UndefinedRun(*pair) for pair in zip(words[::2], words[1::2], strict=False))
        first = next(_second(seen), None)
        block = None if first is None else first.block
        yield facts.Undefined(f["read_begin"], f["read_size"], runs, bool(f["undefined_more"]), block)


def _unwritten(seen: Seen) -> Iterator[facts.Origin]:
    """Where undefined bits were born; of never-written bytes that are read only where no block is known."""
    f = seen.fields
    unknown = seen.point is Point.READ and not f["block_id"]
    if not seen.raw.flag("LABELLED") and (f["use"] or unknown):
        yield from _origin(seen)


def _labelled(seen: Seen) -> Iterator[facts.Origin]:
    """Where labels were born."""
    if seen.raw.flag("LABELLED"):
        yield from _origin(seen)


def _origin(seen: Seen) -> Iterator[facts.Origin]:
    variable, pcs = _variable(seen.raw.variable), seen.raw.alloc
    if variable is not None or pcs:
        yield facts.Origin(variable, seen.named(pcs), seen.raw.flag("LABELLED"))


def _chains(seen: Seen) -> Iterator[Fact]:
    """The chains, also through the processes that sent the values."""
    raw, row = seen.raw, points.BY_NAME.get(seen.point)
    line = next((frame.line for frame in seen.stack), 0)
    for chain in chains(raw.chains, tuple(_values(seen)), row, line, seen.named):
        yield followed(chain, seen.run.sent, raw.fields["pid"])


Decoder = Callable[[Seen], Iterable[Fact]]
_ANY: tuple[Decoder, ...] = (
    *(_block, _hits, _values, _leak, _signal, _states),
    *(_descriptor, _earlier, _types, _described, _pointers),
)
OF_ANALYSES: Mapping[Analysis, tuple[Decoder, ...]] = MappingProxyType(
    {
        DEFINEDNESS: (_undefined, _unwritten),
        LABELS: (_labelled,),
        ORIGINS: (_chains,),
        RACES: (),  # the other access is an earlier step, as of locks
        SYMBOLIC: (),  # it writes files of its own
        EDGES: (),  # it tells its driver
    }
)
"""What decodes the parts of a record that an analysis fills in."""


def facts_of(seen: Seen) -> tuple[Fact, ...]:
    """All facts of a record."""
    decoders = (*_ANY, *(each for row in OF_ANALYSES.values() for each in row))
    return tuple(fact for decode in decoders for fact in decode(seen))
