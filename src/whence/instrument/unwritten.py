"""Memory of variables that is read before it is written.

LLVM's `undef` is whatever makes code shorter: a load through an undefined
pointer makes all that follows unreachable, and control falls into the next
function. A program that reads what it never wrote reads zero instead, in
registers and in the variables that inlining lets LLVM promote later.
"""

from __future__ import annotations

import re

from whence import ir
from whence.instrument.passes import Context

_UNDEFINED = re.compile(r'(?:(\bptr)|(\bi\d+)|)( ?)(?<![\w%@$."-])(?:undef|poison)(?![\w."])')
_SHUFFLING = ("insertelement", "shufflevector", "insertvalue")
"""Begin with `poison` in what the front end writes for vectors and structs, and fill it."""
_SCALAR = re.compile(r"(?:ptr|i\d+|float|double)\Z")
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
          store ptr zeroinitializer, ptr %x
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
    """Store zero where the life of a scalar that stayed in memory begins."""
    variables = {
        each.result: each.allocated_type
        for each in function.entry
        if isinstance(each, ir.Alloca)
        and each.result
        and not each.count
        and _SCALAR.match(each.allocated_type)
    }
    if not variables:
        return
    begun = [
        each
        for each in function.instructions()
        if _LIFETIME in each.text and isinstance(each, ir.Call) and each.arguments[-1].value in variables
    ]
    for call in begun:
        name = call.arguments[-1].value
        call.insert_after(f"store {variables[name]} zeroinitializer, ptr {name}")
    start = next((each for each in function.entry if not isinstance(each, ir.Alloca)), None)
    for name in variables.keys() - {call.arguments[-1].value for call in begun}:
        if start is not None:
            start.insert_before(f"store {variables[name]} zeroinitializer, ptr {name}", dbg=False)
