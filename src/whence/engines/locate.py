"""Locating by running the program again: the second run follows where values come from.

The first run is as fast as any. If it has findings, the program runs once more with the same words,
variables, folder and input, and its output is dropped. Heap addresses repeat, and so do the answers that it
gets from outside, such as the time, the order in which threads come to what they share, and all that the
program computes of them and of its input. So it comes to the same findings, whose chains are put to those
of the first run. What cannot be repeated, and what the second run did not meet, a note says.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from whence.engines.keeping import Kept
from whence.engines.protocol import Task
from whence.engines.result import Result
from whence.engines.second_runs import (
    HANDED_OVER,
    Input,
    Second,
    again,
    ended,
    matched,
    may_have_chains,
    missing,
    noted,
    second,
    stopped,
    unlocated,
    with_reasons,
)
from whence.engines.settings import Settings
from whence.errors import ToolLimit, WhenceError

if TYPE_CHECKING:
    from whence.engines.repeating import Repeating

REPLAY, AUTO, ALWAYS = "replay", "auto", "always"
_ALWAYS = "try --locate always"
_TWICE = "try --locate replay or --locate always"


def located(task: Task, run: Callable[[Task], Result]) -> Result:
    """The result of a run, with the chains that a second run finds, or a note why there are none.

    The launcher must not start such a program by itself, since it does not know this; for `AUTO`, it does.
    """
    settings = task.settings
    if settings.locate == ALWAYS:
        return with_reasons(run(task))
    if settings.locate not in (REPLAY, AUTO):
        return run(task)
    given = _given(settings)
    return (_twice if settings.locate == REPLAY else _in_cage)(task, given, run)


def _in_cage(task: Task, given: Input, run: Callable[[Task], Result]) -> Result:
    """A first run, which keeps what the kernel answers it, and a second one that is given it again."""
    offer = _ALWAYS if given.obstacle or task.settings.start.handover else _TWICE
    if given.flows:
        given = replace(given, obstacle="its standard input is no file, and cannot be read again")
    settings = task.settings
    kept = None if settings.children or settings.start.handover else Kept()
    try:
        first = run(replace(task, settings=replace(settings, kept=kept)))
        if not any(map(may_have_chains, first.findings)):
            return with_reasons(first)
        from whence.engines import caged  # only where a second run may add something

        return caged.located(task, first, given, offer, run, kept or Kept())
    finally:
        if kept:
            kept.drop()


def _twice(task: Task, given: Input, run: Callable[[Task], Result]) -> Result:
    settings = task.settings
    settings.start.request = None
    if settings.start.handover:
        given = replace(given, flows=False, obstacle=HANDED_OVER)
    if given.obstacle:
        first = run(task)
        return unlocated(first, ToolLimit(given.obstacle), _ALWAYS) if first.findings else first
    from whence.engines.patience import Patience  # only for two runs
    from whence.engines.repeating import repeatable

    with repeatable(given.descriptor if given.flows else None) as repeating:
        kept = Kept(answers=False)
        first = run(replace(task, settings=replace(settings, repeating=repeating, kept=kept)))
        if not first.findings:
            return first
        patience = Patience(None, signals=settings.around.relay)
        try:
            second = again(task, first, _again(settings, given, repeating, kept), patience, run)
        except WhenceError as error:
            return unlocated(first, error, _ALWAYS)
        return _with_chains(first, second, repeating)


def _given(settings: Settings) -> Input:
    """Standard input, as the first run gets it."""
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
    if stat.S_ISFIFO(mode.st_mode) or stat.S_ISSOCK(mode.st_mode):
        return Input(descriptor, flows=True)
    if stat.S_ISCHR(mode.st_mode) and mode.st_rdev == os.stat(os.devnull).st_rdev:
        return Input(descriptor)
    what = "a terminal" if os.isatty(descriptor) else "no file"
    return Input(descriptor, obstacle=f"its standard input is {what}, and cannot be read again")


@contextlib.contextmanager
def _again(settings: Settings, given: Input, repeating: Repeating, kept: Kept) -> Iterator[Settings]:
    """The settings of the second run. The offset of the input is afterwards what the first run left."""
    end = None
    if given.offset is not None:
        end = os.lseek(given.descriptor, 0, os.SEEK_CUR)
        os.lseek(given.descriptor, given.offset, os.SEEK_SET)
    try:
        with open(os.devnull, "wb") as nowhere:
            own = {"repeating": repeating.second(), "entered": kept.entered}
            yield second(settings, settings.around, nowhere.fileno(), **own)
    finally:
        if end is not None:
            os.lseek(given.descriptor, end, os.SEEK_SET)


def _with_chains(first: Result, second: Second, repeating: Repeating) -> Result:
    result, missed = matched(first, second.result, threads=repeating.threads)
    if not missed:
        return result
    end = second.end or ended(second.result)
    if end:
        return noted(result, stopped(missed, Second(second.result, end)))
    return noted(result, missing(first, second.result, missed, _ALWAYS, astray=repeating.astray))
