"""Which global variables become blocks, and which accesses to them are checked."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

import pytest
from tests.harness.rules import without_values
from tests.instrument.test_passes import HEADER

from whence import ir
from whence.instrument.analysis.exposure import exposed_globals
from whence.instrument.passes.context import Context
from whence.instrument.passes.stages import Stage, run_stage
from whence.instrument.pipeline import job as jobs
from whence.instrument.pipeline.compiling import instrument_text
from whence.instrument.pipeline.table import PASSES

JOB = jobs.make_job(without_values().select(["global-buffer-overflow"], []), "test.c", "2", ())


def exposed(text: str) -> list[str]:
    return [each.name for each in exposed_globals(ir.parse(HEADER + text))[0]]


USE = "\n@elsewhere = external global ptr\ndefine void @f() {\n  store ptr @x, ptr @elsewhere\n  ret void\n}"
IN_TABLES = (
    '@x = internal global i32 0, section "table"',
    '@x = internal global i32 0, section ".table"',
    '@x = internal global i32 0, section ".init_array"',
    '@x = global i32 0, section ".data.hot"',
    '@x = internal global i32 0, section ".data.hot"\n@b = global i32 1, section ".data.hot"',
    '@x = internal global i32 0, section ".data.hot"\n'
    '@llvm.compiler.used = appending global [1 x ptr] [ptr @x], section "llvm.metadata"',
)
"""Variables in sections over which a program may iterate."""


@pytest.mark.parametrize(
    "line",
    [
        "@x = global i32 0",
        "@x = constant [3 x i32] [i32 1, i32 2, i32 3]",
        "@x = weak global i32 0",
        "@x = linkonce_odr constant i32 0, comdat\n$x = comdat any",
        '@x = hidden global [2 x i8] c"#1", align 1',
        f'@x = internal global i32 0, section ".data.hot"{USE}',
        f'@x = internal constant [2 x i32] zeroinitializer, section ".rodata.mine"{USE}',
        f'@x = internal global i32 0, section ".bss.a"\n@b = global i64 0, section ".bss.a"{USE}',
        "@x = internal global i32 0\n@y = external global ptr\n"
        "define void @f() {\n  store ptr @x, ptr @y\n  ret void\n}",
        "@x = internal global [2 x i32] zeroinitializer\n"
        "define i32 @f(i64 %i) {\n  %p = getelementptr i32, ptr @x, i64 %i\n  %v = load i32, ptr %p\n"
        "  ret i32 %v\n}",
        "@x = internal global [2 x i32] zeroinitializer\n"
        "define i32 @f() {\n  %v = load i32, ptr getelementptr (i8, ptr @x, i64 8)\n  ret i32 %v\n}",
    ],
)
def test_exposed(line: str) -> None:
    assert exposed(line) == ["x"]


@pytest.mark.parametrize(
    "line",
    [
        *(f"{each}{USE}" for each in IN_TABLES),
        "@x = external global i32",
        "@x = common global i32 0",
        "@x = available_externally global i32 0",
        "@x = thread_local global i32 0",
        "@x = externally_initialized global i32 0",
        "@x = addrspace(1) global i32 0",
        "@x = global {} zeroinitializer",
        '@x = global i32 0, section "mine"',
        '@x = global i32 0, partition "part"',
        "@x = global i32 0, no_sanitize_address",
        '@x = global i32 0 #0\nattributes #0 = { "bss-section"="mine" }',
        "@x = global i32 0, !associated !0\n!0 = !{ptr null}",
        "@x = global i32 0\n@y = alias i32, ptr @x",
        '@x = global i32 0\n@llvm.used = appending global [1 x ptr] [ptr @x], section "llvm.metadata"',
        'module asm ".symver x,x@V1"\n@x = global i32 0',
        "@x = constant [1 x ptr] [ptr blockaddress(@f, %1)]\n"
        "define void @f() {\n  br label %1\n1:\n  ret void\n}",
        "@_ZTV1A = constant [2 x ptr] zeroinitializer",
        "@llvm.x = global i32 0",
        "@x = internal global [2 x i32] zeroinitializer\n"
        "define i32 @f() {\n  %v = load i32, ptr getelementptr (i8, ptr @x, i64 4)\n  ret i32 %v\n}",
    ],
)
def test_not_exposed(line: str) -> None:
    assert exposed(line) == []


ACCESSES = """
@x = global [4 x i32] zeroinitializer
@far = external global [4 x i32]
@open = external global [0 x i32]
@opaque = external global %unknown
%unknown = type opaque
"""


@pytest.mark.parametrize(
    ("address", "marker"),
    [
        ("getelementptr (i8, ptr @x, i64 12)", None),
        (
            "getelementptr (i8, ptr @x, i64 13)",
            "checkof_r4(ptr getelementptr (i8, ptr @x, i64 13), ptr @x, i64 13)",
        ),
        (
            "getelementptr (i8, ptr @x, i64 -4)",
            "checkof_r4(ptr getelementptr (i8, ptr @x, i64 -4), ptr @x, i64 13)",
        ),
        ("%p", "checkof_r4(ptr %p, ptr @x, i64 13)"),
        ("getelementptr (i8, ptr @far, i64 12)", None),
        ("getelementptr (i8, ptr @far, i64 16)", "check_r4(ptr getelementptr (i8, ptr @far, i64 16))"),
        ("@open", "check_r4(ptr @open)"),
        ("@opaque", "check_r4(ptr @opaque)"),
    ],
)
def test_marker(address: str, marker: str | None) -> None:
    body = (
        f"  %p = getelementptr i32, ptr @x, i64 %i\n  %v = load i32, ptr {address}, align 4\n  ret i32 %v\n"
    )
    text = f"{HEADER}{ACCESSES}define i32 @f(i64 %i) {{\n{body}}}\n"
    done = instrument_text(text, JOB, Stage.PROMOTED)
    found = [line for line in done.splitlines() if "call void @__whence_check" in line]
    assert [line.strip() for line in found] == ([f"call void @__whence_{marker} nomerge"] if marker else [])


def test_proved_variables_are_counted() -> None:
    """`@f` and `@x` may be accessed by other modules; nothing but `f` accesses `@y`, `@s` and `@t`."""
    text = HEADER + dedent(
        """
        @x = global [4 x i8] zeroinitializer
        @y = internal global i32 0
        @z = internal global [4 x i8] zeroinitializer
        @s = internal thread_local global i32 0
        @t = internal thread_local global [4 x i8] zeroinitializer
        declare ptr @llvm.threadlocal.address.p0(ptr)
        define i32 @f(i64 %i) {
          %s = call ptr @llvm.threadlocal.address.p0(ptr @s)
          store i32 1, ptr %s, align 4
          %t = call ptr @llvm.threadlocal.address.p0(ptr @t)
          %r = getelementptr i8, ptr %t, i64 %i
          store i8 1, ptr %r, align 1
          %a = alloca [2 x i32], align 4
          %b = alloca [2 x i32], align 4
          store i32 1, ptr %a, align 4
          %p = getelementptr i8, ptr @z, i64 %i
          store i8 1, ptr %p, align 1
          %q = getelementptr i8, ptr %b, i64 %i
          store i8 1, ptr %q, align 1
          %v = load i32, ptr @y, align 4
          ret i32 %v
        }
        """
    )
    policy = replace(JOB.policy, locals=True, globals=True)
    context = Context("test.c", policy)
    run_stage(PASSES, Stage.OPTIMISED, text, context)
    assert (context.guarded_variables, context.safe_variables) == (4, 3)
