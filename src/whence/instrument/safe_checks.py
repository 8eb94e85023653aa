"""Removal of checks of safe variables.

A check is placed where a function accesses memory through a parameter. When LLVM inlines that function, the
pointer may lead to a variable of the caller which is accessed in its bounds alone, and so has no zones.
Its check can find nothing. It costs more than its test where the memory belonged to a function that has
returned: the variable's state bytes are that function's, and the runtime opens them.
"""

from __future__ import annotations

from collections.abc import Mapping

from whence import ir
from whence.instrument.exposure import Uses
from whence.instrument.markers import RANGE, read_marker

_Place = tuple[int, int]
"""An offset in a variable, and the variable's size."""


def drop_safe_checks(variables: Mapping[str, int], uses: Uses) -> None:
    """Removes the checks of accesses that lie in the bounds of safe variables on every path.

    variables: the names of a function's safe variables, with their sizes in bytes.
    """
    places = {name: {(0, size)} for name, size in variables.items()}
    waiting = list(places)
    while waiting:
        pointer = waiting.pop()
        for use in uses.get(pointer, ()):
            found = _leads_to(use, pointer, places)
            if found and use.result and use.result not in places:
                places[use.result] = found
                waiting.append(use.result)
    for pointer, leads in places.items():
        for use in uses.get(pointer, ()):
            width = _checked_bytes(use, pointer)
            if width is not None and all(at >= 0 and at + width <= size for at, size in leads):
                use.remove()


def _leads_to(use: ir.Instruction, pointer: str, places: Mapping[str, set[_Place]]) -> set[_Place]:
    """Where the result of the instruction leads; nothing if it may lead elsewhere, or is no pointer."""
    if isinstance(use, ir.GetElementPtr):
        more = use.constant_offset
        if use.base != pointer or more is None:
            return set()
        return {(at + more, size) for at, size in places[pointer]}
    if isinstance(use, ir.Phi):
        sources = [value for value, _ in use.incoming]
    elif isinstance(use, ir.Select):
        sources = [each.value for each in use.operands[1:]]
    else:
        return set()
    if not all(source in places for source in sources):
        return set()
    return set().union(*(places[source] for source in sources))


def _checked_bytes(use: ir.Instruction, pointer: str) -> int | None:
    """How many bytes from the pointer on the instruction checks; None if it is no such check."""
    if not isinstance(use, ir.Call):
        return None
    marker = read_marker(use)
    if marker is not None:
        return marker.size if marker.pointer == pointer else None
    if use.callee != RANGE or use.arguments[0].value != pointer:
        return None
    length = use.arguments[1].value
    return int(length) if length.isdecimal() else None
