"""The symbol table that compilers write behind a module of bitcode.

Bitcode is a stream of bits, whose lowest come first, and which consists of blocks (LLVM's documentation,
"LLVM Bitcode File Format", https://llvm.org/docs/BitCodeFormat.html). Two of the outermost ones have a record
with a blob each: the names of all symbols, and a table of symbols whose layout is that of
`llvm/include/llvm/Object/IRSymtab.h`. Reading them takes no time, whatever the size of the module.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_MAGIC = b"BC\xc0\xde"
_STRTAB, _SYMTAB = 23, 25
_ENTER, _ABBREVIATION, _FIRST_OF_BLOCK = 1, 2, 4
_BLOB = 5
_SYMBOLS_AT = 28
"""The offset of the place and number of symbols in the table's header, behind the version, the producer, and
two other ranges."""
_SYMBOL = struct.Struct("<6I")
"""A symbol: offset and size of its name, the same of its name in the IR, the number of a group, flags."""
_UNDEFINED, _INDIRECT, _GLOBAL, _FORMAT, _EXECUTABLE = (1 << bit for bit in (3, 6, 10, 11, 13))


class _Unexpected(Exception):
    """The bitcode is not laid out as described."""


@dataclass
class _Bits:
    """A position in bitcode, in bits."""

    data: bytes
    at: int = 0

    def fixed(self, width: int) -> int:
        first, end = self.at >> 3, (self.at + width + 7) >> 3
        if end > len(self.data):
            raise _Unexpected
        value = int.from_bytes(self.data[first:end], "little") >> (self.at & 7)
        self.at += width
        return value & ((1 << width) - 1)

    def variable(self, width: int) -> int:
        """A number in pieces, each with a bit that says whether more follow."""
        value, shift, more = 0, 0, 1 << (width - 1)
        while True:
            piece = self.fixed(width)
            value |= (piece & (more - 1)) << shift
            shift += width - 1
            if not piece & more:
                return value

    def align(self) -> None:
        self.at = (self.at + 31) & ~31


def defined_functions(bitcode: bytes) -> list[str] | None:
    """The functions that a module defines for other modules, without aliases; None if no table says so."""
    symbols = _symbols(bitcode)
    if symbols is None:
        return None
    kept = _UNDEFINED | _INDIRECT | _GLOBAL | _FORMAT | _EXECUTABLE
    return [name for name, flags in symbols if flags & kept == _GLOBAL | _EXECUTABLE]


def named_functions(bitcode: bytes) -> list[str] | None:
    """The functions that a module defines or speaks of, also under other names; None if no table says so."""
    symbols = _symbols(bitcode)
    if symbols is None:
        return None
    return [name for name, flags in symbols if flags & (_FORMAT | _EXECUTABLE) == _EXECUTABLE]


def _symbols(bitcode: bytes) -> list[tuple[str, int]] | None:
    """The names in the IR of the symbols in a module's table, with their flags; None if there is no table."""
    try:
        blobs = dict(_blobs(bitcode))
        names, table = blobs[_STRTAB], blobs[_SYMTAB]
        place, number = struct.unpack_from("<2I", table, _SYMBOLS_AT)
        symbols = [_SYMBOL.unpack_from(table, place + each * _SYMBOL.size) for each in range(number)]
    except (_Unexpected, KeyError, struct.error):
        return None
    found = []
    for _, _, offset, size, _, flags in symbols:
        if size:
            if offset + size > len(names):
                return None
            found.append((names[offset : offset + size].decode(errors="surrogateescape"), flags))
    return found


def _blobs(bitcode: bytes) -> Iterator[tuple[int, bytes]]:
    """The blobs of the tables, by the numbers of their blocks."""
    if bitcode[:4] != _MAGIC:
        raise _Unexpected
    bits = _Bits(bitcode, 32)
    while bits.at < len(bitcode) * 8:
        if bits.fixed(2) != _ENTER:
            raise _Unexpected
        block, width = bits.variable(8), bits.variable(4)
        bits.align()
        end = bits.fixed(32) * 32 + bits.at
        if block in (_STRTAB, _SYMTAB):
            yield block, _blob(bits, width)
        bits.at = end


def _blob(bits: _Bits, width: int) -> bytes:
    """The blob of a block's first record, whose abbreviation stands before it: a code, and the blob."""
    if bits.fixed(width) != _ABBREVIATION or bits.variable(5) != 2:
        raise _Unexpected
    if not bits.fixed(1):
        raise _Unexpected  # the code is not a literal
    bits.variable(8)
    if bits.fixed(1) or bits.fixed(3) != _BLOB or bits.fixed(width) != _FIRST_OF_BLOCK:
        raise _Unexpected
    size = bits.variable(6)
    bits.align()
    begin = bits.at >> 3
    if begin + size > len(bits.data):
        raise _Unexpected
    return bits.data[begin : begin + size]
