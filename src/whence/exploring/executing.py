"""The border to whatever runs paths: the fork server of a checked program, or a model in a test.

Work is given out and taken back in the same way whether its unit is one path, as here, or a share of the
tree for a worker of a cluster (`whence.exploring.cluster`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from whence.exploring.flow import Graph
    from whence.exploring.lines import Lines
    from whence.exploring.questions import Asked
    from whence.findings import Finding

Inputs = Mapping[str, bytes]
"""The bytes of each symbolic object, by its name; those that are missing are 0."""


TIME_LIMIT, WAITING, MEMORY_LIMIT = "time limit", "waiting", "memory limit"
"""Ends of paths that were killed: their time was over while they ran, or slept; they had too much memory."""


class Ran(NamedTuple):
    """One path that has run: its trace, the status as waitpid gives it, and what rules found.

    cut: why it was killed, else empty: the end that it then has (`TIME_LIMIT`, `WAITING`, `MEMORY_LIMIT`).
    lost: why it has not run to any end: the process that was to run it is gone, and another has its place.
    covered: where paths of its process came, as `Executor.lines` takes it; 0 if that has not changed.
    """

    trace: bytes
    status: int
    cut: str = ""
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    lost: str = ""
    covered: int = 0


Work = TypeVar("Work", contravariant=True)
Done = TypeVar("Done", covariant=True)


class Executor(Protocol[Work, Done]):
    """Does pieces of work, several at a time; their keys are whatever the caller wants back with a result.

    Of most executors `Work` is `Inputs`, and `Done` is `Ran`.
    """

    @property
    def free(self) -> int:
        """How many more pieces can be begun now."""

    @property
    def running(self) -> int:
        """How many have begun."""

    def begin(self, key: object, work: Work, /) -> None:
        """Do this piece of work, such as a path with these inputs."""

    def next(self, seconds: float | None) -> tuple[object, Done] | None:
        """Waits for the end of one of the pieces; None after the time."""

    def rest(self) -> None:
        """Nothing is begun for now, and something else may be done."""

    @property
    def lacks(self) -> str:
        """Why nothing can be begun although nothing runs, for people; empty if something can."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user about what does the work."""

    def place(self, site: int) -> str:
        """Where a site is, for people: function, file and line as far as known."""

    def code(self, site: int) -> str:
        """The begin of the source at a site, empty where it is not known."""

    def source(self, site: int) -> tuple[str, int] | None:
        """The file and line of a site, if known."""

    def lines(self, covered: int | None = None) -> Lines:
        """The lines of the program to which paths came, by files; of None: all."""

    def bytes_of(self, lines: Mapping[str, Iterable[int]]) -> int:
        """The opposite: all bytes of some lines."""

    def graph(self) -> Graph | None:
        """The control flow of the program, if it is known."""

    def asked(self) -> Asked | None:
        """What is asked of steps under the rules that are on; None where these are not known."""

    def memory(self) -> int:
        """Bytes of memory of all processes."""

    def close(self) -> None:
        """Ends all processes."""
