"""Markers where others get a pointer that a function has moved back, perhaps out of its block.

An array whose indices begin at `low` is often kept as ``base - low``. That pointer may be the begin of
another live block by chance, which is not the one that it was derived from. Within the function the
derivation is visible; whoever loads the pointer, or receives it, cannot see it.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence import ir
from whence.instrument.analysis.provenance import Kind, Provenance
from whence.instrument.markers.declarations import STRAY
from whence.instrument.passes.context import Context

_DEPTH = 4
"""The largest number of steps from an index to what makes it negative."""


def mark_strays(context: Context) -> None:
    """Inserts a marker before such a pointer is stored or returned.

    Before::

        @map = global ptr null
        define void @f(ptr %base, i64 %low) {
          %1 = sub i64 0, %low
          %2 = getelementptr inbounds i16, ptr %base, i64 %1
          store ptr %2, ptr @map, align 8
          ret void
        }

    After::

        @map = global ptr null
        define void @f(ptr %base, i64 %low) {
          %1 = sub i64 0, %low
          %2 = getelementptr inbounds i16, ptr %base, i64 %1
          call void @__whence_check_stray(ptr %2, ptr %base) nomerge
          store ptr %2, ptr @map, align 8
          ret void
        }
    """
    for function in context.functions():
        if not any("getelementptr" in line for line in function.lines()):
            continue
        provenance = Provenance(function)
        for instruction, pointer in list(_escaping(function)):
            if not _moves_back(function, provenance, pointer):
                continue
            derived = provenance.of(pointer)
            if derived.kind is Kind.UNKNOWN and derived.root != pointer:
                context.used.add(STRAY)
                call = f"call void @{STRAY}(ptr {pointer}, ptr {derived.root}) nomerge"
                instruction.insert_before(call)


def _escaping(function: ir.Function) -> Iterator[tuple[ir.Instruction, str]]:
    """The computed addresses that are stored or returned, with the instruction that does it."""
    for instruction in function.instructions():
        if isinstance(instruction, ir.Store) and instruction.value_type == "ptr":
            pointer = instruction.value
        elif isinstance(instruction, ir.Ret):
            pointer = instruction.value or ""
        else:
            continue
        if isinstance(function.definition_of(pointer), ir.GetElementPtr):
            yield instruction, pointer


def _moves_back(function: ir.Function, provenance: Provenance, pointer: str) -> bool:
    """Whether a variable distance is subtracted on the way to the pointer."""
    _, _, terms = provenance.linear(pointer)
    return any(scale < 0 or _is_negated(function, index, _DEPTH) for scale, index in terms)


def _is_negated(function: ir.Function, index: str, depth: int) -> bool:
    definition = function.definition_of(index) if index.startswith("%") else None
    if not isinstance(definition, ir.Instruction) or not depth:
        return False
    first, *others = definition.operands or (None,)
    if first is None:
        return False
    if definition.opcode == "sub":
        return True
    if definition.opcode == "xor":
        return any(each.value == "-1" for each in others)
    if definition.opcode in ("sext", "trunc"):
        return _is_negated(function, first.value, depth - 1)
    if definition.opcode in ("add", "mul", "shl"):
        return any(_is_negated(function, each.value, depth - 1) for each in definition.operands)
    return False
