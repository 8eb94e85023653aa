"""What inline assembly does with undefined values, so far as its operands say it.

Instructions are not read. Outputs are taken for defined, because an output need not depend on every input
(``xor %0, %0``): Memcheck, which sees the instructions, finds more. Programs also write assembly without
instructions, to hide a value from the optimiser: then an output is the input in the same place, and memory
is as it was.
"""

from __future__ import annotations

import re

from whence import ir

_PARTS = re.compile(r'asm\b[^"]*"((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"')
_NUMBER = re.compile(r"\d+")


def _parts(call: ir.Call) -> tuple[str, list[str]]:
    """The template, and the constraints but clobbers."""
    found = _PARTS.match(call.callee_operand.value)
    if found is None:
        return "?", []
    return found[1], [each for each in found[2].split(",") if each and not each.startswith("~")]


def is_transparent(call: ir.Call) -> bool:
    """Whether the call is of assembly without instructions."""
    return call.is_assembly and not _parts(call)[0].strip()


def _arguments(call: ir.Call) -> list[tuple[str, ir.Argument | None]]:
    """The constraints, with the arguments of those that have one: outputs in registers have none."""
    arguments = iter(call.arguments)
    _, constraints = _parts(call)
    return [
        (each, None if each.startswith("=") and "*" not in each else next(arguments, None))
        for each in constraints
    ]


def written(call: ir.Call) -> list[ir.Argument]:
    """The arguments that lead to memory which the assembly writes."""
    return [
        argument
        for constraint, argument in _arguments(call)
        if argument is not None and constraint.startswith("=") and argument.attributes.has("elementtype")
    ]


def tied(call: ir.Call) -> list[ir.Argument | None]:
    """For each output in a register the input that is in the same place."""
    operands = _arguments(call)
    inputs = {int(constraint): argument for constraint, argument in operands if _NUMBER.fullmatch(constraint)}
    return [
        inputs.get(number)
        for number, (constraint, argument) in enumerate(operands)
        if constraint.startswith("=") and argument is None
    ]
