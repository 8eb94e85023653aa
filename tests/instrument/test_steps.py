"""Which arithmetic and which indices get markers."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.harness.rules import without_values

from whence.abi.points import STEPS
from whence.instrument.passes.context import Context
from whence.instrument.passes.stages import Stage, run_stage
from whence.instrument.pipeline import job as jobs
from whence.instrument.pipeline.table import PASSES

LAYOUT = (
    'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"\n'
)
POLICY = jobs.make_job(without_values(), "test.c", "2", ()).policy
PASSES_OF_STEPS = ("mark-indices", "mark-arithmetic", "mark-conversions")
_MARKER = re.compile(r"call void @__whence_check_(\w+)\(([^)]*)\)")


def marked(text: str, points: frozenset[str] = frozenset(STEPS)) -> tuple[list[tuple[str, str]], str]:
    """(marker, operands) in the order of the text, and the text after the passes."""
    chosen = [each for each in PASSES if each.name in PASSES_OF_STEPS]
    after = LAYOUT + text
    for stage in (Stage.CARRIED, Stage.PROMOTED):
        after = run_stage(chosen, stage, after, Context("t", replace(POLICY, steps=points)))
    return _MARKER.findall(after), after


def arithmetic(line: str, points: frozenset[str] = frozenset(STEPS)) -> tuple[list[str], str]:
    parameters = "i32 %a, i32 %b, i64 %c, i64 %d, i128 %e, <4 x i32> %v, i8 %f, ptr %p"
    found, after = marked(f"define void @f({parameters}) {{\n  {line}\n  ret void\n}}\n", points)
    return [name for name, _ in found], after


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%r = add nsw i32 %a, %b", ["add_i32"]),
        ("%r = add nuw nsw i64 %c, %d", ["add_i64"]),
        ("%r = sub nsw i32 0, %a", ["subtract_i32"]),
        ("%r = mul nsw i8 %f, 3", ["multiply_i8"]),
        ("%r = add i32 %a, %b", ["add_unsigned_i32"]),
        ("%r = add i64 %c, -1", ["subtract_unsigned_i64"]),
        ("%r = sub i32 %a, %b", ["subtract_unsigned_i32"]),
        ("%r = mul i64 %c, %d", ["multiply_unsigned_i64"]),
        ("%r = add i8 %f, 1", []),
        ("%r = add nuw i32 %a, %b", []),
        ("%r = add nsw i128 %e, 1", []),
        ("%r = add nsw <4 x i32> %v, %v", []),
        ("%r = sdiv i32 %a, %b", ["sdivide_i32"]),
        ("%r = srem i64 %c, %d", ["sdivide_i64"]),
        ("%r = udiv i32 %a, %b", ["udivide_i32"]),
        ("%r = sdiv i32 %a, 10", []),
        ("%r = sdiv i32 %a, -1", ["sdivide_i32"]),
        ("%r = udiv i32 %a, -1", []),
        ("%r = urem i32 %a, 0", ["udivide_i32"]),
        ("%r = shl i32 %a, %b", ["shift_i32"]),
        ("%r = lshr i32 %a, 31", []),
        ("%r = ashr i32 %a, 32", ["shift_i32"]),
        ("%r = shl i32 %a, -1", ["shift_i32"]),
    ],
)
def test_arithmetic(line: str, expected: list[str]) -> None:
    names, after = arithmetic(line)
    assert names == expected
    assert not expected or "nsw" not in after


@pytest.mark.parametrize(
    "lines",
    [
        ["%x = ptrtoint ptr %p to i64", "%r = sub i64 %x, %c"],
        ["%x = atomicrmw add ptr %p, i32 %a seq_cst, align 4", "%r = add i32 %x, %a"],
        ["%x = sub i64 0, %c", "%r = getelementptr inbounds i8, ptr %p, i64 %x"],
        ["%x = sub i32 %a, 100", "%r = icmp ule i32 %x, 900"],
    ],
)
def test_what_wraps_without_being_unsigned_arithmetic(lines: list[str]) -> None:
    assert arithmetic("\n  ".join(lines)) == ([], arithmetic("\n  ".join(lines))[1])


def test_a_module_where_signed_numbers_wrap_has_no_unsigned_arithmetic() -> None:
    text = LAYOUT + "define i32 @f(i32 %a) {\n  %r = add i32 %a, %a\n  ret i32 %r\n}\n"
    chosen = [each for each in PASSES if each.name == "mark-arithmetic"]
    policy = replace(POLICY, steps=frozenset(STEPS))
    assert run_stage(chosen, Stage.PROMOTED, text, Context("t", policy, wraps=True)) == text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%r = fptosi double %x to i32", ["truncate_double_s32"]),
        ("%r = fptoui float %y to i64", ["truncate_float_u64"]),
        ("%r = fptosi half %h to i8", ["truncate_float_s8"]),
        ("%r = fptosi fp128 %q to i32", []),
        ("%r = fptosi double %x to i128", []),
        ("%r = fdiv double %x, %x", ["divide_double"]),
        ("%r = fmul double %x, %x", []),
        ("%r = call i32 @llvm.cttz.i32(i32 %a, i1 true)", ["scan_i32"]),
        ("%r = call i32 @llvm.cttz.i32(i32 %a, i1 false)", []),
        (
            "%s = call i32 @llvm.cttz.i32(i32 %a, i1 true)\n  %t = add i32 %s, 1\n"
            "  %z = icmp eq i32 %a, 0\n  %r = select i1 %z, i32 0, i32 %t",
            [],
        ),
    ],
)
def test_floating_point_numbers_and_zero_bits(line: str, expected: list[str]) -> None:
    declared = "declare i32 @llvm.cttz.i32(i32, i1)\n"
    parameters = "double %x, float %y, half %h, fp128 %q, i32 %a"
    found, _ = marked(f"{declared}define void @f({parameters}) {{\n  {line}\n  ret void\n}}\n")
    assert [name for name, _ in found] == expected


def test_a_promise_is_withdrawn_only_where_it_is_checked() -> None:
    assert arithmetic("%r = add nsw i32 %a, %b", frozenset({"MULTIPLY"})) == (
        [],
        LAYOUT + "define void @f(i32 %a, i32 %b, i64 %c, i64 %d, i128 %e, <4 x i32> %v, i8 %f, ptr %p) {\n"
        "  %r = add nsw i32 %a, %b\n  ret void\n}\n",
    )
    assert "add nuw i32" in arithmetic("%r = add nuw nsw i32 %a, %b")[1]


def test_a_count_that_the_front_end_extended_keeps_its_sign() -> None:
    found, after = marked(
        "define i64 @f(i64 %c, i32 %n) {\n  %w = zext i32 %n to i64\n  %r = shl i64 %c, %w\n  ret i64 %r\n}\n"
    )
    (name, operands), extended = found[0], re.search(r"(%\S+) = sext i32 %n to i64", after)
    assert name == "shift_i64" and extended and operands == f"i64 %c, i64 {extended[1]}"


STRUCT = """%s = type { i32, [4 x i32], [8 x i8] }
@g = global [6 x i32] zeroinitializer
@h = external global [2 x [3 x i32]]
"""


def indices(*lines: str) -> list[str]:
    body = "".join(f"  {line}\n" for line in lines)
    found, _ = marked(
        f"{STRUCT}declare void @use(ptr)\ndefine void @f(ptr %p, i64 %i, i64 %j) {{\n{body}  ret void\n}}\n"
    )
    return [operands for _, operands in found]


MEMBER = "%m = getelementptr inbounds %s, ptr %p, i32 0, i32 {}"
READ = "%r = load i32, ptr %e, align 4"


def test_members_that_others_follow() -> None:
    element = "%e = getelementptr inbounds [4 x i32], ptr %m, i64 0, i64 %i"
    assert indices(MEMBER.format(1), element, READ) == ["i64 %i, i64 4"]
    assert indices(MEMBER.format(1), element, "call void @use(ptr %e)") == ["i64 %i, i64 5"]
    assert indices(MEMBER.format(1), element, "store ptr %e, ptr %p") == ["i64 %i, i64 5"]


def test_the_last_member_may_have_more_elements_than_its_type_says() -> None:
    element = "%e = getelementptr inbounds [8 x i8], ptr %m, i64 0, i64 %i"
    assert indices(MEMBER.format(2), element, "%r = load i8, ptr %e") == []


def test_what_a_pointer_leads_to_may_be_anything() -> None:
    assert indices("%e = getelementptr inbounds [4 x i32], ptr %p, i64 0, i64 %i", READ) == []


def test_variables_and_rows() -> None:
    assert indices("%e = getelementptr inbounds [6 x i32], ptr @g, i64 0, i64 %i", READ) == ["i64 %i, i64 6"]
    assert indices("%e = getelementptr inbounds [6 x i32], ptr @g, i64 0, i64 5", READ) == []
    assert indices("%e = getelementptr inbounds [6 x i32], ptr @g, i64 0, i64 -1", READ) == ["i64 -1, i64 6"]
    assert indices("%e = getelementptr inbounds [3 x i32], ptr @g, i64 0, i64 %i", READ) == []
    row = "%w = getelementptr inbounds [2 x [3 x i32]], ptr @h, i64 0, i64 %i"
    element = "%e = getelementptr inbounds [3 x i32], ptr %w, i64 0, i64 %j"
    assert indices(row, element, READ) == ["i64 %i, i64 2", "i64 %j, i64 3"]
    local = "%x = alloca [5 x i32], align 4"
    assert indices(local, "%e = getelementptr inbounds [5 x i32], ptr %x, i64 0, i64 %i", READ) == [
        "i64 %i, i64 5"
    ]
