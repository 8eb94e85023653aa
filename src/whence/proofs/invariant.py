"""The invariant of reachable states: the hypothesis of soundness.

Definition A.1 and lemmas A.5 to A.7 of the ISMM 2013 paper, with their converses. Each
clause is proved for the initial state and preserved by every reduction rule (`lemmas`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import z3

from whence.abi.layout import NULL_PAGE_SIZE
from whence.proofs.logic import BLOCK, EVENT, POINTER, Number, Truth, every, exists, forall
from whence.proofs.state import GLOBAL, HEAP, NO_BLOCK, STACK, State
from whence.proofs.symbols import EVENT_CODES

MALLOC, FREE = EVENT_CODES["malloc"], EVENT_CODES["free"]
TOP = 1 << 63
"""No block contains this address or a higher one."""


@dataclass(frozen=True)
class Clause:
    """One part of the invariant: the lemma of the paper, a sentence, and the formula."""

    lemma: str
    text: str
    holds: Callable[[State], Truth]


def _separate(first: str, second: str) -> Callable[[State], Truth]:
    def holds(state: State) -> Truth:
        a, b = getattr(state, first), getattr(state, second)
        return forall(BLOCK, lambda x: z3.Not(z3.And(a(x), b(x))))

    return holds


def _globals_apart(state: State) -> Truth:
    return forall(
        BLOCK,
        lambda b: z3.Implies(state.globals_(b), z3.Not(z3.Or(state.heap(b), state.freed(b), state.stack(b)))),
    )


def _sorts(state: State) -> Truth:
    def of(b: Number) -> Truth:
        sort = state.sort(b)
        return z3.And(
            z3.Implies(state.heap(b), sort == HEAP),
            z3.Implies(state.stack(b), sort == STACK),
            z3.Implies(state.globals_(b), sort == GLOBAL),
            z3.Implies(state.freed(b), z3.Or(sort == HEAP, sort == STACK)),
            z3.Implies(state.known(b), b > NO_BLOCK),
        )

    return forall(BLOCK, of)


def _frames(state: State) -> Truth:
    def inside(b: Number) -> Truth:
        return z3.Implies(state.stack(b), z3.And(state.frame(b) > 0, state.frame(b) <= state.depth))

    return z3.And(state.depth >= 0, forall(BLOCK, inside))


def _ordered(state: State) -> Truth:
    return z3.And(
        state.length >= 0,
        every(
            (EVENT, EVENT),
            lambda i, j: z3.Implies(z3.And(i >= 0, i < j, j < state.length), state.time(i) < state.time(j)),
        ),
    )


def _past(state: State) -> Truth:
    def past(i: Number) -> Truth:
        inside = z3.And(i >= 0, i < state.length)
        return z3.Implies(inside, z3.And(state.time(i) >= 0, state.time(i) < state.now))

    return z3.And(state.now >= 0, forall(EVENT, past))


def _has(state: State, kind: int, b: Number) -> Truth:
    return exists(EVENT, lambda i: z3.And(state.is_event(i, kind), state.field(i, 1) == b))


def _heap_was_allocated(state: State) -> Truth:
    return forall(BLOCK, lambda b: z3.Implies(state.heap(b), _has(state, MALLOC, b)))


def _heap_was_not_freed(state: State) -> Truth:
    return every(
        (BLOCK, EVENT),
        lambda b, i: z3.Implies(z3.And(state.heap(b), state.is_event(i, FREE)), state.field(i, 1) != b),
    )


def _allocated_is_known(state: State) -> Truth:
    def holds(i: Number) -> Truth:
        b = state.field(i, 1)
        return z3.And(state.sort(b) == HEAP, z3.Or(state.heap(b), state.freed(b)))

    return forall(EVENT, lambda i: z3.Implies(state.is_event(i, MALLOC), holds(i)))


def _freed(state: State, b: Number) -> Truth:
    """(b, h) is in F."""
    return z3.And(state.freed(b), state.sort(b) == HEAP)


def _freed_has(kind: int) -> Callable[[State], Truth]:
    return lambda state: forall(BLOCK, lambda b: z3.Implies(_freed(state, b), _has(state, kind, b)))


def _free_event_is_freed(state: State) -> Truth:
    return forall(EVENT, lambda i: z3.Implies(state.is_event(i, FREE), _freed(state, state.field(i, 1))))


def _once(kind: int) -> Callable[[State], Truth]:
    def holds(state: State) -> Truth:
        return every(
            (EVENT, EVENT),
            lambda i, j: z3.Implies(
                z3.And(state.is_event(i, kind), state.is_event(j, kind), i != j),
                state.field(i, 1) != state.field(j, 1),
            ),
        )

    return holds


def _allocated_before_freed(state: State) -> Truth:
    return every(
        (EVENT, EVENT),
        lambda i, j: z3.Implies(
            z3.And(
                state.is_event(i, MALLOC), state.is_event(j, FREE), state.field(i, 1) == state.field(j, 1)
            ),
            i < j,
        ),
    )


def _agrees(state: State) -> Truth:
    def holds(i: Number) -> Truth:
        b = state.field(i, 1)
        return z3.And(state.field(i, 0) == state.size(b), state.time(i) == state.born(b))

    return forall(EVENT, lambda i: z3.Implies(state.is_event(i, MALLOC), holds(i)))


def _freed_at_begin(state: State) -> Truth:
    return forall(
        EVENT,
        lambda i: z3.Implies(state.is_event(i, FREE), state.field(i, 0) == state.begin(state.field(i, 1))),
    )


def _pointers(state: State) -> Truth:
    return forall(
        POINTER,
        lambda p: z3.Implies(
            state.present(p), z3.Or(state.target(p) == NO_BLOCK, state.known(state.target(p)))
        ),
    )


def _places(state: State) -> Truth:
    return forall(
        BLOCK,
        lambda b: z3.Implies(
            state.known(b),
            z3.And(
                state.begin(b) >= NULL_PAGE_SIZE,
                state.size(b) >= 0,
                state.end(b) <= TOP,
                state.born(b) >= 0,
                z3.Or(state.born(b) < state.now, state.globals_(b)),
            ),
        ),
    )


def room(size: Number) -> Number:
    """The number of addresses that a block occupies: its size, and 1 for an empty block."""
    return z3.If(size == 0, 1, size)


def apart(state: State, b: Number, c: Number) -> Truth:
    """The two blocks share no address."""
    return z3.Or(
        state.begin(b) + room(state.size(b)) <= state.begin(c),
        state.begin(c) + room(state.size(c)) <= state.begin(b),
    )


def _apart(state: State) -> Truth:
    return every(
        (BLOCK, BLOCK),
        lambda b, c: z3.Implies(z3.And(state.known(b), state.known(c), b != c), apart(state, b, c)),
    )


INVARIANT = (
    Clause("A.4", "H and F stay disjoint", _separate("heap", "freed")),
    Clause("A.4", "H and S stay disjoint", _separate("heap", "stack")),
    Clause("A.4", "F and S stay disjoint", _separate("freed", "stack")),
    Clause("A.4", "no global is in H, F or S", _globals_apart),
    Clause("A.4", "an id is of one sort", _sorts),
    Clause("A.4", "the blocks of S are in its frames", _frames),
    Clause("A.6", "timestamps increase strictly", _ordered),
    Clause("A.6", "every event is in the past", _past),
    Clause("A.7", "a block of H has a malloc event", _heap_was_allocated),
    Clause("A.7", "a block of H has no free event", _heap_was_not_freed),
    Clause("A.7", "what has a malloc event is in H or F", _allocated_is_known),
    Clause("A.7", "a heap block of F has a malloc event", _freed_has(MALLOC)),
    Clause("A.7", "a heap block of F has a free event", _freed_has(FREE)),
    Clause("A.7", "what has a free event is in F", _free_event_is_freed),
    Clause("A.7", "a block is allocated once", _once(MALLOC)),
    Clause("A.7", "a block is freed once", _once(FREE)),
    Clause("A.7", "a block is freed after it was allocated", _allocated_before_freed),
    Clause("A.7", "size and time agree with the malloc event", _agrees),
    Clause("A.7", "a block is freed at its begin", _freed_at_begin),
    Clause("A.7", "pointers lead to known blocks", _pointers),
    Clause("A.4", "a block has a place above the null page", _places),
    Clause("A.4", "blocks share no address", _apart),
)


def invariant(state: State) -> list[Truth]:
    """All clauses."""
    return [clause.holds(state) for clause in INVARIANT]
