"""What a run checked and what it did not: the facts of the last line of its report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

NO_IR = "no IR"
"""Why most libraries are left out: another compiler made them."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A program, library or source file whose code was not checked, and why in a few words."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a run checked.

    modules, functions: how many were instrumented. rules: how many were evaluated.
    unobserved: names of the rules that were on and that the engine does not observe.
    left_out: programs, libraries and source files without checks.
    unchecked: the sentence that takes the place of "no findings" where no code was checked although the
    user expects it; empty otherwise.
    """

    modules: int = 0
    functions: int = 0
    rules: int = 0
    unobserved: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    unchecked: str = ""


def total(parts: Iterable[Coverage]) -> Coverage:
    """Of several builds in one run: sums, and what was left out once each."""
    modules = functions = 0
    left_out: dict[LeftOut, None] = {}
    for part in parts:
        modules += part.modules
        functions += part.functions
        left_out |= dict.fromkeys(part.left_out)
    return replace(Coverage(), modules=modules, functions=functions, left_out=tuple(left_out))
