"""Worker processes that compile the modules of a program.

The workers are forked, so the parent imports their modules first; this module is
imported only if there is something to compile. It uses no threads: under tight
limits threads fail to start, or die and leave others waiting, as those of
`concurrent.futures` do.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

import llvmlite.binding as llvm

from whence.engines.native.refused import Failure as Failure
from whence.engines.process.building import BuildSettings
from whence.errors import Abandoned, Refusal, ToolLimit
from whence.errors.shortage import shortage
from whence.instrument import PRINT_AFTER
from whence.toolchain.carry import CarriedModule

T = TypeVar("T")

Work = tuple[CarriedModule, tuple[object, ...], str]


def parallel(
    function: Callable[..., T],
    work: Iterable[Work],
    settings: BuildSettings,
    what: str,
    subject: str,
    hint: str = "",
) -> Iterator[tuple[Work, T | Failure]]:
    """Call `function(module, *arguments)` for each piece of work, in processes; results as they come.

    what, subject, hint: for `Progress`, as in "instrumenting", "vim", "--disable RULE".
    Raises `ToolLimit` if memory or another resource is short, and `Abandoned` if the build was given up.
    """

    pieces = list(work)

    def meanwhile(index: int, seconds: float) -> None:
        settings.progress.wait(os.path.basename(pieces[index][0].source), seconds)
        _still_wanted(settings)

    settings.progress.start(f"{what} {subject}", len(pieces), hint)
    try:
        with workers(min(settings.jobs, len(pieces))) as crew:
            arguments = [(piece[0], *piece[1]) for piece in pieces]
            for index, result in each(crew, function, arguments, meanwhile):
                if isinstance(result, Failure) and shortage(result.error):
                    raise result.error
                yield pieces[index], result
                _still_wanted(settings)
                settings.progress.step(what)
    except (EOFError, ConnectionError):
        raise ToolLimit(
            f"a process that was {what} the program's modules ended abnormally: it ran out of memory "
            "(try --jobs 1) or was killed"
        ) from None
    except MemoryError:
        raise ToolLimit(
            f"out of memory while {what} the program's modules; try again with --jobs 1"
        ) from None
    finally:
        settings.progress.stop()


_PATIENCE = 1.0
"""Seconds from call to call of `Progress.wait`."""


def _still_wanted(settings: BuildSettings) -> None:
    if settings.given_up():
        raise Abandoned("the run was ended meanwhile")


@dataclass(frozen=True)
class Worker:
    """A worker process, and the pipe for its work and its results."""

    process: BaseProcess
    link: Connection


@contextmanager
def workers(number: int) -> Iterator[list[Worker]]:
    """Worker processes that end with the `with` block."""
    crew: list[Worker] = []
    try:
        for _ in range(number):
            _start(crew)
        yield crew
    finally:
        for worker in crew:
            worker.link.close()
            if worker.process.pid is not None:
                worker.process.kill()  # nobody needs the results of running work
                worker.process.join()


def _start(crew: list[Worker]) -> Worker:
    """One more worker."""
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe()
    with theirs:
        process = fork.Process(target=_serve, args=(os.getpid(), theirs), daemon=True)
        crew.append(Worker(process, ours))
        process.start()
    return crew[-1]


def each(
    crew: list[Worker],
    function: Callable[..., T],
    pieces: Sequence[tuple[Any, ...]],
    meanwhile: Callable[[int, float], None] = lambda index, seconds: None,
) -> Iterator[tuple[int, T | Failure]]:
    """Calls `function(*piece)` in the workers; yields indices and results.

    meanwhile: called about every second, with the piece that takes longest and the seconds since its begin.
    A worker that dies during a piece of work is replaced. Raises EOFError if another process killed it.
    """
    todo = iter(enumerate(pieces))
    busy: dict[Connection, tuple[int, Worker, float]] = {}
    called = time.monotonic()

    def give(worker: Worker) -> None:
        for index, piece in todo:
            worker.link.send((function, piece))
            busy[worker.link] = index, worker, time.monotonic()
            return

    for worker in list(crew):
        give(worker)
    while busy:
        for link in wait(list(busy), _PATIENCE):
            assert isinstance(link, Connection)
            index, worker, _ = busy.pop(link)
            try:
                result: T | Failure = link.recv()
            except (EOFError, ConnectionError):
                result = _ended(worker)
                worker = _start(crew)
            give(worker)
            yield index, result
        now = time.monotonic()
        if busy and now - called >= _PATIENCE:
            index, _, begun = next(iter(busy.values()))  # they stand in the order of their begins
            meanwhile(index, now - begun)
            called = now


def _ended(worker: Worker) -> Failure:
    """LLVM ends its process at inline assembly that it does not know, and where it finds itself in error."""
    worker.process.join()
    status = worker.process.exitcode or 0
    if status == -signal.SIGKILL:  # as the kernel does when memory is short
        raise EOFError
    error, how = ToolLimit, signal.Signals(-status).name if status < 0 else f"exit status {status}"
    if status > 0:  # at an error of the module's, while a signal may come of short memory, too
        error = Refusal
    return Failure(error(f"LLVM {llvm.llvm_version_info[0]} gave up on it ({how})"))


_PR_SET_PDEATHSIG = 1


def _serve(parent: int, link: Connection) -> None:
    """LLVM writes remarks to standard error (features that it ignores): that stream is the program's.

    Interrupts are for the parent, which stops its workers. If it is killed, they end with it: later
    workers hold its ends of the pipes of earlier ones, so these would wait for ever.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it was killed before
        os._exit(1)
    if PRINT_AFTER not in os.environ:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # what the parent made stays: collections here need not look at it
    while True:
        function, piece = link.recv()
        try:
            answer = function(*piece)
        except Exception as error:
            answer = Failure(error, traceback.format_exc())
        link.send(answer)
