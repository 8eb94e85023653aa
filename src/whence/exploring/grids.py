"""Questions on a few bytes, answered by evaluating their conditions for all values that the bytes may have.

Hashes, checksums and codes of two bytes make conditions that a solver needs a long time for, but there are
only 65,536 inputs. A grid has an axis for each byte; a term's column is an array with its value at each
point, and only as wide as the bytes it depends on. Columns are kept, so that a condition that the next path
adds to those of the last one costs its own operators alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from whence.exploring.preferring import RANKS
from whence.exploring.terms import ALL, CONSTANT, OP, VARIABLE, Table, Terms

Array = Any
"""A `numpy.ndarray`; the type of its elements depends on the width of its term."""

MOST_POINTS = 1 << 16
_WHOLE = 1 << 12
"""Two bytes with more points than this are looked at for all their values, so that what is computed serves
other paths, too."""
_MOST_TERMS = 6000
_MOST_WORK = 1 << 27
"""Points that one question may evaluate, a few tenths of a second."""
_MOST_GRIDS = 256
_MOST_BYTES = 96 << 20
"""Bytes of all grids."""
_MOST_COLUMNS = 16 << 20
"""Bytes of the columns of one grid that are kept beside those of conditions."""
_NEAR = 4
"""Operators between a condition and what other conditions probably rest on, too, such as a hash."""
_RANKS = np.array(RANKS, dtype=np.uint16)


class Unsuited(Exception):
    """A condition has too many terms, or some that are wider than 64 bits."""


class Grids:
    """Grids by their bytes and the values of these, the last used ones."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._grids: dict[tuple[tuple[int, int], ...], Grid] = {}
        self._unsuited: set[int] = set()

    def find(self, conditions: Sequence[int], domains: Mapping[int, int]) -> Mapping[int, int] | None:
        """Values of the bytes with which all conditions are true; None if there are none.

        domains: what the bytes of the conditions may be, as sets with a bit for each value; what conditions
        on one byte say is in there. There are at most `MOST_POINTS` combinations. Raises `Unsuited`.
        """
        supports = self._terms.support
        several = [each for each in conditions if supports[each] & (supports[each] - 1)]
        if not self._unsuited.isdisjoint(several):
            raise Unsuited
        grid = self._grid(domains)
        truth = grid.allowed(domains)
        for each in several:
            try:
                truth = truth & grid.truth(each)
            except Unsuited:
                self._unsuited.add(each)
                raise
        return grid.best(truth)

    def _grid(self, domains: Mapping[int, int]) -> Grid:
        whole = len(domains) == 2 and points(domains) > _WHOLE
        key = tuple((number, ALL if whole else domains[number]) for number in sorted(domains))
        grid = self._grids.pop(key, None) or Grid(self._terms, dict(key))
        self._grids[key] = grid
        if sum(each.size for each in self._grids.values()) > _MOST_BYTES or len(self._grids) > _MOST_GRIDS:
            del self._grids[next(iter(self._grids))]
        return grid


def points(domains: Mapping[int, int]) -> int:
    """The number of combinations of values."""
    total = 1
    for domain in domains.values():
        total *= domain.bit_count()
    return total


class Grid:
    """All combinations of values of some bytes."""

    def __init__(self, terms: Terms, domains: Mapping[int, int]) -> None:
        self._terms = terms
        self._axes = {number: axis for axis, number in enumerate(domains)}
        self._values = {number: np.flatnonzero(_members(domain)) for number, domain in domains.items()}
        self._points = points(domains)
        self._columns: dict[int, Array] = {}
        self._truths: dict[int, tuple[tuple[int, ...], Array]] = {}
        self._held = 0
        self._known = 0

    @property
    def size(self) -> int:
        """Bytes of columns."""
        return self._held + self._known

    def _along(self, number: int, values: Array) -> Array:
        shape = [1] * len(self._axes)
        shape[self._axes[number]] = len(values)
        return values.reshape(shape)

    def allowed(self, domains: Mapping[int, int]) -> Array:
        """Where each byte has a value of its set."""
        truth = np.ones([1] * len(self._axes), dtype=bool)
        for number, values in self._values.items():
            truth = truth & self._along(number, _members(domains[number])[values])
        return truth

    def members(self, condition: int) -> int:
        """The values of the only byte with which a condition is true. Raises `Unsuited`."""
        return int.from_bytes(np.packbits(self.truth(condition), bitorder="little").tobytes(), "little")

    def best(self, truth: Array) -> Mapping[int, int] | None:
        """A point at which it is true, preferably one of letters and digits; None if there is none."""
        found = np.nonzero(np.broadcast_to(truth, [len(values) for values in self._values.values()]))
        if not len(found[0]):
            return None
        bytes_ = [values[at] for values, at in zip(self._values.values(), found, strict=True)]
        ranks = sum(_RANKS[each] for each in bytes_)
        at = int(np.argmin(ranks))
        return {number: int(each[at]) for number, each in zip(self._values, bytes_, strict=True)}

    def truth(self, condition: int) -> Array:
        """Where a condition is true. Raises `Unsuited`."""
        found = self._truths.get(condition)
        if found is None:
            column = self._column(condition)
            found = self._truths[condition] = column.shape, np.packbits(column.astype(bool))
            self._known += found[1].nbytes
            while self._held > _MOST_COLUMNS:  # those that were computed first go first
                self._forget(next(iter(self._columns)))
        shape, bits = found
        return np.unpackbits(bits, count=math.prod(shape)).reshape(shape).astype(bool)

    def _column(self, root: int) -> Array:
        """The values of a term; of those that it is made of only some are kept."""
        terms = self._terms
        order = terms.needed([root], self._columns)
        if len(order) > _MOST_TERMS or len(order) * self._points > _MOST_WORK:
            raise Unsuited
        if any(terms.width[each] > 64 for each in order):
            raise Unsuited
        left = Counter(each for term in order for each in terms.operands[term])
        left.update(self._near(root))
        for term in order:
            made = self._columns[term] = self._compute(term)
            self._held += made.nbytes
            for each in terms.operands[term]:
                left[each] -= 1
                if not left[each] and each in self._columns:
                    self._forget(each)
        return self._columns[root]

    def _near(self, root: int) -> set[int]:
        near = last = {root}
        for _ in range(_NEAR):
            last = {each for term in last for each in self._terms.operands[term]}
            near = near | last
        return near

    def _forget(self, term: int) -> None:
        self._held -= self._columns.pop(term).nbytes

    def _compute(self, term: int) -> Array:
        terms = self._terms
        operator, width = terms.operator[term], terms.width[term]
        kind = _kind(width)
        if operator == CONSTANT:
            return np.full([1] * len(self._axes), terms.parameter[term], dtype=kind)
        if operator == VARIABLE:
            number = terms.parameter[term]
            return self._along(number, self._values[number].astype(np.uint8))
        operands = [self._columns[each] for each in terms.operands[term]]
        inner = terms.width[terms.operands[term][0]]
        parameter = terms.parameter[term]
        if operator in _ARITHMETIC:
            return _masked(_ARITHMETIC[operator](operands[0], operands[1], inner), width)
        if operator in _COMPARISONS:
            return _COMPARISONS[operator](operands[0], operands[1], inner).astype(kind)
        if operator == OP["CONCAT"]:
            low = terms.width[terms.operands[term][1]]
            return operands[0].astype(kind) << kind(low) | operands[1].astype(kind)
        if operator == OP["LOOKUP"]:
            table = terms.tables[parameter]
            elements: Array = np.array(table.values, dtype=kind)
            return elements[_indices(operands[0], table)]
        if operator == OP["ITE"]:
            return np.where(operands[0] != 0, operands[1], operands[2])
        (operand,) = operands
        if operator == OP["EXTRACT"]:
            return _masked((operand >> operand.dtype.type(parameter)).astype(kind), width)
        if operator == OP["SEXT"]:
            return _masked(_signed(operand, inner).astype(kind), width)
        return operand.astype(kind) if operator == OP["ZEXT"] else _masked(~operand, width)


def _members(domain: int) -> Array:
    """A set of byte values as an array of 256 truths."""
    bits = np.frombuffer(domain.to_bytes(32, "little"), dtype=np.uint8)
    return np.unpackbits(bits, bitorder="little").astype(bool)


def _kind(width: int) -> Any:
    """The unsigned type of the numbers of a width."""
    return np.uint8 if width <= 8 else np.uint16 if width <= 16 else np.uint32 if width <= 32 else np.uint64


def _masked(column: Array, width: int) -> Array:
    kind = column.dtype.type
    return column if width == column.dtype.itemsize * 8 else column & kind((1 << width) - 1)


def _signed(column: Array, width: int) -> Array:
    """The numbers that the bits mean in two's complement."""
    up = np.int64(64 - width)
    return column.astype(np.int64) << up >> up


def _indices(address: Array, table: Table) -> Array:
    """Of the elements at addresses, as `Table.at` has them."""
    wide, first = address.astype(np.uint64), np.uint64(table.first)
    behind = np.minimum((wide - first) // np.uint64(table.size), np.uint64(len(table.values) - 1))
    return np.where(wide < first, np.uint64(0), behind).astype(np.int64)


def _divided(a: Array, b: Array, width: int) -> Array:
    kind = a.dtype.type
    return np.where(b != 0, a // np.maximum(b, kind(1)), kind((1 << width) - 1))


def _remainder(a: Array, b: Array, width: int) -> Array:
    return np.where(b != 0, a % np.maximum(b, a.dtype.type(1)), a)


def _magnitude(column: Array, width: int) -> Array:
    """As an unsigned number of the same type: the least number's fits."""
    return _masked(np.where(_negative(column, width), _minus(column), column), width)


def _minus(column: Array) -> Array:
    return ~column + column.dtype.type(1)


def _negative(column: Array, width: int) -> Array:
    return column >> column.dtype.type(width - 1) != 0


def _signed_division(a: Array, b: Array, width: int) -> Array:
    """By zero it gives 1 for negative numbers and -1 for others, as in SMT-LIB."""
    found = _divided(_magnitude(a, width), _magnitude(b, width), width)
    return np.where(_negative(a, width) != _negative(b, width), _minus(found), found)


def _signed_remainder(a: Array, b: Array, width: int) -> Array:
    found = _remainder(_magnitude(a, width), _magnitude(b, width), width)
    return np.where(_negative(a, width), _minus(found), found)


def _left(a: Array, b: Array, width: int) -> Array:
    kind = a.dtype.type
    return np.where(b < kind(width), a << np.minimum(b, kind(width - 1)), kind(0))


def _right(a: Array, b: Array, width: int) -> Array:
    kind = a.dtype.type
    return np.where(b < kind(width), a >> np.minimum(b, kind(width - 1)), kind(0))


def _signed_right(a: Array, b: Array, width: int) -> Array:
    by = np.minimum(b, b.dtype.type(width - 1)).astype(np.int64)
    return (_signed(a, width) >> by).astype(a.dtype)


def _order(column: Array, width: int) -> Array:
    """Unsigned numbers in the order of the signed ones."""
    return column ^ column.dtype.type(1 << (width - 1))


_ARITHMETIC: dict[int, Callable[[Array, Array, int], Array]] = {
    OP["ADD"]: lambda a, b, w: a + b,
    OP["SUB"]: lambda a, b, w: a - b,
    OP["MUL"]: lambda a, b, w: a * b,
    OP["UDIV"]: _divided,
    OP["UREM"]: _remainder,
    OP["SDIV"]: _signed_division,
    OP["SREM"]: _signed_remainder,
    OP["SHL"]: _left,
    OP["LSHR"]: _right,
    OP["ASHR"]: _signed_right,
    OP["AND"]: lambda a, b, w: a & b,
    OP["OR"]: lambda a, b, w: a | b,
    OP["XOR"]: lambda a, b, w: a ^ b,
}
_COMPARISONS: dict[int, Callable[[Array, Array, int], Array]] = {
    OP["EQ"]: lambda a, b, w: a == b,
    OP["ULT"]: lambda a, b, w: a < b,
    OP["ULE"]: lambda a, b, w: a <= b,
    OP["SLT"]: lambda a, b, w: _order(a, w) < _order(b, w),
    OP["SLE"]: lambda a, b, w: _order(a, w) <= _order(b, w),
}
"""By operands and their width, which has a type of its own: operands of one operator have the same type."""
