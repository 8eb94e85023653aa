"""Worker processes that compile the modules of a program.

They are forked, so what they need is imported before; this module itself is
imported only when there is something to compile. No thread takes part: under
tight limits threads fail to start, or die alone and leave others waiting, as
those of `concurrent.futures` do.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from whence.engines.process.building import BuildSettings
from whence.errors import ToolLimit
from whence.toolchain.carry import CarriedModule

T = TypeVar("T")

Work = tuple[CarriedModule, tuple[object, ...], str]


def parallel(
    function: Callable[..., T], work: Iterable[Work], settings: BuildSettings, what: str
) -> Iterator[tuple[Work, T]]:
    """Call `function(module, *arguments)` for each piece of work, in processes; results as they come."""
    pieces = list(work)
    settings.progress.start(what, len(pieces))
    try:
        with workers(min(settings.jobs, len(pieces))) as crew:
            for index, result in each(crew, function, [(piece[0], *piece[1]) for piece in pieces]):
                yield pieces[index], result
                settings.progress.step(what)
    except (EOFError, ConnectionError):
        raise ToolLimit(
            f"a process that was {what} the program's modules ended abnormally: it ran out of memory "
            "(try --jobs 1) or LLVM gave up on a module"
        ) from None
    except MemoryError:
        raise ToolLimit(
            f"out of memory while {what} the program's modules; try again with --jobs 1"
        ) from None
    finally:
        settings.progress.stop()


@dataclass(frozen=True)
class Worker:
    """A process, and the pipe that brings it work and takes its results."""

    process: BaseProcess
    link: Connection


@contextmanager
def workers(number: int) -> Iterator[Sequence[Worker]]:
    """So many worker processes; they are gone at the end of the block."""
    fork = multiprocessing.get_context("fork")
    crew: list[Worker] = []
    try:
        for _ in range(number):
            ours, theirs = fork.Pipe()
            with theirs:
                process = fork.Process(target=_serve, args=(os.getpid(), theirs), daemon=True)
                crew.append(Worker(process, ours))
                process.start()
        yield crew
    finally:
        for worker in crew:
            worker.link.close()
            if worker.process.pid is not None:
                worker.process.kill()  # whoever still works does so in vain
                worker.process.join()


def each(
    crew: Sequence[Worker], function: Callable[..., T], pieces: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[int, T]]:
    """`function(*piece)` by the workers: indices of pieces and results, as they come.

    Raises what the function raised; EOFError or ConnectionError if a worker ended.
    """
    todo = iter(enumerate(pieces))
    busy: dict[Connection, int] = {}

    def give(link: Connection) -> None:
        for index, piece in todo:
            link.send((function, piece))
            busy[link] = index
            return

    for worker in crew:
        give(worker.link)
    while busy:
        for link in wait(list(busy)):
            assert isinstance(link, Connection)
            done, result = link.recv()
            index = busy.pop(link)
            if not done:
                raise result
            give(link)
            yield index, result


_PR_SET_PDEATHSIG = 1


def _serve(parent: int, link: Connection) -> None:
    """LLVM writes remarks to standard error (features that it ignores): that stream is the program's.

    Interrupts are for the parent, which stops its workers. If it is killed, they end with it: later
    workers hold its ends of the pipes of earlier ones, so these would wait for ever.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it was killed before
        os._exit(1)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        function, piece = link.recv()
        try:
            answer = True, function(*piece)
        except Exception as error:
            answer = False, error
        link.send(answer)
