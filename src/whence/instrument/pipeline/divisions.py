"""Divisions by constants become multiplications in the quick tier.

LLVM does this where it selects instructions with optimisation. Without, a processor divides, which takes as
long as ten other instructions, and a quotient and its remainder are two divisions. Programs divide by
constants wherever they print numbers, place keys in tables or subtract pointers.

Source: T. Granlund and P. L. Montgomery, Division by Invariant Integers using Multiplication, PLDI 1994,
sections 4, 5 and 9.
"""

from __future__ import annotations

from whence import ir
from whence.instrument.passes.context import Context
from whence.ir.datalayout import constant_index

_WIDTHS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
_OPCODES = ("udiv", "urem", "sdiv", "srem")


def multiply_instead(context: Context) -> None:
    """Divisions by constants that are no powers of two.

    Before::

        define i32 @f(i32 %a, i64 %b) {
          %1 = urem i32 %a, 10
          %2 = sdiv exact i64 %b, 24
          ret i32 %1
        }

    After::

        define i32 @f(i32 %a, i64 %b) {
          %wh.0 = zext i32 %a to i64
          %wh.1 = mul i64 %wh.0, 3435973837
          %wh.2 = lshr i64 %wh.1, 35
          %wh.3 = trunc i64 %wh.2 to i32
          %wh.4 = mul i32 %wh.3, 10
          %1 = sub i32 %a, %wh.4
          %wh.5 = ashr exact i64 %b, 3
          %2 = mul i64 %wh.5, 12297829382473034411
          ret i32 %1
        }
    """
    for function in context.functions():
        for block in function.blocks:
            quotients: dict[tuple[str, str, str, str], str] = {}
            for each in list(block):
                if each.opcode in _OPCODES and isinstance(each, ir.Binary):
                    _change(each, quotients)


def _change(division: ir.Binary, quotients: dict[tuple[str, str, str, str], str]) -> None:
    """quotients: those that the block has computed before, by sign, type and operands."""
    bits = _WIDTHS.get(division.type)
    number = constant_index(division.operands[1].value)
    if bits is None or number is None:
        return
    signed = division.opcode[0] == "s"
    divisor = abs(number) if signed else number % (1 << bits)
    if divisor & (divisor - 1) == 0 or (signed and number < 0):
        return
    dividend = division.operands[0].value
    if "exact" in division.flags:
        _exact(division, dividend, divisor, bits, signed)
        return
    what = (division.opcode[0], division.type, dividend, str(divisor))
    quotient, known = "", quotients.get(what)
    if known is None:
        quotient = (_signed if signed else _unsigned)(division, dividend, divisor, bits)
    if division.opcode.endswith("rem"):
        known = quotients[what] = known or _compute(division, quotient)
        product = _compute(division, f"mul i{bits} {known}, {divisor}")
        division.replace(f"sub i{bits} {dividend}, {product}")
    elif known is not None:
        division.replace(f"bitcast i{bits} {known} to i{bits}")
    else:
        quotients[what] = division.replace(quotient).result or ""


def _compute(division: ir.Binary, text: str) -> str:
    return division.insert_before(text).result or ""


def _exact(division: ir.Binary, dividend: str, divisor: int, bits: int, signed: bool) -> None:
    """Without a remainder: multiplied by the inverse modulo the range of the type."""
    zeros = (divisor & -divisor).bit_length() - 1
    inverse = pow(divisor >> zeros, -1, 1 << bits)
    if zeros:
        shift = "ashr" if signed else "lshr"
        dividend = _compute(division, f"{shift} exact i{bits} {dividend}, {zeros}")
    division.replace(f"mul i{bits} {dividend}, {inverse}")


def _unsigned(division: ir.Binary, dividend: str, divisor: int, bits: int) -> str:
    """The computation of the quotient: the high part of a product.

    If no factor of as many bits gives it exactly, it is corrected by half of the difference, which keeps the
    sum in the type.
    """
    wide = max(2 * bits, 64)
    value = _compute(division, f"zext i{bits} {dividend} to i{wide}")
    length = (divisor - 1).bit_length()
    for shift in range(length + 1):
        power = 1 << (bits + shift)
        factor = -(-power // divisor)
        if factor >> bits == 0 and factor * divisor - power <= 1 << shift:
            return _high(division, value, factor, bits + shift, bits, wide)
    factor = (((1 << length) - divisor) << bits) // divisor + 1
    high = _compute(division, _high(division, value, factor, bits, bits, wide))
    rest = _compute(division, f"sub i{bits} {dividend}, {high}")
    half = _compute(division, f"lshr i{bits} {rest}, 1")
    whole = _compute(division, f"add i{bits} {high}, {half}")
    return f"lshr i{bits} {whole}, {length - 1}"


def _signed(division: ir.Binary, dividend: str, divisor: int, bits: int) -> str:
    """The computation of the quotient: rounded down, and one more for negative values."""
    wide = max(2 * bits, 64)
    value = _compute(division, f"sext i{bits} {dividend} to i{wide}")
    shift = bits + (divisor - 1).bit_length() - 1
    factor = (1 << shift) // divisor + 1
    high = _compute(division, _high(division, value, factor, shift, bits, wide, "ashr"))
    sign = _compute(division, f"ashr i{bits} {dividend}, {bits - 1}")
    return f"sub i{bits} {high}, {sign}"


def _high(
    division: ir.Binary, value: str, factor: int, shift: int, bits: int, wide: int, how: str = "lshr"
) -> str:
    product = _compute(division, f"mul i{wide} {value}, {factor}")
    shifted = _compute(division, f"{how} i{wide} {product}, {shift}")
    return f"trunc i{wide} {shifted} to i{bits}"
