"""Markers of steps that may be undefined: their names, and their definitions.

A marker gets the operands of a step that follows it::

    call void @__whence_check_add_i32(i32 %a, i32 %b)

Its definition decides whether the step is one that rules see (`whence.abi.points.Suspects`), and passes
only those to the runtime.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import NamedTuple

from whence.abi.layout import NULL_PAGE_SIZE
from whence.abi.points import BY_CODE, NUMBERS, Point
from whence.abi.rules import FUNCTION_MARK, STEP_BITS_SHIFT, STEP_POINTER, STEP_SIZE_SHIFT, STEP_UNSIGNED
from whence.instrument.markers.planes import named, plane

WIDTHS = (8, 16, 32, 64)
"""The bits of the integers whose arithmetic is checked."""
UNSIGNED_WIDTHS = (32, 64)
"""Those of unsigned integers: narrower ones are converted to `int` before."""
FLOATS = ("float", "double", "x86_fp80")
"""The floating-point types whose conversions and divisions are checked."""

_PREFIX = "__whence_check_"
_PENDING_COUNT = "__whence_pending_count"
_NO_MARK = "__whence_no_mark"
_SIGNED = {"ADD": "sadd", "SUBTRACT": "ssub", "MULTIPLY": "smul"}
_UNSIGNED = {"ADD_UNSIGNED": "uadd", "SUBTRACT_UNSIGNED": "usub", "MULTIPLY_UNSIGNED": "umul"}
_DIVIDES = {"sdivide": True, "udivide": False}
_INTRINSIC = re.compile(r"(@llvm\.\w+\.with\.overflow\.i(\d+))\(")
UNREACHABLE = f"{_PREFIX}unreachable"
OFFSET = f"{_PREFIX}offset"
ALIGN = f"{_PREFIX}align"
ALIGNED = f"{_PREFIX}aligned"
COMPARE = f"{_PREFIX}compare"
ORDER = f"{_PREFIX}order"
DIFFERENCE = f"{_PREFIX}difference"
READ = f"{_PREFIX}read"
"""Of a read of any number of bytes, which the marker gets."""
MOST_SIZE = (1 << 32 - STEP_SIZE_SHIFT) - 1
"""The largest size of an element, and the largest alignment, that a descriptor holds."""

RUNTIME = """\
declare preserve_mostcc void @__whence_step(i64, i64, i32) nonlazybind #1
declare preserve_mostcc void @__whence_pair(i64, i64, i32, i64, i64, i64) nonlazybind #1"""


@dataclass(frozen=True)
class _Marker:
    """A marker: its point, the types of its parameters, and the text of its definition.

    test: the lines that compute ``%bad`` from the parameters, none if the runtime decides. shows: what slots
    of the point are then, as words of 64 bits: names, which `lines` compute, or numbers.
    """

    point: str
    parameters: str
    text: str
    test: tuple[str, ...] = ()
    shows: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[str, ...] = ()


class Shown(NamedTuple):
    """A step of which rules are shown what its marker tests.

    lines: compute ``%bad``, whether they see it, and the slots. slots: their names or numbers, in the order
    of the point; empty for one that the marker does not know.
    """

    point: Point
    lines: tuple[str, ...]
    slots: tuple[str, ...]


def marker(word: str, bits: int) -> str:
    """The symbol of a marker. word: a detection point in lower case; of divisions with their sign before."""
    return f"{_PREFIX}{word}_i{bits}"


def truncation(type_: str, signed: bool, bits: int) -> str:
    """The symbol of the marker of a conversion from a floating-point type to an integer type."""
    return f"{_PREFIX}truncate_{type_}_{'s' if signed else 'u'}{bits}"


def division(type_: str) -> str:
    """The symbol of the marker of a division in a floating-point type."""
    return f"{_PREFIX}divide_{type_}"


def nonnull(returned: bool) -> str:
    """The symbol of the marker of a pointer that is never null: an argument, or what a function returns."""
    return f"{_PREFIX}nonnull_{'result' if returned else 'argument'}"


def read_marker(size: int, align: int) -> str:
    """The symbol of the marker of a read of so many bytes at an address with an alignment."""
    if size not in _READ_SIZES:
        return READ
    return f"{READ}_{size}" if align >= size else f"{READ}_{size}u"


def is_read_marker(name: str) -> bool:
    """Whether it is the symbol of the marker of a read."""
    return name == READ or name.startswith(f"{READ}_")


_READ_SIZES = (1, 2, 4, 8)


def checked(point: str) -> str:
    """The symbol of the marker of a check that the front end has written."""
    return f"{_PREFIX}{point.lower()}"


def declaration(name: str) -> str | None:
    """The parameters of a marker, None for other symbols."""
    found = _markers().get(name)
    return found.parameters.replace("ptr", "ptr captures(address)") if found else None


def shown_by(name: str) -> Shown | None:
    """What a marker shows to rules, by its parameters ``%a``, ``%b`` …

    None where it looks at memory or the runtime decides, and for other symbols.
    """
    found = _markers().get(name)
    if found is None or not found.test or any(" load " in line for line in found.test):
        return None
    point = BY_CODE[found.point]
    slots = tuple(found.shows.get(slot.name, "") for slot in point.slots)
    return Shown(point, (*found.test, *found.lines), slots)


def intrinsics_of(lines: Collection[str]) -> Iterator[str]:
    """Declarations of the intrinsics that instructions call."""
    yield from sorted({_declared(*match) for line in lines for match in _INTRINSIC.findall(line)})


def definitions(points: Collection[str]) -> Iterator[str]:
    """The definitions of the markers of the points in use, and declarations of what they call."""
    texts = [each.text for each in _markers().values() if each.point in points]
    yield from intrinsics_of(texts)
    if "ORDER" in points:
        yield f"@{_PENDING_COUNT} = external global i32"
    if "CALLEE" in points:
        yield f"@{_NO_MARK} = private constant i64 0"
    yield from texts


def _declared(name: str, bits: str) -> str:
    return f"declare {{ i{bits}, i1 }} {name}(i{bits}, i{bits})"


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
    yield from _promises()


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
    wide, lines = ("%a", []) if bits == 64 else ("%wide", [f"%wide = zext i{bits} %a to i64"])
    test = [f"%bad = icmp eq i{bits} %a, 0"]
    return _showing(_marker("SCAN", name, (f"i{bits}",), test, [], "0", "0", 0), {"v": wide}, lines)


def _of_integers(point: str, word: str, bits: int, test: list[str], signed: bool) -> tuple[str, _Marker]:
    extend = "sext" if signed else "zext"
    first, second = "%a", "%b"
    widened = []
    if bits < 64:
        first, second = "%wide_a", "%wide_b"
        widened = [f"%wide_{name} = {extend} i{bits} %{name} to i64" for name in "ab"]
    more = bits << STEP_BITS_SHIFT | (0 if signed else STEP_UNSIGNED)
    name = marker(word, bits)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    shows = {"x": first, "y": second, "i": first, "n": second, "low": str(low), "high": str(high)}
    made = _marker(point, name, (f"i{bits}", f"i{bits}"), test, widened, first, second, more)
    return _showing(made, shows, widened)


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


# ---- what the front end relies on -------------------------------------------------------------------


def _promises() -> Iterator[tuple[str, _Marker]]:
    wide = ["%wide = zext i8 %a to i64"]
    test = ["%bad = icmp ugt i8 %a, 1"]
    made = _marker("BOOL", marker("bool", 8), ("i8",), test, wide, "%wide", "0", 0)
    yield _showing(made, {"v": "%wide"}, wide)
    yield _marker("UNREACHABLE", UNREACHABLE, (), ["%bad = icmp eq i8 0, 0"], [], "0", "1", 0)
    test = ["%bad = icmp sle i64 %a, 0"]
    made = _marker("DIMENSION", marker("dimension", 64), ("i64",), test, [], "%a", "0", 0)
    yield _showing(made, {"n": "%a"})
    for returned in (False, True):
        test = ["%bad = icmp eq ptr %a, null"]
        made = _marker("NONNULL", nonnull(returned), ("ptr",), test, [], "0", str(int(returned)), 0)
        yield _showing(made, {"v": "%p", "returned": str(int(returned))}, _TO_ADDRESS)
    yield _offset()
    yield _alignment()
    yield _promised_alignment()
    yield _order()
    yield _pair("COMPARE", COMPARE)
    yield _pair("DIFFERENCE", DIFFERENCE)
    yield from _checks()
    yield _marker("READ", READ, ("ptr", "i64"), ["%bad = icmp ne i64 %b, 0"], _TO_ADDRESS, "%p", "%b", 0)
    yield from (_read(size, unaligned) for size in _READ_SIZES for unaligned in (False, True)[: min(size, 2)])


_TO_ADDRESS = ["%p = ptrtoint ptr %a to i64"]


def _read(size: int, unaligned: bool) -> tuple[str, _Marker]:
    """The definedness plane does not say that the bytes are defined; the runtime knows more."""
    test = [*_TO_ADDRESS, *plane("%p", "first")]
    if unaligned:
        test += [f"%q = add i64 %p, {size - 1}", *plane("%q", "last"), "%state = or i8 %first, %last"]
        test.append("%bad = icmp ne i8 %state, 0")
    else:
        test += [
            *named("%first", "%p", size, "%"),
            "%some = icmp ne i8 %first, 0",
            "%bad = and i1 %some, %named",
        ]
    name = read_marker(size, 1 if unaligned else size)
    return _marker("READ", name, ("ptr",), test, [], "%p", str(size), 0)


_DESCRIBED = (
    "%size = trunc i64 %{} to i32",
    f"%high = shl i32 %size, {STEP_SIZE_SHIFT}",
    "%desc = or i32 %high, {}",
)


def _described(point: str, size: str) -> list[str]:
    """The descriptor of a step at a pointer, with a size that the marker gets."""
    first, second, third = _DESCRIBED
    return [first.format(size), second, third.format(NUMBERS[point] | STEP_POINTER)]


def _offset() -> tuple[str, _Marker]:
    """The sum leaves the address space, or one of it and the pointer is null."""
    pair = "{ i64, i1 }"
    test = [
        "%p = ptrtoint ptr %a to i64",
        f"%pair = call {pair} @llvm.smul.with.overflow.i64(i64 %b, i64 %c)",
        f"%bytes = extractvalue {pair} %pair, 0",
        f"%beyond = extractvalue {pair} %pair, 1",
        "%sum = add i64 %p, %bytes",
        "%carry = icmp ult i64 %sum, %p",
        "%negative = icmp slt i64 %bytes, 0",
        "%wraps = xor i1 %carry, %negative",
        "%null = icmp eq i64 %p, 0",
        "%to_null = icmp eq i64 %sum, 0",
        "%one_null = xor i1 %null, %to_null",
        "%leaves = or i1 %beyond, %wraps",
        "%bad = or i1 %leaves, %one_null",
    ]
    parameters = ("ptr", "i64", "i64")
    made = _marker("OFFSET", OFFSET, parameters, test, _described("OFFSET", "c"), "%p", "%b", "%desc")
    return _showing(made, {"r": "%p", "i": "%b", "size": "%c"})


def _alignment() -> tuple[str, _Marker]:
    test = [
        "%p = ptrtoint ptr %a to i64",
        "%mask = sub i64 %b, 1",
        "%rest = and i64 %p, %mask",
        "%bad = icmp ne i64 %rest, 0",
    ]
    made = _marker("ALIGN", ALIGN, ("ptr", "i64"), test, _described("ALIGN", "b"), "%p", "%rest", "%desc")
    return _showing(made, {"r": "%p", "n": "%b", "rest": "%rest"})


def _promised_alignment() -> tuple[str, _Marker]:
    """An alignment that is known when the program runs may be no power of two: then it promises nothing.

    The runtime computes the rest: alignments may be larger than what a descriptor holds.
    """
    test = [
        "%p = ptrtoint ptr %a to i64",
        "%mask = sub i64 %b, 1",
        "%rest = and i64 %p, %mask",
        "%off = icmp ne i64 %rest, 0",
        "%more = and i64 %b, %mask",
        "%power = icmp eq i64 %more, 0",
        "%bad = and i1 %off, %power",
    ]
    made = _marker("ALIGNED", ALIGNED, ("ptr", "i64"), test, [], "%p", "%b", STEP_POINTER)
    return _showing(made, {"r": "%p", "n": "%b", "rest": "%rest"})


def _order() -> tuple[str, _Marker]:
    """While main runs, no variable is left."""
    test = [f"%left = load i32, ptr @{_PENDING_COUNT}", "%bad = icmp ne i32 %left, 0"]
    cold = ["%p = ptrtoint ptr %a to i64"]
    return _marker("ORDER", ORDER, ("ptr",), test, cold, "%p", "0", 0)


def _pair(point: str, name: str) -> tuple[str, _Marker]:
    """The runtime finds out whether the blocks are two.

    ``%c`` and ``%d``: what the pointers were derived from.
    """
    test = [
        "%p = ptrtoint ptr %a to i64",
        "%q = ptrtoint ptr %b to i64",
        "%differ = icmp ne i64 %p, %q",
        "%first = icmp ne i64 %p, 0",
        "%second = icmp ne i64 %q, 0",
        "%both = and i1 %first, %second",
        "%bad = and i1 %differ, %both",
    ]
    cold = ["%from_p = ptrtoint ptr %c to i64", "%from_q = ptrtoint ptr %d to i64"]
    arguments = f"i64 %p, i64 %q, i32 {NUMBERS[point]}, i64 0, i64 %from_p, i64 %from_q"
    return _calling(point, name, ("ptr",) * 4, test, cold, f"@__whence_pair({arguments})")


# ---- checks that the front end has written ----------------------------------------------------------

_SITE = "%site"
_TO_SITE = "%site = ptrtoint ptr %{} to i64"


def _checks() -> Iterator[tuple[str, _Marker]]:
    for point in ("CONVERT_UNSIGNED", "CONVERT_SIGNED"):
        yield _conversion(point, ["%bad = icmp ne i64 %a, %b"])
    # A number above all of a signed type, or below 0, changes even if its bits do not.
    differ = ["%differ = icmp ne i64 %a, %b", "%beyond = icmp slt i64 %a, 0", "%bad = or i1 %differ, %beyond"]
    for point in ("TO_SIGNED", "TO_UNSIGNED"):
        yield _conversion(point, differ)
    test, cold = ["%bad = xor i1 %b, true"], [_TO_SITE.format("c")]
    name = checked("ENUMERATION")
    made = _marker("ENUMERATION", name, ("i64", "i1", "ptr"), test, cold, "%a", _SITE, 0)
    yield _showing(made, {"v": "%a"})
    test = ["%bad = icmp eq i8 0, 0"]
    yield _marker("MISSING_RETURN", checked("MISSING_RETURN"), (), test, [], "0", "1", 0)
    yield _callee()
    yield _object()
    for point, sign in (("SHIFT_SIGNED", 0), ("SHIFT_UNSIGNED", STEP_UNSIGNED)):
        more = 1 << STEP_BITS_SHIFT | sign
        parameters, test = ("i64", "i64", "i1"), ["%bad = xor i1 %c, true"]
        made = _marker(point, checked(point), parameters, test, [], "%a", "%b", more)
        yield _showing(made, {"v": "%a", "k": "%b", "lost": "1"})


def _conversion(point: str, test: list[str]) -> tuple[str, _Marker]:
    parameters = ("i64", "i64", "ptr")
    made = _marker(point, checked(point), parameters, test, [_TO_SITE.format("c")], "%a", _SITE, 0)
    return _showing(made, {"x": "%a", "y": "%b"})


_PAGE, _MARKED = 4096, 8


def _callee() -> tuple[str, _Marker]:
    """The words before the function, except where they lie on another page: the runtime reads those."""
    test = [
        f"%rest = and i64 %a, {_PAGE - 1}",
        f"%near = icmp ult i64 %rest, {_MARKED}",
        f"%before = sub i64 %a, {_MARKED}",
        f"%room = ptrtoint ptr @{_NO_MARK} to i64",
        "%readable = select i1 %near, i64 %room, i64 %before",
        "%at = inttoptr i64 %readable to ptr",
        "%mark = load i32, ptr %at, align 1",
        "%next = getelementptr i8, ptr %at, i64 4",
        "%hash = load i32, ptr %next, align 1",
        f"%marked = icmp eq i32 %mark, {FUNCTION_MARK - (1 << 32)}",
        "%other = icmp ne i32 %hash, %b",
        "%differs = and i1 %marked, %other",
        "%bad = or i1 %near, %differs",
    ]
    parameters = ("i64", "i32", "ptr")
    return _marker("CALLEE", checked("CALLEE"), parameters, test, [_TO_SITE.format("c")], "%a", _SITE, 0)


def _object() -> tuple[str, _Marker]:
    """The vtable is another than at the last time; null pointers and their like are for other rules."""
    test = [
        f"%null = icmp ult i64 %a, {NULL_PAGE_SIZE}",
        "%seen_at = getelementptr i8, ptr %b, i64 16",
        "%room = ptrtoint ptr %seen_at to i64",
        "%readable = select i1 %null, i64 %room, i64 %a",
        "%at = inttoptr i64 %readable to ptr",
        "%vtable = load i64, ptr %at, align 1",
        "%seen = load i64, ptr %seen_at",
        "%bad = icmp ne i64 %vtable, %seen",
    ]
    return _marker("OBJECT", checked("OBJECT"), ("i64", "ptr"), test, [_TO_SITE.format("b")], "%a", _SITE, 0)


def _marker(
    point: str,
    name: str,
    parameters: tuple[str, ...],
    test: list[str],
    cold: list[str],
    first: str,
    second: str,
    more: int | str,
) -> tuple[str, _Marker]:
    """A marker whose definition computes ``%bad`` and, if it is true, passes two words to the runtime.

    `more`: further bits of the descriptor, or the value that is all of it.
    """
    desc = more if isinstance(more, str) else NUMBERS[point] | more
    call = f"@__whence_step(i64 {first}, i64 {second}, i32 {desc})"
    name, found = _calling(point, name, parameters, test, cold, call)
    return name, replace(found, test=tuple(test))


def _showing(
    made: tuple[str, _Marker], shows: Mapping[str, str], lines: Collection[str] = ()
) -> tuple[str, _Marker]:
    """The marker with what slots of its point are (`_Marker.shows`)."""
    name, found = made
    return name, replace(found, shows=shows, lines=tuple(lines))


def _calling(
    point: str, name: str, parameters: tuple[str, ...], test: list[str], cold: list[str], call: str
) -> tuple[str, _Marker]:
    """A marker whose definition computes ``%bad`` and, if it is true, calls the runtime."""
    body = [
        *test,
        "br i1 %bad, label %cold, label %end, !prof !0",
        "cold:",
        *cold,
        f"call preserve_mostcc void {call} #3",
        "br label %end",
        "end:",
        "ret void",
    ]
    lines = "\n".join(line if line.endswith(":") else f"  {line}" for line in body)
    named = ", ".join(f"{type_} %{letter}" for type_, letter in zip(parameters, "abcd", strict=False))
    text = f"define linkonce_odr hidden void @{name}({named}) #0 {{\n{lines}\n}}"
    return name, _Marker(point, ", ".join(parameters), text)
