"""Finds inputs for paths: what a solver need not be asked, and what it is asked.

A question is a condition that the path shall have, beside those that it has already. Only conditions that
share bytes with it, directly or through others, matter; the other bytes keep their values. Conditions on a
single byte are sets of 256 values, and conditions on a few bytes may be evaluated for all values that these
have left. What is left is compared with known answers and known inputs, and then asked.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from whence.exploring.evaluate import Columns, holds
from whence.exploring.preferring import preferred
from whence.exploring.solvers import Solver
from whence.exploring.terms import ALL, Terms

if TYPE_CHECKING:
    from whence.exploring.grids import Grids

T = TypeVar("T")

_MOST_MODELS = 12
_MOST_CORES = 24
_MOST_ANSWERS = 200_000
_FEW = 4
"""Bytes of a question that may be answered by evaluating."""
_PATIENCE = 6
"""Such questions are left to the solver at first: an exploration with few of them needs no arrays."""


@dataclass
class Counts:
    """How questions were settled: by sets of a byte's values, known answers, known inputs, all values of a
    few bytes, the solver.

    seconds: of the solver. unknown: questions that it gave up.
    """

    questions: int = 0
    by_bytes: int = 0
    by_answers: int = 0
    by_inputs: int = 0
    by_values: int = 0
    queries: int = 0
    satisfiable: int = 0
    unknown: int = 0
    seconds: float = 0.0


class GivenUp(Exception):
    """The solver's time for one question was over."""


class Unasked(Exception):
    """The time of the exploration does not suffice for a question."""


@dataclass
class Reasoner:
    """Answers questions about paths. milliseconds: the limit of one question to the solver. end: until when
    questions are to be answered, by the monotonic clock; None for no limit."""

    terms: Terms
    solver: Solver
    milliseconds: int
    end: float | None = None
    counts: Counts = field(default_factory=Counts)

    def __post_init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Give up all that was computed: it can be computed again."""
        self.solver.forget()
        self.columns = Columns(self.terms)
        self._answers: dict[tuple[int, frozenset[int]], Mapping[int, int] | None] = {}
        self._models: dict[int, list[Mapping[int, int]]] = {}
        self._cores: dict[int, list[frozenset[int]]] = {}
        self._grids: Grids | None = None
        self._small = 0

    def find(self, wanted: int, path: Iterable[int]) -> Mapping[int, int] | None:
        """Values of some bytes so that `wanted` is true on a path; None if there are none.

        path: the conditions that hold on it. The other bytes keep their values. Raises `GivenUp`, `Unasked`.
        """
        self.counts.questions += 1
        if self.terms.is_constant(wanted):
            return {} if self.terms.parameter[wanted] else None
        conditions, support = self._connected(wanted, path)
        key = (wanted, frozenset(conditions))
        if key in self._answers:
            self.counts.by_answers += 1
            return self._answers[key]
        found = self._settle(wanted, conditions, support)
        if len(self._answers) > _MOST_ANSWERS:
            self._answers.clear()
        self._answers[key] = found
        return found

    def _connected(self, wanted: int, path: Iterable[int]) -> tuple[list[int], int]:
        """The conditions that share bytes with `wanted`, and all their bytes."""
        supports = self.terms.support
        support = supports[wanted]
        taken: set[int] = set()
        left = set(path)
        while True:
            near = [each for each in left if supports[each] & support]
            if not near:
                return sorted(taken), support
            taken.update(near)
            left.difference_update(near)
            for each in near:
                support |= supports[each]

    def _settle(self, wanted: int, conditions: Sequence[int], support: int) -> Mapping[int, int] | None:
        domains = self._domains([wanted, *conditions])
        if not all(domains.values()):
            self.counts.by_bytes += 1
            return None
        if support & (support - 1) == 0:
            self.counts.by_bytes += 1
            (number,) = self.terms.members(support)
            return {number: preferred(domains[number])}
        if support.bit_count() <= _FEW:
            found = self._evaluated([wanted, *conditions], support, domains)
            if found is not None:
                return found or None
        known = self._known(wanted, conditions, support)
        if known is not None:
            return known or None
        return self._ask(wanted, conditions, support)

    def _domains(self, conditions: Iterable[int]) -> dict[int, int]:
        """What the conditions on one byte leave of its values."""
        domains: dict[int, int] = {}
        for each in conditions:
            support = self.terms.support[each]
            if support and support & (support - 1) == 0:
                number = support.bit_length() - 1
                domains[number] = domains.get(number, ALL) & self.columns.true_for(each)
        return domains

    def _evaluated(
        self, conditions: Sequence[int], support: int, domains: Mapping[int, int]
    ) -> Mapping[int, int] | None:
        """An input that was found among all values, an empty one if there is none; None: not looked for."""
        self._small += 1
        if self._small <= _PATIENCE:
            return None
        from whence.exploring.grids import MOST_POINTS, Grids, Unsuited, points

        asked = {number: domains.get(number, ALL) for number in self.terms.members(support)}
        if points(asked) > MOST_POINTS:
            return None
        if self._grids is None:
            self._grids = Grids(self.terms)
        try:
            found = self._grids.find(conditions, asked)
        except Unsuited:
            return None
        self.counts.by_values += 1
        return found or {}

    def _known(self, wanted: int, conditions: Sequence[int], support: int) -> Mapping[int, int] | None:
        """A known input, or an empty one where a known core shows that there is none; None: not known."""
        asked = {wanted, *conditions}
        if any(core <= asked for core in self._cores.get(wanted, ())):
            self.counts.by_answers += 1
            return {}
        for model in self._models.get(support, ()):
            if holds(self.terms, (wanted, *conditions), model):
                self.counts.by_inputs += 1
                return model
        return None

    def _ask(self, wanted: int, conditions: Sequence[int], support: int) -> Mapping[int, int] | None:
        begun, limit = time.perf_counter(), self._limit()
        answer = self.solver.check([wanted, *conditions], limit)
        self.counts.seconds += time.perf_counter() - begun
        self.counts.queries += 1
        if answer.unknown:
            if limit < self.milliseconds:
                raise Unasked
            self.counts.unknown += 1
            raise GivenUp
        if answer.model is None:
            _keep(self._cores.setdefault(wanted, []), frozenset(answer.core), _MOST_CORES)
            return None
        self.counts.satisfiable += 1
        _keep(self._models.setdefault(support, []), answer.model, _MOST_MODELS)
        return answer.model

    def _limit(self) -> int:
        """The milliseconds of the next question. Where less is left it is halved until that suffices: a
        solver may begin anew with another limit, so there are to be few of them."""
        limit = self.milliseconds
        if self.end is not None:
            left = max(0.0, self.end - time.monotonic()) * 1000
            while limit > left:
                limit //= 2
            if not limit:
                raise Unasked
        return limit


def _keep(kept: list[T], new: T, most: int) -> None:
    kept.insert(0, new)
    del kept[most:]
