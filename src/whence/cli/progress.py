"""A progress bar on a terminal; nothing in a pipe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Bar:
    """Follows `whence.engines.progress.Progress`; vanishes when the work is done."""

    def __init__(self, shown: bool) -> None:
        self._shown = shown and sys.stderr is not None and sys.stderr.isatty()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def start(self, what: str, total: int) -> None:
        if not self._shown:
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self._progress = Progress(
            TextColumn("whence: {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,  # no thread: worker processes are forked while it is shown
        )
        self._task = self._progress.add_task(what, total=total)
        self._progress.start()
        self._progress.refresh()

    def step(self, what: str) -> None:
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task)
            self._progress.refresh()

    def stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
