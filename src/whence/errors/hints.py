"""What a message says that helps: the words that were expected, the name that was meant."""

from __future__ import annotations

from collections.abc import Iterable


def expected(names: Iterable[str]) -> str:
    """`(expected one of: a, b)`, in the order given."""
    return f"(expected one of: {', '.join(names)})"


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """` (did you mean 'x'?)`, or nothing when no name is close."""
    import difflib

    close = difflib.get_close_matches(name, list(names), n=3, cutoff=0.6)
    return f" (did you mean {' or '.join(repr(match) for match in close)}?)" if close else ""
