"""What a run builds its program with, and who is told how far that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from whence.rules import RuleSet


class Progress(Protocol):
    """Told how far the work is."""

    def start(self, what: str, total: int) -> None:
        """A stage of `total` steps begins."""

    def step(self, what: str) -> None:
        """One step is done."""

    def stop(self) -> None:
        """The work is over, or has failed."""


class _NoProgress:
    def start(self, what: str, total: int) -> None:
        pass

    def step(self, what: str) -> None:
        pass

    def stop(self) -> None:
        pass


NO_PROGRESS: Progress = _NoProgress()
"""For those who do not want to know."""


@dataclass(frozen=True)
class Plan:
    """What every module of one run is compiled with; `environment` is that of the program."""

    rules: RuleSet
    jobs: int
    progress: Progress
    environment: Mapping[str, str]
