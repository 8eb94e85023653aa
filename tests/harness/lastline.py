"""The last line of a report: what was checked."""

from __future__ import annotations

import re

_CLEAN = re.compile(
    r"whence: no findings(?:, \d+ suppressed)?; the program [^\n]*; "
    r"checked: [^\n]* rules?(?:; [^\n]*)?\n\Z"
)


def before_last_line(text: str) -> str:
    """What a clean run wrote to standard error before its last line, which says what was checked."""
    last = _CLEAN.search(text)
    assert last, f"no last line of a clean run: {text!r}"
    return text[: last.start()]
