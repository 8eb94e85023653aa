"""Late twins: what a module keeps for them, and what they are made of."""

from __future__ import annotations

from dataclasses import replace

import llvmlite.binding as llvm
import pytest

from whence.abi.tiers import QUICK
from whence.instrument.definedness.late import declared
from whence.instrument.passes.later import Kept
from whence.instrument.pipeline.compiling import Compiled, Job, compile_module, compile_twins
from whence.instrument.pipeline.job import make_job
from whence.rules import load_standard

MODULE = r"""
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
%pair = type { i64, i32 }
@added = internal global i32 5, align 4
@text = private constant [3 x i8] c"%d\00"
@own = internal thread_local global i32 5, align 4
declare i32 @printf(ptr, ...)
declare ptr @llvm.threadlocal.address.p0(ptr)
define internal i32 @inner(i32 %0) noinline {
  %2 = load i32, ptr @added, align 4
  %3 = add i32 %0, %2
  ret i32 %3
}
define %pair @pair(ptr %0) {
  %2 = load %pair, ptr %0, align 8
  ret %pair %2
}
define void @say(ptr %0, ptr %1) {
  %3 = load i32, ptr %0, align 4
  %4 = icmp sgt i32 %3, 7
  br i1 %4, label %5, label %8
5:
  %6 = call i32 %1(i32 %3)
  %7 = call i32 (ptr, ...) @printf(ptr @text, i32 %6)
  br label %8
8:
  %9 = call %pair @pair(ptr %0)
  %10 = extractvalue %pair %9, 1
  %11 = call i32 @inner(i32 %10)
  store i32 %11, ptr @added, align 4
  ret void
}
define i32 @threads(ptr %0) {
  %2 = call ptr @llvm.threadlocal.address.p0(ptr @own)
  %3 = load i32, ptr %2, align 4
  %4 = load i32, ptr %0, align 4
  %5 = add i32 %3, %4
  ret i32 %5
}
"""


def job() -> Job:
    rules = load_standard().select(enable=["use-of-uninitialized-value"])
    return replace(make_job(rules, "m.c", "1", (), tier=QUICK), later="k" * 64)


@pytest.fixture(scope="module")
def compiled() -> Compiled:
    module = llvm.parse_assembly(MODULE, context=llvm.create_context())
    return compile_module(module.as_bitcode(), job())


def symbols(code: bytes) -> list[str]:
    return sorted({word.decode() for word in code.split(b"\0") if word.isascii()})


def test_the_object_has_no_late_twins(compiled: Compiled) -> None:
    kept = Kept.of(compiled.later)
    assert set(kept.numbers) == {"inner", "pair", "say"}
    assert b"threads.whence.twin" in compiled.code  # its variable is in its own image alone
    assert b"say.whence.twin" not in compiled.code
    assert {"added", "inner", "pair", "say", "text"} <= {*kept.names}
    assert not any(name.startswith(("llvm.", "__whence_")) for name in kept.names)


def test_a_late_object_refers_to_the_table_and_the_runtime(compiled: Compiled) -> None:
    kept = Kept.of(compiled.later)
    code = compile_twins(kept, ["say"], job())
    names = symbols(code)
    assert "say.whence.twin" in names and "inner.whence.twin" not in names
    assert f"whence.table.{kept.names.index('added')}" in names
    assert "added" not in names
    assert compile_twins(kept, list(kept.layouts), job())


def test_what_is_made_beside_a_function_is_what_it_calls(compiled: Compiled) -> None:
    kept = Kept.of(compiled.later)
    names = list(kept.layouts)
    say, pair, inner = (kept.numbers[name] for name in ("say", "pair", "inner"))
    assert kept.near(say, set(), 1) == [say]
    assert [names[each] for each in kept.near(say, set(), 2)] == ["say", "pair"]
    assert sorted(kept.near(pair, {say}, 9)) == sorted([pair, inner])


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ("define internal i32 @f(i32 %0) #1 comdat($g) !dbg !5 {", "declare i32 @f(i32 %0) #1"),
        ("define weak dso_local { i64, i32 } @f() comdat personality ptr @p {", "declare { i64, i32 } @f()"),
        ("declare hidden void @f(...) #2", "declare void @f(...) #2"),
    ],
)
def test_declarations_of_definitions(header: str, text: str) -> None:
    assert declared(header) == text
    assert declared(header, "extern_weak ") == text.replace("declare ", "declare extern_weak ")
