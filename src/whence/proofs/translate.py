"""Rules as formulas of the solver, with the semantics that `whence.rules.evaluate` defines.

The translation takes a condition in core form (`whence.rules.expand`). It solves the parts one after the
other, as the interpreter does, each inside the scope of the quantifiers that bind its variables; so a
matched variable needs no quantifier. An atom with an undefined value is false: each term carries the
formula that says when it is defined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import zip_longest

import z3

from whence.proofs import terms
from whence.proofs.logic import BLOCK, EVENT, POINTER, Number, Truth, exists, forall
from whence.proofs.symbols import EVENT_CODES, Redex, View, function_code
from whence.proofs.terms import Bounded
from whence.rules import model as m
from whence.rules.expand import Condition, expand
from whence.rules.ruleset import RuleSet
from whence.rules.vocabulary import CONSTANTS, EVENTS, Type

TRUE, FALSE = z3.BoolVal(True), z3.BoolVal(False)


@dataclass(frozen=True)
class _Value:
    """A value: its number, when it is defined, and the block that a pointer was derived from.

    `block`: whether there is one, and which; None for a pointer whose block is found by its address.
    """

    number: Bounded
    defined: Truth = TRUE
    block: tuple[Truth, Number] | None = None
    is_block: bool = False


Scope = Mapping[str, _Value]
Then = Callable[[Scope], Truth]


def holds(rule: m.Rule, rules: RuleSet, view: View, redex: Redex) -> Truth:
    """Whether the rule fires at this step, which is at its detection point."""
    return Translator(expand(rule, rules), view, redex).condition()


def holds_for(rule: m.Rule, rules: RuleSet, view: View, redex: Redex, block: Number) -> Truth:
    """Whether the rule, which has a witness (`Condition.has_witness`), fires for this block."""
    return Translator(expand(rule, rules), view, redex, block).condition()


class Translator:
    """Translates one condition. Quantifiers range over the elements of the view."""

    def __init__(self, condition: Condition, view: View, redex: Redex, witness: Number | None = None) -> None:
        self.core = condition
        self.view = view
        self.redex = redex
        self.witness = witness

    def condition(self) -> Truth:
        scope: dict[str, _Value] = {}
        point = self.core.rule.point
        for i, (arg, number) in enumerate(zip_longest(point.args, self.redex.values)):
            if isinstance(arg, m.Variable) and number is None:  # an argument that the machine does not know
                scope[arg.name] = _Value(terms.word(z3.IntVal(0)), FALSE)
            elif isinstance(arg, m.Variable):
                is_redex = point.info.has_pointer and i == 0
                block = (self.redex.has_block, self.redex.block) if is_redex else None
                is_block = arg.type == Type.BID
                scope[arg.name] = _Value(terms.word(number), block=block, is_block=is_block)
        if self.witness is not None:
            return self.of_witness(scope, self.witness)
        return self.solve(self.core.formula, scope, lambda _: TRUE)

    def of_witness(self, scope: Scope, block: Number) -> Truth:
        root = self.core.formula
        assert self.core.has_witness and isinstance(root, m.Exists)
        member = self.view.live if root.domain == "H" else self.view.freed
        matched = self.match(
            root.pattern.items, (block,), scope, lambda inner: self.solve(root.body, inner, lambda _: TRUE)
        )
        return z3.And(member(block), matched)

    # -- formulas --

    def solve(self, formula: m.Formula, scope: Scope, then: Then) -> Truth:
        """The formula holds, and so does `then` of the scope with the variables that it binds."""
        match formula:
            case m.Truth(value=value):
                return then(scope) if value else FALSE
            case m.Compare():
                return z3.And(self.compare(formula, scope), then(scope))
            case m.Not(operand=operand):
                return z3.And(z3.Not(self.solve(operand, scope, lambda _: TRUE)), then(scope))
            case m.And(operands=()):
                return then(scope)
            case m.And(operands=(first, *rest)):
                later = m.And(tuple(rest))
                return self.solve(first, scope, lambda inner: self.solve(later, inner, then))
            case m.Or(operands=operands):
                return z3.Or(*(self.solve(operand, scope, then) for operand in operands))
            case m.Exists(pattern=pattern, domain=domain, body=body):
                return self.exists(pattern, domain, scope, lambda inner: self.solve(body, inner, then))
            case m.FindLast(pattern=pattern):
                return self.find_last(pattern, scope, then)
            case m.Some(body=body):
                return self.solve(body, scope, then)
        raise AssertionError(f"core form has no {type(formula).__name__}")

    def compare(self, formula: m.Compare, scope: Scope) -> Truth:
        left, right = self.term(formula.left, scope), self.term(formula.right, scope)
        a, b = left.number.number, right.number.number
        relation = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}
        return z3.And(left.defined, right.defined, relation[formula.op])

    def exists(self, pattern: m.Pattern, domain: str, scope: Scope, then: Then) -> Truth:
        if isinstance(pattern, m.EventPattern):
            return exists(EVENT, lambda i: self.event(pattern, i, scope, then))
        if isinstance(pattern, m.BlockPattern):
            member = self.view.live if domain == "H" else self.view.freed
            return exists(BLOCK, lambda b: z3.And(member(b), self.match(pattern.items, (b,), scope, then)))
        entry = self.view.pointer if domain == "P" else self.view.lost
        return exists(
            POINTER,
            lambda p: z3.And(entry(p).present, self.match(pattern.items, entry(p).fields, scope, then)),
        )

    def event(self, pattern: m.EventPattern, i: Number, scope: Scope, then: Then) -> Truth:
        known = len(EVENTS[pattern.event].slots)
        if any(not isinstance(item, m.Wildcard) for item in pattern.fields[known:]):
            return FALSE  # arguments that the machine does not know
        fields = (self.view.time(i), *(self.view.field(i, n) for n in range(known)))
        return z3.And(
            i >= 0,
            i < self.view.length,
            self.view.kind(i) == EVENT_CODES[pattern.event],
            self.match(pattern.items[: len(fields)], fields, scope, then),
        )

    def find_last(self, pattern: m.EventPattern, scope: Scope, then: Then) -> Truth:
        """The last event that matches without the unquantified variables; these must then match, too."""
        results = self.core.free
        items = tuple(
            m.Wildcard() if isinstance(item, m.Variable) and item.name in results else item
            for item in pattern.items
        )
        known = m.EventPattern(pattern.event, items[0], items[1:])

        def matches(i: Number) -> Truth:
            return self.event(known, i, scope, lambda _: TRUE)

        return exists(
            EVENT,
            lambda i: z3.And(
                matches(i),
                forall(EVENT, lambda j: z3.Implies(j > i, z3.Not(matches(j)))),
                self.event(pattern, i, scope, then),
            ),
        )

    def match(
        self, items: tuple[m.Argument, ...], found: tuple[Number, ...], scope: Scope, then: Then
    ) -> Truth:
        inner = dict(scope)
        conditions: list[Truth] = []
        for item, number in zip(items, found, strict=True):
            if isinstance(item, m.Wildcard):
                continue
            if isinstance(item, m.FunctionName):
                conditions.append(number == function_code(item.name))
            elif isinstance(item, m.Variable) and item.name not in inner:
                inner[item.name] = _Value(_found(item, number), is_block=item.type == Type.BID)
            else:
                value = self.term(item, inner)
                conditions += [value.defined, value.number.number == number]
        return z3.And(*conditions, then(inner))

    # -- terms --

    def term(self, term: m.Term, scope: Scope) -> _Value:
        match term:
            case m.Number(value=value):
                return _Value(terms.constant(value))
            case m.Constant(name=name):
                known = CONSTANTS[name].value
                if known is not None:
                    return _Value(terms.constant(known))
                return _Value(self.redex.given(name), self.redex.is_given(name))
            case m.Variable(name=name):
                return scope[name]
            case m.Negative(operand=operand):
                inner = self.term(operand, scope)
                return _Value(terms.negative(inner.number), inner.defined)
            case m.Binary():
                return self.binary(term, scope)
            case m.Apply(function="Value", args=args):
                return self.load(args, scope)
            case m.Apply(function="Labels" | "ListLabels" as function, args=args):
                given = [self.term(each, scope) for each in args]
                words = [terms.as_word(each.number) for each in given]
                sorts = [z3.IntSort()] * (len(words) + 1)
                labels = z3.Function(f"{function}.{len(words)}", *sorts)(*words)
                return _Value(Bounded(labels, 0, 255), z3.And(*(each.defined for each in given)))
            case m.Apply(function="Kind", args=(pointer,)):
                address = self.term(pointer, scope)
                return _Value(terms.word(self.view.kind_at(terms.as_word(address.number))), address.defined)
            case m.Apply(function=function, args=(arg,)):
                return self.of_block(function, self.term(arg, scope))
        raise AssertionError(f"no such term: {term}")

    def binary(self, term: m.Binary, scope: Scope) -> _Value:
        left, right = self.term(term.left, scope), self.term(term.right, scope)
        defined = z3.And(left.defined, right.defined)
        number = terms.binary(term.op, left.number, right.number)
        if term.op not in "+-" or not term.type & Type.POINTER:
            return _Value(number, defined)
        left_is_pointer = bool(term.left.type & Type.POINTER) and not isinstance(term.left, m.Number)
        base = left if left_is_pointer or term.op == "-" else right
        return _Value(number, defined, self.derivation(base))

    def derivation(self, value: _Value) -> tuple[Truth, Number]:
        if value.block is not None:
            return value.block
        address = terms.as_word(value.number)
        return self.view.found(address), self.view.find(address)

    def load(self, args: tuple[m.Term, ...], scope: Scope) -> _Value:
        address = self.term(args[0], scope)
        width = args[1].value if len(args) == 2 and isinstance(args[1], m.Number) else 8
        at = terms.as_word(address.number)
        loaded = Bounded(self.view.load(at, width), 0, (1 << 8 * width) - 1)
        return _Value(loaded, z3.And(address.defined, self.view.loadable(at, width)))

    def of_block(self, function: str, value: _Value) -> _Value:
        if value.is_block:
            known, bid = TRUE, value.number.number
        else:
            known, bid = self.derivation(value)
        begin, size = terms.word(self.view.begin(bid)), terms.word(self.view.size(bid))
        defined = z3.And(value.defined, known)
        match function:
            case "Bid":
                return _Value(terms.word(bid), defined, is_block=True)
            case "Begin":
                return _Value(begin, defined)
            case "End":
                return _Value(terms.binary("+", begin, size), defined)
            case "Size":
                return _Value(size, defined)
            case "Family":
                return _Value(terms.word(self.view.family(bid)), defined)
            case "Align":
                return _Value(terms.word(self.view.align(bid)), defined)
            case "Time":
                return _Value(terms.word(self.view.born(bid)), defined)
            case _:
                return _Value(terms.binary("-", value.number, begin), defined)


def _found(item: m.Variable, number: Number) -> Bounded:
    """A value of the state: a word, or an index, which may be negative."""
    return Bounded(number, 0 if item.type == Type.POINTER else -terms.WORD, terms.WORD - 1)
