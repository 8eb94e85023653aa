"""Which looks at the definedness plane are left out, because earlier ones settle them."""

from __future__ import annotations

import pytest

from whence import ir
from whence.abi.intercepts import RUNTIME_SYMBOLS
from whence.instrument.definedness import helpers
from whence.instrument.definedness.known import drop_known

HEADER = 'target datalayout = "e-m:e-i64:64-f80:128-n8:16:32:64-S128"\n'
_NAMES = (helpers.POINT_LOAD, helpers.clear(4, 4), helpers.clear(8, 8), helpers.store(4, 4), helpers.MARK)
_STRLEN = RUNTIME_SYMBOLS["strlen"]
DECLARATIONS = "\n".join(
    ["declare void @other()", f"declare i64 @{_STRLEN}(ptr)", "declare void @__whence_check_r4(ptr)"]
    + [helpers.declaration(each) for each in _NAMES]
)


def function(*lines: str) -> ir.Function:
    body = "\n".join(line if line.endswith(":") else f"  {line}" for line in lines)
    text = f"{HEADER}{DECLARATIONS}\ndefine void @f(ptr %p, ptr %q, i1 %c) {{\n{body}\n}}\n"
    return ir.parse(text).functions["f"]


def load(pointer: str, size: int, number: int = 0) -> str:
    return f"call void @{helpers.POINT_LOAD}(i64 {number}, ptr {pointer}, i64 {size}, i64 {size})"


def store(pointer: str, size: int) -> str:
    return f"call void @{helpers.clear(size, size)}(ptr {pointer})"


def left(*lines: str) -> list[str]:
    """The looks that are left, as they were written."""
    found = function(*lines)
    drop_known(found)
    looks = {line for line in lines if helpers.POINT_LOAD in line or helpers.clear(4, 4)[:-2] in line}
    return [each.text.strip() for each in found.instructions() if each.text.strip() in looks]


def test_what_was_looked_at_is_known() -> None:
    again = load("%p", 4, 1)
    assert left(load("%p", 8), again, store("%p", 4), "ret void") == [load("%p", 8)]


def test_what_was_stored_is_known() -> None:
    assert left(store("%p", 8), load("%p", 8), "ret void") == [store("%p", 8)]


def test_parts_add_up() -> None:
    second = "%a = getelementptr i8, ptr %p, i64 4"
    assert left(second, store("%p", 4), store("%a", 4), load("%p", 8), "ret void") == [
        store("%p", 4),
        store("%a", 4),
    ]


def test_parts_at_the_border_of_a_chunk_add_up() -> None:
    lines = ["%a = getelementptr i8, ptr %p, i64 -4", store("%a", 8), load("%p", 4), "ret void"]
    assert left(*lines) == [store("%a", 8)]


def test_more_than_was_looked_at_is_not_known() -> None:
    assert left(load("%p", 4), load("%p", 8, 1), "ret void") == [load("%p", 4), load("%p", 8, 1)]


def test_another_pointer_is_not_known() -> None:
    assert left(load("%p", 4), load("%q", 4, 1), "ret void") == [load("%p", 4), load("%q", 4, 1)]


@pytest.mark.parametrize(
    "between",
    [
        "call void @other()",
        f"call void @{helpers.store(4, 4)}(ptr %q, i64 1, i64 0)",
        f"call void @{helpers.MARK}(ptr %q)",
        "%x = atomicrmw add ptr %q, i32 1 acquire",
        "%x = load atomic i32, ptr %q acquire, align 4",
        "fence acquire",
    ],
)
def test_what_may_undefine_ends_it(between: str) -> None:
    assert left(load("%p", 4), between, load("%p", 4, 1), "ret void") == [load("%p", 4), load("%p", 4, 1)]


@pytest.mark.parametrize(
    "between",
    [
        "call void @__whence_check_r4(ptr %q)",
        f"%n = call i64 @{_STRLEN}(ptr %q)",
        "store i32 1, ptr %q, align 4",
    ],
)
def test_what_undefines_nothing_does_not(between: str) -> None:
    assert left(load("%p", 4), between, load("%p", 4, 1), "ret void") == [load("%p", 4)]


def test_it_is_known_where_all_ways_say_so() -> None:
    fork = "br i1 %c, label %one, label %two"
    join = ["br label %end", "end:", load("%p", 4, 2), "ret void"]
    both = [fork, "one:", load("%p", 4), "br label %end", "two:", load("%p", 4, 1), *join]
    assert left(*both) == [load("%p", 4), load("%p", 4, 1)]
    single = [fork, "one:", load("%p", 4), "br label %end", "two:", *join]
    assert left(*single) == [load("%p", 4), load("%p", 4, 2)]


@pytest.mark.parametrize(("within", "known"), [("fence acquire", False), ("fneg float 1.0", True)])
def test_a_loop_keeps_what_nothing_in_it_ends(within: str, known: bool) -> None:
    within = within if known is False else f"%x = {within}"
    loop = ["br label %loop", "loop:", load("%p", 4, 1), within, "br i1 %c, label %loop, label %end"]
    found = left(load("%p", 4), *loop, "end:", "ret void")
    assert found == ([load("%p", 4)] if known else [load("%p", 4), load("%p", 4, 1)])


def test_what_a_loop_computes_is_another_pointer_each_time() -> None:
    lines = [
        "br label %loop",
        "loop:",
        "%r = phi ptr [ %p, %0 ], [ %s, %loop ]",
        load("%r", 4),
        "%s = load ptr, ptr %r, align 8",
        "br i1 %c, label %loop, label %end",
        "end:",
        "ret void",
    ]
    assert left(*lines) == [load("%r", 4)]
