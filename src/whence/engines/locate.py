"""Locating by running the program again: the second run follows where values come from.

The first run is as fast as any. If it has findings, the program runs once more with the same words,
variables, folder and input, and its output is dropped. Heap addresses repeat, and so does all that the
program computes from its input, so it comes to the same findings, whose chains are put to those of the first
run. What cannot be repeated, and what the second run did not meet, a note says.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from whence.engines.protocol import Task
from whence.engines.settings import Settings, Surroundings
from whence.engines.start import Start
from whence.findings import Finding
from whence.result import Result

REPLAY, AUTO = "replay", "auto"
_ALWAYS = "--locate always follows values in one run"


@dataclass(frozen=True)
class Input:
    """Standard input before the first run. offset: in a file. obstacle: why it cannot be read again."""

    descriptor: int
    offset: int | None = None
    obstacle: str = ""


def begin(task: Task) -> Input | None:
    """What a second run needs to know before the first; None if there is not to be one.

    The launcher must not start such a program by itself, since it does not know this; for `AUTO`, it does.
    """
    settings = task.settings
    if settings.locate not in (REPLAY, AUTO):
        return None
    if settings.locate == REPLAY:
        settings.start.request = None
    if settings.stdin is not None:
        return Input(-1)
    descriptor = 0 if settings.around.stdin is None else settings.around.stdin
    given = _input(descriptor)
    resumed = settings.start.resumed
    return replace(given, offset=resumed.input) if resumed and resumed.input >= 0 else given


def _input(descriptor: int) -> Input:
    try:
        mode = os.fstat(descriptor)
        if stat.S_ISREG(mode.st_mode):
            return Input(descriptor, os.lseek(descriptor, 0, os.SEEK_CUR))
    except OSError:  # it is closed, for both runs
        return Input(descriptor)
    if stat.S_ISCHR(mode.st_mode) and mode.st_rdev == os.stat(os.devnull).st_rdev:
        return Input(descriptor)
    return Input(descriptor, obstacle="its standard input is no file, and cannot be read again")


def located(task: Task, first: Result, given: Input, run: Callable[[Task], Result]) -> Result:
    """The result with the chains that a second run finds, or a note why there are none."""
    if not first.findings:
        return first
    if task.settings.locate == AUTO:
        from whence.engines import caged  # only where there are findings

        return caged.located(task, first, given, run)
    obstacle = given.obstacle
    if task.settings.start.handover:
        obstacle = "it runs in the place of the process that was started"
    if obstacle:
        why = f"the program was not run again to say whence values came: {obstacle}"
        return noted(first, f"{why}; {_ALWAYS}")
    with _again(task.settings, given) as settings:
        second = run(replace(task, settings=settings, notes=()))
    return _with_chains(first, second)


@contextlib.contextmanager
def _again(settings: Settings, given: Input) -> Iterator[Settings]:
    """The settings of the second run. The offset of the input is afterwards what the first run left."""
    end = None
    if given.offset is not None:
        end = os.lseek(given.descriptor, 0, os.SEEK_CUR)
        os.lseek(given.descriptor, given.offset, os.SEEK_SET)
    try:
        with open(os.devnull, "wb") as nowhere:
            around = _quiet(settings.around, nowhere.fileno())
            yield replace(
                settings, around=around, locate="always", start=Start(), capture=False, print_regions=False
            )
    finally:
        if end is not None:
            os.lseek(given.descriptor, end, os.SEEK_SET)


def _quiet(around: Surroundings, nowhere: int) -> Surroundings:
    return replace(around, stdout=nowhere, stderr=nowhere)


def _identity(finding: Finding) -> tuple[str, int, int]:
    """Equal for what both runs found at the same moment: the bug, and how many events came before."""
    return finding.key, finding.time, finding.thread


def _with_chains(first: Result, second: Result) -> Result:
    result, missed = matched(first, second)
    return noted(result, missing(first, second, missed, _ALWAYS)) if missed else result


def matched(first: Result, second: Result) -> tuple[Result, list[str]]:
    """The first result with the chains of the second, and the rules of the findings that this lacks."""
    known = {_identity(each): each.chains for each in second.findings}
    findings = tuple(replace(each, chains=known.get(_identity(each), ())) for each in first.findings)
    missed = [each.rule.name for each in first.findings if _identity(each) not in known]
    return replace(first, findings=findings), missed


def missing(first: Result, second: Result, missed: list[str], offer: str) -> str:
    """The note about findings that the second run did not come to."""
    names = ", ".join(dict.fromkeys(missed))
    why = _why(first, second, missed)
    return f"{why}, so nothing is said whence its values came: {names}; {offer}"


def _why(first: Result, second: Result, missed: list[str]) -> str:
    keys = {each.key for each in second.findings}
    if any(each.key in keys for each in first.findings if each.rule.name in missed):
        return "the second run came to a finding at another moment than the first"
    name = Path(first.run.program).name
    if not second.findings:
        return f"the second run of {name} had no findings: it depends on more than its input"
    return "the second run did not come to a finding of the first"


def noted(result: Result, note: str) -> Result:
    """The result with one more note."""
    return replace(result, run=replace(result.run, notes=(*result.run.notes, note)))
