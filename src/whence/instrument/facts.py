"""What earlier checks have settled, carried along the control flow.

Two kinds of facts. That bytes at an address were *checked* is true until a
call that could free a block. That two addresses lie in one *slot* is arithmetic
on values that never change, so it stays true wherever the check dominates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from whence import ir
from whence.instrument.provenance import Derivation

V = TypeVar("V")

_MOST = 64
"""Facts of a kind that are kept in huge functions; older ones are forgotten."""


@dataclass
class Facts:
    """checked: pointer -> bytes from there. slots: root -> least and greatest constant offset in its slot."""

    checked: dict[str, int] = field(default_factory=dict)
    slots: dict[str, tuple[int, int]] = field(default_factory=dict)

    def block_may_have_died(self) -> None:
        self.checked.clear()

    def same_slot(self, derived: Derivation) -> bool:
        """Do root and pointer lie in one slot, by an earlier check at or beyond this offset?"""
        low, high = self.slots.get(derived.root, (0, 0))
        return derived.offset is not None and low <= derived.offset <= high

    def found_same_slot(self, derived: Derivation) -> None:
        if derived.offset is not None:
            low, high = self.slots.get(derived.root, (0, 0))
            self.slots[derived.root] = (min(low, derived.offset), max(high, derived.offset))

    def copy(self) -> Facts:
        return Facts(_newest(self.checked), _newest(self.slots))


def _newest(facts: dict[str, V]) -> dict[str, V]:
    return dict(facts) if len(facts) <= _MOST else dict(list(facts.items())[-_MOST:])


class Flow:
    """Visits the blocks of a function so that facts flow forward."""

    def __init__(self, function: ir.Function) -> None:
        self.order = _reverse_postorder(function)
        self._at_end: dict[str, Facts] = {}

    def enter(self, block: ir.Block) -> Facts:
        """The facts at the block's begin.

        At the head of a loop the way back has not been seen: nothing is known
        to be checked, while what lies in one slot is known from outside.
        """
        before = block.predecessors
        known = [self._at_end[p.ref] for p in before if p.ref in self._at_end]
        if not known:
            return Facts()
        facts = known[0].copy()
        if len(known) < len(before):
            facts.checked.clear()
        for other in known[1:]:
            _keep_common(facts, other)
        return facts

    def leave(self, block: ir.Block, facts: Facts) -> None:
        self._at_end[block.ref] = facts


def _keep_common(facts: Facts, other: Facts) -> None:
    facts.checked = {
        pointer: min(size, other.checked[pointer])
        for pointer, size in facts.checked.items()
        if pointer in other.checked
    }
    facts.slots = {
        root: (max(low, other.slots[root][0]), min(high, other.slots[root][1]))
        for root, (low, high) in facts.slots.items()
        if root in other.slots
    }


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
