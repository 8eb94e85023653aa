"""Terms as sums of symbols, each with a factor: the arithmetic of filters and of suspect steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from whence.abi.points import ONE
from whence.rules import model as m
from whence.rules.vocabulary import CONSTANTS

Linear = Mapping[str, int]
"""Factors of symbols, and of 1. A symbol that cancelled out stays with factor 0: its value is needed."""


def linear(term: m.Term, known: Callable[[m.Term], Linear | None]) -> Linear | None:
    """The term as a sum, None if it is none; `known` has precedence, for each part."""
    sum_ = known(term)
    if sum_ is not None:
        return sum_
    match term:
        case m.Number(value=value):
            return {ONE: value}
        case m.Constant(name=name):
            value_ = CONSTANTS[name].value
            return None if value_ is None else {ONE: value_}
        case m.Negative(operand=operand):
            inner = linear(operand, known)
            return None if inner is None else added({}, inner, -1)
        case m.Binary(op="+" | "-", left=left, right=right):
            first, second = linear(left, known), linear(right, known)
            if first is None or second is None:
                return None
            return added(first, second, 1 if term.op == "+" else -1)
        case _:
            return None


def added(first: Linear, second: Linear, sign: int) -> Linear:
    """first + sign * second"""
    return {name: first.get(name, 0) + sign * second.get(name, 0) for name in sorted({*first, *second})}


def constant(sum_: Linear) -> int | None:
    """The value of a sum in which no symbol is left."""
    left = {name for name, factor in sum_.items() if factor}
    return sum_.get(ONE, 0) if left <= {ONE} else None
