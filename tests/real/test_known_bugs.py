"""Publicly known bugs in real programs: right kind, function, line and block, and no false one before."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.real.support import Build

from whence.demo.bugs import KNOWN_BUGS, KnownBug
from whence.demo.verify import mismatches, run_checked

pytestmark = pytest.mark.real


@pytest.mark.parametrize("bug", KNOWN_BUGS, ids=lambda bug: bug.name)
def test_is_found_and_stops_the_program(bug: KnownBug, build: Build, tmp_path: Path) -> None:
    program = build(bug.program)[bug.executable]
    bug.arrange(tmp_path)
    outcome = run_checked(program, bug.arguments, tmp_path)
    report = outcome.stderr.decode(errors="replace")
    assert len(outcome.findings) == 1, report
    assert mismatches(outcome.findings[0], bug.expected) == [], report
    assert outcome.status == 99


@pytest.mark.parametrize("bug", KNOWN_BUGS, ids=lambda bug: bug.name)
def test_is_found_again_with_the_same_key_and_addresses(bug: KnownBug, build: Build, tmp_path: Path) -> None:
    program = build(bug.program)[bug.executable]
    bug.arrange(tmp_path)
    first, second = (run_checked(program, bug.arguments, tmp_path).findings[0] for _ in range(2))
    for field in ("key", "rule", "access", "relation"):
        assert first[field] == second[field]
