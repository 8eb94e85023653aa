"""Progress of the preparation of a program."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Receives the progress of the work."""

    def start(self, what: str, total: int) -> None:
        """A stage of `total` steps begins."""

    def step(self, what: str) -> None:
        """One step is done."""

    def wait(self, name: str, seconds: float) -> None:
        """Called about every second: what is worked on for longest, and for how long."""

    def stop(self) -> None:
        """The work is over, or has failed."""


class _NoProgress:
    def start(self, what: str, total: int) -> None:
        pass

    def step(self, what: str) -> None:
        pass

    def wait(self, name: str, seconds: float) -> None:
        pass

    def stop(self) -> None:
        pass


NO_PROGRESS: Progress = _NoProgress()
"""Ignores all progress."""
