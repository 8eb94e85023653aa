"""The error rules: figure 8, those of bugs that it does not have, and which shipped rules announce each.

A premise speaks of the state and of one detection point of its redex, and gives
the blocks it holds for: none if it does not hold, `NO_BLOCK` where it is about
no block. Where a shipped rule tells apart what figure 8 has in one, so do the
error rules: at one access, and at one free, at most one premise holds.

`ERROR_RULES` is the table of correspondence: `rules` are the shipped rules, of
which one that is on fires before the machine enters the error state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from whence.abi.records import FAMILIES
from whence.machine.liveness import live_and_lost
from whence.machine.probes import Probe, probes
from whence.machine.reduce import access, is_null_derived, overlap, power_of_two
from whence.machine.state import State
from whence.machine.syntax import MAIN, Apply, Literal, Read
from whence.machine.values import GLOBAL, HEAP, NULL_PAGE, STACK, BlockId, Function, Pointer

MAX_SIZE = (1 << 63) - 1
Found = Iterable[BlockId | None]
NO_BLOCK: tuple[BlockId | None, ...] = (None,)
Premise = Callable[[State, Probe], Found]


@dataclass(frozen=True)
class ErrorRule:
    """An error rule.

    `points`: codes of the detection points it speaks of; `rules`: the shipped
    rules that announce it (none: not yet); `note`: where they warn more widely,
    or less; `goes_on`: a bug of the program, but no error state, because the
    step is defined and is made.
    """

    name: str
    points: tuple[str, ...]
    premise: Premise
    meaning: str
    rules: tuple[str, ...] = ()
    note: str = ""
    goes_on: bool = False


@dataclass(frozen=True)
class Error:
    """An error rule whose premise holds: at which of the redex's probes, and for which block."""

    rule: ErrorRule
    probe: Probe
    block: BlockId | None


def errors(state: State) -> tuple[Error, ...]:
    """All error rules whose premises hold, in the order of the redex's probes and of `ERROR_RULES`.

    The machine goes to the error state of the first that does not go on.
    """
    return tuple(
        Error(rule, probe, block)
        for probe in probes(state)
        for rule in _BY_POINT.get(probe.code, ())
        for block in rule.premise(state, probe)
    )


def fatal(found: tuple[Error, ...]) -> Error | None:
    """The error state that the machine goes to, if any."""
    return next((error for error in found if not error.rule.goes_on), None)


# ---- accesses ----


def _null(state: State, probe: Probe) -> Found:
    """r is NULL, or was derived from it and points to nothing."""
    (pointer,) = probe.operands
    if state.where(pointer.value).address < NULL_PAGE:
        return NO_BLOCK
    return NO_BLOCK if is_null_derived(pointer) and access(state, pointer, 1) is None else ()


def _dangling(state: State, probe: Probe) -> Found:
    bid = _derived(state, probe)
    return (bid,) if bid is not None and bid.kind == HEAP and bid in state.freed else ()


def _dead_stack(state: State, probe: Probe) -> Found:
    bid = _derived(state, probe)
    return (bid,) if bid is not None and bid.kind == STACK and bid in state.freed else ()


def _outside(kind: str) -> Premise:
    def premise(state: State, probe: Probe) -> Found:
        bid = _derived(state, probe)
        if bid is None or bid.kind != kind:
            return ()
        block, index = state.live(bid), state.where(probe.operands[0].value).index
        return () if block is None or block.holds(index, probe.width) else (bid,)

    return premise


def _poisoned(state: State, probe: Probe) -> Found:
    bid = _derived(state, probe)
    block = None if bid is None else state.live(bid)
    index = state.where(probe.operands[0].value).index
    if block is None or not block.holds(index, probe.width):
        return ()
    return (bid,) if block.closed_bytes(index, probe.width) else ()


def _wild(state: State, probe: Probe) -> Found:
    """r has no block, and what it points to is not all there."""
    (pointer,) = probe.operands
    if _null(state, probe) or state.where(pointer.value).block is not None:
        return ()
    return () if access(state, pointer, probe.width) else NO_BLOCK


def _uninitialized(state: State, probe: Probe) -> Found:
    """Value(r) = junk: some byte of it. Copies may carry junk."""
    target = access(state, probe.operands[0], probe.width)
    if not isinstance(state.focus, Read) or target is None or target.block is None:
        return ()
    block = state.live(target.block)
    assert block is not None
    junk = any(block.byte(target.index + at) is None for at in range(probe.width))
    return (target.block,) if junk else ()


def _derived(state: State, probe: Probe) -> BlockId | None:
    """Bid(r) of a pointer that is not null."""
    target = state.where(probe.operands[0].value)
    return None if target.address < NULL_PAGE else target.block


# ---- frees ----


def _kind(kind: str) -> Premise:
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


def _inside(state: State, probe: Probe) -> Found:
    found = _heap_free(state, probe)
    block = state.block(found[0]) if found is not None and found[0] is not None else None
    return (found[0],) if found is not None and block is not None and 0 < found[1] <= block.size else ()


def _unmatched(state: State, probe: Probe) -> Found:
    """bid is in neither Dom(H) nor Dom(F), or r is not Begin(r), and it is none of the above."""
    found = _heap_free(state, probe)
    if found is None or (found[0] is not None and found[1] == 0) or _inside(state, probe):
        return ()
    return (found[0],)


def _double(state: State, probe: Probe) -> Found:
    bid = _begin(state, probe)
    return (bid,) if bid is not None and bid in state.freed else ()


def _mismatched(state: State, probe: Probe) -> Found:
    bid = _begin(state, probe)
    block = None if bid is None else state.heap.get(bid)
    return (bid,) if block is not None and block.family != probe.family else ()


def _begin(state: State, probe: Probe) -> BlockId | None:
    """The heap block whose begin r is."""
    found = _heap_free(state, probe)
    return found[0] if found is not None and found[1] == 0 else None


# ---- library functions ----


def _null_argument(state: State, probe: Probe) -> Found:
    return NO_BLOCK if state.where(probe.operands[0].value).address == 0 else ()


def _overlapping(state: State, probe: Probe) -> Found:
    to, _, source, _ = probe.operands
    into = state.where(to.value)
    return (into.block,) if overlap(into, state.where(source.value), probe.width) else ()


def _bad_alignment(state: State, probe: Probe) -> Found:
    assert probe.request is not None
    return NO_BLOCK if probe.family != _MALLOC and not power_of_two(probe.request.align) else ()


def _refused_alignment(state: State, probe: Probe) -> Found:
    request = probe.request
    assert request is not None
    wrong = not power_of_two(request.align) or request.align < request.least
    return NO_BLOCK if probe.family == _MALLOC and wrong else ()


def _absurd(state: State, probe: Probe) -> Found:
    assert probe.request is not None
    return NO_BLOCK if probe.request.count * probe.request.size > MAX_SIZE else ()


_MALLOC = FAMILIES["MALLOC"]


def _bad_call(state: State, probe: Probe) -> Found:
    redex = state.focus
    assert isinstance(redex, Apply) and isinstance(redex.function, Literal)
    callee = redex.function.value
    known = state.program.by_name.get(callee.name) if isinstance(callee, Function) else None
    return () if known is not None and len(known.parameters) == len(redex.arguments) else NO_BLOCK


# ---- leaks ----


def _leak(
    holds: Callable[[BlockId, frozenset[Pointer], frozenset[Pointer]], bool],
) -> Premise:
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


# ---- the table ----


def _deref(
    name: str, premise: Premise, meaning: str, rules: tuple[str, ...] = (), note: str = ""
) -> list[ErrorRule]:
    """Figure 8 has two error rules for each bug of dereferences: of reads, and of writes, with a 2."""
    return [
        ErrorRule(name, ("DEREF_R",), premise, f"{meaning}, by a read", rules, note),
        ErrorRule(f"{name}2", ("DEREF_W",), premise, f"{meaning}, by a write", rules, note),
    ]


ERROR_RULES: tuple[ErrorRule, ...] = (
    # A library function judges its pointers before it follows them.
    ErrorRule(
        "bug-null-argument",
        ("ARGUMENT",),
        _null_argument,
        "a library function gets NULL that needs a valid pointer",
        ("null-argument",),
    ),
    *_deref(
        "bug-null-ptr-deref",
        _null,
        "an access through NULL, or through a pointer that was derived from it",
        ("null-pointer-dereference",),
    ),
    *_deref(
        "bug-dang-ptr-deref", _dangling, "an access to a freed heap block", ("dangling-pointer-dereference",)
    ),
    *_deref(
        "bug-overflow",
        _outside(HEAP),
        "an access that is not wholly inside its heap block",
        ("heap-buffer-overflow",),
    ),
    *_deref(
        "bug-poisoned",
        _poisoned,
        "an access to bytes that the program has made inaccessible",
        ("use-after-poison",),
        "use-after-poison also fires where an access leaves a stack block or global and meets poisoned bytes"
        " of the same block: the error is then bug-stack-overflow or bug-global-overflow",
    ),
    *_deref("bug-dead-stack-deref", _dead_stack, "an access to a stack block whose scope has ended"),
    *_deref("bug-stack-overflow", _outside(STACK), "an access that is not wholly inside its stack block"),
    *_deref(
        "bug-global-overflow", _outside(GLOBAL), "an access that is not wholly inside its global variable"
    ),
    *_deref("bug-wild-ptr-deref", _wild, "an access through a number that is the address of no block"),
    ErrorRule("bug-uninitialized", ("DEREF_R",), _uninitialized, "a read of bytes that were never written"),
    ErrorRule("bug-free-of-stack", ("FREE",), _kind(STACK), "a free of a stack block", ("free-of-stack",)),
    ErrorRule(
        "bug-free-of-global",
        ("FREE",),
        _kind(GLOBAL),
        "a free of a global variable or a function",
        ("free-of-global",),
    ),
    ErrorRule(
        "bug-free-inside-block",
        ("FREE",),
        _inside,
        "a free of a pointer into a heap block, or to its end",
        ("free-inside-block",),
    ),
    ErrorRule(
        "bug-unmatched-free",
        ("FREE",),
        _unmatched,
        "a free of what no allocation returned",
        ("unmatched-free",),
        "figure 8 has one rule for this and the three before",
    ),
    ErrorRule("bug-double-free", ("FREE",), _double, "a free of a freed block", ("double-free",)),
    ErrorRule(
        "bug-mismatched-free",
        ("FREE",),
        _mismatched,
        "a free by a function of another family than the allocation's",
        ("mismatched-free",),
    ),
    ErrorRule(
        "bug-overlapping-copy",
        ("COPY",),
        _overlapping,
        "a memcpy between ranges that overlap and do not begin at one address",
        ("overlapping-copy",),
    ),
    ErrorRule(
        "bug-bad-alignment",
        ("ALLOC",),
        _bad_alignment,
        "operator new with an alignment that is no power of two",
        ("bad-alignment",),
    ),
    ErrorRule(
        "bug-refused-alignment",
        ("ALLOC",),
        _refused_alignment,
        "an allocation with an alignment that its function does not take",
        ("refused-alignment",),
        "memalign rounds such an alignment up, posix_memalign gives NULL",
        goes_on=True,
    ),
    ErrorRule(
        "bug-absurd-size",
        ("ALLOC",),
        _absurd,
        "a request for more bytes than an object can have",
        ("absurd-size",),
        "the request gives NULL",
        goes_on=True,
    ),
    ErrorRule("bug-call", ("CALL",), _bad_call, "a call of what is no function with so many parameters"),
    ErrorRule(
        "bug-definite-leak",
        ("RET",),
        _leak(lambda bid, live, lost: not _pointed(bid, live)),
        "a heap block at the end of main that no live pointer leads to",
        ("definite-leak", "indirect-leak"),
        "with indirect-leak on, definite-leak leaves to it the blocks that lost blocks point to",
    ),
    ErrorRule(
        "bug-indirect-leak",
        ("RET",),
        _leak(lambda bid, live, lost: not _pointed(bid, live) and _pointed(bid, lost)),
        "a heap block at the end of main that only lost blocks point to",
        ("indirect-leak", "definite-leak"),
        "with indirect-leak off, definite-leak speaks of these blocks, too",
    ),
    ErrorRule(
        "bug-interior-leak",
        ("RET",),
        _leak(lambda bid, live, lost: _pointed(bid, live) and not _pointed_at_begin(bid, live)),
        "a heap block at the end of main that only pointers into its middle find",
        ("interior-leak",),
        "the native engine counts blocks that are found only through such a block as interior, too",
        goes_on=True,
    ),
    ErrorRule(
        "bug-reachable-leak",
        ("RET",),
        _leak(lambda bid, live, lost: _pointed_at_begin(bid, live)),
        "a heap block at the end of main that is still in use",
        ("reachable-leak",),
        goes_on=True,
    ),
    ErrorRule(
        "bug-possible-leak",
        ("RET",),
        _leak(lambda bid, live, lost: True),
        "a heap block at the end of main, however it is held",
        ("possible-leak", "indirect-leak", "definite-leak", "interior-leak", "reachable-leak"),
        "a block belongs to the first rule that is on",
        goes_on=True,
    ),
)
NOT_MODELLED = {
    "absurd-length": "what is mapped around a block is no part of a state: such a copy leaves its block, "
    "which is an error of its own"
}
"""Shipped rules that announce no error state of the machine, and why; it never comes to their points."""

BY_NAME = {rule.name: rule for rule in ERROR_RULES}
_BY_POINT = {
    code: tuple(rule for rule in ERROR_RULES if code in rule.points)
    for code in {code for rule in ERROR_RULES for code in rule.points}
}

__all__ = ["BY_NAME", "ERROR_RULES", "NOT_MODELLED", "Error", "ErrorRule", "errors", "fatal"]
