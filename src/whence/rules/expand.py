"""A rule's condition in core form: predicates expanded, negations inward, conjuncts in order.

The core has no `Call`, `ForAll` or `Implies`. All names are unique: locals
and scoped variables are renamed `name.1`, `name.2`, … (a dot cannot be typed),
so a formula can be moved anywhere. Negation stands only before comparisons,
`Exists`, `FindLast` and `Some`. Each `And` is ordered so that every value is
bound when it is needed.

A quantifier over H or F that is reached from the root through `and` and
definitions only stands at the root: its block is the *witness*, and the rule
fires for each. If there are several, the first in the text is the witness.

This is what the code generators and the filter analysis read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count

from whence.rules import binding
from whence.rules import model as m
from whence.rules.ruleset import RuleSet
from whence.rules.vocabulary import Type

_WITNESS_DOMAINS = ("H", "F")

Substitution = Mapping[str, m.Argument]


@dataclass(frozen=True)
class Condition:
    """A rule's condition in core form.

    `free` are the variables that get their value by matching; `trace` the
    values to trace.
    """

    rule: m.Rule
    formula: m.Formula
    free: frozenset[str]
    trace: tuple[m.Term, ...]

    @property
    def has_witness(self) -> bool:
        """Whether the rule fires for each block of a quantifier over H or F, the root of the formula."""
        return isinstance(self.formula, m.Exists) and self.formula.domain in _WITNESS_DOMAINS

    @property
    def pointer(self) -> str | None:
        """The name of the redex pointer, where the detection point has one."""
        args = self.rule.point.args
        if not self.rule.point.info.has_pointer or not isinstance(args[0], m.Variable):
            return None
        return args[0].name


def expand(rule: m.Rule, rules: RuleSet) -> Condition:
    """The core form of a rule of this rule set."""
    expander = _Expander(rules.by_name)
    bound = frozenset(variable.name for variable in rule.point.variables)
    names: dict[str, m.Argument] = {variable.name: variable for variable in rule.point.variables}
    free = {v.name: v for v in binding.free_variables(rule.condition, bound)}
    formula = expander.formula(rule.condition, names | free, True)
    every = frozenset(free) | expander.scoped
    ordered = order(_witness_first(formula), bound, every)
    return Condition(rule, ordered, every, rule.trace)


class _Expander:
    def __init__(self, predicates: Mapping[str, m.Predicate]) -> None:
        self.predicates = predicates
        self.numbers = count(1)
        self.scoped: frozenset[str] = frozenset()

    def fresh(self, name: str, type_: Type) -> m.Variable:
        return m.Variable(f"{name.partition('.')[0]}.{next(self.numbers)}", type_)

    def formula(self, formula: m.Formula, names: Substitution, positive: bool) -> m.Formula:
        """The core of the formula, or of its negation if not `positive`."""
        match formula:
            case m.Truth(value=value):
                return m.Truth(value == positive)
            case m.Compare(op=op, left=left, right=right):
                return _signed(m.Compare(op, self.term(left, names), self.term(right, names)), positive)
            case m.FindLast(pattern=pattern):
                return _signed(m.FindLast(self.event(pattern, names)), positive)
            case m.Call():
                return self.call(formula, names, positive)
            case m.Exists() | m.ForAll():
                return self.quantified(formula, names, positive)
            case m.Not(operand=operand):
                return self.formula(operand, names, not positive)
            case m.And(operands=operands) | m.Or(operands=operands):
                parts = [self.formula(each, names, positive) for each in operands]
                return _joined(isinstance(formula, m.And) == positive, parts)
            case m.Implies(left=left, right=right):
                parts = [self.formula(left, names, not positive), self.formula(right, names, positive)]
                return _joined(not positive, parts)
            case m.Some():
                raise AssertionError("checked rules hold no Some")

    def quantified(self, formula: m.Exists | m.ForAll, names: Substitution, positive: bool) -> m.Formula:
        """`forall x : p` is `not exists x : not p`."""
        inner = dict(names)
        for item in formula.pattern.items:
            if isinstance(item, m.Variable) and item.name not in names:
                inner[item.name] = self.fresh(item.name, item.type)
        pattern = self.pattern(formula.pattern, inner)
        is_exists = isinstance(formula, m.Exists)
        body = self.formula(formula.body, inner, is_exists)
        return _signed(m.Exists(pattern, formula.domain, body), is_exists == positive)

    def call(self, call: m.Call, names: Substitution, positive: bool) -> m.Formula:
        predicate = self.predicates[call.predicate]
        inner: dict[str, m.Argument] = {}
        scoped: list[m.Variable] = []
        for parameter, arg in zip(predicate.parameters, call.args, strict=True):
            if isinstance(arg, m.Wildcard):
                scoped.append(self.fresh(parameter.name, parameter.type))
                inner[parameter.name] = scoped[-1]
            else:
                inner[parameter.name] = self.argument(arg, names)
        for variable in binding.free_variables(predicate.body, frozenset(inner)):
            if variable.name not in inner:
                scoped.append(self.fresh(variable.name, variable.type))
                inner[variable.name] = scoped[-1]
        if not scoped:
            return self.formula(predicate.body, inner, positive)
        self.scoped |= {variable.name for variable in scoped}
        some = m.Some(tuple(v.name for v in scoped), self.formula(predicate.body, inner, True))
        return _signed(some, positive)

    def pattern(self, pattern: m.Pattern, names: Substitution) -> m.Pattern:
        match pattern:
            case m.EventPattern():
                return self.event(pattern, names)
            case m.BlockPattern(block=block):
                return m.BlockPattern(self.argument(block, names))
            case m.PointerPattern():
                pointer, block, index = (self.argument(item, names) for item in pattern.items)
                return m.PointerPattern(pointer, block, index)

    def event(self, pattern: m.EventPattern, names: Substitution) -> m.EventPattern:
        fields = tuple(self.argument(field, names) for field in pattern.fields)
        return m.EventPattern(pattern.event, self.argument(pattern.time, names), fields)

    def argument(self, argument: m.Argument, names: Substitution) -> m.Argument:
        if isinstance(argument, m.Wildcard | m.FunctionName):
            return argument
        if isinstance(argument, m.Variable):
            return names[argument.name]
        return self.term(argument, names)

    def term(self, term: m.Term, names: Substitution) -> m.Term:
        match term:
            case m.Variable(name=name):
                value = names[name]
                assert not isinstance(value, m.Wildcard | m.FunctionName)
                return value
            case m.Apply(args=args):
                return replace(term, args=tuple(self.term(arg, names) for arg in args))
            case m.Binary(left=left, right=right):
                return replace(term, left=self.term(left, names), right=self.term(right, names))
            case m.Negative(operand=operand):
                return replace(term, operand=self.term(operand, names))
            case _:
                return term


def _signed(formula: m.Formula, positive: bool) -> m.Formula:
    return formula if positive else m.Not(formula)


def _joined(conjunction: bool, parts: Iterable[m.Formula]) -> m.Formula:
    """`and` or `or` of the parts, flattened, constants removed.

    An `or` stays one, of a single part if need be: what is in it is no witness.
    """
    kind = m.And if conjunction else m.Or
    flat: list[m.Formula] = []
    for part in parts:
        flat.extend(part.operands if isinstance(part, kind) else (part,))
    if m.Truth(not conjunction) in flat:
        return m.Truth(not conjunction)
    flat = [part for part in flat if part != m.Truth(conjunction)]
    if not flat:
        return m.Truth(conjunction)
    return flat[0] if len(flat) == 1 and conjunction else kind(tuple(flat))


def _witness_first(formula: m.Formula) -> m.Formula:
    """Moves the first quantifier over H or F among the conjuncts to the front: names are unique."""
    conjuncts = _conjuncts(formula)
    for i, conjunct in enumerate(conjuncts):
        if isinstance(conjunct, m.Exists) and conjunct.domain in _WITNESS_DOMAINS:
            rest = [*conjuncts[:i], *_conjuncts(conjunct.body), *conjuncts[i + 1 :]]
            return replace(conjunct, body=_joined(True, rest))
    return formula


def _conjuncts(formula: m.Formula) -> list[m.Formula]:
    """The conjuncts of a formula at the root, where the scope of a `Some` is the whole condition."""
    match formula:
        case m.And(operands=operands):
            return [each for operand in operands for each in _conjuncts(operand)]
        case m.Some(body=body):
            return _conjuncts(body)
        case _:
            return [formula]


def order(formula: m.Formula, bound: binding.Names, free: binding.Names) -> m.Formula:
    """The formula with the conjuncts of every `And` in an order in which they can be solved."""
    match formula:
        case m.And(operands=operands):
            scheduled, _ = binding.schedule(operands, bound, free, {})
            ordered: list[m.Formula] = []
            for operand in scheduled:
                ordered.append(order(operand, bound, free))
                bound |= binding.binds(operand, {})
            return m.And(tuple(ordered))
        case m.Or(operands=operands):
            return m.Or(tuple(order(operand, bound, free) for operand in operands))
        case m.Not(operand=operand):
            return m.Not(order(operand, bound, free))
        case m.Exists(pattern=pattern, body=body):
            inside = bound | {item.name for item in pattern.items if isinstance(item, m.Variable)}
            return replace(formula, body=order(body, inside, free))
        case m.Some(body=body):
            return replace(formula, body=order(body, bound, free))
        case _:
            return formula
