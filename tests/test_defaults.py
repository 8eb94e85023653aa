"""What users get who ask for no rules: that of undefined values is among them, as in no other test."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harness.process import Whence
from tests.harness.rules import VALUES, without_values

from whence.engines.native import objects
from whence.engines.process.building import BuildSettings
from whence.engines.progress import NO_PROGRESS
from whence.rules import load_standard

PROGRAM = """
#include <stdio.h>
int main(int argc, char **argv) {
    int number;
    if (argc > 1)
        number = argc;
    if (number == 3)
        puts("three");
    return 0;
}
"""


def test_undefined_values_are_among_the_rules() -> None:
    assert load_standard().enabled - without_values().enabled == {VALUES}


def test_instrumenting_says_how_it_takes_less() -> None:
    settings = BuildSettings(load_standard(), 1, NO_PROGRESS, {})
    assert f"without: --disable {VALUES}" in objects._hint(settings)
    assert objects._hint(replace(settings, rules=without_values())) == ""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    made = Whence(tmp_path, {**whence_env, "WHENCE_OPTIONS": "--locate never"})
    made.build(PROGRAM)
    return made


@pytest.mark.build
def test_a_run_finds_them_and_can_leave_them_out(whence: Whence) -> None:
    done, (found,) = whence.findings("./prog")
    assert (done.status, found["rule"]) == (99, VALUES)
    done, clean = whence.findings("./prog", "initialised")
    assert (done.status, clean) == (0, [])
    for name in (VALUES, "memory"):
        done, left = whence.findings("--disable", name, "./prog")
        assert (done.status, left) == (0, [])
    (whence.directory / "whence.toml").write_text(f'[run]\ndisable = ["{VALUES}"]\n')
    assert whence.run("./prog").status == 0


@pytest.mark.build
def test_so_do_preparation_and_the_api(whence: Whence) -> None:
    assert whence.process("whence.cli.main", "prepare", "./prog").status == 0
    done = whence.process("whence.cli.main", "prepare", "--json", "./prog")
    assert json.loads(done.out)["counts"]["known"] == 1
    script = "import whence; print([f.rule.name for f in whence.run('./prog').findings])"
    out = subprocess.run(
        [sys.executable, "-c", script],
        env=dict(whence.env),
        cwd=whence.directory,
        capture_output=True,
        text=True,
    )
    assert out.stdout.strip() == f"['{VALUES}']", out.stderr
