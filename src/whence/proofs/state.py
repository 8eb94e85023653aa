"""States of the abstract machine as symbols of the solver: H, F, S, P, k and the trace.

Figure 8 of "Generating Sound and Effective Memory Debuggers" (Wang, Neamtiu, Gupta, ISMM
2013), with what the engines add: globals, families, addresses. Any number of blocks,
pointers and events may exist. A part of a state is a function into the solver's terms, so a
step is a function from states to states, and what it leaves unchanged needs no formula.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import z3

from whence.machine import values
from whence.proofs.logic import Number, Truth
from whence.proofs.symbols import predicate, symbol

HEAP, STACK, GLOBAL = 1, 2, 3
"""Sorts of block ids."""
LETTERS = {HEAP: values.HEAP, STACK: values.STACK, GLOBAL: values.GLOBAL}
"""Sort -> the machine's kind of block."""
NO_BLOCK = 0
"""The block of pointers that were derived from NULL."""

Of = Callable[[Number], Number]
Set = Callable[[Number], Truth]


@dataclass(frozen=True)
class State:
    """H is `heap`, F `freed`, S `stack`: each block in the frame `frame`, the top one `depth`.

    `sort` belongs to a block id, `begin`, `size`, `born`, `family` and `align` to a block. P is the set of
    the `present` pointers; a pointer is named by its block `target` and its `index`.
    The trace is `length` events, the oldest with number 0. `now` is k.
    """

    now: Number
    length: Number
    kind: Of
    time: Of
    field: Callable[[Number, int], Number]
    heap: Set
    freed: Set
    stack: Set
    globals_: Set
    frame: Of
    depth: Number
    sort: Of
    begin: Of
    size: Of
    born: Of
    family: Of
    align: Of
    present: Set
    target: Of
    index: Of

    def with_(self, **parts: object) -> State:
        return replace(self, **parts)  # type: ignore[arg-type]

    def known(self, block: Number) -> Truth:
        """Whether the block is live or freed."""
        return z3.Or(self.live(block), self.freed(block))

    def live(self, block: Number) -> Truth:
        return z3.Or(self.heap(block), self.stack(block), self.globals_(block))

    def end(self, block: Number) -> Number:
        return self.begin(block) + self.size(block)

    def address(self, pointer: Number) -> Number:
        """The address of a pointer, modulo 2**64."""
        begin = z3.If(self.target(pointer) == NO_BLOCK, 0, self.begin(self.target(pointer)))
        return (begin + self.index(pointer)) % (1 << 64)

    def is_event(self, i: Number, kind: int) -> Truth:
        """Whether the trace has an event with number i, of that kind."""
        return z3.And(i >= 0, i < self.length, self.kind(i) == kind)

    # -- changes by steps --

    def add_event(self, kind: int, *fields: Number) -> State:
        """The state with one more event, at the time `now`."""
        end = self.length
        padded = [*fields, *[z3.IntVal(0)] * (3 - len(fields))]
        old_kind, old_time, old_field, now = self.kind, self.time, self.field, self.now
        return self.with_(
            length=end + 1,
            kind=lambda i: z3.If(i == end, z3.IntVal(kind), old_kind(i)),
            time=lambda i: z3.If(i == end, now, old_time(i)),
            field=lambda i, n: z3.If(i == end, padded[n], old_field(i, n)),
        )

    def add_block(self, block: Number, size: Number, begin: Number, family: Number, align: Number) -> State:
        """The state with the attributes of a new block, which is in none of H, F and S yet."""
        return self.with_(
            size=updated(self.size, block, size),
            begin=updated(self.begin, block, begin),
            born=updated(self.born, block, self.now),
            family=updated(self.family, block, family),
            align=updated(self.align, block, align),
        )

    def add_pointer(self, block: Number, index: Number) -> State:
        old = self.present
        return self.with_(
            present=lambda p: z3.Or(old(p), z3.And(self.target(p) == block, self.index(p) == index))
        )

    def tick(self) -> State:
        return self.with_(now=self.now + 1)


def updated(function: Of, at: Number, value: Number) -> Of:
    """The function with another value for the argument `at`."""
    return lambda x: z3.If(x == at, value, function(x))


def including(members: Set, block: Number) -> Set:
    return lambda x: z3.Or(x == block, members(x))


def excluding(members: Set, block: Number) -> Set:
    return lambda x: z3.And(x != block, members(x))


def any_state() -> State:
    """An unconstrained state."""
    return State(
        now=symbol("now"),
        length=symbol("length"),
        kind=lambda i: symbol("event kind", i),
        time=lambda i: symbol("event time", i),
        field=lambda i, n: symbol(f"event field {n}", i),
        heap=lambda b: predicate("H", b),
        freed=lambda b: predicate("F", b),
        stack=lambda b: predicate("S", b),
        globals_=lambda b: predicate("G", b),
        frame=lambda b: symbol("frame", b),
        depth=symbol("depth"),
        sort=lambda b: symbol("sort", b),
        begin=lambda b: symbol("begin", b),
        size=lambda b: symbol("size", b),
        born=lambda b: symbol("born", b),
        family=lambda b: symbol("family", b),
        align=lambda b: symbol("alignment", b),
        present=lambda p: predicate("P", p),
        target=lambda p: symbol("pointer block", p),
        index=lambda p: symbol("pointer index", p),
    )


def initial_state() -> State:
    """The state before the first step: nothing but globals and pointers to their begins (lemma A.2)."""

    def nothing(_: Number) -> Truth:
        return z3.BoolVal(False)

    state = any_state()
    return state.with_(
        now=z3.IntVal(0),
        length=z3.IntVal(0),
        heap=nothing,
        freed=nothing,
        stack=nothing,
        depth=z3.IntVal(0),
        present=lambda p: z3.And(state.globals_(state.target(p)), state.index(p) == 0),
    )
