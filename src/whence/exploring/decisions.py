"""What traces say of a path: its decisions, and the symbolic objects that it met."""

from __future__ import annotations

from dataclasses import dataclass

Cases = dict[int, int]
"""Of a switch: the way of each value that has a case; all others go way 0."""


YES_NO = ("BRANCH", "CHECK", "ASSUME")
"""Decisions with two ways; the others have one for each value, or for each block."""


class Decision:
    """A point of a path where other inputs may go on in another way.

    kind: BRANCH, SWITCH, CONCRETE, ACCESS, CHECK or ASSUME. site: where. outcome: the way of this path: 0
    or 1, the value, or the base of the block. term: the condition, value or address. detail: a number that
    the kind gives a meaning: the REASON of CONCRETE, which check, which access. size, length: of an access,
    and of the block; 0 where it leaves the block. cases: of a SWITCH, the ways of values.

    Paths that go the same way share it, so what each of them needs is kept. text: as tests have it, empty
    until it is asked for. passed: the site, and the way where there are two, else -1.
    """

    __slots__ = (
        *("kind", "site", "outcome", "term", "detail", "size", "length", "cases"),
        *("text", "passed"),
    )

    def __init__(
        self,
        kind: str,
        site: int,
        outcome: int,
        term: int,
        detail: int = 0,
        size: int = 0,
        length: int = 0,
        cases: Cases | None = None,
    ) -> None:
        self.kind, self.site, self.outcome, self.term, self.detail = kind, site, outcome, term, detail
        self.size, self.length, self.cases = size, length, cases
        self.text = ""
        self.passed = (site, outcome if kind in YES_NO else -1)

    def with_outcome(self, outcome: int) -> Decision:
        """The same decision, which another way was taken at."""
        if outcome == self.outcome:
            return self
        rest = (self.term, self.detail, self.size, self.length, self.cases)
        return Decision(self.kind, self.site, outcome, *rest)


@dataclass(slots=True)
class SymbolicObject:
    """A symbolic object that the path has met."""

    name: str
    size: int
