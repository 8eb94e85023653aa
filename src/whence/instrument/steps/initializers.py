"""Accesses to global variables whose initialisation, before `main`, is still to come.

The front end makes a function of each initialiser that is no constant. All variables of an image are handed
to the runtime before the first initialiser, and taken back where their own begins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from whence import ir
from whence.instrument.markers import steps
from whence.instrument.passes.context import Context
from whence.ir.lexer import NAME

POINT = "ORDER"
"""The detection point of these accesses."""

PENDING = "__whence_pending"
INITIALIZES = "__whence_initializes"

_INITIALIZER = re.compile(r"__cxx_global_var_init(\.\d+)?\Z")
_ZEROS = ("zeroinitializer", "0", "null", "false", "undef")
_GLOBAL = re.compile(rf"@({NAME})")
"""A variable, in its address or that of a part."""
_CONSTRUCTOR = re.compile(r"_ZN.*C[12]")
_LOCAL = ("", "external", "internal", "private")
"""Linkages of variables that one module alone initialises, in the order of its text."""


def mark_initializers(context: Context) -> None:
    """Inserts a marker before each access to memory, and tells the runtime which variables are initialised.

    Before::

        @x = global i32 0, align 4
        @y = external global i32
        define internal void @__cxx_global_var_init() {
          %1 = load i32, ptr @y, align 4
          store i32 %1, ptr @x, align 4
          ret void
        }

    After::

        @x = global i32 0, align 4
        @y = external global i32
        define internal void @__cxx_global_var_init() {
          call void @__whence_initializes(ptr @x)
          call void @__whence_check_order(ptr @y) nomerge
          %1 = load i32, ptr @y, align 4
          call void @__whence_check_order(ptr @x) nomerge
          store i32 %1, ptr @x, align 4
          ret void
        }

        declare void @__whence_initializes(ptr)

        declare void @__whence_pending(ptr, i64)

        define private void @whence.pending() nounwind {
          call void @__whence_pending(ptr @x, i64 4)
          ret void
        }
        @whence.pending.entry = private global ptr @whence.pending, section ".init_array.00001", align 8
    """
    module = context.module
    found = _initialized(module)
    for function in context.functions():
        for instruction in list(function.instructions()):
            if isinstance(instruction, ir.MemoryAccess) and _may_be_early(instruction):
                context.used.add(steps.ORDER)
                instruction.insert_before(f"call void @{steps.ORDER}(ptr {instruction.pointer}) nomerge")
    for function, variable in found:
        first = next(function.instructions())
        first.insert_before(f"call void @{INITIALIZES}(ptr {variable.ref})")
    if found:
        _hand_over(module, [variable for _, variable in found])


def _may_be_early(access: ir.MemoryAccess) -> bool:
    pointer = access.pointer
    if not pointer.startswith("%"):
        return True
    return not isinstance(access.function.definition_of(pointer), ir.Alloca)


def _hand_over(module: ir.Module, variables: list[ir.GlobalVariable]) -> None:
    module.add_declaration(f"declare void @{INITIALIZES}(ptr)")
    module.add_declaration(f"declare void @{PENDING}(ptr, i64)")
    calls = "\n".join(f"  call void @{PENDING}(ptr {each.ref}, i64 {each.size})" for each in variables)
    module.add_definition(f"define private void @whence.pending() nounwind {{\n{calls}\n  ret void\n}}")
    place = 'section ".init_array.00001"'
    module.add_global(f"@whence.pending.entry = private global ptr @whence.pending, {place}, align 8")


def _initialized(module: ir.Module) -> list[tuple[ir.Function, ir.GlobalVariable]]:
    """The initialisers with their variables, as far as it is certain which one each initialises."""
    found = []
    for function in module.definitions:
        if _INITIALIZER.match(function.name) and function.comdat is None:
            variable = _variable_of(function)
            if variable is not None:
                found.append((function, variable))
    times = Counter(variable.name for _, variable in found)
    return [(function, variable) for function, variable in found if times[variable.name] == 1]


def _variable_of(function: ir.Function) -> ir.GlobalVariable | None:
    names = {name for kind in (_destroyed, _stored, _made) for name in list(kind(function))[-1:]}
    variable = function.module.globals.get(*names) if len(names) == 1 else None
    if not isinstance(variable, ir.GlobalVariable) or variable.initializer not in _ZEROS:
        return None
    plain = variable.linkage in _LOCAL and variable.thread_local is None and variable.comdat is None
    return variable if plain else None


def _destroyed(function: ir.Function) -> Iterator[str]:
    """What is destroyed at the end of the program, by a destructor that gets the variable."""
    for call in _calls(function):
        if call.callee == "__cxa_atexit":
            yield from _GLOBAL.findall(call.arguments[1].value)


def _stored(function: ir.Function) -> Iterator[str]:
    for store in function.instructions():
        if isinstance(store, ir.Store) and store.pointer.startswith(("@", "getelementptr")):
            yield from _GLOBAL.findall(store.pointer)


def _made(function: ir.Function) -> Iterator[str]:
    """What is constructed, copied to, or the place of a result in memory."""
    for call in _calls(function):
        target = call.arguments[0] if call.arguments else None
        if target is None or target.value.startswith("%"):
            continue
        name = call.callee or ""
        if _CONSTRUCTOR.match(name) or target.attributes.has("sret") or name.startswith("llvm.mem"):
            yield from _GLOBAL.findall(target.value)


def _calls(function: ir.Function) -> Iterator[ir.Call | ir.Invoke]:
    for instruction in function.instructions():
        if isinstance(instruction, ir.Call | ir.Invoke):
            yield instruction
