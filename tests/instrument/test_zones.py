"""Functions whose variables have no zones."""

from __future__ import annotations

import pytest
from tests.instrument.test_passes import HEADER

from whence import ir
from whence.instrument.exposure import moves_frames, switches_stack

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
