"""Chains of long runs: their steps stay below a bound, and the cause at the begin is still there."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.harness.process import Whence

pytestmark = pytest.mark.build

_PLACES = 6
_MOVES = "\n".join(
    f"    case {way}: kept = all[{a}]; all[{a}] = all[{b}]; all[{b}] = kept; break;"
    for way, (a, b) in enumerate(itertools.combinations(range(_PLACES), 2))
)
_SHUFFLED = f"""
#include <stdio.h>
#include <stdlib.h>
static int *all[{_PLACES}], numbers[{_PLACES}] = {{1, 2, 3, 4, 5, 6}};
static int *missing(int *other) {{
    return BUG ? NULL : other; //: the cause
}}
static void move(unsigned way) {{
    int *kept;
    switch (way) {{
{_MOVES}
    }}
}}
int main(int argc, char **argv) {{
    for (int i = 0; i < {_PLACES}; i++) all[i] = &numbers[i];
    all[3] = missing(all[3]);
    unsigned state = 1;
    for (int i = 0; i < 100000; i++) {{
        state = state * 1103515245u + 12345u;
        move((state >> 16) % 15u);
    }}
    int sum = 0;
    for (int i = 0; i < {_PLACES}; i++) sum += *all[i];
    printf("%d\\n", sum);
    return 0;
}}
"""
"""A pointer goes by any of 45 assignments to any of 6 places, 100,000 times: without a bound each of its ways
would be a chain of its own."""


@pytest.fixture
def whence(tmp_path: Path, whence_env: dict[str, str]) -> Whence:
    return Whence(tmp_path, whence_env)


def _cause(text: str) -> int:
    return 1 + next(i for i, line in enumerate(text.splitlines()) if line.endswith("//: the cause"))


def _chain(found: dict[str, Any]) -> list[dict[str, Any]]:
    (chain,) = [each for each in found["chains"] if each["term"] == "r"]
    hops: list[dict[str, Any]] = chain["hops"]
    return hops


@pytest.mark.parametrize("options", [(), ("--chain-steps", "3000")], ids=["default", "3000 steps"])
def test_the_cause_at_the_begin_of_a_long_run_is_found(whence: Whence, options: tuple[str, ...]) -> None:
    made = whence.build(_SHUFFLED, "prog", "-DBUG=1")
    done, (found,) = whence.findings("--locate", "always", *options, made)
    hops = _chain(found)
    assert (found["rule"], hops[-1]["line"]) == ("null-pointer-dereference", _cause(_SHUFFLED))
    assert any(each.get("skipped") for each in hops)
    assert [each["kind"] for each in hops[-3:]] == ["stored", "return", "constant"]
    assert "after hops that are left out" in done.err
    assert "table of chains is full" not in done.err


def test_a_long_run_without_a_bug_has_no_findings(whence: Whence) -> None:
    made = whence.build(_SHUFFLED, "prog", "-DBUG=0")
    done, found = whence.findings("--locate", "always", "--chain-steps", "3000", made)
    assert (found, done.out) == ([], b"21\n")


def test_a_full_table_is_said(whence: Whence) -> None:
    made = whence.build(_SHUFFLED, "prog", "-DBUG=1")
    done, (found,) = whence.findings("--locate", "always", "--chain-steps", "64", made)
    assert found["rule"] == "null-pointer-dereference"
    assert done.err.count("the table of chains is full: hops of chains are missing from here on") == 1


def test_the_bench_of_long_runs(whence_env: dict[str, str]) -> None:
    bench = Path(__file__).resolve().parents[1] / "bench" / "long_chains.py"
    done = subprocess.run(
        [sys.executable, bench, "--millions", "1"], env=whence_env, capture_output=True, text=True, check=True
    )
    rows = done.stdout.splitlines()[2:]
    assert [row.split(" | ")[-1] for row in rows] == ["stored ← allocation |"] * 2
