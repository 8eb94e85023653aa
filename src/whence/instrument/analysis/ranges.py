"""Ranges of integers, as far as a function shows them.

A range has the lowest and the highest value of an integer, both read as unsigned. It follows from the
computation of the value, from comparisons with constants on all paths to a block, and from the bound of the
loop that counts it.
"""

from __future__ import annotations

from collections.abc import Callable

from whence import ir
from whence.ir.datalayout import constant_index

Range = tuple[int, int]

_DEPTH = 8
"""The largest number of computations to follow, and of blocks to look for comparisons in."""

_OPPOSITE = {
    "eq": "ne", "ne": "eq", "ult": "uge", "uge": "ult", "ule": "ugt", "ugt": "ule",
    "slt": "sge", "sge": "slt", "sle": "sgt", "sgt": "sle",
}  # fmt: skip


class Ranges:
    """Ranges of the integers of one function."""

    def __init__(self, function: ir.Function) -> None:
        self._function = function

    def of(self, type_: str, value: str, block: ir.Block, depth: int = _DEPTH) -> Range:
        """The range of a value of an integer type, wherever the block is executed."""
        bits = int(type_[1:])
        found = self._computed(bits, value, block, depth)
        facts = [] if constant_index(value) is not None else self._comparisons(value, block)
        for _ in range(2):  # what one comparison says may depend on another
            for predicate, bound in facts:
                found = _narrowed(found, predicate, bound, bits)
        return found

    def _computed(self, bits: int, value: str, block: ir.Block, depth: int) -> Range:
        whole = (0, (1 << bits) - 1)
        constant = constant_index(value)
        if constant is not None:
            return (constant & whole[1],) * 2
        definition = self._function.definition_of(value) if value.startswith("%") else None
        if depth == 0 or not isinstance(definition, ir.Instruction):
            return whole
        if isinstance(definition, ir.Phi):
            return self._counted(definition, bits) or whole
        if isinstance(definition, ir.Select):
            chosen = [self.of(each.type, each.value, block, depth - 1) for each in definition.operands[1:]]
            return min(low for low, _ in chosen), max(high for _, high in chosen)
        if isinstance(definition, ir.Cast | ir.Binary) and definition.opcode in _COMPUTE:
            operands = [self.of(each.type, each.value, block, depth - 1) for each in definition.operands]
            source = int(definition.operands[0].type[1:])
            found = _COMPUTE[definition.opcode](operands, source)
            if found is not None and 0 <= found[0] <= found[1] <= whole[1]:
                return found
        return whole

    def _comparisons(self, value: str, block: ir.Block) -> list[tuple[str, int]]:
        """Comparisons of the value with constants that are true wherever the block is executed."""
        found = []
        for _ in range(_DEPTH):
            before = block.predecessors
            if len(before) != 1:
                break
            found += self._on_edge(value, before[0], block)
            block = before[0]
        return found

    def _on_edge(self, value: str, source: ir.Block, target: ir.Block) -> list[tuple[str, int]]:
        """The comparison of the value with a constant that is true from one block to the next."""
        branch = source.terminator
        if not isinstance(branch, ir.Br) or branch.condition is None or len(set(branch.successors)) < 2:
            return []
        condition = branch.condition
        compare = self._function.definition_of(condition) if condition.startswith("%") else None
        if not isinstance(compare, ir.Compare) or compare.opcode != "icmp":
            return []
        left, right = compare.operands
        bound = constant_index(right.value)
        if left.value != value or bound is None:
            return []
        taken = branch.successors[0] == target.ref
        predicate = compare.predicate if taken else _OPPOSITE[compare.predicate]
        return [(predicate, bound)]

    def _counted(self, phi: ir.Phi, bits: int) -> Range | None:
        """The range of the variable of a loop that counts upward from a constant to another one."""
        if len(phi.incoming) != 2:
            return None
        for (first, _), (following, latch) in (phi.incoming, phi.incoming[::-1]):
            start, step = constant_index(first), self._step(phi.result or "", following)
            if start is None or start < 0 or step is None:
                continue
            source = self._function.block(latch)
            for predicate, bound in self._on_edge(following, source, phi.owner):
                last = _last(predicate, bound, step)
                if last is not None and start <= last and last + step < 1 << (bits - 1):
                    return start, last
        return None

    def _step(self, variable: str, following: str) -> int | None:
        """The positive constant that a loop adds to its variable."""
        definition = self._function.definition_of(following) if following.startswith("%") else None
        if not isinstance(definition, ir.Binary) or definition.opcode != "add":
            return None
        left, right = (each.value for each in definition.operands)
        step = constant_index(right)
        return step if left == variable and step is not None and step > 0 else None


def _last(predicate: str, bound: int, step: int) -> int | None:
    """The highest value with which a loop goes on."""
    if predicate in ("ult", "slt") or (predicate == "ne" and step == 1):
        return bound - 1
    return bound if predicate in ("ule", "sle") else None


def _narrowed(known: Range, predicate: str, bound: int, bits: int) -> Range:
    """The part of a range for which the comparison with a constant is true, as a range."""
    low, high = known
    least = 1 << (bits - 1)
    if predicate[0] == "s":
        if predicate in ("sgt", "sge") and bound >= (-1 if predicate == "sgt" else 0):
            low, high = max(low, bound + (predicate == "sgt")), min(high, least - 1)
        elif predicate in ("slt", "sle") and high < least:
            high = min(high, bound - (predicate == "slt"))
    else:
        bound &= (1 << bits) - 1
        if predicate in ("ult", "ule", "eq"):
            high = min(high, bound - (predicate == "ult"))
        if predicate in ("ugt", "uge", "eq"):
            low = max(low, bound + (predicate == "ugt"))
    return (low, high) if low <= high else known  # the block is never executed


def _sum(operands: list[Range], bits: int) -> Range:
    """Of two integers, the second of which may be a negative constant."""
    (low, high), (least, most) = operands
    if least == most and least >= 1 << (bits - 1):
        least = most = least - (1 << bits)
    return low + least, high + most


def _shifted(operands: list[Range], up: bool) -> Range | None:
    (low, high), (least, most) = operands
    if most > 64:
        return None
    return (low << least, high << most) if up else (low >> most, high >> least)


_COMPUTE: dict[str, Callable[[list[Range], int], Range | None]] = {
    "zext": lambda operands, bits: operands[0],
    "trunc": lambda operands, bits: operands[0],
    "sext": lambda operands, bits: operands[0] if operands[0][1] < 1 << (bits - 1) else None,
    "and": lambda operands, bits: (0, min(high for _, high in operands)),
    "or": lambda operands, bits: (0, (1 << max(high for _, high in operands).bit_length()) - 1),
    "add": _sum,
    "sub": lambda operands, bits: (operands[0][0] - operands[1][1], operands[0][1] - operands[1][0]),
    "mul": lambda operands, bits: (operands[0][0] * operands[1][0], operands[0][1] * operands[1][1]),
    "urem": lambda operands, bits: (0, min(operands[0][1], max(operands[1][1] - 1, 0))),
    "udiv": lambda operands, bits: (0, operands[0][1] // max(operands[1][0], 1)),
    "shl": lambda operands, bits: _shifted(operands, True),
    "lshr": lambda operands, bits: _shifted(operands, False),
}
"""The range of a result by those of the operands, and their number of bits; it may not fit the type."""
