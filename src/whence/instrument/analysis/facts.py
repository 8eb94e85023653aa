"""Facts from earlier checks, propagated along the control flow.

Facts are about a *place*: a base value of addresses, with constant offsets from it
(`Provenance.place`). There are two kinds. The fact that bytes were *checked* holds
until a call that could free a block. The fact that they lie in the *slot* of the
block they were derived from is arithmetic on SSA values, so it holds wherever the
check dominates.

A slot has one block, and a block has no holes. So all bytes between two checked
bytes of one block are in the block, too, and facts are intervals. Two bytes are of one block if
they lie in the slot of one root, or no further from each other than a red zone. (Where the program
itself makes bytes of its blocks inaccessible, only the last interval is kept.) A byte at most a
red zone beyond lies in the same slot: the state plane alone tells whether it
belongs to the block.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, Self, TypeVar

from whence import ir
from whence.abi.layout import RED_ZONE
from whence.instrument.analysis.lifetimes import may_free
from whence.instrument.analysis.provenance import Place

Interval = tuple[int, int]
"""Offsets: the first byte, and one after the last."""

Intervals = tuple[Interval, ...]
"""Disjoint intervals in any order."""

Judged = tuple[str, str]
"""The base of a place, and the value that is the root of the pointer."""

_Key = TypeVar("_Key")
_Fact = TypeVar("_Fact")

_MOST = 64
"""The largest number of facts of one kind, for huge functions; the oldest ones are dropped."""

_MOST_INTERVALS = 8
"""The largest number of facts about one base."""


@dataclass
class Facts:
    """Bytes known to be addressable, and bytes known to have been addressable in the slot of the root.

    `upward`: distances of members of a family (`Place.upward`) that are known to have been so; it is
    true of what lies between them, too, unless the index wraps there.
    """

    checked: dict[str, Intervals] = field(default_factory=dict)
    slots: dict[Judged, Interval] = field(default_factory=dict)
    upward: dict[Judged, Interval] = field(default_factory=dict)
    holes: bool = False

    @property
    def can_end(self) -> bool:
        """Whether there is a fact that holds only until a block may be freed."""
        return bool(self.checked)

    def forget(self) -> None:
        """A block may have been freed."""
        self.checked.clear()

    def is_checked(self, place: Place, size: int) -> bool:
        known = self.checked.get(place.base, ())
        return any(low <= place.offset and place.offset + size <= high for low, high in known)

    def stays_in_slot(self, place: Place, root: Place) -> bool:
        """Whether the bytes are certainly no further than a red zone from a byte of the root's block."""
        known = self.slots.get((place.base, root.base))
        if known is not None and known[0] - RED_ZONE <= place.offset < known[1] + RED_ZONE:
            return True
        return self._follows(place, root)

    def _follows(self, place: Place, root: Place) -> bool:
        """Whether it is a short step upward from known bytes, or, if the index wraps, from the root."""
        known = self.upward.get((place.upward, root.base))
        if known is None or place.start != root.base or root.offset:
            return False
        return known[0] <= place.distance < known[1] + RED_ZONE

    def add(self, place: Place, size: int, root: Place | None) -> None:
        """Adds the facts of a check of these bytes; with `root`, they lie in its slot."""
        low, high = place.offset, place.offset + size
        if root is not None:
            around = (low, high)
            if root.base == place.base:  # the root lies in its own slot
                around = (min(low, root.offset), max(high, root.offset))
            self._hold(place, around, root.base)
            if place.upward:
                self._extend_upward(place, root.base)
        else:
            for base, judged in [key for key in self.slots if key[0] == place.base]:
                known = self.slots[base, judged]
                if known[0] - RED_ZONE <= low and high <= known[1] + RED_ZONE:
                    self._hold(place, (low, high), judged)
        self._add_checked(place.base, low, high)

    def _hold(self, place: Place, interval: Interval, root: str) -> None:
        known = self.slots.pop((place.base, root), interval)
        self.slots[place.base, root] = (min(interval[0], known[0]), max(interval[1], known[1]))

    def _extend_upward(self, place: Place, root: str) -> None:
        low, high = place.distance, place.distance + 1
        key = (place.upward, root)
        known = self.upward.pop(key, None)
        if known is not None and known[0] <= low < known[1] + RED_ZONE:
            low, high = known[0], max(high, known[1])
        self.upward[key] = (low, high)

    def _add_checked(self, base: str, low: int, high: int) -> None:
        known = self.checked.pop(base, ())
        if self.holes:
            known = ()
        slots = [interval for key, interval in self.slots.items() if key[0] == base]
        apart = []
        for other in known:
            if _one_block(other, (low, high), slots):
                low, high = min(low, other[0]), max(high, other[1])
            else:
                apart.append(other)
        self.checked[base] = (*apart[-_MOST_INTERVALS:], (low, high))

    def copy(self) -> Facts:
        return Facts(_newest(self.checked), _newest(self.slots), _newest(self.upward), self.holes)

    def meet(self, other: Facts) -> None:
        """Keeps the facts that `other` has, too."""
        self.checked = {
            base: both
            for base, known in self.checked.items()
            if (both := _common(known, other.checked.get(base, ())))
        }
        self.slots = _overlaps(self.slots, other.slots)
        self.upward = _overlaps(self.upward, other.upward)


def _one_block(one: Interval, other: Interval, slots: list[Interval]) -> bool:
    """Whether two checked intervals are in the same block."""
    low, high = min(one[0], other[0]), max(one[1], other[1])
    if max(one[0], other[0]) - min(one[1], other[1]) < RED_ZONE:
        return True
    return any(known[0] <= low and high <= known[1] for known in slots)


def _common(one: Intervals, other: Intervals) -> Intervals:
    """The intersection of both."""
    both = [(max(a, c), min(b, d)) for a, b in one for c, d in other]
    return tuple(dict.fromkeys((low, high) for low, high in both if low < high))[-_MOST_INTERVALS:]


def _overlaps(facts: Mapping[Judged, Interval], others: Mapping[Judged, Interval]) -> dict[Judged, Interval]:
    both = {
        key: (max(low, others[key][0]), min(high, others[key][1]))
        for key, (low, high) in facts.items()
        if key in others
    }
    return {key: (low, high) for key, (low, high) in both.items() if low < high}


def _newest(facts: dict[_Key, _Fact]) -> dict[_Key, _Fact]:
    return dict(facts) if len(facts) <= _MOST else dict(list(facts.items())[-_MOST:])


class Known(Protocol):
    """Facts at a place of a function: those that something may end, and others."""

    @property
    def can_end(self) -> bool: ...

    def forget(self) -> None: ...

    def copy(self) -> Self: ...

    def meet(self, other: Self) -> None: ...


_Known = TypeVar("_Known", bound=Known)


class Forward(Generic[_Known]):
    """A forward data-flow analysis of facts over the blocks of a function.

    ends: whether an instruction may end facts. fresh: makes no facts.
    """

    def __init__(
        self, function: ir.Function, ends: Callable[[ir.Instruction], bool], fresh: Callable[[], _Known]
    ) -> None:
        self._function = function
        self.order = reverse_postorder(function)
        self._ends = ends
        self._fresh = fresh
        self._at_end: dict[str, _Known] = {}
        self._ending: dict[str, bool] = {}

    def enter(self, block: ir.Block) -> _Known:
        """The facts at the block's begin.

        At the head of a loop the back edges are not analysed yet. The facts from
        outside of the loop stay valid if nothing in the loop can end them.
        """
        before = block.predecessors
        known = [self._at_end[p.ref] for p in before if p.ref in self._at_end]
        if not known:
            return self._fresh()
        facts = known[0].copy()
        back = [p for p in before if p.ref not in self._at_end]
        if back and facts.can_end and self._end_on_the_way(block, back):
            facts.forget()
        for other in known[1:]:
            facts.meet(other)
        return facts

    def leave(self, block: ir.Block, facts: _Known) -> None:
        self._at_end[block.ref] = facts

    def _end_on_the_way(self, head: ir.Block, back: list[ir.Block]) -> bool:
        """Whether facts may end between the head of a loop and its back edges."""
        seen, waiting = {head.ref}, [head, *back]
        while waiting:
            block = waiting.pop()
            if self._may_end(block):
                return True
            if block is not head:
                waiting += [p for p in block.predecessors if p.ref not in seen]
                seen.update(p.ref for p in block.predecessors)
        return False

    def may_end(self, blocks: Iterable[str]) -> bool:
        """Whether facts may end in one of the basic blocks with these labels."""
        return any(self._may_end(self._function.block(ref)) for ref in blocks)

    def _may_end(self, block: ir.Block) -> bool:
        found = self._ending.get(block.ref)
        if found is None:
            found = self._ending[block.ref] = any(map(self._ends, block.instructions))
        return found


class Flow(Forward[Facts]):
    """That of facts from checks, which frees of blocks end."""

    def __init__(self, function: ir.Function, keepers: Container[str], holes: bool = False) -> None:
        super().__init__(function, lambda each: may_free(each, keepers), lambda: Facts(holes=holes))


def reverse_postorder(function: ir.Function) -> list[ir.Block]:
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
