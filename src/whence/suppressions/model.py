"""What a suppression is: an entry of a file that says which findings are not to be reported.

Every format becomes `Entry` objects. A finding is shown to them as `Seen`:
the stack that tells it apart, without our own frames, with the files that the
user knows instead of their instrumented copies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from whence.findings import Finding, Frame, SuppressionUse, is_runtime, telling_stack
from whence.findings.deduplication import deduplicate


class Seen:
    """A finding as entries look at it."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding

    @cached_property
    def stack(self) -> tuple[Frame, ...]:
        """The allocation of a leak, else where it happened; innermost first."""
        return tuple(frame for frame in telling_stack(self.finding) if not is_runtime(frame))

    @cached_property
    def called(self) -> tuple[Frame, ...]:
        """The stack without inlined functions, as tools see it that do not read about them."""
        return tuple(frame for frame in self.stack if not frame.inlined)


class Level(ABC):
    """A pattern for one frame."""

    @abstractmethod
    def matches(self, frame: Frame) -> bool: ...


class AnyLevels:
    """``...``: any number of frames, none included."""

    def __repr__(self) -> str:
        return "..."


ANY_LEVELS = AnyLevels()
StackPattern = Sequence[Level | AnyLevels]


def stack_matches(pattern: StackPattern, stack: Sequence[Frame]) -> bool:
    """Whether the innermost frames are what the pattern says; what lies below its end is free.

    The first place where the frames between two ``...`` fit is as good as any
    later one, because nothing is anchored at the outer end. So the cost is
    frames times levels at most.
    """
    at = 0
    for anchored, levels in _runs(pattern):
        last = at if anchored else len(stack) - len(levels)
        starts = (s for s in range(at, last + 1) if _fits(levels, stack[s : s + len(levels)]))
        start = next(starts, None)
        if start is None:
            return False
        at = start + len(levels)
    return True


def _fits(levels: Sequence[Level], frames: Sequence[Frame]) -> bool:
    pairs = zip(levels, frames, strict=False)
    return len(levels) == len(frames) and all(level.matches(frame) for level, frame in pairs)


def _runs(pattern: StackPattern) -> Iterator[tuple[bool, list[Level]]]:
    """The frames between two ``...``, and whether they follow directly on what came before."""
    anchored, levels = True, list[Level]()
    for item in pattern:
        if isinstance(item, Level):
            levels.append(item)
        else:
            yield anchored, levels
            anchored, levels = False, []
    yield anchored, levels


@dataclass(frozen=True)
class Entry(ABC):
    """One suppression: its name (for people), and the file and line it begins at."""

    name: str
    file: str
    line: int

    @abstractmethod
    def matches(self, seen: Seen) -> bool:
        """Whether the finding is not to be reported."""


@dataclass(frozen=True)
class SuppressionFile:
    """What one file holds; `notes` are sentences about entries that no rule of ours can ever meet."""

    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sorted:
    """Findings of a run, those to report and what the others were suppressed by."""

    findings: tuple[Finding, ...]
    uses: tuple[SuppressionUse, ...]


@dataclass(frozen=True)
class Suppressions:
    """All entries that are in force, in the order in which they are tried."""

    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.entries)

    @classmethod
    def of(cls, files: Iterable[SuppressionFile]) -> Suppressions:
        """The entries of several files."""
        known = list(files)
        return cls(tuple(e for f in known for e in f.entries), tuple(n for f in known for n in f.notes))

    def match(self, finding: Finding) -> Entry | None:
        """The first entry that the finding is suppressed by, None to report it."""
        seen = Seen(finding)
        return next((entry for entry in self.entries if entry.matches(seen)), None)

    def sort(self, findings: Iterable[Finding]) -> Sorted:
        """Tell what is reported from what is not, and make each place one finding.

        The uses have every entry in its order, those that were never used included.
        """
        kept: list[Finding] = []
        used: dict[int, list[Finding]] = {}
        for finding in findings:
            entry = self.match(finding)
            (kept if entry is None else used.setdefault(id(entry), [])).append(finding)
        uses = (
            SuppressionUse(e.name, e.file, e.line, tuple(deduplicate(used.get(id(e), ()))))
            for e in self.entries
        )
        return Sorted(tuple(deduplicate(kept)), tuple(uses))
