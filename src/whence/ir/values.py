"""Instructions that compute: arithmetic, comparison, casts, select, vectors, aggregates, va_arg."""

from __future__ import annotations

import re
from typing import NamedTuple

from whence.ir.errors import IRSyntaxError
from whence.ir.instruction import Instruction
from whence.ir.lexer import Cursor, Operand
from whence.ir.types import VectorType, like_vector, parse_type

_TYPE = r"(ptr|i\d{1,9}|float|double)"
_VALUE = r"([%@][-\w$.]+|-?\d+|null|true|false)"
_END = r"(?=\Z|, !)"
_FAST_BINARY = re.compile(rf" ((?:(?:nuw|nsw|exact|disjoint) )*){_TYPE} {_VALUE}, {_VALUE}{_END}", re.ASCII)
_FAST_COMPARE = re.compile(rf" (samesign )?([a-z]+) {_TYPE} {_VALUE}, {_VALUE}{_END}", re.ASCII)
_FAST_CAST = re.compile(rf" ((?:(?:nneg|nuw|nsw) )*){_TYPE} {_VALUE} to {_TYPE}{_END}", re.ASCII)


class _Fields(NamedTuple):
    operands: list[Operand]
    type: str
    flags: list[str]
    extra: str = ""
    indices: tuple[int, ...] = ()


class _Computation(Instruction):
    """The base of the instructions of this file."""

    __slots__ = ()
    _parsed: _Fields | None

    @property
    def type(self) -> str:
        fields: _Fields = self._fields()
        return fields.type

    @property
    def flags(self) -> list[str]:
        """``nuw``, ``nsw``, ``exact``, ``disjoint``, ``nneg``, ``samesign`` and fast-math flags."""
        fields: _Fields = self._fields()
        return fields.flags


class Unary(_Computation):
    """``fneg`` and ``freeze``: one typed operand, whose type is that of the result."""

    __slots__ = ()

    def _read(self) -> _Fields:
        cursor = self._cursor()
        flags = cursor.flags()
        operand = cursor.operand()
        return _Fields([operand], operand.type, flags)


class Binary(_Computation):
    """``op flags T a, b``."""

    __slots__ = ()

    def _read(self) -> _Fields:
        match = _FAST_BINARY.match(self.text, self._at)
        if match:
            return _Fields(_pair(match, match[2], 3), match[2], match[1].split())
        cursor = self._cursor()
        flags = cursor.flags()
        left = cursor.operand()
        cursor.expect(",")
        return _Fields([left, cursor.operand(left.type)], left.type, flags)


class Compare(_Computation):
    """``icmp`` and ``fcmp``."""

    __slots__ = ()

    def _read(self) -> _Fields:
        match = _FAST_COMPARE.match(self.text, self._at)
        if match:
            return _Fields(_pair(match, match[3], 4), "i1", (match[1] or "").split(), match[2])
        cursor = self._cursor()
        flags = cursor.flags()
        predicate = cursor.word()
        left = cursor.operand()
        cursor.expect(",")
        operands = [left, cursor.operand(left.type)]
        return _Fields(operands, like_vector(left.type, "i1"), flags, predicate)

    @property
    def predicate(self) -> str:
        fields: _Fields = self._fields()
        return fields.extra


class Cast(_Computation):
    """``op flags T v to U``."""

    __slots__ = ()

    def _read(self) -> _Fields:
        match = _FAST_CAST.match(self.text, self._at)
        if match:
            return _Fields([Operand(match[2], match[3], *match.span(3))], match[4], match[1].split())
        cursor = self._cursor()
        flags = cursor.flags()
        operand = cursor.operand()
        cursor.expect_word("to")
        return _Fields([operand], cursor.type(), flags)

    @property
    def source_type(self) -> str:
        return self.operands[0].type


def _pair(match: re.Match[str], type_text: str, first: int) -> list[Operand]:
    """The operands in two neighbouring groups of a match."""
    return [Operand(type_text, match[each], *match.span(each)) for each in (first, first + 1)]


class Select(_Computation):
    """``select flags i1 c, T a, T b``."""

    __slots__ = ()

    def _read(self) -> _Fields:
        cursor = self._cursor()
        flags = cursor.flags()
        operands = _operand_list(cursor, 3)
        return _Fields(operands, operands[1].type, flags)


class VAArg(_Computation):
    """``va_arg ptr list, T``."""

    __slots__ = ()

    def _read(self) -> _Fields:
        cursor = self._cursor()
        operand = cursor.operand()
        cursor.expect(",")
        return _Fields([operand], cursor.type(), [])

    @property
    def pointer(self) -> str:
        """The va_list read and advanced."""
        return self.operands[0].value


class ExtractElement(_Computation):
    __slots__ = ()

    def _read(self) -> _Fields:
        operands = _operand_list(self._cursor(), 2)
        return _Fields(operands, _element_type(operands[0].type), [])


class InsertElement(_Computation):
    __slots__ = ()

    def _read(self) -> _Fields:
        operands = _operand_list(self._cursor(), 3)
        return _Fields(operands, operands[0].type, [])


class ShuffleVector(_Computation):
    """Two vectors and a mask; the result has the mask's length."""

    __slots__ = ()

    def _read(self) -> _Fields:
        operands = _operand_list(self._cursor(), 3)
        element = _element_type(operands[0].type)
        return _Fields(operands, like_vector(operands[2].type, element), [])


class ExtractValue(_Computation):
    """``extractvalue T aggregate, index…``; `type` needs the module's type definitions."""

    __slots__ = ()

    def _read(self) -> _Fields:
        cursor = self._cursor()
        return _Fields([cursor.operand()], "", [], "", _indices(cursor))

    @property
    def type(self) -> str:
        layout = self.function.module.layout
        current = parse_type(self.operands[0].type)
        try:
            for index in self.indices:
                current = layout.member(current, index)
        except IRSyntaxError as error:
            raise self.locate(error) from None
        return str(current)

    @property
    def indices(self) -> tuple[int, ...]:
        fields: _Fields = self._fields()
        return fields.indices


class InsertValue(_Computation):
    """``insertvalue T aggregate, U value, index…``."""

    __slots__ = ()

    def _read(self) -> _Fields:
        cursor = self._cursor()
        operands = _operand_list(cursor, 2)
        return _Fields(operands, operands[0].type, [], "", _indices(cursor))

    @property
    def indices(self) -> tuple[int, ...]:
        fields: _Fields = self._fields()
        return fields.indices


class Phi(_Computation):
    """``phi flags T [ value, %block ], …``; `operands` are the values, see `incoming` for the blocks."""

    __slots__ = ()
    leads = True

    def _read(self) -> _Fields:
        cursor = self._cursor()
        flags = cursor.flags()
        type_text = cursor.type()
        operands: list[Operand] = []
        while not operands or cursor.accept(","):
            if operands and cursor.peek() == "!":
                break
            cursor.expect("[")
            operands.append(cursor.operand(type_text))
            cursor.expect(",")
            block = cursor.local()
            operands.append(Operand("label", block, cursor.pos - len(block), cursor.pos))
            cursor.expect("]")
        return _Fields(operands, type_text, flags)

    @property
    def incoming(self) -> list[tuple[str, str]]:
        """(value, ``%block``) for each predecessor."""
        operands = self.operands
        return [
            (value.value, block.value) for value, block in zip(operands[::2], operands[1::2], strict=True)
        ]

    @incoming.setter
    def incoming(self, pairs: list[tuple[str, str]]) -> None:
        operands = self.operands
        start = self.text.rindex("[", 0, operands[0].start)
        end = self.text.index("]", operands[-1].end) + 1
        self._splice(start, end, ", ".join(f"[ {value}, {block} ]" for value, block in pairs))


def _operand_list(cursor: Cursor, count: int) -> list[Operand]:
    operands = [cursor.operand()]
    while len(operands) < count:
        cursor.expect(",")
        operands.append(cursor.operand())
    return operands


def _indices(cursor: Cursor) -> tuple[int, ...]:
    found = []
    while cursor.accept(","):
        if cursor.peek() == "!":
            break
        found.append(cursor.integer())
    if not found:
        raise cursor.fail("an index")
    return tuple(found)


def _element_type(vector: str) -> str:
    parsed = parse_type(vector)
    return str(parsed.element) if isinstance(parsed, VectorType) else str(parsed)
