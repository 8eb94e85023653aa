"""Values of terms under an assignment, and all values of terms of a single byte."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from whence.exploring.terms import ALL, CONSTANT, OP, VARIABLE, Terms

if TYPE_CHECKING:
    from whence.exploring.grids import Grid


def signed(value: int, width: int) -> int:
    """The number that the bits mean in two's complement."""
    return value - (1 << width) if value >> (width - 1) else value


def _sdiv(a: int, b: int, width: int) -> int:
    x, y = signed(a, width), signed(b, width)
    if not y:
        return 1 if x < 0 else -1
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _srem(a: int, b: int, width: int) -> int:
    x, y = signed(a, width), signed(b, width)
    return x if not y else abs(x) % abs(y) * (1 if x >= 0 else -1)


_BINARY: dict[int, Callable[[int, int, int], int]] = {
    OP["ADD"]: lambda a, b, w: a + b,
    OP["SUB"]: lambda a, b, w: a - b,
    OP["MUL"]: lambda a, b, w: a * b,
    OP["UDIV"]: lambda a, b, w: a // b if b else -1,
    OP["UREM"]: lambda a, b, w: a % b if b else a,
    OP["SDIV"]: _sdiv,
    OP["SREM"]: _srem,
    OP["SHL"]: lambda a, b, w: a << b if b < w else 0,
    OP["LSHR"]: lambda a, b, w: a >> b if b < w else 0,
    OP["ASHR"]: lambda a, b, w: signed(a, w) >> min(b, w),
    OP["AND"]: lambda a, b, w: a & b,
    OP["OR"]: lambda a, b, w: a | b,
    OP["XOR"]: lambda a, b, w: a ^ b,
    OP["EQ"]: lambda a, b, w: int(a == b),
    OP["ULT"]: lambda a, b, w: int(a < b),
    OP["ULE"]: lambda a, b, w: int(a <= b),
    OP["SLT"]: lambda a, b, w: int(signed(a, w) < signed(b, w)),
    OP["SLE"]: lambda a, b, w: int(signed(a, w) <= signed(b, w)),
}
"""By operands and their width; what a division by zero and a wide shift give is SMT-LIB's choice."""


def function(terms: Terms, term: int) -> Callable[..., int]:
    """The function from the values of a node's operands to its own."""
    operator, width, parameter = terms.operator[term], terms.width[term], terms.parameter[term]
    mask = (1 << width) - 1
    inner = terms.width[terms.operands[term][0]]
    if operator in _BINARY:
        binary = _BINARY[operator]
        return lambda a, b: binary(a, b, inner) & mask
    if operator == OP["CONCAT"]:
        low = terms.width[terms.operands[term][1]]
        return lambda a, b: a << low | b
    if operator == OP["LOOKUP"]:
        return terms.tables[parameter].at
    if operator == OP["ITE"]:
        return lambda a, b, c: b if a else c
    unary: dict[int, Callable[[int], int]] = {
        OP["NOT"]: lambda a: ~a & mask,
        OP["EXTRACT"]: lambda a: a >> parameter & mask,
        OP["ZEXT"]: lambda a: a,
        OP["SEXT"]: lambda a: signed(a, inner) & mask,
    }
    return unary[operator]


def values(terms: Terms, roots: Iterable[int], assigned: Mapping[int, int]) -> dict[int, int]:
    """The values of terms and of all that they are made of; variables that are not `assigned` are 0."""
    known: dict[int, int] = {}
    _evaluate(terms, roots, assigned, known)
    return known


def _evaluate(terms: Terms, roots: Iterable[int], assigned: Mapping[int, int], known: dict[int, int]) -> None:
    for term in terms.needed(roots, known):
        operator = terms.operator[term]
        if operator == CONSTANT:
            known[term] = terms.parameter[term]
        elif operator == VARIABLE:
            known[term] = assigned.get(terms.parameter[term], 0)
        else:
            known[term] = function(terms, term)(*[known[each] for each in terms.operands[term]])


def holds(terms: Terms, conditions: Iterable[int], assigned: Mapping[int, int]) -> bool:
    """Whether all conditions are true under an assignment; those behind a false one are not looked at."""
    known: dict[int, int] = {}
    for each in conditions:
        _evaluate(terms, (each,), assigned, known)
        if not known[each]:
            return False
    return True


_MOST_COLUMNS = 8192
_PATIENCE = 1000
"""Columns that are lists: arrays take less time for each, but their library a tenth of a second to load."""
_BYTES = list(range(256))
_MOST_BYTES = 64 << 20
"""Bytes of arrays that are kept, as far as a look at every so many conditions tells."""
_OFTEN = 256


class Columns:
    """For terms of one variable: the set of the values of that byte for which a condition is true.

    A condition on one byte is a set of 256 bits, so a conjunction of such conditions is decided by
    intersecting sets, without a solver.
    """

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._columns: dict[int, list[int]] = {}
        self._sets: dict[int, int] = {}
        self._grids: dict[int, Grid] = {}
        self._computed = self._looks = 0

    def true_for(self, condition: int) -> int:
        """Bit v is set if the condition, whose support has one variable, is true where the byte is v."""
        found = self._sets.get(condition)
        if found is None:
            found = self._on_grid(condition) if self._computed > _PATIENCE else None
            if found is None:
                column = self._column(condition)
                found = int("".join("1" if each else "0" for each in reversed(column)), 2)
            self._sets[condition] = found
        return found

    def _on_grid(self, condition: int) -> int | None:
        """The same by arrays, None where they do not hold its numbers."""
        from whence.exploring.grids import Grid, Unsuited  # loads numpy

        self._looks += 1
        if not self._looks % _OFTEN and sum(each.size for each in self._grids.values()) > _MOST_BYTES:
            self._grids.clear()
        number = self._terms.support[condition].bit_length() - 1
        grid = self._grids.get(number)
        if grid is None:
            grid = self._grids[number] = Grid(self._terms, {number: ALL})
        try:
            return grid.members(condition)
        except Unsuited:
            return None

    def _column(self, root: int) -> list[int]:
        terms, columns = self._terms, self._columns
        if len(columns) > _MOST_COLUMNS:
            columns.clear()
        waiting, order, seen = [root], [], set()
        while waiting:
            term = waiting.pop()
            if term not in columns and term not in seen:
                seen.add(term)
                order.append(term)
                waiting.extend(terms.operands[term])
        for term in sorted(order):
            columns[term] = self._compute(term)
        self._computed += len(order)
        return columns[root]

    def _compute(self, term: int) -> list[int]:
        operator = self._terms.operator[term]
        if operator == CONSTANT:
            return [self._terms.parameter[term]] * 256
        if operator == VARIABLE:
            return _BYTES
        operands = (self._columns[each] for each in self._terms.operands[term])
        return list(map(function(self._terms, term), *operands))
