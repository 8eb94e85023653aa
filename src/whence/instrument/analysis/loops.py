"""Natural loops: their blocks, entries and exits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from whence import ir


@dataclass(frozen=True)
class Loop:
    """`head` dominates all of `blocks` (labels, with that of the head)."""

    head: ir.Block
    blocks: frozenset[str]

    def entering(self) -> list[ir.Block]:
        """The predecessors of the head outside of the loop."""
        return [block for block in self.head.predecessors if block.ref not in self.blocks]

    @cached_property
    def exits(self) -> int:
        """The blocks of the loop with a successor outside of it."""
        blocks = map(self.head.function.block, self.blocks)
        return sum(any(each.ref not in self.blocks for each in block.successors) for block in blocks)

    @cached_property
    def steps(self) -> bool:
        """Whether the loop has an induction variable with a constant step."""
        phis = [each for each in self.head if isinstance(each, ir.Phi) and each.result]
        return any(self._is_step(value, phi.result or "") for phi in phis for value, _ in phi.incoming)

    def _is_step(self, value: str, phi: str) -> bool:
        definition = self.head.function.definition_of(value) if value.startswith("%") else None
        if isinstance(definition, ir.Binary) and definition.opcode in ("add", "sub"):
            left, right = (operand.value for operand in definition.operands)
            return left == phi and not right.startswith("%")
        if isinstance(definition, ir.GetElementPtr) and definition.base == phi:
            return all(not index.startswith("%") for _, index in definition.indices)
        return False


class Dominance:
    """Which blocks of a function come before which on every path; `order`: the blocks in reverse postorder.

    The method is that of Cooper, Harvey and Kennedy.
    """

    def __init__(self, order: Sequence[ir.Block]) -> None:
        self.place = {block.ref: at for at, block in enumerate(order)}
        self._order = order
        self._immediate = {order[0].ref: 0}
        changed = True
        while changed:
            changed = False
            for block in order[1:]:
                new = None
                for before in block.predecessors:
                    if before.ref in self._immediate:
                        at = self.place[before.ref]
                        new = at if new is None else self._meet(at, new)
                if new is not None and self._immediate.get(block.ref) != new:
                    self._immediate[block.ref] = new
                    changed = True

    def dominates(self, head: str, block: str) -> bool:
        """Whether every path to `block` leads through `head`, or they are one; both are labels."""
        above, below = self.place[head], self.place[block]
        while below > above and self._order[below].ref in self._immediate:
            below = self._immediate[self._order[below].ref]
        return below == above

    def _meet(self, one: int, other: int) -> int:
        while one != other:
            if one > other:
                one = self._immediate[self._order[one].ref]
            else:
                other = self._immediate[self._order[other].ref]
        return one


def loops_of(order: Sequence[ir.Block]) -> list[Loop]:
    """The loops of a function, larger ones first; `order`: its blocks in reverse postorder."""
    place = {block.ref: at for at, block in enumerate(order)}
    back = [
        (block, head) for block in order for head in block.successors if place[head.ref] <= place[block.ref]
    ]
    if not back:
        return []
    dominance = Dominance(order)
    bodies: dict[str, set[str]] = {}
    for source, head in back:
        if dominance.dominates(head.ref, source.ref):
            _add_body(bodies.setdefault(head.ref, {head.ref}), source)
    heads = {block.ref: block for block in order}
    loops = [Loop(heads[ref], frozenset(body)) for ref, body in bodies.items()]
    return sorted(loops, key=lambda loop: -len(loop.blocks))


def _add_body(body: set[str], source: ir.Block) -> None:
    """Adds the blocks that reach the back edge without passing the head."""
    waiting = [source]
    while waiting:
        block = waiting.pop()
        if block.ref not in body:
            body.add(block.ref)
            waiting += block.predecessors
