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
    return Line(*how_to_show(wanted, _ON_TERMINAL))


def how_to_show(wanted: bool, on_terminal: float) -> tuple[bool, float]:
    """Whether a line changes, and the seconds from line to line."""
    live = wanted and sys.stderr is not None and sys.stderr.isatty()
    return live, (on_terminal if live else _ELSEWHERE) if wanted else math.inf


class Changing:
    """A line now and then. live: it is written over the last one."""

    def __init__(self, live: bool, interval: float) -> None:
        self._live, self._interval = live, interval
        self._next = time.monotonic() + interval
        self._shown = False

    def is_due(self, now: float, *, news: bool = False) -> bool:
        """Whether it is time for a line, or for news if any line is wanted."""
        if now < self._next and not (news and self._interval < math.inf):
            return False
        self._next = now + self._interval
        return True

    def put(self, text: str) -> None:
        self._shown = self._live
        say(f"\r\x1b[Kwhence: {text}" if self._live else f"whence: {text}\n")

    def end(self) -> None:
        """The line goes."""
        if self._shown:
            say("\r\x1b[K")
        self._shown = False


class Line(Changing):
    """That of an exploration."""

    def __init__(self, live: bool, interval: float) -> None:
        super().__init__(live, interval)
        self._lacks = ""

    def tell(self, explorer: Loop[Any, Any]) -> None:
        lacks = explorer.executor.lacks
        news, self._lacks = lacks not in ("", self._lacks), lacks
        if self.is_due(time.monotonic(), news=news):
            self.put(line(explorer))


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
