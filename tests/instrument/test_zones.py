"""Which variables have zones, and which checks of them stay."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest
from tests.instrument.test_passes import HEADER, context

from whence import ir
from whence.instrument.analysis.exposure import moves_frames, switches_stack
from whence.instrument.passes.stages import Stage, run_stage
from whence.instrument.pipeline.table import PASSES

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


OUTLIVES = """
declare void @use(ptr)
declare ptr @__whence_strchr(ptr, i32)
declare void @__whence_setvbuf(ptr, ptr, i32, i64)
declare i64 @__whence_strlen(ptr)
define internal void @look(ptr %p) {{
  %1 = load i32, ptr %p, align 4
  ret void
}}
define internal ptr @same(ptr %p) {{
  ret ptr %p
}}
define internal void @keep(ptr %p, ptr %q) {{
  store ptr %p, ptr %q, align 8
  ret void
}}
define {result} @{name}(ptr %q) {{
  %x = alloca [4 x i32], align 16{attached}
  {body}
}}
"""
ADDRESS = "%n = ptrtoint ptr %x to i64\n  "


@pytest.mark.parametrize(
    ("body", "apart"),
    [
        ("call void @use(ptr %x)\n  ret void", True),
        ("store ptr %x, ptr %q, align 8\n  ret void", True),
        ("call void @keep(ptr %x, ptr %q)\n  ret void", True),
        ("call void @__whence_setvbuf(ptr %q, ptr %x, i32 0, i64 16)\n  ret void", True),
        ("ret ptr %x", True),
        ("%p = call ptr @same(ptr %x)\n  ret ptr %p", True),
        ("%p = call ptr @__whence_strchr(ptr %x, i32 3)\n  ret ptr %p", True),
        ("%c = icmp eq ptr %x, %q\n  call void @use(ptr %x)\n  ret void", True),
        (ADDRESS + "%m = and i64 %n, 7\n  call void @use(ptr %x)\n  ret void", True),
        # nothing outlives the call
        ("call void @look(ptr %x)\n  ret void", False),
        ("%p = call ptr @same(ptr %x)\n  call void @look(ptr %p)\n  ret void", False),
        ("%n = call i64 @__whence_strlen(ptr %x)\n  ret void", False),
        ("call void @use(ptr captures(none) %x)\n  ret void", False),
        # the program looks at the place
        ("%c = icmp ult ptr %x, %q\n  call void @use(ptr %x)\n  ret void", False),
        (ADDRESS + "store i64 %n, ptr %q\n  call void @use(ptr %x)\n  ret void", False),
    ],
)
def test_variables_that_may_outlive_the_call(body: str, apart: bool) -> None:
    """They lie below a gap."""
    text = OUTLIVES.format(
        result="ptr" if "ret ptr" in body else "void", name="f", attached="", body=body
    )
    assert _makes_gap(text) == apart


def test_variables_without_a_gap() -> None:
    """Those of main, and scalars of which the function has the address alone."""
    body = "call void @use(ptr %x)\n  ret void"
    assert not _makes_gap(OUTLIVES.format(result="void", name="main", attached="", body=body))
    marked = OUTLIVES.format(result="void", name="f", attached=", !whence.place !{}", body=body)
    assert not _makes_gap(marked)


def _makes_gap(text: str) -> bool:
    passes = [each for each in PASSES if each.name == "guard-variables"]
    text = run_stage(passes, Stage.OPTIMISED, HEADER + text, context())
    llvm.parse_assembly(text).verify()
    return "call i64 @__whence_gap(" in text
