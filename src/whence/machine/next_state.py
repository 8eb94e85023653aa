"""The state after a step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from whence.machine.context import focus_on
from whence.machine.memory import Block
from whence.machine.state import NO_ENV, Env, State
from whence.machine.syntax import Expr, Literal
from whence.machine.values import Int

Outcome = tuple[str, State] | None
"""The name of a reduction rule and the state after it; None where its premise does not hold."""
ZERO = Int(0)


def next_state(state: State, focus: Expr, env: Env = NO_ENV, **changes: Any) -> State:
    """The state after a step, with the next redex in focus."""
    return focus_on(replace(state, time=state.time + 1, **changes), focus, env)


def next_value(state: State, literal: Literal, **changes: Any) -> State:
    """The state after a step whose result is a value; f is the origin of the value."""
    return next_state(state, literal, origin=literal.origin, **changes)


def literal(expr: Expr) -> Literal:
    """The operand of a redex, which is always a value."""
    assert isinstance(expr, Literal), "an operand of a redex is a value"
    return expr


def dead(block: Block) -> Block:
    """The block as F has it: without contents."""
    return Block(block.size, block.begin, block.time, block.family, align=block.align)
