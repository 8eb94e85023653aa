"""The protocol of engines, which execute a program under rules and collect its findings.

The driver (`whence.engines.checked`) knows engines by this protocol and by their rows in
`whence.engines.registry` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from whence.engines.progress import Progress
from whence.engines.result import Result
from whence.engines.settings import Settings
from whence.rules.observable import Observable
from whence.toolchain.cache import Cache

P = TypeVar("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Task:
    """A program to be run once.

    arguments: its command line, from its name on. settings: with only the rules that the engine observes.
    leaks: some of these rules is evaluated at the end of main. notes: sentences for the user so far.
    unobserved: names of the rules that were on and that the engine does not observe.
    known: called with the result of a first run, without chains, before a second one is begun.
    """

    program: Path
    arguments: Sequence[str]
    settings: Settings
    cache: Cache
    progress: Progress
    leaks: bool = False
    notes: tuple[str, ...] = ()
    unobserved: tuple[str, ...] = ()
    known: Callable[[Result], None] = lambda _: None


class Engine(Protocol[P, R]):
    """Prepares a program (`P`), runs it (`R`), and collects its findings.

    All methods raise the errors of `whence.errors`; a program that misbehaves is no error.
    """

    @property
    def observes(self) -> Observable:
        """The observable properties; the driver refuses or leaves out a rule that needs others."""

    @property
    def follows(self) -> bool:
        """Whether a run can say whence values came (`Settings.locate`)."""

    def check(self, task: Task) -> None:
        """Raises `CarriesNoIR` for a program that only another engine can run, whatever the rules."""

    def prepare(self, task: Task) -> P:
        """The prepared program; raises `CarriesNoIR` if only another engine can run it."""

    def run(self, task: Task, prepared: P) -> R:
        """Run the program until it ends."""

    def collect(self, task: Task, prepared: P, ran: R) -> Result:
        """Findings of a run, and all facts about it."""
