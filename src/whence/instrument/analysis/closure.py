"""What can be reached step by step, as the values that depend on some."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def closure(starts: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    """The starts, what follows them, what follows that, and so on. Linear in the number of steps."""
    found = set(starts)
    waiting = list(found)
    while waiting:
        for name in following(waiting.pop()):
            if name not in found:
                found.add(name)
                waiting.append(name)
    return found
