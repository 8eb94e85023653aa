"""Markers after the optimiser: which ones others settle, and which compare with the bounds of a block."""

from __future__ import annotations

import re
from dataclasses import replace

import llvmlite.binding as llvm
import pytest
from tests.harness.rules import without_values

from whence import ir
from whence.instrument.analysis.facts import Flow
from whence.instrument.analysis.loops import loops_of
from whence.instrument.passes.context import Context
from whence.instrument.passes.policy import Policy
from whence.instrument.passes.stages import Stage, run_stage
from whence.instrument.pipeline import job as jobs
from whence.instrument.pipeline.table import PASSES

POLICY = jobs.make_job(without_values(), "test.c", "2", ()).policy
MARKER = re.compile(r"call void @__whence_check(\w+)\(ptr (?:\w+ )*(%[\w.]+)")
HEADER = (
    'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"\n'
    "declare void @__whence_check_r1(ptr)\ndeclare void @__whence_check_w4(ptr)\n"
    "declare void @__whence_checkp_r1(ptr, ptr)\ndeclare void @__whence_checkp_w4(ptr, ptr)\n"
    "declare void @g()\n"
)
PARAMETERS = "ptr %a, ptr %b, i64 %i, i32 %j"


def settled(body: str, policy: Policy = POLICY) -> str:
    text = f"{HEADER}define void @f({PARAMETERS}) {{\n{body}  ret void\n}}\n"
    module = llvm.parse_assembly(text)
    module.verify()
    result = run_stage(PASSES, Stage.OPTIMISED, str(module), Context("test.c", policy))
    llvm.parse_assembly(result).verify()
    return result


def left(body: str) -> list[tuple[str, str]]:
    return MARKER.findall(settled(body))


def byte(name: str, offset: int, base: str = "%a") -> str:
    return f"  {name} = getelementptr i8, ptr {base}, i64 {offset}\n"


def check(pointer: str, root: str | None = None) -> str:
    if root is None:
        return f"  call void @__whence_check_r1(ptr {pointer})\n"
    return f"  call void @__whence_checkp_r1(ptr {pointer}, ptr {root})\n"


def test_a_second_check_of_the_same_byte_goes() -> None:
    assert left(check("%a") + check("%a")) == [("_r1", "%a")]


def test_not_after_a_call_that_may_free() -> None:
    assert left(check("%a") + "  call void @g()\n" + check("%a")) == [("_r1", "%a"), ("_r1", "%a")]


def test_near_a_judged_byte_the_state_is_enough() -> None:
    body = "  %p = getelementptr i8, ptr %a, i64 %i\n" + byte("%q", 8, "%p") + byte("%z", 60, "%p")
    body += check("%p", "%a") + check("%q", "%a") + check("%z", "%a")
    assert left(body) == [("p_r1", "%p"), ("_r1", "%q"), ("p_r1", "%z")]


def test_that_two_bytes_are_accessible_says_nothing_of_those_far_between() -> None:
    """They may be of two blocks. Judged by one root they are of one."""
    places = byte("%p", 100) + byte("%q", 50)
    assert left(places + check("%a") + check("%p") + check("%q", "%a"))[-1] == ("p_r1", "%q")
    assert left(places + check("%p", "%a") + check("%a") + check("%q", "%a")) == [
        ("p_r1", "%p"),
        ("_r1", "%a"),
    ]


def test_another_root_is_another_judgement() -> None:
    body = "  %p = getelementptr i8, ptr %a, i64 %i\n" + check("%p", "%a") + check("%p", "%b")
    assert left(body) == [("p_r1", "%p"), ("p_r1", "%p")]


def test_a_constant_is_taken_out_of_an_index() -> None:
    body = (
        "  %k = add nsw i32 %j, 3\n  %x = sext i32 %j to i64\n  %y = sext i32 %k to i64\n"
        "  %p = getelementptr i8, ptr %a, i64 %x\n  %q = getelementptr i8, ptr %a, i64 %y\n"
    )
    assert left(body + check("%p", "%a") + check("%q", "%a")) == [("p_r1", "%p"), ("_r1", "%q")]
    free = body.replace(" nsw", "")
    assert left(free + check("%p", "%a") + check("%q", "%a")) == [("p_r1", "%p"), ("p_r1", "%q")]


@pytest.mark.parametrize(("step", "judged"), [(1, False), (16, False), (17, True), (-1, True)])
def test_an_unsigned_index_that_may_wrap(step: int, judged: bool) -> None:
    """One step up it is near what was checked, or near the root; one step down it may be far away."""
    body = (
        f"  %k = add i32 %j, {step}\n  %x = zext i32 %j to i64\n  %y = zext i32 %k to i64\n"
        "  %p = getelementptr i8, ptr %a, i64 %x\n  %q = getelementptr i8, ptr %a, i64 %y\n"
    )
    found = left(body + check("%p", "%a") + check("%q", "%a"))
    assert found == [("p_r1", "%p"), ("p_r1" if judged else "_r1", "%q")]


def test_what_wraps_is_never_between() -> None:
    """a[j] and a[j + 8] are checked, a[j + 4] may still be a[0]."""
    body = "  %x = zext i32 %j to i64\n  %p = getelementptr i8, ptr %a, i64 %x\n"
    for n in (4, 8):
        body += f"  %k{n} = add i32 %j, {n}\n  %x{n} = zext i32 %k{n} to i64\n"
        body += f"  %p{n} = getelementptr i8, ptr %a, i64 %x{n}\n"
    found = left(body + check("%p", "%a") + check("%p8", "%a") + check("%p4", "%a"))
    assert found == [("p_r1", "%p"), ("_r1", "%p8"), ("_r1", "%p4")]


LOOP = """  br label %loop
loop:
  %n = phi i64 [ 0, %0 ], [ %m, %loop ]
  %s = mul i64 %n, %i
  %p = getelementptr i32, ptr ROOT, i64 %s
  call void @__whence_checkp_w4(ptr %p, ptr ROOT)
  store i32 0, ptr %p
BODY  %m = add i64 %n, 1
  %c = icmp eq i64 %m, 100
  br i1 %c, label %end, label %loop
end:
"""


def loop(root: str = "%a", body: str = "") -> str:
    return LOOP.replace("ROOT", root).replace("BODY", body)


def test_in_a_loop_that_frees_nothing_the_bounds_are_compared() -> None:
    text = settled(loop())
    before, _, inside = text.partition("\nloop:")
    assert before.count("call preserve_mostcc { i64, i64 } @__whence_block_bounds(ptr %a)") == 1
    limit = re.search(r"(%\S+) = call i64 @llvm.usub.sat.i64\(i64 %\S+, i64 3\)", before)
    assert limit and re.search(rf"@__whence_checkin_w4\(ptr %p, ptr %a, i64 %\S+, i64 {limit[1]}\)", inside)
    assert "__whence_checkp" not in inside


def test_not_where_a_block_may_die_or_the_root_changes() -> None:
    assert "@__whence_block_bounds" not in settled(loop(body="  call void @g()\n"))
    changing = loop("%r").replace("  %s = mul", "  %r = load ptr, ptr %b\n  %s = mul")
    assert "@__whence_block_bounds" not in settled(changing)


@pytest.mark.parametrize(
    "step",
    [
        "%v = load volatile i32, ptr %b",
        "%v = load atomic i32, ptr %b acquire, align 4",
        "%v = atomicrmw add ptr %b, i32 1 seq_cst",
        "fence acquire",
    ],
)
def test_not_where_another_thread_may_free_meanwhile(step: str) -> None:
    assert "@__whence_block_bounds" not in settled(loop(body=f"  {step}\n"))


def test_not_where_the_program_closes_memory() -> None:
    closing = jobs.make_job(without_values(), "test.c", "2", (jobs.CLOSES,)).policy
    assert not closing.bounds
    assert "@__whence_block_bounds" not in settled(loop(), closing)
    assert "@__whence_block_bounds" not in settled(loop(), replace(POLICY, bounds=False))


def test_a_conditional_entry_gets_a_block_of_its_own() -> None:
    body = loop().replace(
        "  br label %loop\n", "  %e = icmp eq i64 %i, 0\n  br i1 %e, label %end, label %loop\n", 1
    )
    text = settled(body)
    assert text.count("@__whence_block_bounds(ptr %a)") == 1 and "__whence_checkin_w4" in text


def test_loops_are_found_outer_ones_first() -> None:
    text = (
        "define void @f(i1 %c) {\n  br label %o\no:\n  br label %i\n"
        "i:\n  br i1 %c, label %i, label %t\nt:\n  br i1 %c, label %o, label %e\ne:\n  ret void\n}\n"
    )
    function = ir.parse(text).functions["f"]
    found = loops_of(Flow(function, ()).order)
    assert [(each.head.ref, sorted(each.blocks)) for each in found] == [
        ("%o", ["%i", "%o", "%t"]),
        ("%i", ["%i"]),
    ]
    assert [block.ref for block in found[1].entering()] == ["%o"]


def test_a_cycle_with_two_entries_is_no_loop() -> None:
    text = (
        "define void @f(i1 %c) {\n  br i1 %c, label %x, label %y\nx:\n  br label %y\n"
        "y:\n  br i1 %c, label %x, label %e\ne:\n  ret void\n}\n"
    )
    assert loops_of(Flow(ir.parse(text).functions["f"], ()).order) == []


TABLE = """@t = external global [10 x i32]
declare void @__whence_checkof_r4(ptr, ptr, i64)
"""


@pytest.mark.parametrize(
    ("index", "pointer", "expected"),
    [
        ("and i64 %i, 7", "getelementptr i32, ptr @t, i64 %k", None),
        ("urem i64 %i, 10", "getelementptr i32, ptr @t, i64 %k", None),
        ("and i64 %i, 15", "getelementptr i32, ptr @t, i64 %k", "checkat_r4(ptr %p, ptr @t, i64 %k, i64 10)"),
        ("and i64 %i, 7", "getelementptr i32, ptr getelementptr (i8, ptr @t, i64 8), i64 %k", None),
        (
            "and i64 %i, 7",
            "getelementptr i32, ptr getelementptr (i8, ptr @t, i64 12), i64 %k",
            "checkat_r4(ptr %p, ptr @t, i64 %wh.0, i64 10)",
        ),
        (
            "and i64 %i, 7",
            "getelementptr i32, ptr getelementptr (i8, ptr @t, i64 -4), i64 %k",
            "checkat_r4(ptr %p, ptr @t, i64 %wh.0, i64 10)",
        ),
        (
            "and i64 %i, 15",
            "getelementptr i32, ptr getelementptr (i8, ptr @t, i64 2), i64 %k",
            "checkof_r4(ptr %p, ptr @t, i64 37)",
        ),
    ],
)
def test_an_index_of_a_variable(index: str, pointer: str, expected: str | None) -> None:
    body = (
        f"  %k = {index}\n  %p = {pointer}\n  call void @__whence_checkof_r4(ptr %p, ptr @t, i64 37)\n"
        "  %v = load i32, ptr %p\n  call void @g()\n"
    )
    text = f"{HEADER}{TABLE}define void @f({PARAMETERS}) {{\n{body}  ret void\n}}\n"
    result = run_stage(PASSES, Stage.OPTIMISED, text, Context("test.c", POLICY))
    llvm.parse_assembly(result).verify()
    found = [line.strip() for line in result.splitlines() if "call void @__whence_check" in line]
    assert [line.removesuffix(" nomerge") for line in found] == (
        [f"call void @__whence_{expected}"] if expected else []
    )
    if "%wh.0" in result:
        least = 3 if "i64 12" in pointer else -1
        assert f"%wh.0 = add i64 %k, {least}" in result


def test_an_access_to_a_variable_is_checked_once() -> None:
    check = "  call void @__whence_checkof_r4(ptr %p, ptr @t, i64 37)\n"
    body = f"  %p = getelementptr i32, ptr @t, i64 %i\n{check}  %v = load i32, ptr %p\n{check}"
    text = f"{HEADER}{TABLE}define void @f({PARAMETERS}) {{\n{body}  ret void\n}}\n"
    result = run_stage(PASSES, Stage.OPTIMISED, text, Context("test.c", POLICY))
    assert result.count("call void @__whence_check") == 1
