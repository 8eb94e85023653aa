"""Addresses that follow from the places of a function's variables alone.

A twin (`whence.instrument.definedness.resume`) gets the places from the function and computes the others
where it uses them. So no point passes any of them, and no slot keeps them.
"""

from __future__ import annotations

from collections.abc import Mapping

from whence import ir
from whence.instrument.definedness.names import locals_of

PURE = ("getelementptr", "ptrtoint", "inttoptr", "add", "lshr", "sub", "and")
"""Opcodes by which code computes addresses of what belongs to a variable."""

_DEEPEST = 8
"""The longest computation of an address: each block that uses one repeats it."""


class Addresses:
    """The variables of a function, and what follows from them.

    definitions: the function's. variables: their names.
    """

    def __init__(self, definitions: Mapping[str, ir.Instruction], variables: list[str]) -> None:
        self.operands: dict[str, tuple[str, ...]] = dict.fromkeys(variables, ())
        """The addresses from which each is computed; variables have none."""
        depths = dict.fromkeys(variables, 0)
        for name, definition in definitions.items():
            if definition.opcode not in PURE:
                continue
            used = tuple(each for each in locals_of(definition.text) if each != name)
            if used and all(each in depths for each in used):
                depth = 1 + max(depths[each] for each in used)
                if depth <= _DEEPEST:
                    self.operands[name], depths[name] = used, depth

    def __contains__(self, name: str | None) -> bool:
        return name in self.operands
