"""Each error rule with programs that reach it and clean twins; and that the shipped rule fires at that step.

In `programs/`, a folder is named by the error rule, and a comment in a buggy
program stands on the line of the redex: `# EXPECT error-rule shipped-rule …`,
or `-` where no shipped rule announces the error.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from whence.machine import ERROR_RULES, Ending, load, run
from whence.machine.error_rules import BY_NAME, NOT_MODELLED
from whence.rules import load_standard

PROGRAMS = Path(__file__).parent / "programs"
BUGGY = sorted(path for path in PROGRAMS.glob("*/*.calc") if not path.name.endswith(".clean.calc"))
CLEAN = sorted(PROGRAMS.glob("*/*.clean.calc"))
EXPECT = re.compile(r"# EXPECT (\S+) (.+)$")


def expectation(path: Path) -> tuple[int, str, set[str]]:
    """(line, error rule, shipped rules)"""
    lines = path.read_text().splitlines()
    (found,) = [(number, hit) for number, line in enumerate(lines, 1) if (hit := EXPECT.search(line))]
    return found[0], found[1][1], set(found[1][2].split()) - {"-"}


def name(path: Path) -> str:
    return str(path.relative_to(PROGRAMS))


@pytest.mark.parametrize("path", BUGGY, ids=name)
def test_a_buggy_program_reaches_its_error_and_the_rule_fires_before(path: Path) -> None:
    line, error_rule, shipped = expectation(path)
    assert path.parent.name == error_rule
    outcome = run(load(path).program, load_standard().select(enable=shipped))
    ((step, error), *_) = [found for found in outcome.errors if found[1].rule.name == error_rule]
    assert {verdict.rule.name for verdict in outcome.verdicts} == shipped
    assert {verdict.step for verdict in outcome.verdicts} <= {step}
    assert shipped <= set(load_standard().announcing(error_rule)) | {"definite-leak"}
    if error.rule.goes_on:
        assert outcome.ending is Ending.RETURNED
        (place,) = {verdict.place.line for verdict in outcome.verdicts}
        assert place == line
        return
    assert outcome.ending is Ending.ERROR
    assert outcome.steps == step
    assert outcome.state.focus.place.line == line
    same_step = {each.rule.name for at, each in outcome.errors if at == step}
    if "leak" not in error_rule:
        assert outcome.error is not None
        assert outcome.error.rule.name == error_rule
        assert {each for each in same_step if not BY_NAME[each].goes_on} <= {error_rule, *NULL_TWICE}


NULL_TWICE = {"bug-null-ptr-deref", "bug-null-ptr-deref2"}
"""A null argument of a copy would be a null dereference behind it."""


@pytest.mark.parametrize("path", CLEAN, ids=name)
def test_its_twin_is_clean(path: Path) -> None:
    assert path.with_name(path.name.replace(".clean", "")).exists()
    outcome = run(load(path).program, load_standard().select(enable=["all"]))
    assert outcome.ending is Ending.RETURNED
    assert outcome.verdicts == ()
    assert outcome.errors == ()


def test_every_error_rule_has_a_program_and_every_program_a_twin() -> None:
    assert {path.parent.name for path in BUGGY} == {rule.name for rule in ERROR_RULES}
    assert len(BUGGY) == len(CLEAN)


def test_every_shipped_rule_announces_an_error_or_says_why_not() -> None:
    rules = load_standard().rules
    assert {rule.name for rule in rules if not rule.errors} == set(NOT_MODELLED)
    assert {error for rule in rules for error in rule.errors} <= set(BY_NAME)
