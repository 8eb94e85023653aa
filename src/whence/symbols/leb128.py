"""Numbers of variable length, as debug information has them (DWARF 5, section 7.6)."""

from __future__ import annotations


def uleb(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    value = data[at]
    at += 1
    if value < 0x80:
        return value, at
    value &= 0x7F
    shift = 7
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def sleb(data: bytes, at: int) -> tuple[int, int]:
    """A signed number of variable length, and where it ends."""
    begin = at
    value, at = uleb(data, at)
    bits = 7 * (at - begin)
    return (value - (1 << bits) if data[at - 1] & 0x40 else value), at
