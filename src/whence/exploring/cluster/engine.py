"""The border to `dask.distributed`: shares are its tasks, each for one worker that is named.

Which worker gets what is decided here, so a share has one owner; when a worker is gone, its shares are lost,
and what is known of them is said to the coordinator, which gives them out again.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import pickle
import queue
import time
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from whence import __version__
from whence.errors import ToolLimit, UserMistake
from whence.exploring.cluster import worker
from whence.exploring.cluster.shares import Gains, Mission, Share

if TYPE_CHECKING:
    from whence.exploring.flow import Graph
    from whence.exploring.lines import Lines
    from whence.exploring.places import Places
    from whence.exploring.questions import Asked

_CONNECT = 10.0
"""Seconds that the scheduler has to answer."""
_LOOKS = 0.5
"""Seconds from look to look at which workers there are, and between two reports of progress."""
_HAND_IN = 60.0
"""Seconds that the transport of a result may take."""
_LOGGERS = ("distributed", "tornado", "asyncio")
_LOGGERS = ("distributed", "tornado", "asyncio")
_NEW, _GREETED, _READY, _REFUSED = range(4)


@dataclass
class _Worker:
    """A worker that the scheduler knows. threads: how many shares it works on at a time."""

    threads: int
    state: int = _NEW
    tasks: set[str] = field(default_factory=set)


@dataclass
class _Task:
    """A task that was submitted. key: what the coordinator gave with the share, None for a greeting."""

    worker: str
    key: object
    future: Any


class _Call:
    """When it is unpickled it is the result of a call. So a scheduler passes it on without having whence, and
    a worker without whence says so by an ordinary error."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self._call = (function, arguments)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._call


class Cluster:
    """An executor (`whence.exploring.executing`) of shares. places: names of sites."""

    def __init__(self, address: str, mission: Mission, places: Places) -> None:
        self.address = address
        self._mission = pickle.dumps(mission, pickle.HIGHEST_PROTOCOL)
        self._places = places
        self._number = uuid.uuid4().hex
        self._count = 0
        self._workers: dict[str, _Worker] = {}
        self._tasks: dict[str, _Task] = {}
        self._ended: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._refusals: dict[str, str] = {}
        self._looked = -_LOOKS
        self._client = connected(address)
        self._quiet = contextlib.ExitStack()
        self._quiet.enter_context(_quiet())

    # ---- what the loop asks ----

    @property
    def free(self) -> int:
        ready = [each for each in self._workers.values() if each.state == _READY]
        return sum(max(0, each.threads - len(each.tasks)) for each in ready)

    @property
    def running(self) -> int:
        return sum(task.key is not None for task in self._tasks.values())

    @property
    def lacks(self) -> str:
        if any(each.state == _READY for each in self._workers.values()):
            return ""
        if any(each.state in (_NEW, _GREETED) for each in self._workers.values()):
            return f"the workers of {self.address} prepare the program"
        return f"no workers at {self.address}"

    def rest(self) -> None:
        pass

    def begin(self, key: object, work: Share) -> None:
        address = min(
            (name for name, each in self._workers.items() if each.state == _READY),
            key=lambda name: len(self._workers[name].tasks) - self._workers[name].threads,
        )
        share = pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
        self._submit(address, key, worker.explore, self._number, share)

    def next(self, seconds: float | None) -> tuple[object, Gains] | None:
        """Raises `ToolLimit` if the scheduler is gone, or all workers refuse the program."""
        self._look()
        lost = self._gone()
        if lost is not None:
            return lost
        try:
            name, result = self._ended.get(timeout=_LOOKS if seconds is None else min(_LOOKS, seconds))
        except queue.Empty:
            return None
        task = self._tasks.pop(name, None)
        if task is None:  # it was lost, and has been given out again
            return None
        there = self._workers.get(task.worker)
        if there is not None:
            there.tasks.discard(name)
        if task.key is None:
            self._greeted(task.worker, result)
            return None
        return task.key, self._gains(task.worker, result)

    def memory(self) -> int:
        """0: the bound holds for this process and for each session by itself."""
        return 0

    def place(self, site: int) -> str:
        return self._places.name(site)

    def code(self, site: int) -> str:
        return self._places.code(site)

    def source(self, site: int) -> tuple[str, int] | None:
        return self._places.source(site)

    def lines(self, covered: int | None = None) -> Lines:
        return self._places.lines(covered)

    def bytes_of(self, lines: Mapping[str, Iterable[int]]) -> int:
        return self._places.bytes_of(lines)

    def graph(self) -> Graph | None:
        return self._places.graph()

    def asked(self) -> Asked | None:
        return None

    # ---- workers ----

    def _look(self) -> None:
        """Which workers there are; greets the new ones."""
        if self._client.status != "running":
            raise self._scheduler_gone()
        if time.monotonic() - self._looked < _LOOKS:
            return
        try:
            there = dict(self._client.sync(self._client.scheduler.ncores, callback_timeout=_CONNECT))
        except (OSError, TimeoutError, RuntimeError, ValueError) as error:
            raise self._scheduler_gone() from error
        self._looked = time.monotonic()
        for name in self._workers.keys() - there.keys():
            del self._workers[name]
        for name, threads in there.items():
            if name not in self._workers:
                self._workers[name] = _Worker(threads)
                self._greet(name)

    def _greet(self, name: str) -> None:
        self._workers[name].state = _GREETED
        self._submit(name, None, worker.greet, __version__, self._number, self._mission)

    def _greeted(self, name: str, result: Any) -> None:
        there = self._workers.get(name)
        if there is None:
            return
        refusal = _refusal(result) if isinstance(result, BaseException) else str(result)
        there.state = _REFUSED if refusal else _READY
        if not refusal:
            return
        self._refusals[name] = f"the worker {name} takes no part: {refusal}"
        if all(each.state == _REFUSED for each in self._workers.values()):
            raise ToolLimit("; ".join(self._refusals[each] for each in self._workers))

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each worker that takes no part."""
        return tuple(self._refusals.values())

    def _gone(self) -> tuple[object, Gains] | None:
        """A share whose worker is gone, if there is one."""
        for name, task in self._tasks.items():
            if task.worker not in self._workers:
                del self._tasks[name]
                _forgotten(task.future)
                if task.key is None:
                    return None
                return task.key, Gains(lost=f"the worker {task.worker} is gone")
        return None

    def _gains(self, name: str, result: Any) -> Gains:
        if isinstance(result, BaseException):
            return Gains(lost=f"the worker {name} failed: {_refusal(result)}")
        message, lost = result
        if lost:
            if name in self._workers and self._workers[name].state == _READY:
                self._greet(name)
            return Gains(lost=lost)
        gains: Gains = pickle.loads(message)
        return gains

    # ---- tasks ----

    def _submit(self, address: str, key: object, function: Callable[..., Any], *arguments: Any) -> None:
        self._count += 1
        name = f"whence-{self._number}-{self._count}"
        try:
            call = pickle.dumps(_Call(function, arguments), pickle.HIGHEST_PROTOCOL)
            future = self._client.submit(
                *(pickle.loads, call), key=name, workers=[address], allow_other_workers=False, pure=False
            )
        except (OSError, RuntimeError) as error:
            raise self._scheduler_gone() from error
        self._tasks[name] = _Task(address, key, future)
        self._workers[address].tasks.add(name)
        future.add_done_callback(partial(_handed_in, self._ended, name))

    def _scheduler_gone(self) -> ToolLimit:
        return ToolLimit(
            f"the scheduler at {self.address} is gone: what was found is kept, and the same command goes on"
        )

    def close(self) -> None:
        """Shares that are not ended are given up; sessions end."""
        with contextlib.suppress(Exception):
            for task in self._tasks.values():
                _forgotten(task.future)
            self._tasks = {}
            if self._client.status == "running":
                self._leave()
        with self._quiet, contextlib.suppress(Exception):
            self._client.close(timeout=2)

    def _leave(self) -> None:
        """A worker that is busy hears nothing of it in time: its sessions end when nothing comes any more."""
        names = [name for name, each in self._workers.items() if each.state == _READY]
        for name in names:
            self._submit(name, None, worker.leave, self._number)
        end = time.monotonic() + 2
        left = set(self._tasks)
        while left and time.monotonic() < end:
            with contextlib.suppress(queue.Empty):
                left.discard(self._ended.get(timeout=0.1)[0])


def _handed_in(ended: queue.SimpleQueue[tuple[str, Any]], name: str, future: Any) -> None:
    """Called in a thread of the client."""
    try:
        result = future.result(timeout=_HAND_IN)
    except BaseException as error:
        result = error
    ended.put((name, result))


def _forgotten(future: Any) -> None:
    with contextlib.suppress(Exception):
        future.cancel()


def _refusal(error: BaseException) -> str:
    """A sentence about an error that came from a worker instead of an answer."""
    if isinstance(error, ImportError | AttributeError):
        return f"whence {__version__} is not installed there ({error})"
    return f"{type(error).__name__}: {error}".splitlines()[0]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What the engine logs, the caller says in a sentence of its own."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _LOGGERS]
    before = {name: logging.getLogger(name).level for name in (*names, *_LOGGERS)}
    for name in before:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def connected(address: str) -> Any:
    """A client of the scheduler.

    Raises:
        UserMistake: the text is no address.
        ToolLimit: no scheduler answers there, or this process has no thread to ask one with.
    """
    distributed: Any = importlib.import_module("distributed")
    addressing: Any = importlib.import_module("distributed.comm.addressing")
    with _quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that versions differ: what does not work is said when it does not
        try:
            addressing.get_address_host(address)
            return distributed.Client(address, timeout=_CONNECT, set_as_default=False, name="whence")
        except (OSError, TimeoutError) as error:
            said = f"no scheduler answers at {address} within {_CONNECT:g} seconds"
            raise ToolLimit(f"{said} (--cluster)") from error
        except (ValueError, TypeError, ImportError, Warning) as error:
            raise UserMistake(f"--cluster {address}: {str(error).splitlines()[0]}") from error
        except (AssertionError, RuntimeError) as error:  # its thread did not start, or not in time
            said = "the client of dask.distributed did not start: this machine is busy or out of threads"
            raise ToolLimit(f"--cluster {address}: {said}; try again") from error
