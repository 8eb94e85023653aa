"""The engine ``count``: an unchanged program, whose calls of the C library's allocator are counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from whence.engines.process.building import BuildSettings, Built
from whence.engines.process.engine import Prepared, ProcessEngine, Ran
from whence.engines.process.unchanged import image_of
from whence.engines.protocol import Task
from whence.errors import UserMistake
from whence.rules.observable import NATIVE
from whence.toolchain.native import native_library

OBSERVES = replace(
    NATIVE,
    name="count",
    points=frozenset(),
    functions=frozenset(),
    values=False,
    every=False,
    events=frozenset(),
    variables=frozenset(),
    fixed=frozenset(),
    remedy="choose another engine (--engine)",
)
"""Nothing that a rule could be about."""


class CountEngine(ProcessEngine):
    """Counts, and checks nothing."""

    observes = OBSERVES
    seen = "nothing: the heap was counted"

    def build(self, program: Path, settings: BuildSettings, task: Task) -> Built:
        """The unchanged program, and what counts to preload."""
        self.check(task)
        return Built(image_of(program).path, {}, (native_library("whence-count.so"),))

    def check(self, task: Task) -> None:
        """Raises `UserMistake` for a run that is to check something."""
        if not task.settings.profiled:
            raise UserMistake("engine count checks nothing: it is for whence heap")

    def unchecked(self, task: Task, prepared: Prepared, *, started: bool) -> str:
        """A sentence if nothing was counted."""
        return "" if started else f"nothing was counted: {task.arguments[0]} did not load what counts"

    def remarks(self, task: Task, prepared: Prepared, ran: Ran) -> list[str]:
        """A sentence that nothing was counted."""
        if ran.raw.started:
            return []
        return [
            f"nothing was counted: {task.arguments[0]} did not load what counts, as programs that have the "
            "rights of their file (set-user-ID), another loader or an allocator of their own do not"
        ]
