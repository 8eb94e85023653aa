"""What an exploration gave, as typed data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from whence.exploring.executing import MEMORY_LIMIT, TIME_LIMIT, WAITING

if TYPE_CHECKING:
    from whence.findings import Finding


_CUT = (TIME_LIMIT, WAITING, MEMORY_LIMIT, "full")
"""Ends of paths that had more to do."""


@dataclass(frozen=True, slots=True)
class Error:
    """A bug that some path has: the finding, and the numbers of the tests that show it, in their order.

    confirmed: what shows it again outside of the exploration. doubt: why nothing does, else empty.
    native: how the program as it is ends on the test that was tried.
    """

    finding: Finding
    tests: tuple[int, ...]
    confirmed: tuple[str, ...] = ()
    doubt: str = ""
    native: str = ""


@dataclass(frozen=True, slots=True)
class Possible:
    """An access or a check that the solver calls wrong for an input, whose run no rule objected to."""

    what: str
    place: str
    test: int


@dataclass(frozen=True, slots=True)
class Bound:
    """A value that was not followed further: why, where, and at how many decisions.

    code: the begin of the source there, such as the call of a function that has no model.
    """

    reason: str
    place: str
    times: int
    code: str = ""


@dataclass(frozen=True, slots=True)
class Exploration:
    """All that an exploration gave so far.

    paths: that ended, without those that an assumption ended (`dismissed`). ends: how many by each way to
    end. complete: all inputs are covered: nothing waits, and nothing was given up, bound or left out.
    waiting: decisions that may have other ways. stopped: why it ended before that; empty if it did not.
    """

    directory: Path
    paths: int = 0
    dismissed: int = 0
    tests: int = 0
    runs: int = 0
    ends: Mapping[str, int] = field(default_factory=dict)
    errors: tuple[Error, ...] = ()
    possible: tuple[Possible, ...] = ()
    bound: tuple[Bound, ...] = ()
    waiting: int = 0
    stopped: str = ""
    given_up: int = 0
    left_out: int = 0
    diverged: int = 0
    broken: int = 0
    repeated: int = 0
    killed: int = 0
    questions: Mapping[str, float | str] = field(default_factory=dict)
    branches: tuple[int, int] = (0, 0)
    lines: tuple[int, int] = (0, 0)
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every input takes one of the paths, as far as values are followed."""
        lost = self.given_up + self.left_out + self.diverged + self.broken + self.killed + len(self.bound)
        return not (self.waiting or lost or any(map(self.ends.get, _CUT)))

    @property
    def ok(self) -> bool:
        """Whether no path has an error."""
        return not self.errors

    def test(self, number: int) -> Path:
        """The file of a test, if it has one; `whence.exploring.testcases.read_test` reads it by that name."""
        from whence.exploring.store import test_path

        return test_path(self.directory, number)
