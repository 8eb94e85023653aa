"""Locating without being asked: a second run that cannot change the world.

The program runs again as `whence.engines.locate` lets it, but in a cage (``runtime/rt/cage.h``): it ends
before it would write a file, start a process or talk to another one, and a note says what that was.
There is no second run of what takes longer than `Settings.locate_time`.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import BinaryIO

from whence.engines import second_runs
from whence.engines.keeping import Kept
from whence.engines.patience import Patience, TooLong
from whence.engines.protocol import Task
from whence.engines.result import Result
from whence.engines.settings import Settings
from whence.errors import ToolLimit, WhenceError

_LEAST, _SLOWER = 10.0, 10.0
"""What a second run may take: so many seconds, and so many times as long as the first one computed."""
_USUALLY = 5.0
"""How many times as long as the first one a second run usually computes."""


def located(
    task: Task,
    first: Result,
    given: second_runs.Input,
    offer: str,
    run: Callable[[Task], Result],
    kept: Kept,
) -> Result:
    """The result with the chains that a second run finds, or a note why there are none. offer: what helps."""
    settings, seconds = task.settings, task.settings.start.seconds
    limit = _LEAST + _SLOWER * seconds
    patience = Patience(settings.locate_time, signals=settings.around.relay, running=_USUALLY * seconds)
    try:
        _refuse(task, seconds)
        again = _again(settings, given, limit, kept)
        second, end = second_runs.again(task, first, again, patience, run)
    except WhenceError as error:
        return second_runs.unlocated(first, error, offer)
    found, missed = second_runs.matched(first, second)
    if not missed:
        return found
    why = end or _end(second, limit)
    if not why:
        why = second_runs.missing(first, second, missed, offer, astray=kept.astray())
        return second_runs.noted(found, why)
    note = second_runs.stopped(missed, second_runs.Second(second, why))
    return second_runs.noted(found, note if patience.signal else f"{note}; {offer}")


def _refuse(task: Task, seconds: float) -> None:
    """Raises `ToolLimit` with the reason if there is to be no second run."""
    if task.settings.start.handover:
        raise ToolLimit(second_runs.HANDED_OVER)
    if task.settings.children:
        raise ToolLimit("the programs that it executes are checked, too")
    usually, most = _USUALLY * seconds, task.settings.locate_time
    if usually > most:
        raise TooLong(
            f"a second run would take {usually:.0f} s, more than it may (--locate-time {most:g})",
            usually,
        )


def _end(second: Result, limit: float) -> str:
    """Why the second run ended early, or ""."""
    if ended := second_runs.ended(second):
        return ended
    if second.run.signal == signal.SIGSYS:
        return "it makes a system call that may change something, with blocked signals"
    return f"it did not end within {limit:.0f} s" if second.timed_out else ""


@contextlib.contextmanager
def _again(settings: Settings, given: second_runs.Input, limit: float, kept: Kept) -> Iterator[Settings]:
    """The settings of the second run, which has an open file of its own for its input.

    Where that cannot be read again, it ends when it reads any.
    """
    timeout = limit if settings.around.timeout is None else min(limit, settings.around.timeout)
    with contextlib.ExitStack() as stack:
        nowhere = stack.enter_context(open(os.devnull, "wb")).fileno()
        around = replace(settings.around, timeout=timeout, remain=False)
        if given.obstacle:
            around = replace(around, stdin=stack.enter_context(_nothing()).fileno())
        elif given.offset is not None:
            around = replace(around, stdin=stack.enter_context(_reopened(given.descriptor, given.offset)))
        caged = 2 if given.obstacle else 1
        own = {"caged": caged, "record": None, "calls": kept.give(), "entered": kept.entered}
        yield second_runs.second(settings, around, nowhere, **own)


def _nothing() -> BinaryIO:
    """A pipe without another end: like what it stands for, it has no places."""
    reading, writing = os.pipe()
    os.close(writing)
    return open(reading, "rb")


@contextlib.contextmanager
def _reopened(descriptor: int, offset: int) -> Iterator[int]:
    """A descriptor of the same file that can only read it, from this offset on."""
    try:
        file = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY)
    except OSError as error:
        raise ToolLimit(f"its standard input cannot be opened again: {error.strerror}") from error
    try:
        os.lseek(file, offset, os.SEEK_SET)
        yield file
    finally:
        os.close(file)
