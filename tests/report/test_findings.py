"""Findings as data: relations, states, keys, de-duplication."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import BEGIN, DANGLING, DOUBLE_FREE, LEAK, LIBRARY, LIVE, OVERFLOW, SAMPLES, write
from tests.harness.findings import changed

from whence.findings import (
    Block,
    Event,
    Finding,
    Frame,
    Leak,
    LeakKind,
    Relation,
    States,
    Value,
    Where,
)
from whence.findings.deduplication import deduplicate


@pytest.mark.parametrize(
    ("offset", "size", "expected"),
    [
        (-1, 1, Relation(Where.BEFORE, 1)),
        (0, 20, Relation(Where.INSIDE, 0, 0)),
        (0, 21, Relation(Where.INSIDE, 0, 1)),
        (19, 4, Relation(Where.INSIDE, 19, 3)),
        (20, 1, Relation(Where.AFTER, 0)),
        (25, 0, Relation(Where.AFTER, 5)),
    ],
)
def test_relation(offset: int, size: int, expected: Relation) -> None:
    assert LIVE.relation(BEGIN + offset, size) == expected


def test_relation_to_an_empty_block() -> None:
    assert Block(1, BEGIN, 0).relation(BEGIN, 1) == Relation(Where.AFTER, 0)


@given(st.integers(0, 100), st.integers(0, 50))
def test_relation_agrees_with_the_addresses(address: int, size: int) -> None:
    block = Block(1, 40, 20)
    relation = block.relation(address, size)
    back = {Where.BEFORE: 40 - relation.distance, Where.INSIDE: 40 + relation.distance}
    assert back.get(relation.where, 60 + relation.distance) == address
    assert (relation.where is Where.INSIDE) == (40 <= address < 60)


def test_states() -> None:
    states = States(0x1000, bytes([0x00, 0x03, 0xFA, 0x40, 0x41]))
    good = [states.addressable(0x1000 + i) for i in range(-1, 41)]
    assert good == [None, *[True] * 8, *[True] * 3, *[False] * 5, *[False] * 8, *[True] * 16, None]


def moved(frame: Frame) -> Frame:
    """The same place after other code, files and addresses have changed."""
    file = frame.file and f"/other/{frame.file.rsplit('/', 1)[-1]}"
    return replace(frame, pc=frame.pc + 99, line=frame.line + 7, column=1, offset=5, file=file)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_key_holds_no_address_value_offset_or_line(name: str) -> None:
    finding = SAMPLES[name]
    block = finding.block
    if block and block.allocated:
        allocated = Event(99, 4, tuple(map(moved, block.allocated.stack)))
        block = replace(block, id=3, begin=block.begin + 4096, allocated=allocated)
    other = changed(
        finding,
        access=replace(finding.access, address=finding.access.address + 64),
        stack=tuple(map(moved, finding.stack)),
        block=block,
        values=(Value("r", 1),),
        pid=1,
        time=2,
        thread=3,
        states=None,
    )
    assert other.key == finding.key
    assert len(finding.key) == 16


def test_keys_tell_bugs_apart() -> None:
    different: list[Finding] = [OVERFLOW, DANGLING, DOUBLE_FREE, LIBRARY, LEAK]
    different.append(changed(LIBRARY, library_function="memmove"))
    different.append(changed(DANGLING, stack=DANGLING.stack[1:]))
    assert len({finding.key for finding in different}) == len(different)


def test_keys_do_not_have_the_names_of_instrumented_images() -> None:
    """A frame without a source has that of its library, but an image is named by its contents."""

    def leak(module: str) -> str:
        stack = (Frame(1, function="make", file="/src/a.c"), Frame(2, module, 8, "_start"))
        return changed(LEAK, block=replace(LIVE, allocated=Event(1, 0, stack))).key

    assert leak("/cache/images/" + 64 * "a") == leak("/cache/images/" + 32 * "1f")
    assert leak("/lib/libone.so") != leak("/lib/libother.so")


def test_keys_of_leaks_are_those_of_their_allocation() -> None:
    assert changed(LEAK, stack=()).key == LEAK.key
    elsewhere = replace(LIVE, allocated=Event(1, 0, (Frame(1, function="other"),)))
    assert changed(LEAK, block=elsewhere).key != LEAK.key


def test_deduplicate_keeps_the_first_and_counts() -> None:
    again = changed(OVERFLOW, access=write(BEGIN + 28, 4), time=50)
    assert deduplicate([OVERFLOW, DANGLING, again, again]) == [changed(OVERFLOW, occurrences=3), DANGLING]


def test_deduplicate_counts_what_a_twin_repeats_once() -> None:
    """In each process: some may have come to the place in the twin alone."""
    again, other = changed(OVERFLOW, twins=1), changed(OVERFLOW, twins=1, pid=OVERFLOW.pid + 1)
    assert deduplicate([OVERFLOW, again, other, OVERFLOW]) == [changed(OVERFLOW, occurrences=3)]


def test_the_blocks_of_one_allocation_are_one_leak() -> None:
    """In whatever parts it comes: lost directly and by others, or from two programs of one run."""
    assert LEAK.leak is not None
    owned = changed(LEAK, leak=replace(LEAK.leak, kind=LeakKind.INDIRECT), pid=LEAK.pid + 1)
    (leak,) = deduplicate([LEAK, owned])
    assert leak.occurrences == 1 and leak.leak is not None
    assert leak.leak.count == 2 * LEAK.leak.count and leak.leak.kind is LeakKind.DEFINITE


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (1, 2, 0)])
def test_blocks_that_forks_inherit_are_counted_once(order: tuple[int, ...]) -> None:
    """A parent that lost two blocks, and two children that lost one more each."""
    parent, child = Leak(2, 200, 1, 90), Leak(3, 250, 1, 90, inherited=(2, 200, 1, 90))
    leaks = [(parent, child, child)[at] for at in order]
    (found,) = deduplicate([changed(LEAK, leak=leak) for leak in leaks])
    assert found.leak == Leak(4, 300, 1, 90)
    (found,) = deduplicate([changed(LEAK, leak=leak) for leak in (child, child)])
    assert found.leak == Leak(4, 300, 1, 90, inherited=(2, 200, 1, 90))


def test_deduplicate_adds_leaks_up() -> None:
    (leak,) = deduplicate([LEAK, changed(LEAK, leak=Leak(2, 40, 1, 20))])
    assert leak.leak == Leak(5, 3112, 2, 1044)
