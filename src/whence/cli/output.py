"""Writing to standard error, which may have been closed by whoever started us."""

from __future__ import annotations

import contextlib
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def say(text: str) -> None:
    """Write to standard error if there is one."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()


def leave(status: int) -> NoReturn:
    """Exit. What nobody reads any more is dropped: Python would write it again, fail, and exit with 120."""
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except (OSError, ValueError):
        sys.stderr = None
    sys.exit(status)
