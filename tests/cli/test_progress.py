"""How far long work is, line by line where there is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from whence.cli import progress
from whence.engines.progress import NO_PROGRESS


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Moves the time that progress goes by."""
    now = [100.0]
    monkeypatch.setattr("whence.cli.progress.time.monotonic", lambda: now[0])

    def move(seconds: float) -> None:
        now[0] += seconds

    return move


def test_short_work_is_not_spoken_of(
    clock: Callable[[float], None], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = progress.Lines()
    for _ in range(3):
        lines.start("instrumenting vim", 2)
        for _ in range(2):
            clock(0.9)
            lines.step("instrumenting vim")
        lines.stop()
    assert capsys.readouterr().err == ""


def test_long_work_has_a_line_now_and_then(
    clock: Callable[[float], None], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = progress.Lines()
    lines.start("instrumenting vim", 1200, "shorter without checks")
    for done in range(1, 601):
        clock(1 / 16)
        lines.step("instrumenting vim")
        if done % 16 == 0:
            lines.wait("ex_docmd.c", 0.5)
    for passed in range(1, 13):  # one module that takes long
        clock(1)
        lines.wait("regexp.c", passed)
    lines.stop()
    assert capsys.readouterr().err == (
        "whence: instrumenting vim: 1,200 modules (shorter without checks)\n"
        "whence: instrumenting vim: 192 of 1,200 after 12 s\n"
        "whence: instrumenting vim: 352 of 1,200 after 22 s\n"
        "whence: instrumenting vim: 512 of 1,200 after 32 s\n"
        "whence: instrumenting vim: 600 of 1,200 after 42 s; working on regexp.c for 5 s\n"
        "whence: instrumenting vim: 600 of 1,200 after 50 s\n"
    )


def test_what_is_shown_where(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(progress.shown(True), progress.Lines)
    assert progress.shown(False) is NO_PROGRESS
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert isinstance(progress.shown(True), progress.Bar)
    monkeypatch.setattr(sys, "stderr", None)
    assert progress.shown(True) is NO_PROGRESS
