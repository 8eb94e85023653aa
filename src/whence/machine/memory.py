"""Blocks and their contents, byte by byte.

The paper keeps one value per index; here a byte is a number, one of the eight
bytes of a pointer or function, or junk (no entry). A word of eight bytes of one
pointer in order reads as that pointer; other mixtures read as numbers. So a
pointer survives a copy by bytes, and an access of any width has a meaning that
C has, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from rpds import HashTrieMap

from whence.machine.undefined import undefined_bits, with_undefined
from whence.machine.values import WORD, Function, Int, Pointer, Value, unsigned


@dataclass(frozen=True, slots=True)
class Fragment:
    """Byte `at` (0 to 7, little-endian) of a pointer or function in memory."""

    value: Pointer | Function
    at: int


@dataclass(frozen=True, slots=True)
class Mixed:
    """A byte of which the bits `undefined` are undefined, and not all; in `number` they are 0."""

    number: int
    undefined: int


Byte = int | Fragment | Mixed
Contents: TypeAlias = "HashTrieMap[int, Byte | None]"
"""Index -> byte, None for junk. An index without an entry is junk, or 0 where the block is zeroed."""
Ranges = tuple[tuple[int, int], ...]
"""Pairs (first, last) of indexes, both inclusive; sorted, disjoint and not adjacent."""

NOTHING: Contents = HashTrieMap()


@dataclass(frozen=True, slots=True)
class Block:
    """(b, n, k) of the paper, and the attributes that the engines record.

    `size`: bytes; `begin`: address; `time`: k of its allocation; `family`: one
    of `abi.records.FAMILIES`; `align`: the alignment argument of operator new,
    else 0; `closed`: the bytes that the program has made inaccessible (poisoned);
    `zeroed`: the indexes at which bytes without an entry are 0 instead of junk.
    No entry equals the value that its index would have without it.
    """

    size: int
    begin: int
    time: int
    family: int = 0
    contents: Contents = NOTHING
    closed: Ranges = ()
    zeroed: Ranges = ()
    align: int = 0

    def byte(self, index: int) -> Byte | None:
        """The byte at an index of the block; None for junk."""
        return self.contents[index] if index in self.contents else self._default(index)

    def _default(self, index: int) -> Byte | None:
        return 0 if any(first <= index <= last for first, last in self.zeroed) else None

    def holds(self, index: int, width: int) -> bool:
        """Whether `width` bytes from an index on lie inside the block."""
        return index >= 0 and index + width <= self.size

    def closed_bytes(self, index: int, width: int) -> int:
        """The number of closed bytes among `width` bytes from an index on."""
        end = index + width
        return sum(max(0, min(last + 1, end) - max(first, index)) for first, last in self.closed)

    def with_bytes(self, index: int, found: Iterable[Byte | None]) -> Block:
        """The block with other bytes from an index on."""
        contents = self.contents
        for at, byte in enumerate(found, index):
            default = byte == self._default(at)
            contents = contents.discard(at) if default else contents.insert(at, byte)
        return replace(self, contents=contents)

    def with_copy(self, index: int, source: Block, at: int, size: int) -> Block:
        """The block with `size` bytes of `source` from `at` on; the cost depends on the entries there."""
        contents = self.contents
        for old in _keys(self.contents, index, size):
            contents = contents.discard(old)
        for found in _keys(source.contents, at, size):
            contents = contents.insert(found - at + index, source.contents[found])
        moved = ((max(first, at), min(last, at + size - 1)) for first, last in source.zeroed)
        zeroed = [(first - at + index, last - at + index) for first, last in moved if first <= last]
        kept = without(self.zeroed, index, index + size)
        return replace(self, contents=contents, zeroed=joined([*kept, *zeroed]))

    def with_closed(self, index: int, width: int, closed: bool) -> Block:
        """The block with a range of bytes closed or opened; indexes outside of the block do not count."""
        first, end = max(index, 0), min(index + width, self.size)
        if first >= end:
            return self
        apart = without(self.closed, first, end)
        return replace(self, closed=joined([*apart, (first, end - 1)] if closed else apart))


def _keys(contents: Contents, index: int, size: int) -> list[int]:
    """The indexes of a range that have an entry."""
    if size <= len(contents):
        return [at for at in range(index, index + size) if at in contents]
    return [at for at in contents if index <= at < index + size]


def whole(size: int) -> Ranges:
    """All indexes of a block."""
    return ((0, size - 1),) if size else ()


def without(ranges: Ranges, begin: int, end: int) -> list[tuple[int, int]]:
    """Ranges without the indexes from `begin` to before `end`."""
    pieces = (piece for low, high in ranges for piece in ((low, min(high, begin - 1)), (max(low, end), high)))
    return [piece for piece in pieces if piece[0] <= piece[1]]


def joined(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The same indexes as the fewest ranges."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return tuple(found)


def _mixed(byte: int, undefined: int) -> Byte | None:
    if undefined == 0xFF:
        return None
    return Mixed(byte, undefined) if undefined else byte


def encode(value: Value, width: int, number: Callable[[Value], int]) -> tuple[Byte | None, ...]:
    """The bytes of a value in memory; `number` gives addresses. A part of a pointer is plain bytes, and a
    byte without a defined bit is junk."""
    if isinstance(value, Int) or width < WORD:
        plain = (unsigned(number(value)) % (1 << 8 * width)).to_bytes(width, "little")
        bits = undefined_bits(value)
        return tuple(_mixed(byte, bits >> 8 * at & 0xFF) for at, byte in enumerate(plain))
    return tuple(Fragment(value, at) for at in range(WORD))


def decode(found: tuple[Byte | None, ...], number: Callable[[Value], int]) -> Value:
    """The value of 1, 2, 4 or 8 bytes, undefined where they are junk. Fewer than 8 bytes are unsigned."""
    first = found[0]
    if isinstance(first, Fragment) and len(found) == WORD and _is_whole(first, found):
        return first.value
    plain, undefined = bytearray(), bytearray()
    for byte in found:
        if isinstance(byte, Fragment):
            byte = plain_byte(byte, number)
        bits = 0xFF if byte is None else byte.undefined if isinstance(byte, Mixed) else 0
        plain.append(byte if isinstance(byte, int) else byte.number if isinstance(byte, Mixed) else 0)
        undefined.append(bits)
    return with_undefined(int.from_bytes(plain, "little"), int.from_bytes(undefined, "little"))


def plain_byte(byte: Fragment, number: Callable[[Value], int]) -> int:
    """The byte of the value's address that the fragment stands for."""
    return unsigned(number(byte.value)) >> 8 * byte.at & 0xFF


def _is_whole(first: Fragment, found: tuple[Byte | None, ...]) -> bool:
    return all(
        isinstance(byte, Fragment) and byte.at == at and byte.value == first.value
        for at, byte in enumerate(found)
    )
