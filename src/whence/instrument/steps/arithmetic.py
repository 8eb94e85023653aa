"""Markers before arithmetic that may be undefined or wrap around.

The front end says which arithmetic is signed: it may not wrap around (`nsw`). The promise is withdrawn, so
that the optimiser does not use it. All other is unsigned, but for what the front end computes itself, such as
differences of pointers.
"""

from __future__ import annotations

import re

from whence import ir
from whence.instrument.analysis.exposure import uses_of
from whence.instrument.markers import steps
from whence.instrument.passes.context import Context
from whence.instrument.steps.unsigned import is_unsigned
from whence.ir.datalayout import constant_index

_OVERFLOWS = {"add": "ADD", "sub": "SUBTRACT", "mul": "MULTIPLY"}
_UNSIGNED = {opcode: f"{point}_UNSIGNED" for opcode, point in _OVERFLOWS.items()}

_DIVISIONS = {"sdiv": "sdivide", "srem": "sdivide", "udiv": "udivide", "urem": "udivide"}
_SHIFTS = ("shl", "lshr", "ashr")
POINTS_OF = {
    **{opcode: frozenset((_OVERFLOWS[opcode], _UNSIGNED[opcode])) for opcode in _OVERFLOWS},
    **dict.fromkeys(_DIVISIONS, frozenset(("DIVIDE",))),
    **dict.fromkeys(_SHIFTS, frozenset(("SHIFT",))),
}
"""The detection points of operations, by their opcodes."""
POINTS = frozenset[str]().union(*POINTS_OF.values())
"""The detection points of these steps."""

_TYPES = {f"i{bits}": bits for bits in steps.WIDTHS}
_DECREMENT = "add", "-1"
"""The front end's way to write ``i--``."""
_ABSOLUTE = "llvm.abs.i"
_UNDEFINED_LEAST = re.compile(r"\bi1 true\)")
"""The operand that leaves the magnitude of the least number undefined."""
_NSW = re.compile(r"(?<== )(add|sub|mul)((?: nuw)?) nsw\b")


def mark_arithmetic(context: Context) -> None:
    """Inserts a marker before each operation for which an active rule has a point.

    Before::

        define i32 @f(i32 %a, i32 %b) {
          %3 = add nsw i32 %a, %b
          %4 = sdiv i32 %3, 10
          ret i32 %4
        }

    After::

        define i32 @f(i32 %a, i32 %b) {
          call void @__whence_check_add_i32(i32 %a, i32 %b) nomerge
          %3 = add i32 %a, %b
          %4 = sdiv i32 %3, 10
          ret i32 %4
        }
    """
    wraps = not context.wraps and not context.policy.steps.isdisjoint(_UNSIGNED.values())
    for function in context.functions():
        instructions = list(function.instructions())
        uses = uses_of(function) if wraps else {}
        for instruction in instructions:
            if isinstance(instruction, ir.Binary) and instruction.type in _TYPES:
                if wraps and is_unsigned(instruction, uses):
                    _mark_unsigned(instruction, context)
                else:
                    _mark(instruction, context)
            elif isinstance(instruction, ir.Call) and (instruction.callee or "").startswith(_ABSOLUTE):
                _mark_absolute(instruction, context)


def _mark_unsigned(instruction: ir.Binary, context: Context) -> None:
    opcode = instruction.opcode
    left, right = (operand.value for operand in instruction.operands)
    if is_decrement(instruction):
        opcode, right = "sub", "1"
    if _UNSIGNED[opcode] in context.policy.steps:
        _insert(instruction, _UNSIGNED[opcode].lower(), left, right, context)


def is_decrement(instruction: ir.Binary) -> bool:
    """Whether the program subtracts 1 from an unsigned number."""
    return (instruction.opcode, instruction.operands[1].value) == _DECREMENT


def _mark(instruction: ir.Binary, context: Context) -> None:
    opcode, points = instruction.opcode, context.policy.steps
    left, right = (operand.value for operand in instruction.operands)
    if opcode in _OVERFLOWS and _OVERFLOWS[opcode] in points and "nsw" in instruction.flags:
        _insert(instruction, _OVERFLOWS[opcode].lower(), left, right, context)
        instruction.rewrite(_NSW.sub(r"\1\2", instruction.text, count=1))
    elif opcode in _DIVISIONS and "DIVIDE" in points and _may_fail(opcode, right):
        _insert(instruction, _DIVISIONS[opcode], left, right, context)
    elif opcode in _SHIFTS and "SHIFT" in points and not _in_range(right, _TYPES[instruction.type]):
        _insert(instruction, "shift", left, _count(instruction, right), context)


def _mark_absolute(call: ir.Call, context: Context) -> None:
    """`abs` and its relatives negate numbers below zero; of these the least has no opposite.

    Before::

        define i32 @f(i32 %a) {
          %2 = call i32 @llvm.abs.i32(i32 %a, i1 true)
          ret i32 %2
        }
        declare i32 @llvm.abs.i32(i32, i1 immarg)

    After::

        define i32 @f(i32 %a) {
          call void @__whence_check_subtract_i32(i32 0, i32 %a) nomerge
          %2 = call i32 @llvm.abs.i32(i32 %a, i1 false)
          ret i32 %2
        }
        declare i32 @llvm.abs.i32(i32, i1 immarg)
    """
    operand = call.arguments[0]
    undefined = _UNDEFINED_LEAST.search(call.text)
    if undefined is None or operand.type not in _TYPES or "SUBTRACT" not in context.policy.steps:
        return
    name = steps.marker(_OVERFLOWS["sub"].lower(), _TYPES[operand.type])
    context.used.add(name)
    call.insert_before(f"call void @{name}({operand.type} 0, {operand.type} {operand.value}) nomerge")
    call.rewrite(_UNDEFINED_LEAST.sub("i1 false)", call.text, count=1))


def _insert(instruction: ir.Binary, word: str, left: str, right: str, context: Context) -> None:
    type_ = instruction.type
    name = steps.marker(word, _TYPES[type_])
    context.used.add(name)
    instruction.insert_before(f"call void @{name}({type_} {left}, {type_} {right}) nomerge")


def _may_fail(opcode: str, divisor: str) -> bool:
    number = constant_index(divisor)
    return number is None or number == 0 or (number == -1 and opcode in ("sdiv", "srem"))


def _in_range(count: str, bits: int) -> bool:
    number = constant_index(count)
    return number is not None and 0 <= number < bits


def _count(instruction: ir.Binary, count: str) -> str:
    """The number of bits as a signed number: the front end extends an `int` with zeros."""
    definition = instruction.function.definition_of(count) if count.startswith("%") else None
    if not isinstance(definition, ir.Cast) or (definition.opcode, definition.source_type) != ("zext", "i32"):
        return count
    text = f"sext i32 {definition.operands[0].value} to {instruction.type}"
    return instruction.insert_before(text).result or count
