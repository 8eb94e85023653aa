"""The variables of a function that no other thread can reach: nothing else knows their addresses."""

from __future__ import annotations

from whence import ir
from whence.instrument.analysis.exposure import BENIGN, MEMORY, Uses, uses_of

_PASSED_ON = (ir.GetElementPtr, ir.Phi, ir.Select, ir.Cast)
_COMPARED = (ir.Compare,)


def private_of(function: ir.Function) -> set[str]:
    """The names of variables, and of pointers into them, whose address leaves the function nowhere."""
    uses = uses_of(function)
    found: set[str] = set()
    for made in function.instructions():
        if isinstance(made, ir.Alloca) and made.result is not None:
            names = _pointers(made.result, uses)
            if names is not None:
                found |= names
    # A pointer that is chosen among variables is private only if all of them are.
    return {name for name in found if _is_of(name, function, found)}


def _pointers(variable: str, uses: Uses) -> set[str] | None:
    """The variable's pointers; None where one of them gets out."""
    names, left = {variable}, [variable]
    while left:
        name = left.pop()
        for use in uses.get(name, []):
            if isinstance(use, _PASSED_ON) and use.result is not None:
                if use.result not in names:
                    names.add(use.result)
                    left.append(use.result)
            elif not _keeps(use, name):
                return None
    return names


def _keeps(use: ir.Instruction, name: str) -> bool:
    match use:
        case ir.Load():
            return True
        case ir.Store():
            return use.value != name
        case ir.Call() if (use.callee or "").startswith((*BENIGN, *MEMORY)):
            return True
        case _:
            return isinstance(use, _COMPARED)


def _is_of(name: str, function: ir.Function, private: set[str]) -> bool:
    definition = function.definition_of(name)
    if isinstance(definition, ir.Alloca):
        return True
    if isinstance(definition, ir.GetElementPtr):
        return definition.operands[0].value in private
    if isinstance(definition, ir.Phi):
        return all(value in private for value, _ in definition.incoming)
    if isinstance(definition, ir.Select):
        return all(each.value in private for each in definition.operands[1:])
    return False
