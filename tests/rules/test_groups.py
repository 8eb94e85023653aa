"""Groups of rules: what they hold, and what wins over what."""

from __future__ import annotations

import pytest
from tests.rules.test_cli import run

from whence.errors import UserMistake
from whence.rules import load_standard
from whence.rules.groups import GROUPS

STANDARD = load_standard()
NAMES = [rule.name for rule in STANDARD.rules]


def names(enable: list[str], disable: list[str]) -> list[str]:
    return sorted(rule.name for rule in STANDARD.select(enable, disable).active)


@pytest.mark.parametrize("group", GROUPS.values(), ids=lambda group: group.name)
def test_a_group_is_its_rules(group: object) -> None:
    rules = GROUPS[group.name].rules  # type: ignore[attr-defined]
    assert set(rules) <= {*NAMES} and len(set(rules)) == len(rules)
    assert group.name not in NAMES  # type: ignore[attr-defined]
    assert names([group.name], ["all"]) == sorted(rules)  # type: ignore[attr-defined]


def test_every_rule_about_undefined_behaviour_that_is_off_is_in_a_group() -> None:
    grouped = {rule for group in GROUPS.values() for rule in group.rules}
    assert {*NAMES} - grouped == {
        *("overlapping-copy", "null-argument", "absurd-length", "bad-alignment", "refused-alignment"),
        *("absurd-size", "uninitialized-read"),
    }


def test_a_rule_wins_over_groups_and_a_small_group_over_a_large_one() -> None:
    assert "division-by-zero" not in names(["undefined"], ["division-by-zero"])
    assert "shift-out-of-range" not in names(["undefined"], ["shift"])
    assert "shift-out-of-range" in names(["shift"], ["undefined"])
    assert "shift-out-of-range" in names(["shift-out-of-range"], ["shift"])
    assert names(["nullability"], ["all"]) == ["nonnull-argument", "nonnull-result"]
    assert not STANDARD.select(["undefined"]).given and STANDARD.select(["double-close"]).given


def test_mistakes() -> None:
    with pytest.raises(UserMistake, match=r"unknown rule 'undefind' .did you mean 'undefined'"):
        names(["undefind"], [])
    with pytest.raises(UserMistake, match="rule 'shift' is both enabled and disabled"):
        names(["shift"], ["shift"])


def test_groups_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list") == 0
    listed = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in listed if line[1] == "group"] == [*GROUPS]
    assert run("show", "shift") == 0
    assert "shift-out-of-range, signed-shift-overflow" in capsys.readouterr().out
