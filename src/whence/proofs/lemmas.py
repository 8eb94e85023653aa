"""The lemmas of appendix A of the ISMM 2013 paper, as one obligation for each rule and statement.

Induction over the reduction: the invariant holds in the initial state (A.2, A.3), and each
reduction rule preserves each of its clauses (A.4, A.6, A.7) and makes the trace and F grow
(A.5). The number of blocks, events and pointers in a state is unbounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import z3

from whence.machine import print_state
from whence.proofs import terms
from whence.proofs.decode import Decoder, numbers_of, placed
from whence.proofs.invariant import INVARIANT, invariant
from whence.proofs.logic import BLOCK, EVENT, Number, Truth, forall
from whence.proofs.obligations import Obligation, Shape
from whence.proofs.results import Counterexample
from whence.proofs.state import State, any_state, initial_state
from whence.proofs.steps import REDUCTIONS, Rule


def lemmas(reductions: Mapping[str, Rule] = REDUCTIONS) -> Iterator[Obligation]:
    """All obligations, in the order of the paper."""
    yield from initial()
    for name, rule in reductions.items():
        yield from preservation(name, rule)
        yield from growth(name, rule)
    yield Obligation("ARITHMETIC: n & (n - 1) is 0 for powers of two alone", (), terms.power_of_two_fact())


def initial() -> Iterator[Obligation]:
    """The initial state is well-formed (A.2, A.3): it has globals at disjoint addresses, and nothing else."""
    state = initial_state()
    globals_ = [clause.holds(state) for clause in INVARIANT if clause.text in _OF_THE_LOADER]
    for clause in INVARIANT:
        if clause.text not in _OF_THE_LOADER:
            yield Obligation(f"A.3/initial state: {clause.text}", tuple(globals_), clause.holds(state))


_OF_THE_LOADER = (
    "an id is of one sort",
    "a block has a place above the null page",
    "blocks share no address",
)
"""Clauses that are assumptions about the globals of the initial state: the loader establishes them."""


def preservation(name: str, rule: Rule) -> Iterator[Obligation]:
    """The reduction rule leads from well-formed states to well-formed states (A.4, A.6, A.7)."""
    before = any_state()
    step = rule(before)
    hypotheses = (*invariant(before), step.premise)
    for clause in INVARIANT:
        goal = clause.holds(step.after)
        yield Obligation(f"{clause.lemma}/{name}: {clause.text}", hypotheses, goal, shape_of(before))


def growth(name: str, rule: Rule) -> Iterator[Obligation]:
    """The trace before is a prefix of the trace after, F before is in F after, and k increases (A.5)."""
    before = any_state()
    step = rule(before)
    hypotheses = (*invariant(before), step.premise)
    after = step.after
    for text, goal in (
        ("the trace before is a prefix of the trace", _prefix(before, after)),
        ("F grows", forall(BLOCK, lambda b: z3.Implies(before.freed(b), after.freed(b)))),
        ("the clock goes on", after.now > before.now),
    ):
        yield Obligation(f"A.5/{name}: {text}", hypotheses, goal, shape_of(before))


def shape_of(before: State) -> Shape:
    """Counterexamples to lemmas are the states before the step."""
    return Shape(
        before,
        lambda scope, _: placed(before, scope),
        lambda scope: numbers_of(before, scope),
        lambda found: Counterexample(print_state(Decoder(found, before).machine_state())),
    )


def _prefix(before: State, after: State) -> Truth:
    def same(i: Number) -> Truth:
        fields = [after.field(i, n) == before.field(i, n) for n in range(3)]
        alike = z3.And(after.kind(i) == before.kind(i), after.time(i) == before.time(i), *fields)
        return z3.Implies(z3.And(i >= 0, i < before.length), alike)

    return z3.And(before.length <= after.length, forall(EVENT, same))
