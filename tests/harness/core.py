"""The core of the corpus: programs for each rule, and those that front ends write differently."""

from __future__ import annotations

from tests.harness.expect import Case, discover

_PROGRAMS = """
    absurd-length/signed-count absurd-size/array-new bad-alignment/three-words
    dangling-pointer-dereference/after-realloc dangling-pointer-dereference/destructor-order
    definite-leak/lost-ring double-free/rule-of-three double-free/error-path
    free-inside-block/array-without-brackets free-of-global/string-literal free-of-stack/vla
    heap-buffer-overflow/bitfield heap-buffer-overflow/base-as-derived heap-buffer-overflow/far-index
    heap-buffer-overflow/walk-of-a-permutation indirect-leak/tree interior-leak/cursor
    mismatched-free/new-then-free mismatched-size/base mismatched-alignment/as-bytes
    null-argument/strlen null-pointer-dereference/virtual-call
    null-pointer-dereference/field-at-40 overlapping-copy/struct-assignment possible-leak/cache-of-many
    reachable-leak/settings refused-alignment/posix-memalign unmatched-free/before-begin
    division-by-zero/average division-overflow/remainder index-out-of-bounds/next-member
    shift-out-of-range/negative signed-shift-overflow/big-endian unsigned-shift-overflow/size
    signed-addition-overflow/checksum signed-multiplication-overflow/short-square
    signed-subtraction-overflow/magnitude use-after-poison/pool use-of-uninitialized-value/one-bit
    uninitialized-read/other-field
    wild-pointer-dereference/offset-link unsigned-addition-overflow/ticks
    unsigned-subtraction-overflow/countdown unsigned-multiplication-overflow/pixels
    float-conversion-overflow/sample float-division-by-zero/slope bit-scan-of-zero/classes
    invalid-bool/filled reached-unreachable/ended length-not-positive/matrix nonnull-argument/declared
    nonnull-result/lookup pointer-overflow/before null-pointer-offset/list misaligned-access/packed
    misaligned-pointer/assumed
    double-lock/plain-mutex deadlock/transfer lock-order-inversion/registry unlock-of-unlocked/failed-try
    unlock-by-another-thread/moved-guard destroyed-lock-in-use/static-object
    wait-without-lock/other-mutex double-join/joined-and-detached thread-leak/plain-c
    lock-held-at-exit/thread-of-cpp data-race/readers-write race-on-free/queue
    call-unsafe-in-signal-handler/locks errno-changed-by-handler/close
    use-of-closed-descriptor/log-file double-close/closed-below-a-stream
    pointer-comparison/range-of-another pointer-subtraction/index-of initialization-order/registry
    implicit-unsigned-truncation/length-field implicit-signed-truncation/level
    implicit-conversion-to-signed/hash implicit-conversion-to-unsigned/minus-one
    enumeration-out-of-range/scratch missing-return/search mismatched-function-type/comparison
    mismatched-class/from-a-handle
    """
"""The core has them and their twins."""

CORE = frozenset(_PROGRAMS.split())

CLEAN = {
    f"clean/{name}"
    for name in ("atomics", "bounds-hoisting", "coroutines", "exceptions", "indirect-walks", "printf-family")
}


def core_cases() -> list[Case]:
    return [case for case in discover() if f"{case.rule}/{case.path.name.split('.')[0]}" in CORE | CLEAN]
