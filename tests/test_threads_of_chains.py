"""Threads of chains and stacks, where the second run may go another way than the first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.harness.findings import changed, made

from whence.abi.hops import HopKind
from whence.engines.result import Result
from whence.engines.second_runs import matched
from whence.findings import (
    Access,
    AccessKind,
    Block,
    BlockKind,
    BlockState,
    Event,
    Finding,
    Point,
    RuleInfo,
    RunInfo,
    Value,
)
from whence.findings.chains import Chain, Hop

BLOCK = Block(7, 0x1000, 20, BlockState.FREED, allocated=Event(1, 0), freed=Event(2, 1))
FINDING = made(
    RuleInfo("heap-use-after-free", "access to a freed block"),
    Point.DEREF_R,
    Access(AccessKind.READ, 0x1000, 4),
    block=BLOCK,
    time=9,
)
CHAIN = Chain("r", 0x1000, (Hop(HopKind.ALLOCATION, "malloc"),))


def result(*findings: Finding) -> Result:
    return Result(findings, RunInfo("prog"), None, None)


def again(allocated: int, freed: int, *chains: Chain) -> Finding:
    """The finding of a second run, with the threads that came to its block."""
    block = replace(BLOCK, allocated=Event(1, allocated), freed=Event(2, freed))
    return changed(FINDING, block=block, chains=chains)


@pytest.mark.parametrize(
    ("second", "notes"),
    [
        (again(0, 1, CHAIN), ()),
        (
            again(0, 3, CHAIN),
            (
                "thread 3, not thread 1, freed the block of heap-use-after-free in the second run, which its "
                "chains are of",
            ),
        ),
        (
            again(2, 1, CHAIN),
            (
                "thread 2, not the main thread, allocated the block of heap-use-after-free in the second "
                "run, which its chains are of",
            ),
        ),
        (again(2, 3), ()),
    ],
    ids=["same", "freed", "allocated", "no chains"],
)
def test_a_note_says_that_other_threads_came_to_a_block(second: Finding, notes: tuple[str, ...]) -> None:
    found, missed = matched(result(FINDING), result(second))
    assert not missed
    assert found.findings[0].chains == second.chains
    assert found.run.notes == notes


def local(begin: int, *chains: Chain) -> Finding:
    """A finding about a variable of the stack, of which the rule traces `r`."""
    block = Block(7, begin, 20, BlockState.FREED, kind=BlockKind.STACK)
    values = (Value("r", begin + 4), Value("n", 3))
    access = Access(AccessKind.READ, begin + 4, 4)
    return changed(FINDING, block=block, access=access, values=values, chains=chains)


@pytest.mark.parametrize(
    ("chain", "value"),
    [
        (Chain("r", 0x2004), 0x1004),
        (Chain("r1", 0x2008), 0x1008),
        (Chain("r1", 0x2014), 0x1014),
        (Chain("r1", 0x2015), 0x2015),
        (Chain("n", 3, is_number=True), 3),
        (Chain("the index of r", 0x2004, is_number=True), 0x2004),
        (Chain("r", None), None),
    ],
)
def test_addresses_of_the_stack_are_those_of_the_first_run(chain: Chain, value: int | None) -> None:
    found, missed = matched(result(local(0x1000)), result(local(0x2000, chain)))
    assert not missed
    assert found.findings[0].chains == (replace(chain, value=value),)
