"""One bug that was met often is one finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from whence.findings import Finding, Frame, Leak, LeakKind, telling_stack


def deduplicate(findings: Iterable[Finding]) -> list[Finding]:
    """The first finding of each place, with `occurrences` (and leak totals) summed up.

    In order, but leaks come last: kind by kind, those of most bytes first.

    Within one run a place is exact: two overflows in one function are two
    findings, though they may share the `key` that outlives edits.
    """
    first: dict[tuple[str, tuple[object, ...]], Finding] = {}
    for finding in findings:
        place = (finding.rule.name, (_is_held(finding), *map(_frame_place, telling_stack(finding))))
        first[place] = _merge(first[place], finding) if place in first else finding
    return sorted(first.values(), key=_rank)


_KINDS = tuple(LeakKind)


def _rank(finding: Finding) -> tuple[int, int]:
    return (_KINDS.index(finding.leak.kind) + 1, -finding.leak.bytes) if finding.leak else (0, 0)


def _is_held(finding: Finding) -> LeakKind | None:
    """What leaks of one place are told apart by: lost blocks, directly or not, are one leak."""
    lost = (LeakKind.DEFINITE, LeakKind.INDIRECT)
    return finding.leak.kind if finding.leak and finding.leak.kind not in lost else None


def _frame_place(frame: Frame) -> object:
    """Where a frame stands in the source; an unrolled loop has one such place and many addresses."""
    return (frame.function, frame.file, frame.line, frame.column) if frame.line else frame.pc


def _merge(kept: Finding, other: Finding) -> Finding:
    leak = kept.leak
    if leak and other.leak:
        leak = _merge_leaks(leak, other.leak)
    return replace(kept, occurrences=kept.occurrences + other.occurrences, leak=leak)


def _merge_leaks(a: Leak, b: Leak) -> Leak:
    """The blocks of both, once where one process has them from the other, or both from a third."""
    totals = zip(_totals(a), _totals(b), strict=True)
    united = [
        first + second - max(min(first, from_b), min(second, from_a))
        for (first, second), from_b, from_a in zip(totals, a.inherited, b.inherited, strict=True)
    ]
    kind = LeakKind.DEFINITE if LeakKind.DEFINITE in (a.kind, b.kind) else a.kind
    count, size, indirect, indirect_size = map(min, a.inherited, b.inherited)
    return Leak(united[0], united[1], united[2], united[3], kind, (count, size, indirect, indirect_size))


def _totals(leak: Leak) -> tuple[int, int, int, int]:
    return (leak.count, leak.bytes, leak.indirect, leak.indirect_bytes)
