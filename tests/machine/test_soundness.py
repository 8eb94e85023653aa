"""Appendix A on any next step: redexes and pointers of all kinds, from states of correct programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.machine.strategies import INDEX
from tests.machine.test_properties import sound

from whence.abi.widths import VALUE_WIDTHS
from whence.machine import State, parse_state, print_state, run, steps
from whence.machine.context import close, focus_on
from whence.machine.error_rules import fatal
from whence.machine.parser import parse_program
from whence.machine.state import NO_ENV
from whence.machine.syntax import (
    ALLOCATORS,
    COPIES,
    FREES,
    Alloc,
    Assign,
    Copy,
    Expr,
    Free,
    Literal,
    Poison,
    Read,
    Use,
)
from whence.machine.values import NULL_BLOCK, Function, Int, Pointer, Value, wrap
from whence.rules import load_standard

pytestmark = pytest.mark.long

T = TypeVar("T")
ALL_RULES = load_standard().select(enable=["all"])
NO_RULES = load_standard().select(disable=["all"])
LINES = {
    "let {x} = malloc({n}) in": "free",
    "let {x} = calloc(2, {n}) in": "free",
    "let {x} = new({n}) in": "delete",
    "let {x} = new_array_aligned(64, {n}) in": "delete_array_aligned",
    "let {x} = salloc {n} in": None,
}
INDEXES = (0, 8, -1, 1, 7, 15, 16, 17, 24, 31, -(1 << 40), 1 << 33)
NUMBERS = (0, 8, 1, 2, 16, 17, 3, -1, 65536, (1 << 63) - 1, -(1 << 63))


@st.composite
def correct_states(draw: st.DrawFn) -> State:
    """The state at some step of a program that makes no mistake."""
    lines: list[str] = ["global g[24] = 1, &h global h[8] fun f(x) = 0 fun main() ="]
    live: list[tuple[str, str, int]] = []
    for number in range(draw(st.integers(1, 8))):
        size = draw(st.sampled_from((16, 8, 24, 32)))
        line = draw(st.sampled_from(sorted(LINES)))
        lines.append(line.format(x=f"x{number}", n=size))
        live.append((f"x{number}", LINES[line] or "", size))
        name, free, size = live[draw(st.integers(0, len(live) - 1))]
        match draw(st.integers(0, 5)):
            case 0:
                lines.append(f"poison({name} +& {draw(st.integers(0, 9))}, {draw(st.integers(0, 9))});")
            case 1 | 2 if free:
                lines.append(f"{free}({name}{', 64' * free.endswith('aligned')});")
                live.remove((name, free, size))
            case 3:
                lines.append("(let y = salloc 16 in y := 3);")
            case 4:
                lines.append(f"unpoison({name}, 8); {name} := {live[0][0]};")
            case _:
                lines.append(f"h := {name}; f(0);")
    program = parse_program("\n".join([*lines, "0"]))
    return run(program, NO_RULES, limit=draw(st.integers(3, 60))).state


@dataclass(frozen=True)
class Redexes:
    """Draws redexes on what a state has."""

    draw: st.DrawFn
    state: State

    def one(self, choices: Sequence[T]) -> T:
        return choices[self.draw(INDEX[len(choices) - 1])]

    def number(self) -> Literal:
        return Literal(Int(self.one(NUMBERS)))

    def pointer(self) -> Literal:
        state = self.state
        bids = sorted([*state.heap, *state.freed, *state.stack_blocks, *state.globals])
        pointer = Pointer(self.one(bids), self.one(INDEXES))
        address = state.number(pointer)
        values: list[Value] = [
            *(pointer, pointer, pointer, Int(address), Pointer(NULL_BLOCK, address)),
            *(Int(0), Pointer(NULL_BLOCK, 70000), Int(70000), Pointer(NULL_BLOCK, 8), Function("f")),
            Pointer(pointer.block, wrap(-state.number(Pointer(pointer.block)))),
        ]
        return Literal(self.one(values))

    def redex(self) -> Expr:
        width = self.one(VALUE_WIDTHS)
        count = Literal(Int(self.one((8, 0, 1, 16, 17, 40, -1))))
        match self.one(range(8)):
            case 0 | 1:
                return Read(self.pointer(), width)
            case 2:
                return Assign(self.pointer(), self.pointer(), width)
            case 3 | 4:
                name = self.one(sorted(FREES))
                given = tuple(Literal(Int(self.one((16, 64, 8, 24)))) for _ in FREES[name].parameters)
                return Free(name, self.pointer(), given)
            case 5:
                return Copy(self.one(COPIES), self.pointer(), self.pointer(), count)
            case 6:
                name = self.one(sorted(ALLOCATORS))
                return Alloc(name, tuple(self.number() for _ in ALLOCATORS[name].parameters))
            case _:
                return self.one([Use(self.pointer()), Poison("poison", self.pointer(), count)])


@settings(max_examples=examples(100), suppress_health_check=list(HealthCheck))
@given(correct_states(), st.data())
def test_before_each_error_a_rule_that_announces_it_fires_and_no_rule_elsewhere(
    state: State, data: st.DataObject
) -> None:
    redexes = Redexes(data.draw, state)
    for _ in range(12):
        after = focus_on(state, redexes.redex(), NO_ENV)
        (step,) = steps(after, ALL_RULES, limit=1)
        sound(step)
        assert step.after is not None or fatal(step.errors) is not None
    again = parse_state(print_state(after))
    assert again == close(replace(after, pointers=again.pointers))
