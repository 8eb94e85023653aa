"""Markers before comparisons and differences of pointers."""

from __future__ import annotations

import re

from whence import ir
from whence.instrument.analysis.provenance import Provenance
from whence.instrument.markers import steps
from whence.instrument.passes.context import Context

POINTS = frozenset(("COMPARE", "DIFFERENCE"))
"""The detection points of these steps."""

_CONSTANT = re.compile(r"ptrtoint \(ptr (.+) to i64\)")
"""The address of a variable as a number: the conversion is no instruction."""
_CONSTANTS = re.compile(r"sub \(i64 ptrtoint \(ptr (.+?) to i64\), i64 ptrtoint \(ptr (.+) to i64\)\)")
"""The difference of two such addresses."""
_MARKERS = (steps.COMPARE, steps.DIFFERENCE)
_ORDERS = ("ult", "ule", "ugt", "uge")


def mark_pairs(context: Context) -> None:
    """Inserts a marker before each such step for which an active rule has a point.

    Equality is defined for all pointers. A difference is what the front end makes of one: two conversions,
    and the subtraction directly behind; what the program converts itself is loaded in between. The address of
    a variable is a constant, with no conversion: then the difference must be divided by the size of elements.
    That of two such addresses is a constant itself.

    Before::

        define i1 @f(ptr %p, ptr %q) {
          %1 = icmp ult ptr %p, %q
          %2 = ptrtoint ptr %q to i64
          %3 = ptrtoint ptr %p to i64
          %4 = sub i64 %2, %3
          ret i1 %1
        }

    After::

        define i1 @f(ptr %p, ptr %q) {
          call void @__whence_check_compare(ptr %p, ptr %q, ptr %p, ptr %q) nomerge
          %1 = icmp ult ptr %p, %q
          %2 = ptrtoint ptr %q to i64
          %3 = ptrtoint ptr %p to i64
          call void @__whence_check_difference(ptr %q, ptr %p, ptr %q, ptr %p) nomerge
          %4 = sub i64 %2, %3
          ret i1 %1
        }
    """
    points = context.policy.steps
    for function in context.functions():
        for block in function.blocks:
            instructions = list(block.instructions)
            for index, instruction in enumerate(instructions):
                if isinstance(instruction, ir.Compare) and "COMPARE" in points:
                    _mark_comparison(instruction, context)
                elif isinstance(instruction, ir.Binary) and "DIFFERENCE" in points:
                    others = [*instructions[max(index - 2, 0) : index], instructions[index + 1]]
                    _mark_difference(instruction, others, context)


def _mark_comparison(instruction: ir.Compare, context: Context) -> None:
    left, right = instruction.operands
    if instruction.predicate in _ORDERS and left.type == "ptr":
        _insert(instruction, steps.COMPARE, left.value, right.value, context)


def _mark_difference(instruction: ir.Binary, others: list[ir.Instruction], context: Context) -> None:
    """`others`: the instructions before it, then the one behind it."""
    if instruction.opcode == "sdiv" and "exact" in instruction.flags:
        constant = _CONSTANTS.fullmatch(instruction.operands[0].value)
        if constant:
            _insert(instruction, steps.DIFFERENCE, constant[1], constant[2], context)
    if instruction.opcode != "sub" or instruction.type != "i64":
        return
    pointers, before = [], others[:-1]
    for operand in reversed(instruction.operands):
        address = _CONSTANT.fullmatch(operand.value)
        if address and _is_divided(instruction, others[-1]):
            pointers.append(address[1])
            continue
        converted = before.pop() if before else None
        if not isinstance(converted, ir.Cast) or converted.opcode != "ptrtoint":
            return
        if converted.result != operand.value:
            return
        pointers.append(converted.operands[0].value)
    _insert(instruction, steps.DIFFERENCE, pointers[1], pointers[0], context)


def _is_divided(difference: ir.Binary, behind: ir.Instruction) -> bool:
    """Whether it is counted in elements of more than a byte."""
    if not isinstance(behind, ir.Binary) or behind.opcode != "sdiv" or "exact" not in behind.flags:
        return False
    return behind.operands[0].value == difference.result


def _insert(before: ir.Instruction, name: str, left: str, right: str, context: Context) -> None:
    if "null" in (left, right):
        return
    context.used.add(name)
    before.insert_before(f"call void @{name}(ptr {left}, ptr {right}, ptr {left}, ptr {right}) nomerge")


def root_pairs(context: Context) -> None:
    """Tells these markers what their pointers were derived from, as far as the function shows it.

    Variables are in registers now, so a pointer that was computed too far is seen to come from its block.

    Before::

        declare void @__whence_check_compare(ptr, ptr, ptr, ptr)
        define i1 @f(ptr %p, ptr %q, i64 %n) {
          %1 = getelementptr inbounds i32, ptr %p, i64 %n
          call void @__whence_check_compare(ptr %1, ptr %q, ptr %1, ptr %q) nomerge
          %2 = icmp ult ptr %1, %q
          ret i1 %2
        }

    After::

        declare void @__whence_check_compare(ptr, ptr, ptr, ptr)
        define i1 @f(ptr %p, ptr %q, i64 %n) {
          %1 = getelementptr inbounds i32, ptr %p, i64 %n
          call void @__whence_check_compare(ptr %1, ptr %q, ptr %p, ptr %q) nomerge
          %2 = icmp ult ptr %1, %q
          ret i1 %2
        }
    """
    for function in context.functions():
        calls = (each for each in function.instructions() if isinstance(each, ir.Call))
        markers = [each for each in calls if each.callee in _MARKERS]
        if markers:
            _root(markers, Provenance(function))


def _root(markers: list[ir.Call], provenance: Provenance) -> None:
    for marker in markers:
        left, right = (argument.value for argument in marker.arguments[:2])
        first, second = (provenance.of(each).root for each in (left, right))
        if (first, second) != (left, right):
            call = f"call void @{marker.callee}(ptr {left}, ptr {right}, ptr {first}, ptr {second}) nomerge"
            marker.insert_before(call)
            marker.remove()
