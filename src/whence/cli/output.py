"""Writing to standard error, which may have been closed by whoever started us."""

from __future__ import annotations

import contextlib
import sys


def say(text: str) -> None:
    """Write to standard error if there is one."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()
