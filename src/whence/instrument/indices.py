"""Markers before indices of arrays whose type says their length.

An array inside of an object, such as `p->name` or a row of a matrix, is no block of its own: only its type
says where it ends. The types are those of the front end's code, before promotion.
"""

from __future__ import annotations

from whence import ir
from whence.instrument import steps
from whence.instrument.exposure import Uses, is_access, uses_of
from whence.instrument.passes import Context
from whence.ir.types import ArrayType, StructType, parse_type


def mark_indices(context: Context) -> None:
    """Inserts a marker before each computation of an element's address that may be out of bounds.

    The index of the element behind the last one is valid where only its address is taken.

    Before::

        %struct.s = type { i32, [10 x i32], i32 }
        define i32 @f(ptr %p, i64 %i) {
          %3 = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
          %4 = getelementptr inbounds [10 x i32], ptr %3, i64 0, i64 %i
          %5 = load i32, ptr %4, align 4
          ret i32 %5
        }

    After::

        %struct.s = type { i32, [10 x i32], i32 }
        define i32 @f(ptr %p, i64 %i) {
          %3 = getelementptr inbounds %struct.s, ptr %p, i32 0, i32 1
          call void @__whence_check_index_i64(i64 %i, i64 10) nomerge
          %4 = getelementptr inbounds [10 x i32], ptr %3, i64 0, i64 %i
          %5 = load i32, ptr %4, align 4
          ret i32 %5
        }
    """
    for function in context.functions():
        addresses = [each for each in function.instructions() if isinstance(each, ir.GetElementPtr)]
        elements = [each for each in addresses if _is_element(each)]
        uses = uses_of(function) if elements else {}
        for element in elements:
            _mark(element, uses, context)


def _is_element(address: ir.GetElementPtr) -> bool:
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
    name = steps.marker("index", 64)
    context.used.add(name)
    element.insert_before(f"call void @{name}(i64 {index}, i64 {count}) nomerge")


def _is_whole(element: ir.GetElementPtr, array: ArrayType) -> bool:
    """Whether the array certainly has as many elements as its type says.

    The last member of a struct may have more (before C99 there was no other way), and so may what a pointer
    was converted to. A variable, a member that others follow, and a row of an array that is whole have not.
    """
    base = element.base
    function = element.function
    if base.startswith("@"):
        variable = function.module.globals.get(base[1:])
        return isinstance(variable, ir.GlobalVariable) and variable.value_type == str(array)
    definition = function.definition_of(base)
    if isinstance(definition, ir.Alloca):
        return definition.count is None and definition.allocated_type == str(array)
    return isinstance(definition, ir.GetElementPtr) and _is_inner(definition, array)


def _is_inner(part: ir.GetElementPtr, array: ArrayType) -> bool:
    """Whether the part of an object is such an array, and not at its end."""
    indices = part.indices
    if len(indices) != 2 or indices[0][1] != "0":
        return False
    layout = part.function.module.layout
    outer = layout.resolve(part.source_type)
    if isinstance(outer, StructType) and indices[1][1].isdecimal():
        member = int(indices[1][1])
        return member < len(outer.elements) - 1 and outer.elements[member] == array
    return isinstance(outer, ArrayType) and outer.element == array and _is_whole(part, outer)


def _is_accessed(element: ir.GetElementPtr, uses: Uses) -> bool:
    """Whether all that happens to the address is accesses, to it or to a member there."""
    found = uses.get(element.result or "", ())
    return bool(found) and all(_is_member(use, uses) or is_access(use, element.result or "") for use in found)


def _is_member(use: ir.Instruction, uses: Uses) -> bool:
    """Whether it computes the address of a part of the element, which is accessed."""
    return (
        isinstance(use, ir.GetElementPtr)
        and use.source_type.startswith(("%", "["))
        and use.indices[0][1] == "0"
        and _is_accessed(use, uses)
    )
