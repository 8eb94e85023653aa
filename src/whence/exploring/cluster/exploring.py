"""Explores a program with the workers of a cluster: what `whence.exploring.api` does with processes here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whence.exploring.cluster.coordinator import Coordinator
from whence.exploring.cluster.engine import Cluster
from whence.exploring.cluster.session import digest_of
from whence.exploring.cluster.shares import Mission
from whence.exploring.completing import completed
from whence.exploring.executing import Executor
from whence.exploring.loop import Limits, Loop
from whence.exploring.results import Exploration
from whence.exploring.store import Store

if TYPE_CHECKING:
    from whence.exploring.cluster.shares import Gains, Share
    from whence.exploring.confirming import Confirm
    from whence.exploring.options import ExploreOptions
    from whence.exploring.starting import Program


def mission_of(program: Program, options: ExploreOptions, cache_size: int | None) -> Mission:
    """What workers are told; starts the program once, to see where it lies."""
    task = program.task
    return Mission(
        task.program.absolute(),
        digest_of(task.program),
        tuple(task.arguments),
        task.settings,
        task.leaks,
        program.symbolic,
        os.fspath(task.settings.around.cwd or Path.cwd()),
        program.milliseconds,
        max(1, int(options.query_time * 1000)),
        options.solver,
        options.strategy,
        options.ways,
        options.max_memory,
        cache_size,
        program.layout(),
    )


def explored_by_cluster(
    address: str,
    program: Program,
    directory: Path,
    identity: Mapping[str, Any],
    first: Iterable[Mapping[str, bytes]],
    options: ExploreOptions,
    progress: Callable[[Loop[Any, Any]], None],
    confirm: Confirm,
    cache_size: int | None = None,
) -> Exploration:
    """Explore with the workers of the scheduler at an address; raises the errors of `whence.errors`."""
    mission = mission_of(program, options, cache_size)
    with closing(Cluster(address, mission, program.places)) as cluster:
        return coordinated(cluster, directory, identity, first, options, progress, program.notes, confirm)


def coordinated(
    executor: Executor[Share, Gains],
    directory: Path,
    identity: Mapping[str, Any],
    first: Iterable[Mapping[str, bytes]],
    options: ExploreOptions,
    progress: Callable[[Loop[Any, Any]], None] = lambda _: None,
    notes: Iterable[str] = (),
    confirm: Confirm | None = None,
) -> Exploration:
    """Explore with any executor of shares; see `whence.exploring.api.explored`."""
    with closing(Store(directory, identity, options.test_files, options.ktest)) as store:
        limits = Limits(options.max_time, options.max_paths, options.ways, options.max_memory)
        coordinator = Coordinator(executor, store, limits, progress)
        return completed(coordinator, store, first, tuple(notes), confirm)
