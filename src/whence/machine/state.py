"""States of the machine: (H; F; S; P; k; sigma; f; e) of figure 8, immutable, with structure shared.

The expression e is decomposed into the redex, its environment and the contexts
around it, so that the cost of a step does not depend on the size of e;
`context.expression` gives e.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from rpds import HashTrieMap, HashTrieSet, List

from whence.machine.memory import Block
from whence.machine.syntax import Expr, Literal, Program
from whence.machine.values import (
    CODE,
    GLOBAL,
    HEAP,
    LITERAL,
    STACK,
    BlockId,
    Function,
    Int,
    Origin,
    Pointer,
    Value,
    begin_of,
    region_of,
    slot_of,
    unsigned,
    wrap,
)
from whence.rules.problems import NOWHERE, Place

# ---- the trace ----


@dataclass(frozen=True, kw_only=True)
class Event:
    """A timed event (k, ev); `place` is the place of its step in the program."""

    time: int
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True)
class MallocEvent(Event):
    """(k, malloc, n, bid)"""

    size: int
    block: BlockId


@dataclass(frozen=True)
class FreeEvent(Event):
    """(k, free, r, bid)"""

    pointer: Literal
    block: BlockId


@dataclass(frozen=True)
class CallEvent(Event):
    """(k, call, z, v): v is the first argument, 0 if there is none"""

    function: str
    value: Literal


@dataclass(frozen=True)
class RetEvent(Event):
    """(k, ret, z, v)"""

    function: str
    value: Literal


@dataclass(frozen=True)
class WriteEvent(Event):
    """(k, write, r, v, f): f is the origin of the literal v; `width` bytes were written"""

    pointer: Literal
    value: Literal
    width: int = 8


@dataclass(frozen=True)
class IfEvent(Event):
    """(k, n == 0) or (k, n != 0): `number` is the guard"""

    number: int


@dataclass(frozen=True)
class CopyEvent(Event):
    """(k, copy, r, s, n): n bytes were copied to r from s"""

    pointer: Literal
    source: Literal
    count: int


@dataclass(frozen=True)
class Trace:
    """sigma: the events so far, newest first: all of them, and by kind."""

    events: List[Event] = field(default_factory=lambda: List())
    by_kind: HashTrieMap[str, List[Event]] = field(
        default_factory=lambda: HashTrieMap(), compare=False, repr=False
    )

    def add(self, event: Event) -> Trace:
        kind = type(event).__name__
        known = self.by_kind.get(kind, List())
        return Trace(self.events.push_front(event), self.by_kind.insert(kind, known.push_front(event)))

    def of_kind(self, kind: type[Event]) -> List[Event]:
        """The events of one kind, newest first."""
        return self.by_kind.get(kind.__name__, List())

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)


# ---- the state ----

Env: TypeAlias = "HashTrieMap[str, Literal]"
NO_ENV: Env = HashTrieMap()
Blocks: TypeAlias = "HashTrieMap[BlockId, Block]"
NO_BLOCKS: Blocks = HashTrieMap()


@dataclass(frozen=True, slots=True)
class Frame:
    """A context E: `expr` with a hole at operand `at`; the operands before it are literals."""

    expr: Expr
    at: int
    env: Env


@dataclass(frozen=True, slots=True)
class Target:
    """Where a value points: the block (None if it has none), the index in the block, and the address."""

    block: BlockId | None
    index: int
    address: int


@dataclass(frozen=True, slots=True)
class State:
    """A state.

    `heap`, `freed`, `stack_blocks`, `globals` share no id. `frames` is the
    stack, top first, as the ids of the blocks of each frame, newest first;
    every id in it is in `stack_blocks` and vice versa. `pointers` is Dom(P).
    `fresh_heap` and `fresh_stack` are the numbers of the next blocks, larger
    than those of all blocks so far. `custom_begins`: some block does not begin
    at `values.begin_of` its id. `focus` is the redex, with literals as operands,
    or the final value if `context` is empty.
    """

    program: Program
    focus: Expr
    env: Env = NO_ENV
    context: List[Frame] = field(default_factory=lambda: List())
    heap: Blocks = NO_BLOCKS
    freed: Blocks = NO_BLOCKS
    stack_blocks: Blocks = NO_BLOCKS
    frames: List[tuple[BlockId, ...]] = field(default_factory=lambda: List())
    globals: Blocks = NO_BLOCKS
    pointers: HashTrieSet[Pointer] = field(default_factory=lambda: HashTrieSet())
    time: int = 0
    trace: Trace = field(default_factory=Trace)
    origin: Origin = LITERAL
    fresh_heap: int = 1
    fresh_stack: int = 1
    custom_begins: bool = False

    @property
    def is_final(self) -> bool:
        """Whether there is nothing to reduce."""
        return isinstance(self.focus, Literal) and not self.context

    def with_(self, **changes: object) -> State:
        return replace(self, **changes)  # type: ignore[arg-type]

    # -- blocks --

    def live(self, bid: BlockId) -> Block | None:
        """The block, if it is in H or S or a global."""
        if bid.kind == HEAP:
            return self.heap.get(bid)
        return self.stack_blocks.get(bid) if bid.kind == STACK else self.globals.get(bid)

    def block(self, bid: BlockId) -> Block | None:
        """The block, dead or alive."""
        return self.live(bid) or self.freed.get(bid)

    def with_block(self, bid: BlockId, block: Block) -> State:
        """The state with other contents of a live block."""
        if bid.kind == HEAP:
            return replace(self, heap=self.heap.insert(bid, block))
        if bid.kind == STACK:
            return replace(self, stack_blocks=self.stack_blocks.insert(bid, block))
        return replace(self, globals=self.globals.insert(bid, block))

    # -- values --

    def number(self, value: Value) -> int:
        """The word of a value: an integer itself, a pointer's or function's address."""
        match value:
            case Int(number=number):
                return number
            case Pointer(block=bid, index=index):
                known = self.block(bid)
                return wrap((begin_of(bid) if known is None else known.begin) + index)
            case Function(name=name):
                return CODE + 16 * [each.name for each in self.program.functions].index(name)

    def where(self, value: Value) -> Target:
        """Where a value points. Integers and pointers derived from null have no block by derivation.

        An integer belongs to the block that its number lies in, or is nearest to; see `owner`.
        """
        address = unsigned(self.number(value))
        if isinstance(value, Pointer):
            known = self.block(value.block) is not None
            return Target(value.block if known else None, value.index, address)
        bid = self.owner(address) if isinstance(value, Int) else None
        block = None if bid is None else self.block(bid)
        return Target(bid, 0 if block is None else address - block.begin, address)

    def kind_at(self, address: int) -> str | None:
        """The kind of memory at an address: `HEAP`, `STACK`, `GLOBAL` (also of functions) or None."""
        bid = self.owner(address)
        if bid is not None:
            return bid.kind
        code = CODE <= address < CODE + 16 * len(self.program.functions)
        return GLOBAL if code else region_of(address)

    def owner(self, address: int) -> BlockId | None:
        """The block that contains an address, or in whose slot it lies; O(1) unless `custom_begins`."""
        near = slot_of(address)
        block = None if near is None else self.block(near)
        if near is not None and block is not None and block.begin == begin_of(near):
            return near
        if not self.custom_begins:
            return None
        for blocks in (self.heap, self.stack_blocks, self.globals, self.freed):
            for bid, known in blocks.items():
                if known.begin <= address < known.begin + max(known.size, 1):
                    return bid
        return None


def max_number(kind: str, *maps: Blocks) -> int:
    """The largest number of the ids of a kind."""
    return max((bid.number for blocks in maps for bid in blocks if bid.kind == kind), default=0)


__all__ = [
    "GLOBAL",
    "NO_BLOCKS",
    "NO_ENV",
    "Blocks",
    "CallEvent",
    "CopyEvent",
    "Env",
    "Event",
    "Frame",
    "FreeEvent",
    "IfEvent",
    "MallocEvent",
    "RetEvent",
    "State",
    "Trace",
    "WriteEvent",
]
