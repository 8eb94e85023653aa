"""Realizable moments: those that are states of the machine, and their conversion to such states.

The solver may choose any moment; a counterexample must be a moment of some expression: accesses of
1, 2, 4 or 8 bytes, arguments that some function takes, and pointers in memory where the machine finds
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace

import z3
from rpds import HashTrieMap

from whence.abi.points import POINTS
from whence.abi.records import KINDS
from whence.abi.widths import VALUE_WIDTHS
from whence.machine.memory import Block, Fragment
from whence.machine.state import Event, State, WriteEvent
from whence.machine.syntax import (
    ALLOCATORS,
    FREES,
    MAIN,
    Alloc,
    Apply,
    Assign,
    Copy,
    Expr,
    Free,
    If0,
    Literal,
    Read,
    Ret,
    Use,
)
from whence.machine.undefined import with_undefined
from whence.machine.values import (
    CODE,
    NULL_BLOCK,
    SPREAD,
    BlockId,
    Function,
    Int,
    Pointer,
    Value,
    begin_of,
    region_of,
    unsigned,
    wrap,
)
from whence.proofs import state as symbolic
from whence.proofs.decode import NO_FUNCTION, Decoder, is_function, numbers_of, parameters_of, placed
from whence.proofs.logic import BLOCK, EVENT, POINTER, Number, Truth, applications
from whence.proofs.moment import (
    ACCESSES,
    BYTE_SYMBOL,
    CLOSED_SYMBOL,
    CODES,
    FIND_SYMBOL,
    KIND_OF_SORT,
    KIND_SYMBOL,
    Moment,
    live_pointer,
    lost_pointer,
)
from whence.proofs.search import Found, Scope
from whence.proofs.state import GLOBAL, HEAP, LETTERS
from whence.proofs.symbols import EVENT_CODES, function_code, symbol

REDEXES = {row.code: row.redex for row in POINTS if row.redex and not row.after} | {"USE": "If0"}
"""Code -> kind of redex, for the points before a step; at other points a counterexample has no redex."""
_MOST_INDEX = 1 << 40
_WORD = 8


# ---- conditions ----


def realizable(moment: Moment, scope: Scope, formulas: Sequence[Truth]) -> Iterator[Truth]:
    """The conditions in the scope, for a moment that satisfies `formulas`."""
    yield from placed(moment.state, scope)
    yield from _addresses(moment.state, scope, formulas)
    yield from _pointers(moment, scope)
    yield z3.Or(z3.Not(moment.is_(*REDEXES)), *(_possible(moment, code) for code in REDEXES))
    yield from _closed(moment)
    yield from _underived(moment, scope)


def _addresses(state: symbolic.State, scope: Scope, formulas: Sequence[Truth]) -> Iterator[Truth]:
    """The kind and the owner of each address in the formulas are those of the machine."""
    for node in applications(formulas, [KIND_SYMBOL, FIND_SYMBOL]):
        address = node.arg(0)
        if node.decl().name() == KIND_SYMBOL:
            yield address < CODE
            yield node == _kind(address)
        else:
            owner: Number = z3.IntVal(0)
            for b in _blocks(scope):
                of_heap = z3.And(state.known(b), state.sort(b) == HEAP, _in_slot(state, b, address))
                owner = z3.If(of_heap, b, owner)
            yield node == owner


def _kind(address: Number) -> Number:
    kind: Number = z3.IntVal(KINDS["ELSEWHERE"])
    for sort, letter in LETTERS.items():
        region = begin_of(BlockId(letter, 1)) - SPREAD
        assert region_of(region) == letter
        kind = z3.If(z3.And(address >= region, address < region + (1 << 60)), KIND_OF_SORT[sort], kind)
    return kind


def _in_slot(state: symbolic.State, block: Number, address: Number) -> Truth:
    begin = state.begin(block)
    return z3.And(address >= begin - SPREAD // 2, address < begin + SPREAD // 2)


def _pointers(moment: Moment, scope: Scope) -> Iterator[Truth]:
    """A new global can hold the live pointers, and an unreachable heap block the lost ones."""
    state = moment.state
    each = [z3.IntVal(p) for p in scope.ranges[POINTER]]
    for p in each:
        yield z3.And(state.index(p) >= -_MOST_INDEX, state.index(p) <= _MOST_INDEX)
    yield z3.Implies(
        z3.Or(*(lost_pointer(p) for p in each)), z3.Or(*(_holder(state, b, each) for b in _blocks(scope)))
    )
    yield z3.And(*(z3.Implies(live_pointer(p), moment.is_("RET")) for p in each))
    yield z3.And(*(z3.Implies(lost_pointer(p), moment.is_("RET")) for p in each))


def _holder(state: symbolic.State, block: Number, pointers: Sequence[Number]) -> Truth:
    reached = z3.Or(*(z3.And(live_pointer(p), state.target(p) == block) for p in pointers))
    return z3.And(state.heap(block), z3.Not(reached), state.size(block) >= _WORD * len(pointers))


def _possible(moment: Moment, code: str) -> Truth:
    """The point has this code, and some expression has this point."""
    at = moment.is_(code)
    small = moment.index <= _MOST_INDEX
    match REDEXES[code]:
        case "Read" | "Assign":
            return z3.And(at, z3.Or(*(moment.width == width for width in VALUE_WIDTHS)))
        case "Free":
            return z3.And(at, z3.Or(*(_released(moment, name) for name in FREES)))
        case "Alloc":
            return z3.And(at, z3.Or(*(_requested(moment, name) for name in ALLOCATORS)))
        case "Copy":
            return z3.And(at, small, _copied(moment))
        case "Apply":
            of_main = z3.Implies(moment.function == function_code(MAIN), moment.value == 0)
            known = z3.And(is_function(moment.function), of_main)
            return z3.And(at, z3.If(moment.bad_call, moment.function == NO_FUNCTION, known))
        case "Ret":
            return z3.And(at, is_function(moment.function), moment.state.depth > 0)
        case _:
            return at


def _released(moment: Moment, function: str) -> Truth:
    """The deallocation is one by this function: the arguments that it does not take have their defaults."""
    deallocator = FREES[function]
    fixed = [moment.family == deallocator.family, moment.sized == ("size" in deallocator.parameters)]
    if "align" not in deallocator.parameters:
        fixed.append(moment.given_align == 0)
    return z3.And(*fixed)


def _requested(moment: Moment, function: str) -> Truth:
    """The request is one of this function: the arguments that it does not take have their defaults."""
    allocator = ALLOCATORS[function]
    default = allocator.request((0,) * len(allocator.parameters))
    fixed = {field.name for field in fields(default)} - {*allocator.parameters}
    return z3.And(
        moment.family == allocator.family,
        *(moment.words[name] == getattr(default, name) for name in sorted(fixed)),
    )


def _copied(moment: Moment) -> Truth:
    """Both ranges lie in the live block of r, so that the accesses of the copy are valid."""
    n, s, m = (moment.words[name] for name in ("n", "s", "m"))
    state, block = moment.state, moment.block
    inside = z3.And(s >= state.begin(block), s + m <= state.end(block))
    return z3.And(n == m, n > 0, moment.derived, state.live(block), moment.holds(n), inside, s < CODE)


def _closed(moment: Moment) -> Iterator[Truth]:
    """`closed` is the number of closed bytes among those that the step accesses."""
    state, block = moment.state, moment.block
    each = [_closed_at(moment, i) for i in range(max(VALUE_WIDTHS))]
    count = z3.Sum([z3.If(z3.And(i < moment.width, each[i]), 1, 0) for i in range(len(each))])
    judged = z3.And(moment.is_(*ACCESSES, "READ"), moment.derived, state.live(block))
    yield z3.If(judged, moment.closed == count, moment.closed == 0)
    for i, closed in enumerate(each):
        at = moment.index + i
        yield z3.Implies(closed, z3.And(at >= 0, at < state.size(block), state.size(block) <= 1 << 16))


def written_by_events(moment: Moment, scope: Scope) -> Iterator[Truth]:
    """The bytes that are read have the contents that the write events of the trace gave them, and no others.

    Such a state is one that a program reaches: no invariant says what else contents may be.
    """
    state, block = moment.state, moment.block
    events = [z3.IntVal(i) for i in scope.ranges[EVENT]]
    yield z3.And(
        moment.is_("DEREF_R", "READ"), moment.derived, state.live(block), state.sort(block) != GLOBAL
    )
    for i in events:
        width, at = _event_width(i), state.field(i, 0)
        yield z3.Or(*(width == each for each in VALUE_WIDTHS))
        inside = (
            z3.And(
                state.live(b), state.born(b) < state.time(i), state.begin(b) <= at, at + width <= state.end(b)
            )
            for b in _blocks(scope)
        )
        yield z3.Implies(state.is_event(i, EVENT_CODES["write"]), z3.Or(*inside))
    unwritten = [
        z3.And(j < moment.width, z3.Not(z3.Or(*(_writes(state, i, moment.address + j) for i in events))))
        for j in range(max(VALUE_WIDTHS))
    ]
    yield moment.junk == z3.Or(*unwritten)
    count = z3.Sum([z3.If(each, 1, 0) for each in unwritten])
    yield z3.Implies(z3.And(moment.is_("READ"), moment.junk), moment.words["unwritten"] == count)


def _event_width(i: Number) -> Number:
    """How many bytes a write event wrote."""
    return symbol("event width", i)


def _writes(state: symbolic.State, i: Number, address: Number) -> Truth:
    """Whether event number i wrote the byte at an address."""
    behind = address - state.field(i, 0)
    return z3.And(state.is_event(i, EVENT_CODES["write"]), behind >= 0, behind < _event_width(i))


def _closed_at(moment: Moment, i: int) -> Truth:
    function = z3.Function(CLOSED_SYMBOL, z3.IntSort(), z3.IntSort(), z3.BoolSort())
    return function(moment.block, moment.index + i)


def _underived(moment: Moment, scope: Scope) -> Iterator[Truth]:
    """A pointer that was not derived from a block was derived from NULL, or is near no block or function."""
    state = moment.state
    near = z3.Or(*(z3.And(state.known(b), _in_slot(state, b, moment.address)) for b in _blocks(scope)))
    plain = z3.And(z3.Not(moment.derived), z3.Not(moment.from_null))
    yield z3.Implies(plain, z3.And(z3.Not(near), moment.address < CODE))
    # A pointer from NULL accesses the block at its address, so its address must not be a function's.
    yield z3.Implies(moment.from_null, moment.address < CODE)


def _blocks(scope: Scope) -> list[Number]:
    return [z3.IntVal(b) for b in scope.ranges[BLOCK]]


def numbers_of_moment(moment: Moment, scope: Scope) -> Iterator[Number]:
    """The numbers of a moment; `search` makes the first ones small first."""
    state = moment.state
    yield from (state.length, moment.code)
    yield from (moment.width, moment.closed, *moment.words.values())
    yield from (moment.given_size, moment.given_align, moment.index, moment.family, moment.function)
    yield from numbers_of(state, scope)


# ---- conversion ----


class MomentDecoder(Decoder):
    """Decodes the state of a model of a moment. `by_events`: it is one of `written_by_events`."""

    def __init__(self, found: Found, moment: Moment, by_events: bool = False) -> None:
        super().__init__(found, moment.state)
        self.moment = moment
        self.by_events = by_events

    def event(self, i: Number) -> Event:
        made = super().event(i)
        if not self.by_events or not isinstance(made, WriteEvent):
            return made
        return replace(made, width=self.found.number(_event_width(i)))

    @property
    def code(self) -> str:
        return CODES[self.found.number(self.moment.code)]

    def moment_state(self) -> State:
        """The state whose next step is that of the moment."""
        focus = self.focus()
        state = self.machine_state(focus)
        state = self.with_bytes(state)
        state = self.with_live_pointers(state)
        return self.with_lost_pointers(state)

    def focus(self) -> Expr:
        moment, number = self.moment, self.found.number
        r, v = Literal(self.r()), Literal(Int(wrap(number(moment.value))))
        match REDEXES.get(self.code):
            case "Read":
                return Read(r, number(moment.width))
            case "Assign":
                return Assign(r, v, number(moment.width))
            case "Free":
                return self.release(r)
            case "Alloc":
                return self.allocation()
            case "Copy":
                n, s = number(moment.words["n"]), number(moment.words["s"])
                begin = number(moment.state.begin(moment.block))
                source = Pointer(self.ids[number(moment.block)], s - begin)
                return Copy("memcpy", r, Literal(source), Literal(Int(n)))
            case "Use":
                return Use(r)
            case "If0":
                zero = Literal(Int(0))
                guard = with_undefined(number(moment.value), number(moment.words["u"]))
                return If0(Literal(guard), zero, zero)
            case "Apply":
                if self.found.truth(moment.bad_call):
                    return Apply(Literal(Int(0)), (v,))
                name = self.function(number(moment.function))
                return Apply(Literal(Function(name)), (v,) * len(parameters_of(name)))
            case "Ret":
                return Ret(self.function(number(moment.function)), v)
            case _:
                return Literal(Int(0))

    def r(self) -> Value:
        moment, number = self.moment, self.found.number
        index = number(moment.index)
        if self.found.truth(moment.derived):
            return Pointer(self.ids[number(moment.block)], index)
        return Pointer(NULL_BLOCK, wrap(index)) if self.found.truth(moment.from_null) else Int(wrap(index))

    def release(self, r: Literal) -> Expr:
        name = next(each for each in FREES if self.found.truth(_released(self.moment, each)))
        values = {"size": self.moment.given_size, "align": self.moment.given_align}
        given = (self.found.number(values[parameter]) for parameter in FREES[name].parameters)
        return Free(name, r, tuple(Literal(Int(wrap(each))) for each in given))

    def allocation(self) -> Expr:
        name = next(each for each in ALLOCATORS if self.found.truth(_requested(self.moment, each)))
        words = self.moment.words
        arguments = [self.found.number(words[parameter]) for parameter in ALLOCATORS[name].parameters]
        return Alloc(name, tuple(Literal(Int(wrap(each))) for each in arguments))

    def with_bytes(self, state: State) -> State:
        """The state with the model's bytes and closed bytes; an initialized byte that it lacks is 0."""
        number = self.found.number
        bytes_ = self.bytes_of(state)
        closed = {
            (number(node.arg(0)), number(node.arg(1)))
            for node in [
                *self.found.applications(CLOSED_SYMBOL),
                *(_closed_at(self.moment, i) for i in range(8)),
            ]
            if self.found.truth(node)
        }
        if REDEXES.get(self.code) == "Read" and not self.by_events:
            first, junk = number(self.moment.address), self.junk()
            bytes_ = {first + i: 0 for i in range(number(self.moment.width))} | bytes_
            bytes_ = {address: byte for address, byte in bytes_.items() if not 0 <= address - first < junk}
        for b, bid in self.ids.items():
            block = state.live(bid)
            if block is not None:
                contents = {
                    a - block.begin: byte for a, byte in bytes_.items() if block.holds(a - block.begin, 1)
                }
                block = replace(block, contents=HashTrieMap(contents))
                for at in (i for of, i in closed if of == b):
                    block = block.with_closed(at, 1, True)
                state = state.with_block(bid, block)
        return state

    def bytes_of(self, state: State) -> dict[int, int]:
        """The bytes in memory by address: those that the events wrote, or those that the model has."""
        number = self.found.number
        if not self.by_events:
            return {number(each.arg(0)): number(each) % 256 for each in self.found.applications(BYTE_SYMBOL)}
        found: dict[int, int] = {}
        for event in reversed(list(state.trace.of_kind(WriteEvent))):
            assert isinstance(event, WriteEvent)
            at = unsigned(state.number(event.pointer.value))
            word = unsigned(state.number(event.value.value))
            found |= {at + i: word >> 8 * i & 0xFF for i in range(event.width)}
        return found

    def junk(self) -> int:
        """How many of the bytes of a read are junk: the first ones."""
        if not self.found.truth(self.moment.junk):
            return 0
        return self.found.number(self.moment.words["unwritten"]) if self.code == "READ" else 1

    def with_live_pointers(self, state: State) -> State:
        """The state with a new global that holds the live pointers."""
        pointers = self.pointers_in(live_pointer)
        if not pointers:
            return state
        bid = BlockId(LETTERS[GLOBAL], len(state.globals) + 1)
        return state.with_(globals=state.globals.insert(bid, self.block_of(bid, pointers)))

    def with_lost_pointers(self, state: State) -> State:
        """The state with the lost pointers in a heap block that no live pointer leads to."""
        pointers = self.pointers_in(lost_pointer)
        if not pointers:
            return state
        reached = {each.block for each in self.pointers_in(live_pointer)}
        room = _WORD * len(pointers)
        bid = next(
            each for each, block in sorted(state.heap.items()) if each not in reached and block.size >= room
        )
        contents = self.block_of(bid, pointers).contents
        return state.with_block(bid, replace(state.heap[bid], contents=contents))

    def pointers_in(self, kind: Callable[[Number], Truth]) -> list[Pointer]:
        number = self.found.number
        return sorted(
            {
                self.pointer(number(self.state.target(p)), number(self.state.index(p)))
                for p in (z3.IntVal(each) for each in self.found.scope.ranges[POINTER])
                if self.found.truth(kind(p))
            },
            key=lambda each: (each.block, each.index),
        )

    def block_of(self, bid: BlockId, pointers: Sequence[Pointer]) -> Block:
        cells = {_WORD * n + at: Fragment(each, at) for n, each in enumerate(pointers) for at in range(_WORD)}
        return Block(_WORD * len(pointers), begin_of(bid), 0, contents=HashTrieMap(cells))
