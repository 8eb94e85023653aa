"""Arithmetic of the rule language in the solver's integers.

Numbers of the language have 128 bits. A term that cannot leave that range, by the bounds of its
operands, is plain integer arithmetic; other terms are reduced explicitly, so the translation is exact.
`&` with a constant, shifts by a constant and division are integer arithmetic too; `|` and `^` are
expressed by `&`. The other operations (`&` of two unknown numbers, shifts by an unknown count) are
uninterpreted functions with axioms (`facts`). These are enough for proofs; for counterexamples
`recompute` corrects the results of the functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import z3

from whence.proofs.logic import Expr, Number, Truth, applications
from whence.rules.arithmetic import arithmetic

WORD = 1 << 64
_HALF = 1 << 127
_AND = z3.Function("bit and", z3.IntSort(), z3.IntSort(), z3.IntSort())
_LEFT = z3.Function("shift left", z3.IntSort(), z3.IntSort(), z3.IntSort())
_RIGHT = z3.Function("shift right", z3.IntSort(), z3.IntSort(), z3.IntSort())
_OPERATORS = {_AND.name(): "&", _LEFT.name(): "<<", _RIGHT.name(): ">>"}


@dataclass(frozen=True)
class Bounded:
    """A number of the solver with its least and greatest possible value."""

    number: Number
    low: int
    high: int

    @property
    def constant(self) -> int | None:
        return self.low if self.low == self.high else None


def constant(value: int) -> Bounded:
    return Bounded(z3.IntVal(value), value, value)


def word(number: Number) -> Bounded:
    """A number that is known to have 64 bits."""
    return Bounded(number, 0, WORD - 1)


def negative(term: Bounded) -> Bounded:
    return _wrapped(-term.number, -term.high, -term.low)


def binary(op: str, left: Bounded, right: Bounded) -> Bounded:
    """An operator of the language (`whence.rules.arithmetic.arithmetic`)."""
    a, b = left.constant, right.constant
    if a is not None and b is not None:
        return constant(arithmetic(op, a, b))
    return _OPERATIONS[op](left, right)


def as_word(term: Bounded) -> Number:
    """The number modulo 2**64, as an address."""
    if term.low >= 0 and term.high < WORD:
        return term.number
    return term.number % WORD


def _wrapped(number: Number, low: int, high: int) -> Bounded:
    if low >= -_HALF and high < _HALF:
        return Bounded(number, low, high)
    return Bounded((number + _HALF) % (2 * _HALF) - _HALF, -_HALF, _HALF - 1)


def _plus(left: Bounded, right: Bounded) -> Bounded:
    return _wrapped(left.number + right.number, left.low + right.low, left.high + right.high)


def _minus(left: Bounded, right: Bounded) -> Bounded:
    return _wrapped(left.number - right.number, left.low - right.high, left.high - right.low)


def _times(left: Bounded, right: Bounded) -> Bounded:
    corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    return _wrapped(left.number * right.number, min(corners), max(corners))


def _quotient(left: Bounded, right: Bounded) -> Bounded:
    """Truncates as in C; 0 for a zero divisor."""
    size = _absolute(left.number) / _absolute(right.number)
    negative_ = (left.number < 0) != (right.number < 0)
    number = z3.If(right.number == 0, z3.IntVal(0), z3.If(negative_, -size, size))
    largest = max(abs(left.low), abs(left.high))
    return _wrapped(number, -largest, largest)


def _remainder(left: Bounded, right: Bounded) -> Bounded:
    size = _absolute(left.number) % _absolute(right.number)
    number = z3.If(right.number == 0, z3.IntVal(0), z3.If(left.number < 0, -size, size))
    largest = max(abs(left.low), abs(left.high))
    return Bounded(number, -largest, largest)


def _absolute(number: Number) -> Number:
    return z3.If(number < 0, -number, number)


def _and(left: Bounded, right: Bounded) -> Bounded:
    for term, mask in ((left, right.constant), (right, left.constant)):
        if mask is not None:
            return _masked(term, mask)
    high = min([term.high for term in (left, right) if term.low >= 0], default=_HALF - 1)
    low = 0 if left.low >= 0 or right.low >= 0 else -_HALF
    return Bounded(_AND(left.number, right.number), low, high)


def _masked(term: Bounded, mask: int) -> Bounded:
    """`term & mask`: the sum of the runs of ones in the mask, each cut out by division."""
    if mask < 0:  # x & ~m is x - (x & m)
        rest = _masked(term, ~mask)
        return Bounded(term.number - rest.number, -_HALF, _HALF - 1)
    parts = []
    for begin, end in _runs(mask):
        cut = (term.number / (1 << begin)) % (1 << (end - begin))
        parts.append(cut * (1 << begin))
    return Bounded(z3.Sum(parts) if parts else z3.IntVal(0), 0, mask)


def _runs(mask: int) -> Iterator[tuple[int, int]]:
    """Each run of ones, as first bit and the bit after the last."""
    begin = None
    for bit in range(mask.bit_length() + 1):
        one = bool(mask >> bit & 1)
        if one and begin is None:
            begin = bit
        elif not one and begin is not None:
            yield begin, bit
            begin = None


def _or(left: Bounded, right: Bounded) -> Bounded:
    both = _and(left, right)
    return _within(left.number + right.number - both.number, left, right)


def _xor(left: Bounded, right: Bounded) -> Bounded:
    both = _and(left, right)
    return _within(left.number + right.number - 2 * both.number, left, right)


def _within(number: Number, left: Bounded, right: Bounded) -> Bounded:
    """The result of a bit operation: no wider than its operands."""
    if left.low < 0 or right.low < 0:
        return Bounded(number, -_HALF, _HALF - 1)
    return Bounded(number, 0, (1 << max(left.high.bit_length(), right.high.bit_length())) - 1)


def _shift_left(left: Bounded, right: Bounded) -> Bounded:
    by = right.constant
    if by is None:
        return Bounded(_LEFT(left.number, right.number), -_HALF, _HALF - 1)
    if not 0 <= by < 64:
        return constant(0)
    return _wrapped(left.number * (1 << by), left.low << by, left.high << by)


def _shift_right(left: Bounded, right: Bounded) -> Bounded:
    by = right.constant
    if by is None:
        return Bounded(_RIGHT(left.number, right.number), min(left.low, 0), max(left.high, 0))
    if not 0 <= by < 64:
        return constant(0)
    return Bounded(left.number / (1 << by), left.low >> by, left.high >> by)


_OPERATIONS: dict[str, Callable[[Bounded, Bounded], Bounded]] = {
    "+": _plus,
    "-": _minus,
    "*": _times,
    "/": _quotient,
    "%": _remainder,
    "&": _and,
    "|": _or,
    "^": _xor,
    "<<": _shift_left,
    ">>": _shift_right,
}


def is_power_of_two(number: Number) -> Truth:
    """Whether a number of 64 bits is a power of two."""
    return z3.Or(*(number == 1 << bit for bit in range(64)))


def opaque(formulas: Iterable[Truth]) -> list[Expr]:
    """The applications of uninterpreted operators in the formulas."""
    return applications(formulas, _OPERATORS)


def facts(formulas: Iterable[Truth]) -> list[Truth]:
    """Axioms for the applications of `x & y` in the formulas.

    A separate obligation proves for bit vectors that `n & (n - 1)` is 0 exactly for 0 and powers of two.
    """
    known: list[Truth] = []
    for node in opaque(formulas):
        if node.decl().name() != _AND.name():
            continue
        a, b = node.children()
        for n, other in ((a, b), (b, a)):
            known.append(z3.Implies(n >= 0, z3.And(node >= 0, node <= n)))
            same = z3.And(other == n - 1, n > 0, n < WORD)
            known.append(z3.Implies(same, (node == 0) == is_power_of_two(n)))
    return known


def power_of_two_fact() -> Truth:
    """The fact about `n & (n - 1)`, for bit vectors of 64 bits."""
    n = z3.BitVec("n", 64)
    return z3.Implies(n != 0, ((n & (n - 1)) == 0) == z3.Or(*(n == 1 << bit for bit in range(64))))


def computed(node: Expr) -> Expr | None:
    """The result of an uninterpreted operator; None if its operands are no numerals."""
    operands = node.children()
    if not all(z3.is_int_value(each) for each in operands):
        return None
    a, b = (each.as_long() for each in operands)
    return z3.IntVal(arithmetic(_OPERATORS[node.decl().name()], a, b))


def recompute(model: z3.ModelRef, operators: Iterable[Expr]) -> list[Truth]:
    """Equations with the correct result, for each application whose result in the model is wrong."""
    wrong = []
    for node in operators:
        a, b = (model.eval(child, model_completion=True).as_long() for child in node.children())
        real = arithmetic(_OPERATORS[node.decl().name()], a, b)
        if model.eval(node, model_completion=True).as_long() != real:
            x, y = node.children()
            wrong.append(z3.Implies(z3.And(x == a, y == b), node == real))
    return wrong
