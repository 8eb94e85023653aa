"""Which undefined values that are stored into a variable become one fill word."""

from __future__ import annotations

import re

import pytest

from whence import ir
from whence.instrument.definedness.filling import fill_granules

HEADER = """target datalayout = "e-m:e-i64:64-f80:128-n8:16:32:64-S128"
@o = private constant [5 x i32] zeroinitializer
declare i32 @__whence_values_undefined_i32(ptr)
declare i16 @__whence_values_undefined_i16(ptr)
declare ptr @__whence_values_undefined_ptr(ptr)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @g(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i8 @__whence_values_undefined_i8(ptr)
"""
_STORES = re.compile(r"store (\w+) [^,]+, ptr (\S+), align (\d+)")


def undefined(type_: str, offset: int, number: int, variable: str = "%s") -> list[str]:
    """A store of an undefined value, as `mark-unwritten` writes it."""
    return [
        f"%v{number} = call {type_} @__whence_values_undefined_{type_}(ptr @o)",
        f"%p{number} = getelementptr i8, ptr {variable}, i64 {offset}",
        f"store {type_} %v{number}, ptr %p{number}, align 4",
    ]


def stores(type_: str, *lines: str) -> list[tuple[str, ...]]:
    """(type, pointer, alignment) of the stores that are left in a function with a variable ``%s``."""
    body = "\n".join(f"  {line}" for line in (f"%s = alloca {type_}, align 4", *lines, "ret void"))
    function = ir.parse(f"{HEADER}define void @f(ptr %q, i32 %i) {{\n{body}\n}}\n").functions["f"]
    fill_granules(function)
    unused = [each for each in re.findall(r"(%v\d+) = ", str(function)) if str(function).count(each) == 1]
    assert not unused
    return _STORES.findall(str(function))


PAIR = [*undefined("i32", 0, 0), *undefined("i32", 4, 1)]


def test_the_parts_of_a_granule_are_one() -> None:
    assert stores("{ i32, i32 }", *PAIR) == [("i64", "%s", "8")]


def test_granules_stay_apart() -> None:
    lines = [*PAIR, *undefined("i32", 8, 2), *undefined("i32", 12, 3)]
    assert [each[::2] for each in stores("[4 x i32]", *lines)] == [("i64", "8")] * 2


def test_a_part_that_fills_its_granule_stays() -> None:
    assert stores("{ ptr }", *undefined("ptr", 0, 0)) == [("ptr", "%p0", "4")]


def test_padding_is_filled_too() -> None:
    assert stores("{ i32, ptr }", *undefined("i32", 0, 0)) == [("i64", "%s", "8")]


def test_what_was_deleted_is_filled_if_two_stores_are_saved() -> None:
    lines = [*undefined("i16", 0, 0), *undefined("i32", 4, 1)]
    assert stores("{ i16, i16, i32 }", *lines) == [("i64", "%s", "8")]
    assert stores("{ i32, i32 }", *undefined("i32", 0, 0)) == [("i32", "%p0", "4")]


@pytest.mark.parametrize(
    "between", ["store i16 1, ptr %s, align 2", "store i16 1, ptr %q, align 2", "call void @g(ptr %s)"]
)
def test_what_was_written_before_stays(between: str) -> None:
    lines = [*undefined("i16", 0, 0), *undefined("i32", 4, 1)]
    assert len(stores("{ i16, i16, i32 }", between, *lines)) == 2 + between.startswith("store")


def test_a_variable_is_new_again_where_its_lifetime_begins() -> None:
    begin = "call void @llvm.lifetime.start.p0(i64 8, ptr %s)"
    lines = [*undefined("i16", 0, 0), *undefined("i32", 4, 1)]
    assert stores("{ i16, i16, i32 }", "call void @g(ptr %s)", begin, *lines) == [("i64", "%s", "8")]


def test_stores_with_something_between_stay() -> None:
    lines = [*undefined("i32", 0, 0), "call void @g(ptr %s)", *undefined("i32", 4, 1)]
    assert len(stores("{ i32, i32 }", *lines)) == 2


def test_another_variable_may_be_written_between() -> None:
    other = ["%t = alloca i32, align 4", *undefined("i32", 0, 0), "store i32 1, ptr %t, align 4"]
    found = stores("{ i32, i32 }", *other, *undefined("i32", 4, 1))
    assert sorted(found) == [("i32", "%t", "4"), ("i64", "%s", "8")]


def test_the_end_of_a_variable_is_no_granule() -> None:
    lines = [*undefined("i16", 8, 0), *undefined("i16", 10, 1)]
    assert len(stores("[6 x i16]", *lines)) == 2


def test_parts_at_computed_places_stay() -> None:
    place = "%c = getelementptr i8, ptr %s, i32 %i"
    value = "%v9 = call i32 @__whence_values_undefined_i32(ptr @o)"
    assert len(stores("{ i32, i32 }", place, value, "store i32 %v9, ptr %c, align 4", *PAIR)) >= 2


def set_to_undefined(offset: int, size: int, number: int, volatile: str = "false") -> list[str]:
    """A `memset` as LLVM makes it of undefined values that are stored side by side."""
    return [
        f"%v{number} = call i8 @__whence_values_undefined_i8(ptr @o)",
        f"%p{number} = getelementptr i8, ptr %s, i64 {offset}",
        f"call void @llvm.memset.p0.i64(ptr align 4 %p{number}, i8 %v{number}, i64 {size}, i1 {volatile})",
    ]


def test_bytes_that_were_set_at_once_are_parts() -> None:
    lines = [*set_to_undefined(0, 4, 0), *undefined("i32", 4, 1)]
    assert stores("{ i8, i8, i8, i8, i32 }", *lines) == [("i64", "%s", "8")]


def test_set_bytes_of_several_granules_are_parts_of_each() -> None:
    lines = [*undefined("i32", 0, 0), *set_to_undefined(4, 12, 1)]
    assert [each[::2] for each in stores("[16 x i8]", *lines)] == [("i64", "8"), ("i64", "4")]


def test_a_volatile_or_long_set_stays() -> None:
    assert stores("[16 x i8]", *set_to_undefined(0, 16, 0, "true")) == []
    assert stores("[1000 x i8]", *set_to_undefined(0, 1000, 0)) == []
