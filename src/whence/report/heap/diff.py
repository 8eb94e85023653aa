"""What two heap profiles differ in, by call path: of two versions of a program, or two inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whence.findings.frames import is_own
from whence.findings.heap import HeapProfile, total_of
from whence.findings.leaks import Total
from whence.report.heap.measures import MEASURES, OTHERS, Measure, name_of
from whence.report.words import plural

_SHOWN = 4

Path = tuple[str, ...]
"""The functions of a call path, innermost first; lines and addresses change between versions."""


@dataclass(frozen=True, slots=True)
class Change:
    """A call path in both profiles."""

    path: Path
    old: Total
    new: Total

    @property
    def bytes(self) -> int:
        return self.new.bytes - self.old.bytes

    @property
    def blocks(self) -> int:
        return self.new.blocks - self.old.blocks


def changes(old: HeapProfile, new: HeapProfile, measure: str) -> list[Change]:
    """What differs in a measure, the largest change first; processes of one profile are taken together."""
    before, after = (_by_path(each, MEASURES[measure]) for each in (old, new))
    found = (Change(path, before.get(path, Total()), after.get(path, Total())) for path in before | after)
    return sorted(
        (each for each in found if each.old != each.new),
        key=lambda each: (-abs(each.bytes), -abs(each.blocks), each.path),
    )


def _by_path(profile: HeapProfile, measure: Measure) -> dict[Path, Total]:
    made: dict[Path, Total] = {}
    for process in profile.processes:
        for stack in process.stacks:
            frames = profile.stack(stack)
            own = [frame for frame in frames if is_own(frame)] or frames
            path = tuple(name_of(frame) for frame in own)
            total = measure.of(stack)
            if total.blocks:
                made[path] = made.get(path, Total()) + total
    return made


def render(old: HeapProfile, new: HeapProfile, *, top: int = 10) -> str:
    """The differences as text."""
    return "\n".join(_lines(old, new, top)) + "\n"


def _lines(old: HeapProfile, new: HeapProfile, top: int) -> Iterator[str]:
    same = True
    for name, measure in MEASURES.items():
        found = changes(old, new, name)
        before, after = (total_of(map(measure.whole, each.processes)) for each in (old, new))
        sizes = _change(before.bytes, after.bytes, "bytes")
        yield f"{measure.title}: {sizes}, {_change(before.blocks, after.blocks, 'blocks')}"
        if not found:
            continue
        same = False
        cells = [(_signed(each.bytes), _signed(each.blocks)) for each in found[:top]]
        first, second = (max(len("blocks"), *(len(row[column]) for row in cells)) for column in (0, 1))
        yield f"  {'bytes':>{first}}  {'blocks':>{second}}  where"
        for (size, blocks), each in zip(cells, found, strict=False):
            path = " ← ".join(each.path[:_SHOWN]) or OTHERS
            yield f"  {size:>{first}}  {blocks:>{second}}  {path}{_kind(each)}"
        if len(found) > top:
            yield f"  and {plural(len(found) - top, 'further call path')}"
        yield ""
    if same:
        yield "no call path allocates more or less than before"


def _change(old: int, new: int, noun: str) -> str:
    return f"{old:,} → {new:,} {noun} ({_signed(new - old)})"


def _kind(change: Change) -> str:
    return " (new)" if not change.old.blocks else " (gone)" if not change.new.blocks else ""


def _signed(number: int) -> str:
    return f"{number:+,}" if number else "±0"
