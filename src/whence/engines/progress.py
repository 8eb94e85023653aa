"""Progress of the preparation of a program, and of a second run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Progress(Protocol):
    """Receives the progress of the work."""

    def start(self, what: str, total: int, hint: str = "") -> None:
        """A stage of `total` steps begins; 0: one that is not counted. hint: how it may take less long."""

    def step(self, what: str) -> None:
        """One step is done."""

    def wait(self, name: str, seconds: float) -> None:
        """Called about every second: what is worked on for longest, and for how long."""

    def stop(self) -> None:
        """The work is over, or has failed."""


class _NoProgress:
    def start(self, what: str, total: int, hint: str = "") -> None:
        pass

    def step(self, what: str) -> None:
        pass

    def wait(self, name: str, seconds: float) -> None:
        pass

    def stop(self) -> None:
        pass


NO_PROGRESS: Progress = _NoProgress()
"""Ignores all progress."""


class SecondRun:
    """The progress of a second run: each stage says what it is for.

    name: of the program. more: says how long it may take, and how to do without it.
    """

    def __init__(self, progress: Progress, name: str, more: Callable[[], str]) -> None:
        self._progress, self._name, self._more = progress, name, more
        self._runs = False

    def start(self, what: str, total: int, hint: str = "") -> None:
        self.ran()
        more = self._more()
        self._progress.start(f"{what} for chains{f' ({more})' if more else ''}", total)

    def step(self, what: str) -> None:
        self._progress.step(what)

    def wait(self, name: str, seconds: float) -> None:
        self._progress.wait(name, seconds)

    def stop(self) -> None:
        self._progress.stop()

    def running(self) -> None:
        """Called now and then while the program runs; that stage ends with `ran`, or where another begins."""
        if not self._runs:
            self.start(f"running {self._name}", 0)
            self._runs = True
        self.wait("", 0.0)

    def ran(self) -> None:
        """The program does not run any more."""
        if self._runs:
            self._runs = False
            self.stop()
