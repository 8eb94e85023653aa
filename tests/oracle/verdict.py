"""The verdict on a program: its first bug as rule, step and block, or its leaks."""

from __future__ import annotations

from dataclasses import dataclass

END = 0
"""The step of bugs that are found when the program ends."""


@dataclass(frozen=True, order=True)
class Bug:
    """`rule`: the name of the shipped rule; `step`: the number of the step, or END; `block`: the number of
    the step that allocated the heap block concerned, 0 if the bug concerns no heap block."""

    rule: str
    step: int
    block: int = 0

    def __str__(self) -> str:
        where = "at the end" if self.step == END else f"at step {self.step}"
        return f"{self.rule} {where}" + (f", block of step {self.block}" if self.block else "")


Verdict = frozenset[Bug]
"""The bugs of the first step that has any: one, or the leaks."""


def describe(verdict: Verdict | None) -> str:
    if verdict is None:
        return "not judged"
    return "; ".join(map(str, sorted(verdict))) or "clean"
