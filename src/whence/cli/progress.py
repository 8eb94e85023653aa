"""How far long work is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from whence.cli.output import say
from whence.engines.progress import NO_PROGRESS

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from whence.engines.progress import Progress

_SHORT = 2.0
"""Seconds of work that nothing is said of."""
_INTERVAL = 10.0
"""Seconds from line to line."""
_LONG = 5.0
"""Seconds after which the module that is worked on has its name said."""


def shown(wanted: bool) -> Progress:
    """What fits where standard error goes, if progress is wanted at all."""
    if not wanted or sys.stderr is None:
        return NO_PROGRESS
    return Bar(True) if sys.stderr.isatty() else Lines()


class Lines:
    """One line once the work is no short one, one for every interval, and one with the time at the end."""

    def __init__(self) -> None:
        self._what, self._hint, self._total, self._done = "", "", 0, 0
        self._begun = self._said = 0.0

    def start(self, what: str, total: int, hint: str = "") -> None:
        self._what, self._hint, self._total, self._done = what, hint, total, 0
        self._begun, self._said = time.monotonic(), 0.0

    def step(self, what: str) -> None:
        self._done += 1

    def wait(self, name: str, seconds: float) -> None:
        now = time.monotonic()
        if not self._said and now - self._begun >= _SHORT:
            from whence.report.words import plural

            size = f": {plural(self._total, 'module')}" if self._total else ""
            say(f"whence: {self._what}{size}{f' ({self._hint})' if self._hint else ''}\n")
        elif not self._said or now - self._said < _INTERVAL:
            return
        else:
            self._say_done(now, _working_on(name, seconds))
        self._said = now

    def stop(self) -> None:
        if self._said:
            self._say_done(time.monotonic())
        self._said = 0.0

    def _say_done(self, now: float, working: str = "") -> None:
        seconds = now - self._begun
        done = f"{self._done:,} of {self._total:,} " if self._total else ""
        say(f"whence: {self._what}: {done}after {seconds:.0f} s{working}\n")


def _working_on(name: str, seconds: float) -> str:
    return f"; working on {name} for {seconds:.0f} s" if seconds >= _LONG else ""


class Bar:
    """Follows `whence.engines.progress.Progress`; vanishes when the work is done."""

    def __init__(self, shown: bool) -> None:
        self._what = ""
        self._shown = shown and sys.stderr is not None and sys.stderr.isatty()
        self._progress: RichProgress | None = None
        self._task: TaskID | None = None

    def start(self, what: str, total: int, hint: str = "") -> None:
        if not self._shown:
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._progress = Progress(
            TextColumn("whence: {task.description}", markup=False),
            BarColumn(),
            *([MofNCompleteColumn()] if total else []),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,  # no thread: worker processes are forked while it is shown
        )
        self._what = f"{what} ({hint})" if hint else what
        self._task = self._progress.add_task(self._what, total=total or None)
        self._progress.start()
        self._progress.refresh()

    def step(self, what: str) -> None:
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task)
            self._progress.refresh()

    def wait(self, name: str, seconds: float) -> None:
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, description=self._what + _working_on(name, seconds))
            self._progress.refresh()

    def stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
