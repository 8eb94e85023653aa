"""The meaning of rules: an interpreter over an explicit trace.

It follows the definitions and nothing else: no expansion of predicates, no
order but the one that binding needs, no index but one that a `World` may bring
(`by_block`; this one has none). Engines are tested against it. All choices are
explored, so `witnesses` gives every way in which a rule holds; an engine fires
once for each witness block, or once if there is none. The witness is the block
of the first quantifier over H or F, in the order of the text, that is reached
from the root through `and` and definitions only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from whence.rules import binding
from whence.rules import model as m
from whence.rules.arithmetic import COMPARE, arithmetic, integer, word, wrap
from whence.rules.indexing import block_key
from whence.rules.ruleset import RuleSet
from whence.rules.vocabulary import CONSTANTS, Type
from whence.rules.world import Redex, World


@dataclass(frozen=True)
class Witness:
    """One way in which a rule holds: the block it quantifies over, and the values to trace (undefined: 0).

    `sources`: for each value that was matched with a field of an event, the
    event's time and the field's number (0 is the time itself).
    """

    block: int | None
    values: tuple[int, ...]
    sources: tuple[tuple[int, int] | None, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class _Value:
    """A number; for a pointer of known derivation its block (None: of no block).

    `is_block`: the number is a block id; `source`: as in `Witness`.
    """

    number: int | str
    derived: bool = False
    block: int | None = None
    is_block: bool = False
    source: tuple[int, int] | None = None


@dataclass(frozen=True)
class _Cell:
    """A variable; `result`: it gets its value by matching and has no quantifier."""

    key: int
    result: bool


_Scope = Mapping[str, _Cell]


@dataclass(frozen=True)
class _Store:
    values: Mapping[int, _Value | None]  # None: a parameter whose argument is undefined
    witness: int | None = None

    def bind(self, cell: _Cell, value: _Value | None) -> _Store:
        return replace(self, values={**self.values, cell.key: value})


def witnesses(rule: m.Rule, rules: RuleSet, world: World, redex: Redex) -> list[Witness]:
    """Every way in which the rule's condition holds; none if the redex is not at its detection point."""
    if redex.code not in rule.point.info.codes:
        return []
    if rule.point.function is not None and rule.point.function not in redex.values:
        return []
    return _Interpreter(rules.by_name, world, redex).rule(rule)


def fires(rule: m.Rule, rules: RuleSet, world: World, redex: Redex) -> bool:
    """Whether the rule's condition holds."""
    return bool(witnesses(rule, rules, world, redex))


class _Interpreter:
    def __init__(self, predicates: Mapping[str, m.Predicate], world: World, redex: Redex) -> None:
        self.predicates = predicates
        self.world = world
        self.redex = redex
        self.cells = 0

    def rule(self, rule: m.Rule) -> list[Witness]:
        scope: dict[str, _Cell] = {}
        store = _Store({})
        for arg, number in zip_longest(rule.point.args, self.redex.values):
            if isinstance(arg, m.Variable):
                scope[arg.name] = self.cell(False)
                if number is None:  # an argument that the world does not know
                    store = store.bind(scope[arg.name], None)
                    continue
                is_redex = rule.point.info.has_pointer and arg is rule.point.args[0]
                block = self.redex.block if is_redex else None
                value = _Value(number, is_redex, block, arg.type == Type.BID)
                store = store.bind(scope[arg.name], value)
        self.scoped(scope, rule.condition)
        found = [
            Witness(
                each.witness,
                tuple(self.traced(term, scope, each) for term in rule.trace),
                tuple(self.source(term, scope, each) for term in rule.trace),
            )
            for each in self.solve(rule.condition, scope, store, True)
        ]
        return list(dict.fromkeys(found))

    def traced(self, term: m.Term, scope: _Scope, store: _Store) -> int:
        value = self.term(term, scope, store)
        return 0 if value is None else integer(value.number) % (1 << 64)

    def source(self, term: m.Term, scope: _Scope, store: _Store) -> tuple[int, int] | None:
        value = store.values[scope[term.name].key] if isinstance(term, m.Variable) else None
        return None if value is None else value.source

    def cell(self, result: bool) -> _Cell:
        self.cells += 1
        return _Cell(self.cells, result)

    def scoped(self, scope: dict[str, _Cell], body: m.Formula) -> None:
        """Adds the free variables of a rule or a definition."""
        for variable in binding.free_variables(body, frozenset(scope)):
            if variable.name not in scope:
                scope[variable.name] = self.cell(True)

    # -- formulas: solve yields the stores in which one holds, refute those in which it does not --

    def solve(self, formula: m.Formula, scope: _Scope, store: _Store, top: bool) -> Iterator[_Store]:
        match formula:
            case m.Truth(value=value):
                if value:
                    yield store
            case m.Compare():
                if self.compare(formula, scope, store):
                    yield store
            case m.Not(operand=operand):
                yield from self.refute(operand, scope, store, top)
            case m.And(operands=operands):
                yield from self.conjunction(operands, scope, store, top)
            case m.Or(operands=operands):
                for operand in operands:
                    yield from self.solve(operand, scope, store, False)
            case m.Implies(left=left, right=right):
                yield from self.refute(left, scope, store, False)
                yield from self.solve(right, scope, store, False)
            case m.Exists(pattern=pattern, domain=domain, body=body):
                only = self.only_block(formula, scope, store) if self.world.by_block else None
                for inner, matched in self.matches(pattern, domain, scope, store, top, only):
                    yield from self.solve(body, inner, matched, False)
            case m.ForAll():
                if not any(True for _ in self.refute(formula, scope, store, False)):
                    yield store
            case m.FindLast(pattern=pattern):
                yield from self.find_last(pattern, scope, store)
            case m.Call():
                inner, body, entered = self.enter(formula, scope, store)
                yield from self.solve(body, inner, entered, top)
            case m.Some():
                raise AssertionError("checked rules hold no Some")

    def refute(self, formula: m.Formula, scope: _Scope, store: _Store, top: bool) -> Iterator[_Store]:
        """As `solve`, for the negation; it binds nothing that is used outside."""
        match formula:
            case m.Not(operand=operand):
                yield from self.solve(operand, scope, store, top)
            case m.And(operands=operands):
                for operand in operands:
                    yield from self.refute(operand, scope, store, False)
            case m.Or(operands=operands):
                yield from self.conjunction(tuple(map(m.Not, operands)), scope, store, top)
            case m.Implies(left=left, right=right):
                yield from self.conjunction((left, m.Not(right)), scope, store, top)
            case m.ForAll(pattern=pattern, domain=domain, body=body):
                for inner, matched in self.matches(pattern, domain, scope, store, top):
                    yield from self.refute(body, inner, matched, False)
            case m.Call() if not self.has_own_variables(formula):
                inner, body, entered = self.enter(formula, scope, store)
                yield from self.refute(body, inner, entered, top)
            case _:
                if not any(True for _ in self.solve(formula, scope, store, False)):
                    yield store

    def has_own_variables(self, call: m.Call) -> bool:
        """Whether the call has variables of its own, so that its negation is "no values exist"."""
        predicate = self.predicates[call.predicate]
        names = frozenset(parameter.name for parameter in predicate.parameters)
        own = any(True for _ in binding.free_variables(predicate.body, names))
        return own or any(isinstance(arg, m.Wildcard) for arg in call.args)

    def has_witness(self, formula: m.Formula, positive: bool = True) -> bool:
        """Whether a quantifier over H or F is reached through `and` and definitions only."""
        match formula:
            case m.Exists(domain=domain):
                return positive and domain in ("H", "F")
            case m.ForAll(domain=domain):
                return not positive and domain in ("H", "F")
            case m.And(operands=operands) | m.Or(operands=operands):
                is_and = isinstance(formula, m.And) == positive
                return is_and and any(self.has_witness(each, positive) for each in operands)
            case m.Implies(left=left, right=right):
                return not positive and (self.has_witness(left) or self.has_witness(right, False))
            case m.Not(operand=operand):
                return self.has_witness(operand, not positive)
            case m.Call(predicate=name):
                pushed = positive or not self.has_own_variables(formula)
                return pushed and self.has_witness(self.predicates[name].body, positive)
            case _:
                return False

    def conjunction(
        self, operands: tuple[m.Formula, ...], scope: _Scope, store: _Store, top: bool
    ) -> Iterator[_Store]:
        """Solves next what can be solved with the values there are."""
        witness = next((each for each in operands if top and self.has_witness(each)), None)
        yield from self.conjuncts(operands, witness, scope, store)

    def conjuncts(
        self, operands: tuple[m.Formula, ...], witness: m.Formula | None, scope: _Scope, store: _Store
    ) -> Iterator[_Store]:
        if not operands:
            yield store
            return
        bound = frozenset(name for name, cell in scope.items() if cell.key in store.values)
        free = frozenset(scope)
        first = next(each for each in operands if not binding.needs(each, bound, free, self.predicates))
        rest = tuple(each for each in operands if each is not first)
        for solved in self.solve(first, scope, store, first is witness):
            yield from self.conjuncts(rest, witness, scope, solved)

    def enter(self, call: m.Call, scope: _Scope, store: _Store) -> tuple[_Scope, m.Formula, _Store]:
        """The scope of a predicate's body: a variable is passed as itself, other arguments by value."""
        predicate = self.predicates[call.predicate]
        inner: dict[str, _Cell] = {}
        for parameter, arg in zip(predicate.parameters, call.args, strict=True):
            if isinstance(arg, m.Wildcard):
                inner[parameter.name] = self.cell(True)
            elif isinstance(arg, m.Variable):
                inner[parameter.name] = scope[arg.name]
            else:
                inner[parameter.name] = self.cell(False)
                store = store.bind(inner[parameter.name], self.argument(arg, scope, store))
        self.scoped(inner, predicate.body)
        return inner, predicate.body, store

    def matches(
        self,
        pattern: m.Pattern,
        domain: str,
        scope: _Scope,
        store: _Store,
        top: bool,
        only: int | None = None,
    ) -> Iterator[tuple[_Scope, _Store]]:
        inner = dict(scope)
        for item in pattern.items:
            if isinstance(item, m.Variable) and item.name not in inner:
                inner[item.name] = self.cell(False)
        for element in self.world.elements(pattern, domain, only):
            matched = self.match(pattern, element, inner, store)
            if matched is not None and top and domain in ("H", "F"):
                matched = replace(matched, witness=integer(element[0]))
            if matched is not None:
                yield inner, matched

    def only_block(self, formula: m.Exists, scope: _Scope, store: _Store) -> int | None:
        """The block whose events alone can make the formula true; 0, which is none, if that is undefined."""
        bound = frozenset(name for name, cell in scope.items() if cell.key in store.values)
        key = block_key(formula, bound)
        if key is None:
            return None
        value = self.term(key, scope, store) if isinstance(key, m.Term) else None
        return 0 if value is None else integer(value.number)

    def match(
        self, pattern: m.Pattern, element: tuple[int | str, ...], scope: _Scope, store: _Store
    ) -> _Store | None:
        for slot, (item, found) in enumerate(zip_longest(pattern.items, element)):
            if item is None or isinstance(item, m.Wildcard):
                continue
            if found is None:  # an argument that the world does not know
                return None
            if isinstance(item, m.Variable) and scope[item.name].key not in store.values:
                source = (integer(element[0]), slot) if isinstance(pattern, m.EventPattern) else None
                matched = _Value(found, is_block=item.type == Type.BID, source=source)
                store = store.bind(scope[item.name], matched)
                continue
            value = self.argument(item, scope, store)
            if value is None or value.number != found:
                return None
        return store

    def find_last(self, pattern: m.EventPattern, scope: _Scope, store: _Store) -> Iterator[_Store]:
        """Variables without a quantifier are results: compared only after the event is found."""
        time, *fields = (
            m.Wildcard() if isinstance(item, m.Variable) and scope[item.name].result else item
            for item in pattern.items
        )
        asked = replace(pattern, time=time, fields=tuple(fields))
        for element in self.world.elements(pattern, "trace"):
            if self.match(asked, element, scope, store) is not None:
                matched = self.match(pattern, element, scope, store)
                if matched is not None:
                    yield matched
                return

    def compare(self, formula: m.Compare, scope: _Scope, store: _Store) -> bool:
        left, right = self.term(formula.left, scope, store), self.term(formula.right, scope, store)
        if left is None or right is None:
            return False
        return COMPARE[formula.op](integer(left.number), integer(right.number))

    # -- terms: None is undefined --

    def argument(self, argument: m.Argument, scope: _Scope, store: _Store) -> _Value | None:
        if isinstance(argument, m.FunctionName):
            return _Value(argument.name)
        assert not isinstance(argument, m.Wildcard)
        return self.term(argument, scope, store)

    def term(self, term: m.Term, scope: _Scope, store: _Store) -> _Value | None:
        match term:
            case m.Number(value=value):
                return _Value(value)
            case m.Constant(name=name):
                value_ = CONSTANTS[name].value
                number = self.redex.given(name) if value_ is None else value_
                return None if number is None else _Value(number)
            case m.Variable(name=name):
                return store.values[scope[name].key]
            case m.Negative(operand=operand):
                inner = self.term(operand, scope, store)
                return None if inner is None else _Value(wrap(-integer(inner.number)))
            case m.Binary():
                return self.binary(term, scope, store)
            case m.Apply(function="Value", args=args):
                return self.load(args, scope, store)
            case m.Apply(function="Labels" | "ListLabels" as name, args=args):
                given = [self.term(each, scope, store) for each in args]
                numbers = [word(each.number) for each in given if each is not None]
                return _Value(self.world.labels(name, *numbers)) if len(numbers) == len(args) else None
            case m.Apply(function="Kind", args=(pointer,)):
                address = self.term(pointer, scope, store)
                return None if address is None else _Value(self.world.kind(word(address.number)))
            case m.Apply():
                return self.apply(term, scope, store)

    def binary(self, term: m.Binary, scope: _Scope, store: _Store) -> _Value | None:
        left, right = self.term(term.left, scope, store), self.term(term.right, scope, store)
        if left is None or right is None:
            return None
        number = arithmetic(term.op, integer(left.number), integer(right.number))
        if term.op not in "+-" or not term.type & Type.POINTER:
            return _Value(number)
        left_is_pointer = bool(term.left.type & Type.POINTER) and not isinstance(term.left, m.Number)
        base = left if left_is_pointer or term.op == "-" else right
        block = base.block if base.derived else self.world.find(word(base.number))
        return _Value(number, True, block)

    def load(self, args: tuple[m.Term, ...], scope: _Scope, store: _Store) -> _Value | None:
        address = self.term(args[0], scope, store)
        width = args[1].value if len(args) == 2 and isinstance(args[1], m.Number) else 8
        loaded = None if address is None else self.world.load(word(address.number), width)
        return None if loaded is None else _Value(loaded)

    def apply(self, term: m.Apply, scope: _Scope, store: _Store) -> _Value | None:
        inner = self.term(term.args[0], scope, store)
        bid = None if inner is None else self.block(inner)
        if inner is None or bid is None:
            return None
        begin, size = self.world.begins[bid], self.world.sizes[bid]
        values = {
            "Bid": bid,
            "Begin": begin,
            "End": begin + size,
            "Size": size,
            "Family": self.world.families.get(bid, 0),
            "Align": self.world.aligns.get(bid, 0),
            "Time": self.world.times[bid],
            "Idx": integer(inner.number) - begin,
        }
        return _Value(values[term.function], is_block=term.function == "Bid")

    def block(self, value: _Value) -> int | None:
        """Block ids stand for themselves; pointers have a block by derivation, or by address."""
        if value.is_block:
            return integer(value.number)
        return value.block if value.derived else self.world.find(word(value.number))
