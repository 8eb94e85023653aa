"""What findings about locks and threads tell of what happened before."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.expect import PROGRAMS

import whence
from whence.findings import Earlier, EarlierKind, Finding

pytestmark = pytest.mark.build


def found(name: str, tmp_path: Path) -> Finding:
    program = whence.build(PROGRAMS / name, output=tmp_path / "program", flags=["-g", "-pthread"])
    (finding,) = whence.run(program).findings
    return finding


def lines(finding: Finding) -> dict[EarlierKind, set[int]]:
    said: dict[EarlierKind, set[int]] = {}
    for step in finding.every(Earlier):
        said.setdefault(step.kind, set()).add(step.stack[0].line)
    return said


def test_a_deadlock_names_who_holds_and_waits(tmp_path: Path) -> None:
    finding = found("deadlock/two-orders.c", tmp_path)
    said = lines(finding)
    assert finding.rule.name == "deadlock"
    assert said == {
        EarlierKind.LOCKED: {11, 24},  # right by the thread itself, left by the main thread
        EarlierKind.WAITS: {26},
        EarlierKind.CREATED: {23},
    }
    assert finding.block is not None and finding.block.variable is not None
    assert finding.block.variable.name == "left"


def test_an_inversion_names_both_places_of_each_thread(tmp_path: Path) -> None:
    finding = found("lock-order-inversion/sleeping.c", tmp_path)
    assert lines(finding) == {
        EarlierKind.LOCKED: {20, 10},  # right by the thread itself, left by the other one
        EarlierKind.NEXT: {11},
        EarlierKind.CREATED: {30},
    }
    assert finding.stack[0].line == 21
    assert finding.block is not None and finding.block.variable is not None
    assert finding.block.variable.name == "left"


def test_a_use_names_the_destruction(tmp_path: Path) -> None:
    assert lines(found("destroyed-lock-in-use/after-shutdown.c", tmp_path)) == {EarlierKind.DESTROYED: {16}}


def test_an_unlock_names_the_holder(tmp_path: Path) -> None:
    said = lines(found("unlock-by-another-thread/hand-over.c", tmp_path))
    assert said == {EarlierKind.LOCKED: {17}, EarlierKind.CREATED: {18}}


def test_a_second_join_names_the_first(tmp_path: Path) -> None:
    said = lines(found("double-join/joined-and-detached.c", tmp_path))
    assert said == {EarlierKind.JOINED: {13}, EarlierKind.CREATED: {12}}
