"""Which events of the trace an engine keeps of calls and returns, and how patterns find them.

An engine keeps no trace. Of each function that rules name it keeps the last call and the last return. Where
a condition asks for the events *of an object*, it keeps the last one for each value of some arguments: a
`History`. ::

    exists (k, call, fclose, g) in trace : g == f and k > opened

needs, of the calls of fclose, the last one for each first argument: it has the greatest time k, so where any
such call was later than `opened`, this one was. A pattern whose value is not known is answered by all entries
of its history, in a loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeGuard

from whence.abi.rules import ARGUMENTS
from whence.rules import binding
from whence.rules import model as m
from whence.rules.expand import Condition
from whence.rules.indexing import equal_to
from whence.rules.vocabulary import EVENTS

KEPT = ("call", "ret")
"""The events that are kept so."""
WORDS = 1 + len(ARGUMENTS)
"""Numbers of an event: the result of a return, and the arguments."""


@dataclass(frozen=True, order=True)
class History:
    """The last event of a function for each combination of some of its words."""

    event: str
    function: str
    words: tuple[int, ...]


@dataclass(frozen=True)
class Recall:
    """How a pattern finds its event.

    words: what of the event each item matches, by the item's place behind the function. known: the terms that
    have a value before, by word. every: words of which all values have to be tried.
    """

    pattern: m.EventPattern
    words: tuple[tuple[int, m.Argument], ...]
    known: dict[int, m.Term]
    every: tuple[int, ...]

    def name(self, word: int) -> str:
        """A word of the event, as people read it."""
        of_value = word == (1 if self.pattern.event == "call" else 0)
        return "value" if of_value else ARGUMENTS[word - 1]

    @property
    def history(self) -> History | None:
        """What has to be kept; None where the last event of the function will do."""
        function = self.pattern.fields[0]
        if not (self.known or self.every) or not isinstance(function, m.FunctionName):
            return None
        return History(self.pattern.event, function.name, tuple(sorted({*self.known, *self.every})))


def is_kept(pattern: m.Pattern) -> TypeGuard[m.EventPattern]:
    """Whether the pattern is one of calls or returns."""
    return isinstance(pattern, m.EventPattern) and pattern.event in KEPT


def recall(formula: m.Exists | m.FindLast, bound: binding.Names, used: Used) -> Recall:
    """How a pattern of calls or returns finds its event, where the names `bound` have values."""
    pattern = formula.pattern
    assert isinstance(pattern, m.EventPattern)
    first = 1 if pattern.event == "call" else 0
    words = tuple(enumerate(pattern.fields[1:], first))
    known: dict[int, m.Term] = {}
    every = []
    for word, item in words:
        term = _known(formula, item, bound, used.free)
        if term is not None:
            known[word] = term
        elif isinstance(formula, m.Exists) and used.is_used(item, formula.body):
            every.append(word)
    return Recall(pattern, words, known, tuple(every))


def _known(
    formula: m.Exists | m.FindLast, item: m.Argument, bound: binding.Names, free: binding.Names
) -> m.Term | None:
    """The term that has the item's value before the event is looked for."""
    if isinstance(item, m.Wildcard | m.FunctionName):
        return None
    if isinstance(formula, m.FindLast):
        return None if isinstance(item, m.Variable) and item.name in free else item
    if not isinstance(item, m.Variable) or item.name in bound:
        return item
    return equal_to(item, formula.body, bound)


class Used:
    """What a rule makes of the variables of its patterns."""

    def __init__(self, terms: Iterable[m.Argument], free: binding.Names) -> None:
        names = [term.name for term in terms if isinstance(term, m.Variable)]
        self.times = {name: names.count(name) for name in free}
        self.free = free

    def is_used(self, item: m.Argument, body: m.Formula) -> bool:
        """Whether anything depends on what an item without a value matches."""
        if not isinstance(item, m.Variable):
            return False
        if item.name in self.free:
            return self.times[item.name] > 1
        return item.name in {v.name for term in m.walk_terms(body) for v in m.variables_of(term)}


def used_in(condition: Condition) -> Used:
    """What the condition of a rule, and what it traces, make of its variables."""
    traced = (part for term in condition.trace for part in m.walk_term(term))
    return Used((*m.walk_terms(condition.formula), *traced), condition.free)


def names_more(condition: Condition) -> bool:
    """Whether a rule names arguments behind the slots of its point or of an event: the machine has none."""
    point = condition.rule.point
    further = list(point.args[len(point.info.slots) :])
    for node in m.walk_formula(condition.formula):
        if isinstance(node, m.Exists | m.FindLast) and is_kept(node.pattern):
            further += node.pattern.fields[len(EVENTS[node.pattern.event].slots) :]
    return not all(isinstance(each, m.Wildcard) for each in further)


def later_is_truer(formula: m.Formula, name: str, positive: bool = True) -> bool:
    """Whether the formula (its negation, if not `positive`) still holds where the time `name` is later."""
    match formula:
        case m.Compare(op=op, left=left, right=right):
            if name not in _names(formula):
                return True
            if left == right or name in {v.name for v in m.variables_of(_other(left, right, name))}:
                return False
            above = (">", ">=") if _is(left, name) else ("<", "<=") if _is(right, name) else ()
            below = ("<", "<=") if _is(left, name) else (">", ">=") if _is(right, name) else ()
            return op in (above if positive else below)
        case m.Not(operand=operand):
            return later_is_truer(operand, name, not positive)
        case _:
            parts = m.formula_parts(formula)
            return name not in _names(formula) and all(later_is_truer(each, name, positive) for each in parts)


def _is(term: m.Term, name: str) -> bool:
    return isinstance(term, m.Variable) and term.name == name


def _other(left: m.Term, right: m.Term, name: str) -> m.Term:
    return right if _is(left, name) else left


def _names(formula: m.Formula) -> set[str]:
    """The variables that stand in this node itself."""
    return {v.name for argument in m.direct_arguments(formula) for v in m.variables_of(argument)}
