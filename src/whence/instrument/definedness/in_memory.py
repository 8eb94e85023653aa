"""Where a call passes arguments in memory: those by value, and variable ones.

The copy that a call makes of an argument by value is seen by nobody, so the caller tells from where it is
made, and the function takes over the marks of that memory. Variable arguments are values in registers when
they are passed, and memory when `va_arg` reads them: the caller passes their undefined bits in the order of
the memory in which `va_start` finds them (System V ABI for x86-64, 3.5.7).

As everywhere, the function is named for which this is. If caller or function have no shadows, or if there is
no room for the bits, the arguments are defined.
"""

from __future__ import annotations

from typing import NamedTuple

from whence import ir
from whence.abi.layout import GRANULE
from whence.abi.undefined import MOST_SOURCES, MOST_VARIABLE, VARIABLE_REGISTERS
from whence.ir.datalayout import align_up

_GENERAL, _VECTORS = 6, 8
"""Registers of arguments."""
_UNUSUAL = ("inalloca", "preallocated", "swifterror", "swiftasync", "inreg")
_OTHER_REGISTERS = ("nest", "swiftself")
_NARROW, _WORD, _VECTOR, _EXTENDED = 32, 64, 128, 80
"""Bits."""


class Place(NamedTuple):
    """Where `va_start` finds a variable argument: the first of its words, and their number."""

    argument: ir.Argument
    word: int
    words: int


def copied(call: ir.Call) -> list[ir.Argument]:
    """The arguments by value whose sources are passed: variable ones are not among them."""
    fixed = call.arguments[: fixed_count(call)]
    return [each for each in fixed if each.attributes.has("byval")][:MOST_SOURCES]


def fixed_count(call: ir.Call) -> int:
    """The number of arguments that are not variable."""
    if not call.variadic:
        return len(call.arguments)
    depth, count = 0, 0
    for character in call.function_type[call.function_type.rindex(" (") + 2 : -1]:
        depth += (character in "([{<") - (character in ")]}>")
        count += character == "," and not depth
    return count


def size_by_value(layout: ir.DataLayout, attributes: ir.Attributes) -> int:
    """The size of an argument or parameter by value."""
    passed = attributes.get("byval") or ""
    return layout.size_of(passed.removeprefix("byval(").removesuffix(")"))


def places_of(call: ir.Call, layout: ir.DataLayout) -> tuple[list[Place], int]:
    """The variable arguments for whose words there is room, and the number of words on the stack."""
    taken, found = _Taken(layout), list[Place]()
    fixed, begin, stacked = fixed_count(call), 0, 0
    for number, argument in enumerate(call.arguments):
        place = taken.place(argument)
        if place is None:
            break
        if number < fixed:
            begin = taken.stack
            continue
        word = VARIABLE_REGISTERS + (place.at - begin) // GRANULE if place.on_stack else place.at
        if word + place.words > MOST_VARIABLE:
            break
        if place.on_stack:
            stacked = word + place.words - VARIABLE_REGISTERS
        found.append(Place(argument, word, place.words))
    return found, stacked


class _Passed(NamedTuple):
    """Where an argument is: an offset on the stack, or the number of a word of the registers."""

    on_stack: bool
    at: int
    words: int


class _Taken:
    """What the arguments so far have taken: registers, and bytes of the stack."""

    def __init__(self, layout: ir.DataLayout) -> None:
        self._layout = layout
        self._general = 0
        self._vectors = 0
        self.stack = 0

    def place(self, argument: ir.Argument) -> _Passed | None:
        """Where the next argument goes; None where that is not known."""
        attributes = argument.attributes
        if any(map(attributes.has, _UNUSUAL)):
            return None
        if any(map(attributes.has, _OTHER_REGISTERS)):
            return _Passed(False, 0, 0)
        if attributes.has("byval"):
            align = max(_align_of(attributes), GRANULE)
            return self._stacked(size_by_value(self._layout, attributes), align)
        return self._by_type(self._layout.resolve(argument.type), self._layout.size_of(argument.type))

    def _by_type(self, type_: ir.Type, size: int) -> _Passed | None:
        if isinstance(type_, ir.PointerType) or (isinstance(type_, ir.IntType) and type_.bits <= _WORD):
            if self._general == _GENERAL:
                return self._stacked(GRANULE, GRANULE)
            self._general += 1
            return _Passed(False, self._general - 1, 1)
        if isinstance(type_, ir.FloatType) and type_.bits == _EXTENDED:
            return self._stacked(size, size)
        is_vector = isinstance(type_, ir.VectorType) and 8 * size == _VECTOR
        if is_vector or (isinstance(type_, ir.FloatType) and type_.bits in (_NARROW, _WORD)):
            if self._vectors == _VECTORS:
                return self._stacked(size, max(size, GRANULE))
            self._vectors += 1
            return _Passed(False, _GENERAL + 2 * (self._vectors - 1), max(size // GRANULE, 1))
        return None

    def _stacked(self, size: int, align: int) -> _Passed:
        begin = align_up(self.stack, align)
        self.stack = align_up(begin + size, GRANULE)
        return _Passed(True, begin, (self.stack - begin) // GRANULE)


def _align_of(attributes: ir.Attributes) -> int:
    digits = "".join(filter(str.isdecimal, attributes.get("align") or ""))
    return int(digits or "1")
