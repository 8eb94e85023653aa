"""The rules of tests that are not about undefined values: these change the code of every function."""

from __future__ import annotations

from whence.rules import RuleSet, load_standard

VALUES = "use-of-uninitialized-value"


def without_values() -> RuleSet:
    """The rules that are on by default, but for the one about undefined values."""
    return load_standard().select([], [VALUES])
