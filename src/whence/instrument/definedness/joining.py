"""Looks at the definedness plane that serve several accesses.

The plane is looked at for each load and each store. Members of a structure, or elements of an array, lie
at constant distances from one pointer, and the states of neighbouring granules beside each other: so one look
at the states of up to eight granules serves all such accesses between which nothing else asks the plane.
Tests of loads that share a point (`whence.instrument.definedness.points`), and what is said in front of
stores, move to the first of them.

The cost grows linearly with the number of instructions.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from whence import ir
from whence.abi.layout import GRANULE
from whence.instrument.definedness import helpers
from whence.instrument.definedness.points import is_pure
from whence.instrument.markers.declarations import PREFIX, RANGE, reads_memory

_MOST = 8
"""Granules whose states are one word."""
_LARGEST = 32
"""Bytes of the largest values, vectors, that are joined with others."""


@dataclass(frozen=True)
class _Access:
    """An access that `call` tests: bytes from an offset to a pointer on. begins: whether a granule does."""

    call: ir.Call
    offset: int
    size: int
    begins: bool


def join_loads(function: ir.Function) -> None:
    """Joins the tests in front of loads that share a point.

    Before::

        declare void @__whence_values_point_load(i64, ptr, i64, i64)
        define void @f(ptr %p) {
          call void @__whence_values_point_load(i64 0, ptr %p, i64 8, i64 8)
          %q = getelementptr i8, ptr %p, i64 8
          call void @__whence_values_point_load(i64 0, ptr %q, i64 1, i64 8)
          ret void
        }

    After::

        declare void @__whence_values_point_load(i64, ptr, i64, i64)
        define void @f(ptr %p) {
          call void @__whence_values_point_bytes(i64 0, ptr %p, i64 511)
          %q = getelementptr i8, ptr %p, i64 8
          ret void
        }
        declare void @__whence_values_point_bytes(i64, ptr, i64)
    """
    for block in function.blocks:
        groups: dict[tuple[str, str], list[_Access]] = defaultdict(list)
        for each in block.instructions:
            if isinstance(each, ir.Call) and each.callee == helpers.POINT_LOAD:
                number, pointer, size, align = (argument.value for argument in each.arguments)
                root, offset = root_of(function, pointer)
                access = _Access(each, offset, int(size), int(align) % GRANULE == 0)
                groups[number, root].append(access)
        for (number, _), accesses in groups.items():
            for joined in _joined(accesses):
                joined.replace(joined.accesses[0], helpers.POINT_BYTES, f"i64 {number}, ")


def join_stores(function: ir.Function) -> None:
    """Joins what is said in front of stores of defined values.

    Before::

        declare void @__whence_values_memory_clear_8(ptr)
        declare void @__whence_values_memory_clear_1b(ptr)
        define void @f(ptr %p) {
          call void @__whence_values_memory_clear_8(ptr %p)
          store i64 1, ptr %p, align 8
          %q = getelementptr i8, ptr %p, i64 8
          call void @__whence_values_memory_clear_1b(ptr %q)
          store i8 1, ptr %q, align 8
          ret void
        }

    After::

        declare void @__whence_values_memory_clear_8(ptr)
        declare void @__whence_values_memory_clear_1b(ptr)
        define void @f(ptr %p) {
          call void @__whence_values_memory_clears_2(ptr %p, i64 511, i16 511)
          store i64 1, ptr %p, align 8
          %q = getelementptr i8, ptr %p, i64 8
          store i8 1, ptr %q, align 8
          ret void
        }
        declare void @__whence_values_memory_clears_2(ptr, i64, i16)
    """
    for block in function.blocks:
        groups: dict[str, list[_Access]] = defaultdict(list)
        for each in block.instructions:
            cleared = helpers.cleared(each.callee or "") if isinstance(each, ir.Call) else None
            if cleared is not None and isinstance(each, ir.Call):
                root, offset = root_of(function, each.arguments[0].value)
                groups[root].append(_Access(each, offset, *cleared))
            elif not is_silent(each):
                _join_stores(groups)
        _join_stores(groups)


def _join_stores(groups: dict[str, list[_Access]]) -> None:
    for accesses in groups.values():
        for joined in _joined(accesses):
            name, states = helpers.clears(joined.mask)
            joined.replace(joined.accesses[0], name, after=f", {states}")
    groups.clear()


def is_silent(instruction: ir.Instruction) -> bool:
    """Whether control goes on to the next instruction, and nothing looks at the plane or changes it: no other
    thread either, which may where an atomic access tells it that it can."""
    if isinstance(instruction, ir.Call):
        name = instruction.callee or ""
        return is_pure(name) or (name.startswith((PREFIX, RANGE)) and not reads_memory(name))
    if isinstance(instruction, ir.Load | ir.Store):
        return not (instruction.atomic or instruction.volatile)
    others = (ir.MemoryAccess, ir.VAArg, ir.LandingPad)
    return not (instruction.is_terminator or instruction.opcode == "fence" or isinstance(instruction, others))


def root_of(function: ir.Function, pointer: str) -> tuple[str, int]:
    """What a pointer is at a constant distance from, and the distance."""
    offset = 0
    while True:
        made = function.definition_of(pointer)
        if not isinstance(made, ir.GetElementPtr) or made.constant_offset is None:
            return pointer, offset
        pointer, offset = made.base, offset + made.constant_offset


@dataclass
class _Joined:
    """Accesses that one look serves, in the order of the block; `begin`: the offset of the first granule."""

    begin: int
    accesses: list[_Access]

    @property
    def mask(self) -> int:
        """The bytes from `begin` on that are accessed, as bits."""
        mask = 0
        for each in self.accesses:
            mask |= ((1 << each.size) - 1) << (each.offset - self.begin)
        return mask

    def replace(self, at: _Access, name: str, before: str = "", after: str = "") -> None:
        """Calls a function in place of all, where one of them is tested, with a pointer and the mask."""
        pointer = next(each.value for each in at.call.arguments if each.type == "ptr")
        if self.begin != at.offset:
            moved = at.call.insert_before(f"getelementptr i8, ptr {pointer}, i64 {self.begin - at.offset}")
            pointer = moved.result or ""
        at.call.function.module.add_declaration(helpers.declaration(name))
        at.call.insert_before(f"call void @{name}({before}ptr {pointer}, i64 {self.mask}{after})")
        for each in self.accesses:
            each.call.remove()


def _joined(accesses: list[_Access]) -> list[_Joined]:
    """Accesses by one pointer that one look serves, where there is more than one."""
    accesses = [each for each in accesses if each.size <= _LARGEST]
    phases = {each.offset % GRANULE for each in accesses if each.begins}
    if len(accesses) < 2 or len(phases) != 1:
        return []
    phase = phases.pop()
    found: list[_Joined] = []
    for each in sorted(accesses, key=lambda each: each.offset):
        if not found or each.offset + each.size > found[-1].begin + _MOST * GRANULE:
            found.append(_Joined(each.offset - (each.offset - phase) % GRANULE, []))
        found[-1].accesses.append(each)
    order = {id(each): at for at, each in enumerate(accesses)}
    for joined in found:
        joined.accesses.sort(key=lambda each: order[id(each)])
    return [joined for joined in found if len(joined.accesses) > 1]
