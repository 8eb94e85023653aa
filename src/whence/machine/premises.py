"""The premises of the error rules (figure 8 and docs/machine.md).

A premise is evaluated on a state and one detection point of its redex. It returns the
blocks for which it holds: an empty tuple if it does not hold, `NO_BLOCK` if it concerns no block.
The pointer r is the first operand; Bid(r) is the block it was derived from, Idx(r) its index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from whence.abi.points import MAX_SIZE
from whence.abi.records import FAMILIES
from whence.machine.accesses import access, is_null_derived, overlap, unwritten_bytes
from whence.machine.heap import power_of_two
from whence.machine.liveness import live_and_lost
from whence.machine.probes import Probe
from whence.machine.state import State
from whence.machine.syntax import MAIN, Apply, Literal, Read
from whence.machine.undefined import undefined_bits
from whence.machine.values import GLOBAL, HEAP, NULL_PAGE, STACK, BlockId, Function, Pointer

Found = Iterable[BlockId | None]
NO_BLOCK: tuple[BlockId | None, ...] = (None,)
Premise = Callable[[State, Probe], Found]

# ---- accesses ----


def null(state: State, probe: Probe) -> Found:
    """r is in the null page, or was derived from NULL and no byte at its address can be accessed."""
    (pointer,) = probe.operands
    if state.where(pointer.value).address < NULL_PAGE:
        return NO_BLOCK
    return NO_BLOCK if is_null_derived(pointer) and access(state, pointer, 1) is None else ()


def dangling(state: State, probe: Probe) -> Found:
    """Bid(r) is a freed heap block."""
    bid = _derived(state, probe)
    return (bid,) if bid is not None and bid.kind == HEAP and bid in state.freed else ()


def dead_stack(state: State, probe: Probe) -> Found:
    """Bid(r) is a stack block whose scope has ended."""
    bid = _derived(state, probe)
    return (bid,) if bid is not None and bid.kind == STACK and bid in state.freed else ()


def outside(kind: str) -> Premise:
    """Bid(r) is a live block of this kind, or a dead one of the stack, and the access leaves it."""
    sized = State.block if kind == STACK else State.live

    def premise(state: State, probe: Probe) -> Found:
        bid = _derived(state, probe)
        if bid is None or bid.kind != kind:
            return ()
        block, index = sized(state, bid), state.where(probe.operands[0].value).index
        return () if block is None or block.holds(index, probe.width) else (bid,)

    return premise


def poisoned(state: State, probe: Probe) -> Found:
    """The access is wholly inside the live block Bid(r), and some of its bytes are closed."""
    bid = _derived(state, probe)
    block = None if bid is None else state.live(bid)
    index = state.where(probe.operands[0].value).index
    if block is None or not block.holds(index, probe.width):
        return ()
    return (bid,) if block.closed_bytes(index, probe.width) else ()


def wild(state: State, probe: Probe) -> Found:
    """r has no block and is not derived from NULL, and its address is in the heap."""
    return NO_BLOCK if _has_no_block(state, probe) and _in_free_heap(state, probe) else ()


def stray(state: State, probe: Probe) -> Found:
    """r has no block, the access is not possible, and the pointer is not `wild`."""
    return NO_BLOCK if _has_no_block(state, probe) and not _in_free_heap(state, probe) else ()


def _has_no_block(state: State, probe: Probe) -> bool:
    """Whether r is not null and has no block, and some byte at its address cannot be accessed."""
    (pointer,) = probe.operands
    if null(state, probe) or state.where(pointer.value).block is not None:
        return False
    return access(state, pointer, probe.width) is None


def _in_free_heap(state: State, probe: Probe) -> bool:
    """Whether the address is in the heap and r was not derived from NULL, which may reach a block."""
    (pointer,) = probe.operands
    return state.kind_at(state.where(pointer.value).address) == HEAP and not is_null_derived(pointer)


def uninitialized(state: State, probe: Probe) -> Found:
    """Value(r) = junk: a read gets at least one byte of junk. A copy may copy junk."""
    (pointer,) = probe.operands
    if not isinstance(state.focus, Read) or not unwritten_bytes(state, pointer, probe.width):
        return ()
    target = access(state, pointer, probe.width)
    return () if target is None else (target.block,)


def undefined_use(state: State, probe: Probe) -> Found:
    """What the step depends on has undefined bits."""
    return NO_BLOCK if undefined_bits(probe.operands[0].value) else ()


def _derived(state: State, probe: Probe) -> BlockId | None:
    """Bid(r); None for a pointer into the null page."""
    target = state.where(probe.operands[0].value)
    return None if target.address < NULL_PAGE else target.block


# ---- frees ----


def of_kind(kind: str) -> Premise:
    """The address of r is in this kind of memory."""

    def premise(state: State, probe: Probe) -> Found:
        address = state.where(probe.operands[0].value).address
        if state.kind_at(address) != kind:
            return ()
        return (state.owner(address),)

    return premise


def _heap_free(state: State, probe: Probe) -> tuple[BlockId | None, int] | None:
    """Bid(r), or None if it is no heap block, and Idx(r); None if the address is in the stack or a global."""
    target = state.where(probe.operands[0].value)
    if state.kind_at(target.address) in (STACK, GLOBAL):
        return None
    bid = target.block if target.block is not None and target.block.kind == HEAP else None
    return bid, target.index


def inside(state: State, probe: Probe) -> Found:
    """Bid(r) is a heap block, live or freed, and r points into it or to its end."""
    found = _heap_free(state, probe)
    block = state.block(found[0]) if found is not None and found[0] is not None else None
    return (found[0],) if found is not None and block is not None and 0 < found[1] <= block.size else ()


def unmatched(state: State, probe: Probe) -> Found:
    """[BUG-UNMATCHED-FREE] without the cases of `of_kind` and `inside`."""
    found = _heap_free(state, probe)
    if found is None or (found[0] is not None and found[1] == 0) or inside(state, probe):
        return ()
    return (found[0],)


def double(state: State, probe: Probe) -> Found:
    """r is the begin of a freed heap block."""
    bid = _begin(state, probe)
    return (bid,) if bid is not None and bid in state.freed else ()


def mismatched(state: State, probe: Probe) -> Found:
    """r is the begin of a live heap block of another family than the function's."""
    bid = _begin(state, probe)
    block = None if bid is None else state.heap.get(bid)
    return (bid,) if block is not None and block.family != probe.family else ()


def mismatched_size(state: State, probe: Probe) -> Found:
    """The families match, and the size argument is not the block's size."""
    bid = _matched(state, probe)
    wrong = bid is not None and probe.given_size not in (None, state.heap[bid].size)
    return (bid,) if wrong else ()


def mismatched_alignment(state: State, probe: Probe) -> Found:
    """The families match, the size argument is right or absent, and the alignment is not the block's."""
    bid = _matched(state, probe)
    wrong = bid is not None and probe.given_align != state.heap[bid].align
    return (bid,) if wrong and not mismatched_size(state, probe) else ()


def _matched(state: State, probe: Probe) -> BlockId | None:
    """The live heap block that begins at r, if the function that frees is of its family."""
    bid = _begin(state, probe)
    block = None if bid is None else state.heap.get(bid)
    return bid if block is not None and block.family == probe.family else None


def _begin(state: State, probe: Probe) -> BlockId | None:
    """The heap block, live or freed, that begins at r."""
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
    """A premise at the return of main; `holds` gets a heap block, the live pointers and the lost pointers."""

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
