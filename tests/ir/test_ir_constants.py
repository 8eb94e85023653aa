"""Constant expressions: their plain form is what LLVM's code generator computes, and is plain."""

from __future__ import annotations

import ctypes
import re

import llvmlite.binding as llvm
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence import ir
from whence.ir.constants import fold

X86_64 = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
TYPES = {"%s": "{ i8, i32, [3 x i16] }"}
LAYOUT = ir.DataLayout(X86_64, TYPES)
BITS = (1, 7, 8, 16, 32, 64)


@pytest.mark.parametrize(
    ("type_", "text", "expected"),
    [
        ("i64", "ptrtoint (ptr inttoptr (i64 101 to ptr) to i64)", "101"),
        ("i8", "trunc (i64 ptrtoint (ptr getelementptr (i8, ptr null, i64 300) to i64) to i8)", "44"),
        ("i8", "ptrtoint (ptr inttoptr (i64 200 to ptr) to i8)", "-56"),
        ("i1", "trunc (i8 ptrtoint (ptr inttoptr (i64 3 to ptr) to i8) to i1)", "true"),
        ("i32", "sub (i32 0, i32 1)", "-1"),
        ("i64", "xor (i64 -1, i64 5)", "-6"),
        ("ptr", "inttoptr (i32 -1 to ptr)", "inttoptr (i64 4294967295 to ptr)"),
        ("ptr", "inttoptr (i64 ptrtoint (ptr @x to i64) to ptr)", "@x"),
        ("ptr", "getelementptr (i8, ptr inttoptr (i64 5 to ptr), i64 -5)", "null"),
        ("ptr", "getelementptr inbounds (%s, ptr @x, i64 1, i32 0)", "getelementptr (i8, ptr @x, i64 16)"),
        ("ptr", "getelementptr inbounds (%s, ptr null, i64 1, i32 2, i64 1)", "inttoptr (i64 26 to ptr)"),
        ("ptr", "getelementptr inrange(-16, 24) ({ [3 x ptr] }, ptr @t, i32 0, i32 0, i32 0)", "@t"),
        (
            "ptr",
            'getelementptr (i8, ptr getelementptr (i32, ptr @"a b", i64 1), i64 -9)',
            'getelementptr (i8, ptr @"a b", i64 -5)',
        ),
        ("i8", "sub (i8 ptrtoint (ptr inttoptr (i64 7 to ptr) to i8), i8 9)", "-2"),
        ("i64", "sub (i64 ptrtoint (ptr @x to i64), i64 ptrtoint (ptr @x to i64))", "0"),
        ("i32", "ptrtoint (ptr @x to i32)", "ptrtoint (ptr @x to i32)"),
    ],
)  # fmt: skip
def test_plain_forms(type_: str, text: str, expected: str) -> None:
    assert fold(LAYOUT, type_, text) == expected


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("i64", "xor (i64 ptrtoint (ptr @x to i64), i64 1)"),
        ("i64", "sub (i64 ptrtoint (ptr @x to i64), i64 ptrtoint (ptr @y to i64))"),
        ("i64", "sub (i64 1, i64 ptrtoint (ptr @x to i64))"),
        ("i128", "ptrtoint (ptr @x to i128)"),
        ("ptr", "inttoptr (i32 ptrtoint (ptr @x to i32) to ptr)"),
        ("ptr", "addrspacecast (ptr addrspace(1) @far to ptr)"),
        ("ptr", "getelementptr (i8, ptr @x, i64 ptrtoint (ptr @y to i64))"),
        ("ptr", "blockaddress(@f, %b)"),
        ("ptr", "getelementptr (%unknown, ptr @x, i64 1)"),
        ("<2 x i64>", "splat (i64 1)"),
        ("ptr", "getelementptr (i8, ptr " * 2000 + "@x" + ", i64 1)" * 2000),
        ("i64", "%x"),
    ],
)
def test_what_has_no_plain_form_stays(type_: str, text: str) -> None:
    assert fold(LAYOUT, type_, text) == text


@st.composite
def integers(draw: st.DrawFn, bits: int, depth: int) -> str:
    kind = draw(st.integers(0, 5)) if depth else 0
    if kind == 0:
        number = draw(st.integers(-(1 << bits - 1), (1 << bits - 1) - 1))
        return {0: "false", -1: "true"}[number] if bits == 1 else str(number)
    if kind <= 3:
        opcode = draw(st.sampled_from(["add", "sub", "xor"]))
        left, right = draw(integers(bits, depth - 1)), draw(integers(bits, depth - 1))
        return f"{opcode} (i{bits} {left}, i{bits} {right})"
    wider = [each for each in BITS if each > bits]
    if kind == 4 and wider:
        other = draw(st.sampled_from(wider))
        return f"trunc (i{other} {draw(integers(other, depth - 1))} to i{bits})"
    return f"ptrtoint (ptr {draw(pointers(depth - 1))} to i{bits})"


@st.composite
def pointers(draw: st.DrawFn, depth: int) -> str:
    kind = draw(st.integers(0, 4)) if depth else 0
    if kind <= 1:
        return draw(st.sampled_from(["null", "@x", "@y"]))
    if kind == 2:
        bits = draw(st.sampled_from(BITS))
        return f"inttoptr (i{bits} {draw(integers(bits, depth - 1))} to ptr)"
    base = draw(pointers(depth - 1))
    bits = draw(st.sampled_from([8, 32, 64]))
    index = f"i{bits} {draw(integers(bits, depth - 1))}"
    if kind == 3:
        return (
            f"getelementptr ({draw(st.sampled_from(['i8', 'i32', '%s', '[3 x i16]']))}, ptr {base}, {index})"
        )
    return f"getelementptr (%s, ptr {base}, {index}, i32 2, i64 {draw(st.integers(-9, 9))})"


@st.composite
def constants(draw: st.DrawFn) -> tuple[str, str]:
    bits = draw(st.sampled_from([*BITS, 0]))
    return (f"i{bits}", draw(integers(bits, 4))) if bits else ("ptr", draw(pointers(4)))


def computed(type_: str, texts: list[str]) -> list[int]:
    """What functions that return the constants return, on this machine."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(
        SOURCE + "".join(returning(type_, text, f"f{at}") for at, text in enumerate(texts))
    )
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    names = [f"f{at}" for at in range(len(texts))]
    return [ctypes.CFUNCTYPE(ctypes.c_uint64)(engine.get_function_address(name))() for name in names]


SOURCE = (
    f'target datalayout = "{X86_64}"\n%s = type {TYPES["%s"]}\n'
    "@x = global [9 x i64] zeroinitializer\n@y = global i8 0\n"
)


def returning(type_: str, text: str, name: str) -> str:
    widened = {"ptr": "ptrtoint ptr %v to i64", "i64": "add i64 %v, 0"}.get(type_, f"zext {type_} %v to i64")
    given = f"select i1 true, {type_} {text}, {type_} {text}"
    return f"define i64 @{name}() {{\n  %v = {given}\n  %w = {widened}\n  ret i64 %w\n}}\n"


@given(constants())
def test_the_plain_form_is_what_llvm_computes(constant: tuple[str, str]) -> None:
    type_, text = constant
    plain = fold(LAYOUT, type_, text)
    one, other = computed(type_, [text, plain])
    assert one == other
    assert fold(LAYOUT, type_, plain) == plain
    if "@" not in text:
        assert re.fullmatch(r"-?\d+|true|false|null|inttoptr \(i64 -?\d+ to ptr\)", plain)


def test_operands_have_their_plain_form_and_keep_their_text() -> None:
    text = (
        f'target datalayout = "{X86_64}"\n@x = global [9 x i64] zeroinitializer\n\n'
        "declare void @g(i64, ptr)\n\n"
        "define void @f(ptr %a) {\n"
        "  %p = getelementptr i8, ptr %a, i64 ptrtoint (ptr inttoptr (i64 101 to ptr) to i64)\n"
        "  store i64 sub (i64 ptrtoint (ptr @x to i64), i64 ptrtoint (ptr @x to i64)), ptr %p, align 8\n"
        "  call void @g(i64 noundef xor (i64 6, i64 3), ptr noundef getelementptr (i16, ptr @x, i64 2))\n"
        "  ret void\n}\n"
    )
    module = ir.parse(text, "test.ll")
    address, store, call, _ = module.functions["f"].instructions()
    assert isinstance(address, ir.GetElementPtr) and address.constant_offset == 101
    assert isinstance(store, ir.Store) and store.value == "0"
    assert isinstance(call, ir.Call)
    assert [argument.value for argument in call.arguments] == ["5", "getelementptr (i8, ptr @x, i64 4)"]
    assert str(module) == text
