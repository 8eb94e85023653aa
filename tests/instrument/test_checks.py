"""The checks of the front end: gone without rules, markers with them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.harness.rules import without_values

from whence.instrument.passes.context import Context
from whence.instrument.passes.stages import parsed
from whence.instrument.pipeline import job as jobs
from whence.instrument.steps.checks import settle_checks
from whence.instrument.steps.sites import POINTS

POLICY = jobs.make_job(without_values(), "test.c", "2", ()).policy
HEAD = """@.src = private unnamed_addr constant [4 x i8] c"t.c\\00", align 1
@0 = private unnamed_addr constant { i16, i16, [6 x i8] } { i16 0, i16 11, [6 x i8] c"'int'\\00" }
@1 = private unnamed_addr constant { i16, i16, [7 x i8] } { i16 0, i16 6, [7 x i8] c"'byte'\\00" }
@2 = private unnamed_addr global { { ptr, i32, i32 }, ptr, ptr, i8, i32 } { { ptr, i32, i32 } { ptr @.src, i32 1, i32 2 }, ptr @0, ptr @1, i8 2, i32 0 }
@3 = private unnamed_addr constant { i16, i16, [12 x i8] } { i16 -1, i16 0, [12 x i8] c"'int (*)()'\\00" }
@4 = private unnamed_addr global { { ptr, i32, i32 }, ptr } { { ptr, i32, i32 } { ptr @.src, i32 1, i32 2 }, ptr @3 }
@5 = private unnamed_addr global { { ptr, i32, i32 } } { { ptr, i32, i32 } { ptr @.src, i32 3, i32 5 } }
@6 = private unnamed_addr global { { ptr, i32, i32 }, ptr, ptr, i8 } { { ptr, i32, i32 } { ptr @.src, i32 3, i32 5 }, ptr @3, ptr @_ZTI1A, i8 4 }
@__ubsan_vptr_type_cache = external global [128 x i64]
@_ZTI1A = external constant ptr
declare void @__ubsan_handle_implicit_conversion(ptr, i64, i64)
declare void @__ubsan_handle_function_type_mismatch(ptr, i64)
declare void @__ubsan_handle_dynamic_type_cache_miss(ptr, i64, i64)
declare void @__ubsan_handle_missing_return(ptr)
declare i32 @get(ptr)
"""  # noqa: E501
CONVERSION = """define i32 @f(i32 %0) !func_sanitize !1 {
  %2 = trunc i32 %0 to i8
  %3 = zext i8 %2 to i32, !nosanitize !0
  %4 = icmp eq i32 %3, %0, !nosanitize !0
  br i1 %4, label %8, label %5, !nosanitize !0

5:                                                ; preds = %1
  %6 = zext i32 %0 to i64, !nosanitize !0
  %7 = zext i8 %2 to i64, !nosanitize !0
  call void @__ubsan_handle_implicit_conversion(ptr @2, i64 %6, i64 %7) #1, !nosanitize !0
  br label %8, !nosanitize !0

8:                                                ; preds = %5, %1
  %9 = icmp eq i8 %2, 0
  br i1 %9, label %10, label %11

10:                                               ; preds = %8
  br label %11

11:                                               ; preds = %10, %8
  %12 = phi i32 [ 1, %8 ], [ 2, %10 ]
  ret i32 %12
}
"""
CALLEE = """define i32 @g(ptr %0) {
  %2 = getelementptr <{ i32, i32 }>, ptr %0, i32 -1, i32 0, !nosanitize !0
  %3 = load i32, ptr %2, align 4, !nosanitize !0
  %4 = icmp eq i32 %3, -1056584962, !nosanitize !0
  br i1 %4, label %5, label %12, !nosanitize !0

5:                                                ; preds = %1
  %6 = getelementptr <{ i32, i32 }>, ptr %0, i32 -1, i32 1, !nosanitize !0
  %7 = load i32, ptr %6, align 8, !nosanitize !0
  %8 = icmp eq i32 %7, -897942929, !nosanitize !0
  br i1 %8, label %11, label %9, !nosanitize !0

9:                                                ; preds = %5
  %10 = ptrtoint ptr %0 to i64, !nosanitize !0
  call void @__ubsan_handle_function_type_mismatch(ptr @4, i64 %10) #1, !nosanitize !0
  br label %11, !nosanitize !0

11:                                               ; preds = %9, %5
  br label %12, !nosanitize !0

12:                                               ; preds = %11, %1
  %13 = call i32 %0()
  ret i32 %13
}
"""
RETURN = """define i32 @h() {
  br i1 false, label %2, label %1, !nosanitize !0

1:                                                ; preds = %0
  call void @__ubsan_handle_missing_return(ptr @5) #1, !nosanitize !0
  unreachable, !nosanitize !0

2:                                                ; preds = %0
  unreachable
}
"""
OBJECT = """define i32 @k(ptr %0) {
  %2 = load ptr, ptr %0, align 8, !nosanitize !0
  %3 = ptrtoint ptr %2 to i64, !nosanitize !0
  %4 = icmp eq i64 %3, 5, !nosanitize !0
  br i1 %4, label %7, label %5, !nosanitize !0

5:                                                ; preds = %1
  %6 = ptrtoint ptr %0 to i64, !nosanitize !0
  call void @__ubsan_handle_dynamic_type_cache_miss(ptr @6, i64 %6, i64 %3) #1, !nosanitize !0
  br label %7, !nosanitize !0

7:                                                ; preds = %5, %1
  %8 = call i32 @get(ptr %0)
  ret i32 %8
}
"""
SHIFT = """define i32 @s(i32 %0, i32 %1) {
  %3 = icmp ule i32 %1, 31, !nosanitize !0
  br i1 %3, label %4, label %8, !nosanitize !0

4:                                                ; preds = %2
  %5 = sub nuw nsw i32 31, %1, !nosanitize !0
  %6 = lshr i32 %0, %5, !nosanitize !0
  %7 = icmp eq i32 %6, 0, !nosanitize !0
  br label %8, !nosanitize !0

8:                                                ; preds = %4, %2
  %9 = phi i1 [ true, %2 ], [ %7, %4 ], !nosanitize !0
  br i1 %9, label %13, label %10, !nosanitize !0

10:                                               ; preds = %8
  %11 = zext i32 %0 to i64, !nosanitize !0
  %12 = zext i32 %1 to i64, !nosanitize !0
  call void @__ubsan_handle_shift_out_of_bounds(ptr @7, i64 %11, i64 %12) #1, !nosanitize !0
  br label %13, !nosanitize !0

13:                                               ; preds = %10, %8
  %14 = shl i32 %0, %1
  ret i32 %14
}
"""
SHIFT_HEAD = """@7 = private unnamed_addr global { { ptr, i32, i32 }, ptr, ptr } { { ptr, i32, i32 } { ptr @.src, i32 3, i32 5 }, ptr @0, ptr @0 }
declare void @__ubsan_handle_shift_out_of_bounds(ptr, i64, i64)
"""  # noqa: E501
TAIL = "attributes #1 = { nomerge nounwind }\n!0 = !{}\n!1 = !{i32 -1056584962, i32 7}\n"
_MARKER = re.compile(r"call void @__whence_check_(\w+)\(([^)]*)\)")


def settled(*functions: str, points: frozenset[str] = frozenset(), traps: bool = False) -> str:
    """The text of a module after the pass, which LLVM accepts."""
    text = str(parsed(HEAD + "".join(functions) + TAIL))
    found = settle_checks(text, Context("t", replace(POLICY, steps=points), unoptimised=traps))
    parsed(found).verify()
    return found


def test_without_rules_nothing_is_left() -> None:
    text = settled(CONVERSION, CALLEE, RETURN, OBJECT)
    assert not re.search(r"ubsan|nosanitize|func_sanitize|@\.src|@\d", text)


def test_a_text_with_the_look_of_a_name_keeps_nothing() -> None:
    constant = '@.str = private unnamed_addr constant [3 x i8] c"@2\\00"\n'
    text = settled(constant, CONVERSION, CALLEE, RETURN, OBJECT)
    assert re.findall(r"@\d", text) == ["@2"]


def test_what_the_program_refers_to_is_kept_with_what_that_needs() -> None:
    text = settled("@kept = private unnamed_addr constant ptr @2\n", CONVERSION, CALLEE, RETURN, OBJECT)
    assert set(re.findall(r"^@\d", text, re.MULTILINE)) == {"@0", "@1", "@2"}


def test_blocks_that_a_check_parted_are_one_again() -> None:
    text = settled(CONVERSION)
    assert "8:" not in text and "phi i32 [ 1, %1 ], [ 2, %10 ]" in text
    assert settled(CALLEE).count("br ") == 0


def test_a_conversion_has_the_sign_of_each_type() -> None:
    text = settled(CONVERSION, points=POINTS)
    assert _MARKER.findall(text) == [("to_unsigned", "i64 %6, i64 %7, ptr @__whence_site.0")]
    assert "%6 = sext i32 %0 to i64" in text and "%7 = zext i8 %2 to i64" in text
    assert "c\"converts 'int' to 'byte'\\00\"" in text
    assert "i32 0, i32 8, i32 2, i32 0 }" in text  # 8 bits, unsigned, fewer than before


def test_only_the_points_of_rules_get_markers() -> None:
    text = settled(CONVERSION, CALLEE, RETURN, OBJECT, points=frozenset(("CALLEE",)))
    assert _MARKER.findall(text) == [("callee", "i64 %10, i32 -897942929, ptr @__whence_site.0")]
    assert "!func_sanitize" in text


def test_an_object_is_checked_by_the_name_of_its_class() -> None:
    text = settled(OBJECT, points=POINTS)
    assert _MARKER.findall(text) == [("object", "i64 %6, ptr @__whence_site.0")]
    assert 'c"1A\\00"' in text and text.count("@_ZTI1A") == 1


@pytest.mark.parametrize(("traps", "expected"), [(True, 1), (False, 0)])
def test_a_function_without_return_ends_as_it_would_without_checks(traps: bool, expected: int) -> None:
    assert settled(RETURN, traps=traps).count("call void @llvm.trap()") == expected
    marked = settled(RETURN, points=POINTS, traps=traps)
    assert _MARKER.findall(marked) == [("missing_return", "")] and "call void @llvm.trap()" in marked


def test_both_tests_of_a_shift_are_one() -> None:
    assert settled(SHIFT_HEAD, SHIFT).count("br ") == 0
    text = settled(SHIFT_HEAD, SHIFT, points=POINTS)
    assert text.count("br ") == 0 and "%9 = select i1 %3, i1 %7, i1 true" in text
    assert _MARKER.findall(text) == [("shift_signed", "i64 %11, i64 %12, i1 %9")]
    assert "%11 = sext i32 %0 to i64" in text
