"""Ranges of integers in optimised code."""

from __future__ import annotations

import pytest

from whence import ir
from whence.instrument.analysis.ranges import Range, Ranges

BEGIN = "define void @f(i8 %b, i32 %i, i64 %n, i1 %c) {\n"


def range_of(body: str, type_: str = "i64", value: str = "%x", block: str = "%at") -> Range:
    """The range of a value in a block of a function with this body."""
    module = ir.parse(f"{BEGIN}{body}\n}}\n", "test")
    function = next(iter(module.definitions))
    return Ranges(function).of(type_, value, function.block(block))


@pytest.mark.parametrize(
    ("computation", "expected"),
    [
        ("zext i8 %b to i64", (0, 255)),
        ("sext i8 %b to i64", (0, 2**64 - 1)),
        ("and i64 %n, 31", (0, 31)),
        ("urem i64 %n, 10", (0, 9)),
        ("lshr i64 %n, 60", (0, 15)),
        ("add i64 7, 3", (10, 10)),
        ("add i64 %n, 1", (0, 2**64 - 1)),
        ("sub i64 9, %n", (0, 2**64 - 1)),
        ("select i1 %c, i64 3, i64 8", (3, 8)),
        ("mul i64 3, 5", (15, 15)),
        ("udiv i64 %n, 1152921504606846976", (0, 15)),
    ],
)
def test_computations(computation: str, expected: Range) -> None:
    assert range_of(f"at:\n  %x = {computation}\n  ret void") == expected


@pytest.mark.parametrize(
    ("computation", "expected"),
    [
        ("add i64 %z, 1", (1, 256)),
        ("add i64 %z, -1", (0, 2**64 - 1)),  # wraps where %z is 0
        ("sub i64 300, %z", (45, 300)),
        ("shl i64 %z, 2", (0, 1020)),
        ("or i64 %z, 256", (0, 511)),
        ("shl i64 %z, 60", (0, 2**64 - 1)),  # drops bits
    ],
)
def test_computations_from_a_byte(computation: str, expected: Range) -> None:
    assert range_of(f"at:\n  %z = zext i8 %b to i64\n  %x = {computation}\n  ret void") == expected


@pytest.mark.parametrize(
    ("predicate", "bound", "yes", "no"),
    [
        ("ult", 10, (0, 9), (10, 2**32 - 1)),
        ("ugt", 10, (11, 2**32 - 1), (0, 10)),
        ("eq", 4, (4, 4), (0, 2**32 - 1)),
        ("slt", 10, (0, 2**32 - 1), (10, 2**31 - 1)),
        ("sgt", -1, (0, 2**31 - 1), (0, 2**32 - 1)),
    ],
)
def test_comparisons_hold_behind_their_edges(predicate: str, bound: int, yes: Range, no: Range) -> None:
    body = (
        f"begin:\n  %k = icmp {predicate} i32 %i, {bound}\n  br i1 %k, label %at, label %other\n"
        "at:\n  ret void\nother:\n  ret void"
    )
    assert range_of(body, "i32", "%i") == yes
    assert range_of(body, "i32", "%i", "%other") == no
    assert range_of(body, "i32", "%i", "%begin") == (0, 2**32 - 1)


def test_a_signed_bound_needs_a_lower_one() -> None:
    body = (
        "begin:\n  %k = icmp slt i32 %i, 10\n  br i1 %k, label %less, label %other\n"
        "less:\n  %l = icmp sgt i32 %i, -1\n  br i1 %l, label %at, label %other\n"
        "at:\n  ret void\nother:\n  ret void"
    )
    assert range_of(body, "i32", "%i") == (0, 9)


@pytest.mark.parametrize(
    ("step", "condition", "expected"),
    [
        (1, "eq i64 %y, 256", (0, 255)),
        (1, "ugt i64 %y, 256", (0, 256)),
        (4, "sge i64 %y, 256", (0, 255)),
        (2, "eq i64 %y, 255", (0, 2**64 - 1)),  # it counts past the bound
        (-1, "eq i64 %y, 256", (0, 2**64 - 1)),
        (1, "eq i64 %n, 256", (0, 2**64 - 1)),
    ],
)
def test_loops_that_count(step: int, condition: str, expected: Range) -> None:
    body = (
        "begin:\n  br label %at\n"
        f"at:\n  %x = phi i64 [ 0, %begin ], [ %y, %at ]\n  %y = add i64 %x, {step}\n"
        f"  %k = icmp {condition}\n  br i1 %k, label %end, label %at\nend:\n  ret void"
    )
    assert range_of(body) == expected
