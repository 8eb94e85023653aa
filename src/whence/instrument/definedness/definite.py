"""Definite values for variables that are read before they are written.

LLVM may choose any value for `undef`: a load through an undefined pointer makes
all later code unreachable, and control falls into the next function. So variables
in registers, or that inlining may let LLVM promote later, get initial values:
pointers the address `UNWRITTEN`, so that their use traps and the report can say
why, and other values zero. Larger variables stay in memory, where an empty
assembly statement that claims to write them suffices, without an instruction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TypeGuard

from whence import ir
from whence.abi.analyses import DEFINEDNESS
from whence.abi.layout import UNWRITTEN
from whence.instrument.definedness.unwritten import parts_of
from whence.instrument.markers.declarations import LIFETIME_BEGINS, UNCHECKED
from whence.instrument.passes.context import Context

_UNDEFINED = re.compile(r'(?:(\bptr)|(\bi\d+)|)( ?)(?<![\w%@$."-])(?:undef|poison)(?![\w."])')
_SHUFFLING = ("insertelement", "shufflevector", "insertvalue")
"""Opcodes that fill a vector or struct, which is `poison` at first in the front end's code."""
_CLEARED = 32
"""The largest size, in bytes, of a variable that gets initial values."""
_POINTER = f"inttoptr (i64 {UNWRITTEN - (1 << 64)} to ptr)"
_OF_POINTERS = re.compile(r"= (?:phi|icmp(?: samesign)? \w+) ptr ")
"""Instructions whose operands share one type in the text."""
_WORD = 8
_NOTHING = "zeroinitializer"
_MEMSET = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"


def define_unwritten(context: Context) -> None:
    """Gives a definite value to variables that the program may read before it writes them.

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
          store ptr inttoptr (i64 -6148914691236517206 to ptr), ptr %x, align 8, !whence.unchecked !{}
          br i1 %c, label %one, label %two
        one:
          br label %two
        two:
          %v = phi i32 [ zeroinitializer, %entry ], [ %a, %one ]
          call void @g(ptr %x)
          %w = load i32, ptr inttoptr (i64 -6148914691236517206 to ptr), align 4
          %s = add i32 %v, %w
          ret i32 %s
        }
    """
    for function in context.functions():
        text = str(function)
        if "undef" in text or "poison" in text:
            for instruction in function.instructions():
                _define_operands(instruction)
        _define_variables(function, context.policy.follows(DEFINEDNESS))


def _define_operands(instruction: ir.Instruction) -> None:
    text = instruction.text
    if "undef" not in text and "poison" not in text:
        return
    if instruction.opcode in _SHUFFLING or " asm " in text:
        return
    untyped = _POINTER if _OF_POINTERS.search(text) else _NOTHING
    defined = _UNDEFINED.sub(partial(_value, untyped), text)
    if defined != text:
        instruction.rewrite(defined)


def _value(untyped: str, match: re.Match[str]) -> str:
    if match[1]:
        return f"ptr{match[3]}{_POINTER}"
    if match[2]:
        return f"{match[2]}{match[3]}0"
    return f"{match[3]}{untyped}"


def _define_variables(function: ir.Function, values: bool) -> None:
    """Defines the contents of variables in memory, at the begin of their lifetime.

    values: whether undefined values are followed: `mark_unwritten` has given some to small variables, and
    those of others are read from memory.
    """
    variables: dict[str | None, ir.Alloca] = {}
    loaded: set[str] = set()
    calls: list[ir.Call] = []
    for each in function.instructions():
        if isinstance(each, ir.Alloca) and not (values and parts_of(each)):
            variables[each.result] = each
        elif _loads_pointer(each):
            loaded.add(each.pointer)
        elif isinstance(each, ir.Call) and (each.callee or "").startswith(LIFETIME_BEGINS):
            calls.append(each)
    begun = [call for call in calls if call.arguments[-1].value in variables]
    for call in begun:
        name = call.arguments[-1].value
        call.insert_after(_definition(variables[name], name in loaded, values), dbg=False)
    done = {call.arguments[-1].value for call in begun}
    for variable in (each for each in variables.values() if each.result not in done):
        variable.insert_after(_definition(variable, variable.result in loaded, values), dbg=False)


def _loads_pointer(instruction: ir.Instruction) -> TypeGuard[ir.Load]:
    return isinstance(instruction, ir.Load) and instruction.value_type == "ptr"


def _definition(variable: ir.Alloca, loaded: bool, unknown: bool) -> str:
    """The instruction that defines a variable's contents for LLVM.

    loaded: whether it is read as pointer; unknown: whether LLVM must not know the contents.
    """
    name, type_ = variable.result, variable.allocated_type
    module = variable.function.module
    size = module.layout.size_of(type_)
    count = variable.count or "1"
    if unknown or not count.isdecimal() or not 0 < size * int(count) <= _CLEARED:
        operand = f"ptr elementtype({type_}) captures(none) {name}"
        return f'call void asm sideeffect "", "=*m"({operand}) nounwind memory(argmem: write)'
    align = variable.align or 1
    contents = _contents(module.layout, type_) if count == "1" else _NOTHING
    size *= int(count)
    if contents != _NOTHING:
        return f"store {type_} {contents}, ptr {name}, align {align}, {UNCHECKED}"
    if size == _WORD and loaded:
        return f"store ptr {_POINTER}, ptr {name}, align {align}, {UNCHECKED}"
    if size <= _WORD:
        return f"store i{8 * size} 0, ptr {name}, align {align}, {UNCHECKED}"
    module.add_declaration(_MEMSET)
    return f"call void @llvm.memset.p0.i64(ptr align {align} {name}, i8 0, i64 {size}, i1 false), {UNCHECKED}"


def _contents(layout: ir.DataLayout, type_: ir.Type | str) -> str:
    """A constant of a type in which pointers are `UNWRITTEN`; `_NOTHING` where it has none."""
    resolved = layout.resolve(type_)
    if resolved == ir.PointerType():
        return _POINTER
    if isinstance(resolved, ir.ArrayType):
        elements: Sequence[ir.Type] = (resolved.element,) * resolved.count
    else:
        elements = resolved.elements if isinstance(resolved, ir.StructType) and not resolved.packed else ()
    members = [f"{each} {_contents(layout, each)}" for each in elements]
    if not any(_POINTER in each for each in members):
        return _NOTHING
    return ("[{}]" if isinstance(resolved, ir.ArrayType) else "{{ {} }}").format(", ".join(members))
