"""Z3 behind the protocol of solvers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from whence.exploring.solvers import Answer
from whence.exploring.terms import CONSTANT, OP, VARIABLE, Terms


def _bit(condition: Any) -> Any:
    return z3.If(condition, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))


_FUNCTIONS: dict[int, Callable[..., Any]] = {
    OP["ADD"]: lambda a, b: a + b,
    OP["SUB"]: lambda a, b: a - b,
    OP["MUL"]: lambda a, b: a * b,
    OP["UDIV"]: z3.UDiv,
    OP["SDIV"]: lambda a, b: a / b,
    OP["UREM"]: z3.URem,
    OP["SREM"]: z3.SRem,
    OP["SHL"]: lambda a, b: a << b,
    OP["LSHR"]: z3.LShR,
    OP["ASHR"]: lambda a, b: a >> b,
    OP["AND"]: lambda a, b: a & b,
    OP["OR"]: lambda a, b: a | b,
    OP["XOR"]: lambda a, b: a ^ b,
    OP["NOT"]: lambda a: ~a,
    OP["EQ"]: lambda a, b: _bit(a == b),
    OP["ULT"]: lambda a, b: _bit(z3.ULT(a, b)),
    OP["ULE"]: lambda a, b: _bit(z3.ULE(a, b)),
    OP["SLT"]: lambda a, b: _bit(a < b),
    OP["SLE"]: lambda a, b: _bit(a <= b),
    OP["ITE"]: lambda a, b, c: z3.If(a == 1, b, c),
    OP["CONCAT"]: z3.Concat,
}


class Z3Solver:
    """One incremental solver; terms are converted once."""

    name = "z3"

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._made: dict[int, Any] = {}
        self._solver = z3.SimpleSolver()
        self._limit = 0

    def forget(self) -> None:
        self.__init__(self._terms)  # type: ignore[misc]

    def check(self, conditions: Sequence[int], milliseconds: int) -> Answer:
        if milliseconds != self._limit:
            self._limit = milliseconds
            self._solver.set("timeout", milliseconds)
        self._solver.push()
        try:
            for each in conditions:
                self._solver.add(self._term(each) == 1)
            result = self._solver.check()
            if result == z3.unknown:
                return Answer(unknown=True)
            if result == z3.unsat:
                return Answer(core=tuple(conditions))
            return Answer(model=self._values(conditions))
        finally:
            self._solver.pop()

    def _values(self, conditions: Sequence[int]) -> dict[int, int]:
        support = 0
        for each in conditions:
            support |= self._terms.support[each]
        model = self._solver.model()
        return {
            number: model.eval(z3.BitVec(f"v{number}", 8), True).as_long()
            for number in self._terms.members(support)
        }

    def _term(self, root: int) -> Any:
        for term in self._terms.needed([root], self._made):
            self._made[term] = self._convert(term)
        return self._made[root]

    def _convert(self, term: int) -> Any:
        terms = self._terms
        operator, width, parameter = terms.operator[term], terms.width[term], terms.parameter[term]
        if operator == CONSTANT:
            return z3.BitVecVal(parameter, width)
        if operator == VARIABLE:
            return z3.BitVec(f"v{parameter}", 8)
        operands = [self._made[each] for each in terms.operands[term]]
        if operator == OP["EXTRACT"]:
            return z3.Extract(parameter + width - 1, parameter, operands[0])
        if operator in (OP["ZEXT"], OP["SEXT"]):
            extend = z3.ZeroExt if operator == OP["ZEXT"] else z3.SignExt
            return extend(width - terms.width[terms.operands[term][0]], operands[0])
        if operator == OP["LOOKUP"]:
            return terms.tables[parameter].choose(
                lambda value: z3.BitVecVal(value, width),
                lambda bound, low, high: z3.If(z3.ULT(operands[0], z3.BitVecVal(bound, 64)), low, high),
            )
        return _FUNCTIONS[operator](*operands)
