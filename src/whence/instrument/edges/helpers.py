"""The functions that code calls where it takes an edge or compares: names and definitions.

They are inlined when the filter module is linked in (`whence.instrument.detectors.filters`). A comparison
costs a test of one byte: the runtime is called only while a fuzzer wants to know what is compared.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.instrument.markers.flagged import if_flag
from whence.instrument.markers.prefixes import EDGES

REACH, BRANCH = f"{EDGES}reach", f"{EDGES}branch"
COMPARE, SWITCH = f"{EDGES}compare_", f"{EDGES}switch_"
"""With the number of bits behind them."""
WIDTHS = (8, 16, 32, 64)
BEGIN = f"{EDGES}begin"

_COMPARED, _SWITCHED, _FLAG = f"{EDGES}compared", f"{EDGES}switched", "__whence_edges_traced"
_DECLARED = {REACH: "ptr", BRANCH: "i1, ptr, ptr", BEGIN: "ptr, ptr"}


def declaration(name: str) -> str:
    """What declares one of these functions; raises `KeyError` for other names."""
    bits = name.rpartition("_")[2]
    if name.startswith(COMPARE):
        return f"declare void @{name}(i{bits}, i{bits}) nounwind"
    if name.startswith(SWITCH):
        return f"declare void @{name}(i{bits}, ptr) nounwind"
    return f"declare void @{name}({_DECLARED[name]}) nounwind"


def definitions() -> Iterator[str]:
    """The definitions of all, and declarations of the runtime's functions."""
    yield f"@{_FLAG} = external global i8"
    yield f"declare void @{_COMPARED}(i64, i64, i32) #1"
    yield f"declare void @{_SWITCHED}(i64, ptr, i32) #1"
    yield _inlined(REACH, "ptr %p", _counted("%p"))
    one = "  %p = select i1 %c, ptr %yes, ptr %no"
    yield _inlined(BRANCH, "i1 %c, ptr %yes, ptr %no", f"{one}\n{_counted('%p')}")
    for bits in WIDTHS:
        both = "\n  ".join(_word(bits, name, to) for name, to in (("%a", "%x"), ("%b", "%y")))
        call = f"@{_COMPARED}(i64 %x, i64 %y, i32 {bits // 8})"
        yield _if_traced(f"{COMPARE}{bits}", f"i{bits} %a, i{bits} %b", both, call)
        call = f"@{_SWITCHED}(i64 %x, ptr %cases, i32 {bits // 8})"
        yield _if_traced(f"{SWITCH}{bits}", f"i{bits} %a, ptr %cases", _word(bits, "%a", "%x"), call)


def _word(bits: int, name: str, to: str) -> str:
    """A value as 64 bits."""
    return f"{to} = add i64 {name}, 0" if bits == 64 else f"{to} = zext i{bits} {name} to i64"


def _counted(pointer: str) -> str:
    """Adds one to a byte, which is never 0 again: a count of 256 is no count of 0."""
    return f"""  %n = load i8, ptr {pointer}, align 1
  %more = add i8 %n, 1
  %none = icmp eq i8 %more, 0
  %one = zext i1 %none to i8
  %count = add i8 %more, %one
  store i8 %count, ptr {pointer}, align 1"""


def _inlined(name: str, parameters: str, body: str) -> str:
    return f"define linkonce_odr hidden void @{name}({parameters}) #0 {{\n{body}\n  ret void\n}}"


def _if_traced(name: str, parameters: str, before: str, call: str) -> str:
    return if_flag(_FLAG, name, parameters, before, call)
