"""Markers of steps that may be undefined: their names, and their definitions.

A marker gets the operands of a step that follows it::

    call void @__whence_check_add_i32(i32 %a, i32 %b)

Its definition decides whether the step is one that rules see (`whence.abi.points.Suspects`), and passes
only those to the runtime.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

from whence.abi.points import NUMBERS
from whence.abi.rules import STEP_BITS_SHIFT, STEP_UNSIGNED

WIDTHS = (8, 16, 32, 64)
"""The bits of the integers whose arithmetic is checked."""
UNSIGNED_WIDTHS = (32, 64)
"""Those of unsigned integers: narrower ones are converted to `int` before."""
FLOATS = ("float", "double", "x86_fp80")
"""The floating-point types whose conversions and divisions are checked."""

_PREFIX = "__whence_check_"
_SIGNED = {"ADD": "sadd", "SUBTRACT": "ssub", "MULTIPLY": "smul"}
_UNSIGNED = {"ADD_UNSIGNED": "uadd", "SUBTRACT_UNSIGNED": "usub", "MULTIPLY_UNSIGNED": "umul"}
_DIVIDES = {"sdivide": True, "udivide": False}
POINTS = (*_SIGNED, *_UNSIGNED, "DIVIDE", "SHIFT", "INDEX", "TRUNCATE", "DIVIDE_FLOATING", "SCAN")
"""The detection points whose steps have these markers."""

RUNTIME = "declare preserve_mostcc void @__whence_step(i64, i64, i32) nonlazybind #1"


@dataclass(frozen=True)
class _Marker:
    """A marker: its point, the types of its parameters, and the text of its definition."""

    point: str
    parameters: str
    text: str


def marker(word: str, bits: int) -> str:
    """The symbol of a marker. word: a detection point in lower case; of divisions with their sign before."""
    return f"{_PREFIX}{word}_i{bits}"


def truncation(type_: str, signed: bool, bits: int) -> str:
    """The symbol of the marker of a conversion from a floating-point type to an integer type."""
    return f"{_PREFIX}truncate_{type_}_{'s' if signed else 'u'}{bits}"


def division(type_: str) -> str:
    """The symbol of the marker of a division in a floating-point type."""
    return f"{_PREFIX}divide_{type_}"


def declaration(name: str) -> str | None:
    """The parameters of a marker, None for other symbols."""
    found = _markers().get(name)
    return found.parameters if found else None


def definitions(points: Collection[str]) -> Iterator[str]:
    """The definitions of the markers of the points in use, and what they call."""
    for point, operation in (*_SIGNED.items(), *_UNSIGNED.items()):
        if point in points:
            widths = WIDTHS if point in _SIGNED else UNSIGNED_WIDTHS
            yield "\n".join(
                f"declare {{ i{bits}, i1 }} @llvm.{operation}.with.overflow.i{bits}(i{bits}, i{bits})"
                for bits in widths
            )
    yield from (each.text for each in _markers().values() if each.point in points)


@cache
def _markers() -> dict[str, _Marker]:
    return dict(_all())


def _all() -> Iterator[tuple[str, _Marker]]:
    for point, operation in _SIGNED.items():
        yield from (_overflow(point, operation, bits, True) for bits in WIDTHS)
    for point, operation in _UNSIGNED.items():
        yield from (_overflow(point, operation, bits, False) for bits in UNSIGNED_WIDTHS)
    for bits in WIDTHS:
        yield from (_division(word, signed, bits) for word, signed in _DIVIDES.items())
        yield _beyond("SHIFT", bits, str(bits))
        yield _scan(bits)
        for type_ in FLOATS:
            yield from (_truncation(type_, signed, bits) for signed in (True, False))
    yield _beyond("INDEX", 64, "%b")
    yield from map(_floating_division, FLOATS)


def _overflow(point: str, operation: str, bits: int, signed: bool) -> tuple[str, _Marker]:
    pair = f"{{ i{bits}, i1 }}"
    test = [
        f"%pair = call {pair} @llvm.{operation}.with.overflow.i{bits}(i{bits} %a, i{bits} %b)",
        f"%bad = extractvalue {pair} %pair, 1",
    ]
    return _of_integers(point, point.lower(), bits, test, signed)


def _division(word: str, signed: bool, bits: int) -> tuple[str, _Marker]:
    test = [f"%bad = icmp eq i{bits} %b, 0"]
    if signed:
        test = [
            f"%zero = icmp eq i{bits} %b, 0",
            f"%minus = icmp eq i{bits} %b, -1",
            f"%least = icmp eq i{bits} %a, {-(1 << bits - 1)}",
            "%over = and i1 %minus, %least",
            "%bad = or i1 %zero, %over",
        ]
    return _of_integers("DIVIDE", word, bits, test, signed)


def _beyond(point: str, bits: int, limit: str) -> tuple[str, _Marker]:
    second = "%b" if point == "SHIFT" else "%a"
    test = [f"%bad = icmp uge i{bits} {second}, {limit}"]
    return _of_integers(point, point.lower(), bits, test, True)


def _scan(bits: int) -> tuple[str, _Marker]:
    name = marker("scan", bits)
    return _marker("SCAN", name, (f"i{bits}",), [f"%bad = icmp eq i{bits} %a, 0"], [], "0", "0", 0)


def _of_integers(point: str, word: str, bits: int, test: list[str], signed: bool) -> tuple[str, _Marker]:
    extend = "sext" if signed else "zext"
    first, second = "%a", "%b"
    widened = []
    if bits < 64:
        first, second = "%wide_a", "%wide_b"
        widened = [f"%wide_{name} = {extend} i{bits} %{name} to i64" for name in "ab"]
    more = bits << STEP_BITS_SHIFT | (0 if signed else STEP_UNSIGNED)
    name = marker(word, bits)
    return _marker(point, name, (f"i{bits}", f"i{bits}"), test, widened, first, second, more)


# ---- floating-point numbers -------------------------------------------------------------------------

_PRECISION = {"float": 24, "double": 53, "x86_fp80": 64}


def _truncation(type_: str, signed: bool, bits: int) -> tuple[str, _Marker]:
    least, limit = (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
    # A number above least - 1 is cut to least; where the type does not have least - 1, it has none between.
    above = ("ogt", least - 1) if abs(least - 1) < 1 << min(_PRECISION[type_], 53) else ("oge", least)
    test = [
        *_constant("least", type_, above[1]),
        *_constant("limit", type_, limit),
        f"%enough = fcmp {above[0]} {type_} %a, {_operand('least', type_, above[1])}",
        f"%below = fcmp olt {type_} %a, {_operand('limit', type_, limit)}",
        "%fits = and i1 %enough, %below",
        "%bad = xor i1 %fits, true",
    ]
    cold = [
        *_shown(type_),
        f"%nan = fcmp uno {type_} %a, %a",
        "%beyond = select i1 %enough, i64 1, i64 -1",
        "%side = select i1 %nan, i64 2, i64 %beyond",
    ]
    name = truncation(type_, signed, bits)
    return _marker("TRUNCATE", name, (type_,), test, cold, "%shown", "%side", 0)


def _floating_division(type_: str) -> tuple[str, _Marker]:
    zero = "0xK00000000000000000000" if type_ == "x86_fp80" else "0.0"
    test = [f"%bad = fcmp oeq {type_} %b, {zero}"]
    name = division(type_)
    return _marker("DIVIDE_FLOATING", name, (type_, type_), test, _shown(type_), "%shown", "1", 0)


def _constant(name: str, type_: str, value: int) -> list[str]:
    if type_ != "x86_fp80":
        return []
    return [f"%{name} = fpext double {_operand(name, 'double', value)} to x86_fp80"]


def _operand(name: str, type_: str, value: int) -> str:
    if type_ == "x86_fp80":
        return f"%{name}"
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def _shown(type_: str) -> list[str]:
    """The operand as a double, for reports."""
    if type_ == "double":
        return ["%shown = bitcast double %a to i64"]
    convert = "fpext" if type_ == "float" else "fptrunc"
    return [f"%double = {convert} {type_} %a to double", "%shown = bitcast double %double to i64"]


def _marker(
    point: str,
    name: str,
    parameters: tuple[str, ...],
    test: list[str],
    cold: list[str],
    first: str,
    second: str,
    more: int,
) -> tuple[str, _Marker]:
    """A marker whose definition computes ``%bad`` and, if it is true, passes two words to the runtime."""
    desc = NUMBERS[point] | more
    body = [
        *test,
        "br i1 %bad, label %cold, label %end, !prof !0",
        "cold:",
        *cold,
        f"call preserve_mostcc void @__whence_step(i64 {first}, i64 {second}, i32 {desc}) #3",
        "br label %end",
        "end:",
        "ret void",
    ]
    lines = "\n".join(line if line.endswith(":") else f"  {line}" for line in body)
    named = ", ".join(f"{type_} %{letter}" for type_, letter in zip(parameters, "ab", strict=False))
    text = f"define linkonce_odr hidden void @{name}({named}) #0 {{\n{lines}\n}}"
    return name, _Marker(point, ", ".join(parameters), text)
