"""Markers before indices of arrays whose type says their length.

An array inside of an object, such as `p->name` or a row of a matrix, is no block of its own: only its type
says where it ends. The types are those of the front end's code, before promotion.

Functions that access a number of bytes, such as memcpy, access elements of the array that they get: the last
of them has the index that is marked.
"""

from __future__ import annotations

from whence import ir
from whence.abi import library
from whence.instrument.analysis.exposure import Uses, is_access, is_inserted, uses_of
from whence.instrument.markers import steps
from whence.instrument.passes.context import Context
from whence.ir.datalayout import constant_index
from whence.ir.types import ArrayType, StructType, parse_type

_INTRINSICS = {"llvm.memcpy.": 2, "llvm.memmove.": 2, "llvm.memset.": 1}
"""How many of the first arguments point to memory that is accessed; the third one is the length."""
_FUNCTIONS = {
    name: (len(rows), unit)
    for effect, unit in (("bytes", 1), ("wide", 4))
    for name, rows in library.ranges(effect).items()
    if rows in (((0, 2),), ((0, 2), (1, 2))) and name not in library.having("looks")
}
"""The same for library functions, and the bytes of what the third argument counts."""


def mark_indices(context: Context) -> None:
    """Inserts a marker before each computation of an element's address that may be out of bounds.

    The index of the element behind the last one is valid where only its address is taken. A call that
    accesses some bytes of an array has the index of the last element among them.

    Before::

        %struct.s = type { i32, [10 x i32], i32 }
        declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
        define i32 @f(ptr %p, i64 %i) {
          %3 = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
          %4 = getelementptr inbounds [10 x i32], ptr %3, i64 0, i64 %i
          %5 = load i32, ptr %4, align 4
          %6 = getelementptr inbounds [10 x i32], ptr %3, i64 0, i64 0
          call void @llvm.memset.p0.i64(ptr %6, i8 0, i64 44, i1 false)
          ret i32 %5
        }

    After::

        %struct.s = type { i32, [10 x i32], i32 }
        declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
        define i32 @f(ptr %p, i64 %i) {
          %3 = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
          call void @__whence_check_index_i64(i64 %i, i64 10) nomerge
          %4 = getelementptr inbounds [10 x i32], ptr %3, i64 0, i64 %i
          %5 = load i32, ptr %4, align 4
          %6 = getelementptr inbounds [10 x i32], ptr %3, i64 0, i64 0
          call void @__whence_check_index_i64(i64 10, i64 10) nomerge
          call void @llvm.memset.p0.i64(ptr %6, i8 0, i64 44, i1 false)
          ret i32 %5
        }
    """
    for function in context.functions():
        calls = [each for each in function.instructions() if isinstance(each, ir.Call)]
        addresses = [each for each in function.instructions() if isinstance(each, ir.GetElementPtr)]
        elements = [each for each in addresses if is_element(each)]
        uses = uses_of(function) if elements else {}
        for element in elements:
            _mark(element, uses, context)
        for call in calls if elements else ():
            _mark_call(call, context)


def is_element(address: ir.GetElementPtr) -> bool:
    """Whether it is the address of an element of an array, with an index of 64 bits."""
    indices = address.indices
    whole = address.source_type.startswith("[") and len(indices) == 2 and indices[0][1] == "0"
    return whole and indices[1][0] == "i64"


def _mark(element: ir.GetElementPtr, uses: Uses, context: Context) -> None:
    array = parse_type(element.source_type)
    index = element.indices[1][1]
    if not isinstance(array, ArrayType) or array.count < 2 or not _is_whole(element, array):
        return
    count = array.count if _is_accessed(element, uses) else array.count + 1
    if index.isdecimal() and int(index) < count:
        return
    _insert(element, index, count, context)


def _insert(before: ir.Instruction, index: str | int, count: int, context: Context) -> None:
    name = steps.marker("index", 64)
    context.used.add(name)
    before.insert_before(f"call void @{name}(i64 {index}, i64 {count}) nomerge")


def _mark_call(call: ir.Call, context: Context) -> None:
    """Marks the last element that a library function accesses in each array that it gets.

    Rows are left out: programs fill and copy a whole matrix from its first row on.
    """
    pointers, unit = accessed_whole(call.callee or "")
    arguments = call.arguments
    if not pointers or len(arguments) < 3 or arguments[2].type != "i64":
        return
    for argument in arguments[:pointers]:
        element = call.function.definition_of(argument.value) if argument.value.startswith("%") else None
        if not isinstance(element, ir.GetElementPtr) or not is_element(element):
            continue
        array = parse_type(element.source_type)
        member = call.function.definition_of(element.base) if element.base.startswith("%") else None
        if not isinstance(array, ArrayType) or not isinstance(member, ir.GetElementPtr):
            continue
        if _is_member_array(member, array):
            _mark_last(call, element, array, arguments[2].value, unit, context)


def accessed_whole(callee: str) -> tuple[int, int]:
    """How many arguments, from the first, point to what a function accesses, and the unit of its length."""
    for prefix, pointers in _INTRINSICS.items():
        if callee.startswith(prefix):
            return pointers, 1
    return _FUNCTIONS.get(callee, (0, 1))


def _mark_last(
    call: ir.Call, element: ir.GetElementPtr, array: ArrayType, length: str, unit: int, context: Context
) -> None:
    """The marker of the last element of an access to so many units; an empty access gets index 0."""
    size = call.function.module.layout.size_of(str(array.element))
    first = element.indices[1][1]
    if size < 1 or array.count < 2:
        return
    known, start = constant_index(length), constant_index(first)
    if known is not None and start is not None and known >= 0:
        last = start + (known * unit - 1) // size
        if known and last >= array.count:
            _insert(call, last, array.count, context)
        return

    def compute(text: str) -> str:
        return call.insert_before(text).result or "0"

    bytes_ = length if unit == 1 else compute(f"mul i64 {length}, {unit}")
    before = compute(f"add i64 {bytes_}, -1")
    more = before if size == 1 else compute(f"udiv i64 {before}, {size}")
    last_index = more if start == 0 else compute(f"add i64 {first}, {more}")
    empty = compute(f"icmp eq i64 {length}, 0")
    _insert(call, compute(f"select i1 {empty}, i64 0, i64 {last_index}"), array.count, context)


def _is_whole(element: ir.GetElementPtr, array: ArrayType) -> bool:
    """Whether the array certainly has as many elements as its type says.

    The last member of a struct may have more (before C99 there was no other way), and so may what a pointer
    was converted to. A variable, a member that others follow, and a row of an array that is whole have not.
    """
    base = element.base
    function = element.function
    if base.startswith("@"):
        variable = function.module.globals.get(base[1:])
        return isinstance(variable, ir.GlobalVariable) and _begins_with(variable.value_type, array, function)
    definition = function.definition_of(base)
    if isinstance(definition, ir.Alloca):
        return definition.count is None and _begins_with(definition.allocated_type, array, function)
    return isinstance(definition, ir.GetElementPtr) and _is_inner(definition, array)


def _begins_with(type_: str, array: ArrayType, function: ir.Function) -> bool:
    """Whether a variable is such an array, or a struct that has one at its begin and more behind it: their
    addresses are the same."""
    if type_ == str(array):
        return True
    outer = function.module.layout.resolve(type_)
    if not isinstance(outer, StructType) or not outer.elements:
        return False
    first = outer.elements[0]
    return len(outer.elements) > 1 if first == array else _begins_with(str(first), array, function)


def _is_inner(part: ir.GetElementPtr, array: ArrayType) -> bool:
    """Whether the part of an object is such an array, and not at its end."""
    indices = part.indices
    if len(indices) != 2 or indices[0][1] != "0":
        return False
    layout = part.function.module.layout
    outer = layout.resolve(part.source_type)
    if isinstance(outer, StructType):
        return _is_member_array(part, array)
    return isinstance(outer, ArrayType) and outer.element == array and _is_whole(part, outer)


def _is_member_array(part: ir.GetElementPtr, array: ArrayType) -> bool:
    """Whether the part is a member of a struct, is such an array, and others follow it."""
    indices = part.indices
    if len(indices) != 2 or indices[0][1] != "0" or not indices[1][1].isdecimal():
        return False
    outer = part.function.module.layout.resolve(part.source_type)
    member = int(indices[1][1])
    if not isinstance(outer, StructType):
        return False
    return member < len(outer.elements) - 1 and outer.elements[member] == array


def _is_accessed(element: ir.GetElementPtr, uses: Uses) -> bool:
    """Whether all that happens to the address is accesses, to it or to a member there."""
    found = [each for each in uses.get(element.result or "", ()) if not is_inserted(each)]
    return bool(found) and all(_is_member(use, uses) or is_access(use, element.result or "") for use in found)


def _is_member(use: ir.Instruction, uses: Uses) -> bool:
    """Whether it computes the address of a part of the element, which is accessed."""
    return (
        isinstance(use, ir.GetElementPtr)
        and use.source_type.startswith(("%", "["))
        and use.indices[0][1] == "0"
        and _is_accessed(use, uses)
    )
