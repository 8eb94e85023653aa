"""How far an exploration is: one line that changes on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import math
import sys
import time
from typing import TYPE_CHECKING, Any

from whence.cli.output import say
from whence.report.words import plural

if TYPE_CHECKING:
    from whence.exploring.loop import Loop

_ON_TERMINAL, _ELSEWHERE = 0.2, 10.0
"""Seconds from line to line."""


def shown(wanted: bool) -> Line:
    """What fits where standard error goes; it says nothing if no progress is wanted."""
    live = wanted and sys.stderr is not None and sys.stderr.isatty()
    return Line(live, (_ON_TERMINAL if live else _ELSEWHERE) if wanted else math.inf)


class Line:
    """live: it is written over the last one."""

    def __init__(self, live: bool, interval: float) -> None:
        self._live, self._interval = live, interval
        self._next = time.monotonic() + interval
        self._shown = False
        self._lacks = ""

    def tell(self, explorer: Loop[Any, Any]) -> None:
        now, lacks = time.monotonic(), explorer.executor.lacks
        news, self._lacks = lacks not in ("", self._lacks), lacks
        if now >= self._next or (news and self._interval < math.inf):
            self._next = now + self._interval
            text = f"whence: {line(explorer)}"
            self._shown = self._live
            say(f"\r\x1b[K{text}" if self._live else f"{text}\n")

    def end(self) -> None:
        """The line goes."""
        if self._shown:
            say("\r\x1b[K")
        self._shown = False


def line(explorer: Loop[Any, Any]) -> str:
    """Paths, errors, decisions that wait, queries, the time, and what is missing so that it goes on."""
    state, seconds = explorer.state, time.monotonic() - explorer.begun
    sites = {site for site, way in state.passed if way >= 0}
    ways = sum(way >= 0 for _, way in state.passed)
    parts = [
        plural(state.paths, "path"),
        plural(len(state.found), "error"),
        f"{explorer.left:,} waiting",
        f"{ways:,} of {2 * len(sites):,} branches",
        f"{explorer.counts.queries:,} queries",
        f"{seconds:.0f} s",
    ]
    return ", ".join([*parts, *filter(None, [explorer.executor.lacks])])
