"""The error rules: those of figure 8, and of bugs that figure 8 lacks.

Where shipped rules distinguish cases of one rule of figure 8, so do the error
rules: at one access, and at one free, at most one premise holds, but that an access to a
stack block whose scope has ended may leave it as well. A shipped rule names the
error states that it announces (`error`); `RuleSet.announcing` gives the rules of an error state.
"""

from __future__ import annotations

from dataclasses import dataclass

from whence.machine import premises
from whence.machine.premises import Premise
from whence.machine.probes import Probe, probes
from whence.machine.state import State
from whence.machine.values import GLOBAL, HEAP, STACK, BlockId


@dataclass(frozen=True)
class ErrorRule:
    """An error rule.

    `points`: codes of its detection points; `meaning`: when it applies; `note`:
    where the shipped rules that announce it fire in more or fewer states;
    `goes_on`: the bug is no error state, because the step is defined and the
    machine makes it.
    """

    name: str
    points: tuple[str, ...]
    premise: Premise
    meaning: str
    note: str = ""
    goes_on: bool = False


@dataclass(frozen=True)
class Error:
    """An error rule whose premise holds, the probe of the redex, and the block concerned, if any."""

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


def _deref(name: str, premise: Premise, meaning: str, note: str = "") -> list[ErrorRule]:
    """The two error rules of a dereference: of reads, and of writes, whose names end in 2 as in figure 8."""
    return [
        ErrorRule(name, ("DEREF_R",), premise, f"{meaning}, by a read", note),
        ErrorRule(f"{name}2", ("DEREF_W",), premise, f"{meaning}, by a write", note),
    ]


ERROR_RULES: tuple[ErrorRule, ...] = (
    ErrorRule(
        "bug-undefined-use",
        ("USE",),
        premises.undefined_use,
        "a step whose effect depends on undefined bits",
    ),
    # The engines check an argument before they check the access through it.
    ErrorRule(
        "bug-null-argument",
        ("ARGUMENT",),
        premises.null_argument,
        "a library function gets NULL that needs a valid pointer",
    ),
    *_deref(
        "bug-null-ptr-deref",
        premises.null,
        "an access through NULL, or through a pointer that was derived from it",
    ),
    *_deref("bug-dang-ptr-deref", premises.dangling, "an access to a freed heap block"),
    *_deref(
        "bug-overflow",
        premises.outside(HEAP),
        "an access that is not wholly inside its heap block",
    ),
    *_deref(
        "bug-poisoned",
        premises.poisoned,
        "an access to bytes that the program has made inaccessible",
        "use-after-poison also fires where an access leaves a global and meets poisoned bytes"
        " of the same block: the error is then bug-global-overflow",
    ),
    *_deref("bug-dead-stack-deref", premises.dead_stack, "an access to a stack block whose scope has ended"),
    *_deref(
        "bug-stack-overflow",
        premises.outside(STACK),
        "an access that is not wholly inside its stack block, whose scope may have ended",
    ),
    *_deref(
        "bug-global-overflow",
        premises.outside(GLOBAL),
        "an access that is not wholly inside its global variable",
    ),
    *_deref(
        "bug-wild-ptr-deref",
        premises.wild,
        "an access through a number in the memory of the heap that is the address of no block",
        "wild-pointer-dereference also fires where an access leaves a global for the memory of the heap:"
        " the error is then bug-global-overflow",
    ),
    *_deref(
        "bug-stray-ptr-deref",
        premises.stray,
        "an access through another number that is the address of no block",
    ),
    ErrorRule(
        "bug-uninitialized",
        ("DEREF_R", "READ"),
        premises.uninitialized,
        "a read of bytes that were never written",
        "figure 8 has no step after it; here the value has undefined bits",
        goes_on=True,
    ),
    ErrorRule("bug-free-of-stack", ("FREE",), premises.of_kind(STACK), "a free of a stack block"),
    ErrorRule(
        "bug-free-of-global",
        ("FREE",),
        premises.of_kind(GLOBAL),
        "a free of a global variable or a function",
    ),
    ErrorRule(
        "bug-free-inside-block",
        ("FREE",),
        premises.inside,
        "a free of a pointer into a heap block, or to its end",
    ),
    ErrorRule(
        "bug-unmatched-free",
        ("FREE",),
        premises.unmatched,
        "a free of what no allocation returned",
        "figure 8 has one rule for this and the three before",
    ),
    ErrorRule("bug-double-free", ("FREE",), premises.double, "a free of a freed block"),
    ErrorRule(
        "bug-mismatched-free",
        ("FREE",),
        premises.mismatched,
        "a free by a function of another family than the allocation's",
    ),
    ErrorRule(
        "bug-mismatched-size",
        ("FREE",),
        premises.mismatched_size,
        "a free that is given another size than the block's",
    ),
    ErrorRule(
        "bug-mismatched-alignment",
        ("FREE",),
        premises.mismatched_alignment,
        "a free that is given another alignment than the allocation, or none although the allocation had one",
    ),
    ErrorRule(
        "bug-overlapping-copy",
        ("COPY",),
        premises.overlapping,
        "a memcpy between ranges that overlap and do not begin at one address",
    ),
    ErrorRule(
        "bug-bad-alignment",
        ("ALLOC",),
        premises.bad_alignment,
        "operator new with an alignment that is no power of two",
    ),
    ErrorRule(
        "bug-refused-alignment",
        ("ALLOC",),
        premises.refused_alignment,
        "an allocation with an alignment that its function does not take",
        "memalign rounds such an alignment up, posix_memalign gives NULL",
        goes_on=True,
    ),
    ErrorRule(
        "bug-absurd-size",
        ("ALLOC",),
        premises.absurd,
        "a request for more bytes than an object can have",
        "the request gives NULL",
        goes_on=True,
    ),
    ErrorRule(
        "bug-call", ("CALL",), premises.bad_call, "a call of what is no function with so many parameters"
    ),
    ErrorRule(
        "bug-definite-leak",
        ("RET",),
        premises.definite,
        "a heap block at the end of main that no live pointer leads to",
        "with indirect-leak on, definite-leak leaves to it the blocks that lost blocks point to",
    ),
    ErrorRule(
        "bug-indirect-leak",
        ("RET",),
        premises.indirect,
        "a heap block at the end of main that only lost blocks point to",
        "with indirect-leak off, definite-leak speaks of these blocks, too",
    ),
    ErrorRule(
        "bug-interior-leak",
        ("RET",),
        premises.interior,
        "a heap block at the end of main that only pointers into its middle find",
        "the native engine counts blocks that are found only through such a block as interior, too",
        goes_on=True,
    ),
    ErrorRule(
        "bug-reachable-leak",
        ("RET",),
        premises.reachable,
        "a heap block at the end of main that is still in use",
        goes_on=True,
    ),
    ErrorRule(
        "bug-possible-leak",
        ("RET",),
        premises.possible,
        "a heap block at the end of main",
        "a block belongs to the first rule that is on",
        goes_on=True,
    ),
)
_UNTYPED = "the numbers of the machine have no type that limits them"
NOT_MODELLED = {
    "absurd-length": "a state has no memory mappings beyond its blocks: such a copy leaves its block, "
    "which is another error",
    **dict.fromkeys(
        (
            "signed-addition-overflow",
            "signed-subtraction-overflow",
            "signed-multiplication-overflow",
            "division-by-zero",
            "division-overflow",
            "shift-out-of-range",
            "unsigned-addition-overflow",
            "unsigned-subtraction-overflow",
            "unsigned-multiplication-overflow",
            "signed-shift-overflow",
            "unsigned-shift-overflow",
            "bit-scan-of-zero",
        ),
        _UNTYPED,
    ),
    **dict.fromkeys(
        ("float-conversion-overflow", "float-division-by-zero"), "the machine has no floating-point numbers"
    ),
    **dict.fromkeys(
        (
            *("implicit-unsigned-truncation", "implicit-signed-truncation", "implicit-conversion-to-signed"),
            *("implicit-conversion-to-unsigned", "enumeration-out-of-range", "missing-return"),
            *("mismatched-function-type", "mismatched-class"),
            *("invalid-bool", "reached-unreachable", "length-not-positive", "nonnull-argument"),
            *("nonnull-result", "misaligned-access", "misaligned-pointer"),
        ),
        "the programs of the machine have no types, attributes or declarations that a compiler relies on",
    ),
    **dict.fromkeys(
        ("pointer-overflow", "null-pointer-offset"),
        "a sum with a pointer is no error of the machine: it judges what is accessed",
    ),
    **dict.fromkeys(
        ("use-of-closed-descriptor", "double-close"), "the programs of the machine open no files"
    ),
    **dict.fromkeys(
        (
            *("double-lock", "deadlock", "lock-order-inversion", "unlock-of-unlocked"),
            *("unlock-by-another-thread", "destroyed-lock-in-use", "wait-without-lock", "double-join"),
            *("thread-leak", "lock-held-at-exit", "data-race", "race-on-free"),
        ),
        "the machine has one thread and no locks",
    ),
    **dict.fromkeys(
        ("call-unsafe-in-signal-handler", "errno-changed-by-handler"),
        "nothing interrupts the programs of the machine",
    ),
    **dict.fromkeys(
        ("pointer-comparison", "pointer-subtraction"),
        "pointers of the machine are numbers where they are compared or subtracted",
    ),
    "initialization-order": "global variables of the machine begin as the program says",
    "index-out-of-bounds": "an array inside of a block has no length of its own",
}
"""Shipped rules without an error state, and why; the machine never reaches their points."""

BY_NAME = {rule.name: rule for rule in ERROR_RULES}
_BY_POINT = {
    code: tuple(rule for rule in ERROR_RULES if code in rule.points)
    for code in {code for rule in ERROR_RULES for code in rule.points}
}

__all__ = ["BY_NAME", "ERROR_RULES", "NOT_MODELLED", "Error", "ErrorRule", "errors", "fatal"]
