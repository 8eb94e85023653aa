"""The reduction rules of figure 8, one function each, and those that whence adds: the table, and arithmetic.

The function of a rule gets a state with a redex of the rule's kind, and returns
the next state, or None if the premise does not hold. [CONG] is
`context.focus_on`. A step costs constant time, but a call costs a let for each
parameter, and a copy the bytes it copies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from whence.machine import accesses, control, heap
from whence.machine.next_state import Outcome, literal, next_value
from whence.machine.state import State
from whence.machine.syntax import (
    Alloc,
    Apply,
    Assign,
    Copy,
    End,
    Expr,
    Free,
    If0,
    IntOp,
    Let,
    LetSalloc,
    Literal,
    Poison,
    PtrAdd,
    Read,
    Ret,
    Seq,
    Use,
)
from whence.machine.undefined import computed, undefined_bits, with_undefined
from whence.machine.undefined import moved as moved_bits
from whence.machine.values import NULL_BLOCK, NULL_PAGE, Gen, Int, Pointer, unsigned, wrap


@dataclass(frozen=True)
class Reduced:
    """One step: the name of the rule, and the state after it."""

    rule: str
    state: State


def reduce(state: State) -> Reduced | None:
    """One step; None if no reduction rule applies: the state is final, an error, or stuck."""
    rule = _RULES.get(type(state.focus))
    found = None if rule is None else rule(state, state.focus)
    return None if found is None else Reduced(*found)


# ---- arithmetic ----


def _int_op(state: State, redex: IntOp) -> Outcome:
    values = [literal(each).value for each in (redex.left, redex.right)]
    left, right = (state.number(each) for each in values)
    result = _OPERATORS[redex.operator](left, right)
    operands = [(unsigned(state.number(each)), undefined_bits(each)) for each in values]
    made = with_undefined(result, computed(redex.operator, operands[0], operands[1]))
    return "INT-OP", next_value(state, Literal(made, Gen(state.time, redex.place), place=redex.place))


_OPERATORS: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "==": lambda a, b: int(a == b),
    "<": lambda a, b: int(a < b),
}


def _ptr_add(state: State, redex: PtrAdd) -> Outcome:
    """[PTR-ARITH]: a pointer keeps its block; an integer in the null page becomes one derived from NULL.
    What is undefined has no block."""
    base, offset = literal(redex.pointer).value, literal(redex.offset).value
    distance = state.number(offset)
    pointers = state.pointers
    undefined = moved_bits(undefined_bits(base), undefined_bits(offset))
    if undefined:
        moved: Int | Pointer = with_undefined(state.number(base) + distance, undefined)
    elif isinstance(base, Pointer):
        moved = base.moved(distance)
    elif 0 <= state.number(base) < NULL_PAGE:
        moved = Pointer(NULL_BLOCK, state.number(base)).moved(distance)
    else:
        moved = Int(wrap(state.number(base) + distance))
    if isinstance(moved, Pointer):
        pointers = pointers.insert(moved)
    result = Literal(moved, Gen(state.time, redex.place), place=redex.place)
    return "PTR-ARITH", next_value(state, result, pointers=pointers)


_RULES: Mapping[type[Expr], Callable[[State, Any], Outcome]] = {
    Let: control.let,
    LetSalloc: control.let_salloc,
    End: control.end,
    Seq: control.seq,
    If0: control.if0,
    Apply: control.apply,
    Ret: control.ret,
    Alloc: heap.alloc,
    Free: heap.free,
    Read: accesses.read,
    Assign: accesses.assign,
    Copy: accesses.copy,
    Use: accesses.use,
    Poison: accesses.poison,
    IntOp: _int_op,
    PtrAdd: _ptr_add,
}

REDUCTIONS = (
    *("LET", "LET-SALLOC", "END", "SEQ", "IF-T", "IF-F", "CALL", "RETURN", "MALLOC", "MALLOC-NULL"),
    *("FREE", "FREE-NULL", "READ", "ASSIGN", "COPY", "USE", "POISON", "UNPOISON", "INT-OP", "PTR-ARITH"),
)
"""The names of the reduction rules; [CONG] is part of each step."""
