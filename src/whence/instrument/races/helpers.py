"""The functions that code calls where it accesses memory that threads may share: names and definitions.

They are inlined when the filter module is linked in (`whence.instrument.detectors.filters`): a test of one
byte, and a call of the runtime's where the process has several threads.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.abi.races import HOW
from whence.instrument.markers.flagged import if_flag
from whence.instrument.markers.prefixes import RACES

READ, WRITE = f"{RACES}read_", f"{RACES}write_"
"""With the number of bytes behind them."""
WIDTHS = (1, 2, 4, 8, 16)
READ_RANGE, WRITE_RANGE = f"{RACES}read_range", f"{RACES}write_range"
READ_STRIDE, WRITE_STRIDE = f"{RACES}read_stride", f"{RACES}write_stride"
BEFORE, AFTER, FENCE = f"{RACES}at_before", f"{RACES}at_after", f"{RACES}at_fence"
CLASS = f"{RACES}at_class"
LEAVE, RETURN = f"{RACES}at_leave", f"{RACES}at_return"

_ACCESS, _STRIDE, _FLAG = f"{RACES}access", f"{RACES}stride", "__whence_racing"
_DECLARED = {
    READ_RANGE: "ptr, i64",
    WRITE_RANGE: "ptr, i64",
    READ_STRIDE: "ptr, i64, i64, i32",
    WRITE_STRIDE: "ptr, i64, i64, i32",
    BEFORE: "ptr, i64, i32",
    AFTER: "ptr, i32",
    FENCE: "i32",
    CLASS: "ptr, ptr",
    LEAVE: "ptr",
    RETURN: "ptr",
}


def declaration(name: str) -> str:
    """What declares one of these functions; raises `KeyError` for other names."""
    if name.startswith((READ, WRITE)) and name.rpartition("_")[2].isdecimal():
        return f"declare void @{name}(ptr) nounwind"
    return f"declare void @{name}({_DECLARED[name]}) nounwind"


def definitions() -> Iterator[str]:
    """The definitions of all, and declarations of the runtime's functions."""
    yield f"@{_FLAG} = external global i8"
    yield f"declare void @{_ACCESS}(i64, i64, i32) #1"
    yield f"declare void @{_STRIDE}(i64, i64, i64, i32, i32) #1"
    yield f"declare void @{RACES}before(i64, i64, i32) #1"
    yield f"declare void @{RACES}after(i64, i32) #1"
    yield f"declare void @{RACES}fence(i32) #1"
    yield f"declare void @{RACES}class(i64, i64) #1"
    yield f"declare void @{RACES}leave(i64) #1"
    yield f"declare void @{RACES}return(i64) #1"
    address = "%a = ptrtoint ptr %p to i64"
    for width in WIDTHS:
        for name, verb in ((READ, "reads"), (WRITE, "writes")):
            called = f"{RACES}{verb}{width}"
            yield f"declare void @{called}(i64) #1"
            yield _if_racing(f"{name}{width}", "ptr %p", address, f"@{called}(i64 %a)")
    for name, stride, how in ((READ_RANGE, READ_STRIDE, 0), (WRITE_RANGE, WRITE_STRIDE, HOW["WRITES"])):
        yield _if_racing(name, "ptr %p, i64 %n", address, f"@{_ACCESS}(i64 %a, i64 %n, i32 {how})")
        yield _if_racing(
            stride,
            "ptr %p, i64 %span, i64 %step, i32 %n",
            address,
            f"@{_STRIDE}(i64 %a, i64 %span, i64 %step, i32 %n, i32 {how})",
        )
    yield _if_racing(BEFORE, "ptr %p, i64 %n, i32 %how", address, f"@{RACES}before(i64 %a, i64 %n, i32 %how)")
    yield _if_racing(AFTER, "ptr %p, i32 %how", address, f"@{RACES}after(i64 %a, i32 %how)")
    yield _if_racing(FENCE, "i32 %how", "", f"@{RACES}fence(i32 %how)")
    both = f"{address}\n  %c = ptrtoint ptr %q to i64"
    yield _if_racing(CLASS, "ptr %p, ptr %q", both, f"@{RACES}class(i64 %a, i64 %c)")
    yield _if_racing(LEAVE, "ptr %p", address, f"@{RACES}leave(i64 %a)")
    yield _if_racing(RETURN, "ptr %p", address, f"@{RACES}return(i64 %a)")


def _if_racing(name: str, parameters: str, before: str, call: str) -> str:
    return if_flag(_FLAG, name, parameters, before, call)
