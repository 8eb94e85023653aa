"""``python -m tests.oracle.conform``: do the machine, the rules and the engine agree on random programs?

Programs are drawn from a seed, all are judged, and the first one that the three judge differently is made
as small as it gets. The exit status is 1 if there was one.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings
from tests.oracle import abstract, engine
from tests.oracle.programs import programs
from tests.oracle.translate import numbered, translate
from tests.oracle.verdict import Verdict, tell

from whence.machine import print_program
from whence.machine.syntax import Program

BATCH = 1000
"""Programs in one file."""
LEVELS = ("-O0", "-O2")


@dataclass(frozen=True)
class Case:
    """A program and what the three say of it; `engine` is None where it was not asked."""

    program: Program
    level: str
    judgement: abstract.Judgement
    engine: Verdict | None

    @property
    def agrees(self) -> bool:
        told = self.judgement
        if told.machine is None:
            return not told.rules
        return told.machine == told.rules == self.engine

    def __str__(self) -> str:
        told = self.judgement
        source = translate([self.program])
        steps = {step: source.lines[line - 1].strip() for line, (_, step) in source.steps.items()}
        named = {number for verdict in (told.machine or (), told.rules, self.engine or ()) for bug in verdict
                 for number in (bug.step, bug.block)}  # fmt: skip
        return "\n".join(
            [
                print_program(self.program),
                "",
                f"  machine ({', '.join(sorted(told.names)) or 'no error rule'}): {tell(told.machine)}",
                f"  rules:   {tell(told.rules)}",
                f"  engine {self.level}: {tell(self.engine)}",
                *(f"  step {number}: {steps[number]}" for number in sorted(named) if number in steps),
            ]
        )


@dataclass
class Run:
    """All cases of a run."""

    seed: int
    cases: list[Case] = field(default_factory=list)

    @property
    def disagreements(self) -> list[Case]:
        return [case for case in self.cases if not case.agrees]

    def coverage(self) -> Counter[str]:
        """How many programs there are of each rule, of none (`clean`), and of what no shipped rule
        announces."""
        counts: Counter[str] = Counter()
        for case in self.cases:
            machine = case.judgement.machine
            if machine is None:
                counts[f"not judged: {', '.join(sorted(case.judgement.names))}"] += 1
            counts.update({bug.rule for bug in machine} if machine else [] if machine is None else ["clean"])
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
    """As many different programs, the same ones for the same seed."""
    found: dict[str, Program] = {}

    @seed(number)
    @_settings(2 * count, Phase.generate)
    @given(programs())
    def collect(program: Program) -> None:
        found.setdefault(print_program(program), program)

    collect()
    return [numbered(program) for program in list(found.values())[:count]]


def judge(chosen: Sequence[Program], level: str, folder: Path) -> Iterator[Case]:
    """The programs of which a shipped rule has something to say are run, one batch after the other."""
    for start in range(0, len(chosen), BATCH):
        batch = chosen[start : start + BATCH]
        judged = [abstract.judge(program) for program in batch]
        asked = [at for at, each in enumerate(judged) if each.machine is not None]
        said = dict(zip(asked, engine.verdicts([batch[at] for at in asked], folder, level), strict=True))
        for at, program in enumerate(batch):
            yield Case(program, level, judged[at], said.get(at))


def conform(count: int, number: int, folder: Path, levels: Sequence[str] = LEVELS) -> Run:
    """Judges programs, an equal share at each level."""
    run = Run(number)
    chosen = draw(count, number)
    for at, level in enumerate(levels):
        run.cases.extend(judge(chosen[at :: len(levels)], level, folder))
    return run


class Disagreement(Exception):
    """The three do not agree; what Hypothesis minimises."""


def minimal(run: Run, folder: Path) -> Case:
    """A smallest program that is judged differently, found from the first of the run.

    The programs are drawn again from the run's seed; those that are known are not run again.
    """
    known = {print_program(case.program): case.agrees for case in run.cases}
    level = run.disagreements[0].level
    smallest: list[Case] = []

    @seed(run.seed)
    @_settings(2 * len(run.cases), Phase.generate, Phase.shrink)
    @given(programs())
    def check(program: Program) -> None:
        if known.get(print_program(program), False):
            return
        case = next(judge([numbered(program)], level, folder))
        if not case.agrees:
            smallest.append(case)
            raise Disagreement

    try:
        check()
    except Disagreement:
        return smallest[-1]
    return run.disagreements[0]


def report(run: Run, folder: Path) -> str:
    """The counts, and for disagreements the smallest one with all to repeat it."""
    lines = [f"seed {run.seed}: {len(run.cases)} programs"]
    lines += [
        f"{count:7}  {name}" for name, count in sorted(run.coverage().items(), key=lambda each: -each[1])
    ]
    found = run.disagreements
    if found:
        lines += [f"{len(found)} disagreements; the smallest:", "", str(minimal(run, folder)), ""]
        lines += [f'again: make conform CONFORM="--programs {len(run.cases)} --seed {run.seed}"']
    else:
        lines.append("the machine, the rules and the engine agree on all")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make conform")
    parser.add_argument("--programs", type=int, default=2000, metavar="N", help="how many (default 2000)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32), metavar="S")
    parser.add_argument("--level", action="append", choices=LEVELS, help="only this level of optimisation")
    given_ = parser.parse_args()
    if given_.programs < 1:
        parser.error(f"--programs {given_.programs}: expected 1 or more")
    with tempfile.TemporaryDirectory(prefix="whence-conform-") as name:
        os.environ["WHENCE_CACHE"] = f"{name}/cache"
        run = conform(given_.programs, given_.seed, Path(name), given_.level or LEVELS)
        print(report(run, Path(name)))
    return 1 if run.disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
