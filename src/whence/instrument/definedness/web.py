"""Values that programs often leave undefined on purpose, as long as they do not use them.

Many a variable is written on some ways to its use only, and many a copy of a structure copies padding, or
members that say nothing because another member says so. So a function that has a twin carries the shadows
of some values with it: of variables that were never written, through phi nodes and selections, and
of what it loads only to store it elsewhere (the *web*). The twin goes on where one is used that has an
undefined bit.
"""

from __future__ import annotations

from whence import ir
from whence.instrument.analysis.closure import closure
from whence.instrument.definedness import helpers


def is_unwritten(instruction: ir.Instruction) -> bool:
    """Whether the result is the value of a variable that was never written."""
    return isinstance(instruction, ir.Call) and (instruction.callee or "").startswith(helpers.UNDEFINED)


def web_of(function: ir.Function) -> set[str]:
    """Values of variables that were never written, choices between those and others, and copied values."""
    users: dict[str, list[str]] = {}
    starts = _copied(function)
    for each in function.instructions():
        if each.result is None:
            continue
        if is_unwritten(each):
            starts.append(each.result)
        elif isinstance(each, ir.Phi | ir.Select):
            for name in _chosen(each):
                users.setdefault(name, []).append(each.result)
    return closure(starts, lambda name: users.get(name, ()))


def _copied(function: ir.Function) -> list[str]:
    """Values that are loaded and do nothing but be stored."""
    stored: dict[str, bool] = {}
    loads: list[str] = []
    for each in function.instructions():
        if isinstance(each, ir.Load) and each.result is not None and not each.atomic:
            loads.append(each.result)
        kept = each.operands[0].value if isinstance(each, ir.Store) else ""
        for operand in each.operands:
            copies = operand.value == kept and isinstance(each, ir.Store) and each.pointer != kept
            stored[operand.value] = stored.get(operand.value, True) and copies
    return [each for each in loads if stored.get(each)]


def unwritten_used(instruction: ir.Instruction, web: set[str]) -> list[str]:
    """The values of the web that an instruction does more with than to choose or to store them."""
    names = [each.value for each in instruction.operands if each.value in web]
    if isinstance(instruction, ir.Select):
        chosen = _chosen(instruction)
        names = [each for each in names if each not in chosen or each == instruction.operands[0].value]
    elif isinstance(instruction, ir.Store):
        names = [each for each in names if each == instruction.pointer]
    elif isinstance(instruction, ir.Call) and (instruction.callee or "").startswith("llvm.memset."):
        set_ = instruction.arguments[1].value
        names = [each for each in names if each != set_]
    return list(dict.fromkeys(names))


def _chosen(instruction: ir.Phi | ir.Select) -> list[str]:
    if isinstance(instruction, ir.Phi):
        return [value for value, _ in instruction.incoming]
    return [each.value for each in instruction.operands[1:]]
