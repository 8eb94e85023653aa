"""The engine ``alloc``: an unchanged program with whence's allocator preloaded before its libraries."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from whence.abi.fixed import BY_ENGINE
from whence.abi.points import observed_by
from whence.engines.alloc.guard import Guard
from whence.engines.binary.core import NoCore, places
from whence.engines.binary.core import get as get_core
from whence.engines.process.building import BuildSettings, Built
from whence.engines.process.detectors import detectors
from whence.engines.process.engine import Prepared, ProcessEngine, Ran
from whence.engines.process.unchanged import image_of
from whence.engines.protocol import Task
from whence.engines.registry import AUTO
from whence.errors import UserMistake
from whence.rules.observable import NATIVE
from whence.rules.vocabulary import LABEL_FUNCTIONS
from whence.toolchain.native import native_library

OBSERVES = replace(
    NATIVE,
    name="alloc",
    points=observed_by("alloc"),
    functions=frozenset({"main"}),
    values=False,
    every=False,
    events=frozenset({"malloc", "free"}),
    terms=NATIVE.terms - {"Closed"} - LABEL_FUNCTIONS,
    variables=frozenset(),
    fixed=BY_ENGINE["alloc"],
    remedy="build the program with CC=whence-cc CXX=whence-c++ for engine native",
)
"""Allocations, accesses that trap, and the end of the program; no code is instrumented."""


class AllocEngine(ProcessEngine):
    """Observes the calls of the allocator, accesses to guarded pages, and the blocks at the end."""

    observes = OBSERVES
    seen = "what an allocator sees"

    def build(self, program: Path, settings: BuildSettings, task: Task) -> Built:
        """The unchanged program, and the allocator and detectors to preload."""
        image = image_of(program)
        checking = (library(), detectors(settings.rules, task.cache))
        _refuse_record(task)
        guards = _guard(task).variables(settings.environment)
        return Built(image.path, {}, checking, variables=guards, files=tuple(places()))

    def check(self, task: Task) -> None:
        """Accepts every program, because this engine needs no IR."""

    def options(self, task: Task) -> dict[str, int]:
        return _guard(task).options()

    def unchecked(self, task: Task, prepared: Prepared, *, started: bool) -> str:
        """A sentence if nothing was checked, or if no code was and the user did not choose this engine."""
        name = task.arguments[0]
        if not started:
            return f"nothing was checked: {name} did not load the allocator"
        if task.settings.engine != AUTO:
            return ""
        return (
            f"no code was checked: {name} carries no IR; its calls of the allocator were, and not those of "
            "programs that it starts (--trace-children)"
        )

    def remarks(self, task: Task, prepared: Prepared, ran: Ran) -> list[str]:
        """A sentence that nothing was checked, or how to check more."""
        name = task.arguments[0]
        if not ran.raw.started:
            return [
                f"nothing was checked: {name} did not load the allocator, as programs that have the rights "
                "of their file (set-user-ID) or another loader do not"
            ]
        if task.settings.engine == AUTO and not task.settings.profiled:
            return [
                f"{name} carries no IR: what an allocator sees was checked; build it with CC=whence-cc "
                f"CXX=whence-c++ to check every access, and to learn whence values came{_without_core()}"
            ]
        return []


def _without_core() -> str:
    """What else could check accesses; empty where it is there already."""
    try:
        get_core()
    except NoCore as error:
        return f", or have it executed: {error}"
    return ""


def library() -> Path:
    """The path of the library to preload; raises `ToolLimit` if it was not built."""
    return native_library("whence-alloc.so")


def _guard(task: Task) -> Guard:
    """The user's wishes; what counts blocks need not guard them."""
    own = task.settings.own
    return Guard.of(**({"guard": "plain"} if task.settings.profiled and not own else own))


def _refuse_record(task: Task) -> None:
    """Raises `UserMistake` for an option to record addresses: equal options give equal addresses anyhow."""
    if task.settings.record is not None:
        raise UserMistake(
            f"{task.arguments[0]} runs with engine alloc, which leaves nothing to record: the program runs "
            "as it is, and equal options give its blocks the same addresses in every run; --record is for "
            "programs that were built with CC=whence-cc CXX=whence-c++"
        )
