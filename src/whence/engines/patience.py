"""How long a second run is waited for: until its time is over, or a signal asks for the end.

The findings of the first run are known by then, so a signal gives up the second run alone. The first signal
is noticed where the work can be left at once, between modules or while the program runs, and a second one
interrupts whatever is done.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

_ASKING = ("SIGINT", "SIGTERM", "SIGHUP")
_FOR_THE_PROGRAM = ("SIGUSR1", "SIGUSR2", "SIGALRM", "SIGQUIT")
"""Signals that a first run passes on; those that come now are for a program that has ended."""


class Patience:
    """Entered where the second run begins, its build included.

    seconds: what it may take, None for any time. signals: this process handles signals for its user (main
    thread only); else they stay with whoever has called. meanwhile: called now and then while the program
    runs. signal: the name of the one that came.
    """

    def __init__(
        self, seconds: float | None, *, signals: bool, meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        self.seconds = seconds
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
        return f"it did not end within {self.seconds:g} s" if self.left == 0.0 else ""
