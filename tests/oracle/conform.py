"""``python -m tests.oracle.conform``: do the machine, the rules and the engine agree on random programs?

Programs are drawn from a seed. The machine and the rules judge each program once; the engine judges it once
for each front end. The first program with a disagreement is reduced to a smallest one. The exit status is 1
if there is a disagreement.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from tests.oracle import abstract, engine
from tests.oracle.programs import programs
from tests.oracle.translate import numbered, translate
from tests.oracle.verdict import Verdict, describe

from whence.errors import ToolLimit
from whence.machine import print_program
from whence.machine.syntax import Program
from whence.toolchain.clang import find_clang

BATCH = 1000
"""Programs in one file."""
LEVELS = ("-O0", "-O2")


@dataclass(frozen=True)
class Subject:
    """A program, the level of optimisation at which the engine builds it, its judgement, and whether that
    is with the rule about reads of unwritten memory."""

    program: Program
    level: str
    judgement: abstract.Judgement
    strict: bool = True


@dataclass(frozen=True)
class Case:
    """A subject and the engine's verdict; `engine` is None where the engine did not run the program."""

    subject: Subject
    engine: Verdict | None

    @property
    def agrees(self) -> bool:
        judgement = self.subject.judgement
        if judgement.machine is None:
            return not judgement.rules
        return judgement.machine == judgement.rules == self.engine

    def __str__(self) -> str:
        program, judgement = self.subject.program, self.subject.judgement
        steps = translate([program]).statements()
        verdicts = (judgement.machine or (), judgement.rules, self.engine or ())
        named = {number for verdict in verdicts for bug in verdict for number in (bug.step, bug.block)}
        return "\n".join(
            [
                print_program(program),
                "",
                f"  machine ({', '.join(sorted(judgement.names)) or 'no error rule'}): "
                f"{describe(judgement.machine)}",
                f"  rules:   {describe(judgement.rules)}",
                f"  engine {self.subject.level}: {describe(self.engine)}",
                *(f"  step {number}: {steps[number]}" for number in sorted(named) if number in steps),
            ]
        )


@dataclass
class Run:
    """The cases of one front end.

    `front_end`: the value of `WHENCE_CLANG`, "" for the default; `options`: the command line options that
    draw the same programs again.
    """

    seed: int
    options: str
    front_end: str = ""
    cases: list[Case] = field(default_factory=list)

    @property
    def disagreements(self) -> list[Case]:
        return [case for case in self.cases if not case.agrees]


def coverage(subjects: Sequence[Subject]) -> Counter[str]:
    """The number of programs per rule, of clean programs (`clean`), and of those that no shipped rule
    announces (`not judged`)."""
    counts: Counter[str] = Counter()
    for subject in subjects:
        machine = subject.judgement.machine
        if machine is None:
            counts[f"not judged: {', '.join(sorted(subject.judgement.names))}"] += 1
        else:
            counts.update({bug.rule for bug in machine} or ["clean"])
    return counts


def _settings(count: int, *phases: Phase) -> settings:
    return settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=phases,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )


def draw(count: int, number: int) -> list[Program]:
    """`count` different programs; a seed always gives the same ones."""
    found: dict[str, Program] = {}

    @seed(number)
    @_settings(2 * count, Phase.generate)
    @given(programs())
    def collect(program: Program) -> None:
        found.setdefault(print_program(program), program)

    collect()
    return [numbered(program) for program in list(found.values())[:count]]


def subjects_of(count: int, number: int, levels: Sequence[str] = LEVELS) -> list[Subject]:
    """Draws and judges programs, an equal share for each level, of each a half with the strict rule."""
    drawn = draw(count, number)
    return [
        Subject(program, level, abstract.judge(program, strict), strict)
        for at, level in enumerate(levels)
        for program, strict in zip(drawn[at :: len(levels)], cycle((True, False)), strict=False)
    ]


def engine_cases(subjects: Sequence[Subject], folder: Path) -> Iterator[Case]:
    """Runs the subjects of one level for which a shipped rule exists, in batches."""
    verdicts: dict[int, Verdict] = {}
    for strict in (True, False):
        runnable = [each for each in subjects if each.judgement.machine is not None and each.strict is strict]
        for start in range(0, len(runnable), BATCH):
            batch = runnable[start : start + BATCH]
            found = engine.verdicts([each.program for each in batch], folder, batch[0].level, strict)
            verdicts.update(zip(map(id, batch), found, strict=True))
    for subject in subjects:
        yield Case(subject, verdicts.get(id(subject)))


@contextmanager
def front_end_in_use(front_end: str) -> Iterator[None]:
    """Builds and runs use this front end; "" leaves the environment as it is."""
    with pytest.MonkeyPatch.context() as patched:
        if front_end:
            patched.setenv("WHENCE_CLANG", front_end)
        yield


def conform(
    count: int,
    number: int,
    folder: Path,
    levels: Sequence[str] = LEVELS,
    front_ends: Sequence[str] = ("",),
) -> list[Run]:
    """Judges programs; one run of the engine for each front end."""
    subjects = subjects_of(count, number, levels)
    options = f"--programs {count} --seed {number}"
    if len(levels) < len(LEVELS):
        options += "".join(f" --level={level}" for level in levels)
    runs = []
    for front_end in front_ends:
        run = Run(number, options, front_end)
        with front_end_in_use(front_end):
            for level in levels:
                run.cases.extend(engine_cases([s for s in subjects if s.level == level], folder))
        runs.append(run)
    return runs


class Disagreement(Exception):
    """A program with a disagreement; Hypothesis shrinks the program."""


def minimal(run: Run, folder: Path) -> Case:
    """A smallest program with a disagreement, shrunk from the first one of the run.

    The programs are drawn again from the run's seed; programs with a known verdict are not run again.
    """
    known = {print_program(case.subject.program): case.agrees for case in run.cases}
    level, strict = run.disagreements[0].subject.level, run.disagreements[0].subject.strict
    smallest: list[Case] = []

    @seed(run.seed)
    @_settings(2 * len(run.cases), Phase.generate, Phase.shrink)
    @given(programs())
    def check(program: Program) -> None:
        if known.get(print_program(program), False):
            return
        lines = numbered(program)
        subject = Subject(lines, level, abstract.judge(lines, strict), strict)
        (case,) = engine_cases([subject], folder)
        if not case.agrees:
            smallest.append(case)
            raise Disagreement

    try:
        with front_end_in_use(run.front_end):
            check()
    except Disagreement:
        return smallest[-1]
    return run.disagreements[0]


def report(runs: Sequence[Run], folder: Path) -> str:
    """The counts, then the outcome for each front end."""
    subjects = [case.subject for case in runs[0].cases]
    counts = sorted(coverage(subjects).items(), key=lambda each: -each[1])
    lines = [f"seed {runs[0].seed}: {len(subjects)} programs"]
    lines += [f"{count:7}  {name}" for name, count in counts]
    for run in runs:
        lines += _outcome(run, folder)
    return "\n".join(lines)


def _outcome(run: Run, folder: Path) -> list[str]:
    """One line; with disagreements also a smallest program and the command that repeats the run."""
    name = front_end_name(run.front_end)
    count = len(run.disagreements)
    if not count:
        return [f"{name}: the machine, the rules and the engine agree on all"]
    front_end = f" --front-end {run.front_end}" if run.front_end else ""
    smallest = ["", str(minimal(run, folder)), ""]
    again = f'again: make conform CONFORM="{run.options}{front_end}"'
    return [f"{name}: {count} disagreements; the smallest:", *smallest, again]


def front_end_name(front_end: str) -> str:
    """Its version and path; raises `ToolLimit` where it is no clang that whence supports."""
    with front_end_in_use(front_end):
        found = find_clang()
    return f"clang {'.'.join(map(str, found.version))} ({found.path})"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make conform")
    parser.add_argument("--programs", type=int, default=2000, metavar="N", help="how many (default 2000)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32), metavar="S")
    parser.add_argument("--level", action="append", choices=LEVELS, help="only this level of optimisation")
    parser.add_argument(
        "--front-end",
        action="append",
        metavar="PATH",
        help="run the engine with this clang (may be repeated; default: the one that whence-cc uses)",
    )
    arguments = parser.parse_args(words)
    front_ends = arguments.front_end or [""]
    if arguments.programs < 1:
        parser.error(f"--programs {arguments.programs}: expected 1 or more")
    for front_end in front_ends:
        try:
            front_end_name(front_end)
        except ToolLimit as error:
            parser.error(f"--front-end {front_end}: {error}")
    with tempfile.TemporaryDirectory(prefix="whence-conform-") as name:
        os.environ["WHENCE_CACHE"] = f"{name}/cache"
        levels = arguments.level or LEVELS
        runs = conform(arguments.programs, arguments.seed, Path(name), levels, front_ends)
        print(report(runs, Path(name)))
    return 1 if any(run.disagreements for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
