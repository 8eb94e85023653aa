"""Markers of arithmetic: their names, and their definitions.

A marker gets the operands of a step that follows it::

    call void @__whence_check_add_i32(i32 %a, i32 %b)

Its definition decides whether the step is one that rules see (`whence.abi.points.Suspects`), and passes
only those to the runtime.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from whence.abi.points import NUMBERS
from whence.abi.rules import STEP_BITS_SHIFT, STEP_UNSIGNED

WIDTHS = (8, 16, 32, 64)
"""The bits of the integers whose arithmetic is checked."""

_PREFIX = "__whence_check_"
_OVERFLOWS = {"ADD": "sadd", "SUBTRACT": "ssub", "MULTIPLY": "smul"}
_DIVIDES = {"sdivide": True, "udivide": False}
POINTS = (*_OVERFLOWS, "DIVIDE", "SHIFT", "INDEX")
"""The detection points whose steps have these markers."""

RUNTIME = "declare preserve_mostcc void @__whence_step(i64, i64, i32) nonlazybind #1"


def marker(word: str, bits: int) -> str:
    """The symbol of a marker. word: a detection point in lower case; of divisions with their sign before."""
    return f"{_PREFIX}{word}_i{bits}"


def declaration(name: str) -> str | None:
    """The parameters of a marker, None for other symbols."""
    word, _, type_ = name.removeprefix(_PREFIX).rpartition("_")
    return f"{type_}, {type_}" if word in _WORDS and name.startswith(_PREFIX) else None


def definitions(points: Collection[str]) -> Iterator[str]:
    """The definitions of the markers of the points in use."""
    for point, operation in _OVERFLOWS.items():
        if point in points:
            yield from (_overflow(point, operation, bits) for bits in WIDTHS)
    if "DIVIDE" in points:
        for word, signed in _DIVIDES.items():
            yield from (_division(word, signed, bits) for bits in WIDTHS)
    if "SHIFT" in points:
        yield from (_beyond("SHIFT", bits, str(bits)) for bits in WIDTHS)
    if "INDEX" in points:
        yield _beyond("INDEX", 64, "%b")


_WORDS = {*map(str.lower, (*_OVERFLOWS, "SHIFT", "INDEX")), *_DIVIDES}


def _overflow(point: str, operation: str, bits: int) -> str:
    intrinsic = f"@llvm.{operation}.with.overflow.i{bits}"
    pair = f"{{ i{bits}, i1 }}"
    test = [
        f"%pair = call {pair} {intrinsic}(i{bits} %a, i{bits} %b)",
        f"%bad = extractvalue {pair} %pair, 1",
    ]
    declared = f"declare {pair} {intrinsic}(i{bits}, i{bits})\n\n"
    return declared + _definition(point, point.lower(), bits, test, True)


def _division(word: str, signed: bool, bits: int) -> str:
    test = [f"%bad = icmp eq i{bits} %b, 0"]
    if signed:
        test = [
            f"%zero = icmp eq i{bits} %b, 0",
            f"%minus = icmp eq i{bits} %b, -1",
            f"%least = icmp eq i{bits} %a, {-(1 << bits - 1)}",
            "%over = and i1 %minus, %least",
            "%bad = or i1 %zero, %over",
        ]
    return _definition("DIVIDE", word, bits, test, signed)


def _beyond(point: str, bits: int, limit: str) -> str:
    second = "%b" if point == "SHIFT" else "%a"
    test = [f"%bad = icmp uge i{bits} {second}, {limit}"]
    return _definition(point, point.lower(), bits, test, True)


def _definition(point: str, word: str, bits: int, test: list[str], signed: bool) -> str:
    desc = NUMBERS[point] | bits << STEP_BITS_SHIFT | (0 if signed else STEP_UNSIGNED)
    extend = "sext" if signed else "zext"
    wide = "%a", "%b"
    widened = []
    if bits < 64:
        wide = "%wide_a", "%wide_b"
        widened = [f"%wide_{name} = {extend} i{bits} %{name} to i64" for name in "ab"]
    body = [
        *test,
        "br i1 %bad, label %cold, label %end, !prof !0",
        "cold:",
        *widened,
        f"call preserve_mostcc void @__whence_step(i64 {wide[0]}, i64 {wide[1]}, i32 {desc}) #3",
        "br label %end",
        "end:",
        "ret void",
    ]
    lines = "\n".join(line if line.endswith(":") else f"  {line}" for line in body)
    head = f"define linkonce_odr hidden void @{marker(word, bits)}(i{bits} %a, i{bits} %b) #0"
    return f"{head} {{\n{lines}\n}}"
