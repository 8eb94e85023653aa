"""The reduction rules of the machine as relations between a state and the next state.

The rules of `whence.machine.reduce`. A rule that only moves values (`LET`, `READ`, `INT-OP`, …)
changes the clock only, because these states have no contents of blocks. The choices of a step (a fresh
id, the address of a block) are symbols that its premise restricts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import z3

from whence.abi.layout import NULL_PAGE_SIZE
from whence.proofs.invariant import TOP, room
from whence.proofs.logic import BLOCK, Number, Truth, forall
from whence.proofs.state import HEAP, NO_BLOCK, STACK, State, excluding, including
from whence.proofs.symbols import EVENT_CODES, predicate, symbol

OTHER = 0
"""An event without a pattern in the rule language."""


@dataclass(frozen=True)
class Step:
    """The premise of a rule, and the next state."""

    premise: Truth
    after: State


Rule = Callable[[State], Step]

_ALWAYS = z3.BoolVal(True)


def _fresh(state: State, block: Number, sort: int) -> Truth:
    """No live or freed block has the id."""
    return z3.And(z3.Not(state.known(block)), state.sort(block) == sort, block > NO_BLOCK)


def _free_place(state: State, begin: Number, size: Number) -> Truth:
    """The guarantee of an allocator: the block is above the null page and apart from all known blocks."""
    end = begin + room(size)
    return z3.And(
        size >= 0,
        begin >= NULL_PAGE_SIZE,
        begin + size <= TOP,
        forall(
            BLOCK,
            lambda b: z3.Implies(
                state.known(b),
                z3.Or(state.begin(b) + room(state.size(b)) <= begin, end <= state.begin(b)),
            ),
        ),
    )


def _quiet(state: State) -> Step:
    return Step(_ALWAYS, state.tick())


def _let_salloc(state: State) -> Step:
    block, size, begin = symbol("new block"), symbol("new size"), symbol("new begin")
    zero = z3.IntVal(0)
    with_block = state.add_block(block, size, begin, zero, zero).add_pointer(block, zero)
    after = with_block.with_(
        stack=including(state.stack, block),
        frame=lambda b: z3.If(b == block, state.depth, state.frame(b)),
    )
    premise = z3.And(_fresh(state, block, STACK), _free_place(state, begin, size), state.depth > 0)
    return Step(premise, after.tick())


def _malloc(state: State) -> Step:
    block, size, begin = symbol("new block"), symbol("new size"), symbol("new begin")
    after = (
        state.add_event(EVENT_CODES["malloc"], size, block)
        .add_block(block, size, begin, symbol("new family"), symbol("new alignment"))
        .add_pointer(block, z3.IntVal(0))
        .with_(heap=including(state.heap, block))
    )
    return Step(z3.And(_fresh(state, block, HEAP), _free_place(state, begin, size)), after.tick())


def _free(state: State) -> Step:
    """[FREE] of a pointer to the begin of a live block."""
    block = symbol("r block")
    after = state.add_event(EVENT_CODES["free"], state.begin(block), block).with_(
        heap=excluding(state.heap, block), freed=including(state.freed, block)
    )
    return Step(state.heap(block), after.tick())


def _call(state: State) -> Step:
    event = state.add_event(EVENT_CODES["call"], symbol("z"), symbol("v"))
    return Step(_ALWAYS, event.with_(depth=state.depth + 1).tick())


def _return(state: State) -> Step:
    """[RETURN], popStack: all blocks of the top frame move to F."""

    def popped(b: Number) -> Truth:
        return z3.And(state.stack(b), state.frame(b) == state.depth)

    after = state.add_event(EVENT_CODES["ret"], symbol("z"), symbol("v")).with_(
        stack=lambda b: z3.And(state.stack(b), state.frame(b) != state.depth),
        freed=lambda b: z3.Or(state.freed(b), popped(b)),
        depth=state.depth - 1,
    )
    return Step(state.depth > 0, after.tick())


def _end(state: State) -> Step:
    """The scope of a stack block ends."""
    block = symbol("new block")
    after = state.with_(stack=excluding(state.stack, block), freed=including(state.freed, block))
    return Step(state.stack(block), after.tick())


def _assign(state: State) -> Step:
    fields = (symbol("r"), symbol("v"), symbol("origin"))
    return Step(_ALWAYS, state.add_event(EVENT_CODES["write"], *fields).tick())


def _if(state: State) -> Step:
    return Step(_ALWAYS, state.add_event(OTHER).tick())


def _copy(state: State) -> Step:
    """Copying no bytes leaves no event."""
    some = predicate("copies bytes")
    event = state.add_event(OTHER)
    return Step(_ALWAYS, event.with_(length=z3.If(some, event.length, state.length)).tick())


def _ptr_arith(state: State) -> Step:
    """[PTR-ARITH]: a number that is no pointer stays one."""
    block, index, is_pointer = symbol("r block"), symbol("r index"), predicate("is pointer")
    moved = state.add_pointer(block, index)
    known = z3.Or(z3.Not(is_pointer), block == NO_BLOCK, state.known(block))
    after = moved.with_(present=lambda p: z3.If(is_pointer, moved.present(p), state.present(p)))
    return Step(known, after.tick())


REDUCTIONS: Mapping[str, Rule] = {
    "LET": _quiet,
    "LET-SALLOC": _let_salloc,
    "END": _end,
    "SEQ": _quiet,
    "IF-T": _if,
    "IF-F": _if,
    "CALL": _call,
    "RETURN": _return,
    "MALLOC": _malloc,
    "MALLOC-NULL": _quiet,
    "FREE": _free,
    "FREE-NULL": _quiet,
    "READ": _quiet,
    "ASSIGN": _assign,
    "COPY": _copy,
    "USE": _quiet,
    "POISON": _quiet,
    "UNPOISON": _quiet,
    "INT-OP": _quiet,
    "PTR-ARITH": _ptr_arith,
}
