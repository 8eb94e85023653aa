"""What is known of the traces of earlier paths.

Paths that have made the same decisions have written the same bytes, so a trace is read anew only from the
decision on in which its path differs from all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whence.exploring.trace import Cases, Decision, SymbolicObject

_MOST_BYTES = 48 << 20
_STEP_BYTES = 500


class Step:
    """A point after a decision, or the begin. segment: what is written from there to the next decision; None
    until a path has come to one. terms, objects, sites, cases: what the segment defines.

    size: bytes of the next decision's record. ways: what follows it, by the record.
    """

    __slots__ = ("cases", "objects", "segment", "sites", "size", "terms", "ways")

    def __init__(self) -> None:
        self.segment: bytes | None = None
        self.terms: tuple[int, ...] = ()
        self.objects: tuple[SymbolicObject, ...] = ()
        self.sites: dict[int, int] = {}
        self.cases: dict[int, Cases] = {}
        self.size = 0
        self.ways: dict[bytes, tuple[Decision | None, Step]] = {}


class Prefixes:
    """The known begins of traces, as many as fit into a fixed amount of memory."""

    def __init__(self) -> None:
        self.root = Step()
        self._left = _MOST_BYTES

    def follow(self, data: bytes, at: int) -> tuple[int, list[Step], list[Decision], Step | None]:
        """How far a trace is known: to where, the steps whose segments it has, its decisions, and the step
        that goes on from there, None if nothing can be added."""
        step = self.root
        steps: list[Step] = []
        decisions: list[Decision] = []
        while step.segment is not None:
            if not data.startswith(step.segment, at):
                return at, steps, decisions, None
            at += len(step.segment)
            steps.append(step)
            way = step.ways.get(data[at : at + step.size])
            if way is None:
                break
            at += step.size
            decision, step = way
            if decision is not None:
                decisions.append(decision)
        return at, steps, decisions, step

    def add(self, step: Step, record: bytes, decision: Decision | None) -> Step | None:
        """One more way from a step; None if there is no room."""
        if self._left < 0:
            return None
        self._left -= len(step.segment or b"") + len(record) + _STEP_BYTES
        added = Step()
        step.ways[record] = decision, added
        return added
