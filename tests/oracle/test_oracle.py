"""The oracle: on random programs, the machine, the rules on the machine, and the engine say the same."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.oracle import abstract, engine
from tests.oracle import conform as conformance
from tests.oracle.conform import (
    Subject,
    conform,
    coverage,
    draw,
    engine_cases,
    front_end_name,
    main,
    minimal,
    report,
)
from tests.oracle.differences import DIFFERENCES, Difference
from tests.oracle.translate import numbered, translate
from tests.oracle.verdict import END, Bug, Verdict

from whence.machine import parse_program, print_program
from whence.machine.error_rules import NOT_MODELLED
from whence.machine.syntax import Program
from whence.rules import load_standard
from whence.toolchain.clang import find_clang

pytestmark = pytest.mark.build

SEED = 2018
PROGRAMS = 400
OF_VARIABLES = {"stack-buffer-overflow", "stack-use-after-scope", "global-buffer-overflow"}
NEVER = {"possible-leak", *OF_VARIABLES, *NOT_MODELLED}
"""Rules that report nothing here. With all rules on, a more specific rule reports every block of
possible-leak. The generator draws no access outside of a local variable or after its scope, because the
optimiser removes many of them (`differences`), nor outside of a global one."""


@pytest.mark.parametrize("programs", [PROGRAMS, pytest.param(2000, marks=pytest.mark.slow)])
def test_the_three_agree(tmp_path: Path, programs: int) -> None:
    (run,) = conform(programs, SEED, tmp_path)
    assert len(run.cases) == programs
    assert not run.disagreements, report([run], tmp_path)
    seen = coverage([case.subject for case in run.cases])
    assert {rule.name for rule in load_standard().rules} - NEVER <= seen.keys(), report([run], tmp_path)
    assert programs / 10 < seen["clean"] < programs / 2
    assert sum(count for name, count in seen.items() if name.startswith("not judged")) < programs / 20


def test_a_seed_gives_the_same_programs() -> None:
    assert draw(60, 5) == draw(60, 5)
    assert draw(30, 5) != draw(30, 6)


def test_programs_are_right_in_form_and_type() -> None:
    for program in draw(200, 3):
        assert parse_program(print_program(program)) == program


@pytest.mark.parametrize(
    ("missed", "smallest"),
    [
        ("double-free", "fun main() =\n  let p1 = malloc(1) in\n  free(p1);\n  free(p1);\n  0\n"),
        pytest.param(
            "free-of-stack",
            "fun main() =\n  let s1 = salloc 8 in\n  s1 := 1;\n  delete(s1);\n  0\n",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_program_with_a_missed_bug_is_shrunk(
    missed: str, smallest: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(engine, "verdicts", forgetful_engine(missed, {""}))
    (run,) = conform(400, 5, tmp_path)
    assert {bug.rule for case in run.disagreements for bug in case.subject.judgement.rules} == {missed}
    assert print_program(minimal(run, tmp_path).subject.program) == smallest
    assert 'again: make conform CONFORM="--programs 400 --seed 5"' in report([run], tmp_path)


def forgetful_engine(
    missed: str, front_ends: set[str]
) -> Callable[[Sequence[Program], Path, str, bool], list[Verdict]]:
    """An engine that misses the bugs of one rule with some values of `WHENCE_CLANG`."""

    def verdicts(programs: Sequence[Program], folder: Path, level: str, strict: bool) -> list[Verdict]:
        wrong = not any(front_ends) or os.environ.get("WHENCE_CLANG") in front_ends
        found = [abstract.judge(program, strict).rules for program in programs]
        return [frozenset(bug for bug in each if not wrong or bug.rule != missed) for each in found]

    return verdicts


def test_one_run_for_each_front_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Programs are drawn once; the report has the disagreements of each front end on lines of its own."""
    default = find_clang()
    other = tmp_path / "clang-of-mine"
    other.write_text(f'#!/bin/sh\nexec {" ".join([default.path, *default.prefix])} "$@"\n')
    other.chmod(0o755)
    drawings: list[tuple[int, int]] = []

    def counted(count: int, number: int) -> list[Program]:
        drawings.append((count, number))
        return draw(count, number)

    monkeypatch.setattr(conformance, "draw", counted)
    monkeypatch.setattr(engine, "verdicts", forgetful_engine("double-free", {str(other)}))
    runs = conform(200, 2, tmp_path, levels=["-O2"], front_ends=["", str(other)])
    assert drawings == [(200, 2)]
    assert not runs[0].disagreements and runs[1].disagreements
    lines = report(runs, tmp_path).splitlines()
    assert f"{front_end_name('')}: the machine, the rules and the engine agree on all" in lines
    assert f"{front_end_name(str(other))}: {len(runs[1].disagreements)} disagreements; the smallest:" in lines
    options = f"--programs 200 --seed 2 --level=-O2 --front-end {other}"
    assert lines[-1] == f'again: make conform CONFORM="{options}"'


def test_a_front_end_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--front-end", "/nowhere/clang"])
    assert "--front-end /nowhere/clang: WHENCE_CLANG is '/nowhere/clang'" in capsys.readouterr().err


def test_each_difference_of_a_verdict_counts() -> None:
    program = numbered(parse_program("fun main() = let p = malloc(8) in free(p); free(p); 0"))
    judgement = abstract.judge(program)
    assert judgement.machine is not None
    (bug,) = judgement.machine
    assert judgement.machine == judgement.rules
    assert bug == Bug("double-free", step=bug.step, block=bug.block)
    steps = translate([program]).statements()
    assert steps[bug.step] == "free(t1);" and [*steps.values()].count("free(t1);") == 2
    assert steps[bug.block] == "ptr t1 = (ptr)malloc((u64)(ptr)8L);"
    assert bug.step != END


def test_what_differs_by_design(tmp_path: Path) -> None:
    """Each listed difference is an expected failure: one that no longer occurs must leave the list."""
    programs = [numbered(parse_program(each.program)) for each in DIFFERENCES]
    verdicts = engine.verdicts(programs, tmp_path, "-O0")
    judgements = [abstract.judge(program) for program in programs]
    found = [
        Difference(each.program, each.reason, _kind(judgement), _engine(verdict, judgement))
        for each, judgement, verdict in zip(DIFFERENCES, judgements, verdicts, strict=True)
    ]
    assert found == list(DIFFERENCES)
    assert all(each.machine != each.engine for each in DIFFERENCES)


def _engine(verdict: Verdict, judgement: abstract.Judgement) -> str:
    same_rule = judgement.machine is not None and _rule(verdict) == _rule(judgement.machine)
    return _rule(verdict) + " of another block" * (same_rule and verdict != judgement.machine)


def _kind(judgement: abstract.Judgement) -> str:
    """The shipped rule; the error rules if no shipped rule announces them."""
    return " ".join(sorted(judgement.names)) if judgement.machine is None else _rule(judgement.machine)


def _rule(verdict: Verdict) -> str:
    return " ".join(sorted({bug.rule for bug in verdict})) or "clean"


def test_a_program_without_a_shipped_rule_is_not_run(tmp_path: Path) -> None:
    program = numbered(parse_program("fun main() = let m = salloc 8 in m := 99999999; **m"))
    subject = Subject(program, "-O0", abstract.judge(program))
    (case,) = engine_cases([subject], tmp_path)
    assert case.engine is None and case.agrees
    assert coverage([subject]) == {"not judged: bug-stray-ptr-deref": 1}
