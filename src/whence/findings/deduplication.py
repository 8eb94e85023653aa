"""One bug that was met often is one finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from operator import itemgetter

from whence.findings import Finding, Frame, Leak, LeakKind, telling_stack


def deduplicate(findings: Iterable[Finding]) -> list[Finding]:
    """The first finding of each place, with `occurrences` (and leak totals) summed up.

    In order, but leaks come last: kind by kind, those of most bytes first.

    Within one run a place is exact: two overflows in one function are two
    findings, though they may share the `key` that outlives edits.
    """
    places: dict[tuple[str, tuple[object, ...]], list[Finding]] = {}
    for finding in findings:
        place = (finding.rule.name, (_is_held(finding), *map(_frame_place, telling_stack(finding))))
        places.setdefault(place, []).append(finding)
    return sorted(map(_merge, places.values()), key=_rank)


def united(parts: Iterable[tuple[int, int]]) -> int:
    """The blocks, or bytes, of several processes, once what one has from another, or both from a third.

    `parts` has for each process all of its blocks, and those that it was forked with. The processes
    with the fewest of these come first, because a process can have only blocks of its ancestors,
    who were forked with no more.
    """
    (count, inherited), *others = sorted(parts, key=itemgetter(1))
    for more, of_more in others:
        count += more - max(min(count, of_more), min(more, inherited))
    return count


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


def _merge(findings: list[Finding]) -> Finding:
    leaks = [finding.leak for finding in findings if finding.leak]
    leak = _merge_leaks(leaks) if leaks else None
    first = findings[0].having(leak) if leak else findings[0]
    return replace(first, occurrences=1 if leak else _occurrences(findings))


def _occurrences(findings: list[Finding]) -> int:
    """How often it happened: a twin that goes on has an access judged that its function had judged before.

    Leaks are no events: the blocks of one allocation are one leak, in however many parts a search, or
    several processes, tell of them.
    """
    counts: dict[int, dict[int, int]] = {}
    for finding in findings:
        of_process = counts.setdefault(finding.pid, {})
        of_process[finding.twins] = of_process.get(finding.twins, 0) + finding.occurrences
    return sum(max(each.values()) for each in counts.values())


def _merge_leaks(leaks: list[Leak]) -> Leak:
    count, size, indirect, indirect_size = (
        united((_totals(leak)[index], leak.inherited[index]) for leak in leaks) for index in range(4)
    )
    inherited = min(leak.inherited for leak in leaks)
    kinds = [leak.kind for leak in leaks]
    kind = LeakKind.DEFINITE if LeakKind.DEFINITE in kinds else kinds[0]
    return Leak(count, size, indirect, indirect_size, kind, inherited)


def _totals(leak: Leak) -> tuple[int, int, int, int]:
    return (leak.count, leak.bytes, leak.indirect, leak.indirect_bytes)
