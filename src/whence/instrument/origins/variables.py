"""The memory of variables begins anew: no value in it is believed to be one that lay there before.

Cells outlive what they are about (`whence.abi.origins`). Code that carries no IR writes no cells, so where it
stores a value that was there in an earlier call, they would tell that call's chain. So the cells of a
variable are cleared where it begins to live, and again where it ceases to, for the frames of such code.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from whence import ir
from whence.instrument.analysis.exposure import size_of
from whence.instrument.naming.bits import unit_bits
from whence.instrument.origins import helpers
from whence.instrument.origins.emitter import after
from whence.instrument.shadow.calls import by_value, first_of

BEGIN, _END = "llvm.lifetime.start", "llvm.lifetime.end"
_COROUTINES = "llvm.coro."
Emit = Callable[[ir.Instruction, str, str, str], str]


class Variables:
    """The variables of one function that have cells.

    shadows: those that have none. celled: types of the values that cells follow. emit: inserts a call before
    an instruction.
    """

    def __init__(
        self, function: ir.Function, shadows: Collection[str], celled: Collection[str], emit: Emit
    ) -> None:
        self._function = function
        self._shadows = shadows
        self._celled = celled
        self._emit = emit
        self._ends: dict[str, int] = {}

    def begin(self, instructions: list[ir.Instruction], cleared: Collection[str]) -> None:
        """Clears cells where variables begin to live. cleared: those that are cleared at their ends."""
        calls = [each.callee or "" for each in instructions if isinstance(each, ir.Call)]
        if any(each.startswith(_COROUTINES) for each in calls):
            return  # its variables lie in a block of the heap, which begins anew as a whole
        begun, ended = lifetimes(instructions, BEGIN), lifetimes(instructions, _END)
        first = first_of(self._function)
        for name, passed in self._by_value():
            self._clear(first, name, passed)
            self._ends[name] = passed
        for variable in self._celled_ones(instructions):
            name, size = variable.result or "", size_of(variable)
            if size is None:
                self._clear_varying(variable)
                continue
            starts = [after(call) for call in begun.get(name, ())] or [after(variable)]
            for place in starts:
                if place is not None:
                    self._clear(place, name, size)
            if name in cleared:
                continue
            for call in ended.get(name, ()):
                self._clear(call, name, size)
            if variable.owner is self._function.entry and name not in ended:
                self._ends[name] = size

    def end(self, last: ir.Instruction) -> None:
        """The end of the function."""
        for name, size in self._ends.items():
            self._clear(last, name, size)

    def _clear(self, before: ir.Instruction, name: str, size: int) -> None:
        function, sized = helpers.fresh(size)
        self._emit(before, function, "void", f"ptr {name}, i64 {size}" if sized else f"ptr {name}")

    def _clear_varying(self, variable: ir.Alloca) -> None:
        place, (count,) = after(variable), variable.operands[:1]
        assert place is not None
        each = self._function.module.layout.size_of(variable.allocated_type)
        wide = count.value
        if count.type != "i64":
            wide = place.insert_before(f"zext {count.type} {wide} to i64").result or ""
        size = place.insert_before(f"mul i64 {wide}, {each}").result
        self._emit(place, helpers.FRESH, "void", f"ptr {variable.result}, i64 {size}")

    def _by_value(self) -> Iterator[tuple[str, int]]:
        """Parameters that are passed in memory, with their bytes: callers do not write cells there."""
        for each in self._function.parameters:
            if each.name and (type_ := by_value(each)):
                yield each.name, self._function.module.layout.size_of(type_)

    def _celled_ones(self, instructions: list[ir.Instruction]) -> list[ir.Alloca]:
        """Variables with values that cells follow, or that other code may access."""
        found = [each for each in instructions if isinstance(each, ir.Alloca)]
        found = [each for each in found if each.result not in self._shadows]
        roots = {each.result or "": each.result or "" for each in found}
        waiting = [each for each in instructions if isinstance(each, ir.GetElementPtr)]
        while waiting:
            rest = [each for each in waiting if each.base not in roots]
            roots |= {each.result or "": roots[each.base] for each in waiting if each.base in roots}
            if len(rest) == len(waiting):
                break
            waiting = rest
        needed = {
            roots[operand.value]
            for each in instructions
            if not isinstance(each, ir.GetElementPtr) and not self._is_apart(each)
            for operand in each.operands
            if operand.value in roots and not self._is_narrow(each, operand.value)
        }
        return [each for each in found if each.result in needed]

    def _is_apart(self, use: ir.Instruction) -> bool:
        return isinstance(use, ir.Call) and (use.callee or "").startswith((BEGIN, _END))

    def _is_narrow(self, use: ir.Instruction, pointer: str) -> bool:
        """Whether it does nothing with a pointer but load or store what has no cells."""
        if isinstance(use, ir.Store):
            value = use.operands[0]
            return value.value != pointer and not self._has_cells(value.type)
        return isinstance(use, ir.Load) and not self._has_cells(use.type)

    def _has_cells(self, type_: str) -> bool:
        return type_ in self._celled or unit_bits(type_) > 0


def lifetimes(instructions: list[ir.Instruction], kind: str) -> dict[str, list[ir.Call]]:
    """The calls of an intrinsic function on lifetimes, by variable."""
    found: dict[str, list[ir.Call]] = {}
    for each in instructions:
        if isinstance(each, ir.Call) and (each.callee or "").startswith(kind):
            found.setdefault(each.arguments[-1].value, []).append(each)
    return found
