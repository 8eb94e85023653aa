"""Variables that were never written: their values are undefined, and LLVM must not choose them.

Each variable of up to `_MOST` bytes gets values whose shadows have all bits where its lifetime begins. LLVM
promotes and folds them like any other value, and deletes those that the program overwrites.
"""

from __future__ import annotations

import itertools
import re

from whence import ir
from whence.abi.layout import UNWRITTEN
from whence.abi.undefined import CONSTANT_PLACE, MAGIC, PLACE_UNIT, UNDEFINED
from whence.instrument.analysis.exposure import MEMORY, is_plain, size_of
from whence.instrument.definedness import helpers
from whence.instrument.definedness.shapes import leaves
from whence.instrument.markers.declarations import LIFETIME_BEGINS, UNCHECKED
from whence.instrument.naming.variable_names import text_of
from whence.instrument.passes.context import Context
from whence.instrument.variables.overruns import keep_in_memory
from whence.instrument.variables.zones import OWN

MOST = 64
"""The largest variable, in bytes, whose parts get values; larger ones are undefined in memory."""
_LEAVES = 16
_ORIGIN = "whence.undefined."
_NEAR = 64
"""Instructions behind the birth of a variable among which a copy to all of it is looked for."""
_SILENT = ("llvm.", "__whence_")
"""How functions begin that use no variable but their arguments."""


def mark_unwritten(context: Context) -> None:
    """Stores undefined values into variables where their lifetime begins.

    Before::

        define i32 @f() {
          %x = alloca i32, align 4
          %v = load i32, ptr %x, align 4
          ret i32 %v
        }

    After::

        define i32 @f() {
          %x = alloca i32, align 4
          %wh.0 = call i32 @__whence_values_undefined_i32(ptr getelementptr (i8, ptr @whence.undefined.0, i64 4))
          store i32 %wh.0, ptr %x, align 4, !whence.unchecked !{}
          %v = load i32, ptr %x, align 4
          ret i32 %v
        }
        @whence.undefined.0 = private constant { i32, i32, i32, [14 x i8] } { i32 0, i32 1464356419, i32 4, [14 x i8] c"0\\09variable\\09\\09\\09\\00" }, align 8
        declare i32 @__whence_values_undefined_i32(ptr) nounwind willreturn speculatable memory(none)
    """  # noqa: E501
    for function in context.functions():
        late = late_variables(function)
        for variable in (*function.entry, *late):
            _make_array(variable)
        clobbered = _clobbered(function)
        for variable, places in unwritten_births(function).items():
            for place in places:
                if variable.result in clobbered:
                    _define(variable, place)
                else:
                    _undefine(variable, place, context)
        for variable in late:
            _undefine(variable, variable, context)


def _make_array(variable: ir.Instruction) -> None:
    """Gives memory of `alloca` with a constant size the type that LLVM's pipeline would give it later.

    By the type, later passes tell which variables have values. Promotion leaves memory of this kind alone,
    and what the program does out of its bounds; that is to stay so.
    """
    if not isinstance(variable, ir.Alloca) or variable.count in (None, "1") or size_of(variable) is None:
        return
    type_ = str(variable.allocated_type)
    counted = re.compile(rf"alloca {re.escape(type_)}, i\d+ {variable.count}\b")
    variable.rewrite(counted.sub(f"alloca [{variable.count} x {type_}]", variable.text, count=1))
    keep_in_memory(variable)


def births_of(function: ir.Function) -> dict[ir.Alloca, list[ir.Instruction]]:
    """The variables of constant size, each with the instructions after which it has never been written."""
    variables = {
        each.result: each
        for each in function.entry
        if isinstance(each, ir.Alloca) and size_of(each) and not (each.result or "").startswith(OWN)
    }
    begins: dict[str | None, list[ir.Instruction]] = {}
    for each in function.instructions():
        if isinstance(each, ir.Call) and (each.callee or "").startswith(LIFETIME_BEGINS):
            begins.setdefault(each.arguments[-1].value, []).append(each)
    return {variable: begins.get(name) or [variable] for name, variable in variables.items()}


def unwritten_births(function: ir.Function) -> dict[ir.Alloca, list[ir.Instruction]]:
    """As `births_of`, without the births after which the whole variable is written at once, as a copy of a
    struct is: nothing of it is ever undefined, and values for its parts would have LLVM split the copy."""
    return {
        variable: [place for place in places if not _is_overwritten(variable, place)]
        for variable, places in births_of(function).items()
    }


def _is_overwritten(variable: ir.Alloca, place: ir.Instruction) -> bool:
    """Whether nothing but a copy or a fill of all of a variable comes first after a place."""
    name, size = variable.result or "", str(size_of(variable))
    mention = re.compile(rf"{re.escape(name)}(?![\w$.-])")
    rest = itertools.dropwhile(lambda each: each is not place, place.owner.instructions)
    for each in itertools.islice(rest, 1, _NEAR):
        if mention.search(each.text):
            if not isinstance(each, ir.Call) or not (each.callee or "").startswith(MEMORY):
                return False
            to, source, length = each.arguments[:3]
            return to.value == name and length.value == size and not mention.search(source.value)
        if isinstance(each, ir.Call) and not (each.callee or "").startswith(_SILENT):
            return False
    return False


def late_variables(function: ir.Function) -> list[ir.Alloca]:
    """The variables that are not there from the function's begin on."""
    entry = function.entry
    return [
        each
        for each in function.instructions()
        if isinstance(each, ir.Alloca)
        and is_plain(each)
        and (each.owner is not entry or size_of(each) is None)
        and not (each.result or "").startswith(OWN)
    ]


def parts_of(variable: ir.Alloca) -> list[tuple[int, str]]:
    """Offset and type of the parts that get values; none for large variables and for other types."""
    layout = variable.function.module.layout
    size = size_of(variable)
    if variable.count not in (None, "1") or size is None or size > MOST:
        return []
    found = [(each.offset, str(each.type)) for each in leaves(layout, variable.allocated_type)]
    if len(found) > _LEAVES or any(type_ not in helpers.UNWRITTEN_TYPES for _, type_ in found):
        return []
    return found


def _undefine(variable: ir.Alloca, place: ir.Instruction, context: Context) -> None:
    parts = parts_of(variable)
    if not parts:
        return
    origin = describe(variable, context)
    align = variable.align or 1
    for offset, type_ in reversed(parts):
        name = helpers.unwritten(type_)
        context.module.add_declaration(helpers.declaration(name))
        to = variable.result
        anchor = place
        if offset:
            anchor = place.insert_after(f"getelementptr i8, ptr {to}, i64 {offset}", dbg=False)
            to = anchor.result
        value = anchor.insert_after(f"call {type_} @{name}(ptr {origin})", dbg=False)
        least = align if not offset else min(align, offset & -offset)
        value.insert_after(f"store {type_} {value.result}, ptr {to}, align {least}, {UNCHECKED}", dbg=False)


def _define(variable: ir.Alloca, place: ir.Instruction) -> None:
    """Gives the parts of a variable definite values, as where undefined ones are not followed."""
    for offset, type_ in reversed(parts_of(variable)):
        to, anchor = variable.result, place
        if offset:
            anchor = place.insert_after(f"getelementptr i8, ptr {to}, i64 {offset}", dbg=False)
            to = anchor.result
        value = f"inttoptr (i64 {UNWRITTEN} to ptr)" if type_ == "ptr" else "zeroinitializer"
        anchor.insert_after(f"store {type_} {value}, ptr {to}, align 1, {UNCHECKED}", dbg=False)


def _clobbered(function: ir.Function) -> set[str]:
    """The variables that are written behind a call which may return twice. After its second return LLVM
    takes their values before that for the current ones, but programs that are compiled without optimisation
    find the later ones in memory."""
    twice = [each for each in function.instructions() if isinstance(each, ir.Call) and each.returns_twice]
    if not twice:
        return set()
    roots = {each.result: each.result for each in function.entry if isinstance(each, ir.Alloca)}
    behind = {block.ref for each in twice for block in [each.owner, *each.owner.reachable()]}
    found: set[str] = set()
    for each in function.instructions():
        if isinstance(each, ir.GetElementPtr) and each.base in roots:
            roots[each.result] = roots[each.base]
        pointer = each.pointer if isinstance(each, ir.Store) else None
        if isinstance(each, ir.Call) and (each.callee or "").startswith("llvm.mem"):
            pointer = each.arguments[0].value
        if pointer in roots and each.owner.ref in behind:
            found.add(roots[pointer] or "")
    return found


def describe(variable: ir.Alloca, context: Context) -> str:
    """The constant that is the origin of a variable's undefined bits (`whence.abi.undefined.UNDEFINED`), as
    an operand; its address alone is not always the origin."""
    text = text_of(variable)
    type_ = f"[{len(text) + 1} x i8]"
    while f"{_ORIGIN}{context.origins}" in context.module.globals:
        context.origins += 1
    name = f"@{_ORIGIN}{context.origins}"
    body = ir.encode_string(text.decode("utf-8", "surrogateescape") + "\0")
    fields = ", ".join(("i32", *(each.llvm for each in UNDEFINED.fields), type_))
    value = f'i32 0, i32 {MAGIC}, i32 {size_of(variable) or 0}, {type_} c"{body}"'
    context.module.add_global(f"{name} = private constant {{ {fields} }} {{ {value} }}, align {PLACE_UNIT}")
    return f"getelementptr (i8, ptr {name}, i64 {CONSTANT_PLACE})"
