"""Quantifiers over the elements of a state, and their expansion over finite ranges.

Events (positions in the trace), blocks, pointers and offsets are integers, and any number
of them may exist. The name of a bound variable has its sort, so that one formula serves two
purposes: a proof that it holds in *all* states uses it as it is; the search for a small
counterexample uses it with every quantifier expanded over the first few elements (`spell_out`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any, TypeAlias

import z3

Expr: TypeAlias = Any
Number: TypeAlias = Any
Truth: TypeAlias = Any
"""Terms of the solver, which mypy does not type; the two names distinguish numbers and truth values."""

EVENT, BLOCK, POINTER, ADDRESS = "event", "block", "pointer", "address"

_numbers = count(1)


def exists(sort: str, body: Callable[[Number], Truth]) -> Truth:
    """Some element of the sort satisfies the body."""
    variable = z3.Int(f"{sort}!{next(_numbers)}")
    return z3.Exists([variable], body(variable))


def forall(sort: str, body: Callable[[Number], Truth]) -> Truth:
    """All elements of the sort satisfy the body."""
    variable = z3.Int(f"{sort}!{next(_numbers)}")
    return z3.ForAll([variable], body(variable))


def every(sorts: tuple[str, ...], body: Callable[..., Truth]) -> Truth:
    """All elements of several sorts: one quantifier, which solvers handle better than nested ones."""
    variables = [z3.Int(f"{sort}!{next(_numbers)}") for sort in sorts]
    return z3.ForAll(variables, body(*variables))


def spell_out(formula: Truth, ranges: Mapping[str, range]) -> Truth:
    """The formula with each quantifier replaced by a finite `and` or `or` over the range of its sort.

    Quantifiers over addresses are left out: there are too many addresses, and they occur in hypotheses only.
    """
    return _Speller(ranges).truth(formula)


def applications(formulas: Iterable[Truth], names: Iterable[str]) -> list[Expr]:
    """The applications of uninterpreted functions with these names, except under quantifiers."""
    wanted = tuple(names)
    found = {
        node.get_id(): node
        for formula in formulas
        for name in wanted
        for node in _indexed(formula).get(name, ())
    }
    return list(found.values())


PRODUCT = "*"
"""The name of products of several unknown numbers in `applications`."""

_INDEXED: dict[int, tuple[Truth, dict[str, list[Expr]]]] = {}
_MOST_INDEXED = 1000


def _indexed(formula: Truth) -> dict[str, list[Expr]]:
    """Applications by name, cached: most formulas are hypotheses that all statements share."""
    key = formula.get_id()
    if key not in _INDEXED:
        if len(_INDEXED) > _MOST_INDEXED:
            _INDEXED.clear()
        _INDEXED[key] = formula, _index(formula)  # with the formula: the id of a dead node is used again
    return _INDEXED[key][1]


def _index(formula: Truth) -> dict[str, list[Expr]]:
    found: dict[str, list[Expr]] = {}
    seen: set[int] = set()
    waiting = [formula]
    while waiting:
        node = waiting.pop()
        if node.get_id() in seen or z3.is_quantifier(node):
            continue
        seen.add(node.get_id())
        children = node.children()
        if children and node.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found.setdefault(node.decl().name(), []).append(node)
        if z3.is_mul(node) and sum(not z3.is_int_value(child) for child in children) > 1:
            found.setdefault(PRODUCT, []).append(node)
        waiting.extend(children)
    return found


class _Speller:
    def __init__(self, ranges: Mapping[str, range]) -> None:
        self.ranges = ranges
        self.done: dict[int, tuple[Expr, Expr]] = {}

    def truth(self, node: Expr) -> Expr:
        known = self.done.get(node.get_id())
        if known is not None:
            return known[1]
        result = self.quantifier(node) if z3.is_quantifier(node) else self.application(node)
        self.done[node.get_id()] = (node, result)  # the node too: ids of dead nodes are used again
        return result

    def application(self, node: Expr) -> Expr:
        if not z3.is_app(node) or node.num_args() == 0 or not z3.is_bool(node):
            return node
        return node.decl()(*(self.truth(child) for child in node.children()))

    def quantifier(self, node: Expr) -> Expr:
        if ADDRESS in (node.var_name(i).partition("!")[0] for i in range(node.num_vars())):
            return z3.BoolVal(True)
        bodies = [node.body()]
        for i in range(node.num_vars()):
            sort = node.var_name(i).partition("!")[0]
            # De Bruijn: the last variable is number 0; replacing the first of n leaves n - 1
            left = node.num_vars() - i - 1
            keep = [z3.Var(j, z3.IntSort()) for j in range(left)]
            bodies = [
                z3.substitute_vars(body, *keep, z3.IntVal(value))
                for body in bodies
                for value in self.ranges[sort]
            ]
        parts = [self.truth(z3.simplify(body)) for body in bodies]
        return z3.And(*parts) if node.is_forall() else z3.Or(*parts)
