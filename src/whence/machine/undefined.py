"""Undefined bits: which bits of a result depend on memory that was never written.

A bit of a result is undefined if it may differ where undefined bits of the operands do. Sums, products and
comparisons are computed for the least and the greatest values that the operands may have, as the engines do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from whence.machine.values import Int, Value, unsigned, wrap

EVERY = (1 << 64) - 1


def undefined_bits(value: Value) -> int:
    """The undefined bits of a value, as a mask: pointers and functions have none."""
    return value.undefined if isinstance(value, Int) else 0


def with_undefined(number: int, bits: int) -> Int:
    """The integer with this number, wrapped, of which some bits are undefined."""
    return Int(wrap(unsigned(number) & ~bits), bits)


def moved(base: int, offset: int) -> int:
    """The undefined bits of a pointer, which are those of `base`, moved by an offset."""
    return EVERY if offset else base


def computed(operator: str, left: tuple[int, int], right: tuple[int, int]) -> int:
    """The undefined bits of a result; each operand is its number, unsigned, and its undefined bits."""
    if not (left[1] | right[1]):
        return 0
    return _OPERATORS[operator](left, right)


def _extremes(operand: tuple[int, int]) -> tuple[int, int]:
    """The number with its undefined bits 0, and with them 1."""
    number, bits = operand
    return number & ~bits, number | bits


def _plus(left: tuple[int, int], right: tuple[int, int]) -> int:
    (least, most), (low, high) = _extremes(left), _extremes(right)
    return left[1] | right[1] | ((least + low) ^ (most + high)) & EVERY


def _minus(left: tuple[int, int], right: tuple[int, int]) -> int:
    (least, most), (low, high) = _extremes(left), _extremes(right)
    return left[1] | right[1] | ((least - high) ^ (most - low)) & EVERY


def _times(left: tuple[int, int], right: tuple[int, int]) -> int:
    """From the lowest undefined bit on."""
    both = left[1] | right[1]
    return (both | -both) & EVERY


def _equal(left: tuple[int, int], right: tuple[int, int]) -> int:
    """Defined bits that differ decide."""
    return int(not (left[0] ^ right[0]) & ~(left[1] | right[1]) & EVERY)


def _less(left: tuple[int, int], right: tuple[int, int]) -> int:
    """Whether the results for the extreme values differ; with the sign bits turned, numbers are in order."""
    sign = 1 << 63
    (least, most), (low, high) = (_extremes((number ^ sign, bits)) for number, bits in (left, right))
    return int((least < high) != (most < low))


_OPERATORS: Mapping[str, Callable[[tuple[int, int], tuple[int, int]], int]] = {
    "+": _plus,
    "-": _minus,
    "*": _times,
    "==": _equal,
    "<": _less,
}
