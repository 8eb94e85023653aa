"""Looks at the definedness plane that say nothing new.

Where the plane has said that bytes are defined, or a defined value has been stored there, it says so until
something may make them undefined: a call, a copy, the store of an undefined value, the begin of a variable,
or another thread behind an atomic access. A function that has a twin stores defined values alone but for its
web, so these are few. Where a point is left out, the function needs no way to its twin.

The cost grows linearly with the number of instructions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from whence import ir
from whence.abi import library
from whence.abi.intercepts import RUNTIME_SYMBOLS
from whence.instrument.analysis.facts import Forward
from whence.instrument.definedness import helpers
from whence.instrument.definedness.joining import root_of
from whence.instrument.definedness.points import is_pure
from whence.instrument.markers.declarations import PREFIX, RANGE
from whence.instrument.markers.lookup import LOOKUP

_MOST = 64
"""The largest number of chunks about which something is known, for huge functions; the oldest go."""

_READING = frozenset(RUNTIME_SYMBOLS.get(name, name) for name in library.having("looks"))
"""Functions that store nothing."""
_KEEPING = (PREFIX, RANGE, LOOKUP, *helpers.KEEPING, "llvm.memset.")

Chunk = tuple[str, int]
"""A pointer, and how many times `_CHUNK` bytes from it on."""

_CHUNK = 64


@dataclass
class Defined:
    """Bytes that are defined, as the bits of numbers."""

    chunks: dict[Chunk, int] = field(default_factory=dict)

    @property
    def can_end(self) -> bool:
        return bool(self.chunks)

    def forget(self) -> None:
        self.chunks.clear()

    def copy(self) -> Defined:
        return Defined(dict(list(self.chunks.items())[-_MOST:]))

    def meet(self, other: Defined) -> None:
        found = {chunk: known & other.chunks.get(chunk, 0) for chunk, known in self.chunks.items()}
        self.chunks = {chunk: known for chunk, known in found.items() if known}

    def has(self, root: str, offset: int, size: int) -> bool:
        return all(not mask & ~self.chunks.get(chunk, 0) for chunk, mask in _parts(root, offset, size))

    def add(self, root: str, offset: int, size: int) -> None:
        for chunk, mask in _parts(root, offset, size):
            self.chunks[chunk] = self.chunks.pop(chunk, 0) | mask


def _parts(root: str, offset: int, size: int) -> Iterator[tuple[Chunk, int]]:
    number, begin = divmod(offset, _CHUNK)
    mask = ((1 << size) - 1) << begin
    while mask:
        yield (root, number), mask & (1 << _CHUNK) - 1
        mask >>= _CHUNK
        number += 1


def drop_known(function: ir.Function) -> None:
    """Leaves out looks in front of loads, and of stores of defined values.

    Before::

        declare void @__whence_values_point_load(i64, ptr, i64, i64)
        declare void @__whence_values_memory_clear_4(ptr)
        define void @f(ptr %p) {
          call void @__whence_values_point_load(i64 0, ptr %p, i64 4, i64 4)
          %a = load i32, ptr %p, align 4
          %b = add i32 %a, 1
          call void @__whence_values_memory_clear_4(ptr %p)
          store i32 %b, ptr %p, align 4
          ret void
        }

    After::

        declare void @__whence_values_point_load(i64, ptr, i64, i64)
        declare void @__whence_values_memory_clear_4(ptr)
        define void @f(ptr %p) {
          call void @__whence_values_point_load(i64 0, ptr %p, i64 4, i64 4)
          %a = load i32, ptr %p, align 4
          %b = add i32 %a, 1
          store i32 %b, ptr %p, align 4
          ret void
        }
    """
    flow = Forward(function, _may_undefine, Defined)
    for block in flow.order:
        known = flow.enter(block)
        for each in list(block.instructions):
            look = _look(each)
            if look is None:
                if _may_undefine(each):
                    known.forget()
                continue
            pointer, size = look
            root, offset = root_of(function, pointer)
            if known.has(root, offset, size):
                each.remove()
            else:
                known.add(root, offset, size)
        flow.leave(block, known)


def _look(instruction: ir.Instruction) -> tuple[str, int] | None:
    """The pointer and the number of bytes that are defined behind a look."""
    if not isinstance(instruction, ir.Call):
        return None
    name = instruction.callee or ""
    if name == helpers.POINT_LOAD:
        return instruction.arguments[1].value, int(instruction.arguments[2].value)
    cleared = helpers.cleared(name)
    return None if cleared is None else (instruction.arguments[0].value, cleared[0])


def _may_undefine(instruction: ir.Instruction) -> bool:
    """Whether bytes that are defined may be undefined behind an instruction."""
    if isinstance(instruction, ir.Call):
        name = instruction.callee or ""
        return not (name.startswith(_KEEPING) or name in _READING or is_pure(name))
    if isinstance(instruction, ir.Load | ir.Store):
        return bool(instruction.atomic)
    return isinstance(instruction, ir.MemoryAccess | ir.VAArg) or instruction.opcode == "fence"
