"""A state as rules see it: the `World` and the `Redex` of the reference interpreter.

Rules know heap blocks by their numbers, and the live stack block or global that an access was derived from by
its number plus `OF_STACK` or `OF_GLOBAL`. A world computes its parts when a rule uses them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from whence.abi.records import KINDS
from whence.machine.accesses import is_null_derived, unwritten_bytes
from whence.machine.liveness import live_and_lost
from whence.machine.memory import decode
from whence.machine.probes import Probe
from whence.machine.state import Blocks, CallEvent, Event, FreeEvent, MallocEvent, RetEvent, State, WriteEvent
from whence.machine.undefined import undefined_bits
from whence.machine.values import (
    GLOBAL,
    HEAP,
    KIND_NUMBERS,
    STACK,
    BlockId,
    FromGlobal,
    FromMemory,
    Function,
    Origin,
    Pointer,
    Value,
    unsigned,
)
from whence.rules import model as m
from whence.rules.vocabulary import POINTER_DOMAINS
from whence.rules.world import Redex, World

_EVENTS: Mapping[str, type[Event]] = {
    "malloc": MallocEvent,
    "free": FreeEvent,
    "call": CallEvent,
    "ret": RetEvent,
    "write": WriteEvent,
}
OF_STACK, OF_GLOBAL = 1 << 62, 1 << 61
"""Added to the numbers of stack blocks and of globals."""
_OFFSETS = {STACK: OF_STACK, GLOBAL: OF_GLOBAL}
_Element = tuple[int | str, ...]


@dataclass
class Elements:
    """A cache of the events of one run in the form that patterns match, oldest first."""

    by_kind: dict[str, list[_Element]] = field(default_factory=dict)
    by_block: dict[tuple[str, int], list[_Element]] = field(default_factory=dict)

    def of(self, kind: str, state: State, block: int | None) -> list[_Element]:
        """The events of a kind, or those about one block."""
        everything = self.everything(kind, state)
        if block is None or kind not in ("malloc", "free"):
            return everything
        return self.by_block.get((kind, block), [])

    def everything(self, kind: str, state: State) -> list[_Element]:
        known = self.by_kind.setdefault(kind, [])
        events = state.trace.of_kind(_EVENTS[kind])
        new = []
        for event, _ in zip(events, range(len(events) - len(known)), strict=False):
            new.append((event.time, *_fields(event, state)))
        known.extend(reversed(new))
        if kind in ("malloc", "free"):
            for element in reversed(new):
                self.by_block.setdefault((kind, _block(element)), []).append(element)
        return known


def _block(element: _Element) -> int:
    """The block of a malloc or free event, its last field."""
    block = element[-1]
    assert isinstance(block, int)
    return block


def _fields(event: Event, state: State) -> _Element:
    match event:
        case MallocEvent(size=size, block=block):
            return size, block.number
        case FreeEvent(pointer=pointer, block=block):
            return word(state, pointer.value), block.number
        case CallEvent(function=name, value=value) | RetEvent(function=name, value=value):
            return name, word(state, value.value)
        case WriteEvent(pointer=pointer, value=value):
            origin = _origin(state, value.origin)
            return word(state, pointer.value), word(state, value.value), origin
    raise TypeError(type(event).__name__)


def word(state: State, value: Value) -> int:
    """A value as rules see it: 64 bits without a sign."""
    return unsigned(state.number(value))


def _origin(state: State, origin: Origin) -> int:
    """What a value was copied from: a location, a global symbol, or 0 for gen."""
    match origin:
        case FromMemory(pointer=pointer):
            return word(state, pointer)
        case FromGlobal(name=name):
            bid = state.program.global_blocks.get(name)
            return word(state, Function(name) if bid is None else Pointer(bid))
        case _:
            return 0


class _Attributes(Mapping[int, int]):
    """An attribute of blocks by number. Iteration gives heap blocks only, lookup also others."""

    def __init__(self, state: State, attribute: str) -> None:
        self.state = state
        self.attribute = attribute

    def __getitem__(self, number: int) -> int:
        block = self.state.block(block_of(number))
        if block is None:
            raise KeyError(number)
        found: int = getattr(block, self.attribute)
        return found

    def __iter__(self) -> Iterator[int]:
        yield from _heap_numbers(self.state.heap)
        yield from _heap_numbers(self.state.freed)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _heap_numbers(blocks: Blocks) -> list[int]:
    return sorted(bid.number for bid in blocks if bid.kind == HEAP)


@dataclass(frozen=True)
class MachineWorld(World):
    """The `World` of a state, computed on demand."""

    state: State | None = None
    cache: Elements = field(default_factory=Elements, compare=False)

    @property
    def _state(self) -> State:
        assert self.state is not None
        return self.state

    @property
    def sizes(self) -> Mapping[int, int]:  # type: ignore[override]
        return _Attributes(self._state, "size")

    @property
    def times(self) -> Mapping[int, int]:  # type: ignore[override]
        return _Attributes(self._state, "time")

    by_block: ClassVar[bool] = True

    def elements(self, pattern: m.Pattern, domain: str, block: int | None = None) -> Iterator[_Element]:
        if isinstance(pattern, m.EventPattern):
            yield from reversed(self.cache.of(pattern.event, self._state, block))
        elif domain in POINTER_DOMAINS:
            pointers = live_and_lost(self._state)[domain == "L"]
            found = ((word(self._state, each), each.block.number, each.index) for each in pointers)
            yield from sorted(found)
        else:
            blocks = self._state.heap if domain == "H" else self._state.freed
            yield from ((number,) for number in sorted(map(_number, blocks)))


def world_of(state: State, cache: Elements | None = None) -> MachineWorld:
    """The world of a state; `cache`: the events of earlier states of the same run."""

    def find(address: int) -> int | None:
        bid = state.owner(address)
        return None if bid is None or bid.kind != HEAP else _number(bid)

    def load(address: int, width: int) -> int | None:
        bid = state.owner(address)
        block = None if bid is None else state.live(bid)
        if block is None:
            return None
        index = address - block.begin
        if not block.holds(index, width) or block.closed_bytes(index, width):
            return None
        # The value of junk is open in C; here it is 0.
        return word(state, decode(tuple(block.byte(index + at) for at in range(width)), state.number))

    def kind(address: int) -> int:
        return KIND_NUMBERS.get(state.kind_at(address), KINDS["ELSEWHERE"])

    return MachineWorld(
        begins=_Attributes(state, "begin"),
        find=find,
        load=load,
        families=_Attributes(state, "family"),
        kind=kind,
        aligns=_Attributes(state, "align"),
        state=state,
        cache=cache or Elements(),
    )


def redex_of(state: State, probe: Probe) -> Redex:
    """The step of a probe as rules see it."""
    row = probe.row
    redex = Redex(probe.code, tuple(_slot_values(state, probe)), now=state.time, family=probe.family)
    if row.slots[0].type != "POINTER":
        return redex
    pointer = probe.operands[0]
    target = state.where(pointer.value)
    block = None if target.block is None else state.block(target.block)
    return replace(
        redex,
        block=None if target.block is None else _number_at(target.block, "Root" in row.gives),
        width=probe.width if "Width" in row.gives else 0,
        root=0 if "Root" in row.gives and is_null_derived(pointer) else None,
        closed=block.closed_bytes(target.index, probe.width) if "Closed" in row.gives and block else 0,
        given_size=probe.given_size,
        given_align=probe.given_align,
    )


def _slot_values(state: State, probe: Probe) -> Iterator[int | str]:
    """The values of the point's slots: operands of the redex, its function, or the new block and its size."""
    if probe.code == "USE":
        (operand,) = probe.operands
        yield from (word(state, operand.value), undefined_bits(operand.value))
        return
    operands = iter(probe.operands)
    for slot, field_ in zip(probe.row.slots, probe.row.operands, strict=True):
        if field_:
            yield word(state, next(operands).value)
        elif slot.type == "FUNCTION":
            yield probe.function
        elif probe.code == "READ":
            yield probe.width if slot.name == "n" else unwritten_bytes(state, probe.operands[0], probe.width)
        else:
            assert probe.block is not None
            yield probe.block.number if slot.type == "BID" else state.heap[probe.block].size


def _number_at(bid: BlockId, derefs: bool) -> int | None:
    """The number by which rules know the block of a step's pointer; None if they do not know it."""
    return _number(bid) if derefs or bid.kind == HEAP else None


def block_of(number: int) -> BlockId:
    """The block with this number of the rules."""
    kind = next((kind for kind, offset in _OFFSETS.items() if number >= offset), HEAP)
    return BlockId(kind, number - _OFFSETS.get(kind, 0))


def _number(bid: BlockId) -> int:
    """The number by which rules know a block."""
    return bid.number + _OFFSETS.get(bid.kind, 0)


__all__ = ["OF_GLOBAL", "OF_STACK", "Elements", "MachineWorld", "block_of", "redex_of", "word", "world_of"]
