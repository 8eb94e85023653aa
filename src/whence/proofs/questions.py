"""What could make a rule hold at a step: its condition, of the numbers that an exploration knows there.

The translation that proves rules (`whence.proofs.translate`) makes a formula of a rule's condition, in a view
of the state in which one block is known: the one that the pointer of the step was derived from. Whatever
else the condition speaks of (other events, other blocks, contents of memory) may be as it likes, so a
question never asks for less than the rule. What holds at every such step, or at none, is decided by the
solver once; what remains is plain data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, TypeAlias

import z3

from whence.abi.layout import NULL_PAGE_SIZE
from whence.abi.points import ONE, PRODUCT, Fine, Point
from whence.abi.records import KINDS
from whence.proofs.logic import Number, Truth
from whence.proofs.symbols import Entry, Redex, View
from whence.proofs.terms import WORD
from whence.proofs.translate import Scope, Then, Translator
from whence.rules import model as m
from whence.rules.expand import expand
from whence.rules.ruleset import RuleSet

Question: TypeAlias = Any
"""True, False, or a list of an operator and its operands: ``and``, ``or``, ``not`` of conditions, ``<=`` and
``==`` of numbers. Numbers are integers, names, and ``+``, ``*``, ``-``, ``div``, ``mod``, ``if`` of these.
Names are slots of the point; at an access r, ``begin`` and ``size`` of its block, ``Width``, the bytes
accessed, and ``Closed``, how many of these the program has closed."""
KINDS_OF_BLOCKS = ("HEAP", "STACK", "GLOBAL")
"""Of blocks that rules know at an access."""
_MILLISECONDS = 1000
"""For one decision; what takes longer is asked of each path."""
_ADDRESSES = 1 << 47
_KNOWN_BLOCK = 1


def of_access(rule: m.Rule, rules: RuleSet, kind: str) -> Question:
    """Of an access of a live block of this kind that does not leave it; `rule`: at a point of accesses."""
    asking = _Asking(kind)
    number, root, width = asking.known("r"), asking.known("Root"), asking.known("Width")
    begin, size, closed = asking.begin, asking.size, asking.known("Closed")
    always = [
        *(begin >= NULL_PAGE_SIZE, begin + size < _ADDRESSES, width >= 1, width <= size),
        *(number >= begin, number + width <= begin + size, root >= begin, root <= begin + size),
        *(closed >= 0, closed <= width),
    ]
    redex = asking.redex((number,), z3.BoolVal(kind in KINDS_OF_BLOCKS), width, root, closed)
    return asking.question(rule, rules, redex, always)


def of_step(rule: m.Rule, rules: RuleSet, point: Point) -> Question:
    """Of a step at another point, of those that rules see there (`whence.abi.points.Suspects`)."""
    asking = _Asking("")
    numbers = {slot.name: asking.known(slot.name) for slot in point.slots}
    always: list[Truth] = []
    for slot in point.slots:
        least = -WORD // 2 if slot.signed else 0
        always.append(z3.And(numbers[slot.name] >= least, numbers[slot.name] < least + WORD))
    if point.suspects is not None:
        cases = point.suspects.fine
        always += [z3.Not(_is_fine(case, numbers, point.suspects.factors)) for case in cases]
    redex = asking.redex(
        tuple(numbers.values()), asking.unknown_truth(), asking.unknown(), asking.unknown(), asking.unknown()
    )
    return asking.question(rule, rules, redex, always)


def _is_fine(case: Fine, numbers: Mapping[str, Number], factors: tuple[str, ...]) -> Truth:
    def part(name: str) -> Number:
        if name == ONE:
            return z3.IntVal(1)
        if name == PRODUCT:
            return numbers[factors[0]] * numbers[factors[1]]
        return numbers[name]

    sums = [z3.Sum([factor * part(name) for name, factor in each.items()]) >= 0 for each in case.sums]
    return z3.And(*(numbers[name] == value for name, value in case.values.items()), *sums)


class _Asking:
    """The symbols of one question. Numbers of blocks are 1, for the one that is known, and unknown ones,
    which are all others."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.begin, self.size = self.known("begin"), self.known("size")
        self._names = count(1)
        self._unknown: set[str] = set()
        self._others: set[str] = set()

    # -- symbols --

    def known(self, name: str) -> Number:
        return z3.Int(name)

    def unknown(self, *_: Number) -> Number:
        return z3.Int(self._fresh(self._unknown))

    def unknown_truth(self, *_: object) -> Truth:
        return z3.Bool(self._fresh(self._unknown))

    def other_block(self) -> Number:
        return z3.Int(self._fresh(self._others))

    def _fresh(self, names: set[str]) -> str:
        name = f"?{next(self._names)}"
        names.add(name)
        return name

    # -- the state --

    def view(self) -> View:
        def inside(address: Number) -> Truth:
            return z3.And(self.begin <= address, address < self.begin + self.size)

        def of_known(number: Number) -> Callable[[Number], Number]:
            return lambda block: z3.If(block == _KNOWN_BLOCK, number, self.unknown())

        def kind_at(address: Number) -> Number:
            kind = z3.IntVal(KINDS[self.kind]) if self.kind else self.unknown()
            return z3.If(inside(address), kind, self.unknown())

        return View(
            length=z3.IntVal(0),
            kind=self.unknown,
            time=self.unknown,
            field=self.unknown,
            live=self.unknown_truth,
            freed=self.unknown_truth,
            begin=of_known(self.begin),
            size=of_known(self.size),
            born=self.unknown,
            family=self.unknown,
            align=self.unknown,
            pointer=self.entry,
            lost=self.entry,
            found=lambda address: z3.Or(inside(address), self.unknown_truth()),
            find=lambda address: z3.If(inside(address), _KNOWN_BLOCK, self.unknown()),  # or near it
            loadable=self.unknown_truth,
            load=self.unknown,
            kind_at=kind_at,
        )

    def entry(self, _: Number) -> Entry:
        return Entry(self.unknown_truth(), (self.unknown(), self.unknown(), self.unknown()))

    def redex(
        self, values: tuple[Number, ...], has_block: Truth, width: Number, root: Number, closed: Number
    ) -> Redex:
        return Redex(
            values=values,
            has_block=has_block,
            block=z3.IntVal(_KNOWN_BLOCK) if self.kind else self.other_block(),
            width=width,
            now=self.unknown(),
            root=root,
            closed=closed,
            family=self.unknown(),
            sized=self.unknown_truth(),
            given_size=self.unknown(),
            given_align=self.unknown(),
        )

    # -- the question --

    def question(self, rule: m.Rule, rules: RuleSet, redex: Redex, always: list[Truth]) -> Question:
        condition = _OfOneBlock(expand(rule, rules), self.view(), redex)
        condition.asking = self
        formula = z3.simplify(condition.condition(), elim_and=False, local_ctx=False)
        solver = z3.Solver()
        solver.set("timeout", _MILLISECONDS)
        solver.add(*always, *(z3.Int(name) != _KNOWN_BLOCK for name in self._others))
        return _Deciding(solver, {*self._unknown, *self._others, "Root"}).of(formula, True)


class _OfOneBlock(Translator):
    """Quantifiers range over what is known of the one block, and over one element of which nothing is."""

    asking: _Asking

    def exists(self, pattern: m.Pattern, domain: str, scope: Scope, then: Then) -> Truth:
        return z3.Or(*(self._of(each, pattern, scope, then) for each in self._elements(pattern, domain)))

    def _of(
        self, element: tuple[Truth, tuple[Number, ...]], pattern: m.Pattern, scope: Scope, then: Then
    ) -> Truth:
        present, fields = element
        return z3.And(present, self.match(pattern.items, fields, scope, then))

    def _elements(self, pattern: m.Pattern, domain: str) -> Iterator[tuple[Truth, tuple[Number, ...]]]:
        asking = self.asking
        is_heap = asking.kind == "HEAP"
        block = z3.IntVal(_KNOWN_BLOCK)
        if isinstance(pattern, m.BlockPattern):
            if is_heap and domain == "H":
                yield z3.BoolVal(True), (block,)
            if asking.kind not in ("", "HEAP") and domain == "H":
                return
            yield asking.unknown_truth(), (asking.other_block(),)
        elif isinstance(pattern, m.EventPattern) and pattern.event in ("malloc", "free"):
            if is_heap and pattern.event == "malloc":
                yield z3.BoolVal(True), (asking.unknown(), asking.size, block)
            yield asking.unknown_truth(), (asking.unknown(), asking.unknown(), asking.other_block())
        else:
            yield asking.unknown_truth(), tuple(asking.unknown() for _ in pattern.items)

    def find_last(self, pattern: m.EventPattern, scope: Scope, then: Then) -> Truth:
        present = self.asking.unknown_truth()
        fields = tuple(self.asking.unknown() for _ in pattern.items)
        return z3.And(present, self.match(pattern.items, fields, scope, then))


class _Deciding:
    """Makes a question of a formula. What is always true or false becomes that; a comparison that speaks of
    what is not known may hold as well as not, and is taken as it is wanted."""

    def __init__(self, solver: z3.Solver, unknown: set[str]) -> None:
        self.solver = solver
        self.unknown = unknown

    def of(self, formula: Truth, positive: bool) -> Question:
        """The formula, or its negation if not `positive`."""
        operator = formula.decl().kind()
        if z3.is_true(formula) or z3.is_false(formula):
            return z3.is_true(formula) == positive
        if operator == z3.Z3_OP_NOT:
            return self.of(formula.arg(0), not positive)
        if (found := self._decided(formula)) is not None:
            return found == positive
        if operator in (z3.Z3_OP_AND, z3.Z3_OP_OR):
            parts = [self.of(each, positive) for each in formula.children()]
            return _joined((operator == z3.Z3_OP_AND) == positive, parts)
        if operator == z3.Z3_OP_ITE:
            test, yes, no = formula.children()
            return self.of(z3.Or(z3.And(test, yes), z3.And(z3.Not(test), no)), positive)
        if operator in (z3.Z3_OP_EQ, z3.Z3_OP_DISTINCT) and z3.is_bool(formula.arg(0)):
            one, two = formula.children()
            same = z3.Or(z3.And(one, two), z3.And(z3.Not(one), z3.Not(two)))
            return self.of(same, positive == (operator == z3.Z3_OP_EQ))
        made = _data(formula) if self._is_known(formula) else None
        return True if made is None else made if positive else ["not", made]

    def _decided(self, formula: Truth) -> bool | None:
        if self.solver.check(z3.Not(formula)) == z3.unsat:
            return True
        return False if self.solver.check(formula) == z3.unsat else None

    def _is_known(self, formula: Truth) -> bool:
        waiting = [formula]
        while waiting:
            node = waiting.pop()
            is_name = node.decl().kind() == z3.Z3_OP_UNINTERPRETED
            if is_name and (not z3.is_const(node) or node.decl().name() in self.unknown):
                return False
            waiting.extend(node.children())
        return True


def _joined(both: bool, parts: list[Question]) -> Question:
    if (not both) in parts:
        return not both
    parts = [each for each in parts if each is not both]
    if len(parts) < 2:
        return parts[0] if parts else both
    return ["and" if both else "or", *parts]


_RELATIONS = {z3.Z3_OP_LE: "<=", z3.Z3_OP_GE: ">=", z3.Z3_OP_LT: "<", z3.Z3_OP_GT: ">", z3.Z3_OP_EQ: "=="}
_OPERATIONS = {z3.Z3_OP_ADD: "+", z3.Z3_OP_MUL: "*", z3.Z3_OP_SUB: "-"}
_ROUNDED = {z3.Z3_OP_IDIV: "div", z3.Z3_OP_MOD: "mod"}


def _data(node: Any) -> Question:
    """A comparison or a number as data; None for what has no such form."""
    operator = node.decl().kind()
    if z3.is_int_value(node):
        return node.as_long()
    if z3.is_true(node) or z3.is_false(node):
        return z3.is_true(node)
    if z3.is_const(node):
        return node.decl().name() if z3.is_int(node) else None
    parts = [_data(each) for each in node.children()]
    if None in parts:
        return None
    if operator in _RELATIONS:
        return _compared(_RELATIONS[operator], *parts)
    if operator in _OPERATIONS:
        return [_OPERATIONS[operator], *parts]
    if operator == z3.Z3_OP_UMINUS:
        return ["*", -1, *parts]
    if operator in _ROUNDED and isinstance(parts[1], int) and parts[1] > 0:
        return [_ROUNDED[operator], *parts]
    if operator == z3.Z3_OP_ITE:
        return ["if", *parts]
    return {z3.Z3_OP_NOT: ["not", *parts], z3.Z3_OP_AND: ["and", *parts], z3.Z3_OP_OR: ["or", *parts]}.get(
        operator
    )


def _compared(relation: str, one: Question, two: Question) -> Question:
    match relation:
        case ">=":
            return ["<=", two, one]
        case "<":
            return ["not", ["<=", two, one]]
        case ">":
            return ["not", ["<=", one, two]]
    return [relation, one, two]
