"""Red zones around thread-local variables.

Like a global variable (`whence.instrument.variables.global_zones`), such a variable moves into a room, and
each thread has a room of its own. The first constructor of the image gives the addresses in the main thread
to the runtime, which closes the zones there, and at the same places of each thread that begins later.

A library that a running program loads has its variables in memory that each thread gets when it first uses
one. So code that may be in such a library tells the runtime of a variable before it uses it, unless the
begin of the room says that this thread has done so: a word with its own address.
"""

from __future__ import annotations

from whence import ir
from whence.instrument.analysis.exposure import THREAD_ADDRESS, exposed_thread_variables, thread_variable_of
from whence.instrument.markers.thread_uses import USED
from whence.instrument.passes.context import Context
from whence.instrument.variables.global_zones import move
from whence.ir.lexer import quote

_TELL = "__whence_thread_variable"
_FUNCTION = "@whence.init.threads"
_LOCAL_LINKAGES = ("private", "internal")
_WITHIN_IMAGE = frozenset(("hidden", "protected", "dso_local"))


def guard_thread_variables(context: Context) -> None:
    """Puts exposed thread-local variables between zones.

    Before::

        @x = hidden thread_local global i32 5, align 4
        declare ptr @llvm.threadlocal.address.p0(ptr)
        define ptr @f() {
          %p = call ptr @llvm.threadlocal.address.p0(ptr @x)
          ret ptr %p
        }
        !llvm.module.flags = !{!0}
        !0 = !{i32 8, !"PIC Level", i32 2}

    After::

        @x = hidden thread_local alias i32, ptr getelementptr (i8, ptr @whence.room.0, i64 32)
        declare ptr @llvm.threadlocal.address.p0(ptr)
        define ptr @f() {
          %p = call ptr @llvm.threadlocal.address.p0(ptr @x)
          %wh.0 = getelementptr i8, ptr %p, i64 -32
          call void @__whence_thread_variable_used(ptr @whence.variable.0, ptr %p, ptr %wh.0)
          ret ptr %p
        }
        @whence.variable.0 = private constant { i64, i32, i32, [28 x i8] } { i64 4, i32 32, i32 24, [28 x i8] c"0\\09thread\\2Dlocal\\20variable\\09x\\09\\09\\00" }, align 8
        @whence.room.0 = private thread_local global <{ [32 x i8], i32, [28 x i8] }> <{ [32 x i8] zeroinitializer, i32 5, [28 x i8] zeroinitializer }>, align 32

        declare void @__whence_thread_variable(ptr, ptr, ptr)

        declare void @__whence_thread_variable_used(ptr, ptr, ptr)

        define private void @whence.init.threads() nounwind {
          %1 = call ptr @llvm.threadlocal.address.p0(ptr @x)
          %2 = call ptr @llvm.threadlocal.address.p0(ptr @whence.room.0)
          call void @__whence_thread_variable(ptr @whence.variable.0, ptr %1, ptr %2)
          ret void
        }
        @whence.init.threads.entry = private global ptr @whence.init.threads, section ".init_array.00001", align 8
        !llvm.module.flags = !{!0}
        !0 = !{i32 8, !"PIC Level", i32 2}
    """  # noqa: E501
    module = context.module
    variables, safe = exposed_thread_variables(module)
    context.safe_variables += safe
    uses = _uses(module) if _is_loadable(module) else {}
    rooms: dict[str | None, list[tuple[ir.GlobalVariable, str, str]]] = {}
    for each in variables:
        told, own = uses.get(each.name, ()), _is_own(each)
        described, memory, before = move(each, context)
        rooms.setdefault(each.comdat, []).append((each, described, memory))
        for use in told if own is not None else ():
            _tell_before_use(use, described, None if own else memory, before)
    if not rooms:
        return
    module.add_declaration(f"declare void @{_TELL}(ptr, ptr, ptr)")
    if uses:
        module.add_declaration(f"declare void @{USED}(ptr, ptr, ptr)")
    module.add_declaration(f"declare ptr @{THREAD_ADDRESS}(ptr)")
    for number, (comdat, members) in enumerate(rooms.items()):
        _add_constructor(module, comdat, f"{_FUNCTION}.{number}" if comdat else _FUNCTION, members)


def _is_loadable(module: ir.Module) -> bool:
    """Whether a running program may load what the module is linked to."""
    flags = [each for each in module.metadata.lines if '!"PI' in each]
    return any('!"PIC Level"' in each for each in flags) and not any('!"PIE Level"' in each for each in flags)


def _uses(module: ir.Module) -> dict[str, list[ir.Call]]:
    """The instructions that compute the addresses of thread-local variables, by their names."""
    found: dict[str, list[ir.Call]] = {}
    for function in module.definitions:
        for instruction in function.instructions():
            variable = thread_variable_of(instruction)
            if variable is not None and isinstance(instruction, ir.Call):
                found.setdefault(variable.name, []).append(instruction)
    return found


def _is_own(variable: ir.GlobalVariable) -> bool | None:
    """Whether code that names the variable certainly means this definition.

    None: another module of the image may have the definition, whose room is not known here.
    """
    if variable.linkage in _LOCAL_LINKAGES:
        return True
    if variable.linkage or variable.comdat is not None:
        return None
    return not _WITHIN_IMAGE.isdisjoint(variable.fields.qualifiers)


def _tell_before_use(use: ir.Call, described: str, memory: str | None, before: int) -> None:
    """Tells of a variable where its address is known.

    memory: its room, if another image may have the variable that the address is of; None: it is in its room.
    """
    told = f"call void @{USED}(ptr {described}, ptr {use.result}, ptr "
    if memory is None:
        place = f"getelementptr i8, ptr {use.result}, i64 -{before}"
    else:
        place = f"call ptr @{THREAD_ADDRESS}(ptr {memory})"
    room = use.insert_after(place)
    room.insert_after(f"{told}{room.result})")


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
