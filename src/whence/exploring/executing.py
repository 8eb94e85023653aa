"""The border to whatever runs paths: the fork server of a checked program, or a model in a test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from whence.findings import Finding

Inputs = Mapping[str, bytes]
"""The bytes of each symbolic object, by its name; those that are missing are 0."""


TIME_LIMIT, WAITING, MEMORY_LIMIT = "time limit", "waiting", "memory limit"
"""Ends of paths that were killed: their time was over while they ran, or slept; they had too much memory."""


@dataclass(frozen=True, slots=True)
class Ran:
    """One path that has run: its trace, the status as waitpid gives it, and what rules found.

    cut: why it was killed, else empty: the end that it then has (`TIME_LIMIT`, `WAITING`, `MEMORY_LIMIT`).
    lost: why it has not run to any end: the process that was to run it is gone, and another has its place.
    """

    trace: bytes
    status: int
    cut: str = ""
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = field(default=())
    lost: str = ""


class Executor(Protocol):
    """Runs inputs, several at a time; `Key` is whatever the caller wants back with the result."""

    @property
    def free(self) -> int:
        """How many more inputs can be begun now."""

    @property
    def running(self) -> int:
        """How many have begun."""

    def begin(self, key: object, inputs: Inputs) -> None:
        """Run a path with these inputs."""

    def next(self, seconds: float | None) -> tuple[object, Ran] | None:
        """Waits for the end of one of the paths; None after the time."""

    def place(self, site: int) -> str:
        """Where a site is, for people: function, file and line as far as known."""

    def code(self, site: int) -> str:
        """The begin of the source at a site, empty where it is not known."""

    def source(self, site: int) -> tuple[str, int] | None:
        """The file and line of a site, if known."""

    def memory(self) -> int:
        """Bytes of memory of all processes."""

    def close(self) -> None:
        """Ends all processes."""
