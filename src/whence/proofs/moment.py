"""The next step of a state as symbols of the solver, and the part of it that rules see.

A moment is a state and one detection point of its redex (`whence.machine.probes`): its code, its
operands, and the target of its pointer. The view of rules is the one that `whence.machine.world`
defines for concrete states: H and F have heap blocks only, Bid(r) is the heap block that r was derived
from or, at an access, the live stack block or the global, and P has the live pointers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import z3

from whence.abi.points import BY_CODE, POINTS, Slot, giving
from whence.abi.records import FAMILIES, KINDS
from whence.machine.values import KIND_NUMBERS
from whence.proofs.logic import ADDRESS, BLOCK, EVENT, POINTER, Number, Truth, every, exists, forall
from whence.proofs.state import GLOBAL, HEAP, LETTERS, STACK, State, any_state
from whence.proofs.symbols import Entry, Redex, View, predicate, symbol
from whence.proofs.terms import WORD
from whence.rules import model as m

CODES = tuple(BY_CODE)
"""Codes of detection points; the solver has the index of a code."""
ACCESSES = giving("Width")
"""Codes of the points before an access."""

KIND_OF_SORT = {sort: KIND_NUMBERS[letter] for sort, letter in LETTERS.items()}
KIND_SYMBOL, FIND_SYMBOL, BYTE_SYMBOL, CLOSED_SYMBOL = "memory kind", "block at", "byte at", "closed"


def _of_block(slot: Slot, at: int) -> bool:
    """Whether the block or the function of the moment determines the value of a slot."""
    return slot.type in ("FUNCTION", "BID") or (slot.type == "POINTER" and at == 0)


WORDS = tuple(
    dict.fromkeys(slot.name for row in POINTS for at, slot in enumerate(row.slots) if not _of_block(slot, at))
)
"""Names of the slots whose values are plain numbers."""
SIGNED = frozenset(slot.name for row in POINTS for slot in row.slots if slot.signed)
"""Those whose numbers are signed."""


@dataclass(frozen=True)
class Moment:
    """A state and a detection point.

    `derived`: whether r was derived from a known block, which is `block`, with r at `index`;
    `from_null`: whether r was derived from NULL; `address`: r's number; `junk`: whether a read gets junk;
    `words`: the operands of all points that are plain numbers, by name of the slot; those that the point
    lacks have no meaning; `given_size`, `given_align`: the arguments of a deallocation, the size only where
    `sized`.
    """

    state: State
    code: Number
    derived: Truth
    from_null: Truth
    block: Number
    index: Number
    address: Number
    width: Number
    closed: Number
    junk: Truth
    family: Number
    words: Mapping[str, Number]
    function: Number
    bad_call: Truth
    sized: Truth
    given_size: Number
    given_align: Number

    def is_(self, *names: str) -> Truth:
        """Whether the detection point has one of these codes."""
        return z3.Or(*(self.code == CODES.index(name) for name in names))

    @property
    def value(self) -> Number:
        """The argument or result v."""
        return self.words["v"]

    @property
    def root(self) -> Number:
        """The value of Root, which only matters for NULL: 0 for a pointer from NULL, else r's address."""
        return z3.If(self.from_null, 0, self.address)

    def holds(self, width: Number) -> Truth:
        """Whether `width` bytes from r on lie inside its block."""
        return z3.And(self.index >= 0, self.index + width <= self.state.size(self.block))

    def accessible(self, width: int) -> Truth:
        """Whether `width` bytes at r's address can be accessed."""
        return loadable(self.state, self.address, width)


def any_moment() -> Moment:
    """An unconstrained moment."""
    state = any_state()
    block, index = symbol("r block"), symbol("r index")
    derived = predicate("r derived")
    number = z3.If(derived, state.begin(block), 0) + index
    return Moment(
        state=state,
        code=symbol("code"),
        derived=derived,
        from_null=predicate("r from null"),
        block=block,
        index=index,
        address=z3.If(number < 0, number + WORD, number),
        width=symbol("width"),
        closed=symbol("closed"),
        junk=predicate("junk"),
        family=symbol("by"),
        words={name: symbol(f"operand {name}") for name in WORDS},
        function=symbol("z"),
        bad_call=predicate("bad call"),
        sized=predicate("sized"),
        given_size=symbol("given size"),
        given_align=symbol("given alignment"),
    )


def typed(moment: Moment) -> Iterator[Truth]:
    """The facts about every moment that follow from the types of its parts: words, families, kinds."""
    state = moment.state
    yield _one_of(moment.code, len(CODES))
    for name, number in moment.words.items():
        yield _one_of(number + WORD // 2 if name in SIGNED else number, WORD)
    for number in (moment.width, moment.given_size, moment.given_align):
        yield _one_of(number, WORD)
    yield z3.And(moment.closed >= 0, moment.closed <= moment.width)
    yield z3.Implies(moment.is_(*ACCESSES), moment.width >= 1)
    yield z3.And(
        moment.index >= -WORD // 2, z3.If(moment.derived, moment.index < WORD // 2, moment.index < WORD)
    )
    yield z3.Implies(moment.derived, z3.And(state.known(moment.block), z3.Not(moment.from_null)))
    yield z3.Implies(moment.is_("FREE"), moment.address != 0)
    yield z3.Implies(moment.is_("COPY"), moment.address != moment.words["s"])
    new = z3.And(moment.derived, state.heap(moment.block), moment.words["n"] == state.size(moment.block))
    yield z3.Implies(moment.is_("MALLOC"), new)
    yield z3.Implies(z3.Not(z3.And(moment.derived, state.live(moment.block))), moment.closed == 0)
    yield forall(EVENT, lambda i: z3.And(*(_one_of(state.field(i, n), WORD) for n in range(3))))
    yield _one_of(moment.family, len(FAMILIES))
    yield forall(BLOCK, lambda b: _one_of(state.family(b), len(FAMILIES)))
    yield forall(BLOCK, lambda b: _one_of(state.align(b), WORD))
    yield forall(ADDRESS, lambda a: _one_of(symbol(KIND_SYMBOL, a), len(KINDS)))
    yield every((ADDRESS, BLOCK), lambda a, b: z3.Implies(_in_place(state, b, a), _belongs(state, a, b)))
    yield forall(
        ADDRESS, lambda a: z3.Implies(symbol(FIND_SYMBOL, a) != 0, _heap_block(state, symbol(FIND_SYMBOL, a)))
    )
    yield forall(POINTER, lambda p: z3.Implies(live_pointer(p), _heap_block(state, state.target(p))))
    yield forall(POINTER, lambda p: z3.Implies(lost_pointer(p), _heap_block(state, state.target(p))))
    yield from _agree_at(moment)


def _agree_at(moment: Moment) -> Iterator[Truth]:
    """The facts about all addresses, for the address of r, because bounded searches omit the others."""
    kind = symbol(KIND_SYMBOL, moment.address)
    yield _one_of(kind, len(KINDS))
    yield forall(
        BLOCK,
        lambda b: z3.Implies(
            _in_place(moment.state, b, moment.address), _belongs(moment.state, moment.address, b)
        ),
    )


def _one_of(number: Number, count: int) -> Truth:
    return z3.And(number >= 0, number < count)


def _heap_block(state: State, block: Number) -> Truth:
    return z3.And(state.known(block), state.sort(block) == HEAP)


def _in_place(state: State, block: Number, address: Number) -> Truth:
    """Whether the address is in the block or is its end."""
    return z3.And(state.known(block), state.begin(block) <= address, address <= state.end(block))


def _belongs(state: State, address: Number, block: Number) -> Truth:
    """The address is in the block's kind of memory, and in no other heap block."""
    sort, kind = state.sort(block), symbol(KIND_SYMBOL, address)
    kinds = [z3.Implies(sort == known, kind == code) for known, code in KIND_OF_SORT.items()]
    return z3.And(*kinds, symbol(FIND_SYMBOL, address) == z3.If(sort == HEAP, block, 0))


def loadable(state: State, address: Number, width: int) -> Truth:
    """Whether all bytes lie in one live block and none of them is closed."""

    def inside(b: Number) -> Truth:
        opened = [z3.Not(predicate(CLOSED_SYMBOL, b, address - state.begin(b) + i)) for i in range(width)]
        return z3.And(state.live(b), state.begin(b) <= address, address + width <= state.end(b), *opened)

    return exists(BLOCK, inside)


def _load(address: Number, width: int) -> Number:
    """The little-endian unsigned number of the bytes at an address."""
    return z3.Sum([symbol(BYTE_SYMBOL, address + i) % 256 * (1 << 8 * i) for i in range(width)])


def live_pointer(p: Number) -> Truth:
    return predicate("live pointer", p)


def lost_pointer(p: Number) -> Truth:
    return predicate("lost pointer", p)


def entry(state: State, present: Truth, p: Number) -> Entry:
    """One pointer as an element of P or L."""
    return Entry(present, (state.address(p), state.target(p), state.index(p)))


def view_of(moment: Moment) -> View:
    """The view that rules have of the moment's state."""
    state = moment.state
    return View(
        length=state.length,
        kind=state.kind,
        time=state.time,
        field=state.field,
        live=state.heap,
        freed=state.freed,
        begin=state.begin,
        size=state.size,
        born=state.born,
        family=state.family,
        align=state.align,
        pointer=lambda p: entry(state, live_pointer(p), p),
        lost=lambda p: entry(state, lost_pointer(p), p),
        found=lambda a: symbol(FIND_SYMBOL, a) != 0,
        find=lambda a: symbol(FIND_SYMBOL, a),
        loadable=lambda a, n: loadable(state, a, n),
        load=_load,
        kind_at=lambda a: symbol(KIND_SYMBOL, a),
    )


def _has_rule_block(moment: Moment) -> Truth:
    """Whether rules know the block of r: one of the heap, or a variable that is accessed."""
    sort = moment.state.sort(moment.block)
    variable = z3.And(moment.is_("DEREF_R", "DEREF_W"), z3.Or(sort == STACK, sort == GLOBAL))
    return z3.Or(sort == HEAP, variable)


def redex_of(moment: Moment, point: m.DetectionPoint) -> Redex:
    """The step as a rule at this detection point sees it."""
    known = {"POINTER": moment.address, "FUNCTION": moment.function, "BID": moment.block}
    slots = enumerate(point.info.rows[0].slots)
    return Redex(
        values=tuple(
            known[slot.type] if _of_block(slot, at) else moment.words[slot.name] for at, slot in slots
        ),
        has_block=z3.And(moment.derived, _has_rule_block(moment)),
        block=moment.block,
        width=moment.width,
        now=moment.state.now,
        root=moment.root,
        closed=moment.closed,
        family=moment.family,
        sized=moment.sized,
        given_size=moment.given_size,
        given_align=moment.given_align,
    )
