"""Expressions of all paths, each once: what traces define, and what solvers are asked about.

A term is a number; terms are made after their operands, so their order is one in which they can be
evaluated. The pool is shared by all paths of an exploration: equal expressions of two paths are one term,
and whatever was computed about it (its variables, a solver's form, its values) is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import NamedTuple, TypeVar

from whence.abi import symbolic

OP = {name: each.number for name, each in symbolic.OPERATORS.items()}
NAMES = {number: name for name, number in OP.items()}
CONSTANT, VARIABLE = 0, 255
"""Operators of the leaves; no NODE of a trace has them."""

Byte = tuple[str, int]
"""A symbolic byte: the name of its object, and the offset."""


ALL = (1 << 256) - 1
"""The set of all values of a byte, a bit for each."""
T = TypeVar("T")


class Table(NamedTuple):
    """Elements of `size` bytes from the address `first` on; a term looks one up by its address. An address
    between two elements is that of the lower one; one before or behind all is that of the next."""

    first: int
    size: int
    values: tuple[int, ...]

    def at(self, address: int) -> int:
        """The element at an address."""
        index = (address - self.first) // self.size
        return self.values[min(max(index, 0), len(self.values) - 1)]

    def choose(self, leaf: Callable[[int], T], below: Callable[[int, T, T], T]) -> T:
        """The same as nested choices: a search by halves among runs of equal elements. leaf: makes a value.
        below: chooses the first where the address is below a number, else the second."""
        runs = [
            (self.first + at * self.size, value)
            for at, value in enumerate(self.values)
            if not at or self.values[at - 1] != value
        ]

        def among(low: int, high: int) -> T:
            if high - low == 1:
                return leaf(runs[low][1])
            middle = (low + high) // 2
            return below(runs[middle][0], among(low, middle), among(middle, high))

        return among(0, len(runs))


class Terms:
    """The pool. `variables` numbers the symbolic bytes; sets of them are integers with a bit for each."""

    def __init__(self) -> None:
        self.operator: list[int] = [CONSTANT]
        self.width: list[int] = [0]
        self.operands: list[tuple[int, ...]] = [()]
        self.parameter: list[int] = [0]
        self.support: list[int] = [0]
        self.variables: list[Byte] = []
        self.tables: list[Table] = []
        self._tables: dict[tuple[int, int, bytes], int] = {}
        self._known: dict[tuple[object, ...], int] = {}
        self._bytes: dict[Byte, int] = {}
        self._negations: dict[int, int] = {}
        self._inside: dict[tuple[int, int, int, int], int] = {}

    def __len__(self) -> int:
        return len(self.operator)

    def constant(self, value: int, width: int) -> int:
        """The number `value`, modulo two to the width."""
        value &= (1 << width) - 1
        return self._known.get((CONSTANT, width, value)) or self._add(CONSTANT, width, (), value, 0)

    def variable(self, name: str, offset: int) -> int:
        """The symbolic byte at an offset of an object."""
        found = self._bytes.get((name, offset))
        if found is None:
            number = len(self.variables)
            self.variables.append((name, offset))
            found = self._bytes[name, offset] = self._add(VARIABLE, 8, (), number, 1 << number)
        return found

    def node(self, operator: int, width: int, operands: tuple[int, ...], parameter: int = 0) -> int:
        """An expression of others."""
        known = self._known.get((operator, width, operands, parameter))
        if known is not None:
            return known
        support = 0
        for each in operands:
            support |= self.support[each]
        return self._add(operator, width, operands, parameter, support)

    def table(self, first: int, size: int, data: bytes) -> int:
        """The number of a table, which is the parameter of terms that look something up in it."""
        key = (first, size, data)
        found = self._tables.get(key)
        if found is None:
            found = self._tables[key] = len(self.tables)
            parts = (data[at : at + size] for at in range(0, len(data), size))
            self.tables.append(Table(first, size, tuple(int.from_bytes(part, "little") for part in parts)))
        return found

    def _add(self, operator: int, width: int, operands: tuple[int, ...], parameter: int, support: int) -> int:
        number = len(self.operator)
        self.operator.append(operator)
        self.width.append(width)
        self.operands.append(operands)
        self.parameter.append(parameter)
        self.support.append(support)
        if operator == CONSTANT:
            self._known[CONSTANT, width, parameter] = number
        elif operator != VARIABLE:
            self._known[operator, width, operands, parameter] = number
        return number

    # ---- conditions of paths ----

    def is_constant(self, term: int) -> bool:
        return self.operator[term] == CONSTANT

    def negation(self, term: int) -> int:
        """The opposite of a term that is one bit wide."""
        known = self._negations.get(term)
        if known is None:
            known = self._negations[term] = self._negation(term)
        return known

    def _negation(self, term: int) -> int:
        if self.operator[term] == CONSTANT:
            return self.constant(1 - self.parameter[term], 1)
        if self.operator[term] == OP["NOT"]:
            return self.operands[term][0]
        return self.node(OP["NOT"], 1, (term,))

    def equals(self, term: int, value: int) -> int:
        """The term has this value."""
        width = self.width[term]
        if self.operator[term] == CONSTANT:
            return self.constant(int(self.parameter[term] == value), 1)
        if width == 1:
            return term if value & 1 else self.negation(term)
        return self.node(OP["EQ"], 1, (term, self._wide(value, width)))

    def _wide(self, value: int, width: int) -> int:
        """A constant of any width: those of a trace have at most 64 bits, solvers take all."""
        return self.constant(value, width)

    def inside(self, address: int, size: int, base: int, length: int) -> int:
        """An access of `size` bytes at the term `address` lies in the block of `length` bytes at `base`."""
        key = (address, size, base, length)
        known = self._inside.get(key)
        if known is None:
            known = self._inside[key] = self._made_inside(*key)
        return known

    def _made_inside(self, address: int, size: int, base: int, length: int) -> int:
        width = self.width[address]
        if size > length:
            return self.constant(0, 1)
        offset = self.node(OP["SUB"], width, (address, self.constant(base, width)))
        return self.node(OP["ULE"], 1, (offset, self.constant(length - size, width)))

    # ---- values ----

    def needed(self, roots: Iterable[int], known: Container[int]) -> list[int]:
        """The terms that `roots` are made of and that are not `known`, operands first."""
        seen: set[int] = set()
        waiting = [root for root in roots if root not in known]
        while waiting:
            term = waiting.pop()
            if term in seen:
                continue
            seen.add(term)
            waiting.extend(each for each in self.operands[term] if each not in known and each not in seen)
        return sorted(seen)

    def byte(self, variable: int) -> Byte:
        """The object and offset of a variable."""
        return self.variables[variable]

    def members(self, support: int) -> list[int]:
        """The numbers of the variables in a set."""
        found = []
        while support:
            low = support & -support
            found.append(low.bit_length() - 1)
            support ^= low
        return found
