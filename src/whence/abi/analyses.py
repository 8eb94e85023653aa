"""Analyses: what is followed beside the values of a program, an object each.

Rules ask for some of them, and the user, an exploration or a fuzzer for others. An analysis says here what
all need to know of it: who treats some in another way asks its row, not which one it is. Its passes stand in
`whence.instrument.pipeline.table`, what they call in `whence.instrument.detectors.filters`, and what decodes
its part of a finding in `whence.engines.process.facts`, with the analysis beside them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Analysis:
    """One thing that is followed.

    name: its part of the keys of objects and of what they cost; the option of the runtime, if a run asks for
    it.
    followed: what, in the words of notes. thorough: whether its code is of the full tier, whatever the run's.
    optimised: whether it follows code as LLVM optimises it in the full tier. twins: whether functions get
    twins. dispensable: whether a module is checked without it where no pass can change its optimised code.
    """

    name: str
    followed: str
    thorough: bool = False
    optimised: bool = False
    twins: bool = False
    dispensable: bool = False

    def __str__(self) -> str:
        return self.name


DEFINEDNESS = Analysis("definedness", "undefined values", twins=True, dispensable=True)
"""Asked for by rules that judge uses of undefined values."""
LABELS = Analysis("labels", "labels", optimised=True, dispensable=True)
"""Asked for by rules that name labels of domains."""
RACES = Analysis("races", "accesses that threads share", dispensable=True)
"""Asked for by rules about accesses that threads share."""
ORIGINS = Analysis("origins", "where values come from", thorough=True)
"""Asked for by `Settings.locate`."""
SYMBOLIC = Analysis("symbolic", "expressions of symbolic values", thorough=True)
"""Asked for by explorations."""
EDGES = Analysis("edges", "edges and comparisons", thorough=True, dispensable=True)
"""Asked for by fuzzing."""

OF_RUNS = (ORIGINS, SYMBOLIC, EDGES)
"""Those that runs ask for, and not rules."""


def key_of(analyses: frozenset[Analysis]) -> list[str]:
    """The names of analyses, in an order of their own: a set has another one in each process."""
    return sorted(each.name for each in analyses)
