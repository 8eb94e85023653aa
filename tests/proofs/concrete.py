"""States of the machine as states of the solver in which nothing is left open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import z3

from whence.abi.records import KINDS
from whence.machine import State
from whence.machine.accesses import is_null_derived, unwritten_bytes
from whence.machine.liveness import live_and_lost
from whence.machine.memory import Block
from whence.machine.probes import Probe
from whence.machine.state import CallEvent, Event, FreeEvent, MallocEvent, RetEvent, WriteEvent
from whence.machine.syntax import Apply, Read
from whence.machine.undefined import undefined_bits
from whence.machine.values import KIND_NUMBERS, NULL_BLOCK, BlockId, Function, Pointer, wrap
from whence.machine.world import word
from whence.proofs import state as symbolic
from whence.proofs.logic import BLOCK, EVENT, POINTER, Number, Truth, applications, spell_out
from whence.proofs.moment import (
    CLOSED_SYMBOL,
    CODES,
    FIND_SYMBOL,
    KIND_SYMBOL,
    SIGNED,
    WORDS,
    Moment,
    any_moment,
)
from whence.proofs.symbols import EVENT_CODES, function_code

SORTS = {letter: sort for sort, letter in symbolic.LETTERS.items()}
_HALF = 1 << 63
_HOW_HELD = ("live pointer", "lost pointer")


def table(values: Mapping[int, int], at: Number) -> Number:
    """A function that is given by its values, 0 elsewhere."""
    result: Number = z3.IntVal(0)
    for key, value in values.items():
        result = z3.If(at == key, z3.IntVal(value), result)
    return result


def members(found: Iterable[int], at: Number) -> Truth:
    return z3.Or(*(at == each for each in found))


def _as_typed(name: str, number: int) -> int:
    """A word of 64 bits as the number that the slot of this name has."""
    return wrap(number) if name in SIGNED else number


@dataclass(frozen=True)
class Concrete:
    """What stands for the blocks and pointers of some states, and how formulas about them are evaluated."""

    ids: Mapping[BlockId, int]
    pointers: tuple[Pointer, ...]
    events: int

    @staticmethod
    def of(*states: State) -> Concrete:
        blocks = {bid for state in states for bid in known_blocks(state)}
        pointers = {pointer for state in states for pointer in state.pointers}
        pointers |= {pointer for state in states for found in live_and_lost(state) for pointer in found}
        ids = {bid: number for number, bid in enumerate(sorted(blocks), 1)}
        listed = sorted(pointers, key=lambda each: (each.block, each.index))
        return Concrete(ids, tuple(listed), max(len(state.trace) for state in states))

    @property
    def ranges(self) -> dict[str, range]:
        return {
            EVENT: range(self.events),
            BLOCK: range(1, len(self.ids) + 1),
            POINTER: range(len(self.pointers)),
        }

    def id(self, bid: BlockId) -> int:
        return symbolic.NO_BLOCK if bid == NULL_BLOCK else self.ids[bid]

    def state(self, state: State) -> symbolic.State:
        known = {self.ids[bid]: (bid, block) for bid, block in known_blocks(state).items()}
        events = dict(enumerate(reversed(list(state.trace))))
        frames = {self.ids[b]: n for n, frame in enumerate(reversed(list(state.frames)), 1) for b in frame}

        def of(what: Callable[[Block], int]) -> symbolic.Of:
            values = {number: what(block) for number, (_, block) in known.items()}
            return lambda b: table(values, b)

        def among(blocks: Iterable[BlockId]) -> symbolic.Set:
            numbers = [self.ids[bid] for bid in blocks]
            return lambda b: members(numbers, b)

        fields = {i: fields_of(event, state, self) for i, event in events.items()}
        present = [n for n, pointer in enumerate(self.pointers) if pointer in state.pointers]
        return symbolic.State(
            now=z3.IntVal(state.time),
            length=z3.IntVal(len(state.trace)),
            kind=lambda i: table({n: code_of(event) for n, event in events.items()}, i),
            time=lambda i: table({n: event.time for n, event in events.items()}, i),
            field=lambda i, n: table({j: row[n] for j, row in fields.items()}, i),
            heap=among(state.heap),
            freed=among(state.freed),
            stack=among(state.stack_blocks),
            globals_=among(state.globals),
            frame=lambda b: table(frames, b),
            depth=z3.IntVal(len(state.frames)),
            sort=lambda b: table({number: SORTS[bid.kind] for bid, number in self.ids.items()}, b),
            begin=of(lambda block: block.begin),
            size=of(lambda block: block.size),
            born=of(lambda block: block.time),
            family=of(lambda block: block.family),
            align=of(lambda block: block.align),
            present=lambda p: members(present, p),
            target=lambda p: table({n: self.id(each.block) for n, each in enumerate(self.pointers)}, p),
            index=lambda p: table({n: each.index for n, each in enumerate(self.pointers)}, p),
        )

    def moment(self, state: State, probe: Probe) -> Moment:
        """A detection point of a state; parts that it lacks are 0."""
        free = any_moment()
        first = probe.operands[0]
        target = state.where(first.value)
        derived = target.block is not None
        block = state.block(target.block) if target.block is not None else None
        address = target.address
        fields = probe.row.operands or ("value", "")
        slots = [slot.name for slot, field in zip(probe.row.slots, fields, strict=True) if field]
        numbers = dict(zip(slots, (word(state, each.value) for each in probe.operands), strict=True))
        if probe.code == "USE":
            numbers["u"] = undefined_bits(first.value)
        unwritten = unwritten_bytes(state, first, probe.width) if probe.code in ("DEREF_R", "READ") else 0
        if probe.code == "READ":
            numbers |= {"n": probe.width, "unwritten": unwritten}
        index = target.index if derived else wrap(address) if address >= _HALF else address
        return replace(
            free,
            state=self.state(state),
            code=z3.IntVal(CODES.index(probe.code)),
            derived=z3.BoolVal(derived),
            from_null=z3.BoolVal(is_null_derived(first)),
            block=z3.IntVal(self.ids[target.block] if target.block is not None else 0),
            index=z3.IntVal(index),
            address=z3.IntVal(address),
            width=z3.IntVal(probe.width),
            closed=z3.IntVal(0 if block is None else block.closed_bytes(target.index, probe.width)),
            junk=z3.BoolVal(unwritten > 0 and isinstance(state.focus, Read)),
            family=z3.IntVal(probe.family),
            words={name: z3.IntVal(_as_typed(name, numbers.get(name, 0))) for name in WORDS},
            function=z3.IntVal(function_code(probe.function)),
            bad_call=z3.BoolVal(is_bad_call(state)),
            sized=z3.BoolVal(probe.given_size is not None),
            given_size=z3.IntVal(probe.given_size or 0),
            given_align=z3.IntVal(probe.given_align),
        )

    def truth(self, formula: Truth, state: State) -> bool:
        """The value of a formula; the machine gives the kinds and owners of addresses."""
        plain = z3.simplify(spell_out(formula, self.ranges))
        for _ in range(8):
            open_ = applications([plain], [KIND_SYMBOL, FIND_SYMBOL, CLOSED_SYMBOL, *_HOW_HELD])
            if not open_:
                break
            plain = z3.simplify(z3.substitute(plain, *((node, self.answer(node, state)) for node in open_)))
        assert z3.is_true(plain) or z3.is_false(plain), plain
        return bool(z3.is_true(plain))

    def answer(self, node: Number, state: State) -> Number:
        arguments = [each.as_long() for each in node.children()]
        name = node.decl().name()
        if name == KIND_SYMBOL:
            return z3.IntVal(KIND_NUMBERS.get(state.kind_at(arguments[0]), KINDS["ELSEWHERE"]))
        if name == FIND_SYMBOL:
            bid = state.owner(arguments[0])
            return z3.IntVal(self.ids[bid] if bid is not None and bid.kind == "H" else 0)
        if name in _HOW_HELD:
            pointers = live_and_lost(state)[_HOW_HELD.index(name)]
            return z3.BoolVal(self.pointers[arguments[0]] in pointers)
        bid = next(each for each, number in self.ids.items() if number == arguments[0])
        block = state.live(bid)
        return z3.BoolVal(block is not None and block.closed_bytes(arguments[1], 1) > 0)


def known_blocks(state: State) -> dict[BlockId, Block]:
    return {
        bid: block
        for blocks in (state.heap, state.freed, state.stack_blocks, state.globals)
        for bid, block in blocks.items()
    }


def code_of(event: Event) -> int:
    names = {
        MallocEvent: "malloc",
        FreeEvent: "free",
        CallEvent: "call",
        RetEvent: "ret",
        WriteEvent: "write",
    }
    name = names.get(type(event))
    return 0 if name is None else EVENT_CODES[name]


def fields_of(event: Event, state: State, concrete: Concrete) -> tuple[int, int, int]:
    match event:
        case MallocEvent(size=size, block=bid):
            return size, concrete.ids[bid], 0
        case FreeEvent(pointer=pointer, block=bid):
            return word(state, pointer.value), concrete.ids[bid], 0
        case CallEvent(function=name, value=value) | RetEvent(function=name, value=value):
            return function_code(name), word(state, value.value), 0
        case WriteEvent(pointer=pointer, value=value):
            return word(state, pointer.value), word(state, value.value), 0
    return 0, 0, 0


def is_bad_call(state: State) -> bool:
    redex = state.focus
    if not isinstance(redex, Apply):
        return False
    callee = redex.function.value  # type: ignore[union-attr]
    known = state.program.by_name.get(callee.name) if isinstance(callee, Function) else None
    return known is None or len(known.parameters) != len(redex.arguments)
