"""The corpus that judges detection: every program of ``tests/programs`` at every level of optimisation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from _pytest.mark import ParameterSet
from tests.harness.expect import LEVELS, Case, discover
from tests.harness.judge import differences
from tests.harness.session import Corpus

pytestmark = pytest.mark.build

CASES = discover()
KNOWN: dict[str, str] = {}
"""Programs whose bug is not found as it should be, and why."""


def _parameters() -> Iterator[ParameterSet]:
    """Every case at every level.

    A program and its twin have the same level that is not slow, which changes from pair to pair. Programs
    that are slow to compile have none.
    """
    for i, case in enumerate(CASES):
        quick = () if case.run.slow else (LEVELS[i // 2 % len(LEVELS)],)
        known = [pytest.mark.xfail(reason=KNOWN[case.name], strict=True)] if case.name in KNOWN else []
        for level in LEVELS:
            marks = known if level in quick else [*known, pytest.mark.slow]
            yield pytest.param(case, level, id=f"{case.name}-{level}", marks=marks)


@pytest.mark.parametrize(("case", "level"), _parameters())
def test_program(case: Case, level: str, corpus: Corpus) -> None:
    """A buggy program gives exactly the expected findings, a clean one none, and both end as they should."""
    outcome = corpus.outcome(case, level)
    wrong = differences(case, outcome)
    if wrong:
        lines = "\n  ".join(wrong)
        context = f"{outcome.command}\n{outcome.stderr}"
        pytest.fail(f"{case.name} {level}: {case.summary}\n  {lines}\n{context}", pytrace=False)
