"""Code that leaves a gap in the frame, above variables whose address may outlive the call
(runtime/process/gaps.h)."""

from __future__ import annotations

import re

from whence import ir
from whence.abi.zones import GAPS_SIZE, LOCAL

ALIGN = 16
"""Of the stack pointer; memory that needs more would make the whole frame be aligned."""
MOST = 4096
"""Bytes of variables below a gap."""
_GAP = "declare i64 @__whence_gap(i64, ptr) nounwind"
_REGISTERS = re.compile(r"\b[re]?(?:bx|bp|sp)l?\b|\{bl\}|[=&+]+b[,\"]|,b[,\"]")
_GAPS = "__whence_gaps"
_TYPE = f"external thread_local(initialexec) global [{GAPS_SIZE} x i8]"


def make(first: ir.Instruction, total: int, before: int, described: str) -> str:
    """Makes memory for variables of so many bytes, in front of an instruction.

    before: where the first variable lies; its header keeps how many gaps there were. described: the
    description of this variable, which tells the function from others.
    """
    module = first.function.module
    module.add_declaration(_GAP)
    if _GAPS not in module.globals:
        module.add_global(f"@{_GAPS} = {_TYPE}")
    count = first.insert_before(f"load i64, ptr @{_GAPS}, align 8", dbg=False).result or ""
    size = first.insert_before(f"call i64 @__whence_gap(i64 {total}, ptr {described})", dbg=False).result
    memory = first.insert_before(f"alloca i8, i64 {size}, align {ALIGN}", dbg=False).result or ""
    first.insert_before(f"store i64 {count}, ptr {_kept(first, memory, before)}, align 8", dbg=False)
    return memory


def leave(exit_: ir.Instruction, memory: str, before: int) -> None:
    """In front of an exit of the function: there are as many gaps as when it began."""
    count = exit_.insert_before(f"load i64, ptr {_kept(exit_, memory, before)}, align 8", dbg=False).result
    exit_.insert_before(f"store i64 {count}, ptr @{_GAPS}, align 8", dbg=False)


def _kept(at: ir.Instruction, memory: str, before: int) -> str:
    offset = before - LOCAL.size + LOCAL.offset("gaps")
    return at.insert_before(f"getelementptr i8, ptr {memory}, i64 {offset}", dbg=False).result or ""


def fits(function: ir.Function) -> bool:
    """Whether assembly in the function names no registers that LLVM may need once the frame has no constant
    size."""
    return not any(
        isinstance(each, ir.Call) and " asm " in each.text and _REGISTERS.search(each.text)
        for each in function.instructions()
    )
