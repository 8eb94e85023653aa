"""A struct as a table: C declares it, LLVM addresses it, and Python reads it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class _Word:
    """How a type is written in C, in LLVM and in formats of the module `struct`."""

    c: str
    llvm: str
    format: str


_WORDS = {
    "u8": _Word("uint8_t", "i8", "B"),
    "u16": _Word("uint16_t", "i16", "H"),
    "u32": _Word("uint32_t", "i32", "I"),
    "u64": _Word("uint64_t", "i64", "Q"),
    "ptr": _Word("const void *", "ptr", "Q"),
}


@dataclass(frozen=True)
class Field:
    """`type`: u8, u16, u32, u64, ptr, or a struct in the struct. `c`: C of a typed pointer."""

    name: str
    type: str | Layout
    meaning: str = ""
    c: str = ""

    @property
    def declaration(self) -> str:
        """In C, without the semicolon."""
        if self.c:
            return self.c
        if isinstance(self.type, Layout):
            return f"struct {self.type.name} {self.name}"
        return f"{_WORDS[self.type].c} {self.name}"

    @property
    def llvm(self) -> str:
        return self.type.llvm if isinstance(self.type, Layout) else _WORDS[self.type].llvm

    @property
    def format(self) -> str:
        return self.type.format[1:] if isinstance(self.type, Layout) else _WORDS[self.type].format


@dataclass(frozen=True)
class Layout:
    """A C struct without padding, and the Python `struct` format that reads it."""

    name: str
    fields: tuple[Field, ...]

    @cached_property
    def format(self) -> str:
        return "<" + "".join(field.format for field in self.fields)

    @property
    def size(self) -> int:
        """In bytes."""
        return struct.calcsize(self.format)

    @property
    def llvm(self) -> str:
        """The LLVM type: ``whence_block`` is ``%whence.block``."""
        return "%" + self.name.replace("_", ".", 1)

    @property
    def llvm_definition(self) -> str:
        return f"{self.llvm} = type {{ {', '.join(field.llvm for field in self.fields)} }}"

    def index(self, name: str) -> int:
        """The number of a field; raises `ValueError` if there is none of that name."""
        return [field.name for field in self.fields].index(name)

    def offset(self, name: str) -> int:
        """Where a field begins, in bytes; raises `ValueError` if there is none of that name."""
        return struct.calcsize("<" + "".join(field.format for field in self.fields[: self.index(name)]))

    def unpack(self, data: bytes | memoryview, offset: int = 0) -> dict[str, int]:
        """Read one struct of plain fields at `offset`; raises `struct.error` if it does not fit."""
        values = struct.unpack_from(self.format, data, offset)
        return {field.name: value for field, value in zip(self.fields, values, strict=True)}

    def declarations(self) -> Iterator[str]:
        """The fields in C, a line each."""
        for field in self.fields:
            comment = f" /* {field.meaning} */" if field.meaning else ""
            yield f"{field.declaration};{comment}"
