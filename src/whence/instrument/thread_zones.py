"""Red zones around thread-local variables.

Like a global variable (`whence.instrument.global_zones`), such a variable moves into a room, and each thread
has a room of its own. The first constructor of the image gives the addresses in the main thread to the
runtime, which closes the zones there, and at the same places of each thread that begins later.
"""

from __future__ import annotations

from whence import ir
from whence.instrument.exposure import THREAD_ADDRESS, exposed_thread_variables
from whence.instrument.global_zones import move
from whence.instrument.passes import Context
from whence.ir.lexer import quote

_TELL = "__whence_thread_variable"
_FUNCTION = "@whence.init.threads"


def guard_thread_variables(context: Context) -> None:
    """Puts exposed thread-local variables between zones.

    Before::

        @x = thread_local global i32 5, align 4

    After::

        @x = thread_local alias i32, ptr getelementptr (i8, ptr @whence.room.0, i64 32)
        @whence.variable.0 = private constant { i64, i32, i32, [28 x i8] } { i64 4, i32 32, i32 24, [28 x i8] c"0\\09thread\\2Dlocal\\20variable\\09x\\09\\09\\00" }, align 8
        @whence.room.0 = private thread_local global <{ [32 x i8], i32, [28 x i8] }> <{ [32 x i8] zeroinitializer, i32 5, [28 x i8] zeroinitializer }>, align 32

        declare void @__whence_thread_variable(ptr, ptr, ptr)

        declare ptr @llvm.threadlocal.address.p0(ptr)

        define private void @whence.init.threads() nounwind {
          %1 = call ptr @llvm.threadlocal.address.p0(ptr @x)
          %2 = call ptr @llvm.threadlocal.address.p0(ptr @whence.room.0)
          call void @__whence_thread_variable(ptr @whence.variable.0, ptr %1, ptr %2)
          ret void
        }
        @whence.init.threads.entry = private global ptr @whence.init.threads, section ".init_array.00001", align 8
    """  # noqa: E501
    module = context.module
    variables, safe = exposed_thread_variables(module)
    context.safe_variables += safe
    rooms: dict[str | None, list[tuple[ir.GlobalVariable, str, str]]] = {}
    for each in variables:
        rooms.setdefault(each.comdat, []).append((each, *move(each, context)))
    if not rooms:
        return
    module.add_declaration(f"declare void @{_TELL}(ptr, ptr, ptr)")
    module.add_declaration(f"declare ptr @{THREAD_ADDRESS}(ptr)")
    for number, (comdat, members) in enumerate(rooms.items()):
        _add_constructor(module, comdat, f"{_FUNCTION}.{number}" if comdat else _FUNCTION, members)


def _add_constructor(
    module: ir.Module, comdat: str | None, name: str, rooms: list[tuple[ir.GlobalVariable, str, str]]
) -> None:
    """Adds the function that hands over the variables of a comdat, or those in none.

    The linker keeps one of the comdats of a name, with its constructor, and drops the others with theirs.
    """
    clause = "" if comdat is None else f" comdat(${quote(comdat)})"
    body = "\n".join(_handing(2 * i + 1, *each) for i, each in enumerate(rooms))
    module.add_definition(f"define private void {name}() nounwind{clause} {{\n{body}\n  ret void\n}}")
    place = f'section ".init_array.00001"{clause and "," + clause}'
    module.add_global(f"{name}.entry = private global ptr {name}, {place}, align 8")


def _handing(number: int, variable: ir.GlobalVariable, described: str, memory: str) -> str:
    """The instructions that hand over one variable; their results have numbers from this one on."""
    address, room = f"%{number}", f"%{number + 1}"
    return "\n".join(
        (
            f"  {address} = call ptr @{THREAD_ADDRESS}(ptr {variable.ref})",
            f"  {room} = call ptr @{THREAD_ADDRESS}(ptr {memory})",
            f"  call void @{_TELL}(ptr {described}, ptr {address}, ptr {room})",
        )
    )
