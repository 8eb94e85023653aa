"""Memory of variables that is read before it is written.

LLVM's `undef` is whatever makes code shorter: a load through an undefined
pointer makes all that follows unreachable, and control falls into the next
function. A program that reads what it never wrote reads zero instead where promotion has made
a register of the memory, and where inlining may let LLVM do so later. Greater variables stay in
memory: an empty assembly statement that claims to write them is enough there, and costs no instruction.
"""

from __future__ import annotations

import re

from whence import ir
from whence.instrument.passes import Context

_UNDEFINED = re.compile(r'(?:(\bptr)|(\bi\d+)|)( ?)(?<![\w%@$."-])(?:undef|poison)(?![\w."])')
_SHUFFLING = ("insertelement", "shufflevector", "insertvalue")
"""Begin with `poison` in what the front end writes for vectors and structs, and fill it."""
_CLEARED = 32
"""Bytes of the greatest variable that is set to zero."""
_MEMSET = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
_LIFETIME = "@llvm.lifetime.start"


def define_unwritten(context: Context) -> None:
    """Give zero to what the program reads and never wrote.

    Before::

        declare void @g(ptr)
        define i32 @f(i1 %c, i32 %a) {
        entry:
          %x = alloca ptr, align 8
          br i1 %c, label %one, label %two
        one:
          br label %two
        two:
          %v = phi i32 [ undef, %entry ], [ %a, %one ]
          call void @g(ptr %x)
          %w = load i32, ptr undef, align 4
          %s = add i32 %v, %w
          ret i32 %s
        }

    After::

        declare void @g(ptr)
        define i32 @f(i1 %c, i32 %a) {
        entry:
          %x = alloca ptr, align 8
          store i64 0, ptr %x, align 8
          br i1 %c, label %one, label %two
        one:
          br label %two
        two:
          %v = phi i32 [ zeroinitializer, %entry ], [ %a, %one ]
          call void @g(ptr %x)
          %w = load i32, ptr null, align 4
          %s = add i32 %v, %w
          ret i32 %s
        }
    """
    for function in context.functions():
        if any("undef" in line or "poison" in line for line in function.lines()):
            for instruction in function.instructions():
                _define_operands(instruction)
        _define_variables(function)


def _define_operands(instruction: ir.Instruction) -> None:
    text = instruction.text
    if "undef" not in text and "poison" not in text:
        return
    if instruction.opcode in _SHUFFLING or " asm " in text:
        return
    defined = _UNDEFINED.sub(_zero, text)
    if defined != text:
        instruction.rewrite(defined)


def _zero(match: re.Match[str]) -> str:
    if match[1]:
        return f"ptr{match[3]}null"
    if match[2]:
        return f"{match[2]}{match[3]}0"
    return f"{match[3]}zeroinitializer"


def _define_variables(function: ir.Function) -> None:
    """Define the contents of what stayed in memory, where its life begins."""
    variables = {each.result: each for each in function.instructions() if isinstance(each, ir.Alloca)}
    if not variables:
        return
    begun = [
        each
        for each in function.instructions()
        if _LIFETIME in each.text and isinstance(each, ir.Call) and each.arguments[-1].value in variables
    ]
    for call in begun:
        call.insert_after(_definition(variables[call.arguments[-1].value]), dbg=False)
    done = {call.arguments[-1].value for call in begun}
    for variable in (each for name, each in variables.items() if name not in done):
        variable.insert_after(_definition(variable), dbg=False)


def _definition(variable: ir.Alloca) -> str:
    """What gives a variable contents that LLVM takes for defined."""
    name, type_ = variable.result, variable.allocated_type
    module = variable.function.module
    size = module.layout.size_of(type_)
    count = variable.count or "1"
    if not count.isdecimal() or not 0 < size * int(count) <= _CLEARED:
        operand = f"ptr elementtype({type_}) captures(none) {name}"
        return f'call void asm sideeffect "", "=*m"({operand}) nounwind memory(argmem: write)'
    size *= int(count)
    if size <= 8:
        return f"store i{8 * size} 0, ptr {name}, align {variable.align or 1}"
    module.add_declaration(_MEMSET)
    return (
        f"call void @llvm.memset.p0.i64(ptr align {variable.align or 1} {name}, i8 0, i64 {size}, i1 false)"
    )
