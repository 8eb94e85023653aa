"""Resolves the names and infers the types of one declaration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from whence.errors.hints import did_you_mean
from whence.rules import model as m
from whence.rules.printer import print_term
from whence.rules.problems import Place, Problems
from whence.rules.vocabulary import (
    CONSTANTS,
    EVENTS,
    FUNCTIONS,
    LABEL_FUNCTIONS,
    Slot,
    Type,
    describe_type,
)

_P, _I, _T, _B = Type.POINTER, Type.INT, Type.TIME, Type.BID
_BITS = {(_I, _I): _I, (_P, _I): Type.WORD, (_I, _P): Type.WORD, (_P, _P): Type.WORD}
_DIVIDE = {(_I, _I): _I, (_P, _I): _I, (_T, _I): _I}
_ARITHMETIC: dict[str, dict[tuple[Type, Type], Type]] = {
    "+": {(_I, _I): _I, (_P, _I): _P, (_I, _P): _P, (_T, _I): _T, (_I, _T): _T},
    "-": {(_I, _I): _I, (_P, _I): _P, (_P, _P): _I, (_T, _I): _T, (_T, _T): _I},
    "*": {(_I, _I): _I},
    "/": _DIVIDE,
    "%": _DIVIDE,
    "&": _BITS,
    "|": _BITS,
    "^": _BITS,
    "<<": {(_I, _I): _I},
    ">>": {(_I, _I): _I, (_P, _I): _I},
}
_ORDERED = ("<", "<=", ">", ">=")
_POINTER_ITEMS = (Slot("r", _P), Slot("bid", _B), Slot("i", _I))
_MAX_ROUNDS = 8
NO_LABELS: Mapping[str, int] = MappingProxyType({})

Locals = Mapping[str, Type]


class Resolver:
    """Names and types of one predicate or rule.

    `names` are the parameters of a predicate, or what the detection point of
    a rule binds; the types of `parameters` are narrowed by use. `labels`: the
    names of labels that are not hidden by these, with their bits. After
    `resolve`: `free` holds the free variables, `used` the names that occurred,
    `local` the constants that not every detection point has, where they stand.
    """

    def __init__(
        self,
        predicates: Mapping[str, m.Predicate],
        names: Mapping[str, Type],
        parameters: frozenset[str],
        problems: Problems,
        labels: Mapping[str, int] = NO_LABELS,
    ) -> None:
        self.predicates = predicates
        self.types = dict(names)
        self.inferred = parameters
        self.problems = problems
        self.has_labels = bool(labels)
        self.labels = {name: bit for name, bit in labels.items() if name not in names}
        self.free: frozenset[str] = frozenset()
        self.used: set[str] = set()
        self.local: dict[str, m.Constant] = {}

    def type_of(self, name: str) -> Type:
        return self.types[name]

    def resolve(self, formula: m.Formula) -> m.Formula:
        """The formula, typed; mistakes go to `problems`."""
        self.free = frozenset(self.free_names(formula, frozenset(self.types)))
        self.types |= dict.fromkeys(self.free, Type.VALUE)
        self.inferred |= self.free
        real, self.problems = self.problems, Problems()
        for _ in range(_MAX_ROUNDS):
            before = dict(self.types)
            self.formula(formula, {})
            if self.types == before:
                break
        self.problems = real
        return self.formula(formula, {})

    def resolve_term(self, term: m.Term, wanted: Type) -> m.Term:
        """A term outside the condition, such as a value to trace; call after `resolve`."""
        return self.term(term, wanted, {})

    # -- names --

    def slots(self, formula: m.Formula) -> list[tuple[m.Argument, Type]]:
        """The items of a pattern or a call with the types their places have."""
        match formula:
            case m.Exists(pattern=pattern) | m.ForAll(pattern=pattern) | m.FindLast(pattern=pattern):
                return [(item, slot.type) for item, slot in self.pattern_slots(pattern)]
            case m.Call(predicate=name, args=args):
                if name not in self.predicates:
                    return [(arg, Type.VALUE) for arg in args]
                parameters = self.predicates[name].parameters
                return [(arg, parameter.type) for arg, parameter in zip(args, parameters, strict=False)]
            case _:
                return []

    def pattern_slots(self, pattern: m.Pattern) -> list[tuple[m.Argument, Slot]]:
        match pattern:
            case m.EventPattern(event=event, time=time, fields=fields):
                slots = (*EVENTS[event].slots, *EVENTS[event].more)
                return [(time, Slot("k", _T)), *zip(fields, slots, strict=False)]
            case m.BlockPattern(block=block):
                return [(block, Slot("bid", _B))]
            case m.PointerPattern():
                return list(zip(pattern.items, _POINTER_ITEMS, strict=True))

    def free_names(self, formula: m.Formula, bound: frozenset[str]) -> set[str]:
        """Names that stand directly in a call or a FindLast, and that nothing around them introduces."""
        found: set[str] = set()
        if isinstance(formula, m.Call | m.FindLast):
            found = {
                item.name
                for item, type_ in self.slots(formula)
                if isinstance(item, m.Variable) and type_ is not Type.FUNCTION
                if item.name not in bound and item.name not in self.labels
            }
        if isinstance(formula, m.Exists | m.ForAll):
            bound |= {item.name for item in formula.pattern.items if isinstance(item, m.Variable)}
        for part in m.formula_parts(formula):
            found |= self.free_names(part, bound)
        return found

    # -- formulas --

    def formula(self, formula: m.Formula, scope: Locals) -> m.Formula:
        match formula:
            case m.Compare():
                return self.compare(formula, scope)
            case m.Call():
                return self.call(formula, scope)
            case m.FindLast(pattern=pattern):
                pairs = self.distinct(self.pattern_slots(pattern))
                items = [self.item(item, slot, scope) for item, slot in pairs]
                return replace(formula, pattern=replace(pattern, time=items[0], fields=tuple(items[1:])))
            case m.Exists() | m.ForAll():
                return self.quantified(formula, scope)
            case m.Not(operand=operand):
                return replace(formula, operand=self.formula(operand, scope))
            case m.And(operands=operands) | m.Or(operands=operands):
                return replace(formula, operands=tuple(self.formula(each, scope) for each in operands))
            case m.Implies(left=left, right=right):
                return replace(formula, left=self.formula(left, scope), right=self.formula(right, scope))
            case m.Truth() | m.Some():
                return formula

    def compare(self, formula: m.Compare, scope: Locals) -> m.Formula:
        op = formula.op
        wanted = Type.NUMBER if op in _ORDERED else Type.VALUE
        left, right = self.term(formula.left, wanted, scope), self.term(formula.right, wanted, scope)
        common = left.type & right.type
        if not (left.type & wanted and right.type & wanted):
            return replace(formula, left=left, right=right)
        if not common:
            message = f"'{op}' compares {_described(left)} with {_described(right).rstrip(',')}"
            self.problems.add(formula.place, message)
        else:
            left, right = self.term(left, common, scope), self.term(right, common, scope)
            self.check_future(formula.place, op, left, right)
        return replace(formula, left=left, right=right)

    def check_future(self, place: Place, op: str, left: m.Term, right: m.Term) -> None:
        later = (op == ">" and _is_now(right)) or (op == "<" and _is_now(left))
        if later:
            message = "this refers to the future: the trace holds the events before Now, none is later"
            self.problems.add(place, message)

    def call(self, formula: m.Call, scope: Locals) -> m.Formula:
        predicate = self.predicates.get(formula.predicate)
        if predicate is None:  # the checker has said so
            self.used |= {variable.name for arg in formula.args for variable in m.variables_of(arg)}
            return m.Truth(True, place=formula.place)
        if len(formula.args) != len(predicate.parameters):
            shape = f"{predicate.name}({', '.join(p.name for p in predicate.parameters)})"
            count = len(predicate.parameters)
            self.problems.add(
                formula.place,
                f"'{shape}' takes {count} argument{'s' * (count != 1)}, not {len(formula.args)}",
            )
            return m.Truth(True, place=formula.place)
        for constant in predicate.local:
            self.local.setdefault(constant.name, replace(constant, place=formula.place))
        slots = [Slot(p.name, p.type) for p in predicate.parameters]
        args = [self.item(arg, slot, scope) for arg, slot in zip(formula.args, slots, strict=True)]
        for arg, slot in zip(args, slots, strict=True):
            if isinstance(arg, m.Wildcard) and slot.name not in predicate.binds:
                message = f"'_' cannot stand for '{slot.name}' of '{predicate.name}', which needs a value"
                self.problems.add(arg.place, message)
        return replace(formula, args=tuple(args))

    def quantified(self, formula: m.Exists | m.ForAll, scope: Locals) -> m.Formula:
        pairs = self.distinct(self.pattern_slots(formula.pattern))
        inner = dict(scope)
        for i, (item, slot) in enumerate(pairs):
            is_name = isinstance(item, m.Variable) and slot.type is not Type.FUNCTION
            if isinstance(item, m.Variable) and is_name and not self.known(item.name, scope):
                inner[item.name] = slot.type
            elif isinstance(formula.pattern, m.BlockPattern) and not isinstance(item, m.Wildcard):
                self.block_name(item)
                pairs[i] = (m.Wildcard(place=item.place), slot)
        items = [self.item(item, slot, inner) for item, slot in pairs]
        pattern = _with_items(formula.pattern, items)
        return replace(formula, pattern=pattern, body=self.formula(formula.body, inner))

    def block_name(self, item: m.Argument) -> None:
        if isinstance(item, m.Variable):
            message = f"'{item.name}' already has a meaning here; give the block another name"
        else:
            message = f"a block of H or F is a new name or '_', not {print_term(item)}"
        self.problems.add(item.place, message)

    def distinct(self, pairs: list[tuple[m.Argument, Slot]]) -> list[tuple[m.Argument, Slot]]:
        """The items of a pattern; a name that stands there twice is a mistake."""
        seen: set[str] = set()
        kept = []
        for item, slot in pairs:
            if isinstance(item, m.Variable) and slot.type is not Type.FUNCTION:
                if item.name in seen:
                    self.problems.add(item.place, f"'{item.name}' stands twice in this pattern")
                    item = m.Wildcard(place=item.place)
                else:
                    seen.add(item.name)
            kept.append((item, slot))
        return kept

    def item(self, item: m.Argument, slot: Slot, scope: Locals) -> m.Argument:
        """An element of a pattern, or an argument of a predicate."""
        if isinstance(item, m.Wildcard):
            return item
        if slot.type is Type.FUNCTION:
            return self.function(item, scope)
        if isinstance(item, m.FunctionName):
            message = f"a function name stands where {describe_type(slot.type)} is expected"
            self.problems.add(item.place, message)
            return item
        return self.term(item, slot.type, scope)

    def function(self, item: m.Argument, scope: Locals) -> m.Argument:
        if isinstance(item, m.FunctionName):
            return item
        if not isinstance(item, m.Variable):
            message = f"{print_term(item)} stands where the name of a function is expected"
            self.problems.add(item.place, message)
            return m.FunctionName("main", False, place=item.place)
        if self.known(item.name, scope):
            return self.term(item, Type.FUNCTION, scope)
        return m.FunctionName(item.name, False, place=item.place)

    # -- terms --

    def known(self, name: str, scope: Locals) -> bool:
        return name in scope or name in self.types

    def term(self, term: m.Term, wanted: Type, scope: Locals) -> m.Term:
        """The term, typed; adds a problem if it can have none of the types wanted."""
        result = self.typed(term, wanted, scope)
        if not result.type & wanted:
            message = f"{_described(result)} stands where {describe_type(wanted)} is expected"
            self.problems.add(term.place, message)
            return result
        self.narrow(result, wanted, scope)
        return self.typed(term, wanted, scope) if isinstance(term, m.Variable) else result

    def typed(self, term: m.Term, wanted: Type, scope: Locals) -> m.Term:
        match term:
            case m.Variable(name=name) if name in self.labels and not self.known(name, scope):
                return m.Number(self.labels[name], label=name, type=Type.INT, place=term.place)
            case m.Variable(name=name):
                return replace(term, type=self.variable_type(term, scope, name))
            case m.Apply(function=name, args=args):
                if name in LABEL_FUNCTIONS and not self.has_labels:
                    self.problems.add(term.place, f"{name} of nothing: no domain declares a label")
                parameters = FUNCTIONS[name].parameters
                typed = tuple(self.term(arg, p, scope) for arg, p in zip(args, parameters, strict=False))
                return replace(term, args=typed)
            case m.Negative(operand=operand):
                return replace(term, operand=self.term(operand, Type.INT, scope))
            case m.Binary():
                return self.binary(term, wanted, scope)
            case m.Constant(name=name) if CONSTANTS[name].points:
                self.local.setdefault(name, term)
                return term
            case _:
                return term

    def variable_type(self, variable: m.Variable, scope: Locals, name: str) -> Type:
        self.used.add(name)
        if name in scope:
            return scope[name]
        if name in self.types:
            return self.types[name]
        names = sorted({*scope, *self.types, *self.labels})
        hint = did_you_mean(name, names) or f" (known here: {', '.join(names) or 'none'})"
        self.problems.add(variable.place, f"unknown variable '{name}'{hint}")
        return Type.ANY

    def narrow(self, term: m.Argument, allowed: Type, scope: Locals) -> None:
        """A parameter or free variable can only have types that all its uses allow."""
        if isinstance(term, m.Variable) and term.name not in scope and term.name in self.inferred:
            self.types[term.name] &= allowed

    def binary(self, term: m.Binary, wanted: Type, scope: Locals) -> m.Term:
        left, right = self.term(term.left, Type.VALUE, scope), self.term(term.right, Type.VALUE, scope)
        table = _ARITHMETIC[term.op]
        possible = [(a, b) for a, b in table if a in left.type and b in right.type]
        fitting = [pair for pair in possible if table[pair] & wanted] or possible
        result = Type(0)
        for pair in fitting:
            result |= table[pair]
        if not fitting:
            both = f"{_described(left)} and {_described(right)}".rstrip(",")
            message = f"'{term.op}' cannot be applied to {both}"
            self.problems.add(term.place, message)
            return replace(term, left=left, right=right, type=Type.ANY)
        self.narrow(left, _union(a for a, _ in fitting), scope)
        self.narrow(right, _union(b for _, b in fitting), scope)
        if term.op == "+" and ((_is_now(left) and _positive(right)) or (_positive(left) and _is_now(right))):
            message = "this refers to the future: a rule can speak only of events before Now"
            self.problems.add(term.place, message)
        return replace(term, left=left, right=right, type=result)


def _union(types: Iterable[Type]) -> Type:
    result = Type(0)
    for type_ in types:
        result |= type_
    return result


def _is_now(term: m.Term) -> bool:
    return isinstance(term, m.Constant) and term.name == "Now"


def _positive(term: m.Term) -> bool:
    return isinstance(term, m.Number) and term.value > 0


def _described(term: m.Argument) -> str:
    return f"{print_term(term)}, {describe_type(term.type)},"


def _with_items(pattern: m.Pattern, items: list[m.Argument]) -> m.Pattern:
    match pattern:
        case m.EventPattern():
            return replace(pattern, time=items[0], fields=tuple(items[1:]))
        case m.BlockPattern():
            return replace(pattern, block=items[0])
        case m.PointerPattern():
            return replace(pattern, pointer=items[0], block=items[1], index=items[2])
