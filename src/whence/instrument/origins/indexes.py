"""The index of an access, and what it was computed from: `a[row * columns + column]` has three operands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whence import ir
from whence.abi.origins import MOST_OPERANDS, SIGNS_SHIFT
from whence.instrument.origins import helpers
from whence.instrument.origins.emitter import Emitter, Node, is_followed

_DEEPEST = 10
_CASTS = ("sext", "zext", "trunc")
_WIDE = 64
_Typed = tuple[str, str, bool]
"""A value, its type, and whether that has a sign."""


class Indexes:
    """The indexes in one function."""

    def __init__(self, function: ir.Function, out: Emitter, node: Node) -> None:
        self._function = function
        self._out = out
        self._node = node
        self._kept = {value for each in function.instructions() for value in _kept(each)}

    def use(self, place: ir.Instruction, pointer: str, node: str, index: tuple[str, str]) -> None:
        """A pointer with a node is used with an index."""
        values = [(*index, True), *self._operands(*index)]
        words = [f"i32 {each}, {word}" for word, each in self._words(place, values)]
        arguments = f"ptr {pointer}, i32 {node}, i64 {_signs(values[1:])}, {', '.join(words)}"
        self._out.call(place, helpers.used(len(values) - 1), "void", arguments)

    def computed(self, made: ir.GetElementPtr, place: ir.Instruction, site: str) -> None:
        """A pointer is computed at a site, and perhaps kept, so that the access does not know the index."""
        varying = [(value, type_) for type_, value in made.indices if value.startswith("%")]
        if not varying or made.result not in self._kept or not is_followed(varying[-1][1]):
            return
        values = [(*varying[-1], True), *self._operands(*varying[-1])]
        (index, node), *words = self._words(place, values)
        said = len(words) | _signs(values[1:]) << SIGNS_SHIFT
        more = "".join(f", {word}, i32 {each}" for word, each in words)
        arguments = f"ptr {site}, ptr {made.result}, {index}, i32 {node}, i32 {said}{more}"
        self._out.call(place, helpers.INDEXED, "void (ptr, ptr, i64, i32, i32, ...)", arguments)

    def _words(self, place: ir.Instruction, values: Sequence[_Typed]) -> list[tuple[str, str]]:
        """Each value as an argument of 64 bits, and its node."""
        return [
            (self._widened(place, value, type_, has_sign=has_sign), self._node(value, type_, place))
            for value, type_, has_sign in values
        ]

    def _operands(self, value: str, type_: str) -> list[_Typed]:
        """What a value was computed from, if there are several: all, or, if that is much, its two sides."""
        value, type_, _ = self._stripped(value, type_)
        made = self._function.definition_of(value)
        if not isinstance(made, ir.Binary):
            return []
        found = [*dict.fromkeys(self._leaves(made, _DEEPEST))]
        if len(found) > MOST_OPERANDS:
            found = [*dict.fromkeys(self._sides(made))]
        return found

    def _sides(self, made: ir.Binary) -> Iterator[_Typed]:
        for side in made.operands:
            value, type_, has_sign = self._stripped(side.value, made.type)
            yield value, type_, has_sign or "nsw" in made.flags

    def _leaves(self, made: ir.Binary, depth: int) -> Iterator[_Typed]:
        for value, type_, has_sign in self._sides(made):
            inner = self._function.definition_of(value)
            if depth and isinstance(inner, ir.Binary):
                yield from self._leaves(inner, depth - 1)
            else:
                yield value, type_, has_sign

    def _stripped(self, value: str, type_: str) -> _Typed:
        """A value before casts and arithmetic with constants; whether an extension copies its sign."""
        has_sign = False
        while True:
            made = self._function.definition_of(value)
            if isinstance(made, ir.Cast) and made.opcode in _CASTS and is_followed(made.source_type):
                has_sign = has_sign or made.opcode == "sext"
                value, type_ = made.operands[0].value, made.source_type
            elif isinstance(made, ir.Binary) and len(varying := _varying(made)) == 1:
                has_sign = has_sign or "nsw" in made.flags
                value = varying[0].value
            else:
                return value, type_, has_sign

    def _widened(self, before: ir.Instruction, value: str, type_: str, *, has_sign: bool) -> str:
        width = int(type_[1:])
        if width == _WIDE:
            return f"i64 {value}"
        cast = "sext" if has_sign else "zext"
        return f"i64 {before.insert_before(f'{cast} {type_} {value} to i64').result}"


def _signs(values: Sequence[_Typed]) -> int:
    """Which of some values have a sign: a bit for each."""
    return sum(has_sign << number for number, (_, _, has_sign) in enumerate(values))


def _kept(user: ir.Instruction) -> Iterator[str]:
    """What an instruction does more with than to access it, or to compute another pointer from it."""
    if isinstance(user, ir.Load | ir.GetElementPtr):
        return
    pointer = user.pointer if isinstance(user, ir.MemoryAccess) else None
    for operand in user.operands:
        if operand.value != pointer and operand.value.startswith("%"):
            yield operand.value


def _varying(made: ir.Binary) -> list[ir.Operand]:
    return [each for each in made.operands if each.value.startswith("%")]
