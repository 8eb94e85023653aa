"""The values of a twin that are alive at its points, and the slots of its frame that keep them.

The cost grows with the number of blocks times that of values, by a bit each.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from whence import ir
from whence.abi.layout import GRANULE
from whence.instrument.definedness.addresses import Addresses
from whence.instrument.definedness.names import locals_of
from whence.ir.datalayout import align_up


@dataclass(frozen=True)
class Slots:
    """Where values are kept, in words of two places: those that begin as 0, and all others.

    zeroed, words: how many words the places have.
    """

    empty: dict[str, int]
    zeroed: int
    of: dict[str, int]
    words: int

    def __contains__(self, name: str) -> bool:
        return name in self.of or name in self.empty


class _Flow:
    """A block's part in the equations of liveness; sets of values are bits of a number."""

    def __init__(self, block: ir.Block) -> None:
        self.block = block
        self.rows: list[tuple[ir.Instruction, int, int]] = []
        self.uses = 0
        self.defines = 0
        self.by_phis = 0
        self.entering = 0
        self.leaving = 0

    def read(self, numbers: dict[str, int], flows: dict[str, _Flow]) -> None:
        for each in self.block.instructions:
            bit = 1 << numbers[each.result] if each.result in numbers else 0
            uses = 0
            if isinstance(each, ir.Phi):
                for value, source in each.incoming:
                    if value in numbers:
                        flows[source].by_phis |= 1 << numbers[value]
            else:
                for name in locals_of(each.text):
                    if name in numbers and name != each.result:
                        uses |= 1 << numbers[name]
            self.rows.append((each, uses, bit))
            self.uses |= uses & ~self.defines
            self.defines |= bit


class Alive:
    """What is alive where in a function, apart from the addresses of its variables.

    number_of: tells the points, by their numbers. variables: their names.
    """

    def __init__(
        self,
        function: ir.Function,
        number_of: Callable[[ir.Instruction], int | None],
        variables: list[str],
    ) -> None:
        self._layout = function.module.layout
        self._types = {each.name: each.type for each in function.parameters if each.name}
        self.definitions = {each.result: each for each in function.instructions() if each.result is not None}
        self.addresses = Addresses(self.definitions, variables)
        self._listed = [name for name in (*self._types, *self.definitions) if name not in self.addresses]
        self._spans: dict[str, tuple[int, int]] = {}
        self._blocks = len(function.blocks)
        self.at_points: dict[int, list[str]] = {}
        for at, flow in enumerate(self._solved(function)):
            self._walk(at, flow, number_of)

    def _solved(self, function: ir.Function) -> list[_Flow]:
        numbers = {name: at for at, name in enumerate(self._listed)}
        flows = {block.ref: _Flow(block) for block in function.blocks}
        for flow in flows.values():
            flow.read(numbers, flows)
        successors = {ref: [flows[each.ref] for each in flow.block.successors] for ref, flow in flows.items()}
        before: dict[str, list[str]] = defaultdict(list)
        for ref, following in successors.items():
            for each in following:
                before[each.block.ref].append(ref)
        waiting = list(flows)
        queued = set(waiting)
        while waiting:
            ref = waiting.pop()
            queued.discard(ref)
            flow = flows[ref]
            flow.leaving = flow.by_phis
            for each in successors[ref]:
                flow.leaving |= each.entering
            entering = flow.uses | (flow.leaving & ~flow.defines)
            if entering != flow.entering:
                flow.entering = entering
                new = [each for each in before[ref] if each not in queued]
                queued.update(new)
                waiting += new
        return list(flows.values())

    def _walk(self, at: int, flow: _Flow, number_of: Callable[[ir.Instruction], int | None]) -> None:
        """Notes what is alive at the points of a block, and anywhere in it."""
        alive, seen = flow.leaving, flow.leaving | flow.entering
        for instruction, uses, bit in reversed(flow.rows):
            number = number_of(instruction)
            if number is not None:
                self.at_points[number] = self._names(alive)
                seen |= alive
            alive = (alive & ~bit) | uses
        for name in self._names(seen):
            self._spans[name] = (self._spans.get(name, (at, at))[0], at)

    def _names(self, bits: int) -> list[str]:
        digits = bin(bits)[:1:-1]
        found = []
        at = digits.find("1")
        while at >= 0:
            found.append(self._listed[at])
            at = digits.find("1", at + 1)
        return found

    def is_value(self, name: str) -> bool:
        """Whether a local name is that of a value, not of a block."""
        return name in self.definitions or name in self._types

    def type_of(self, name: str) -> str:
        """The type of a value."""
        if name not in self._types:
            self._types[name] = self.definitions[name].type
        return self._types[name]

    def words_of(self, name: str) -> int:
        """The words of a value in memory."""
        return self.words_of_type(self.type_of(name))

    def words_of_type(self, type_: str) -> int:
        """The words of a value of a type in memory."""
        return align_up(self._layout.size_of(type_), GRANULE) // GRANULE

    def span(self, name: str) -> tuple[int, int]:
        """The first and the last block in which a value's slot is its own."""
        return self._spans.get(name, (-1, self._blocks))

    def is_within(self, name: str, span: tuple[int, int]) -> bool:
        """Whether a value is alive in these blocks alone."""
        first, last = self._spans.get(name, span)
        return span[0] <= first and last <= span[1]

    def slots(self, names: set[str], shadows: set[str], kept: set[str]) -> Slots:
        """Slots for values; those that are alive in different blocks share one.

        shadows: the names of those that begin as 0. kept: those that need their slots where they are not
        alive, too.
        """
        for name in kept:
            self._spans[name] = (-1, self._blocks)
        empty, others = dict[str, int](), dict[str, int]()
        zeroed = self._place(names & shadows, empty)
        return Slots(empty, zeroed, others, self._place(names - shadows, others))

    def _place(self, names: set[str], found: dict[str, int]) -> int:
        """Finds slots, and returns how many words they take."""
        begin = 0
        free: dict[int, list[tuple[int, int]]] = defaultdict(list)
        everywhere = (-1, self._blocks)
        for (first, last), name in sorted((self._spans.get(each, everywhere), each) for each in names):
            words = self.words_of(name)
            used = free[words]
            if used and used[0][0] < first:
                found[name] = heapq.heappop(used)[1]
            else:
                found[name] = begin
                begin += words
            heapq.heappush(used, (last, found[name]))
        return begin
