"""The reduction rules, the error rules and the invariant of the proofs are those of the machine.

Programs are run by the machine, and everything that the proofs say of their states and steps
is evaluated with real numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harness.examples import examples
from tests.machine.strategies import programs
from tests.proofs.concrete import Concrete, known_blocks

from whence.machine import Program, State, load
from whence.machine.error_rules import errors
from whence.machine.probes import probes
from whence.machine.run import Step, steps
from whence.machine.syntax import Copy
from whence.proofs import state as symbolic
from whence.proofs.errors import ERRORS, read_facts
from whence.proofs.invariant import INVARIANT
from whence.proofs.logic import BLOCK, EVENT, POINTER, Number, Truth
from whence.proofs.moment import typed
from whence.proofs.steps import REDUCTIONS
from whence.proofs.symbols import EVENT_CODES, predicate, symbol
from whence.rules import RuleSet

pytestmark = pytest.mark.long

NO_RULES = RuleSet()
PROGRAMS = sorted((Path(__file__).parents[1] / "machine/programs").rglob("*.calc"))
_OF_BLOCK = ("heap", "freed", "stack", "globals_")
_OF_KNOWN = ("begin", "size", "born", "family", "align", "sort")


def choices(concrete: Concrete, step: Step) -> list[tuple[Number, Number]]:
    """What the step chose, as values of the symbols that stand for it."""
    assert step.after is not None
    before, after = known_blocks(step.before), known_blocks(step.after)
    chosen: dict[str, int] = dict.fromkeys(("r block", "r index", "z", "v", "r", "origin"), 0)
    new = next((bid for bid in after if bid not in before), None)
    ended = next((bid for bid in step.before.stack_blocks if bid not in step.after.stack_blocks), None)
    if new is not None:
        block = after[new]
        chosen |= {"new size": block.size, "new begin": block.begin, "new family": block.family}
        chosen["new alignment"] = block.align
    if new is not None or ended is not None:
        chosen["new block"] = concrete.ids[new or ended]  # type: ignore[index]
    freed = next((bid for bid in step.before.heap if bid not in step.after.heap), None)
    if freed is not None:
        chosen["r block"] = concrete.ids[freed]
    moved = next(iter(set(step.after.pointers) - set(step.before.pointers)), None)
    if step.rule == "PTR-ARITH" and moved is not None:
        chosen |= {"r block": concrete.id(moved.block), "r index": moved.index}
    event = concrete.state(step.after)
    at = z3.IntVal(len(step.after.trace) - 1)
    names = ("z", "v") if step.rule in ("CALL", "RETURN") else ("r", "v")
    if len(step.after.trace) > len(step.before.trace):
        chosen |= {name: z3.simplify(event.field(at, n)).as_long() for n, name in enumerate(names)}
    moves = step.rule == "PTR-ARITH" and moved is not None
    copies = isinstance(step.before.focus, Copy) and len(step.after.trace) > len(step.before.trace)
    truths = {"is pointer": moves, "copies bytes": copies}
    values = [(symbol(name), z3.IntVal(value)) for name, value in chosen.items()]
    return values + [(predicate(name), z3.BoolVal(value)) for name, value in truths.items()]


def differences(
    concrete: Concrete, first: symbolic.State, second: symbolic.State
) -> Iterator[tuple[str, Truth]]:
    """For each part of a state and each place in it: that the two have the same there."""
    ranges = {sort: [z3.IntVal(n) for n in found] for sort, found in concrete.ranges.items()}
    yield "now", first.now == second.now
    yield "length", first.length == second.length
    yield "depth", first.depth == second.depth
    for name in _OF_BLOCK:
        yield from ((name, getattr(first, name)(b) == getattr(second, name)(b)) for b in ranges[BLOCK])
    for b in ranges[BLOCK]:
        yield "frame", z3.Implies(second.stack(b), first.frame(b) == second.frame(b))
        for name in _OF_KNOWN:
            yield name, z3.Implies(second.known(b), getattr(first, name)(b) == getattr(second, name)(b))
    for i in ranges[EVENT]:
        there = i < second.length
        yield "kind", z3.Implies(there, first.kind(i) == second.kind(i))
        yield "time", z3.Implies(there, first.time(i) == second.time(i))
        yield from (("field", z3.Implies(there, first.field(i, n) == second.field(i, n))) for n in range(2))
    yield from (("present", first.present(p) == second.present(p)) for p in ranges[POINTER])


def assert_step(step: Step) -> None:
    assert step.after is not None and step.rule is not None
    concrete = Concrete.of(step.before, step.after)
    relation = REDUCTIONS[step.rule](concrete.state(step.before))
    chosen = choices(concrete, step)
    assert concrete.truth(z3.substitute(relation.premise, *chosen), step.before), step.rule
    for part, same in differences(concrete, relation.after, concrete.state(step.after)):
        assert concrete.truth(z3.substitute(same, *chosen), step.after), (step.rule, part)


def assert_state(state: State) -> None:
    """The invariant holds; and at each detection point the premises that hold are the machine's."""
    concrete = Concrete.of(state)
    seen = concrete.state(state)
    for clause in INVARIANT:
        assert concrete.truth(clause.holds(seen), state), clause.text
    found = errors(state)
    for probe in probes(state):
        moment = concrete.moment(state, probe)
        for fact in (*typed(moment), *read_facts(moment)):
            assert concrete.truth(fact, state), fact
        for name, rule in ERRORS.items():
            expected = any(error.rule.name == name for error in found if error.probe == probe)
            if probe.code not in rule.codes:
                assert not expected
            elif rule.premise is not None:
                assert concrete.truth(rule.premise(moment), state) == expected, (name, probe)
            else:
                assert rule.of_block is not None
                blocks = {error.block for error in found if error.rule.name == name}
                for bid, number in concrete.ids.items():
                    holds = concrete.truth(rule.of_block(moment, z3.IntVal(number)), state)
                    assert holds == (bid in blocks), (name, bid)


def assert_run(start: Program | State, most: int, every: bool) -> None:
    """The state with an error and the last one, and the first step by each rule; or every state and step."""
    made = list(steps(start, NO_RULES, limit=most))
    judged = [step for step in made if probes(step.before)]
    for step in judged:
        if every or step.errors or step is judged[-1]:
            assert_state(step.before)
    first = {step.rule: step for step in reversed(made) if step.after is not None}
    for step in made if every else first.values():
        if step.after is not None and (every or step.rule not in _SEEN):
            _SEEN.add(step.rule)
            assert_step(step)


_SEEN: set[str | None] = set()
"""Rules of which a step of a program was looked at."""


@pytest.mark.parametrize(
    "every", [pytest.param(False, id="sample"), pytest.param(True, id="every step", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_programs_of_the_error_rules(path: Path, every: bool) -> None:
    source = load(path)
    assert_run(source.program if source.state is None else source.state, 60, every)


def test_there_are_programs() -> None:
    assert len(PROGRAMS) > 20


@settings(max_examples=examples(8))
@given(programs(length=4), st.integers(20, 40))
def test_random_programs(program: Program, most: int) -> None:
    _SEEN.clear()
    assert_run(program, most, every=False)


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(programs(length=4), st.integers(20, 40))
def test_every_step_of_random_programs(program: Program, most: int) -> None:
    assert_run(program, most, every=True)


def test_no_part_of_a_state_is_forgotten() -> None:
    compared = {*_OF_BLOCK, *_OF_KNOWN, "now", "length", "depth", "frame", "kind", "time", "field", "present"}
    names = {each.name for each in fields(symbolic.State)}
    assert names - compared == {"target", "index"}  # names of pointers, not parts of a state
    assert EVENT_CODES
