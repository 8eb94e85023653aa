"""Bitwuzla behind the protocol of solvers: an optional extra of the package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bitwuzla

from whence.exploring.solvers import Answer
from whence.exploring.terms import CONSTANT, OP, VARIABLE, Table, Terms

_KINDS = {
    "ADD": "BV_ADD",
    "SUB": "BV_SUB",
    "MUL": "BV_MUL",
    "UDIV": "BV_UDIV",
    "SDIV": "BV_SDIV",
    "UREM": "BV_UREM",
    "SREM": "BV_SREM",
    "SHL": "BV_SHL",
    "LSHR": "BV_SHR",
    "ASHR": "BV_ASHR",
    "AND": "BV_AND",
    "OR": "BV_OR",
    "XOR": "BV_XOR",
    "NOT": "BV_NOT",
    "CONCAT": "BV_CONCAT",
}
_PREDICATES = {"EQ": "EQUAL", "ULT": "BV_ULT", "ULE": "BV_ULE", "SLT": "BV_SLT", "SLE": "BV_SLE"}
_OF = {OP[name]: getattr(bitwuzla.Kind, kind) for name, kind in (_KINDS | _PREDICATES).items()}
_IS_PREDICATE = {OP[name] for name in _PREDICATES}


class BitwuzlaSolver:
    """One incremental solver, asked under assumptions, so that what it learns is kept."""

    name = "bitwuzla"

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._manager = bitwuzla.TermManager()
        self._made: dict[int, Any] = {}
        self._conditions: dict[int, Any] = {}
        self._limit = 0
        self._solver: Any = None
        self._one = self._manager.mk_bv_value(self._manager.mk_bv_sort(1), 1)

    def forget(self) -> None:
        self.__init__(self._terms)  # type: ignore[misc]

    def check(self, conditions: Sequence[int], milliseconds: int) -> Answer:
        if self._solver is None or milliseconds != self._limit:
            self._start(milliseconds)
        assumed = {self._condition(each): each for each in conditions}
        result = self._solver.check_sat(*assumed)
        if result == bitwuzla.Result.SAT:
            return Answer(model=self._values(conditions))
        if result == bitwuzla.Result.UNSAT:
            return Answer(core=tuple(assumed[each] for each in self._solver.get_unsat_assumptions()))
        return Answer(unknown=True)

    def _start(self, milliseconds: int) -> None:
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        options.set(bitwuzla.Option.PRODUCE_UNSAT_ASSUMPTIONS, True)
        options.set(bitwuzla.Option.TIME_LIMIT_PER, milliseconds)
        self._solver = bitwuzla.Bitwuzla(self._manager, options)
        self._limit = milliseconds

    def _values(self, conditions: Sequence[int]) -> dict[int, int]:
        support = 0
        for each in conditions:
            support |= self._terms.support[each]
        found = {}
        for number in self._terms.members(support):
            variable = self._made[self._terms.variable(*self._terms.byte(number))]
            found[number] = int(self._solver.get_value(variable).value(10))
        return found

    def _condition(self, term: int) -> Any:
        found = self._conditions.get(term)
        if found is None:
            made = self._term(term)
            found = self._manager.mk_term(bitwuzla.Kind.EQUAL, [made, self._one])
            self._conditions[term] = found
        return found

    def _term(self, root: int) -> Any:
        for term in self._terms.needed([root], self._made):
            self._made[term] = self._convert(term)
        return self._made[root]

    def _convert(self, term: int) -> Any:
        terms, manager = self._terms, self._manager
        operator, width, parameter = terms.operator[term], terms.width[term], terms.parameter[term]
        if operator == CONSTANT:
            return manager.mk_bv_value(manager.mk_bv_sort(width), parameter)
        if operator == VARIABLE:
            return manager.mk_const(manager.mk_bv_sort(8), f"v{parameter}")
        operands = [self._made[each] for each in terms.operands[term]]
        if operator == OP["EXTRACT"]:
            return manager.mk_term(bitwuzla.Kind.BV_EXTRACT, operands, [parameter + width - 1, parameter])
        if operator in (OP["ZEXT"], OP["SEXT"]):
            kind = bitwuzla.Kind.BV_ZERO_EXTEND if operator == OP["ZEXT"] else bitwuzla.Kind.BV_SIGN_EXTEND
            return manager.mk_term(kind, operands, [width - terms.width[terms.operands[term][0]]])
        if operator == OP["LOOKUP"]:
            return self._look_up(operands[0], width, terms.tables[parameter])
        if operator == OP["ITE"]:
            chosen = manager.mk_term(bitwuzla.Kind.EQUAL, [operands[0], self._one])
            return manager.mk_term(bitwuzla.Kind.ITE, [chosen, *operands[1:]])
        made = manager.mk_term(_OF[operator], operands)
        return self._bit(made) if operator in _IS_PREDICATE else made

    def _look_up(self, address: Any, width: int, table: Table) -> Any:
        manager, kinds = self._manager, bitwuzla.Kind
        own, wide = manager.mk_bv_sort(width), manager.mk_bv_sort(64)

        def below(bound: int, low: Any, high: Any) -> Any:
            condition = manager.mk_term(kinds.BV_ULT, [address, manager.mk_bv_value(wide, bound)])
            return manager.mk_term(kinds.ITE, [condition, low, high])

        return table.choose(lambda value: manager.mk_bv_value(own, value), below)

    def _bit(self, predicate: Any) -> Any:
        zero = self._manager.mk_bv_value(self._manager.mk_bv_sort(1), 0)
        return self._manager.mk_term(bitwuzla.Kind.ITE, [predicate, self._one, zero])
