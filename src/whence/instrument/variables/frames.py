"""Pointers in the variables of frames that are still active when the program ends.

The leak search reads the stack. A pointer that promotion has moved to a
register is gone after its last use, although its variable is in scope when the
program calls `exit` or `main` waits for a thread. So the pointer variables of
functions that may be active at the end get a copy in memory: a slot whose address
escapes to an empty assembly statement. LLVM deletes stores to it that no call can
observe. The variable itself stays in a register.
"""

from __future__ import annotations

import re

from whence import ir
from whence.abi import library
from whence.instrument.analysis.exposure import KNOWN
from whence.instrument.markers.declarations import UNCHECKED
from whence.instrument.passes.context import Context

_ENDING = "exit"
_STARTING = library.having("starts")
_WAITING = library.having("waits")
"""Library functions in which a thread may be when another thread ends the program."""

_CALLED = re.compile(r"(?:call|invoke) [^\n]*?@([\w.$]+)\(")
_GIVEN = re.compile(r"ptr (?:noundef )?@([\w.$]+)")
_LOCAL = re.compile(r"%[-\w.$]+")
_LIFETIME = "@llvm.lifetime."
_LIFETIME_END = "@llvm.lifetime.end"


def keep_locals(context: Context) -> None:
    """Gives the pointer variables of functions that may be active at the end a copy in memory.

    Before::

        declare void @exit(i32)
        declare ptr @make()
        define i32 @main() {
          %p = alloca ptr, align 8
          %1 = call ptr @make()
          store ptr %1, ptr %p, align 8
          call void @exit(i32 0)
          unreachable
        }

    After::

        declare void @exit(i32)
        declare ptr @make()
        define i32 @main() {
          %p = alloca ptr, align 8
          %wh.0 = alloca ptr, align 8
          store ptr null, ptr %wh.0, !whence.unchecked !{}
          call void asm sideeffect "", "r"(ptr %wh.0) nounwind
          %1 = call ptr @make()
          store ptr %1, ptr %p, align 8
          store ptr %1, ptr %wh.0, !whence.unchecked !{}
          call void @exit(i32 0)
          unreachable
        }
    """
    for name in sorted(_open_at_end(context.module)):
        _copy_pointers(context.module.functions[name])


def _open_at_end(module: ir.Module) -> set[str]:
    """Definitions that may be active when the program ends."""
    defined = {function.name for function in module.definitions}
    declared = module.functions.keys() - defined
    found = {"main"} & defined
    found |= {each.name for each in module.definitions if not _returns(each)}
    if not declared & {_ENDING, *_STARTING, *_WAITING}:
        return found
    callers: dict[str, set[str]] = {}
    for function in module.definitions:
        body = str(function)
        for callee in _CALLED.findall(body):
            callers.setdefault(callee, set()).add(function.name)
        if any(each in body for each in _STARTING):
            found |= _started(body) & defined
    for name in _WAITING & declared:
        found |= callers.get(name, set())
    waiting = [_ENDING] if _ENDING in declared else []
    while waiting:
        new = callers.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _returns(function: ir.Function) -> bool:
    return any(line.startswith("  ret ") for line in function.lines())


def _started(body: str) -> set[str]:
    """Functions that are arguments of functions that start threads."""
    lines = [line for line in body.splitlines() if any(f"@{each}(" in line for each in _STARTING)]
    return {name for line in lines for name in _GIVEN.findall(line)}


def _copy_pointers(function: ir.Function) -> None:
    copies: dict[str, str] = {}
    start = next((each for each in function.entry if not isinstance(each, ir.Alloca)), None)
    variables = _variables(function)
    if start is None or not variables:
        return
    for variable in variables:
        copy = function.add_alloca("ptr", 8).result or ""
        start.insert_before(_set("null", copy), dbg=False)
        start.insert_before(KNOWN.format(copy), dbg=False)
        copies[variable] = copy
    for instruction in list(function.instructions()):
        if isinstance(instruction, ir.Store) and instruction.pointer in copies:
            value = instruction.operands[0].value
            instruction.insert_after(_set(value, copies[instruction.pointer]))
        elif _LIFETIME_END in instruction.text:
            name = _LOCAL.findall(instruction.text)[-1]
            if name in copies:
                instruction.insert_after(_set("null", copies[name]))


def _set(value: str, copy: str) -> str:
    return f"store ptr {value}, ptr {copy}, {UNCHECKED}"


def _variables(function: ir.Function) -> list[str]:
    """Pointer variables that promotion will move to registers: nothing but loads, stores and lifetimes."""
    found = {
        each.result: 0
        for each in function.entry
        if isinstance(each, ir.Alloca) and each.result and each.allocated_type == "ptr" and not each.count
    }
    for instruction in function.instructions():
        names = [name for name in _LOCAL.findall(instruction.text) if name in found]
        if names and instruction.result != names[0] and not _is_plain_use(instruction, names):
            for name in names:
                found.pop(name, None)
    return list(found)


def _is_plain_use(instruction: ir.Instruction, names: list[str]) -> bool:
    if _LIFETIME in instruction.text:
        return True
    plain = isinstance(instruction, ir.Load | ir.Store) and not instruction.volatile
    typed = plain and isinstance(instruction, ir.MemoryAccess) and instruction.value_type == "ptr"
    return typed and len(names) == 1 and instruction.operands[-1].value == names[0]
