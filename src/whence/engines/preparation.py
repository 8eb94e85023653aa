"""What `whence.prepare` did, as typed data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from whence.errors import ExitCode

PREPARED, KNOWN, IMPOSSIBLE = "prepared", "known", "impossible"


@dataclass(frozen=True, slots=True)
class Preparation:
    """One program or shared library.

    state: "prepared", "known" (all of it stood in the cache) or "impossible". reason: a sentence on what is
    impossible, else empty. exit_code: `ExitCode.OK`, or what a run of it would end with.
    modules, functions: how many are checked when it runs, those of its libraries included. guarded, safe: how
    many variables in memory lie between zones, and how many need none (`whence.findings.coverage.Counts`).
    notes: for the user.
    """

    path: str
    state: str
    reason: str = ""
    exit_code: ExitCode = ExitCode.OK
    modules: int = 0
    functions: int = 0
    guarded: int = 0
    safe: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Preparations:
    """All that was named or found, in that order.

    instrumented: how many modules were instrumented for it. seconds: how long it took.
    notes: for the user, on no single program.
    """

    images: tuple[Preparation, ...]
    instrumented: int
    seconds: float
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Preparation]:
        return iter(self.images)

    def count(self, state: str) -> int:
        """How many are in that state."""
        return sum(image.state == state for image in self.images)

    def also(self, more: Preparations) -> Preparations:
        """The same images, of which other code was made, too."""
        images = tuple(map(_joined, self.images, more.images))
        notes = tuple(dict.fromkeys((*self.notes, *more.notes)))
        instrumented, seconds = self.instrumented + more.instrumented, self.seconds + more.seconds
        return Preparations(images, instrumented, seconds, notes)

    @property
    def ok(self) -> bool:
        """All of them start without being instrumented."""
        return self.exit_code == ExitCode.OK

    @property
    def exit_code(self) -> ExitCode:
        """That of the first one that is impossible, else `ExitCode.OK`."""
        return next((image.exit_code for image in self.images if image.exit_code), ExitCode.OK)


def _joined(one: Preparation, other: Preparation) -> Preparation:
    """One image, of which code was made twice."""
    if IMPOSSIBLE in (one.state, other.state):
        return one if one.state == IMPOSSIBLE else other
    state = PREPARED if PREPARED in (one.state, other.state) else KNOWN
    return replace(one, state=state, notes=tuple(dict.fromkeys((*one.notes, *other.notes))))
