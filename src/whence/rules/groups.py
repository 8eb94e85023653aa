"""Groups of shipped rules: what ``--enable`` and ``--disable`` take in place of many names.

Those that compilers have, too, are called as in ``-fsanitize=``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_SIGNED = (
    *("signed-addition-overflow", "signed-subtraction-overflow", "signed-multiplication-overflow"),
    "division-overflow",
)
_SHIFTS = ("shift-out-of-range", "signed-shift-overflow")
_UNSIGNED = (
    *("unsigned-addition-overflow", "unsigned-subtraction-overflow"),
    "unsigned-multiplication-overflow",
)
_TRUNCATIONS = ("implicit-unsigned-truncation", "implicit-signed-truncation")
_SIGNS = ("implicit-conversion-to-signed", "implicit-conversion-to-unsigned")
_NEVER_NULL = ("nonnull-argument", "nonnull-result")
_ALIGNED = ("misaligned-access", "misaligned-pointer")
_POINTERS = ("pointer-overflow", "null-pointer-offset")
_LEAKS = ("indirect-leak", "definite-leak", "interior-leak", "reachable-leak", "possible-leak")
_THREADS = (
    *("double-lock", "deadlock", "lock-order-inversion", "unlock-of-unlocked"),
    *("unlock-by-another-thread", "destroyed-lock-in-use", "wait-without-lock", "double-join", "thread-leak"),
    "lock-held-at-exit",
)
_SIGNALS = ("call-unsafe-in-signal-handler", "errno-changed-by-handler")
_RACES = ("data-race", "race-on-free")
_FREES = (
    *("unmatched-free", "double-free", "free-of-stack", "free-of-global", "free-inside-block"),
    *("mismatched-free", "mismatched-size", "mismatched-alignment"),
)
_ACCESSES = (
    *("null-pointer-dereference", "dangling-pointer-dereference", "heap-buffer-overflow"),
    *("wild-pointer-dereference", "use-after-poison", "stack-buffer-overflow", "stack-use-after-scope"),
    "global-buffer-overflow",
)


@dataclass(frozen=True)
class Group:
    """Rules with a name in common."""

    name: str
    meaning: str
    rules: tuple[str, ...]


GROUPS = {
    group.name: group
    for group in (
        Group(
            "undefined",
            "what C and C++ do not define, as with -fsanitize=undefined",
            (
                *_SIGNED,
                *_SHIFTS,
                *("division-by-zero", "float-conversion-overflow", "bit-scan-of-zero", "index-out-of-bounds"),
                *("invalid-bool", "enumeration-out-of-range", "reached-unreachable", "length-not-positive"),
                *_NEVER_NULL,
                *_POINTERS,
                *_ALIGNED,
                *("missing-return", "mismatched-function-type", "mismatched-class"),
            ),
        ),
        Group(
            "integer",
            "arithmetic and conversions of integers that lose something",
            (
                *(*_SIGNED, *_UNSIGNED, *_SHIFTS, "unsigned-shift-overflow", "division-by-zero"),
                *(*_TRUNCATIONS, *_SIGNS),
            ),
        ),
        Group("signed-integer-overflow", "results that a signed type does not have", _SIGNED),
        Group("unsigned-integer-overflow", "results that an unsigned type does not have", _UNSIGNED),
        Group("shift", "shifts that a signed type does not allow", _SHIFTS),
        Group(
            "implicit-conversion",
            "conversions that are not written and change a number",
            (*_TRUNCATIONS, *_SIGNS),
        ),
        Group("implicit-integer-truncation", "those to a type with fewer bits", _TRUNCATIONS),
        Group("implicit-integer-sign-change", "those between signed and unsigned types", _SIGNS),
        Group("nullability", "null where a pointer is promised never to be null", _NEVER_NULL),
        Group("alignment", "addresses that are no multiple of what their type asks for", _ALIGNED),
        Group("address", "accesses and frees of memory", (*_FREES, *_ACCESSES, "initialization-order")),
        Group("memory", "values that were never written", ("use-of-uninitialized-value",)),
        Group("leak", "blocks that are still allocated at the end", _LEAKS),
        Group("leaks", "the same", _LEAKS),
        Group(
            "pointers",
            "comparisons and differences of pointers",
            ("pointer-comparison", "pointer-subtraction"),
        ),
        Group(
            "descriptors",
            "descriptors of files and sockets",
            ("use-of-closed-descriptor", "double-close"),
        ),
        Group("threads", "locks and threads", _THREADS),
        Group("signals", "what handlers of signals do", _SIGNALS),
        Group("races", "accesses by several threads that nothing orders", _RACES),
        *(
            Group(name, f"the rule {rule}", (rule,))
            for name, rule in (
                ("integer-divide-by-zero", "division-by-zero"),
                ("float-divide-by-zero", "float-division-by-zero"),
                ("float-cast-overflow", "float-conversion-overflow"),
                ("unsigned-shift-base", "unsigned-shift-overflow"),
                ("builtin", "bit-scan-of-zero"),
                ("bounds", "index-out-of-bounds"),
                ("bool", "invalid-bool"),
                ("enum", "enumeration-out-of-range"),
                ("unreachable", "reached-unreachable"),
                ("vla-bound", "length-not-positive"),
                ("nonnull-attribute", "nonnull-argument"),
                ("returns-nonnull-attribute", "nonnull-result"),
                ("return", "missing-return"),
                ("function", "mismatched-function-type"),
                ("vptr", "mismatched-class"),
                ("pointer-compare", "pointer-comparison"),
                ("pointer-subtract", "pointer-subtraction"),
                ("init-order", "initialization-order"),
            )
        ),
    )
}
"""By name, in the order in which they are listed."""


def wanted(on: Iterable[str], off: Iterable[str]) -> dict[str, bool]:
    """Whether each rule of some groups is to be on.

    Of two groups with a rule, the smaller one decides it, and of two that are equally large the one that is
    off.
    """
    found: dict[str, bool] = {}
    groups = [(GROUPS[name], True) for name in on] + [(GROUPS[name], False) for name in off]
    for group, switch in sorted(groups, key=lambda each: -len(each[0].rules)):
        found |= dict.fromkeys(group.rules, switch)
    return found
