"""The lemmas hold for the reduction rules as they are, and for none that is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import z3
from tests.harness.process import TIMEOUT

from whence.machine import parse_state, print_state
from whence.machine.reduce import REDUCTIONS as OF_THE_MACHINE
from whence.proofs import lemmas, terms
from whence.proofs.invariant import INVARIANT, invariant
from whence.proofs.obligations import Obligation, settle
from whence.proofs.results import Verdict
from whence.proofs.search import search
from whence.proofs.state import State, any_state, excluding, including, updated
from whence.proofs.steps import REDUCTIONS, Rule, Step
from whence.proofs.symbols import EVENT_CODES, symbol

pytestmark = pytest.mark.long

NAMES = {clause.text for clause in INVARIANT}


def test_every_reduction_rule_of_the_machine_is_judged() -> None:
    assert set(REDUCTIONS) == set(OF_THE_MACHINE)


def test_every_lemma_has_a_name_of_its_own() -> None:
    """They are proved together with the shipped rules."""
    names = [each.name for each in lemmas.lemmas()]
    assert len(set(names)) == len(names) > 400


@pytest.mark.parametrize("name", REDUCTIONS)
def test_each_rule_can_be_applied(name: str) -> None:
    """No lemma holds because nothing satisfies its hypotheses."""
    before = any_state()
    step = REDUCTIONS[name](before)
    assert search([*invariant(before), step.premise], lemmas.shape_of(before), TIMEOUT) is not None


def test_the_invariant_is_not_everything() -> None:
    """No clause follows from the others of its lemma by being trivial."""
    state = any_state()
    for clause in INVARIANT:
        assert settle(Obligation(clause.text, (), clause.holds(state)), 10).verdict is not Verdict.PROVED


Change = Callable[[State, Step], Step]


def after(**parts: Callable[[State, Step], object]) -> Change:
    """The step with some parts of the state after it made otherwise."""
    return lambda before, step: replace(
        step, after=step.after.with_(**{name: make(before, step) for name, make in parts.items()})
    )


def without_premise(number: int) -> Change:
    """The step with one conjunct of its premise forgotten, those of freshness first."""

    def change(before: State, step: Step) -> Step:
        conjuncts = [each for part in step.premise.children() for each in part.children() or [part]]
        return replace(step, premise=z3.And(*conjuncts[:number], *conjuncts[number + 1 :]))

    return change


def with_event(kind: str, *fields: object) -> Change:
    """The step with an event added that it does not make."""
    return lambda before, step: replace(step, after=step.after.add_event(EVENT_CODES[kind], *fields))


NEW, R = symbol("new block"), symbol("r block")
FAULTS: dict[str, tuple[str, Change, str]] = {
    "FREE leaves the block in H": ("FREE", after(heap=lambda s, _: s.heap), "H and F stay disjoint"),
    "FREE forgets F": ("FREE", after(freed=lambda s, _: s.freed), "what has a free event is in F"),
    "FREE leaves no event": (
        "FREE",
        after(length=lambda s, _: s.length),
        "a heap block of F has a free event",
    ),
    "FREE of any pointer into the block": (
        "FREE",
        lambda before, step: replace(
            step,
            after=before.add_event(EVENT_CODES["free"], symbol("r index"), R)
            .with_(heap=excluding(before.heap, R), freed=including(before.freed, R))
            .tick(),
        ),
        "a block is freed at its begin",
    ),
    "FREE of a freed block": (
        "FREE",
        lambda before, step: replace(step, premise=before.known(R)),
        "a block is freed once",
    ),
    "MALLOC of an id that is known": ("MALLOC", without_premise(0), "H and F stay disjoint"),
    "MALLOC of an id for the stack": ("MALLOC", without_premise(1), "an id is of one sort"),
    "MALLOC leaves no event": (
        "MALLOC",
        after(length=lambda s, _: s.length),
        "a block of H has a malloc event",
    ),
    "MALLOC writes down another size": (
        "MALLOC",
        after(size=lambda s, _: updated(s.size, NEW, symbol("new size") + 1)),
        "size and time agree with the malloc event",
    ),
    "MALLOC writes down another time": (
        "MALLOC",
        after(born=lambda s, _: updated(s.born, NEW, s.now + 1)),
        "size and time agree with the malloc event",
    ),
    "MALLOC where a block is": ("MALLOC", without_premise(6), "blocks share no address"),
    "RETURN loses the blocks of the frame": (
        "RETURN",
        after(freed=lambda s, _: s.freed),
        "pointers lead to known blocks",
    ),
    "RETURN leaves the blocks on the stack": (
        "RETURN",
        after(stack=lambda s, _: s.stack),
        "F and S stay disjoint",
    ),
    "END leaves the block on the stack": (
        "END",
        after(stack=lambda s, _: s.stack),
        "F and S stay disjoint",
    ),
    "LET-SALLOC without a frame": (
        "LET-SALLOC",
        lambda before, step: replace(step, premise=z3.And(*step.premise.children()[:-1])),
        "the blocks of S are in its frames",
    ),
    "CALL stops the clock": ("CALL", after(now=lambda s, _: s.now), "every event is in the past"),
    "ASSIGN with a time of its own": (
        "ASSIGN",
        after(time=lambda s, _: updated(s.time, s.length, symbol("v"))),
        "timestamps increase strictly",
    ),
    "IF allocates": ("IF-T", with_event("malloc", symbol("v"), NEW), "what has a malloc event is in H or F"),
    "PTR-ARITH to a block that never was": (
        "PTR-ARITH",
        lambda before, step: replace(step, premise=z3.BoolVal(True)),
        "pointers lead to known blocks",
    ),
    "COPY forgets the trace": (
        "COPY",
        after(length=lambda s, _: z3.IntVal(0)),
        "the trace before is a prefix of the trace",
    ),
    "READ empties F": ("READ", after(freed=lambda s, _: lambda b: z3.BoolVal(False)), "F grows"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_rule_fails_its_lemma(fault: str) -> None:
    name, change, text = FAULTS[fault]

    def wrong(before: State) -> Step:
        return change(before, REDUCTIONS[name](before))

    rule: Rule = wrong
    judged = [*lemmas.preservation(name, rule), *lemmas.growth(name, rule)]
    outcome = settle(next(each for each in judged if each.name.endswith(f": {text}")), TIMEOUT)
    assert outcome.verdict is Verdict.FAILED
    assert outcome.counterexample is not None
    state = parse_state(outcome.counterexample.state)
    assert print_state(state) == outcome.counterexample.state


def test_a_wrong_fact_of_arithmetic_fails() -> None:
    n = z3.BitVec("n", 64)
    fact = terms.power_of_two_fact()
    assert settle(Obligation("x", (), fact), TIMEOUT).verdict is Verdict.PROVED
    wrong = z3.Implies(n != 0, ((n & (n - 1)) == 0) == (n == 1))
    assert settle(Obligation("x", (), wrong), TIMEOUT).verdict is Verdict.FAILED
