"""Sizes, alignments and constant offsets, from the data layout string and the type definitions.

The rules are those of the LLVM Language Reference, "Data Layout", as LLVM 22
implements them. Only little-endian x86-64 is supported, but the sizes of pointers
and the alignments come from the string.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from whence.ir.errors import IRSyntaxError
from whence.ir.lexer import MAX_DIGITS, to_int
from whence.ir.types import (
    ArrayType,
    FloatType,
    IntType,
    NamedType,
    PointerType,
    StructType,
    Type,
    VectorType,
    parse_type,
)

_SPEC = re.compile(r"([aifvp])(\d*)((?::\d+)+)\Z", re.ASCII)
_INTEGER = re.compile(r"-?\d+\Z", re.ASCII)
_MAX_NESTING = 100


class Offset(NamedTuple):
    """A byte offset: ``constant + sum(scale * index)``; `terms` holds (scale, index value as text)."""

    constant: int
    terms: tuple[tuple[int, str], ...]


class DataLayout:
    """Sizes in bytes of the types of one module.

    `definitions` maps the token of a named type (``%struct.x``) to the text of
    its body; the layout reads it on demand, so later additions count.
    """

    def __init__(self, text: str = "", definitions: Mapping[str, str] | None = None) -> None:
        self.text = text
        self._definitions = definitions if definitions is not None else {}
        self._pointers = {0: (64, 64)}
        self._ints = {1: 8, 8: 8, 16: 16, 32: 32, 64: 32}
        self._floats = {16: 16, 32: 32, 64: 64, 128: 128}
        self._vectors = {64: 64, 128: 128}
        self._aggregate = 8
        self._sizes: dict[Type, tuple[int, int]] = {}
        self._by_text: dict[str, tuple[int, int]] = {}
        self._stores: dict[str, int] = {}
        self._structs: dict[str, list[int]] = {}
        for spec in text.split("-"):
            self._read(spec)

    def _read(self, spec: str) -> None:
        match = _SPEC.match(spec)
        if not match:
            return
        kind, key = match[1], to_int(match[2] or "0")
        numbers = [to_int(n) for n in match[3][1:].split(":")]
        if any(n % 8 for n in numbers) or (kind != "a" and 0 in numbers):
            raise IRSyntaxError("a data layout in whole bytes", spec)
        if kind == "p":
            self._pointers[key] = (numbers[0], numbers[1] if len(numbers) > 1 else numbers[0])
        elif kind == "a":
            self._aggregate = max(numbers[0], 8)
        else:
            {"i": self._ints, "f": self._floats, "v": self._vectors}[kind][key] = numbers[0]

    def size_of(self, type_: Type | str) -> int:
        """Bytes from one array element to the next (alloc size); raises `IRSyntaxError` for unsized types."""
        return self._size_and_alignment(type_)[0]

    def alignment_of(self, type_: Type | str) -> int:
        """ABI alignment in bytes."""
        return self._size_and_alignment(type_)[1]

    def store_size_of(self, type_: Type | str) -> int:
        """Bytes that a load or a store of the type touches (``i1``: 1, ``i24``: 3, ``x86_fp80``: 10)."""
        if not isinstance(type_, str):
            return self._store_size(type_)
        known = self._stores.get(type_)
        if known is None:
            known = self._stores[type_] = self._store_size(type_)
        return known

    def _store_size(self, type_: Type | str) -> int:
        resolved = self.resolve(type_)
        if isinstance(resolved, IntType | FloatType | PointerType | VectorType):
            return (self._bits(resolved, 0) + 7) // 8
        return self.size_of(resolved)

    def pointer_bytes(self, address_space: int = 0) -> int:
        return self._pointers.get(address_space, self._pointers[0])[0] // 8

    def resolve(self, type_: Type | str) -> Type:
        """The type with a name replaced by its definition (one level)."""
        parsed = parse_type(type_) if isinstance(type_, str) else type_
        for _ in range(_MAX_NESTING):
            if not isinstance(parsed, NamedType):
                return parsed
            body = self._definitions.get(parsed.token)
            if body is None:
                raise IRSyntaxError("a type that the module defines", parsed.token)
            parsed = parse_type(body)
        raise IRSyntaxError("a type that is not defined by itself", str(type_))

    def member(self, type_: Type | str, index: int) -> Type:
        """Type of element `index` of a struct, array or vector; raises `IRSyntaxError` if there is none."""
        aggregate = self.resolve(type_)
        if isinstance(aggregate, ArrayType | VectorType):
            return aggregate.element
        if not isinstance(aggregate, StructType) or not 0 <= index < len(aggregate.elements):
            raise IRSyntaxError(f"an aggregate with an element {index}", str(type_))
        return aggregate.elements[index]

    def field_offset(self, type_: Type | str, index: int) -> int:
        """Byte offset of field `index` of a struct."""
        offsets = self._offsets(type_)
        if not 0 <= index < len(offsets):
            raise IRSyntaxError(f"a struct with a field {index}", str(type_))
        return offsets[index]

    def _offsets(self, type_: Type | str) -> list[int]:
        """Offsets of the fields of a struct; those of named structs are kept. Empty for other types."""
        token = type_.token if isinstance(type_, NamedType) else ""
        known = self._structs.get(token)
        if known is None:
            struct = self.resolve(type_)
            known = self._fields(struct, 0)[0] if isinstance(struct, StructType) else []
            if token:
                self._structs[token] = known
        return known

    def _size_and_alignment(self, type_: Type | str) -> tuple[int, int]:
        if isinstance(type_, str):
            known = self._by_text.get(type_)
            if known is None:
                known = self._by_text[type_] = self._measure(parse_type(type_), 0)
            return known
        return self._measure(type_, 0)

    def _measure(self, type_: Type, depth: int) -> tuple[int, int]:
        known = self._sizes.get(type_)
        if known is not None:
            return known
        if depth > _MAX_NESTING:
            raise IRSyntaxError("a type that does not contain itself", str(type_)[:60])
        result = self._sizes[type_] = self._compute(self.resolve(type_), depth)
        return result

    def _compute(self, type_: Type, depth: int) -> tuple[int, int]:
        if isinstance(type_, ArrayType):
            size, alignment = self._measure(type_.element, depth + 1)
            return size * type_.count, alignment
        if isinstance(type_, StructType):
            _, size, alignment = self._fields(type_, depth)
            return size, alignment
        bits = self._bits(type_, depth)
        alignment = self._scalar_alignment(type_, bits) // 8
        return align_up((bits + 7) // 8, alignment), alignment

    def _bits(self, type_: Type, depth: int) -> int:
        if isinstance(type_, IntType | FloatType):
            return type_.bits
        if isinstance(type_, PointerType):
            return self._pointers.get(type_.address_space, self._pointers[0])[0]
        if isinstance(type_, VectorType) and not type_.scalable and depth <= _MAX_NESTING:
            return type_.count * self._bits(self.resolve(type_.element), depth + 1)
        raise IRSyntaxError("a type with a size known at compile time", str(type_))

    def _scalar_alignment(self, type_: Type, bits: int) -> int:
        """ABI alignment in bits."""
        if isinstance(type_, PointerType):
            return self._pointers.get(type_.address_space, self._pointers[0])[1]
        if isinstance(type_, IntType):
            wider = [b for b in self._ints if b >= bits]
            return self._ints[min(wider) if wider else max(self._ints)]
        table = self._floats if isinstance(type_, FloatType) else self._vectors
        natural = 1 << max((((bits + 7) // 8) * 8 - 1).bit_length(), 3)
        return table.get(bits, natural)

    def _fields(self, struct: StructType, depth: int) -> tuple[list[int], int, int]:
        """Offsets of the fields, size and alignment, in bytes."""
        offsets, end, largest = [], 0, 1 if struct.packed else self._aggregate // 8
        for element in struct.elements:
            size, alignment = self._measure(element, depth + 1)
            alignment = 1 if struct.packed else alignment
            end = align_up(end, alignment)
            offsets.append(end)
            end += size
            largest = max(largest, alignment)
        return offsets, align_up(end, largest), largest

    def index_offset(self, source_type: str, indices: Sequence[tuple[str, str]]) -> Offset | None:
        """Byte offset that ``getelementptr source_type, ptr p, indices…`` adds to its base.

        `indices` are (type, value) as text. None when a type on the way has no
        constant size or an index is a vector.
        """
        try:
            return self._walk(parse_type(source_type), indices)
        except IRSyntaxError:
            return None

    def _walk(self, current: Type, indices: Sequence[tuple[str, str]]) -> Offset | None:
        constant = 0
        terms: list[tuple[int, str]] = []
        for place, (type_text, value) in enumerate(indices):
            if type_text.startswith("<"):
                return None
            number = constant_index(value)
            if place > 0:
                resolved = self.resolve(current)
                if isinstance(resolved, StructType):
                    if number is None:
                        return None
                    constant += self.field_offset(current, number)
                    current = resolved.elements[number]
                    continue
                if not isinstance(resolved, ArrayType | VectorType):
                    return None
                current = resolved.element
            scale = self.size_of(current)
            if number is None:
                terms.append((scale, value))
            else:
                constant += scale * number
        return Offset(_wrap(constant), tuple(terms))


def constant_index(value: str) -> int | None:
    """The number an index operand stands for, None for a variable."""
    if _INTEGER.match(value) and len(value) <= 2 * MAX_DIGITS:
        return int(value)
    return {"true": -1, "false": 0, "zeroinitializer": 0}.get(value)


def align_up(value: int, alignment: int) -> int:
    """Least multiple of `alignment` that is not below `value`."""
    return -(-value // alignment) * alignment


def _wrap(offset: int) -> int:
    """Offsets are computed modulo 2**64, as signed numbers."""
    return ((offset + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)
