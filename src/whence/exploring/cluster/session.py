"""A process that explores shares, one after the other: it has a server of the program and a solver.

It is started by a worker (`whence.exploring.cluster.worker`), talks through its standard input and output,
and ends when these are closed or nothing came for a while.

    python -m whence.exploring.cluster.session
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import IO

from whence.engines.progress import NO_PROGRESS
from whence.engines.protocol import Task
from whence.errors import ToolLimit, UserMistake, WhenceError
from whence.errors.shortage import shortages
from whence.exploring.cluster.messages import READY, received, send
from whence.exploring.cluster.portion import Portion
from whence.exploring.cluster.shares import Gains, Mission, Share
from whence.exploring.distances import Distances
from whence.exploring.executing import Executor, Inputs, Ran
from whence.exploring.loop import Limits
from whence.exploring.prefixes import Prefixes
from whence.exploring.reasoning import Counts, Reasoner
from whence.exploring.solvers import load
from whence.exploring.starting import Program
from whence.exploring.terms import Terms
from whence.exploring.tree import Tree
from whence.toolchain.cache import Cache


class Session:
    """Explores shares of one mission; terms and answers of the solver are kept from one to the next."""

    def __init__(
        self, executor: Executor[Inputs, Ran], solver: str, query: int, strategy: str, limits: Limits
    ) -> None:
        self._executor, self._strategy, self._limits = executor, strategy, limits
        self._fresh = True
        self._covered = 0
        terms = Terms()
        self._reasoner = Reasoner(terms, load(solver, terms), query)
        self._prefixes, self._tree = Prefixes(), Tree(terms)
        self._distances = Distances(executor.graph)

    def explore(self, share: Share) -> Gains:
        """Raises `ToolLimit` if not one path could be run."""
        self._reasoner.counts = Counts()
        limits = Limits(share.seconds, share.paths, self._limits.ways, self._limits.memory)
        known = (self._reasoner, self._tree, self._prefixes, self._distances)
        portion = Portion(self._executor, *known, share, self._strategy, limits)
        portion.explore(())
        self._tree, self._prefixes = portion.tree, portion.prefixes
        gains = portion.gains()
        self._covered |= gains.state.covered  # what an earlier share has covered may not have been taken
        gains.state.covered = self._covered
        gains.moved, self._fresh = gains.moved or not self._fresh, False
        gains.counts, gains.solver = self._reasoner.counts, self._reasoner.solver.name
        return gains


def checked(mission: Mission) -> None:
    """Raises `UserMistake` if the program of a mission is not here as it was there."""
    path = mission.program
    try:
        digest = digest_of(path)
    except OSError as error:
        raise UserMistake(
            f"{path}: {error.strerror}: the program is to be at the same path on every worker"
        ) from error
    if digest != mission.digest:
        raise UserMistake(f"{path} is another program there: its digest is {digest}, not {mission.digest}")
    if not mission.symbolic.files and not os.path.isdir(mission.folder):
        raise UserMistake(f"the working directory {mission.folder} is not there")


def digest_of(path: Path) -> str:
    """What names the contents of a program."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32]


def built(mission: Mission, folder: Path, cache: Cache) -> Program:
    """The program, prepared for exploration in the cache of this machine; raises the errors of whence."""
    checked(mission)
    task = Task(mission.program, mission.words, mission.settings, cache, NO_PROGRESS, leaks=mission.leaks)
    program = Program.build(task, mission.symbolic, folder, mission.milliseconds)
    if program.layout() != mission.layout:
        raise UserMistake(
            f"{mission.program} does not lie at the same addresses there: kernel, libraries, limits of the "
            f"stack and the path of the cache are to be the same"
        )
    return program


def serve(requests: int, answers: IO[bytes]) -> None:
    """Answer a mission, and shares of it, until there are no more."""
    mission: Mission = pickle.loads(received(requests))
    cache = Cache.of_user(mission.cache_size)
    temporary = tempfile.TemporaryDirectory(prefix="whence-explore-")
    with shortages(), closing(cache), temporary as folder:
        try:
            program = built(mission, Path(folder), cache)
            executor = program.servers(1, mission.memory)
            limits = Limits(ways=mission.ways, memory=mission.memory)
            session = Session(executor, mission.solver, mission.query, mission.strategy, limits)
        except WhenceError as error:
            send(answers, str(error).encode())
            return
        send(answers, READY)
        with closing(executor):
            _explore(session, requests, answers)


def _explore(session: Session, requests: int, answers: IO[bytes]) -> None:
    while share := received(requests):
        try:
            gains = session.explore(pickle.loads(share))
        except ToolLimit as error:
            gains = Gains(stopped=str(error))
        send(answers, pickle.dumps(gains, pickle.HIGHEST_PROTOCOL))
        if gains.full or gains.stopped:
            return


def main() -> None:
    """Standard output is for answers alone: what else is written there goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        serve(0, answers)
    except BrokenPipeError:  # the worker is gone
        sys.exit(1)


if __name__ == "__main__":
    main()
