"""Which steps that rely on a promise get markers."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.harness.rules import without_values

from whence.instrument.passes.context import Context
from whence.instrument.passes.stages import Stage, run_stage
from whence.instrument.pipeline import job as jobs
from whence.instrument.pipeline.table import PASSES
from whence.instrument.steps.promises import POINTS

LAYOUT = (
    'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"\n'
)
DECLARED = """declare void @stop() noreturn
declare void @abort() noreturn
declare void @get(ptr nonnull)
declare void @may(i32)
"""
POLICY = jobs.make_job(without_values(), "test.c", "2", ()).policy
_MARKER = re.compile(r"call void @__whence_check_(\w+)\(([^)]*)\)")


def marked(*lines: str, head: str = "define void @f(ptr %p, i64 %i, i32 %n)") -> list[tuple[str, str]]:
    """(marker, operands) in the order of the text."""
    body = "\n".join(f"  {line}" for line in lines)
    text = f"{LAYOUT}{DECLARED}{head} {{\n{body}\n}}\n"
    chosen = [each for each in PASSES if each.name == "mark-promises"]
    after = run_stage(chosen, Stage.CARRIED, text, Context("t", replace(POLICY, steps=POINTS)))
    return _MARKER.findall(after)


def test_only_bytes_that_become_bits_are_bools() -> None:
    load, end = "%b = load i8, ptr %p, align 1", "ret void"
    assert marked(load, "%t = trunc i8 %b to i1", end) == [("bool_i8", "i8 %b")]
    assert marked(load, "%m = and i8 %b, 1", "%t = trunc i8 %m to i1", end) == []
    assert marked(load, "%t = icmp ne i8 %b, 0", end) == []


def test_code_behind_a_call_that_does_not_return_is_no_statement() -> None:
    assert marked("unreachable") == [("unreachable", "")]
    assert marked("call void @may(i32 %n)", "unreachable") == [("unreachable", "")]
    assert marked("call void @stop()", "unreachable") == [("unreachable", "")]  # its definition may
    assert marked("call void @abort()", "unreachable") == []
    assert marked("ret void", head="define void @f() noreturn") == [("unreachable", "")]


def test_lengths_of_arrays_have_their_sign() -> None:
    slots = ["%s = alloca i64, align 8", "%t = alloca i64, align 8", "%w = zext i32 %n to i64"]
    found = marked(
        *slots,
        "%m = mul nuw i64 %i, %w",
        "%a = alloca i8, i64 %m, align 16",
        "store i64 %i, ptr %s, align 8",
        "store i64 %w, ptr %t, align 8",
        "ret void",
    )
    assert [name for name, _ in found] == ["dimension_i64", "dimension_i64"]
    assert found[0][1] == "i64 %i" and found[1][1] != "i64 %w"
    assert marked("%a = alloca i8, i64 %i, align 16", "ret void") == []


def test_pointers_that_are_never_null() -> None:
    assert marked("call void @get(ptr nonnull %p)", "ret void") == [("nonnull_argument", "ptr %p")]
    assert marked("%x = alloca i32", "call void @get(ptr nonnull %x)", "ret void") == []
    assert marked("ret ptr %p", head="define nonnull ptr @f(ptr %p)") == [("nonnull_result", "ptr %p")]
    assert marked("ret void", head="define void @f(ptr nonnull %p)") == [("nonnull_argument", "ptr %p")]
    assert marked("ret void", head="define void @f(ptr nonnull align 4 dereferenceable(4) %p)") == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("%r = getelementptr inbounds i32, ptr %p, i64 %i", ["ptr %p, i64 %i, i64 4"]),
        ("%r = getelementptr inbounds [4 x i16], ptr %p, i64 0, i64 %i", ["ptr %p, i64 %i, i64 2"]),
        ("%r = getelementptr inbounds i32, ptr %p, i32 -1", ["ptr %p, i64 -1, i64 4"]),
        ("%r = getelementptr inbounds i32, ptr %p, i64 0", []),
        ("%r = getelementptr inbounds { i32, i32 }, ptr %p, i32 0, i32 1", []),
        ("%r = getelementptr inbounds ptr, ptr %p, i64 2", []),
        ("%r = getelementptr i32, ptr %p, i64 %i", []),
        ("%r = getelementptr inbounds i8, ptr @stop, i64 %i", []),
    ],
)
def test_sums_with_pointers(line: str, expected: list[str]) -> None:
    assert marked(line, "ret void") == [("offset", each) for each in expected]


def test_accesses_to_types_with_an_alignment() -> None:
    assert marked("%r = load i32, ptr %p, align 4", "ret void") == [("align", "ptr %p, i64 4")]
    assert marked("store i32 1, ptr %p, align 1", "ret void") == []
    assert marked("%x = alloca i32, align 4", "store i32 1, ptr %x, align 4", "ret void") == []
