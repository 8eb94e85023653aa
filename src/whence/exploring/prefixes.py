"""What is known of the traces of earlier paths.

Paths that have made the same decisions have written the same bytes, so a trace is read anew only from the
decision on in which its path differs from all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from whence.exploring.decisions import Cases, Decision, SymbolicObject

if TYPE_CHECKING:
    from whence.exploring.questions import Part

_MOST_BYTES = 48 << 20
_STEP_BYTES = 500


class Names(NamedTuple):
    """What traces have beside expressions, sites and decisions: objects, by their order, the cases of
    switches by the site, the numbers that terms give tables, by their order, what the program prefers, and
    parts of objects, of which an access is about the last ones."""

    objects: list[SymbolicObject]
    cases: dict[int, Cases]
    tables: list[int]
    preferred: list[int]
    parts: list[Part]

    def counts(self) -> tuple[int, ...]:
        """How many of each there are."""
        return tuple(map(len, self))

    def since(self, counts: tuple[int, ...]) -> Names | None:
        """What has come since there were so many; None for nothing."""
        if counts == self.counts():
            return None
        objects, cases, tables, preferred, parts = counts
        return Names(
            self.objects[objects:],
            dict(list(self.cases.items())[cases:]),
            self.tables[tables:],
            self.preferred[preferred:],
            self.parts[parts:],
        )

    def add(self, more: Names) -> None:
        self.objects.extend(more.objects)
        self.cases.update(more.cases)
        self.tables.extend(more.tables)
        self.preferred.extend(more.preferred)
        self.parts.extend(more.parts)


class Step:
    """A point after a decision, None where that was on a constant, or the begin; others: more of the same
    record. segment: what is written from there to the next decision; None until a path has come to one.
    terms: what the segment defines; sites, names: what it names, None for nothing.

    span: bytes of the segment with the next decision's record. ways: what follows them, by these bytes.
    has_more: sites or names.
    """

    __slots__ = ("decision", "has_more", "names", "others", "segment", "sites", "span", "terms", "ways")

    def __init__(self, decision: Decision | None = None, others: tuple[Decision, ...] = ()) -> None:
        self.decision, self.others = decision, others
        self.segment: bytes | None = None
        self.terms: tuple[int, ...] = ()
        self.sites: dict[int, int] | None = None
        self.names: Names | None = None
        self.has_more = False
        self.span = 0
        self.ways: dict[bytes, Step] = {}


class Known:
    """What is known of a trace up to the byte `at`: what it defines, and its decisions. step: the one that
    goes on from there; None if nothing can be added."""

    __slots__ = ("at", "decisions", "names", "sites", "step", "terms")

    def __init__(self, at: int, step: Step) -> None:
        self.at = at
        self.step: Step | None = step
        self.terms = [0]
        self.sites: dict[int, int] = {}
        self.names = Names([], {}, [], [], [])
        self.decisions: list[Decision] = []

    def add(self, step: Step) -> None:
        """The sites and names of a segment."""
        if step.sites is not None:
            self.sites.update(step.sites)
        if step.names is not None:
            self.names.add(step.names)


class Prefixes:
    """The known begins of traces, as many as fit into a fixed amount of memory."""

    def __init__(self) -> None:
        self.root = Step()
        self._left = _MOST_BYTES

    def follow(self, data: bytes, at: int) -> Known:
        """How far a trace is known."""
        step = self.root
        known = Known(at, step)
        terms, decisions = known.terms, known.decisions
        while (way := step.ways.get(data[at : at + step.span])) is not None:
            at += step.span
            terms += step.terms
            if step.has_more:
                known.add(step)
            step = way
            if step.decision is not None:
                decisions.append(step.decision)
                if step.others:
                    decisions += step.others
        known.step = step
        if step.segment is not None:
            if data.startswith(step.segment, at):
                at += len(step.segment)
                terms += step.terms
                known.add(step)
            else:
                known.step = None
        known.at = at
        return known

    def add(
        self, step: Step, written: bytes, decision: Decision | None, others: tuple[Decision, ...] = ()
    ) -> Step | None:
        """One more way from a step, by what is written from there to behind the decision, with `others` of
        the same record; None if there is no room."""
        if self._left < 0:
            return None
        self._left -= len(step.segment or b"") + len(written) + _STEP_BYTES
        added = step.ways[written] = Step(decision, others)
        return added
