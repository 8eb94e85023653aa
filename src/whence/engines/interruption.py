"""Signals that come after the program has ended, while its report is made.

They would end a command, and its report with it. The first one is kept until the report is written; then
this process ends by it. What takes long is left out: a second run at once, names of frames after a few
seconds or at the second signal. The third one ends the process as ever. While the program runs, signals are
for the program (`whence.engines.process.launch`), and while it runs again for the second run
(`whence.engines.patience`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from types import FrameType
from typing import Any

_NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_DROPPED = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM)
"""Signals for the program, which is no longer there."""
_NAMING = 3.0
"""Seconds for names of frames after the first signal."""


class Interruption:
    """The signals of this process. number: of the first that came, or 0. armed: a command makes a report."""

    def __init__(self) -> None:
        self.number = 0
        self.armed = False
        self._count = 0
        self._end_of_names = 0.0
        self._before: dict[int, Any] = {}

    def begin(self) -> None:
        """Keep signals from now on if it is armed; only in the main thread, and none that are ignored."""
        if not self.armed or self._before or threading.current_thread() is not threading.main_thread():
            return
        handlers = dict.fromkeys(_NUMBERS, self._came) | dict.fromkeys(_DROPPED, _drop)
        for number, handler in handlers.items():
            if signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, handler)

    def end(self) -> int:
        """Handle signals as before `begin`; returns the number of the one that came, or 0."""
        self.armed = False
        before, self._before = self._before, {}
        for number, handler in before.items():
            signal.signal(number, handler)
        number, self.number, self._count = self.number, 0, 0
        return number

    @property
    def sentence(self) -> str:
        """Why something is left out, or ""."""
        name = signal.Signals(self.number).name if self.number else ""
        return f"{name} came while the report was made" if name else ""

    def hurries(self) -> str:
        """The same once there is no more time for names."""
        return self.sentence if self.number and time.monotonic() > self._end_of_names else ""

    def _came(self, number: int, frame: FrameType | None) -> None:
        self._count += 1
        if self._count > 2:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        self._end_of_names = time.monotonic() + (_NAMING if self._count == 1 else 0.0)
        if self._count > 1:
            return
        self.number = number
        # No stream: the signal may have come in the middle of writing to it.
        with contextlib.suppress(OSError):
            os.write(2, f"whence: {self.sentence}: it is written without what takes long\n".encode())


def _drop(number: int, frame: FrameType | None) -> None:
    """A handler and not `SIG_IGN`, which programs that are started would inherit."""


current = Interruption()
"""That of this process."""
