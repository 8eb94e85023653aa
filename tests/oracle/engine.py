"""The verdicts of the native engine: many programs in one file, each run in a child process of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.harness.process import TIMEOUT
from tests.oracle.abstract import STRICT
from tests.oracle.translate import Source, translate
from tests.oracle.verdict import END, Bug, Verdict

import whence
from whence.findings import Finding, Frame
from whence.machine.syntax import Program

_FLAGS = ("-g", "-w", "-std=c++17", "-fsized-deallocation")  # the last is no default before clang 19


@dataclass(frozen=True)
class Found:
    """A finding in the program with the number `index`; `source` is the file of all programs."""

    index: int
    bug: Bug
    finding: Finding
    source: Source


def verdicts(programs: Sequence[Program], folder: Path, level: str, strict: bool = True) -> list[Verdict]:
    """The verdict on each program; see `run`."""
    found: list[set[Bug]] = [set() for _ in programs]
    for each in run(programs, folder, level, strict):
        found[each.index].add(each.bug)
    return [frozenset(bugs) for bugs in found]


def run(
    programs: Sequence[Program], folder: Path, level: str, strict: bool = True, locate: str = "never"
) -> list[Found]:
    """The findings in all programs, built with the optimisation flag `level`.

    All rules are on, without `strict` all but `STRICT`. The first finding ends a program. locate: as of
    `whence.run`. Raises `AssertionError` if a finding belongs to none of the programs, or a signal ends a
    program.
    """
    source = translate(programs)
    path = folder / "programs.cc"
    path.write_text(source.text())
    program = whence.build(path, folder / "programs", flags=[*_FLAGS, level])
    result = whence.run(
        program,
        enable="all",
        disable=() if strict else (STRICT,),
        locate=locate,
        capture_output=True,
        timeout=TIMEOUT,
    )
    assert result.exit_status == 0 and not result.stdout, result.text()
    return [Found(*_bug(finding, source), finding, source) for finding in result.findings]


def _bug(finding: Finding, source: Source) -> tuple[int, Bug]:
    allocated = finding.block.allocated if finding.block is not None else None
    block = _step(allocated.stack if allocated is not None else (), source)
    step = block if finding.leak is not None else _step(finding.stack, source)
    assert step is not None, f"the finding belongs to no program: {finding}"
    index = step[0]
    number = END if finding.leak is not None else step[1]
    return index, Bug(finding.rule.name, number, block[1] if block is not None else 0)


def _step(stack: Iterable[Frame], source: Source) -> tuple[int, int] | None:
    """The index of the program and the number of the step, of the innermost frame on a step's line."""
    return next((source.steps[frame.line] for frame in stack if _is_ours(frame, source)), None)


def _is_ours(frame: Frame, source: Source) -> bool:
    return frame.file is not None and frame.file.endswith("programs.cc") and frame.line in source.steps
