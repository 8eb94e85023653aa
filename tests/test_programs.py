"""The corpus that judges detection: every program of ``tests/programs`` at every level of optimisation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from zlib import crc32

import pytest
from _pytest.mark import ParameterSet
from tests.harness.core import core_cases
from tests.harness.expect import LEVELS, Case, discover
from tests.harness.judge import differences
from tests.harness.session import Corpus

pytestmark = pytest.mark.build

CASES = discover()
KNOWN: dict[str, str] = {}
"""Programs whose bug is not found as it should be, and why."""


UNDEFINED = {
    "heap-buffer-overflow/struct-by-value.c": "the last number of the block is never written",
    "heap-buffer-overflow/struct-by-value.clean.c": "the last number of the block is never written",
    "stack-use-after-scope/in-coroutine.cpp": "the memory of whole stacks is summed up",
    "stack-use-after-scope/in-coroutine.clean.cpp": "the memory of whole stacks is summed up",
}
"""Programs that are also wrong in another way, by the rule about undefined values, and how."""
REGISTERS = ("definite-leak/overwritten-before-exit.c", "definite-leak/waiting-thread.c")
"""Programs where, with the rule about undefined values, a register may keep a pointer that is not used."""
SAMPLED = 20
"""One of so many programs is run with the rule about undefined values in the default suite."""
LARGE = ("clean/threads.clean.cpp", "clean/containers.clean.cpp")
"""Programs that take long to compile with it."""


ALWAYS, EACH = 1, 12
"""Of a rule's pairs that are not of the core, so many are in the default suite, and then one of so many."""


def _number(case: Case) -> int:
    """A number of a program and its twin, from their name alone: other programs do not change it."""
    return crc32(case.name.replace(".clean.", ".").encode())


def _chosen(case: Case, before: int) -> bool:
    """Whether a program that is not of the core is in the default suite, as its twin is.

    `before` pairs of the same rule come before it.
    """
    return before < ALWAYS or _number(case) // len(LEVELS) % EACH == 0


def _parameters() -> Iterator[ParameterSet]:
    """Every case at every level, and once more with the rule about undefined values.

    A program and its twin have the same level that is not slow, which differs from pair to pair. Programs
    that are slow to compile, and those that are not `_chosen`, have none.
    """
    core, programs = {case.path for case in core_cases()}, Counter[str]()
    for case in CASES:
        of_core = case.path in core
        chosen = of_core or _chosen(case, programs[case.rule] // 2)
        programs[case.rule] += not of_core
        number = _number(case)
        quick = (LEVELS[number % len(LEVELS)],) if chosen and not case.run.slow else ()
        known = [pytest.mark.xfail(reason=KNOWN[case.name], strict=True)] if case.name in KNOWN else []
        for level in LEVELS:
            marks = known if level in quick else [*known, pytest.mark.slow]
            yield pytest.param(case, level, False, id=f"{case.name}-{level}", marks=marks)
            if case.name not in UNDEFINED:
                sampled = level in quick and number // len(LEVELS) % SAMPLED == 0 and case.name not in LARGE
                marks = known if sampled else [*known, pytest.mark.slow]
                if case.name in REGISTERS:
                    marks = [*marks, pytest.mark.xfail(reason="a register may have it", strict=False)]
                yield pytest.param(case, level, True, id=f"{case.name}-{level}-values", marks=marks)


@pytest.mark.parametrize(("case", "level", "values"), list(_parameters()))
def test_program(case: Case, level: str, values: bool, corpus: Corpus) -> None:
    """A buggy program gives exactly the expected findings, a clean one none, and both end as they should."""
    outcome = corpus.outcome(case, level, values)
    wrong = differences(case, outcome)
    if wrong:
        lines = "\n  ".join(wrong)
        context = f"{outcome.command}\n{outcome.stderr}"
        pytest.fail(f"{case.name} {level}: {case.summary}\n  {lines}\n{context}", pytrace=False)
