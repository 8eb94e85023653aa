"""Markers where the front end relies on something that the program may break.

Contents of bool objects, alignment, pointers that are never null, sums that stay pointers, lengths of
arrays of variable length, code that is never reached: all stand in the front end's code, before promises
about values are withdrawn and variables are promoted to registers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from whence import ir
from whence.abi import library
from whence.instrument.analysis.exposure import uses_of
from whence.instrument.markers import steps
from whence.instrument.passes.context import Context
from whence.ir.datalayout import constant_index
from whence.ir.types import ArrayType, parse_type

POINTS = frozenset(("BOOL", "UNREACHABLE", "DIMENSION", "NONNULL", "OFFSET", "ALIGN", "ALIGNED"))
"""The detection points of these steps."""


def mark_promises(context: Context) -> None:
    """Inserts a marker before each such step for which an active rule has a point.

    Before::

        define i32 @f(ptr %p, i32 %n) {
          %3 = load i8, ptr %p, align 1
          %4 = trunc i8 %3 to i1
          br i1 %4, label %5, label %6
        5:
          ret i32 %n
        6:
          unreachable
        }

    After::

        define i32 @f(ptr %p, i32 %n) {
          %3 = load i8, ptr %p, align 1
          call void @__whence_check_bool_i8(i8 %3) nomerge
          %4 = trunc i8 %3 to i1
          br i1 %4, label %5, label %6
        5:
          ret i32 %n
        6:
          call void @__whence_check_unreachable() nomerge
          call void @llvm.trap()
          unreachable
        }
        declare void @llvm.trap()
    """
    points = context.policy.steps
    marks = [mark for point, mark in _MARKS.items() if point in points]
    for function in context.functions():
        if "NONNULL" in points:
            _mark_parameters(function, context)
            _mark_references(function, context)
        if "ALIGNED" in points:
            _mark_aligned_parameters(function, context)
        for instruction in list(function.instructions()):
            for mark in marks:
                mark(instruction, context)


def _insert(before: ir.Instruction, name: str, operands: str, context: Context) -> None:
    context.used.add(name)
    before.insert_before(f"call void @{name}({operands}) nomerge")


# ---- contents of bool objects -----------------------------------------------------------------------


def _mark_bool(instruction: ir.Instruction, context: Context) -> None:
    """The conversion of a loaded byte to a bit is what the front end writes for a bool alone."""
    if not isinstance(instruction, ir.Cast) or (instruction.opcode, instruction.type) != ("trunc", "i1"):
        return
    byte = instruction.operands[0]
    loaded = _definition(byte.value, instruction)
    if byte.type == "i8" and isinstance(loaded, ir.Load) and not _is_simple(loaded.pointer, instruction):
        _insert(instruction, steps.marker("bool", 8), f"i8 {byte.value}", context)


def _is_simple(pointer: str, at: ir.Instruction) -> bool:
    """Whether a local variable is meant that only assignments write: they have a bool each."""
    variable = _definition(pointer, at)
    if not isinstance(variable, ir.Alloca):
        return False
    return all(_reads_or_assigns(use, pointer) for use in uses_of(at.function).get(pointer, ()))


def _reads_or_assigns(use: ir.Instruction, pointer: str) -> bool:
    if isinstance(use, ir.Store):
        return use.value != pointer
    if isinstance(use, ir.Call):
        return (use.callee or "").startswith(("llvm.lifetime.", "llvm.dbg."))
    return isinstance(use, ir.Load)


# ---- code that is never reached ---------------------------------------------------------------------


def _mark_unreachable(instruction: ir.Instruction, context: Context) -> None:
    if isinstance(instruction, ir.Ret):
        if not instruction.function.attributes.has("noreturn"):
            return
    elif not isinstance(instruction, ir.Unreachable):
        return
    else:
        calls = _ending_before(instruction, context)
        if any(_keeps_promise(each, context) for each in calls):
            return
        for each in calls:
            _may_return(each, context)
    _insert(instruction, steps.UNREACHABLE, "", context)
    instruction.insert_before("call void @llvm.trap()")
    if "llvm.trap" not in context.module.functions:
        context.module.add_declaration("declare void @llvm.trap()")


def _ending_before(end: ir.Instruction, context: Context) -> list[ir.Call]:
    """The calls before it that do not return, by their declarations."""
    instructions = end.owner.instructions
    if len(instructions) > 1:
        found: list[ir.Instruction | None] = [instructions[-2]]
    else:
        terminators = (block.terminator for block in end.owner.predecessors)
        found = [each for each in terminators if isinstance(each, ir.Invoke)]
    return [each for each in found if isinstance(each, ir.Call) and _does_not_return(each, context)]


_NEVER_BACK = library.having("ends")
_NEVER_BACK_CXX = ("llvm.", "__cxa_", "_Unwind_", "_ZSt", "_ZNSt")


def _keeps_promise(call: ir.Call, context: Context) -> bool:
    """Whether a function does not return, or says itself where it does."""
    callee = context.module.functions.get(call.callee or "")
    if callee is not None and callee.is_definition and callee.attributes.has("noreturn"):
        return True
    name = call.callee or ""
    return call.is_assembly or name in _NEVER_BACK or name.startswith(_NEVER_BACK_CXX)


def _may_return(call: ir.Call, context: Context) -> None:
    """Withdraws the promise that a function does not return, by which LLVM drops what follows."""
    call.attributes = call.attributes.without("noreturn")
    callee = context.module.functions.get(call.callee or "")
    if callee is not None:
        callee.remove_attributes("noreturn")


def _does_not_return(call: ir.Call, context: Context) -> bool:
    callee = context.module.functions.get(call.callee or "")
    return call.attributes.has("noreturn") or (callee is not None and callee.attributes.has("noreturn"))


# ---- lengths of arrays ------------------------------------------------------------------------------


def _mark_dimensions(instruction: ir.Instruction, context: Context) -> None:
    """The front end keeps the lengths for debuggers: it stores them behind the allocation of the array."""
    if not isinstance(instruction, ir.Alloca) or not (instruction.count or "").startswith("%"):
        return
    factors = _factors(instruction.count or "", instruction)
    for following in _after(instruction):
        if not (isinstance(following, ir.Store) and following.value in factors):
            break
        length = _signed(following.value, instruction)
        _insert(instruction, steps.marker("dimension", 64), f"i64 {length}", context)


def _after(instruction: ir.Instruction) -> Iterator[ir.Instruction]:
    following = instruction.next
    while following is not None:
        if isinstance(following, ir.Instruction):
            yield following
        following = following.next


def _factors(product: str, at: ir.Instruction) -> set[str]:
    found, waiting = set[str](), [product]
    while waiting:
        value = waiting.pop()
        if value.startswith("%"):
            found.add(value)
        definition = _definition(value, at)
        if isinstance(definition, ir.Binary) and definition.opcode == "mul" and "nuw" in definition.flags:
            waiting += [operand.value for operand in definition.operands]
    return found


def _signed(length: str, at: ir.Instruction) -> str:
    """The length as a signed number: the front end extends an `int` with zeros."""
    definition = _definition(length, at)
    if not isinstance(definition, ir.Cast) or definition.opcode != "zext":
        return length
    text = f"sext {definition.source_type} {definition.operands[0].value} to i64"
    return at.insert_before(text).result or length


# ---- pointers that are never null -------------------------------------------------------------------


def _mark_parameters(function: ir.Function, context: Context) -> None:
    """Parameters with ``__attribute__((nonnull))``; callers test references and `this`, which have a size."""
    names = [
        each.name
        for each in function.parameters
        if each.name and each.attributes.has("nonnull") and not each.attributes.has("align")
    ]
    for name in names:
        _insert(_begin(function), steps.nonnull(False), f"ptr {name}", context)


def _begin(function: ir.Function) -> ir.Instruction:
    """The first instruction of the function with a line, or the last of its entry."""
    found = (each for each in function.entry.instructions if each.dbg is not None)
    return next(found, function.entry.terminator)


_DECLARED = re.compile(r"#dbg_declare\(ptr (%[-\w$.]+|%\"[^\"]*\"), !(\d+)")
_TYPE = re.compile(r"\btype: !(\d+)")
_REFERENCES = ("tag: DW_TAG_reference_type", "tag: DW_TAG_rvalue_reference_type")


def _mark_references(function: ir.Function, context: Context) -> None:
    """Variables that are references, where debug information says so; callers test parameters."""
    items = (each for block in function.blocks for each in block.items)
    records = (each.text for each in items if isinstance(each, ir.DebugRecord))
    found = filter(None, map(_DECLARED.search, records))
    names = {each[1] for each in found if _is_reference(int(each[2]), context)}
    for each in list(function.instructions()) if names else ():
        if isinstance(each, ir.Store) and each.pointer in names and _may_be_null(each.value, each):
            _insert(each, steps.nonnull(False), f"ptr {each.value}", context)


def _is_reference(variable: int, context: Context) -> bool:
    node = context.module.metadata.node(variable)
    found = _TYPE.search(node)
    if found is None or ", arg: " in node:
        return False
    type_ = context.module.metadata.node(int(found[1]))
    return any(each in type_ for each in _REFERENCES)


def _mark_nonnull(instruction: ir.Instruction, context: Context) -> None:
    if isinstance(instruction, ir.Ret) and instruction.function.return_attributes.has("nonnull"):
        for operand in instruction.operands:
            if operand.type == "ptr" and _may_be_null(operand.value, instruction):
                for before, value in _returns(operand.value, instruction):
                    if _may_be_null(value, before):
                        _insert(before, steps.nonnull(True), f"ptr {value}", context)
    elif isinstance(instruction, ir.Call):
        for argument in instruction.arguments:
            if argument.attributes.has("nonnull") and _may_be_null(argument.value, instruction):
                _insert(instruction, steps.nonnull(False), f"ptr {argument.value}", context)


def _returns(value: str, end: ir.Instruction) -> list[tuple[ir.Instruction, str]]:
    """What the function returns, and before which instructions that stands.

    A function with several returns stores each of their values, and loads what it stored at its end,
    where the line is that of the last brace.
    """
    load = _definition(value, end)
    ended = [each for each in end.owner.instructions if not _ends_scope(each)]
    if isinstance(load, ir.Load) and ended == [load, end]:
        before = [_stored(block, load.pointer) for block in end.owner.predecessors]
        stores = [store for store in before if store is not None]
        if stores and len(stores) == len(before):
            return [(store, store.value) for store in stores]
    return [(end, value)]


def _stored(block: ir.Block, pointer: str) -> ir.Store | None:
    """The store to a variable that is the last thing that a block does, before it goes to one other block.

    The front end may store behind it which way leads on where scopes have ended.
    """
    end = block.terminator
    if not isinstance(end, ir.Br) or len(end.successors) != 1:
        return None
    for each in reversed(block.instructions[:-1]):
        if isinstance(each, ir.Store) and each.pointer == pointer:
            return each
        if not isinstance(each, ir.Store) and not _ends_scope(each):
            return None
    return None


def _ends_scope(instruction: ir.Instruction) -> bool:
    return isinstance(instruction, ir.Call) and (instruction.callee or "").startswith("llvm.lifetime.end")


def _may_be_null(pointer: str, at: ir.Instruction) -> bool:
    if not pointer.startswith("%"):
        return pointer == "null"
    return not _is_of_variable(pointer, at)


# ---- pointer arithmetic and alignment ---------------------------------------------------------------


def _mark_offset(instruction: ir.Instruction, context: Context) -> None:
    """Sums of a pointer and an index; members of a struct have two indices, at a constant distance."""
    if not isinstance(instruction, ir.GetElementPtr) or "inbounds" not in instruction.flags:
        return
    indices, base = instruction.indices, instruction.base
    type_ = instruction.source_type
    array = parse_type(type_) if type_.startswith("[") else None
    if isinstance(array, ArrayType) and len(indices) == 2 and indices[0][1] == "0":
        type_ = str(array.element)
    elif len(indices) != 1 or (type_ == "ptr" and constant_index(indices[0][1]) is not None):
        return
    bits, index = indices[-1]
    known = constant_index(index)
    size = instruction.function.module.layout.size_of(type_)
    if known == 0 or not 0 < size <= steps.MOST_SIZE:
        return
    if not base.startswith("%") or _is_of_variable(base, instruction):
        return
    if bits != "i64" and known is None:
        return
    index = index if known is None else str(known)
    _insert(instruction, steps.OFFSET, f"ptr {base}, i64 {index}, i64 {size}", context)


_COPY = "llvm.memcpy."
_ALIGN = re.compile(r"\balign (\d+)\b")


def _mark_copy(call: ir.Call, context: Context) -> None:
    """Copies of a constant size, as of structs: compilers rely on the alignment of both pointers' types."""
    if not (call.callee or "").startswith(_COPY) or constant_index(call.arguments[2].value) is None:
        return
    for argument in call.arguments[:2]:
        found = _ALIGN.search(str(argument))
        align = int(found[1]) if found else 1
        pointer = argument.value
        if 1 < align <= steps.MOST_SIZE and pointer.startswith("%") and not _is_of_variable(pointer, call):
            _insert(call, steps.ALIGN, f"ptr {pointer}, i64 {align}", context)


def _mark_alignment(instruction: ir.Instruction, context: Context) -> None:
    if isinstance(instruction, ir.Call):
        _mark_copy(instruction, context)
    if not isinstance(instruction, ir.MemoryAccess) or not 1 < (instruction.align or 1) <= steps.MOST_SIZE:
        return
    pointer = instruction.pointer
    if pointer.startswith("%") and not _is_of_variable(pointer, instruction):
        _insert(instruction, steps.ALIGN, f"ptr {pointer}, i64 {instruction.align}", context)


# ---- alignment that is promised ---------------------------------------------------------------------

_BY_VALUE = ("byval", "sret", "inalloca", "preallocated")
"""Attributes of arguments that are memory of the caller's making, with the alignment of their types."""
_ASSUMED = re.compile(r'"align"\(ptr (%[^ ,()]+), i64 (%?[^ ,()]+)(?:, i64 ([^ ,()]+))?\)')


def _promised(attributes: ir.Attributes) -> int:
    """The alignment that a pointer has by its attributes, 1 if they promise none."""
    found = None if any(map(attributes.has, _BY_VALUE)) else _ALIGN.search(str(attributes))
    return int(found[1]) if found else 1


def _mark_aligned_parameters(function: ir.Function, context: Context) -> None:
    """Parameters with ``__attribute__((align_value))``; callers test references and `this`."""
    for each in function.parameters:
        align = _promised(each.attributes)
        if each.name and align > 1 and not each.attributes.has("nonnull"):
            _insert(_begin(function), steps.ALIGNED, f"ptr {each.name}, i64 {align}", context)


def _mark_aligned(instruction: ir.Instruction, context: Context) -> None:
    if not isinstance(instruction, ir.Call):
        return
    if instruction.callee == "llvm.assume":
        _mark_assumption(instruction, context)
    elif not instruction.is_intrinsic:
        for argument in instruction.arguments:
            align, value = _promised(argument.attributes), argument.value
            if align > 1 and value.startswith("%") and not _is_of_variable(value, instruction):
                _insert(instruction, steps.ALIGNED, f"ptr {value}, i64 {align}", context)
        _mark_result(instruction, context)


def _mark_result(call: ir.Call, context: Context) -> None:
    """What a function returns that is declared to return aligned pointers, or references."""
    align = _promised(call.return_attributes)
    if align > 1 and call.result and call.opcode == "call" and call.marker != "musttail":
        context.used.add(steps.ALIGNED)
        call.insert_after(f"call void @{steps.ALIGNED}(ptr {call.result}, i64 {align}) nomerge")


def _mark_assumption(assumption: ir.Call, context: Context) -> None:
    """``__builtin_assume_aligned``: the third operand is how far the pointer lies behind a multiple."""
    for pointer, align, distance in _ASSUMED.findall(assumption.text):
        if distance not in ("", "0"):
            back = assumption.insert_before(f"sub i64 0, {distance}").result
            pointer = assumption.insert_before(f"getelementptr i8, ptr {pointer}, i64 {back}").result
        _insert(assumption, steps.ALIGNED, f"ptr {pointer}, i64 {align}", context)


def _is_of_variable(pointer: str, at: ir.Instruction) -> bool:
    """Whether the function shows that the pointer leads into a variable."""
    definition = _definition(pointer, at)
    while isinstance(definition, ir.GetElementPtr):
        if definition.base.startswith("@"):
            return True
        definition = _definition(definition.base, at)
    return isinstance(definition, ir.Alloca)


def _definition(value: str, at: ir.Instruction) -> ir.Instruction | None:
    found = at.function.definition_of(value) if value.startswith("%") else None
    return found if isinstance(found, ir.Instruction) else None


_MARKS: dict[str, Callable[[ir.Instruction, Context], None]] = {
    "BOOL": _mark_bool,
    "UNREACHABLE": _mark_unreachable,
    "DIMENSION": _mark_dimensions,
    "NONNULL": _mark_nonnull,
    "OFFSET": _mark_offset,
    "ALIGN": _mark_alignment,
    "ALIGNED": _mark_aligned,
}
