"""Numbers of the language: 128 bits, with a sign; those of programs have 64."""

from __future__ import annotations

from collections.abc import Callable

_BITS = 128
COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def arithmetic(op: str, a: int, b: int) -> int:
    """An operator of the language on numbers of 128 bits."""
    match op:
        case "/" | "%":
            quotient = 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            remainder = 0 if b == 0 else a - quotient * b
            return wrap(quotient if op == "/" else remainder)
        case "<<":
            return wrap(a << b) if 0 <= b < 64 else 0
        case ">>":
            return a >> b if 0 <= b < 64 else 0
        case "+":
            return wrap(a + b)
        case "-":
            return wrap(a - b)
        case "*":
            return wrap(a * b)
        case "&":
            return a & b
        case "|":
            return a | b
        case _:
            return a ^ b


def wrap(number: int) -> int:
    half = 1 << (_BITS - 1)
    return (number + half) % (1 << _BITS) - half


def word(number: int | str) -> int:
    return integer(number) % (1 << 64)


def integer(number: int | str) -> int:
    assert isinstance(number, int)
    return number
