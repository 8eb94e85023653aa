"""Intrinsics as plain instructions, whose results have expressions.

The operands are ``%a``, ``%b`` and ``%c``, the result is ``%r``; integers have at most 64 bits. Shifts are
never by the width or more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from whence import ir
from whence.instrument.symbolic.shapes import width_of

_WORD = 64
_HALVES = (1, 2, 4, 8, 16, 32)
_ALL = (1 << _WORD) - 1


class _Lines:
    """Instructions of one expansion. bits: the width of the first operand."""

    def __init__(self, bits: int, result: str) -> None:
        self.bits = bits
        self.type = f"i{bits}"
        self.result = result
        self.lines: list[str] = []

    def make(self, text: str) -> str:
        name = f"%t{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def end(self, text: str) -> None:
        self.lines.append(f"%r = {text}")

    def word(self, opcode: str, a: str, b: str | int) -> str:
        """An operation on words."""
        return self.make(f"{opcode} i{_WORD} {a}, {_signed(b) if isinstance(b, int) else b}")

    def own(self, opcode: str, a: str | int, b: str | int) -> str:
        """One on values of the operand's type."""
        return self.make(f"{opcode} {self.type} {a}, {b}")

    def wide(self, value: str) -> str:
        """The value as a word."""
        return value if self.bits == _WORD else self.make(f"zext {self.type} {value} to i{_WORD}")

    def end_word(self, word: str) -> None:
        """The result is the lower bits of a word."""
        self.end(f"add i{_WORD} {word}, 0" if self.bits == _WORD else f"trunc i{_WORD} {word} to {self.type}")

    def end_choice(self, condition: str, one: str | int, other: str | int) -> None:
        self.end(f"select i1 {condition}, {self.type} {one}, {self.type} {other}")

    def ends(self) -> tuple[int, int]:
        """The least and the largest signed number."""
        return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1

    def bound(self, value: str) -> str:
        """The end of the signed numbers that lies on the side of the value."""
        least, most = self.ends()
        negative = self.own("icmp slt", value, 0)
        return self.make(f"select i1 {negative}, {self.type} {least}, {self.type} {most}")


def _signed(number: int) -> int:
    number &= _ALL
    return number - (1 << _WORD) if number >> (_WORD - 1) else number


def _mask(half: int) -> int:
    """The lower halves of all groups of twice as many bits."""
    return sum(((1 << half) - 1) << at for at in range(0, _WORD, 2 * half))


# ---- bits ----


def _count(to: _Lines, word: str) -> str:
    """How many bits of a word are set: sums of neighbours, of ever more bits."""
    for half in _HALVES:
        low = to.word("and", word, _mask(half))
        high = to.word("and", to.word("lshr", word, half), _mask(half))
        word = to.word("add", low, high)
    return word


def _popcount(to: _Lines) -> None:
    to.end_word(_count(to, to.wide("%a")))


def _trailing(to: _Lines) -> None:
    """The bits below the lowest one that is set, which are all if none is."""
    word = to.wide("%a")
    below = to.word("and", to.word("xor", word, _ALL), to.word("add", word, -1))
    to.end_word(_count(to, to.word("and", below, (1 << to.bits) - 1)))


def _leading(to: _Lines) -> None:
    """Those that are not set once all below one that is set are, too."""
    word = to.wide("%a")
    for half in _HALVES:
        word = to.word("or", word, to.word("lshr", word, half))
    to.end_word(to.word("sub", str(to.bits), _count(to, word)))


def _reversed(to: _Lines) -> None:
    word = to.wide("%a")
    for half in _HALVES:
        high = to.word("and", to.word("lshr", word, half), _mask(half))
        low = to.word("shl", to.word("and", word, _mask(half)), half)
        word = to.word("or", high, low)
    to.end_word(word if to.bits == _WORD else to.word("lshr", word, _WORD - to.bits))


def _funnel(to: _Lines, left: str, right: str) -> None:
    """The one operand is shifted by an amount below the width, the other by what the width has beyond it."""
    is_power = to.bits & (to.bits - 1) == 0
    amount = to.own("and", "%c", to.bits - 1) if is_power else to.own("urem", "%c", to.bits)
    rest = to.own("sub", to.bits - 1, amount)
    one, other = ("%a", "%b") if left == "shl" else ("%b", "%a")
    shifted = to.own(left, one, amount)
    carried = to.own(right, to.own(right, other, 1), rest)
    to.end(f"or {to.type} {shifted}, {carried}")


# ---- arithmetic that stays at its ends ----


def _sum_in_bounds(to: _Lines, opcode: str) -> None:
    """A signed sum or difference overflows towards the sign of the first operand."""
    result = to.own(opcode, "%a", "%b")
    operands = to.own("xor", "%a", "%b")
    changed = to.own("xor", "%a", result)
    if opcode == "add":
        operands = to.own("xor", operands, -1)
    overflows = to.own("icmp slt", to.own("and", operands, changed), 0)
    to.end_choice(overflows, to.bound("%a"), result)


def _unsigned_sum(to: _Lines) -> None:
    result = to.own("add", "%a", "%b")
    to.end_choice(to.own("icmp ult", result, "%a"), -1, result)


def _unsigned_difference(to: _Lines) -> None:
    result = to.own("sub", "%a", "%b")
    to.end_choice(to.own("icmp ult", "%a", "%b"), 0, result)


def _shift_in_bounds(to: _Lines, back: str) -> None:
    result = to.own("shl", "%a", "%b")
    fits = to.own("icmp eq", to.own(back, result, "%b"), "%a")
    to.end_choice(fits, result, to.bound("%a") if back == "ashr" else -1)


# ---- others ----


def _compare(to: _Lines, sign: str) -> None:
    """1, 0 or -1."""
    more, less = (
        to.make(f"zext i1 {to.own(f'icmp {sign}{way}', '%a', '%b')} to {to.result}") for way in ("gt", "lt")
    )
    to.end(f"sub {to.result} {more}, {less}")


def _masked_pointer(to: _Lines) -> None:
    address = to.make("ptrtoint ptr %a to i64")
    to.end(f"inttoptr i64 {to.word('and', address, '%b')} to ptr")


_EXPANSIONS: dict[str, Callable[[_Lines], None]] = {
    "llvm.ctpop.": _popcount,
    "llvm.cttz.": _trailing,
    "llvm.ctlz.": _leading,
    "llvm.bitreverse.": _reversed,
    "llvm.fshl.": lambda to: _funnel(to, "shl", "lshr"),
    "llvm.fshr.": lambda to: _funnel(to, "lshr", "shl"),
    "llvm.sadd.sat.": lambda to: _sum_in_bounds(to, "add"),
    "llvm.ssub.sat.": lambda to: _sum_in_bounds(to, "sub"),
    "llvm.uadd.sat.": _unsigned_sum,
    "llvm.usub.sat.": _unsigned_difference,
    "llvm.sshl.sat.": lambda to: _shift_in_bounds(to, "ashr"),
    "llvm.ushl.sat.": lambda to: _shift_in_bounds(to, "lshr"),
    "llvm.scmp.": lambda to: _compare(to, "s"),
    "llvm.ucmp.": lambda to: _compare(to, "u"),
    "llvm.ptrmask.p0.i64": _masked_pointer,
}
_NAMES = tuple(_EXPANSIONS)


def is_expanded(call: ir.Call) -> bool:
    """Whether there are instructions for this call: one that takes and gives words."""
    name = call.callee or ""
    types = (call.type, *(each.type for each in call.arguments))
    return name.startswith(_NAMES) and types[1] != "i1" and all(map(width_of, types))


def expansion(call: ir.Call) -> Sequence[str]:
    """The instructions in place of the call."""
    name = call.callee or ""
    to = _Lines(width_of(call.arguments[0].type), call.type)
    next(make for begin, make in _EXPANSIONS.items() if name.startswith(begin))(to)
    return to.lines
