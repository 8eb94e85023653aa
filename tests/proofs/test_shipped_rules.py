"""All shipped rules are proved, from nothing: this is what CI runs."""

from __future__ import annotations

import pytest
from tests.harness.process import TIMEOUT

from whence.machine.error_rules import ERROR_RULES
from whence.proofs.errors import ERRORS
from whence.proofs.moment import any_moment
from whence.proofs.prover import prove
from whence.proofs.results import LEMMAS, Status, Verdict
from whence.rules import load_standard
from whence.rules.vocabulary import POINTS

pytestmark = pytest.mark.long

STANDARD = load_standard()
MACHINE_POINTS = {
    name
    for name, point in POINTS.items()
    if {code for rule in ERROR_RULES for code in rule.points} & {*point.codes}
}
"""The detection points at which the machine has error states; at others rules are checked for sense."""


def test_all_shipped_rules_are_proved() -> None:
    proofs = prove(STANDARD.rules, STANDARD, timeout=TIMEOUT)
    failed = [each for proof in proofs for each in proof.outcomes if each.verdict is not Verdict.PROVED]
    assert failed == []
    assert [proof.subject for proof in proofs] == [LEMMAS, *(rule.name for rule in STANDARD.rules)]
    checked = {proof.subject for proof in proofs if proof.status is Status.CHECKED}
    assert checked == {rule.name for rule in STANDARD.rules if rule.point.name not in MACHINE_POINTS}
    assert {proof.status for proof in proofs if proof.subject not in checked} == {Status.PROVED}


def test_parts_of_a_moment_have_symbols_of_their_own() -> None:
    """A rule's operand named `closed` was the number of closed bytes, and its rule fired in no state."""
    moment = any_moment()
    parts = (moment.code, moment.block, moment.index, moment.width, moment.closed, moment.family)
    others = (moment.function, moment.given_size, moment.given_align)
    names = [str(each) for each in (*parts, *others, *moment.words.values())]
    assert len(names) == len(set(names))


def test_every_error_rule_of_the_machine_has_its_formula() -> None:
    assert {name: rule.codes for name, rule in ERRORS.items()} == {
        rule.name: rule.points for rule in ERROR_RULES
    }


def test_rules_name_error_states_where_the_machine_has_them() -> None:
    for rule in STANDARD.rules:
        assert bool(rule.errors) == (rule.point.name in MACHINE_POINTS)
