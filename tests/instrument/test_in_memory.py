"""Where `va_start` finds variable arguments, and what inline assembly says of its operands."""

from __future__ import annotations

import pytest

from whence import ir
from whence.instrument.definedness.assembly import is_transparent, tied, written
from whence.instrument.definedness.in_memory import copied, fixed_count, places_of

_HEADER = 'target datalayout = "e-m:e-i64:64-f80:128-n8:16:32:64-S128"\n%big = type { i64, i64, i64 }\n'


def _call(text: str) -> ir.Call:
    body = f"define void @f(ptr %p, i32 %a, i32 %b) {{\n  {text}\n  ret void\n}}\n"
    (call,) = (
        each for each in ir.parse(_HEADER + body).functions["f"].instructions() if isinstance(each, ir.Call)
    )
    return call


@pytest.mark.parametrize(
    ("arguments", "words", "stacked"),
    [
        ("i32 %a, double 1.0, ptr %p", [(1, 1), (6, 1), (2, 1)], 0),
        (
            "i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 %a",
            [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (22, 1), (23, 1)],
            2,
        ),
        ("ptr byval(%big) align 8 %p, i32 %a", [(22, 3), (1, 1)], 3),
        (
            "i32 %a, x86_fp80 0xK3FFF8000000000000000, ptr byval(%big) align 8 %p",
            [(1, 1), (22, 2), (24, 3)],
            5,
        ),
        ("<4 x float> zeroinitializer, double 1.0", [(6, 2), (8, 1)], 0),
        ("i32 %a, <8 x float> zeroinitializer, i32 %b", [(1, 1)], 0),
    ],
)
def test_places_of_variable_arguments(arguments: str, words: list[tuple[int, int]], stacked: int) -> None:
    call = _call(f"call i32 (ptr, ...) @g(ptr %p, {arguments})")
    places, on_stack = places_of(call, call.function.module.layout)
    assert ([(each.word, each.words) for each in places], on_stack) == (words, stacked)


def test_named_arguments_on_the_stack_come_first() -> None:
    call = _call(
        "call void (ptr, ptr, ...) @g(ptr byval(%big) align 8 %p, ptr %p, ptr byval(%big) align 8 %p)"
    )
    places, on_stack = places_of(call, call.function.module.layout)
    assert ([(each.word, each.words) for each in places], on_stack) == ([(22, 3)], 3)
    assert len(copied(call)) == 1 and fixed_count(call) == 2


def test_assembly_without_instructions() -> None:
    call = _call('%r = call { i32, i32 } asm "", "=r,=r,0,1,~{memory}"(i32 %a, i32 %b)')
    assert is_transparent(call)
    assert [each and each.value for each in tied(call)] == ["%a", "%b"]
    call = _call('%r = call i32 asm sideeffect "", "=r,r,~{memory}"(i32 %a)')
    assert is_transparent(call) and tied(call) == [None]
    assert not is_transparent(_call('%r = call i32 asm "bswap $0", "=r,0"(i32 %a)'))


def test_assembly_writes_what_its_outputs_name() -> None:
    operands = "ptr elementtype(i32) %p, i32 %a, ptr elementtype(i32) %p"
    call = _call(f'call void asm "movl $1, $0", "=*m,r,*m"({operands})')
    assert [each.start for each in written(call)] == [call.arguments[0].start]
