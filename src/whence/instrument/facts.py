"""What earlier checks have settled, carried along the control flow.

Facts are about a *place*: a value that addresses are computed from and constant
offsets from it (`Provenance.place`). Two kinds. That bytes were *checked* is
true until a call that could free a block. That they lie in the *slot* of the
block they were derived from is arithmetic on values that never change, so it
stays true wherever the check dominates.

A slot holds one block, and a block has no holes. So what lies between two
checked bytes is in the block too, and facts are intervals. (Where the program
itself makes bytes of its blocks inaccessible, only the last interval is kept.) A byte at most a
red zone beyond lies in the same slot: the state plane alone tells whether it
belongs to the block.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field

from whence import ir
from whence.abi.layout import RED_ZONE
from whence.instrument.lifetimes import may_free

Place = tuple[str, int]
Interval = tuple[int, int]
"""Offsets: the first byte, and one after the last."""

_MOST = 64
"""Facts of a kind that are kept in huge functions; older ones are forgotten."""


@dataclass
class Facts:
    """Bytes known to be addressable, and bytes known to have been addressable in the slot of the root."""

    checked: dict[str, Interval] = field(default_factory=dict)
    slots: dict[str, Interval] = field(default_factory=dict)
    holes: bool = False

    def block_may_have_died(self) -> None:
        self.checked.clear()

    def is_checked(self, place: Place, size: int) -> bool:
        base, offset = place
        low, high = self.checked.get(base, (0, 0))
        return low <= offset and offset + size <= high

    def stays_in_slot(self, place: Place) -> bool:
        """Certainly no further than a red zone from a byte of the root's block?"""
        base, offset = place
        known = self.slots.get(base)
        return known is not None and known[0] - RED_ZONE <= offset < known[1] + RED_ZONE

    def add(self, place: Place, size: int, from_root: bool) -> None:
        """A check of these bytes comes before all that follows; `from_root`: the place's base is the root."""
        base, offset = place
        if self.holes:
            self.checked.pop(base, None)
        _extend(self.checked, base, offset, offset + size)
        if from_root:  # the root lies in its own slot
            _extend(self.slots, base, min(offset, 0), max(offset + size, 0))
        else:
            _extend(self.slots, base, offset, offset + size)

    def copy(self) -> Facts:
        return Facts(_newest(self.checked), _newest(self.slots), self.holes)


def _extend(facts: dict[str, Interval], base: str, low: int, high: int) -> None:
    known = facts.pop(base, (low, high))
    facts[base] = (min(low, known[0]), max(high, known[1]))


def _newest(facts: dict[str, Interval]) -> dict[str, Interval]:
    return dict(facts) if len(facts) <= _MOST else dict(list(facts.items())[-_MOST:])


class Flow:
    """Visits the blocks of a function so that facts flow forward."""

    def __init__(self, function: ir.Function, keepers: Container[str], holes: bool = False) -> None:
        self.holes = holes
        self.order = _reverse_postorder(function)
        self._keepers = keepers
        self._at_end: dict[str, Facts] = {}
        self._frees: dict[str, bool] = {}

    def enter(self, block: ir.Block) -> Facts:
        """The facts at the block's begin.

        At the head of a loop the way back has not been seen. What is known
        from outside to be checked stays so if nothing in the loop can free.
        """
        before = block.predecessors
        known = [self._at_end[p.ref] for p in before if p.ref in self._at_end]
        if not known:
            return Facts(holes=self.holes)
        facts = known[0].copy()
        back = [p for p in before if p.ref not in self._at_end]
        if back and facts.checked and self._frees_on_the_way(block, back):
            facts.block_may_have_died()
        for other in known[1:]:
            facts.checked = _common(facts.checked, other.checked)
            facts.slots = _common(facts.slots, other.slots)
        return facts

    def leave(self, block: ir.Block, facts: Facts) -> None:
        self._at_end[block.ref] = facts

    def _frees_on_the_way(self, head: ir.Block, back: list[ir.Block]) -> bool:
        """Can a block die between the head of a loop and the jumps back to it?"""
        seen, waiting = {head.ref}, [head, *back]
        while waiting:
            block = waiting.pop()
            if self._may_free(block):
                return True
            if block is not head:
                waiting += [p for p in block.predecessors if p.ref not in seen]
                seen.update(p.ref for p in block.predecessors)
        return False

    def _may_free(self, block: ir.Block) -> bool:
        found = self._frees.get(block.ref)
        if found is None:
            found = any(may_free(instruction, self._keepers) for instruction in block.instructions)
            self._frees[block.ref] = found
        return found


def _common(facts: dict[str, Interval], others: dict[str, Interval]) -> dict[str, Interval]:
    """What both know."""
    common = {
        base: (max(low, others[base][0]), min(high, others[base][1]))
        for base, (low, high) in facts.items()
        if base in others
    }
    return {base: (low, high) for base, (low, high) in common.items() if low < high}


def _reverse_postorder(function: ir.Function) -> list[ir.Block]:
    """Blocks so that each comes after its predecessors, but for loops; unreachable ones last."""
    order: list[ir.Block] = []
    seen = {function.entry.ref}
    stack = [(function.entry, iter(function.entry.successors))]
    while stack:
        block, successors = stack[-1]
        following = next((s for s in successors if s.ref not in seen), None)
        if following is None:
            order.append(block)
            stack.pop()
        else:
            seen.add(following.ref)
            stack.append((following, iter(following.successors)))
    order.reverse()
    return order + [block for block in function.blocks if block.ref not in seen]
