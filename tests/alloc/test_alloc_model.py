"""The allocator against a model of its bins, its placement and its quarantine."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import pairwise

import pytest
from alloc_model import Model
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, rule
from tests.harness.examples import examples

from whence.alloc import Access, Allocator, BadAddress, Config, Kind, Region, Status, compact, spread

pytestmark = pytest.mark.long

HEAP = {Region.HEAP: 1 << 36}
SIZES = st.one_of(st.integers(0, 300), st.integers(0, 5000), st.sampled_from([2048, 2049, 65536, 1 << 24]))


def config(quarantine: int) -> Config:
    return spread(begins={Region.HEAP: 1 << 45}, sizes=HEAP, quarantine=quarantine, access=Access.UNMAPPED)


@dataclass
class Pair:
    """An allocator and what was asked of it, which is enough to make another one like it."""

    allocator: Allocator
    model: Model
    history: list[tuple[str, int, int]]


class Allocators(RuleBasedStateMachine):
    """Several states of one space; each must do what its own model does."""

    pairs = Bundle("pairs")

    @initialize(target=pairs, quarantine=st.sampled_from([-1, 0, 1, 3, 8]))
    def begin(self, quarantine: int) -> Pair:
        self.config = config(quarantine)
        self.all: list[Pair] = []
        return self._keep(Pair(Allocator(self.config), Model(self.config), []))

    def _keep(self, pair: Pair) -> Pair:
        self.all.append(pair)
        return pair

    @rule(pair=pairs, size=SIZES, alignment=st.integers(0, 14).map(lambda bits: 1 << bits))
    def allocate(self, pair: Pair, size: int, alignment: int) -> None:
        pair.history.append(("allocate", size, alignment))
        begin = pair.allocator.allocate(size, alignment)
        assert begin == pair.model.allocate(size, alignment)
        assert begin % alignment == 0

    @rule(pair=pairs, data=st.data())
    def free(self, pair: Pair, data: st.DataObject) -> None:
        if not pair.model.live:
            return
        begin = data.draw(st.sampled_from(sorted(pair.model.live)))
        size = pair.model.live[begin]
        pair.history.append(("free", begin, 0))
        pair.allocator.free(begin)
        pair.model.free(begin)
        at = pair.allocator.locate(begin)
        assert at.kind is not Kind.LIVE
        with pytest.raises(BadAddress):
            pair.allocator.free(begin)
        if at.kind is Kind.QUARANTINED:
            assert (at.begin, at.size) in ((begin, size), (begin, 0))

    @rule(target=pairs, pair=pairs)
    def clone(self, pair: Pair) -> Pair:
        copy = Pair(pair.allocator.clone(), Model(self.config), [])
        for step in pair.history:
            self._repeat(copy, step)
        return self._keep(copy)

    @staticmethod
    def _repeat(pair: Pair, step: tuple[str, int, int]) -> None:
        """In the model alone."""
        name, first, second = step
        if name == "allocate":
            pair.model.allocate(first, second)
        else:
            pair.model.free(first)
        pair.history.append(step)

    @rule(target=pairs, pair=consumes(pairs))
    def go_on_in_a_clone(self, pair: Pair) -> Pair:
        copy = Pair(pair.allocator.clone(), pair.model, pair.history)
        self.all.remove(pair)
        pair.allocator.close()
        return self._keep(copy)

    @rule(pair=pairs)
    def run_again(self, pair: Pair) -> None:
        """A fresh allocator answers the same requests with the same addresses."""
        again = Allocator(pair.allocator.space)
        for name, first, second in pair.history:
            if name == "allocate":
                again.allocate(first, second)
            else:
                again.free(first)
        assert [b.begin for b in again.blocks()] == [b.begin for b in pair.allocator.blocks()]

    @rule(pair=pairs, where=st.integers(-40, 40), data=st.data())
    def locate(self, pair: Pair, where: int, data: st.DataObject) -> None:
        if not pair.model.live:
            return
        begin = data.draw(st.sampled_from(sorted(pair.model.live)))
        at = pair.allocator.locate(begin + where)
        inside = 0 <= where < pair.model.live[begin]
        assert at.inside == inside
        if inside:
            assert (at.kind, at.begin, at.size) == (Kind.LIVE, begin, pair.model.live[begin])

    @invariant()
    def blocks_are_apart(self) -> None:
        for pair in getattr(self, "all", []):
            live = sorted((b.begin, b.size) for b in pair.allocator.blocks())
            assert live == sorted(pair.model.live.items())
            for (begin, size), (following, _) in pairwise(live):
                assert begin + size + self.config.red_zone <= following


TestAllocators = Allocators.TestCase
TestAllocators.settings = settings(max_examples=examples(60), stateful_step_count=40)


@pytest.mark.parametrize("quarantine", [-1, 0, 8, 1000])
def test_a_quarter_of_a_million_operations(quarantine: int) -> None:
    """Seeded, in two states that part in the middle."""
    chance = random.Random(quarantine)
    allocator, model = Allocator(config(quarantine)), Model(config(quarantine))
    live: list[int] = []

    def work(operations: int) -> None:
        for _ in range(operations):
            if live and chance.random() < 0.49:
                at = chance.randrange(len(live))
                live[at], live[-1] = live[-1], live[at]
                begin = live.pop()
                allocator.free(begin)
                model.free(begin)
            else:
                size = chance.randrange(2049) if chance.random() < 0.999 else chance.randrange(100000)
                begin = allocator.allocate(size, 1)
                assert begin == model.allocate(size, 1)
                live.append(begin)

    work(125_000)
    clone, before = allocator.clone(), [block.begin for block in allocator.blocks()]
    work(125_000)
    assert [block.begin for block in clone.blocks()] == before
    assert {block.begin: block.size for block in allocator.blocks()} == model.live
    assert sum(each.live for each in allocator.statistics()) == len(live)
    ordered = sorted(model.live.items())
    for (begin, size), (following, _) in pairwise(ordered):
        assert begin + size + 16 <= following


@pytest.mark.parametrize("quarantine", [-1, 0, 8])
def test_the_compact_layout_keeps_its_promises(quarantine: int) -> None:
    chance = random.Random(quarantine)
    first, second = (Allocator(compact(quarantine=quarantine)) for _ in range(2))
    live: dict[int, int] = {}
    freed: set[int] = set()
    for _ in range(20_000):
        if live and chance.random() < 0.45:
            begin = chance.choice(list(live)[:50])
            del live[begin]
            freed.add(begin)
            first.free(begin)
            second.free(begin)
            assert first.locate(begin).kind is not Kind.LIVE
        else:
            size, alignment = int(2 ** chance.uniform(0, 20)), 1 << chance.randrange(13)
            begin = first.allocate(size, alignment)
            assert begin == second.allocate(size, alignment)
            assert begin % max(alignment, 16) == 0
            assert quarantine >= 0 or begin not in freed
            live[begin] = size
    ordered = sorted(live.items())
    for (begin, size), (following, _) in pairwise(ordered):
        assert begin + size + 16 <= following
    for begin, size in ordered[:200]:
        at = first.locate(begin + size - 1) if size else first.locate(begin)
        assert (at.kind, at.begin, at.size) == (Kind.LIVE, begin, size)
        with pytest.raises(BadAddress) as refused:
            first.free(begin + 1)
        assert refused.value.status in (Status.NOT_BEGIN, Status.NOT_A_BLOCK)
