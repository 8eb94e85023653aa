"""Steps at which nothing is wrong, and whether a rule could hold at one.

An engine need not show rules every allocation, copied byte and argument: only
the *suspect* ones. A step is not suspect

* at `alloc`: where `count * size <= MaxSize`, align is a power of two, and
  `align >= least`;
* at `copy`: where `r + n <= s` or `s + m <= r`;
* at `argument`: where `r >= NullPage`;
* at `length`: where `m >= n`;
* at `add`, `subtract`, `multiply`: where the result is from low to high;
* at `divide`: where `y != 0`, and `y != -1` or `x > low`;
* at `shift` and `index`: where `0 <= k < w`, `0 <= i < n`;
* at the other points of undefined behaviour: where the step is defined, or does not wrap around.

Each of these is a list of *cases* (`whence.abi.points.Fine`): values of some names, and sums that
are not negative. A condition that is false in every case is one for which suspect steps
are enough. Comparisons are decided where the two sides differ by such a sum and
a constant; numbers of the language are exact, so nothing wraps around.
"""

from __future__ import annotations

from collections.abc import Mapping

from whence.abi.points import ONE, PRODUCT, Fine
from whence.rules import model as m
from whence.rules.arithmetic import arithmetic
from whence.rules.expand import Condition
from whence.rules.linear import Linear, added, constant, linear

_ADDRESS_BITS = 64


def holds_at_suspect_only(condition: Condition) -> bool:
    """Whether the condition of a rule is false at every step that the engines do not show."""
    point = condition.rule.point
    suspects = point.info.suspects
    if suspects is None:
        return True
    names = {
        slot.name: arg.name if isinstance(arg, m.Variable) else f"{slot.name}."
        for slot, arg in zip(point.info.slots, point.args, strict=False)
    }
    factors = {names[each] for each in suspects.factors}
    return all(_Truth(case, names, factors).of(condition.formula) is False for case in suspects.fine)


class _Truth:
    """Truth of formulas in one case: True, False, or None where the case does not tell."""

    def __init__(self, case: Fine, names: Mapping[str, str], factors: set[str]) -> None:
        self.values = {names[slot]: value for slot, value in case.values.items()}
        self.sums = [{names.get(part, part): factor for part, factor in each.items()} for each in case.sums]
        self.factors = factors

    def of(self, formula: m.Formula) -> bool | None:
        match formula:
            case m.Truth(value=value):
                return value
            case m.Compare(op=op, left=left, right=right):
                return self.compared(op, left, right)
            case m.Not(operand=operand):
                return _opposite(self.of(operand))
            case m.And(operands=operands):
                return self.decided(operands, False)
            case m.Or(operands=operands):
                return self.decided(operands, True)
            case m.Exists(body=body) | m.Some(body=body):
                return False if self.of(body) is False else None
            case _:
                return None

    def decided(self, operands: tuple[m.Formula, ...], deciding: bool) -> bool | None:
        values = [self.of(operand) for operand in operands]
        if deciding in values:
            return deciding
        return None if None in values else not deciding

    def compared(self, op: str, left: m.Term, right: m.Term) -> bool | None:
        first, second = self.sum(left), self.sum(right)
        if first is None or second is None:
            return None
        above = self.positive(added(first, second, -1))
        below = self.positive(added(second, first, -1))
        match op:
            case ">":
                return above
            case "<=":
                return _opposite(above)
            case "<":
                return below
            case ">=":
                return _opposite(below)
        equal = False if above or below else True if above is False and below is False else None
        return equal if op == "==" else _opposite(equal)

    def positive(self, sum_: Linear) -> bool | None:
        for known in ({}, *self.sums):
            least = constant(added(sum_, known, -1))
            if least is not None and least > 0:
                return True
            most = constant(added(sum_, known, 1))
            if most is not None and most <= 0:
                return False
        return None

    def sum(self, term: m.Term) -> Linear | None:
        """The term as a sum of names, and of the product of the factors; None if it is none."""
        return linear(term, self.known)

    def known(self, term: m.Term) -> Linear | None:
        match term:
            case m.Variable(name=name):
                value = self.values.get(name)
                return {name: 1} if value is None else {ONE: value}
            case m.Binary(op=op) if op not in "+-":
                return self.product_or_constant(term)
            case _:
                return None

    def product_or_constant(self, term: m.Binary) -> Linear | None:
        first, second = self.sum(term.left), self.sum(term.right)
        if term.op == "*" and {str(term.left), str(term.right)} == self.factors:
            zero = 0 in [constant(factor) for factor in (first, second) if factor is not None]
            return {} if zero else {PRODUCT: 1}
        if first is None or second is None:
            return None
        a, b = constant(first), constant(second)
        return None if a is None or b is None else {ONE: arithmetic(term.op, a, b)}


def _opposite(truth: bool | None) -> bool | None:
    return None if truth is None else not truth
