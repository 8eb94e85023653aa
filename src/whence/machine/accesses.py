"""The reduction rules of accesses: [READ] and [ASSIGN] of figure 8, and those of library functions."""

from __future__ import annotations

from whence.machine.memory import Block, decode, encode
from whence.machine.next_state import ZERO, Outcome, literal, next_value
from whence.machine.state import CopyEvent, State, Target, WriteEvent
from whence.machine.syntax import Assign, Copy, Literal, Poison, Read, Use
from whence.machine.values import (
    NULL_BLOCK,
    NULL_PAGE,
    BlockId,
    FromMemory,
    Gen,
    Int,
    Pointer,
    unsigned,
    wrap,
)


def access(state: State, pointer: Literal, width: int) -> Target | None:
    """The target of an access if all its bytes lie in one live block and none is closed, else None.

    The target of a pointer that was derived from NULL is the block at its address.
    """
    target = state.where(pointer.value)
    if target.address < NULL_PAGE:
        return None
    if is_null_derived(pointer):
        target = state.where(Int(wrap(target.address)))
    block = None if target.block is None else state.live(target.block)
    if block is None or not block.holds(target.index, width) or block.closed_bytes(target.index, width):
        return None
    return target


def unwritten_bytes(state: State, pointer: Literal, width: int) -> int:
    """How many of the bytes of an access are junk; 0 where it is not possible."""
    target = access(state, pointer, width)
    if target is None:
        return 0
    _, block = _at(state, target)
    return sum(block.byte(target.index + at) is None for at in range(width))


def is_null_derived(pointer: Literal) -> bool:
    return isinstance(pointer.value, Pointer) and pointer.value.block == NULL_BLOCK


def _at(state: State, target: Target) -> tuple[BlockId, Block]:
    assert target.block is not None
    block = state.live(target.block)
    assert block is not None
    return target.block, block


def read(state: State, redex: Read) -> Outcome:
    """[READ]: the value of the bytes; that of junk is undefined."""
    pointer = literal(redex.pointer)
    target = access(state, pointer, redex.width)
    if target is None:
        return None
    bid, block = _at(state, target)
    found = tuple(block.byte(target.index + at) for at in range(redex.width))
    value = decode(found, state.number)
    origin = FromMemory(Pointer(bid, target.index), redex.width, state.time, redex.place)
    return "READ", next_value(state, Literal(value, origin, place=redex.place))


def assign(state: State, redex: Assign) -> Outcome:
    """[ASSIGN]: writes the bytes of the value."""
    pointer, value = literal(redex.pointer), literal(redex.value)
    target = access(state, pointer, redex.width)
    if target is None:
        return None
    bid, block = _at(state, target)
    located = Literal(Pointer(bid, target.index), pointer.origin)
    event = WriteEvent(located, value, redex.width, time=state.time, place=redex.place)
    written = block.with_bytes(target.index, encode(value.value, redex.width, state.number))
    return "ASSIGN", next_value(state.with_block(bid, written), value, trace=state.trace.add(event))


def copy(state: State, redex: Copy) -> Outcome:
    """[COPY]: copies bytes, junk included; memcpy forbids an overlap."""
    to, source, count = literal(redex.to), literal(redex.source), literal(redex.count)
    size = unsigned(state.number(count.value))
    if size == 0:
        return "COPY", next_value(state, to)
    into, from_ = access(state, to, size), access(state, source, size)
    if into is None or from_ is None or (redex.function == "memcpy" and overlap(into, from_, size)):
        return None
    bid, block = _at(state, into)
    origin_bid, origin = _at(state, from_)
    event = CopyEvent(
        Literal(Pointer(bid, into.index), to.origin),
        Literal(Pointer(origin_bid, from_.index), source.origin),
        size,
        time=state.time,
        place=redex.place,
    )
    written = block.with_copy(into.index, origin, from_.index, size)
    return "COPY", next_value(state.with_block(bid, written), to, trace=state.trace.add(event))


def overlap(to: Target, source: Target, size: int) -> bool:
    """Whether two ranges of addresses have bytes in common; copying a range onto itself is no overlap."""
    distance = abs(to.address - source.address)
    return 0 < distance < size


def use(state: State, redex: Use) -> Outcome:
    """[USE]: the pointer must not be NULL."""
    pointer = literal(redex.pointer)
    if unsigned(state.number(pointer.value)) == 0:
        return None
    return "USE", next_value(state, pointer)


def poison(state: State, redex: Poison) -> Outcome:
    """[POISON], [UNPOISON]: closes or opens bytes; has no effect on bytes outside of a live block."""
    target = state.where(literal(redex.pointer).value)
    block = None if target.block is None else state.live(target.block)
    if block is not None and target.block is not None:
        size = unsigned(state.number(literal(redex.count).value))
        closed = block.with_closed(target.index, size, redex.function == "poison")
        state = state.with_block(target.block, closed)
    done = Literal(ZERO, Gen(state.time, redex.place), place=redex.place)
    return redex.function.upper(), next_value(state, done)
