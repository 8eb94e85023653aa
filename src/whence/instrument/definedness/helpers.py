"""The functions that code with shadows calls: their names, declarations and definitions.

Those that the hot path needs are always inlined when the filter module is linked in
(`whence.instrument.detectors.filters`), and test the definedness plane (``whence/values.h``) before they call
the runtime. So passes insert only calls and never change control flow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum

from whence.abi.layout import GRANULE
from whence.abi.undefined import (
    BYTE_MASK,
    FILL,
    FILL_SHIFT,
    IN_MEMORY,
    MEMORY,
    SHIFTED,
    SPECIAL,
    STATES,
    VALUES_SIZE,
)
from whence.instrument.markers.planes import named, plane
from whence.instrument.markers.prefixes import EDGES, LABELS, RACES

USE = "__whence_values_use"
ASK_USE = "__whence_use"
"""The runtime's part of it, which looks at the bits, too."""
USE_IF = "__whence_values_use_if"
"""The same for an argument at which a library function looks only if another one says so."""
PASSING = "__whence_values"
UNDEFINE, DEFINE, COPY = "__whence_value_undefine", "__whence_value_define", "__whence_value_copy"
SET = "__whence_values_set"
LANDED, DEEPEN = "__whence_value_landed", "__whence_values_deepen"
SOURCE, RECEIVE = "__whence_values_source", "__whence_values_receive"
KEEP, STARTED, ENDED, PASS = (f"__whence_value_{each}" for each in ("keep", "started", "ended", "pass"))
"""About arguments in memory (`whence.instrument.definedness.in_memory`)."""
PLANE = "__whence_values_memory_"
"""What the names of functions that look at the plane before they call the runtime begin with."""
_LOAD, _STORE, _CLEAR = f"{PLANE}load", f"{PLANE}store", f"{PLANE}clear"
MARK = f"{PLANE}mark"
UNDEFINED = "__whence_values_undefined"
ORIGIN = "__whence_values_origin"
"""The origin of a constant."""
SLOW = "__whence_values_slow"
"""What the names of functions begin with that are called where the plane says something else than defined
(`whence.instrument.definedness.slow`)."""
SLOW_ANY, SLOW_BYTE = f"{SLOW}_any", f"{SLOW}_byte"
SLOW_BYTES = f"{SLOW}_bytes"
_LATER = "__whence_values_later"
LATER, LATER_ANY, LATER_BYTE, LATER_BYTES = _LATER, f"{_LATER}_any", f"{_LATER}_byte", f"{_LATER}_bytes"
"""Whether a function's twin is there, or made now; the last three look for undefined bits first."""
_POINT = "__whence_values_point"
POINT_LOAD, POINT_IF = f"{_POINT}_load", f"{_POINT}_if"
POINT_BYTES = f"{_POINT}_bytes"
"""Where values come into a function that has a twin (`whence.instrument.definedness.points`)."""
KEEPING = (_POINT, _LOAD, _CLEAR, DEFINE, DEEPEN, UNDEFINED, ORIGIN, LABELS, RACES, EDGES)
"""What the names of functions that make nothing undefined begin with."""

PAIR = "{ i64, i64 }"
"""Undefined bits and their origin."""

_SIZES = range(1, GRANULE + 1)
_INTEGERS = (1, 8, 16, 32, 64)
UNWRITTEN_TYPES = (*(f"i{bits}" for bits in _INTEGERS), "ptr", "float", "double")
"""The types of variables whose unwritten values are followed through registers."""

_PATTERN = int.from_bytes(b"\xaa" * 4, "little")
"""The value of undefined bits of up to 32."""

_DECLARED = {
    USE: f"declare void @{USE}(i64, i64, i64, i64)",
    ASK_USE: f"declare void @{ASK_USE}(i64, i64, i64, i64)",
    USE_IF: f"declare void @{USE_IF}(i64, i64, i64, i64, i64, i64)",
    SET: f"declare void @{SET}(ptr, i64, i64, i64)",
    UNDEFINE: f"declare void @{UNDEFINE}(ptr, i64, i64)",
    DEFINE: f"declare void @{DEFINE}(ptr, i64)",
    COPY: f"declare void @{COPY}(ptr, ptr, i64)",
    MARK: f"declare void @{MARK}(ptr)",
    DEEPEN: f"declare void @{DEEPEN}(ptr)",
    LANDED: f"declare void @{LANDED}()",
    SOURCE: f"declare void @{SOURCE}(ptr, i64)",
    RECEIVE: f"declare void @{RECEIVE}(ptr, i64, i64)",
    KEEP: f"declare void @{KEEP}(ptr, i64)",
    STARTED: f"declare void @{STARTED}(ptr, ptr)",
    ENDED: f"declare void @{ENDED}(ptr)",
    PASS: f"declare void @{PASS}(ptr, i64, i64)",
    POINT_LOAD: f"declare void @{POINT_LOAD}(i64, ptr, i64, i64)",
    POINT_IF: f"declare void @{POINT_IF}(i64, i1)",
    POINT_BYTES: f"declare void @{POINT_BYTES}(i64, ptr, i64)",
    SLOW_ANY: f"declare preserve_mostcc i64 @{SLOW_ANY}(i64, i64)",
    SLOW_BYTE: f"declare preserve_mostcc i64 @{SLOW_BYTE}(i64, i64)",
    SLOW_BYTES: f"declare preserve_mostcc i64 @{SLOW_BYTES}(i64, i64)",
    LATER: f"declare preserve_mostcc i64 @{LATER}(ptr)",
    LATER_ANY: f"declare preserve_mostcc i64 @{LATER_ANY}(i64, i64, ptr)",
    LATER_BYTE: f"declare preserve_mostcc i64 @{LATER_BYTE}(i64, i64, ptr)",
    LATER_BYTES: f"declare preserve_mostcc i64 @{LATER_BYTES}(i64, i64, ptr)",
}
_SIZED = re.compile(rf"({_LOAD}|{_STORE}|{_CLEAR})_(\d)([bu]?)\Z")
_CLEARS = f"{PLANE}clears"
_WIDTHS = (1, 2, 4, 8)
"""Granules whose states one load reads."""


class Place(Enum):
    """Where the bytes of an access lie; the value is in the names of functions."""

    BEGIN = "b"
    """The first bytes of a granule, not all."""
    ALIGNED = ""
    """In one granule, aligned to their number."""
    ANYWHERE = "u"


def place_of(size: int, align: int) -> Place:
    """Where 1 to 8 bytes lie at an address with an alignment."""
    if align % GRANULE == 0 and size < GRANULE:
        return Place.BEGIN
    return Place.ALIGNED if size.bit_count() == 1 and align >= size else Place.ANYWHERE


def load(size: int, align: int) -> str:
    """The function that returns the undefined bits of 1 to 8 bytes of memory."""
    return f"{_LOAD}_{size}{place_of(size, align).value}"


def store(size: int, align: int) -> str:
    """The function to call after a store, with the undefined bits of the value and their origin."""
    return f"{_STORE}_{size}{place_of(size, align).value}"


def clear(size: int, align: int) -> str:
    """The function to call before a store of a value whose bits are all defined, while what it overwrites in
    part is there."""
    return f"{_CLEAR}_{size}{place_of(size, align).value}"


def cleared(name: str) -> tuple[int, bool] | None:
    """What a function that is called before a store of defined bits is about: how many bytes, and whether a
    granule begins there; None for other functions."""
    sized = _SIZED.match(name)
    if sized is None or sized[1] != _CLEAR:
        return None
    size, place = int(sized[2]), Place(sized[3])
    return size, place is Place.BEGIN or (place is Place.ALIGNED and size == GRANULE)


def states_of(mask: int) -> tuple[str, int]:
    """The states to look at for bytes of up to eight granules: the type of all, and the bits of them that
    are not 0 where one of the bytes may be undefined.

    mask: bit i is byte i from the begin of a granule on.
    """
    granules = (mask.bit_length() + GRANULE - 1) // GRANULE
    width = next(each for each in _WIDTHS if each >= granules)
    states = 0
    for at in range(granules):
        bytes_ = mask >> (GRANULE * at) & 0xFF
        # Those of the special states that have no bit in common with SPECIAL are seen by the others.
        seen = bytes_ if not bytes_ or bytes_ & SPECIAL else 0xFF
        states |= seen << (8 * at)
    return f"i{8 * width}", states


def clears(mask: int) -> tuple[str, str]:
    """The function to call before stores of defined bytes, which `mask` has as in `states_of`, and its last
    argument."""
    type_, states = states_of(mask)
    return f"{_CLEARS}_{int(type_[1:]) // 8}", f"{type_} {states}"


def unwritten(type_: str) -> str:
    """The function that returns a value without any defined bit; its argument is the origin."""
    return f"{UNDEFINED}_{type_}"


def declaration(name: str) -> str:
    """What declares one of these functions; raises `KeyError` for other names."""
    if name == ORIGIN:
        return f"declare i64 @{name}(ptr) nounwind willreturn speculatable memory(none)"
    if name.startswith(UNDEFINED):
        type_ = name.removeprefix(f"{UNDEFINED}_")
        return f"declare {type_} @{name}(ptr) nounwind willreturn speculatable memory(none)"
    if name.startswith(_CLEARS):
        return f"declare void @{name}(ptr, i64, i{8 * int(name.rpartition('_')[2])})"
    sized = _SIZED.match(name)
    if sized is None:
        return _DECLARED[name]
    if sized[1] == _LOAD:
        return f"declare {PAIR} @{name}(ptr)"
    return f"declare void @{name}(ptr{', i64, i64' if sized[1] == _STORE else ''})"


def definitions() -> Iterator[str]:
    """The definitions of all but those of `whence.instrument.definedness.slow`, and declarations of the
    runtime's functions."""
    yield "declare void @__whence_use(i64, i64, i64, i64) #1"
    yield f"declare {PAIR} @__whence_value_load(i64, i64) #1"
    yield "declare void @__whence_value_store(i64, i64, i64, i64) #1"
    yield "declare i64 @__whence_value_wanted(i64, i64) #1"
    yield "declare i64 @__whence_value_any(i64, i64) #1"
    yield "declare i64 @__whence_value_any_of(i64, i64) #1"
    yield "declare i64 @__whence_value_later(ptr) #1"
    yield "declare void @__whence_value_clear(i64, i64) #1"
    yield from _use()
    yield _set()
    yield _receive()
    yield from map(_unwritten, UNWRITTEN_TYPES)
    yield _define("i64", ORIGIN, "ptr %from", [*_ORIGIN_LINES, "ret i64 %origin"])
    yield _mark()
    for size in _SIZES:
        for align in {place_of(size, align): align for align in (1, 2, 4, 8)}.values():
            yield _load(size, align)
            yield _store(size, align)
            yield _clear(size, align)
    for width in _WIDTHS:
        yield _clears_of(width)


def _define(result: str, name: str, parameters: str, lines: list[str]) -> str:
    text = "\n".join(line if line.endswith(":") else f"  {line}" for line in lines)
    return f"define linkonce_odr hidden {result} @{name}({parameters}) #0 {{\n{text}\n}}"


def _use() -> Iterator[str]:
    some = ["%some = icmp ne i64 %bits, 0", "br i1 %some, label %cold, label %end, !prof !0", "cold:"]
    used = ["call void @__whence_use(i64 %value, i64 %bits, i64 %origin, i64 %kind) #3", "br label %end"]
    asked = ["%wanted = call i64 @__whence_value_wanted(i64 %which, i64 %decider) #3"]
    asked += ["%is.wanted = icmp ne i64 %wanted, 0", "br i1 %is.wanted, label %used, label %end", "used:"]
    parameters, end = "i64 %value, i64 %bits, i64 %origin, i64 %kind", ["end:", "ret void"]
    yield _define("void", USE, parameters, [*some, *used, *end])
    parameters += ", i64 %which, i64 %decider"
    yield _define("void", USE_IF, parameters, [*some, *asked, *used, *end])


def _set() -> str:
    """What follows when bytes have been set to a value with these undefined bits."""
    return f"""declare void @{UNDEFINE}(ptr, i64, i64)
declare void @{DEFINE}(ptr, i64)
define linkonce_odr hidden void @{SET}(ptr %p, i64 %n, i64 %bits, i64 %origin) #2 {{
  %all = icmp eq i64 %bits, 255
  br i1 %all, label %undefined, label %defined
undefined:
  call void @{UNDEFINE}(ptr %p, i64 %n, i64 %origin)
  ret void
defined:
  call void @{DEFINE}(ptr %p, i64 %n)
  ret void
}}"""


def _receive() -> str:
    """Notes a marked variable of the frame. Passes the address of what is copied for an argument by
    value; the argument is a copy of what is there, or of defined bytes."""
    return f"""@{PASSING} = external thread_local(initialexec) global [{VALUES_SIZE} x i8]
define linkonce_odr hidden void @{SOURCE}(ptr %p, i64 %n) #0 {{
  %place = getelementptr i8, ptr @{PASSING}, i64 %n
  store ptr %p, ptr %place, align 8
  ret void
}}
define linkonce_odr hidden void @{DEEPEN}(ptr %p) #0 {{
  %place = getelementptr i8, ptr @{PASSING}, i64 {MEMORY + IN_MEMORY.offset("depth")}
  %lowest = load i64, ptr %place, align 8
  %a = ptrtoint ptr %p to i64
  %here = xor i64 %a, -1
  %lower = icmp ugt i64 %here, %lowest
  %depth = select i1 %lower, i64 %here, i64 %lowest
  store i64 %depth, ptr %place, align 8
  ret void
}}
declare void @{COPY}(ptr, ptr, i64)
define linkonce_odr hidden void @{RECEIVE}(ptr %p, i64 %from, i64 %n) #2 {{
  %none = icmp eq i64 %from, 0
  br i1 %none, label %defined, label %copied
defined:
  call void @{DEFINE}(ptr %p, i64 %n)
  ret void
copied:
  %q = inttoptr i64 %from to ptr
  call void @{COPY}(ptr %p, ptr %q, i64 %n)
  ret void
}}"""


_ORIGIN_LINES = (
    "%from.address = ptrtoint ptr %from to i64",
    f"%from.byte = and i64 %from.address, {BYTE_MASK}",
    "%from.zero = icmp eq i64 %from.byte, 0",
    f"%from.more = select i1 %from.zero, i64 {SHIFTED}, i64 0",
    "%origin = add i64 %from.address, %from.more",
)
"""%origin is that of the constant %from."""


def _unwritten(type_: str) -> str:
    """Fill words, so that memory where the value is stored holds what undefined memory does."""
    bits = {"ptr": 64, "double": 64, "float": 32}.get(type_) or int(type_[1:])
    lines = [f"%bits = add i{bits} 0, {_PATTERN & (1 << bits) - 1}"]
    if bits == 64:
        lines = [*_ORIGIN_LINES, f"%bits = or i64 %origin, {FILL << FILL_SHIFT}"]
    if type_ == f"i{bits}":
        return _define(type_, unwritten(type_), "ptr %from", [*lines, f"ret {type_} %bits"])
    cast = "inttoptr" if type_ == "ptr" else "bitcast"
    lines += [f"%value = {cast} i{bits} %bits to {type_}", f"ret {type_} %value"]
    return _define(type_, unwritten(type_), "ptr %from", lines)


def _state(size: int, place: Place) -> list[str]:
    """%state is nonzero where the plane says that a byte may be undefined; %a is the address."""
    lines = ["%a = ptrtoint ptr %p to i64", *plane("%a", "first")]
    if place is Place.BEGIN:
        return [*lines, f"%state = and i8 %first, {(1 << size) - 1}"]
    if place is Place.ALIGNED:
        return [*lines, "%state = add i8 %first, 0"]
    return [
        *lines,
        f"%b = add i64 %a, {size - 1}",
        *plane("%b", "last"),
        "%state = or i8 %first, %last",
    ]


def _marked(size: int, place: Place) -> list[str]:
    """%marked: the plane may have to change, as where the address is no granule's begin after all."""
    lines = _state(size, place)
    if place is not Place.BEGIN:
        return [*lines, "%marked = icmp ne i8 %state, 0"]
    return [
        *lines,
        "%address.byte = trunc i64 %a to i8",
        f"%misplaced = and i8 %address.byte, {GRANULE - 1}",
        "%changed = or i8 %state, %misplaced",
        "%marked = icmp ne i8 %changed, 0",
    ]


def _load(size: int, align: int) -> str:
    lines = [
        "begin:",
        *_state(size, place_of(size, align)),
        "%maybe = icmp ne i8 %state, 0",
        "br i1 %maybe, label %cold, label %end, !prof !0",
        "cold:",
        f"%found = call preserve_mostcc {PAIR} @{SLOW}_load(i64 %a, i64 {size}) #3",
        "br label %end",
        "end:",
        f"%result = phi {PAIR} [ zeroinitializer, %begin ], [ %found, %cold ]",
        f"ret {PAIR} %result",
    ]
    return _define(PAIR, load(size, align), "ptr %p", lines)


def _store(size: int, align: int) -> str:
    place = place_of(size, align)
    lines = [
        *_marked(size, place),
        "%some = icmp ne i64 %bits, 0",
        "%maybe = or i1 %some, %marked",
        "br i1 %maybe, label %cold, label %end, !prof !0",
        "cold:",
        "br i1 %some, label %mark, label %clean",
        "mark:",
        f"call preserve_mostcc void @{SLOW}_store(i64 %a, i64 {size}, i64 %bits, i64 %origin) #3",
        "br label %end",
        "clean:",
        *_cleaned(size, place),
    ]
    return _define("void", store(size, align), "ptr %p, i64 %bits, i64 %origin", lines)


def _clear(size: int, align: int) -> str:
    place = place_of(size, align)
    lines = [*_marked(size, place), "br i1 %marked, label %cold, label %end", "cold:", *_cleaned(size, place)]
    return _define("void", clear(size, align), "ptr %p", lines)


def _clears_of(width: int) -> str:
    """Stores of defined bytes of several granules; an address may be no granule's begin after all."""
    type_ = f"i{8 * width}"
    lines = [
        "%a = ptrtoint ptr %p to i64",
        *plane("%a", "first", type_),
        f"%named = and {type_} %first, %states",
        f"%some = icmp ne {type_} %named, 0",
        f"%before = and i64 %a, {GRANULE - 1}",
        "%misplaced = icmp ne i64 %before, 0",
        "%marked = or i1 %some, %misplaced",
        "br i1 %marked, label %cold, label %end",
        "cold:",
        f"call preserve_mostcc void @{SLOW}_clears(i64 %a, i64 %bytes) #3",
        "br label %end",
        "end:",
        "ret void",
    ]
    return _define("void", f"{_CLEARS}_{width}", f"ptr %p, i64 %bytes, {type_} %states", lines)


def _mark() -> str:
    """A fill word has been stored in a granule."""
    undefined = STATES["UNDEFINED"] - 256
    lines = ["%a = ptrtoint ptr %p to i64", *plane("%a", "first")[:-1]]
    lines += [f"store i8 {undefined}, ptr %first.plane, align 1", "ret void"]
    return _define("void", MARK, "ptr %p", lines)


def _cleaned(size: int, place: Place) -> Iterator[str]:
    """The bytes of the access have become defined; the plane says that some of their granule were not."""
    if place is Place.ALIGNED and size == GRANULE:
        yield "store i8 0, ptr %first.plane, align 1"
    else:
        if place is Place.ALIGNED:
            yield from named("%first", "%a", size, "%")
            yield from ("br i1 %named, label %change, label %end", "change:")
        yield f"call preserve_mostcc void @{SLOW}_clear(i64 %a, i64 {size}) #3"
    yield from ("br label %end", "end:", "ret void")
