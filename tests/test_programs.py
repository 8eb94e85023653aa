"""The corpus that judges detection: every program of ``tests/programs`` at every level of optimisation."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

import pytest
from _pytest.mark import ParameterSet
from tests.harness.expect import LEVELS, Case, discover
from tests.harness.judge import differences
from tests.harness.session import Corpus

CASES = discover()
BUGGY = [c for c in CASES if not c.is_clean]
TWINS = [c for c in CASES if c.is_clean and c.rule != "clean"]
RULES = (
    "unmatched-free",
    "double-free",
    "dangling-pointer-dereference",
    "null-pointer-dereference",
    "heap-buffer-overflow",
    "free-of-stack",
    "free-of-global",
    "free-inside-block",
    "mismatched-free",
    "overlapping-copy",
    "null-argument",
    "bad-alignment",
    "refused-alignment",
    "absurd-length",
    "absurd-size",
    "use-after-poison",
    "possible-leak",
    "definite-leak",
    "indirect-leak",
    "interior-leak",
    "reachable-leak",
)


KNOWN: dict[str, str] = {}
"""Programs whose bug is not found as it should be, and why."""


def _parameters() -> Iterator[ParameterSet]:
    """Every case at every level. All but these are slow:

    a pair of program and twin at one level, by turns, and every third pair at a second one.
    """
    for i, case in enumerate(CASES):
        turn = i // 2
        quick = {LEVELS[turn % 4], LEVELS[(turn + 2) % 4] if turn % 3 == 0 else LEVELS[turn % 4]}
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
        told = "\n  ".join(wrong)
        context = f"{outcome.command}\n{outcome.stderr}"
        pytest.fail(f"{case.name} {level}: {case.summary}\n  {told}\n{context}", pytrace=False)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_programs(rule: str) -> None:
    """At least three buggy programs and as many clean twins for every shipped rule."""
    assert len([c for c in BUGGY if c.rule == rule]) >= 3
    assert len([c for c in TWINS if c.rule == rule]) >= 3


@pytest.mark.parametrize("case", BUGGY, ids=lambda c: c.name)
def test_buggy_program_expects_its_rule(case: Case) -> None:
    assert case.expectations
    heads = {"definite-leak"} if case.rule == "indirect-leak" else set()  # what is lost hangs on a lost head
    assert {e.rule for e in case.expectations} == {case.rule, *heads}


@pytest.mark.parametrize("case", BUGGY, ids=lambda c: c.name)
def test_twin_differs_only_in_the_fix(case: Case) -> None:
    """The clean twin exists, expects nothing, and few of its lines differ."""
    assert case.twin.exists()
    buggy, clean = _code(case.path.read_text()), _code(case.twin.read_text())
    changed = [d for d in difflib.ndiff(buggy, clean) if d[0] in "+-"]
    assert 0 < len(changed) <= 10
    assert "EXPECT" not in case.twin.read_text()


def _code(text: str) -> list[str]:
    """The lines of a program without comments and layout."""
    lines = (re.sub(r"//.*", "", line).strip() for line in text.splitlines())
    return [line for line in lines if line]
