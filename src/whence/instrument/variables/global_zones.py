"""Red zones around global variables.

A variable moves into a room of its own between two zones, and its symbol becomes an alias of the right size:
programs, other modules, libraries and debuggers see the variable that they saw before. The runtime closes the
zones at the begin of the program or library. It learns of them from a section of rows
(`whence.abi.zones.GLOBAL`). A row goes with its variable where the linker drops a copy of an inline one.
"""

from __future__ import annotations

import re

from whence import ir
from whence.abi.layout import GRANULE
from whence.abi.zones import GLOBAL, GLOBALS_SECTION
from whence.instrument.analysis.exposure import exposed_globals
from whence.instrument.passes.context import Context
from whence.instrument.variables.zones import describe, room_of
from whence.ir.lexer import UNNAMED_ADDR, quote

_ALIGN = 32
_MODEL = "generaldynamic"
"""The model of thread-local variables without a word for it."""


def guard_globals(context: Context) -> None:
    """Puts exposed global variables between zones.

    Before::

        @x = global i32 5, align 4

    After::

        @x = alias i32, ptr getelementptr (i8, ptr @whence.room.0, i64 32)
        @whence.variable.0 = private constant { i64, i32, i32, [15 x i8] } { i64 4, i32 32, i32 24, [15 x i8] c"0\\09variable\\09x\\09\\09\\00" }, align 8
        @whence.room.0 = private global <{ [32 x i8], i32, [28 x i8] }> <{ [32 x i8] zeroinitializer, i32 5, [28 x i8] zeroinitializer }>, align 32
        @whence.row.0 = private global { ptr, ptr, ptr } { ptr @whence.variable.0, ptr @x, ptr @whence.room.0 }, section "whence_globals", align 8, !associated !0
        @__start_whence_globals = external hidden global [0 x i8]
        @__stop_whence_globals = external hidden global [0 x i8]

        declare void @__whence_globals(ptr, ptr)

        define private void @whence.init() nounwind {
          call void @__whence_globals(ptr @__start_whence_globals, ptr @__stop_whence_globals)
          ret void
        }
        @whence.init.entry = private global ptr @whence.init, section ".init_array.00001", align 8

        declare void @__whence_globals_end(ptr)

        define private void @whence.fini() nounwind {
          call void @__whence_globals_end(ptr @__start_whence_globals)
          ret void
        }
        @whence.fini.entry = private global ptr @whence.fini, section ".fini_array.00001", align 8
        !0 = !{ptr @whence.room.0}
    """  # noqa: E501
    variables, safe = exposed_globals(context.module)
    context.safe_variables += safe
    for variable in variables:
        _guard(variable, context)
    if variables:
        hand_over(context.module, GLOBALS_SECTION, "")


def _guard(variable: ir.GlobalVariable, context: Context) -> None:
    """Gives a variable its room, and the room its row."""
    module, name = variable.module, variable.ref
    comdat = "" if variable.comdat is None else f", comdat(${quote(variable.comdat)})"
    described, memory, _ = move(variable, context)
    associated = module.metadata.add(f"!{{ptr {memory}}}")
    types = ", ".join("ptr" for _ in GLOBAL.fields)
    row = f"{{ ptr {described}, ptr {name}, ptr {memory} }}"
    module.add_global(
        f"@whence.row.{memory.rpartition('.')[2]} = private global {{ {types} }} {row}, "
        f'section "{GLOBALS_SECTION}"{comdat}, align 8, !associated !{associated}'
    )


def move(variable: ir.GlobalVariable, context: Context) -> tuple[str, str, int]:
    """Moves a variable into a room and makes its symbol an alias.

    Returns its description, the room, and the bytes of the room before the variable.
    """
    module, size = variable.module, variable.size
    align = max(variable.align or module.layout.alignment_of(variable.value_type), GRANULE)
    room = room_of(size, align)
    memory = f"@whence.room.{context.guarded_variables}"
    described = describe(variable, size, room.before, room.behind, context)
    comdat = "" if variable.comdat is None else f", comdat(${quote(variable.comdat)})"
    section = "" if variable.section is None else f', section "{variable.section}"'
    model = variable.thread_local
    storage = () if model is None else ("thread_local" if model == _MODEL else f"thread_local({model})",)
    kind = "constant" if variable.is_constant else "global"
    type_ = f"<{{ [{room.before} x i8], {variable.value_type}, [{room.after} x i8] }}>"
    zones = (f"[{each} x i8] zeroinitializer" for each in (room.before, room.after))
    value = f", {variable.value_type} {variable.initializer}, ".join(zones)
    words = " ".join(("private", *storage, kind))
    module.add_global(
        f"{memory} = {words} {type_} <{{ {value} }}>{section}{comdat}, align {max(align, _ALIGN)}"
        + (_moved(variable, room.before) if context.policy.described else "")
    )
    qualifiers = variable.fields.qualifiers
    behind = [each for each in qualifiers if each in UNNAMED_ADDR]
    before = [each for each in qualifiers if each not in UNNAMED_ADDR]
    words = " ".join(filter(None, (variable.linkage, *before, *storage, *behind, "alias")))
    target = f"getelementptr (i8, ptr {memory}, i64 {room.before})"
    variable.text = f"{variable.ref} = {words} {variable.value_type}, ptr {target}"
    return described, memory, room.before


_EXPRESSION = re.compile(r"var: (!\d+), expr: !DIExpression\(\)")


def _moved(variable: ir.GlobalVariable, offset: int) -> str:
    """The attachment that tells debuggers where a variable is, from its room's begin on."""
    node = variable.fields.attachments.get("dbg", "")[1:]
    metadata = variable.module.metadata
    found = _EXPRESSION.search(metadata.node(int(node))) if node.isdecimal() else None
    if found is None:
        return ""
    place = f"expr: !DIExpression(DW_OP_plus_uconst, {offset})"
    return f", !dbg !{metadata.add(f'!DIGlobalVariableExpression(var: {found[1]}, {place})')}"


def hand_over(module: ir.Module, section: str, suffix: str, end: str = f"{GLOBALS_SECTION}_end") -> None:
    """Adds the first constructor of the image and its last destructor, which give a table to the runtime.

    The table is the section, whose bounds linkers define. The functions of the modules of an image all do the
    same. end: what the runtime's function at the end is called, without its prefix.
    """
    first, last = f"@__start_{section}", f"@__stop_{section}"
    for bound in (first, last):
        module.add_global(f"{bound} = external hidden global [0 x i8]")
    calls = (
        ("init", f"@__{section}(ptr {first}, ptr {last})"),
        ("fini", f"@__{end}(ptr {first})"),
    )
    for array, call in calls:
        function = f"@whence.{array}{suffix}"
        module.add_declaration(_declaration(call))
        body = f"  call void {call}\n  ret void"
        module.add_definition(f"define private void {function}() nounwind {{\n{body}\n}}")
        place = f'section ".{array}_array.00001"'
        module.add_global(f"{function}.entry = private global ptr {function}, {place}, align 8")


def _declaration(call: str) -> str:
    name, _, arguments = call.partition("(")
    return f"declare void {name}({', '.join('ptr' for _ in arguments.split(','))})"
