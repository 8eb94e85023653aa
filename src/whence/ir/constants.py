"""Constant expressions in their plain form.

Front ends fold different amounts, and LLVM's reader folds nothing: the same offset is ``101`` or
``ptrtoint (ptr inttoptr (i64 101 to ptr) to i64)``. An expression that is a number, or the address of a
global plus a number, has one plain form here:

=====================================================  =======================================
``sub (i64 8, i64 ptrtoint (ptr null to i64))``        ``8``
``getelementptr (i16, ptr null, i64 3)``               ``inttoptr (i64 6 to ptr)``
``getelementptr inbounds ([4 x i16], ptr @x, …, 3)``   ``getelementptr (i8, ptr @x, i64 6)``
``add (i64 ptrtoint (ptr @x to i64), i64 1)``          ``ptrtoint (ptr getelementptr (…) to i64)``
=====================================================  =======================================

The flags (inbounds, nuw, …) are not part of the value, and the plain form has none.
"""

from __future__ import annotations

from typing import NamedTuple

from whence.ir.datalayout import DataLayout, constant_index
from whence.ir.errors import IRSyntaxError
from whence.ir.lexer import Cursor
from whence.ir.types import IntType, PointerType, parse_type

_MAX_NESTING = 100
_MAX_BITS = 256
_CONVERSIONS = frozenset(("ptrtoint", "ptrtoaddr", "inttoptr", "trunc", "bitcast"))


class Constant(NamedTuple):
    """The address of the global `symbol` (0 without one) plus `number`, modulo 2**`bits`."""

    symbol: str
    number: int
    bits: int

    @property
    def signed(self) -> int:
        """The number in two's complement, from -2**(bits - 1) on."""
        half = 1 << self.bits - 1
        return (self.number + half) % (1 << self.bits) - half


def fold(layout: DataLayout, type_text: str, text: str) -> str:
    """The plain form of a constant of a type; the unchanged text if there is none or it is unknown."""
    found = evaluate(layout, type_text, text) if text.endswith(")") else None
    return text if found is None else _plain(found, type_text)


def evaluate(layout: DataLayout, type_text: str, text: str) -> Constant | None:
    """The value of a constant of a type; None if it has no plain form or is unknown."""
    try:
        return _Reader(layout).value(type_text, text, 0)
    except IRSyntaxError:
        return None


def _plain(constant: Constant, type_text: str) -> str:
    if type_text == "ptr":
        return _plain_pointer(constant)
    if constant.symbol:
        return f"ptrtoint (ptr {_plain_pointer(constant)} to {type_text})"
    if constant.bits == 1:
        return "true" if constant.number % 2 else "false"
    return str(constant.signed)


def _plain_pointer(constant: Constant) -> str:
    if constant.symbol and constant.signed:
        return f"getelementptr (i8, ptr {constant.symbol}, i64 {constant.signed})"
    return constant.symbol or (f"inttoptr (i64 {constant.signed} to ptr)" if constant.signed else "null")


class _Reader:
    """Evaluates expressions recursively; None means that there is no plain form."""

    def __init__(self, layout: DataLayout) -> None:
        self._layout = layout
        self._pointer_bits = 8 * layout.pointer_bytes()

    def value(self, type_text: str, text: str, depth: int) -> Constant | None:
        bits = self._bits(type_text)
        if bits is None or depth > _MAX_NESTING:
            return None
        if text.startswith("@"):
            return Constant(text, 0, bits)
        number = 0 if text == "null" else constant_index(text)
        if number is not None:
            return Constant("", number % (1 << bits), bits)
        return self._expression(text, bits, depth) if text.endswith(")") else None

    def _bits(self, type_text: str) -> int | None:
        type_ = parse_type(type_text)
        if isinstance(type_, PointerType):
            return None if type_.address_space else self._pointer_bits
        return type_.bits if isinstance(type_, IntType) and type_.bits <= _MAX_BITS else None

    def _expression(self, text: str, bits: int, depth: int) -> Constant | None:
        cursor = Cursor(text)
        opcode = cursor.peek_word()
        while cursor.peek() != "(":
            cursor.word()
            if text.startswith("(", cursor.pos):  # inrange(-16, 24)
                cursor.group()
        inner = Cursor(text, cursor.pos + 1, len(text) - 1)
        if opcode == "getelementptr":
            return self._address(inner, depth + 1)
        if opcode in ("add", "sub", "xor"):
            left = self._operand(inner, depth + 1)
            inner.expect(",")
            return _computed(opcode, left, self._operand(inner, depth + 1))
        operand = self._operand(inner, depth + 1) if opcode in _CONVERSIONS else None
        return None if operand is None else _resized(operand, bits)

    def _operand(self, cursor: Cursor, depth: int) -> Constant | None:
        operand = cursor.operand()
        return self.value(operand.type, operand.value, depth)

    def _address(self, cursor: Cursor, depth: int) -> Constant | None:
        source = cursor.type()
        cursor.expect(",")
        base = self._operand(cursor, depth)
        indices = []
        while cursor.accept(","):
            type_text = cursor.type()
            start, end = cursor.value(type_text)
            index = self.value(type_text, cursor.text[start:end], depth)
            if index is None or index.symbol:
                return None
            indices.append((type_text, str(index.signed)))
        added = self._layout.index_offset(source, indices)
        if base is None or added is None or added.terms:
            return None
        return Constant(base.symbol, (base.number + added.constant) % (1 << base.bits), base.bits)


def _resized(constant: Constant, bits: int) -> Constant | None:
    """Truncation or zero extension; None for an extended address, whose upper bits are unknown."""
    if constant.symbol and bits > constant.bits:
        return None
    return Constant(constant.symbol, constant.number % (1 << bits), bits)


def _computed(opcode: str, left: Constant | None, right: Constant | None) -> Constant | None:
    if left is None or right is None:
        return None
    modulus = 1 << left.bits
    if opcode == "sub" and right.symbol in ("", left.symbol):
        symbol = "" if right.symbol else left.symbol
        return Constant(symbol, (left.number - right.number) % modulus, left.bits)
    if opcode == "add" and not (left.symbol and right.symbol):
        return Constant(left.symbol or right.symbol, (left.number + right.number) % modulus, left.bits)
    if opcode == "xor" and not (left.symbol or right.symbol):
        return Constant("", left.number ^ right.number, left.bits)
    return None
