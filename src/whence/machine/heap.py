"""The reduction rules of the heap: [MALLOC] and [FREE] of figure 8, and those of NULL."""

from __future__ import annotations

from whence.machine.memory import Block, whole
from whence.machine.next_state import ZERO, Outcome, dead, literal, next_state, next_value
from whence.machine.state import FreeEvent, MallocEvent, State
from whence.machine.syntax import ALLOCATORS, Alloc, Allocator, Free, Literal, Request
from whence.machine.values import (
    HEAP,
    MAX_BLOCK,
    MAX_BLOCKS,
    SPREAD,
    BlockId,
    Gen,
    Pointer,
    begin_of,
    unsigned,
)


def request_of(state: State, redex: Alloc) -> Request:
    """The request of an allocation whose arguments are values."""
    given = (unsigned(state.number(literal(argument).value)) for argument in redex.arguments)
    return ALLOCATORS[redex.function].request(tuple(given))


def alloc(state: State, redex: Alloc) -> Outcome:
    """[MALLOC]: a new heap block; NULL for a request that cannot be granted."""
    allocator, request = ALLOCATORS[redex.function], request_of(state, redex)
    size = request.count * request.size
    if size > MAX_BLOCK or state.fresh_heap > MAX_BLOCKS or not _can_align(allocator, request):
        return "MALLOC-NULL", next_value(
            state, Literal(ZERO, Gen(state.time, redex.place), place=redex.place)
        )
    bid = BlockId(HEAP, state.fresh_heap)
    pointer = Pointer(bid)
    zeroed = whole(size) if allocator.zeroed else ()
    align = request.align if allocator.keeps_align else 0
    block = Block(size, begin_of(bid), state.time, allocator.family, zeroed=zeroed, align=align)
    return "MALLOC", next_value(
        state,
        Literal(pointer, Gen(state.time, redex.place), place=redex.place),
        heap=state.heap.insert(bid, block),
        pointers=state.pointers.insert(pointer),
        trace=state.trace.add(MallocEvent(size, bid, time=state.time, place=redex.place)),
        fresh_heap=bid.number + 1,
    )


def _can_align(allocator: Allocator, request: Request) -> bool:
    """Whether the allocator accepts the alignment: memalign rounds it up, posix_memalign may refuse it."""
    if request.align > SPREAD:
        return False
    return allocator.rounds or (power_of_two(request.align) and request.align >= request.least)


def power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def free(state: State, redex: Free) -> Outcome:
    """[FREE]: the pointer must be the begin of a live heap block; a free of NULL has no effect."""
    pointer = literal(redex.pointer)
    target = state.where(pointer.value)
    done = Literal(ZERO, Gen(state.time, redex.place), place=redex.place)
    if target.address == 0:
        return "FREE-NULL", next_value(state, done)
    block = None if target.block is None else state.heap.get(target.block)
    if block is None or target.block is None or target.index != 0:
        return None
    located = Literal(Pointer(target.block), pointer.origin)
    return "FREE", next_state(
        state,
        done,
        heap=state.heap.remove(target.block),
        freed=state.freed.insert(target.block, dead(block)),
        trace=state.trace.add(FreeEvent(located, target.block, time=state.time, place=redex.place)),
    )
