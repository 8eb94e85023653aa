"""Proof obligations, and the strategy that settles them.

The solver first tries to prove a statement for all states with little effort, and within a part of the
time: its limit of effort does not count all that it does. If that fails, the search looks for a
counterexample among small states; if there is none, the solver gets the rest of the time. A statement that
some state exists begins with the search.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

import z3

from whence.proofs import terms
from whence.proofs.logic import Number, Truth
from whence.proofs.results import Counterexample, Outcome, Verdict
from whence.proofs.search import Found, Scope, search
from whence.proofs.state import State

_AT_ONCE = 300_000
"""The limit of the solver's resource counter (rlimit) in the first attempt; most proofs need less."""

_FIRST = 0.25
"""The part of the time that the first attempt may take."""


@dataclass(frozen=True)
class Shape:
    """How to present counterexamples of an obligation.

    `realizable`: the conditions for a model to have a text; `numbers`: the numbers that the search makes
    small, the most important first; `show`: makes the text.
    """

    state: State
    realizable: Callable[[Scope, Sequence[Truth]], Iterable[Truth]]
    numbers: Callable[[Scope], Iterable[Number]]
    show: Callable[[Found], Counterexample]


class Goal(Enum):
    """The states that the obligation is about."""

    ALL = auto()
    SOME = auto()


@dataclass(frozen=True)
class Obligation:
    """The hypotheses imply the goal in every state; or, if `of` is SOME, in some state they do not.

    `name`: `lemma/rule: what`; `otherwise`: the sentence for a failure because there is no such state;
    `unmodelled`: the reason why possibly no program reaches a state that the solver finds, or empty; with a
    reason, only a proof settles the statement, or a state that the search shows.
    """

    name: str
    hypotheses: tuple[Truth, ...]
    goal: Truth
    shape: Shape | None = None
    of: Goal = Goal.ALL
    otherwise: str = ""
    unmodelled: str = ""


def settle(obligation: Obligation, timeout: float) -> Outcome:
    """Proves or refutes a statement within `timeout` seconds."""
    if obligation.of is Goal.ALL:
        return _of_all(obligation, timeout)
    opposite = _of_all(obligation, timeout)
    if opposite.verdict is Verdict.PROVED:
        return Outcome(obligation.name, Verdict.FAILED, obligation.otherwise)
    if opposite.verdict is Verdict.FAILED:
        return Outcome(obligation.name, Verdict.PROVED)
    return opposite


def _of_all(obligation: Obligation, timeout: float) -> Outcome:
    found = _of_states(obligation, timeout)
    if obligation.unmodelled and found.verdict is Verdict.FAILED and found.counterexample is None:
        return Outcome(obligation.name, Verdict.UNKNOWN, obligation.unmodelled)
    return found


def _of_states(obligation: Obligation, timeout: float) -> Outcome:
    end = time.monotonic() + timeout
    first = None
    if obligation.of is Goal.ALL or obligation.shape is None:
        first = _solved(obligation, timeout * _FIRST, _AT_ONCE)
        if first.verdict is Verdict.PROVED:
            return first
    if obligation.shape is not None:
        try:
            found = _counterexample(obligation, obligation.shape, end - time.monotonic())
        except Unconfirmed as state:
            return Outcome(obligation.name, Verdict.UNKNOWN, f"{_UNCONFIRMED}\n{state}")
        if found is not None:
            return Outcome(obligation.name, Verdict.FAILED, "it does not hold in the state shown", found)
    left = end - time.monotonic()
    if first is not None and (first.verdict is not Verdict.UNKNOWN or left <= 0):
        return first
    return _solved(obligation, max(left, 0))


class Unconfirmed(Exception):
    """Machine and solver disagree on a state; the message is its text."""


def _solved(obligation: Obligation, timeout: float, effort: int = 0) -> Outcome:
    """The solver's answer; `effort` 0 sets no limit but the timeout."""
    solver = z3.Solver()
    solver.set("timeout", max(1, int(timeout * 1000)))
    solver.set("rlimit", effort)
    formulas = [*obligation.hypotheses, z3.Not(obligation.goal)]
    solver.add(*formulas, *terms.facts(formulas))
    result = solver.check()
    if result == z3.unsat:
        return Outcome(obligation.name, Verdict.PROVED)
    if result == z3.sat:
        return Outcome(obligation.name, Verdict.FAILED, _NOT_SHOWN)
    return Outcome(obligation.name, Verdict.UNKNOWN, _unsettled(solver.reason_unknown(), timeout))


_UNCONFIRMED = "the machine does not confirm the counterexample that the solver found:"
_NOT_SHOWN = "the solver says that it does not hold, but no small state shows it"


def _unsettled(reason: str, timeout: float) -> str:
    if reason in ("timeout", "canceled"):
        return f"neither a proof nor a counterexample was found in {timeout:.3g} s (--timeout gives more)"
    return f"the solver gave up: {reason}"


def _counterexample(obligation: Obligation, shape: Shape, timeout: float) -> Counterexample | None:
    formulas = [*obligation.hypotheses, z3.Not(obligation.goal)]
    found = search(formulas, shape, timeout)
    return None if found is None else shape.show(found)
