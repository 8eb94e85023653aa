"""The last line of a report: what was checked."""

from __future__ import annotations

import re

_CLEAN = re.compile(
    r"whence: no findings(?:, \d+ suppressed)?; the program [^\n]*; "
    r"checked: [^\n]* rules?(?: \([^\n()]*\))?(?:; [^\n]*)?\n\Z"
)


_PROGRESS = re.compile(r"^whence: (?:reading|instrumenting) [^\n]*\n", re.M)
"""On a busy machine little work takes long."""


def before_last_line(text: str) -> str:
    """What a clean run wrote to standard error before its last line, which says what was checked."""
    last = _CLEAN.search(text)
    assert last, f"no last line of a clean run: {text!r}"
    return _PROGRESS.sub("", text[: last.start()])
