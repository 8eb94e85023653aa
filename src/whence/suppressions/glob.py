"""Patterns with ``*`` and ``?``, which is all that suppression files know."""

from __future__ import annotations

import re
from functools import cache

_SPECIAL = re.compile(r"[*?\\]")


@cache
def compile_glob(pattern: str, escapes: bool = False) -> re.Pattern[str]:
    """A regular expression for a glob; with `escapes`, a backslash takes the meaning from what follows."""
    parts: list[str] = []
    index = 0
    while index < len(pattern):
        char = pattern[index]
        if escapes and char == "\\" and index + 1 < len(pattern):
            index += 1
            parts.append(re.escape(pattern[index]))
        else:
            parts.append({"*": ".*", "?": "."}.get(char) or re.escape(char))
        index += 1
    return re.compile("".join(parts), re.DOTALL)


def matches(pattern: str, text: str, *, escapes: bool = False) -> bool:
    """Whether the whole text matches."""
    return compile_glob(pattern, escapes).fullmatch(text) is not None


def escape(text: str) -> str:
    """A pattern (with escapes) that matches this text only."""
    return _SPECIAL.sub(r"\\\g<0>", text)
