"""Which variables have zones, and which checks of them stay."""

from __future__ import annotations

import pytest
from tests.instrument.test_passes import HEADER, context

from whence import ir
from whence.instrument.exposure import moves_frames, switches_stack
from whence.instrument.passes import Stage, run_stage
from whence.instrument.pipeline import PASSES

SWITCH = """
define i32 @switch(i64 %by) {{
  %x = alloca i64, align 8
  call void @use(ptr %x)
  call void asm sideeffect "{text}", "r,~{{memory}}"(i64 %by)
  ret i32 0
}}
declare void @use(ptr)
"""


@pytest.mark.parametrize(
    ("text", "switches", "moves"),
    [
        (r"addq $0, %rsp\0A\09addq $0, %rbp\0A\09", True, True),
        ("movq $0, %rsp", True, False),
        ("mov rsp, $0", True, False),
        (r"sub $$128, %rsp\0A\09add $$128, %rsp", True, False),
        ("movq %rsp, $0", False, False),
        ("cpuid", False, False),
    ],
)
def test_functions_that_switch_stacks(text: str, switches: bool, moves: bool) -> None:
    module = ir.parse(HEADER + SWITCH.format(text=text))
    assert switches_stack(module.functions["switch"]) == switches
    assert moves_frames(module) == moves


INLINED = """
declare void @use(ptr)
declare void @__whence_check_r8(ptr)
declare void @__whence_range(ptr, i64, ptr, i32)
declare void @__whence_scope_begin(ptr)
declare void @__whence_scope_end(ptr)
define i64 @f(i64 %v, i1 %c, ptr %q) {{
  %x = alloca [2 x i64], align 8
  %y = alloca i64, align 8
  %z = alloca [2 x i64], align 8
{body}
  ret i64 0
}}
"""
CHECK = "call void @__whence_check_r8(ptr %p)\n  %r = load i64, ptr %p, align 8"
BEGIN, END = (f"call void @__whence_scope_{what}(ptr %y)\n  " for what in ("begin", "end"))
EITHER = "%p = select i1 %c, ptr %x, ptr %y\n  " + CHECK + "\n  "


@pytest.mark.parametrize(
    ("body", "stays"),
    [
        ("%p = getelementptr i8, ptr %x, i64 8\n  " + CHECK, False),
        (EITHER, False),
        ("call void @__whence_range(ptr %x, i64 16, ptr %x, i32 0)", False),
        (BEGIN + EITHER + END, False),
        # the variable may be accessed elsewhere, the check may be out of bounds or of other memory
        ("call void @use(ptr %x)\n  %p = getelementptr i8, ptr %x, i64 8\n  " + CHECK, True),
        ("%p = getelementptr i8, ptr %x, i64 %v\n  " + CHECK, True),
        ("%p = select i1 %c, ptr %x, ptr %q\n  " + CHECK, True),
        ("call void @use(ptr %z)\n  %p = select i1 %c, ptr %x, ptr %z\n  " + CHECK, True),
        ("call void @__whence_range(ptr %x, i64 24, ptr %x, i32 0)", True),
        # the scope has ended
        (BEGIN + END + EITHER, True),
    ],
)
def test_checks_of_safe_variables_go(body: str, stays: bool) -> None:
    """After inlining, a check may be of a variable that has no zones."""
    passes = [each for each in PASSES if each.name == "guard-variables"]
    text = run_stage(passes, Stage.OPTIMISED, HEADER + INLINED.format(body=f"  {body.rstrip()}"), context())
    checks = [line for line in text.splitlines() if line.lstrip().startswith("call void @__whence_")]
    assert bool(checks) == stays, text


DELETED = """
declare void @__whence_check_r8(ptr)
declare void @__whence_checkp_w8(ptr, ptr)
declare void @__whence_range(ptr, i64, ptr, i32)
define i64 @f(i64 %v, ptr %q) {{
  %x = alloca [2 x i64], align 8
  {body}
  ret i64 0
}}
"""
AT = "%p = getelementptr i8, ptr %x, i64 {}\n  call void @__whence_check_r8(ptr %p)"


@pytest.mark.parametrize(
    ("body", "zones"),
    [
        (AT.format(16), True),
        (AT.format(12), True),
        (AT.format(-8), True),
        (AT.format("%v"), True),
        ("call void @__whence_range(ptr %x, i64 %v, ptr %x, i32 0)", True),
        ("call void @__whence_range(ptr %x, i64 17, ptr %x, i32 0)", True),
        (AT.format(8), False),
        ("call void @__whence_range(ptr %x, i64 16, ptr %x, i32 0)", False),
        # another variable is accessed
        ("call void @__whence_checkp_w8(ptr %q, ptr %x)", False),
    ],
)
def test_checks_without_accesses(body: str, zones: bool) -> None:
    """LLVM has deleted the access, because its result was not needed."""
    passes = [each for each in PASSES if each.name == "guard-variables"]
    made = context()
    run_stage(passes, Stage.OPTIMISED, HEADER + DELETED.format(body=body), made)
    assert made.guarded_variables == zones


MET = """
declare void @__whence_check_compare(ptr, ptr, ptr, ptr)
declare void @__whence_check_difference(ptr, ptr, ptr, ptr)
define void @f(ptr %q) {{
  %x = alloca [10 x i8], align 1
  %y = alloca [10 x i8], align 1
  %p = getelementptr i8, ptr %x, i64 3
  call void @__whence_check_{step}(ptr %p, ptr {other}, ptr %x, ptr {other}) nomerge
  ret void
}}
"""


@pytest.mark.parametrize("step", ["compare", "difference"])
@pytest.mark.parametrize(("other", "guarded"), [("%y", 2), ("%q", 1), ("%x", 0)])
def test_variables_whose_pointers_meet_others_have_zones(step: str, other: str, guarded: int) -> None:
    """Also if nothing accesses them; a variable is never apart from itself."""
    passes = [each for each in PASSES if each.name == "guard-variables"]
    counted = context()
    run_stage(passes, Stage.OPTIMISED, HEADER + MET.format(step=step, other=other), counted)
    assert counted.guarded_variables == guarded
