"""Which names a formula binds, which it needs, and in which order conjuncts can be solved.

A *free* variable of a rule (r1 in `Freed(r, r1)`) has no quantifier: it gets
its value by matching. It must be bound by something that has to hold: a
pattern, a `FindLast` or a predicate that stands outside `not`, `forall` and
the left side of `implies`, in every alternative of an `or`. Conjunctions mean
the same in any order; `schedule` finds one in which every value is known when
it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from whence.rules import model as m
from whence.rules.vocabulary import Type

Predicates = Mapping[str, m.Predicate]
Names = frozenset[str]


def _direct(items: Iterable[m.Argument]) -> Names:
    """Names of the variables that stand directly in a pattern."""
    return frozenset(item.name for item in items if isinstance(item, m.Variable))


def _binding_arguments(call: m.Call, predicates: Predicates) -> Iterator[tuple[m.Argument, bool]]:
    """Each argument, and whether the predicate gives it a value if it has none."""
    predicate = predicates[call.predicate]
    for parameter, argument in zip(predicate.parameters, call.args, strict=True):
        yield argument, parameter.name in predicate.binds


def binds(formula: m.Formula, predicates: Predicates) -> Names:
    """Names that have a value whenever the formula holds (locals of quantifiers included)."""
    match formula:
        case m.Exists(pattern=pattern, body=body):
            return _direct(pattern.items) | binds(body, predicates)
        case m.FindLast(pattern=pattern):
            return _direct(pattern.items)
        case m.Call():
            return _direct(argument for argument, out in _binding_arguments(formula, predicates) if out)
        case m.And(operands=operands):
            return frozenset().union(*(binds(each, predicates) for each in operands))
        case m.Or(operands=operands):
            return frozenset.intersection(*(binds(each, predicates) for each in operands))
        case m.Some(names=names, body=body):
            return binds(body, predicates) - set(names)
        case _:
            return frozenset()


def free_variables(formula: m.Formula, bound: Names) -> Iterator[m.Variable]:
    """Variables that get a value by matching: in a call or a FindLast, and of no quantifier around it."""
    if isinstance(formula, m.Call | m.FindLast):
        for item in m.direct_arguments(formula):
            if isinstance(item, m.Variable) and item.name not in bound:
                yield item
    if isinstance(formula, m.Exists | m.ForAll):
        bound |= _direct(formula.pattern.items)
    for part in m.formula_parts(formula):
        yield from free_variables(part, bound)


def _own_names(formula: m.Formula) -> Names:
    """Names that patterns and scopes inside the formula may introduce."""
    match formula:
        case m.Some(names=names):
            return frozenset(names)
        case _:
            return frozenset()


def needs(formula: m.Formula, bound: Names, free: Names, predicates: Predicates) -> list[m.Variable]:
    """The occurrences that have no value yet when the formula is solved with `bound`; empty if it can be.

    `free` are the free variables; all other names are locals of the
    quantifier that introduces them.
    """
    match formula:
        case m.Truth():
            return []
        case m.Compare(left=left, right=right):
            return _unbound([left, right], bound)
        case m.Call():
            pairs = list(_binding_arguments(formula, predicates))
            inputs = [arg for arg, out in pairs if not (out and isinstance(arg, m.Variable))]
            return _unbound(inputs, bound)
        case m.Exists(pattern=pattern, body=body):
            within = bound | _direct(pattern.items)
            return _pattern_needs(pattern, bound) + needs(body, within, free, predicates)
        case m.FindLast(pattern=pattern):
            return _pattern_needs(pattern, bound)
        case m.Some(names=names, body=body):
            return needs(body, bound - set(names), free | set(names), predicates)
        case m.And(operands=operands):
            return schedule(operands, bound, free, predicates)[1]
        case m.Or(operands=operands):
            return [each for operand in operands for each in needs(operand, bound, free, predicates)]
        case m.Implies(left=left, right=right):
            return _closed_needs(left, bound, free, predicates) + needs(right, bound, free, predicates)
        case m.Not(operand=operand):
            return _closed_needs(operand, bound, free, predicates)
        case m.ForAll(pattern=pattern, body=body):
            locals_ = _direct(pattern.items) - free
            outer = [v for v in pattern.items if isinstance(v, m.Variable) and v.name in free - bound]
            inside = _closed_needs(body, bound | locals_, free, predicates)
            return _pattern_needs(pattern, bound) + outer + inside


def _closed_needs(formula: m.Formula, bound: Names, free: Names, predicates: Predicates) -> list[m.Variable]:
    """As `needs`, for a formula that cannot bind: its free variables must have values before."""
    missing = list(_free_occurrences(formula, free - bound))
    return missing + needs(formula, bound | {each.name for each in missing}, free, predicates)


def _free_occurrences(formula: m.Formula, free: Names) -> Iterator[m.Variable]:
    for argument in m.direct_arguments(formula):
        yield from (variable for variable in m.variables_of(argument) if variable.name in free)
    for part in m.formula_parts(formula):
        yield from _free_occurrences(part, free - _own_names(formula))


def _pattern_needs(pattern: m.Pattern, bound: Names) -> list[m.Variable]:
    return _unbound([item for item in pattern.items if not isinstance(item, m.Variable)], bound)


def _unbound(terms: Iterable[m.Argument], bound: Names) -> list[m.Variable]:
    return [
        variable
        for term in terms
        for variable in m.variables_of(term)
        if variable.name not in bound and variable.type is not Type.FUNCTION
    ]


def schedule(
    operands: Iterable[m.Formula], bound: Names, free: Names, predicates: Predicates
) -> tuple[list[m.Formula], list[m.Variable]]:
    """Conjuncts in an order in which each can be solved, and what is missing if there is none.

    Stable: the first conjunct that can be solved comes next.
    """
    waiting = list(operands)
    ordered: list[m.Formula] = []
    while waiting:
        ready = next((each for each in waiting if not needs(each, bound, free, predicates)), None)
        if ready is None:
            missing = [variable for each in waiting for variable in needs(each, bound, free, predicates)]
            return ordered + waiting, missing
        waiting = [each for each in waiting if each is not ready]
        ordered.append(ready)
        bound |= binds(ready, predicates)
    return ordered, []
