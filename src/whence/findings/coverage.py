"""What a run checked and what it did not: the facts of the last line of its report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from whence.findings.documents import Document
from whence.findings.plain import plain

NO_IR = "no IR"
"""Why most libraries are left out: another compiler made them."""


class Counts(NamedTuple):
    """What was checked of a module.

    functions: how many have checks. guarded: how many variables in memory lie between zones. safe: how many
    need no zones, because the module shows that they are accessed in their bounds alone.
    """

    functions: int
    guarded: int = 0
    safe: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A program, library or source file whose code was not checked, and why in a few words."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Coverage(Document, key="coverage"):
    """What a run checked.

    checked: what was counted in each instrumented module, by the module's digest.
    rules: how many were evaluated.
    unobserved: names of the rules that were on and that the engine does not observe.
    left_out: programs, libraries and source files without checks.
    unchecked: the sentence that takes the place of "no findings" where no code was checked although the
    user expects it; empty otherwise.
    ended: why the runtime checked nothing, or checked no longer; empty if it checked to the end.
    seen: what an engine checked that instruments nothing, in a few words.
    """

    checked: Mapping[str, Counts] = field(default_factory=dict)
    rules: int = 0
    unobserved: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    unchecked: str = ""
    ended: str = ""
    seen: str = ""

    def document(self) -> dict[str, Any]:
        return {
            "modules": self.modules,
            "functions": self.functions,
            "variables": {"guarded": self.guarded, "safe": self.safe},
            "rules": self.rules,
            "unobserved": plain(self.unobserved),
            "left_out": plain(self.left_out),
            "unchecked": plain(self.unchecked) or None,
            "ended": plain(self.ended) or None,
        }

    @property
    def modules(self) -> int:
        """How many modules were instrumented."""
        return len(self.checked)

    @property
    def functions(self) -> int:
        """How many functions these modules have."""
        return sum(each.functions for each in self.checked.values())

    @property
    def guarded(self) -> int:
        """How many of their variables lie between zones."""
        return sum(each.guarded for each in self.checked.values())

    @property
    def safe(self) -> int:
        """How many of their variables need no zones."""
        return sum(each.safe for each in self.checked.values())


def total(parts: Iterable[Coverage]) -> Coverage:
    """Of several builds in one run: each module and what was left out once."""
    checked: dict[str, Counts] = {}
    left_out: dict[LeftOut, None] = {}
    for part in parts:
        checked |= part.checked
        left_out |= dict.fromkeys(part.left_out)
    return Coverage(checked, left_out=tuple(left_out))
