"""The form of the corpus: buggy programs and clean twins for every rule."""

from __future__ import annotations

import difflib
import re

import pytest
from tests.harness.core import CLEAN, CORE, core_cases
from tests.harness.expect import Case, discover

CASES = discover()
BUGGY = [c for c in CASES if not c.is_clean]
TWINS = [c for c in CASES if c.is_clean and c.rule != "clean"]
RULES = (
    "unmatched-free",
    "double-free",
    "dangling-pointer-dereference",
    "null-pointer-dereference",
    "heap-buffer-overflow",
    "wild-pointer-dereference",
    "free-of-stack",
    "free-of-global",
    "free-inside-block",
    "mismatched-free",
    "mismatched-size",
    "mismatched-alignment",
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
    "signed-addition-overflow",
    "signed-subtraction-overflow",
    "signed-multiplication-overflow",
    "division-by-zero",
    "division-overflow",
    "shift-out-of-range",
    "index-out-of-bounds",
    "invalid-bool",
    "reached-unreachable",
    "length-not-positive",
    "nonnull-argument",
    "nonnull-result",
    "pointer-overflow",
    "null-pointer-offset",
    "misaligned-access",
    "misaligned-pointer",
    "implicit-unsigned-truncation",
    "implicit-signed-truncation",
    "implicit-conversion-to-signed",
    "implicit-conversion-to-unsigned",
    "enumeration-out-of-range",
    "missing-return",
    "mismatched-function-type",
    "mismatched-class",
    "pointer-comparison",
    "initialization-order",
    "pointer-subtraction",
    "use-of-closed-descriptor",
    "double-close",
    "double-lock",
    "deadlock",
    "lock-order-inversion",
    "unlock-of-unlocked",
    "unlock-by-another-thread",
    "destroyed-lock-in-use",
    "wait-without-lock",
    "double-join",
    "thread-leak",
    "lock-held-at-exit",
    "data-race",
    "race-on-free",
    "call-unsafe-in-signal-handler",
    "errno-changed-by-handler",
    "unsigned-addition-overflow",
    "unsigned-subtraction-overflow",
    "unsigned-multiplication-overflow",
    "signed-shift-overflow",
    "unsigned-shift-overflow",
    "float-conversion-overflow",
    "float-division-by-zero",
    "bit-scan-of-zero",
    "use-of-uninitialized-value",
    "uninitialized-read",
)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_programs(rule: str) -> None:
    """At least three buggy programs and as many clean twins for every shipped rule."""
    assert len([c for c in BUGGY if c.rule == rule]) >= 3
    assert len([c for c in TWINS if c.rule == rule]) >= 3


def test_the_core_has_every_rule() -> None:
    cases = core_cases()
    assert {case.rule for case in cases if not case.is_clean} == set(RULES)
    assert len([case for case in cases if case.is_clean]) == len(CORE) + len(CLEAN)


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
