"""Which variable an initialiser is about."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.harness.rules import without_values

from whence.instrument.passes.context import Context
from whence.instrument.passes.stages import Stage, run_stage
from whence.instrument.pipeline import job as jobs
from whence.instrument.pipeline.table import PASSES
from whence.instrument.steps.initializers import POINT

POLICY = jobs.make_job(without_values(), "test.c", "2", ()).policy
LAYOUT = (
    'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"\n'
)
HEAD = """@x = global i32 0, align 4
@y = global i32 0, align 4
@t = thread_local global i32 0, align 4
@o = linkonce_odr global i32 0, comdat, align 4
@n = global i32 5, align 4
@a = internal global [2 x i32] zeroinitializer, align 4
$o = comdat any
declare i32 @get(ptr)
declare void @_ZN1AC1Ei(ptr, i32)
declare void @make(ptr)
declare i32 @__cxa_atexit(ptr, ptr, ptr)
"""
_TAKEN = re.compile(r"call void @__whence_initializes\(ptr @(\w+)\)")


def initialized(*lines: str) -> list[str]:
    """The variables that the initialiser of these lines takes back."""
    body = "\n".join(f"  {line}" for line in lines)
    text = f"{LAYOUT}{HEAD}define internal void @__cxx_global_var_init.1() {{\n{body}\n  ret void\n}}\n"
    chosen = [each for each in PASSES if each.name == "mark-initializers"]
    after = run_stage(chosen, Stage.CARRIED, text, Context("t", replace(POLICY, steps=frozenset((POINT,)))))
    return _TAKEN.findall(after)


@pytest.mark.parametrize(
    ("line", "variable"),
    [
        ("store i32 1, ptr @x, align 4", "x"),
        ("store i32 1, ptr getelementptr inbounds (i32, ptr @a, i64 1), align 4", "a"),
        ("call void @_ZN1AC1Ei(ptr @x, i32 1)", "x"),
        ("call void @make(ptr sret(i32) @x)", "x"),
        ("%1 = call i32 @__cxa_atexit(ptr @make, ptr @x, ptr null)", "x"),
    ],
)
def test_a_variable_is_recognised(line: str, variable: str) -> None:
    assert initialized(line) == [variable]


def test_the_last_store_counts() -> None:
    assert initialized("store i32 1, ptr @y, align 4", "store i32 1, ptr @x, align 4") == ["x"]


def test_where_two_are_possible_none_is_taken() -> None:
    assert initialized("store i32 1, ptr @y, align 4", "call void @make(ptr sret(i32) @x)") == []


@pytest.mark.parametrize("variable", ["t", "o", "n"])
def test_variables_that_are_never_early(variable: str) -> None:
    assert initialized(f"store i32 1, ptr @{variable}, align 4") == []


def test_an_argument_is_no_variable_that_is_made() -> None:
    assert initialized("%1 = call i32 @get(ptr @y)") == []
