"""The bounded search for counterexamples.

In states with a few events, blocks and pointers every quantifier is a finite `and` or `or`, so the
solver decides whether a statement holds. The scopes grow until one has a counterexample; then the
search minimizes its numbers, one after the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import z3

from whence.proofs import terms
from whence.proofs.logic import BLOCK, EVENT, POINTER, PRODUCT, Number, Truth, applications, spell_out
from whence.proofs.state import NO_BLOCK, State
from whence.proofs.symbols import EVENT_CODES, symbol


@dataclass(frozen=True)
class Scope:
    """The largest numbers of events, blocks (numbered from 1) and pointers in a state."""

    events: int
    blocks: int
    pointers: int

    @property
    def ranges(self) -> dict[str, range]:
        return {
            EVENT: range(self.events),
            BLOCK: range(1, self.blocks + 1),
            POINTER: range(self.pointers),
        }


SCOPES = (Scope(0, 0, 0), Scope(0, 1, 1), Scope(1, 1, 1), Scope(2, 1, 1), Scope(2, 2, 2), Scope(4, 3, 2))

_LADDER = (0, 1, 2, 3, 4, 8, 16, 24, 32, 64, 1 << 16, 1 << 32)
"""The values that the search tries for a number, in this order."""


def chosen_blocks() -> list[Number]:
    """The blocks that a step refers to."""
    return [symbol("new block"), symbol("r block"), symbol("witness")]


def inside(state: State, scope: Scope) -> Iterator[Truth]:
    """The condition that the state refers to elements of the scope only."""
    yield state.length <= scope.events
    for i in range(scope.events):
        block = state.field(z3.IntVal(i), 1)
        about_block = z3.Or(*(state.kind(z3.IntVal(i)) == EVENT_CODES[k] for k in ("malloc", "free")))
        yield z3.Implies(about_block, z3.And(block >= 1, block <= scope.blocks))
    for block in [*(state.target(z3.IntVal(p)) for p in range(scope.pointers)), *chosen_blocks()]:
        none = z3.And(block == NO_BLOCK, z3.Not(state.known(block)))
        yield z3.Or(none, z3.And(block > NO_BLOCK, block <= scope.blocks))


@dataclass(frozen=True)
class Found:
    """A model, its scope, and the expanded formulas that it satisfies."""

    model: z3.ModelRef
    scope: Scope
    formulas: Sequence[Truth] = ()

    def number(self, term: Number) -> int:
        return int(self.model.eval(term, model_completion=True).as_long())

    def truth(self, formula: Truth) -> bool:
        return bool(z3.is_true(self.model.eval(spell_out(formula, self.scope.ranges), model_completion=True)))

    def applications(self, name: str) -> list[Number]:
        """The applications of a function in the formulas."""
        return applications(self.formulas, [name])


class Shape(Protocol):
    """The conditions on a counterexample; see `obligations.Shape`."""

    @property
    def state(self) -> State: ...

    @property
    def realizable(self) -> Callable[[Scope, Sequence[Truth]], Iterable[Truth]]: ...

    @property
    def numbers(self) -> Callable[[Scope], Iterable[Number]]: ...


def search(
    formulas: Sequence[Truth], shape: Shape, timeout: float, scopes: Sequence[Scope] = SCOPES
) -> Found | None:
    """A state in which all formulas hold, in the smallest scope that has one; None if none was found."""
    end = time.monotonic() + timeout
    for scope in scopes:
        solver = z3.Solver()
        spelled = [_spelled(each, scope) for each in formulas]
        solver.add(*spelled, *terms.facts(spelled), *inside(shape.state, scope))
        solver.add(*(spell_out(each, scope.ranges) for each in shape.realizable(scope, spelled)))
        operators = terms.opaque(spelled)
        model = _at_corners(solver, spelled, operators, end) or _checked(solver, operators, end)
        if model is not None:
            return Found(_shrunk(solver, operators, model, shape.numbers(scope), end), scope, spelled)
        if time.monotonic() > end:
            return None
    return None


def _at_corners(
    solver: z3.Solver, spelled: Sequence[Truth], operators: Sequence[Number], end: float
) -> z3.ModelRef | None:
    """A model in which the factors of products are numbers near the limits of words.

    Products of unknown numbers are hard for the solver; products with known factors are not, and overflows
    occur near these limits. Later changes of the model keep the factors.
    """
    products = applications(spelled, [PRODUCT])
    if not products:
        return None
    solver.push()
    for factor in (child for product in products for child in product.children()):
        solver.add(z3.Or(*(factor == corner for corner in _CORNERS)))
    model = _checked(solver, operators, end)
    if model is None:
        solver.pop()
    return model


_CORNERS = (0, 1, 2, 3, 8, 16, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)

_SPELLED: dict[tuple[int, Scope], tuple[Truth, Truth]] = {}


def _spelled(formula: Truth, scope: Scope) -> Truth:
    """`spell_out`, cached: most formulas are hypotheses that all statements share."""
    key = (formula.get_id(), scope)
    if key not in _SPELLED:
        if len(_SPELLED) > _MOST_SPELLED:
            _SPELLED.clear()
        _SPELLED[key] = formula, spell_out(formula, scope.ranges)  # an id is used again when its node dies
    return _SPELLED[key][1]


_MOST_SPELLED = 1000


def _checked(solver: z3.Solver, operators: Sequence[Number], end: float) -> z3.ModelRef | None:
    """A model in which the results of the uninterpreted operators are correct."""
    while time.monotonic() < end:
        solver.set("timeout", max(1, int((end - time.monotonic()) * 1000)))
        if solver.check() != z3.sat:
            return None
        model = solver.model()
        wrong = terms.recompute(model, operators)
        if not wrong:
            return model
        solver.add(*wrong)
    return None


def _shrunk(
    solver: z3.Solver,
    operators: Sequence[Number],
    model: z3.ModelRef,
    numbers: Iterable[Number],
    end: float,
) -> z3.ModelRef:
    for number in numbers:
        value = model.eval(number, model_completion=True).as_long()
        for smaller in _LADDER:
            if smaller == value:
                break  # no smaller value is possible
            solver.push()
            solver.add(number == smaller)
            found = _checked(solver, operators, end)
            if found is not None:
                model, value = found, smaller
                solver.pop()
                break
            solver.pop()
        solver.add(number == value)
    return model
