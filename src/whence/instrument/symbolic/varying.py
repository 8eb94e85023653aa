"""Which values may have expressions."""

from __future__ import annotations

from whence import ir
from whence.instrument.symbolic.intrinsics import is_followed
from whence.instrument.symbolic.shapes import parts_of, width_of

_UNNUMBERED = ("byval", "sret", "nest", "swiftself", "swifterror", "inreg")
"""Attributes of parameters that are addresses of the caller's making, or no arguments at all."""


def can_have(type_: str, module: ir.Module) -> bool:
    """Whether values of a type can have expressions."""
    return type_ != "void" and (bool(width_of(type_)) or bool(parts_of(type_, module)))


def is_numbered(parameter: ir.Parameter | ir.Argument) -> bool:
    """Whether the expression of an argument is passed."""
    return bool(width_of(parameter.type)) and not any(parameter.attributes.has(each) for each in _UNNUMBERED)


def is_source(made: ir.Instruction) -> bool:
    """Whether a result may have an expression that comes from elsewhere: from memory, or out of a call."""
    if isinstance(made, ir.Load):
        return True
    return isinstance(made, ir.Call) and not made.is_intrinsic and not made.is_assembly


def derives(made: ir.Instruction) -> bool:
    """Whether an instruction's result may have an expression because an operand has one."""
    if isinstance(made, ir.Call):
        return is_followed(made)
    if isinstance(made, ir.Binary | ir.Unary):
        return not made.opcode.startswith("f") or made.opcode == "freeze"
    if isinstance(made, ir.Compare):
        return made.opcode == "icmp"
    if isinstance(made, ir.Cast):
        return made.opcode in CASTS
    followed = (ir.Phi, ir.Select, ir.GetElementPtr, ir.ExtractValue, ir.InsertValue)
    return isinstance(made, followed)


CASTS = ("trunc", "zext", "sext", "ptrtoint", "ptrtoaddr", "inttoptr", "bitcast")
"""Casts between values that can have expressions."""
