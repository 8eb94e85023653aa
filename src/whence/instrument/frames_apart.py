"""Code that takes a frame apart for variables, and gives it back (runtime/process/frames.h).

`whence.instrument.zones` inserts the calls; the filter module has the definitions, which are inlined.
"""

from __future__ import annotations

from collections.abc import Sequence

from whence import ir
from whence.abi.zones import (
    FRAME_CLASSES,
    FRAME_LEAST_SHIFT,
    FRAME_ROW,
    FRAMES_HEAD,
    FRAMES_SIZE,
    LOCAL,
    RETURNED,
)

TAKE, LEAVE = "__whence_frame_take", "__whence_frame_leave"
_SLOW, _LEFT = "__whence_frame_slow", "__whence_frame_left"
_ROOM, _BEGIN, _END = (f"__whence_frames_{what}" for what in ("room", "begin", "end"))
_ALIGN = 64
_DECLARATIONS = {
    TAKE: "declare ptr @__whence_frame_take(ptr, i64, i64) nounwind",
    LEAVE: "declare void @__whence_frame_leave(ptr, ptr, ptr) nounwind",
    _ROOM: "declare i64 @__whence_frames_room() nounwind",
    _BEGIN: "declare void @__whence_frames_begin(ptr, i64) nounwind",
    _END: "declare void @__whence_frames_end() nounwind",
}


def take(own: str, total: int) -> str:
    """The call whose result is the memory for variables: a frame apart, or the function's own memory."""
    shift = max((total - 1).bit_length(), FRAME_LEAST_SHIFT)
    row = FRAMES_HEAD + FRAME_ROW.size * (shift - FRAME_LEAST_SHIFT)
    assert shift - FRAME_LEAST_SHIFT < FRAME_CLASSES
    return f"call ptr @{TAKE}(ptr {own}, i64 {row}, i64 {1 << shift})"


def leave(memory: str, own: str, table: str) -> str:
    """The call at an exit of the function; the table is that of its variables."""
    return f"call void @{LEAVE}(ptr {memory}, ptr {own}, ptr {table})"


def is_taken(instruction: object) -> bool:
    """Whether the result of an instruction is memory for variables."""
    return isinstance(instruction, ir.Call) and instruction.callee == TAKE


def declare(module: ir.Module, *names: str) -> None:
    for name in names or (TAKE, LEAVE):
        module.add_declaration(_DECLARATIONS[name])


def table_of(module: ir.Module, rows: Sequence[tuple[int, str]], name: str) -> str:
    """A constant with the offsets of variables and their descriptions."""
    type_ = "{ i64, ptr }"
    each = [f"{type_} {{ i64 {offset}, ptr {described} }}" for offset, described in rows]
    each.append(f"{type_} zeroinitializer")
    module.add_global(
        f"@{name} = private constant [{len(each)} x {type_}] [{', '.join(each)}], align 8"
    )
    return f"@{name}"


def begin_thread(first: ir.Instruction) -> None:
    """Makes the memory for the frames of the main thread, in front of an instruction of its main function.

    It lies below all variables of the function, so that code that searches the stack up to one of these for
    pointers finds those in frames apart.
    """
    declare(first.function.module, _ROOM, _BEGIN, _END)
    room = first.insert_before(f"call i64 @{_ROOM}()", dbg=False).result
    memory = first.insert_before(f"alloca i8, i64 {room}, align {_ALIGN}", dbg=False).result
    first.insert_before(f"call void @{_BEGIN}(ptr {memory}, i64 {room})", dbg=False)


def end_thread(exit_: ir.Instruction) -> None:
    """In front of an exit of the main function."""
    declare(exit_.function.module, _END)
    exit_.insert_before(f"call void @{_END}()", dbg=False)


def definitions() -> str:
    """The definitions of the two calls."""
    taken = LOCAL.offset("reserved")
    return f"""@__whence_frames = external thread_local(initialexec) global [{FRAMES_SIZE} x i8]

declare ptr @{_SLOW}(ptr, i64)

declare void @{_LEFT}(ptr, ptr)

define linkonce_odr hidden ptr @{TAKE}(ptr %own, i64 %row, i64 %size) #0 {{
entry:
  %at = ptrtoint ptr %own to i64
  %low = load i64, ptr @__whence_frames, align 8
  %up = sub i64 %at, %low
  %span = load i64, ptr getelementptr (i8, ptr @__whence_frames, i64 8), align 8
  %inside = icmp ult i64 %up, %span
  br i1 %inside, label %look, label %slow, !prof !1
look:
  %place = getelementptr i8, ptr @__whence_frames, i64 %row
  %next = load ptr, ptr %place, align 8
  %mark = getelementptr i8, ptr %next, i64 {taken}
  %taken = load i64, ptr %mark, align 8
  %free = icmp eq i64 %taken, 0
  br i1 %free, label %take, label %slow, !prof !1
take:
  %after = getelementptr i8, ptr %next, i64 %size
  store ptr %after, ptr %place, align 8
  store i64 1, ptr %mark, align 8
  br label %end
slow:
  %found = call ptr @{_SLOW}(ptr %own, i64 %row) #3
  br label %end
end:
  %frame = phi ptr [ %next, %take ], [ %found, %slow ]
  ret ptr %frame
}}

define linkonce_odr hidden void @{LEAVE}(ptr %frame, ptr %own, ptr %table) #0 {{
entry:
  %mark = getelementptr i8, ptr %frame, i64 {taken}
  store i64 0, ptr %mark, align 8
  %same = icmp eq ptr %frame, %own
  br i1 %same, label %list, label %end, !prof !0
list:
  call void @{_LEFT}(ptr %own, ptr %table) #3
  br label %end
end:
  ret void
}}"""


assert RETURNED.size == 16, "a row of the table"
