"""Which arithmetic of integers is unsigned, and written by the program.

The front end promises that signed arithmetic does not wrap around (`nsw`), unless the program was built with
``-fwrapv``. It computes some numbers itself in the same way: these are recognised and left out. So is the
comparison of a difference with a constant, ``x - 100 <= 900u``: it tests a range and wraps around on purpose,
and the front end writes the same for ``case 100 ... 1000``.
"""

from __future__ import annotations

from whence import ir
from whence.instrument.analysis.exposure import Uses, is_inserted

_OPCODES = ("add", "sub", "mul")
_TYPES = ("i32", "i64")
_OF_FRONT_END = ("llvm.cttz.", "llvm.ctlz.", "llvm.ctpop.", "llvm.objectsize.", "llvm.vscale.")
"""Intrinsics whose results the front end adds to: ``__builtin_ffs``."""


def is_unsigned(computation: ir.Binary, uses: Uses) -> bool:
    """Whether it is arithmetic of the program with unsigned numbers."""
    if computation.opcode not in _OPCODES or computation.type not in _TYPES:
        return False
    if {"nsw", "nuw"}.intersection(computation.flags):
        return False
    if any(_is_computed(operand.value, computation) for operand in computation.operands):
        return False
    return computation.opcode != "sub" or not (
        _is_step_back(computation, uses) or _is_range(computation, uses)
    )


def _is_computed(operand: str, computation: ir.Binary) -> bool:
    """Whether it is an address, or the old value of an atomic operation, to which the sum is the new one."""
    if not operand.startswith("%"):
        return "ptrtoint" in operand
    definition = computation.function.definition_of(operand)
    if isinstance(definition, ir.Call):
        return (definition.callee or "").startswith(_OF_FRONT_END)
    return isinstance(definition, ir.AtomicRMW) or (
        isinstance(definition, ir.Cast) and definition.opcode == "ptrtoint"
    )


def _is_step_back(difference: ir.Binary, uses: Uses) -> bool:
    """Whether it is the negative index of ``p - n``."""
    found = _uses(difference, uses)
    negative = difference.operands[0].value == "0"
    return negative and all(isinstance(use, ir.GetElementPtr) for use in found)


def _uses(difference: ir.Binary, uses: Uses) -> list[ir.Instruction]:
    """What the program does with it, without the calls that other passes have inserted."""
    return [use for use in uses.get(difference.result or "", ()) if not is_inserted(use)]


def _is_range(difference: ir.Binary, uses: Uses) -> bool:
    """Whether it is only compared with a constant, to test a range."""
    found = _uses(difference, uses)
    constant = difference.operands[1].value.lstrip("-").isdecimal()
    return constant and len(found) == 1 and _is_unsigned_comparison(found[0])


def _is_unsigned_comparison(use: ir.Instruction) -> bool:
    if not isinstance(use, ir.Compare) or not use.predicate.startswith("u"):
        return False
    return any(operand.value.lstrip("-").isdecimal() for operand in use.operands)
