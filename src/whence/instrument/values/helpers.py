"""The functions that code with shadows calls: their names, declarations and definitions.

Those that the hot path needs are always inlined when the filter module is linked in
(`whence.instrument.filters`), and test the definedness plane (``whence/values.h``) before they call the
runtime. So passes insert only calls and never change control flow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whence.abi.layout import DEFINED_OFFSET, GRANULE, GRANULE_SHIFT
from whence.abi.undefined import FILL, FILL_SHIFT

USE = "__whence_values_use"
PASSING = "__whence_values"
UNDEFINE, DEFINE, COPY = "__whence_value_undefine", "__whence_value_define", "__whence_value_copy"
SET = "__whence_values_set"
_LOAD, _STORE, _CLEAR = "__whence_values_load", "__whence_values_store", "__whence_values_clear"
UNDEFINED = "__whence_values_undefined"
_SLOW = "__whence_values_slow"

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
    SET: f"declare void @{SET}(ptr, i64, i64, i64)",
    UNDEFINE: f"declare void @{UNDEFINE}(ptr, i64, i64)",
    DEFINE: f"declare void @{DEFINE}(ptr, i64)",
    COPY: f"declare void @{COPY}(ptr, ptr, i64)",
}
_SIZED = re.compile(rf"({_LOAD}|{_STORE}|{_CLEAR})_(\d)(u?)\Z")


def load(size: int, aligned: bool) -> str:
    """The function that returns the undefined bits of 1 to 8 bytes of memory."""
    return f"{_LOAD}_{_suffix(size, aligned)}"


def store(size: int, aligned: bool) -> str:
    """The function to call after a store, with the undefined bits of the value and their origin."""
    return f"{_STORE}_{_suffix(size, aligned)}"


def clear(size: int, aligned: bool) -> str:
    """The function to call after a store of a value whose bits are all defined."""
    return f"{_CLEAR}_{_suffix(size, aligned)}"


def unwritten(type_: str) -> str:
    """The function that returns a value without any defined bit; its argument is the origin."""
    return f"{UNDEFINED}_{type_}"


def _suffix(size: int, aligned: bool) -> str:
    return f"{size}{'' if aligned or size == 1 else 'u'}"


def declaration(name: str) -> str:
    """What declares one of these functions; raises `KeyError` for other names."""
    if name.startswith(UNDEFINED):
        type_ = name.removeprefix(f"{UNDEFINED}_")
        return f"declare {type_} @{name}(ptr) nounwind willreturn speculatable memory(none)"
    sized = _SIZED.match(name)
    if sized is None:
        return _DECLARED[name]
    if sized[1] == _LOAD:
        return f"declare {PAIR} @{name}(ptr)"
    return f"declare void @{name}(ptr{', i64, i64' if sized[1] == _STORE else ''})"


def definitions() -> Iterator[str]:
    """The definitions of all, and declarations of the runtime's functions."""
    yield "declare void @__whence_use(i64, i64, i64, i64) #1"
    yield f"declare {PAIR} @__whence_value_load(i64, i64) #1"
    yield "declare void @__whence_value_store(i64, i64, i64, i64) #1"
    yield from _slow()
    yield _use()
    yield _set()
    yield from map(_unwritten, UNWRITTEN_TYPES)
    for size in _SIZES:
        for aligned in (True, False) if size > 1 else (True,):
            yield _load(size, aligned)
            yield _store(size, aligned)
            yield _clear(size, aligned)


def _define(result: str, name: str, parameters: str, lines: list[str]) -> str:
    text = "\n".join(line if line.endswith(":") else f"  {line}" for line in lines)
    return f"define linkonce_odr hidden {result} @{name}({parameters}) #0 {{\n{text}\n}}"


def _slow() -> Iterator[str]:
    """Calls of the runtime that leave registers as they are."""
    for name, result, parameters in (
        ("load", PAIR, "i64 %a, i64 %n"),
        ("store", "void", "i64 %a, i64 %n, i64 %bits, i64 %origin"),
    ):
        call, end = f"call {result} @__whence_value_{name}({parameters})", "ret void"
        if result != "void":
            call, end = f"%x = {call}", f"ret {result} %x"
        yield (
            f"define linkonce_odr hidden preserve_mostcc {result} @{_SLOW}_{name}({parameters}) #2 {{\n"
            f"  {call}\n  {end}\n}}"
        )


def _use() -> str:
    return _define(
        "void",
        USE,
        "i64 %value, i64 %bits, i64 %origin, i64 %kind",
        [
            "%some = icmp ne i64 %bits, 0",
            "br i1 %some, label %cold, label %end, !prof !0",
            "cold:",
            "call void @__whence_use(i64 %value, i64 %bits, i64 %origin, i64 %kind) #3",
            "br label %end",
            "end:",
            "ret void",
        ],
    )


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


def _unwritten(type_: str) -> str:
    """Fill words, so that memory where the value is stored holds what undefined memory does."""
    bits = {"ptr": 64, "double": 64, "float": 32}.get(type_) or int(type_[1:])
    lines = [f"%bits = add i{bits} 0, {_PATTERN & (1 << bits) - 1}"]
    if bits == 64:
        lines = ["%origin = ptrtoint ptr %from to i64", f"%bits = or i64 %origin, {FILL << FILL_SHIFT}"]
    if type_ == f"i{bits}":
        return _define(type_, unwritten(type_), "ptr %from", [*lines, f"ret {type_} %bits"])
    cast = "inttoptr" if type_ == "ptr" else "bitcast"
    lines += [f"%value = {cast} i{bits} %bits to {type_}", f"ret {type_} %value"]
    return _define(type_, unwritten(type_), "ptr %from", lines)


def _state(size: int, aligned: bool) -> list[str]:
    """%state is nonzero where the plane says that a byte may be undefined; %a is the address."""
    lines = ["%a = ptrtoint ptr %p to i64", *_plane("%a", "first")]
    if aligned or size == 1:
        return [*lines, "%state = add i8 %first, 0"]
    return [
        *lines,
        f"%b = add i64 %a, {size - 1}",
        *_plane("%b", "last"),
        "%state = or i8 %first, %last",
    ]


def _plane(address: str, name: str) -> list[str]:
    return [
        f"%{name}.granule = lshr i64 {address}, {GRANULE_SHIFT}",
        f"%{name}.at = add i64 %{name}.granule, {DEFINED_OFFSET}",
        f"%{name}.plane = inttoptr i64 %{name}.at to ptr",
        f"%{name} = load i8, ptr %{name}.plane, align 1",
    ]


def _load(size: int, aligned: bool) -> str:
    lines = [
        "begin:",
        *_state(size, aligned),
        "%maybe = icmp ne i8 %state, 0",
        "br i1 %maybe, label %cold, label %end, !prof !0",
        "cold:",
        f"%found = call preserve_mostcc {PAIR} @{_SLOW}_load(i64 %a, i64 {size}) #3",
        "br label %end",
        "end:",
        f"%result = phi {PAIR} [ zeroinitializer, %begin ], [ %found, %cold ]",
        f"ret {PAIR} %result",
    ]
    return _define(PAIR, load(size, aligned), "ptr %p", lines)


def _store(size: int, aligned: bool) -> str:
    lines = [
        *_state(size, aligned),
        "%some = icmp ne i64 %bits, 0",
        "%marked = icmp ne i8 %state, 0",
        "%maybe = or i1 %some, %marked",
        "br i1 %maybe, label %cold, label %end, !prof !0",
        "cold:",
        f"call preserve_mostcc void @{_SLOW}_store(i64 %a, i64 {size}, i64 %bits, i64 %origin) #3",
        "br label %end",
        "end:",
        "ret void",
    ]
    return _define("void", store(size, aligned), "ptr %p, i64 %bits, i64 %origin", lines)


def _clear(size: int, aligned: bool) -> str:
    slow = f"call preserve_mostcc void @{_SLOW}_store(i64 %a, i64 {size}, i64 0, i64 0) #3"
    whole = aligned and size == GRANULE
    lines = [
        *_state(size, aligned),
        "%marked = icmp ne i8 %state, 0",
        f"br i1 %marked, label %cold, label %end{'' if whole else ', !prof !0'}",
        "cold:",
        "store i8 0, ptr %first.plane, align 1" if whole else slow,
        "br label %end",
        "end:",
        "ret void",
    ]
    return _define("void", clear(size, aligned), "ptr %p", lines)
