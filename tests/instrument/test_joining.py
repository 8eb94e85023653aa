"""Which looks at the definedness plane are joined."""

from __future__ import annotations

import re

from whence import ir
from whence.instrument.definedness import helpers
from whence.instrument.definedness.joining import join_loads, join_stores

HEADER = 'target datalayout = "e-m:e-i64:64-f80:128-n8:16:32:64-S128"\n'
DECLARATIONS = "declare void @other()\n" + "\n".join(
    helpers.declaration(each)
    for each in (helpers.POINT_LOAD, helpers.clear(8, 8), helpers.clear(1, 8), helpers.clear(1, 1))
)
_CALL = re.compile(r"call void @(\w+)\(([^)]*)\)")


def function(*lines: str) -> ir.Function:
    body = "\n".join(f"  {line}" for line in lines)
    text = f"{HEADER}{DECLARATIONS}\ndefine void @f(ptr %p, ptr %q, i64 %i) {{\n{body}\n  ret void\n}}\n"
    return ir.parse(text).functions["f"]


def calls(of: ir.Function) -> list[tuple[str, str]]:
    """(function, arguments) in the order of the text."""
    return _CALL.findall(str(of))


def at(name: str, offset: int, base: str = "%p") -> str:
    return f"{name} = getelementptr i8, ptr {base}, i64 {offset}"


def load(pointer: str, size: int, align: int, number: int = 0) -> str:
    return f"call void @{helpers.POINT_LOAD}(i64 {number}, ptr {pointer}, i64 {size}, i64 {align})"


def store(pointer: str, size: int, align: int) -> str:
    return f"call void @{helpers.clear(size, align)}(ptr {pointer})"


def test_loads_of_one_point_move_to_the_first() -> None:
    found = function(at("%a", 9), load("%a", 1, 1), at("%b", 8), load("%b", 1, 8), load("%p", 8, 8))
    join_loads(found)
    assert calls(found) == [(helpers.POINT_BYTES, f"i64 0, ptr %wh.0, i64 {0x3FF}")]
    assert "%wh.0 = getelementptr i8, ptr %a, i64 -9" in str(found)


def test_loads_of_several_points_stay() -> None:
    found = function(load("%p", 8, 8, 0), at("%a", 8), load("%a", 8, 8, 1))
    join_loads(found)
    assert len(calls(found)) == 2


def test_loads_by_several_pointers_stay() -> None:
    found = function(load("%p", 8, 8), load("%q", 8, 8), at("%a", 8), load("%a", 4, 4))
    join_loads(found)
    assert calls(found)[0] == (helpers.POINT_BYTES, f"i64 0, ptr %p, i64 {0xFFF}")
    assert len(calls(found)) == 2


def test_without_the_begin_of_a_granule_nothing_is_joined() -> None:
    found = function(load("%p", 1, 1), at("%a", 1), load("%a", 1, 1))
    join_loads(found)
    assert len(calls(found)) == 2


def test_eight_granules_are_joined() -> None:
    found = function(load("%p", 8, 8), at("%a", 56), load("%a", 8, 8), at("%b", 64), load("%b", 8, 8))
    join_loads(found)
    both = 0xFF | 0xFF << 56
    assert [arguments for _, arguments in calls(found)] == [
        f"i64 0, ptr %p, i64 {both}",
        "i64 0, ptr %b, i64 8, i64 8",
    ]


def test_stores_are_told_of_before_the_first() -> None:
    found = function(store("%p", 8, 8), at("%a", 8), store("%a", 1, 8), at("%b", 9), store("%b", 1, 1))
    join_stores(found)
    assert calls(found) == [("__whence_values_memory_clears_2", f"ptr %p, i64 {0x3FF}, i16 {0x3FF}")]


def test_stores_stay_where_something_looks_between() -> None:
    for between in (
        "call void @other()",
        load("%q", 8, 8),
        "store atomic i64 1, ptr %q release, align 8",
        "fence release",
        "%x = atomicrmw add ptr %q, i64 1 seq_cst",
        "store volatile i64 1, ptr %q",
    ):
        found = function(store("%p", 8, 8), between, at("%a", 8), store("%a", 8, 8))
        join_stores(found)
        assert [name for name, _ in calls(found)].count(helpers.clear(8, 8)) == 2


def test_stores_move_past_what_is_silent() -> None:
    for between in ("store i64 1, ptr %q", "%x = load i64, ptr %q", "%x = add i64 %i, 1"):
        found = function(store("%p", 8, 8), between, at("%a", 8), store("%a", 8, 8))
        join_stores(found)
        assert len(calls(found)) == 1


def test_states_that_have_a_meaning_are_seen() -> None:
    """MIXED and BUSY have no bit of bytes 5 and 7 in common with a mask of those."""
    for byte in range(8):
        _, states = helpers.states_of(1 << byte)
        for special in (helpers.SPECIAL, helpers.SPECIAL | 0x80):
            assert states & special
