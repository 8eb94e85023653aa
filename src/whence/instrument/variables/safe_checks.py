"""Removal of checks of safe variables.

A check is placed where a function accesses memory through a parameter. When LLVM inlines that function, the
pointer may lead to a variable of the caller which is accessed in its bounds alone, and so has no zones.
Its check can find nothing. It costs more than its test where the memory belonged to a function that has
returned: the variable's state bytes are that function's, and the runtime opens them.
"""

from __future__ import annotations

from collections.abc import Mapping

from whence import ir
from whence.instrument.analysis.exposure import Uses
from whence.instrument.markers.declarations import checked_range

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
            checked = checked_range(use) if isinstance(use, ir.Call) else None
            if checked is None or checked[0] != pointer or checked[1] is None:
                continue
            if all(at >= 0 and at + checked[1] <= size for at, size in leads):
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
