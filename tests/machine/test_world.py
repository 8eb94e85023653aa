"""States as rules see them: the indexed world gives what a plain one of the same state gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from tests.harness.examples import examples
from tests.machine.strategies import programs

from whence.machine import State, parse_program, parse_state, run, steps
from whence.machine.probes import probes
from whence.machine.syntax import Program
from whence.machine.world import OF_GLOBAL, OF_STACK, Elements, MachineWorld, redex_of, world_of
from whence.rules import load_standard, load_texts
from whence.rules import model as m
from whence.rules.evaluate import witnesses
from whence.rules.vocabulary import EVENTS
from whence.rules.world import Event, World

MORE = b"""
rule written "a block that was written to is freed"
    at free r
    when FindLast(k, write, r, v, origin) and k < Now
    trace v, origin
rule young "a block is read that was allocated after the last call"
    at deref_r r
    when Allocated(r) and FindLast(k, call, f0, _) and k < Time(Bid(r))
rule others "some other block was freed before this one is"
    at free r
    when exists (_, free, r1, other) in trace : other != Bid(r)
    trace r
rule sized "a block of 8 bytes, whichever, was allocated"
    at ret f0 v
    when (exists (k, malloc, 8, b) in trace : exists b2 in H : b2 == b) and not (exists _ in F)
    trace v
"""
RULES = load_texts([("more.rules", MORE)], load_standard()).select(["all"])


@dataclass(frozen=True)
class Listed(World):
    """A world whose events do not name all blocks: stack blocks and globals have no malloc event."""

    other_sizes: Mapping[int, int] = field(default_factory=dict)
    other_times: Mapping[int, int] = field(default_factory=dict)
    ended: frozenset[int] = frozenset()

    @property
    def sizes(self) -> dict[int, int]:
        return {**super().sizes, **self.other_sizes}

    @property
    def times(self) -> dict[int, int]:
        return {**super().times, **self.other_times}

    @property
    def freed(self) -> set[int]:
        return super().freed | self.ended

    @property
    def live(self) -> set[int]:
        return super().live - self.other_sizes.keys()


def plain(state: State, world: MachineWorld) -> World:
    """All that can be listed, listed."""
    found = ((kind, fields) for kind in EVENTS for fields in Elements().of(kind, state, None))
    listed = [Event(int(fields[0]), kind, fields[1:]) for kind, fields in found]

    def pointers(domain: str) -> frozenset[tuple[int, int, int]]:
        anything = m.PointerPattern(m.Wildcard(), m.Wildcard(), m.Wildcard())
        return frozenset(world.elements(anything, domain))  # type: ignore[arg-type]

    others = [bid.number + OF_STACK for bid in state.stack_blocks]
    others += [bid.number + OF_GLOBAL for bid in state.globals]
    freed = world.elements(m.Wildcard(), "F")
    ended = {int(number) for (number,) in freed if int(number) >= OF_GLOBAL}
    others += ended
    return Listed(
        ended=frozenset(ended),
        other_sizes={number: world.sizes[number] for number in others},
        other_times={number: world.times[number] for number in others},
        trace=tuple(sorted(listed, key=lambda event: event.time)),
        begins={**world.begins, **{number: world.begins[number] for number in others}},
        pointers=pointers("P"),
        lost=pointers("L"),
        find=world.find,
        load=world.load,
        families=dict(world.families),
        kind=world.kind,
    )


@pytest.mark.long
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(programs())
def test_the_index_changes_nothing(program: Program) -> None:
    cache = Elements()
    for step in steps(program, RULES.select(disable=["all"]), limit=60):
        world = world_of(step.before, cache)
        for probe in probes(step.before):
            redex = redex_of(step.before, probe)
            for rule in RULES.rules:
                if probe.code not in rule.point.info.codes:
                    continue
                expected = witnesses(rule, RULES, plain(step.before, world), redex)
                found = witnesses(rule, RULES, world, redex)
                assert (found, [each.sources for each in found]) == (
                    expected,
                    [each.sources for each in expected],
                )


def test_rules_of_ones_own_run_on_the_machine() -> None:
    text = """
global g[8]
fun f0() = let p = malloc(8) in g := p; p := 5; 1
fun main() = f0(); let q = malloc(1) in free(q); free(*g)
"""
    outcome = run(parse_program(text), RULES)
    assert [verdict.rule.name for verdict in outcome.verdicts] == ["sized", "written", "others"]
    sized, written, _ = outcome.verdicts
    assert sized.values[0].number == 1
    value, origin = written.values
    assert (value.number, [link.kind for link in value.links]) == (5, ["written"])
    assert origin.number == 0


def test_kinds_and_values_of_addresses() -> None:
    state = parse_state(
        """
global g[16] = 1
fun f() = 0
state {
  heap 1H: size 8, holds [0: word -2] 2H: size 8, closed [0 to 0] 3H: size 8
  freed 4H: size 8
  frame 1S: size 8, holds [0: &1H+4]
  expression 0
}
"""
    )
    world = world_of(state)
    begin = {bid: state.block(bid).begin for bid in [*state.heap, *state.freed, *state.stack_blocks]}  # type: ignore[union-attr]
    by_name = {str(bid): address for bid, address in begin.items()}
    kinds = {name: world.kind(address) for name, address in by_name.items()}
    assert kinds == {"1H": 1, "2H": 1, "3H": 1, "4H": 1, "1S": 2}
    assert world.kind(1 << 60) == 3
    assert world.kind(4 << 60) == 3
    assert world.kind(0) == 0
    assert world.load(by_name["1H"], 8) == (1 << 64) - 2
    assert world.load(by_name["1H"] + 4, 4) == (1 << 32) - 1
    assert world.load(by_name["1H"] + 4, 8) is None
    assert world.load(by_name["2H"], 1) is None
    assert world.load(by_name["2H"] + 1, 1) == 0
    assert world.load(by_name["4H"], 1) is None
    assert world.load(by_name["1S"], 8) == by_name["1H"] + 4
    assert [world.find(by_name[name]) for name in ("1H", "4H", "1S")] == [1, 4, None]
