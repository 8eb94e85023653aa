"""Markers before conversions and divisions of floating-point numbers, and before counts of zero bits."""

from __future__ import annotations

from whence import ir
from whence.instrument.analysis.exposure import Uses, uses_of
from whence.instrument.markers import steps
from whence.instrument.passes.context import Context

POINTS = frozenset(("TRUNCATE", "DIVIDE_FLOATING", "SCAN"))
"""The detection points of these steps."""

_TYPES = {f"i{bits}": bits for bits in steps.WIDTHS}
_CONVERSIONS = {"fptosi": True, "fptoui": False}
_NARROW = ("half", "bfloat")
SCANS = ("llvm.cttz.", "llvm.ctlz.")


def mark_conversions(context: Context) -> None:
    """Inserts a marker before each such step for which an active rule has a point.

    Before::

        declare i32 @llvm.cttz.i32(i32, i1)
        define i32 @f(double %a, i32 %b) {
          %3 = fptosi double %a to i32
          %4 = call i32 @llvm.cttz.i32(i32 %b, i1 true)
          ret i32 %3
        }

    After::

        declare i32 @llvm.cttz.i32(i32, i1)
        define i32 @f(double %a, i32 %b) {
          call void @__whence_check_truncate_double_s32(double %a) nomerge
          %3 = fptosi double %a to i32
          call void @__whence_check_scan_i32(i32 %b) nomerge
          %4 = call i32 @llvm.cttz.i32(i32 %b, i1 true)
          ret i32 %3
        }
    """
    points = context.policy.steps
    for function in context.functions():
        uses = uses_of(function) if "SCAN" in points else {}
        for instruction in list(function.instructions()):
            if isinstance(instruction, ir.Cast) and "TRUNCATE" in points:
                _mark_conversion(instruction, context)
            elif isinstance(instruction, ir.Binary) and "DIVIDE_FLOATING" in points:
                _mark_division(instruction, context)
            elif isinstance(instruction, ir.Call) and "SCAN" in points:
                _mark_scan(instruction, uses, context)


def _mark_conversion(cast: ir.Cast, context: Context) -> None:
    bits, type_, value = _TYPES.get(cast.type), cast.source_type, cast.operands[0].value
    if cast.opcode not in _CONVERSIONS or bits is None:
        return
    if type_ in _NARROW:
        value, type_ = cast.insert_before(f"fpext {type_} {value} to float").result or value, "float"
    if type_ in steps.FLOATS:
        _insert(cast, steps.truncation(type_, _CONVERSIONS[cast.opcode], bits), f"{type_} {value}", context)


def _mark_division(division: ir.Binary, context: Context) -> None:
    type_ = division.type
    if division.opcode == "fdiv" and type_ in steps.FLOATS:
        operands = ", ".join(f"{type_} {operand.value}" for operand in division.operands)
        _insert(division, steps.division(type_), operands, context)


def _mark_scan(call: ir.Call, uses: Uses, context: Context) -> None:
    if not (call.callee or "").startswith(SCANS):
        return
    number, undefined = call.arguments
    if undefined.value == "true" and number.type in _TYPES and not _is_discarded(call, uses):
        name = steps.marker("scan", _TYPES[number.type])
        _insert(call, name, f"{number.type} {number.value}", context)


def _is_discarded(call: ir.Call, uses: Uses) -> bool:
    """Whether the result for 0 is not used: the front end selects another, as for ``__builtin_ffs``."""
    found = list(uses.get(call.result or "", ()))
    found += [more for use in found if isinstance(use, ir.Binary) for more in uses.get(use.result or "", ())]
    return any(isinstance(use, ir.Select) for use in found)


def _insert(instruction: ir.Instruction, name: str, operands: str, context: Context) -> None:
    context.used.add(name)
    instruction.insert_before(f"call void @{name}({operands}) nomerge")
