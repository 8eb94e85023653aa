"""Padding of variables, which is undefined from the begin of their lifetime on, whatever else is written.

`whence.instrument.definedness.unwritten` stores undefined values into the parts of a variable. LLVM deletes
those that the program overwrites, and with the last one of a granule nothing would be left that says what the
padding beside it is. Behind the pipeline LLVM deletes no more, so it is said here, for variables that are
still in memory and whose padding something may look at.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence import ir
from whence.abi.layout import GRANULE
from whence.instrument.analysis.exposure import is_read, is_written, size_of, uses_of
from whence.instrument.definedness import helpers
from whence.instrument.definedness.filling import align_for_granules, bytes_of
from whence.instrument.definedness.joining import root_of
from whence.instrument.definedness.unwritten import describe, late_variables, unwritten_births
from whence.instrument.definedness.web import is_unwritten
from whence.instrument.naming.variable_names import ATTACHMENT
from whence.instrument.passes.context import Context


def mark_padding(function: ir.Function, context: Context) -> None:
    """Stores undefined values where the lifetimes of variables with padding begin.

    A granule with padding is undefined as a whole then, as nothing of it has been written: that costs no more
    to say than that a part of it is.

    Before::

        declare void @g(ptr)
        define void @f() {
          %s = alloca { i8, i32 }, align 4
          store i8 1, ptr %s, align 4
          %p = getelementptr i8, ptr %s, i64 4
          store i32 2, ptr %p, align 4
          call void @g(ptr %s)
          ret void
        }

    After::

        declare void @g(ptr)
        define void @f() {
          %s = alloca { i8, i32 }, align 8
          %wh.0 = call i64 @__whence_values_undefined_i64(ptr getelementptr (i8, ptr @whence.undefined.0, i64 4))
          store i64 %wh.0, ptr %s, align 8
          store i8 1, ptr %s, align 4
          %p = getelementptr i8, ptr %s, i64 4
          store i32 2, ptr %p, align 4
          call void @g(ptr %s)
          ret void
        }
        @whence.undefined.0 = private constant { i32, i32, i32, [14 x i8] } { i32 0, i32 1464356419, i32 8, [14 x i8] c"0\\09variable\\09\\09\\09\\00" }, align 8
        declare i64 @__whence_values_undefined_i64(ptr) nounwind willreturn speculatable memory(none)
    """  # noqa: E501
    births = unwritten_births(function) | {each: [each] for each in late_variables(function)}
    padded = {each: hidden for each in births if (hidden := _padding_of(each))}
    apart = {each: set(parts) for each in births if _is_slice(each) and (parts := list(bytes_of(each)))}
    if not padded and not apart:
        return
    uses, origins = uses_of(function), _origins(function)
    padded |= {each: parts for each, parts in apart.items() if not is_written(each, uses)}
    for variable, hidden in padded.items():
        if not is_read(variable, hidden, uses):
            continue
        origin = origins.get(variable.result or "") or describe(variable, context)
        for place in births[variable]:
            for offset, size in reversed(list(_stored(variable, hidden))):
                _store(variable, place, offset, size, origin)


def _padding_of(variable: ir.Alloca) -> set[int]:
    """The bytes of a variable that no part of it has; none of those without parts, which are undefined as a
    whole."""
    parts = set(bytes_of(variable))
    return set(range(size_of(variable) or 0)) - parts if parts else set()


def _is_slice(variable: ir.Alloca) -> bool:
    """Whether LLVM has made it of a part of a variable, as of the padding of one in registers."""
    return ATTACHMENT not in variable.attachments


def _origins(function: ir.Function) -> dict[str, str]:
    """The constants that are origins of variables already, by the names of these."""
    values = {each.result: each for each in function.instructions() if is_unwritten(each)}
    found: dict[str, str] = {}
    for each in function.instructions():
        if isinstance(each, ir.Store) and each.operands[0].value in values:
            root, _ = root_of(function, each.pointer)
            found.setdefault(root, values[each.operands[0].value].operands[0].value)
    return found


def _stored(variable: ir.Alloca, hidden: set[int]) -> Iterator[tuple[int, int]]:
    """Offsets and sizes of what is stored: whole granules, and of the last, which may be the variable's in
    part, the single bytes."""
    size = size_of(variable) or 0
    for begin in sorted({each // GRANULE * GRANULE for each in hidden}):
        if begin + GRANULE <= size:
            yield begin, GRANULE
        else:
            yield from ((each, 1) for each in sorted(hidden) if each >= begin)


def _store(variable: ir.Alloca, place: ir.Instruction, offset: int, size: int, origin: str) -> None:
    type_ = f"i{8 * size}"
    name = helpers.unwritten(type_)
    variable.function.module.add_declaration(helpers.declaration(name))
    if size == GRANULE:
        align_for_granules(variable)
    to, anchor = variable.result, place
    if offset:
        anchor = place.insert_after(f"getelementptr i8, ptr {to}, i64 {offset}", dbg=False)
        to = anchor.result
    value = anchor.insert_after(f"call {type_} @{name}(ptr {origin})", dbg=False)
    value.insert_after(f"store {type_} {value.result}, ptr {to}, align {size}", dbg=False)
