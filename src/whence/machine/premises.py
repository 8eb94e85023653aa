"""The premises of the error rules.

A premise is evaluated on a state and one detection point of its redex. It returns the
blocks that it holds for: none if it does not hold, `NO_BLOCK` if it concerns no block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from whence.abi.points import MAX_SIZE
from whence.abi.records import FAMILIES
from whence.machine.accesses import access, is_null_derived, overlap
from whence.machine.heap import power_of_two
from whence.machine.liveness import live_and_lost
from whence.machine.probes import Probe
from whence.machine.state import State
from whence.machine.syntax import MAIN, Apply, Literal, Read
from whence.machine.values import GLOBAL, HEAP, NULL_PAGE, STACK, BlockId, Function, Pointer

Found = Iterable[BlockId | None]
NO_BLOCK: tuple[BlockId | None, ...] = (None,)
Premise = Callable[[State, Probe], Found]

# ---- accesses ----


def null(state: State, probe: Probe) -> Found:
    """r is NULL, or was derived from it and points to nothing."""
    (pointer,) = probe.operands
    if state.where(pointer.value).address < NULL_PAGE:
        return NO_BLOCK
    return NO_BLOCK if is_null_derived(pointer) and access(state, pointer, 1) is None else ()


def dangling(state: State, probe: Probe) -> Found:
    bid = _derived(state, probe)
    return (bid,) if bid is not None and bid.kind == HEAP and bid in state.freed else ()


def dead_stack(state: State, probe: Probe) -> Found:
    bid = _derived(state, probe)
    return (bid,) if bid is not None and bid.kind == STACK and bid in state.freed else ()


def outside(kind: str) -> Premise:
    def premise(state: State, probe: Probe) -> Found:
        bid = _derived(state, probe)
        if bid is None or bid.kind != kind:
            return ()
        block, index = state.live(bid), state.where(probe.operands[0].value).index
        return () if block is None or block.holds(index, probe.width) else (bid,)

    return premise


def poisoned(state: State, probe: Probe) -> Found:
    bid = _derived(state, probe)
    block = None if bid is None else state.live(bid)
    index = state.where(probe.operands[0].value).index
    if block is None or not block.holds(index, probe.width):
        return ()
    return (bid,) if block.closed_bytes(index, probe.width) else ()


def wild(state: State, probe: Probe) -> Found:
    """r lies in the memory of the heap, where no block is."""
    return NO_BLOCK if _has_no_block(state, probe) and _in_free_heap(state, probe) else ()


def stray(state: State, probe: Probe) -> Found:
    """r has no block, what it points to is not all there, and it is no wild pointer into the heap."""
    return NO_BLOCK if _has_no_block(state, probe) and not _in_free_heap(state, probe) else ()


def _has_no_block(state: State, probe: Probe) -> bool:
    (pointer,) = probe.operands
    if null(state, probe) or state.where(pointer.value).block is not None:
        return False
    return access(state, pointer, probe.width) is None


def _in_free_heap(state: State, probe: Probe) -> bool:
    """Of a pointer without a block, that no access is possible: one from null may lead to a block."""
    (pointer,) = probe.operands
    return state.kind_at(state.where(pointer.value).address) == HEAP and not is_null_derived(pointer)


def uninitialized(state: State, probe: Probe) -> Found:
    """Value(r) = junk: some byte of it. Copies may carry junk."""
    target = access(state, probe.operands[0], probe.width)
    if not isinstance(state.focus, Read) or target is None:
        return ()
    assert target.block is not None
    block = state.live(target.block)
    assert block is not None
    junk = any(block.byte(target.index + at) is None for at in range(probe.width))
    return (target.block,) if junk else ()


def _derived(state: State, probe: Probe) -> BlockId | None:
    """Bid(r) of a pointer that is not null."""
    target = state.where(probe.operands[0].value)
    return None if target.address < NULL_PAGE else target.block


# ---- frees ----


def of_kind(kind: str) -> Premise:
    def premise(state: State, probe: Probe) -> Found:
        address = state.where(probe.operands[0].value).address
        if state.kind_at(address) != kind:
            return ()
        return (state.owner(address),)

    return premise


def _heap_free(state: State, probe: Probe) -> tuple[BlockId | None, int] | None:
    """Bid(r), if a heap block, and Idx(r); None where r points into the stack or a global."""
    target = state.where(probe.operands[0].value)
    if state.kind_at(target.address) in (STACK, GLOBAL):
        return None
    bid = target.block if target.block is not None and target.block.kind == HEAP else None
    return bid, target.index


def inside(state: State, probe: Probe) -> Found:
    found = _heap_free(state, probe)
    block = state.block(found[0]) if found is not None and found[0] is not None else None
    return (found[0],) if found is not None and block is not None and 0 < found[1] <= block.size else ()


def unmatched(state: State, probe: Probe) -> Found:
    """bid is in neither Dom(H) nor Dom(F), or r is not Begin(r), and it is none of the above."""
    found = _heap_free(state, probe)
    if found is None or (found[0] is not None and found[1] == 0) or inside(state, probe):
        return ()
    return (found[0],)


def double(state: State, probe: Probe) -> Found:
    bid = _begin(state, probe)
    return (bid,) if bid is not None and bid in state.freed else ()


def mismatched(state: State, probe: Probe) -> Found:
    bid = _begin(state, probe)
    block = None if bid is None else state.heap.get(bid)
    return (bid,) if block is not None and block.family != probe.family else ()


def mismatched_size(state: State, probe: Probe) -> Found:
    bid = _matched(state, probe)
    wrong = bid is not None and probe.given_size not in (None, state.heap[bid].size)
    return (bid,) if wrong else ()


def mismatched_alignment(state: State, probe: Probe) -> Found:
    """... and not the size, too."""
    bid = _matched(state, probe)
    wrong = bid is not None and probe.given_align != state.heap[bid].align
    return (bid,) if wrong and not mismatched_size(state, probe) else ()


def _matched(state: State, probe: Probe) -> BlockId | None:
    """The live block whose begin r is, if it is of the family of the function that frees."""
    bid = _begin(state, probe)
    block = None if bid is None else state.heap.get(bid)
    return bid if block is not None and block.family == probe.family else None


def _begin(state: State, probe: Probe) -> BlockId | None:
    """The heap block whose begin r is."""
    found = _heap_free(state, probe)
    return found[0] if found is not None and found[1] == 0 else None


# ---- library functions ----


def null_argument(state: State, probe: Probe) -> Found:
    return NO_BLOCK if state.where(probe.operands[0].value).address == 0 else ()


def overlapping(state: State, probe: Probe) -> Found:
    to, _, source, _ = probe.operands
    into = state.where(to.value)
    return (into.block,) if overlap(into, state.where(source.value), probe.width) else ()


def bad_alignment(state: State, probe: Probe) -> Found:
    assert probe.request is not None
    return NO_BLOCK if probe.family != _MALLOC and not power_of_two(probe.request.align) else ()


def refused_alignment(state: State, probe: Probe) -> Found:
    request = probe.request
    assert request is not None
    wrong = not power_of_two(request.align) or request.align < request.least
    return NO_BLOCK if probe.family == _MALLOC and wrong else ()


def absurd(state: State, probe: Probe) -> Found:
    assert probe.request is not None
    return NO_BLOCK if probe.request.count * probe.request.size > MAX_SIZE else ()


_MALLOC = FAMILIES["MALLOC"]


def bad_call(state: State, probe: Probe) -> Found:
    redex = state.focus
    assert isinstance(redex, Apply) and isinstance(redex.function, Literal)
    callee = redex.function.value
    known = state.program.by_name.get(callee.name) if isinstance(callee, Function) else None
    return () if known is not None and len(known.parameters) == len(redex.arguments) else NO_BLOCK


# ---- leaks ----


def _leak(holds: Callable[[BlockId, frozenset[Pointer], frozenset[Pointer]], bool]) -> Premise:
    """`holds`: of a heap block, the pointers that can be found, and those in lost blocks."""

    def premise(state: State, probe: Probe) -> Found:
        if probe.function != MAIN:
            return ()
        live, lost = live_and_lost(state)
        return tuple(bid for bid in sorted(state.heap) if holds(bid, live, lost))

    return premise


def _pointed(bid: BlockId, pointers: frozenset[Pointer]) -> bool:
    return any(pointer.block == bid for pointer in pointers)


def _pointed_at_begin(bid: BlockId, pointers: frozenset[Pointer]) -> bool:
    return Pointer(bid, 0) in pointers


definite = _leak(lambda bid, live, _: not _pointed(bid, live))
indirect = _leak(lambda bid, live, lost: not _pointed(bid, live) and _pointed(bid, lost))
interior = _leak(lambda bid, live, _: _pointed(bid, live) and not _pointed_at_begin(bid, live))
reachable = _leak(lambda bid, live, _: _pointed_at_begin(bid, live))
possible = _leak(lambda *_: True)
