"""Signals while the report is made: what was found is written, and the command ends by the signal."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT, Whence
from tests.harness.warm import real_starts as real_starts

pytestmark = pytest.mark.build

BUG = """
#include <stdlib.h>
int main(int argc, char **argv) {
    char *p = malloc(8);
    p[argc + 6] = 1;
    free(p);
    return 0;
}
"""

# Signals come at the first call of the function, which goes on afterwards.
SENDING = """
import importlib, os, sys
from whence.engines import interruption

module, name, call, number, times, seconds = sys.argv[1:7]
interruption._NAMING = float(seconds)
place = importlib.import_module(module)
*owner, name = name.split(".")
place = getattr(place, owner[0]) if owner else place
real, calls = getattr(place, name), []

def sending(*arguments, **keywords):
    calls.append(1)
    if len(calls) == int(call):
        for _ in range(int(times)):
            os.kill(os.getpid(), int(number))
    return real(*arguments, **keywords)

setattr(place, name, sending)
from whence.cli.main import main
sys.argv = ["whence", "run", *sys.argv[7:]]
main()
"""
COLLECTED = ("whence.engines.process.reading", "Reading.sorted", "1")


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    found = Whence(tmp_path, whence_env)
    found.build(BUG)
    return found


def ended(
    whence: Whence, place: tuple[str, str, str], number: int, *words: str, times: int = 1, seconds: int = 1000
) -> tuple[int, str, str]:
    """The status, the text and the JSON of a run to which signals come; JSON is "" without a file."""
    report = whence.directory / "report.json"
    report.write_text("of an earlier run")
    more = (*place, str(number), str(times), str(seconds), "--json", "report.json")
    done = subprocess.run(
        [sys.executable, "-c", SENDING, *more, *words],
        cwd=whence.directory,
        env=dict(whence.env),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
    )
    return done.returncode, done.stderr, report.read_text() if report.exists() else ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_the_report_is_finished(whence: Whence, number: signal.Signals) -> None:
    status, text, report = ended(whence, COLLECTED, number, "--locate", "auto", "./prog", "x")
    assert status == -number
    assert text.startswith(f"whence: {number.name} came while the report was made: it is written without")
    assert text.count("while the report was made") == 2  # there was no second run, which a note says
    assert "main" in text and "prog.c:5" in text
    (found,) = json.loads(report)["findings"]
    assert found["rule"] == "heap-buffer-overflow"


def test_a_clean_run_ends_by_the_signal_too(whence: Whence) -> None:
    status, text, report = ended(whence, COLLECTED, signal.SIGTERM, "./prog")
    assert status == -signal.SIGTERM and "no findings" in text and json.loads(report)["findings"] == []


def test_what_is_for_the_program_is_dropped(whence: Whence) -> None:
    status, text, report = ended(whence, COLLECTED, signal.SIGUSR1, "--locate", "auto", "./prog", "x")
    assert status == 99 and "while the report" not in text and "whence r" in text
    assert len(json.loads(report)["findings"]) == 1


@pytest.mark.parametrize(("times", "seconds"), [(1, -1), (2, 1000)])
def test_names_take_no_longer_than_allowed(whence: Whence, times: int, seconds: int) -> None:
    status, text, report = ended(
        whence, COLLECTED, signal.SIGTERM, "./prog", "x", times=times, seconds=seconds
    )
    assert status == -signal.SIGTERM and "prog.c:5" not in text
    assert "frames have no names: SIGTERM came while the report was made" in text
    (found,) = json.loads(report)["findings"]
    assert found["rule"] == "heap-buffer-overflow" and found["stack"]
