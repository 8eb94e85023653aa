"""A program that was checked before starts without the parts that only a first run needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.harness.process import TIMEOUT, Whence
from tests.harness.warm import real_starts as real_starts

pytestmark = pytest.mark.build

CLEAN = """
#include <stdlib.h>
int main(void) { free(malloc(3)); return 0; }
"""

SPARED = (
    *("llvmlite", "lark", "rich", "multiprocessing", "concurrent", "socket"),
    *(
        "whence.ir",
        "whence.instrument",
        "whence.rules.parser",
        "whence.rules.checker",
        "whence.rules.lowering",
    ),
    *("whence.report.text", "whence.report.json", "whence.report.layout"),
    *("whence.suppressions.load", "whence.suppressions.native", "whence.symbols.module"),
    "whence.engines.native.workers",
)
"""Packages and modules that neither a clean run nor an unused option pays for."""

_LISTING = """
import atexit, sys
atexit.register(lambda: print(*sorted(sys.modules), sep="\\n"))
from whence.cli.main import main
main(sys.argv[1:])
"""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, {**whence_env, "WHENCE_CACHE": str(tmp_path / "cache")})


def imported(whence: Whence, *arguments: str | Path) -> set[str]:
    command = [sys.executable, "-c", _LISTING, "run", *map(str, arguments)]
    done = subprocess.run(
        command, env=whence.env, cwd=whence.directory, capture_output=True, text=True, timeout=TIMEOUT
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_what_a_warm_start_imports(whence: Whence) -> None:
    program = whence.build(CLEAN)
    assert {"llvmlite", "lark", "whence.ir", "multiprocessing"} <= imported(whence, program)
    again = imported(whence, program)
    assert not [name for name in again if any(name == s or name.startswith(f"{s}.") for s in SPARED)]


def test_rule_files_are_kept_too(whence: Whence, tmp_path: Path) -> None:
    """And a changed one is read."""
    program = whence.build(CLEAN)
    rules = tmp_path / "my.rules"
    rules.write_text('rule mine "m" at free r when r == 5\n')
    assert "lark" in imported(whence, "--rules", rules, program)
    assert "lark" not in imported(whence, "--rules", rules, program)
    rules.write_text('rule mine "m" at free r when r == \n')
    done = whence.run("--rules", rules, program)
    assert done.status == 2 and "my.rules:1:" in done.err
    rules.write_text('rule mine "m" at free r when not (r == NULL)\n')
    done, found = whence.findings("--rules", rules, program)
    assert done.status == 99 and [finding["rule"] for finding in found] == ["mine"]


def test_a_cache_that_cannot_be_used_is_said_once(whence: Whence, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    done = whence.run(whence.build(CLEAN))
    assert done.status == 0 and done.err.count("is not used") + done.err.count("cannot be written") == 1
