"""How long a second run is waited for: until its time is over, or a signal asks for the end.

The findings of the first run are known by then, so a signal gives up the second run alone. The first signal
is noticed where the work can be left at once, between modules or while the program runs, and a second one
interrupts whatever is done.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from whence.errors import ToolLimit

_ASKING = ("SIGINT", "SIGTERM", "SIGHUP")
_FOR_THE_PROGRAM = ("SIGUSR1", "SIGUSR2", "SIGALRM", "SIGQUIT")
"""Signals that a first run passes on; those that come now are for a program that has ended."""


class TooLong(ToolLimit):
    """A second run would take longer than it may. needed: the seconds that would do, roundly."""

    def __init__(self, message: str, needed: float) -> None:
        super().__init__(message)
        self.needed = 10 * math.ceil(1.5 * needed / 10)


class Patience:
    """Entered where the second run begins, its build included.

    seconds: what it may take, None for any time. run, option: what it is, and what sets the seconds. running:
    how many of them the program itself will need.
    signals: this process handles signals for its user (main thread only); else they stay with whoever has
    called. meanwhile: called now and then while the program runs. signal: the name of the one that came.
    expected: the seconds that making its code takes, 0 where that is there.
    """

    def __init__(
        self,
        seconds: float | None,
        *,
        signals: bool,
        running: float = 0.0,
        meanwhile: Callable[[], None] = lambda: None,
        run: str = "a second run",
        option: str = "--locate-time",
    ) -> None:
        self.seconds, self.running = seconds, running
        self._run, self._option = run, option
        self.expected = 0.0
        self.signals = signals and threading.current_thread() is threading.main_thread()
        self.meanwhile = meanwhile
        self.signal = ""
        self._end: float | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Patience:
        self._end = None if self.seconds is None else time.monotonic() + self.seconds
        if self.signals:
            self._take(_ASKING, self._ask)
            self._take(_FOR_THE_PROGRAM, lambda *_: None)
        return self

    def _take(self, names: tuple[str, ...], handler: Any) -> None:
        for name in names:
            number = getattr(signal, name)
            if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
                self._before[number] = signal.signal(number, handler)

    def __exit__(self, *_: object) -> None:
        while self._before:
            number, handler = self._before.popitem()
            signal.signal(number, handler)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        again, self.signal = self.signal, signal.Signals(number).name
        if again:
            raise KeyboardInterrupt

    def expect(self, seconds: float) -> None:
        """Its code takes so many seconds to instrument; raises `TooLong`."""
        self.expected = seconds
        left, needed = self.left, seconds + self.running
        if left is not None and self.seconds is not None and needed > left:
            raise TooLong(
                f"instrumenting for {self._run} would take {seconds:.0f} s, more than it may ({self._option} "
                f"{self.seconds:.4g})",
                needed + self.seconds - left,
            )

    @property
    def left(self) -> float | None:
        """The seconds that are left, None for any time."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    @property
    def over(self) -> bool:
        """Whether nobody waits any more."""
        return bool(self.signal) or self.left == 0.0

    def looked(self) -> bool:
        """The same, asked while the program runs."""
        self.meanwhile()
        return self.over

    @property
    def end(self) -> str:
        """Why nobody waits any more; "" while somebody does."""
        if self.signal:
            return f"{self.signal} came"
        return f"its time was over ({self._option} {self.seconds:g})" if self.left == 0.0 else ""
