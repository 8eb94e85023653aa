"""The soak in small: a run under each kind of fault; and its judge, which must see what is wrong."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.harness.checking import VARIABLE
from tests.harness.process import TIMEOUT
from tests.harness.session import REPOSITORY
from tests.soak.draw import Draw, corpus, draw
from tests.soak.faults import KINDS, Fault, LauncherKilled
from tests.soak.judge import violations
from tests.soak.runner import Observation

from whence.toolchain.native import native_path

CASES = corpus()


def test_small_soak(tmp_path: Path, whence_env: dict[str, str]) -> None:
    """One run of each kind, three programs: nothing lost, nothing hung."""
    report = tmp_path / "counts.json"
    command = [sys.executable, "-m", "tests.soak.soak", "--seed", "3", "--each", "1", "--programs", "3"]
    command += ["--limit", str(TIMEOUT), "--json", str(report), "--directory"]
    with tempfile.TemporaryDirectory() as folder:  # a socket's path has room for 107 bytes
        command.append(f"{folder}/soak")
        env = {**whence_env, VARIABLE: str(native_path(""))}  # tests/runtime has programs that it checks
        done = subprocess.run(command, cwd=REPOSITORY, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = json.loads(report.read_text())["faults"]
    assert counts["all"]["runs"] == len(KINDS)
    assert {kind.kind for kind, _ in KINDS} | {"all"} == set(counts)


@pytest.mark.long
def test_draws_repeat() -> None:
    assert [draw(5, i, CASES) for i in range(50)] == [draw(5, i, CASES) for i in range(50)]
    assert {type(draw(5, i, CASES).fault) for i in range(300)} == {kind for kind, _ in KINDS}


# ---- the judge --------------------------------------------------------------------------------------


def _drawn(*, clean: bool, fault: Fault) -> Draw:
    """A drawn run with --json and nothing that hides a finding."""
    for index in range(1000):
        found = draw(1, index, CASES)
        plain = found.options.json and not found.options.suppressions and not found.options.keep_going
        if plain and found.case.path.name == ("churn.clean.c" if clean else "churn.c"):
            return replace(found, fault=fault)
    raise AssertionError("no such run is drawn")


def _seen(status: int = 0, *rules: str, line: int = 0, **more: object) -> Observation:
    """What a run with these findings looks like."""
    stack = [{"file": "churn.c", "line": line, "function": "main"}]
    kind = {"kind": "read", "size": 4, "address": "0x0"}
    what = {"leak": None, "stack": stack, "access": kind, "block": None, "relation": None}
    document = {"findings": [{"rule": rule, **what, "library_function": None} for rule in rules]}
    seen = Observation("whence run", status, "it", 1.0, document=document, written=True)
    return replace(seen, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (_seen(hung=["12 (python3) S"]), "hung"),
        (_seen(stderr='Traceback (most recent call last)\n  File "/x/whence/y.py"'), "Traceback"),
        (_seen(stderr="whence: internal error: KeyError"), "internal error"),
        (_seen(99, "double-free", line=1), "unexpected double-free"),
        (_seen(3), "exit status 3"),
        (_seen(litter=["whence-run-1"]), "left in TMPDIR"),
        (_seen(document=None), "no JSON report"),
    ],
)
def test_judge_sees_what_is_wrong_with_a_clean_program(seen: Observation, words: str) -> None:
    drawn = _drawn(clean=True, fault=Fault())
    seen = replace(seen, stdout=b"done\n")
    assert any(words in sentence for sentence in violations(drawn, seen)), violations(drawn, seen)
    assert violations(drawn, _seen(stdout=b"done\n")) == []


def test_judge_misses_a_lost_finding() -> None:
    drawn = _drawn(clean=False, fault=Fault())
    assert any("is not reported" in each or "was found" in each for each in violations(drawn, _seen(0)))


def test_judge_of_a_killed_launcher() -> None:
    """A program that stopped at a finding when nobody was left must have said so, or have recorded it."""
    drawn = _drawn(clean=False, fault=LauncherKilled.draw(random.Random(1)))
    status = drawn.options.status
    alone = _seen(-9, orphans=[status], document=None, written=False)
    assert any("none is reported" in each for each in violations(drawn, alone))
    assert violations(drawn, replace(alone, recorded=1)) == []
    said = "whence: finding: dangling-pointer-dereference: read of 4 bytes\n"
    assert violations(drawn, replace(alone, stderr=said)) == []
