"""What every exploration does: gives out work while there is some, takes results, and stops at a limit.

`whence.exploring.search` gives out single paths, `whence.exploring.cluster` shares of the tree.
"""

from __future__ import annotations

import contextlib
import gc
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from whence.abi import symbolic
from whence.errors import ToolLimit
from whence.exploring import strategies
from whence.exploring.decisions import YES_NO, Decision
from whence.exploring.distances import Distances
from whence.exploring.executing import Executor
from whence.exploring.memory import Bound
from whence.exploring.store import Paths
from whence.exploring.terms import Terms
from whence.exploring.trace import OUTSIDE
from whence.exploring.tree import Node, Tree, from_text
from whence.toolchain.cache_prune import format_size

if TYPE_CHECKING:
    from whence.exploring.reasoning import Counts
    from whence.findings import Finding

REASONS = {number: name for name, number in symbolic.REASONS.items()}
ENUMERATED = frozenset(symbolic.REASONS[name] for name in ("ADDRESS", "SIZE", "TARGET"))
"""Values that are bound for these reasons are decisions with several ways; for others, one value stands."""
ASSUMPTION = "assumption"
_RARELY = 5_000_000
"""New objects from one search for cyclic garbage to the next; a path makes some 40."""
W = TypeVar("W")
D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop, and how far to go. seconds, paths, memory (in bytes): None for no limit. ways: of one
    decision."""

    seconds: float | None = None
    paths: int | None = None
    ways: int = 16
    memory: int | None = None


_CONFIRMING = 4
"""Of how many parts of the time one is for confirming findings."""


@dataclass
class State:
    """What an exploration knows, for its reports.

    errors: the numbers of paths by the keys of their findings. bound: (reason, site) -> decisions.
    passed: (site, way) -> how often; way -1 where there are many. covered: where paths came, as `Ran` has it;
    lines: the same by files, with what is known from before.
    """

    paths: int = 0
    dismissed: int = 0
    runs: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    found: dict[str, Finding] = field(default_factory=dict)
    errors: dict[str, list[int]] = field(default_factory=dict)
    possible: dict[tuple[str, int], int] = field(default_factory=dict)
    bound: Counter[tuple[str, int]] = field(default_factory=Counter)
    passed: Counter[tuple[int, int]] = field(default_factory=Counter)
    covered: int = 0
    lines: dict[str, set[int]] = field(default_factory=dict)
    given_up: int = 0
    left_out: int = 0
    diverged: int = 0
    broken: int = 0
    repeated: int = 0
    killed: int = 0
    stopped: str = ""
    notes: dict[str, None] = field(default_factory=dict)


class Loop(ABC, Generic[W, D]):
    """One exploration, with an executor of work `W` that gives `D`. tell: called now and then, for progress.

    waiting: decisions that may have other ways, which nobody tries yet. number: of the last recorded path.
    """

    def __init__(
        self,
        executor: Executor[W, D],
        store: Paths,
        terms: Terms,
        strategy: str = "rotation",
        limits: Limits | None = None,
        tell: Callable[[Loop[Any, Any]], None] = lambda _: None,
    ) -> None:
        self.executor, self.store, self.terms = executor, store, terms
        self.limits = limits or Limits()
        self.tell = tell
        self.tree = Tree(self.terms)
        self.state = State()
        self.distances = Distances(executor.graph)
        self.strategy = strategies.make(strategy, self.tree, self.state.passed, self.distances)
        self.waiting: set[Node] = set()
        self.number = 0
        self.begun = time.monotonic()
        self.confirms = False
        """Whether findings are shown again when paths are at an end."""
        self.bound = Bound(self.limits.memory, executor.memory, self._forget) if self.limits.memory else None
        self._repeats: list[int] = []
        self._seeds: list[Mapping[str, bytes]] = []
        self._closed: list[tuple[int, int]] = []

    @property
    @abstractmethod
    def counts(self) -> Counts:
        """How questions were settled."""

    @property
    @abstractmethod
    def solver(self) -> str:
        """The name of the solver that is asked; empty while that is not known."""

    @property
    @abstractmethod
    def symbolic(self) -> bool:
        """Whether some path came to a symbolic value."""

    @property
    @abstractmethod
    def left(self) -> int:
        """Decisions and inputs that were not tried yet."""

    @abstractmethod
    def _next_work(self) -> tuple[object, W] | None:
        """What to do next, and a key for it; None if there is nothing to do now."""

    @abstractmethod
    def _take(self, key: Any, done: D) -> None:
        """Take what a piece of work gave."""

    @abstractmethod
    def _may_begin(self) -> bool:
        """Whether the limits leave more to begin."""

    def _finish(self) -> None:
        """Take what is still to come when a limit has been reached."""

    def _forget(self) -> None:
        """Give up what can be found again."""
        self.store.forget()

    # ---- the loop ----

    def explore(self, seeds: Iterable[Mapping[str, bytes]]) -> None:
        """Explore until nothing waits or a limit is reached. seeds: the inputs to begin with."""
        with _rare_collections():
            try:
                self._explore(seeds)
            finally:
                self.executor.rest()

    def _explore(self, seeds: Iterable[Mapping[str, bytes]]) -> None:
        self._resume(list(seeds))
        try:
            while not self._over():
                self._begin_work()
                if not self.executor.running and not (self.executor.lacks and self.left):
                    self._over()  # the time may have ended since, which is why nothing has begun
                    break
                ended = self.executor.next(self._left())
                if ended is not None:
                    self._take(*ended)
                self.tell(self)
            self._finish()
        except KeyboardInterrupt:
            self.state.stopped = "interrupted"
        except ToolLimit as error:
            if not self.number:
                raise
            self.state.stopped = str(error)

    def _over(self) -> bool:
        limits, state = self.limits, self.state
        if limits.paths is not None and state.paths >= limits.paths:
            state.stopped = f"{limits.paths} paths" if self.left else ""
            return True
        if limits.seconds is not None and self._left() == 0.0:
            lacks = f" ({self.executor.lacks})" if self.executor.lacks else ""
            state.stopped = f"{limits.seconds:g} seconds{lacks}" if self.left else ""
            return True
        if self.bound is not None and self.left and self.bound.exceeded():
            state.stopped = f"{format_size(self.bound.limit)} of memory are full (--max-memory)"
            return True
        return False

    @property
    def end(self) -> float | None:
        """When the time of the exploration and of what confirms its findings is over, by the monotonic clock;
        None without a limit."""
        return None if self.limits.seconds is None else self.begun + self.limits.seconds

    def _left(self) -> float | None:
        """Seconds for paths: a part of the limit is kept for confirming findings, once there are some."""
        if self.end is None or self.limits.seconds is None:
            return None
        kept = self.limits.seconds / _CONFIRMING if self.state.found and self.confirms else 0.0
        return max(0.0, self.end - kept - time.monotonic())

    def _begin_work(self) -> None:
        while self.executor.free and self._may_begin():
            begun = self._next_work()
            if begun is None:
                return
            self.executor.begin(*begun)

    # ---- decisions that wait ----

    def _wait(self, nodes: Sequence[Node]) -> None:
        """Nodes of one path wait."""
        self.tree.wait(nodes)
        for each in nodes:
            self.waiting.add(each)
            self.strategy.add(each)

    def _stop_waiting(self, node: Node) -> None:
        self.waiting.discard(node)
        self.tree.stop_waiting(node)

    def _may_wait(self, node: Node) -> bool:
        """Whether another way may exist that is to be tried; closes a node for which it does not."""
        if not node.open or node in self.waiting:
            return False
        if (node.kind == "ASSUME" and 1 in node.children) or (
            node.kind == "ACCESS" and OUTSIDE in node.children
        ):
            node.closed = True
        elif node.kind == "CONCRETE" and node.parent and node.parent.kind == "ACCESS" and node.via == OUTSIDE:
            node.closed = True  # the address of an access that was wrong
        elif node.kind == "CONCRETE" and node.detail not in ENUMERATED:
            self.state.bound[REASONS.get(node.detail, "OPERATION"), node.site] += 1
            node.closed = True
        elif node.kind not in (*YES_NO, "SWITCH") and len(node.children) >= self.limits.ways:
            self.state.left_out += 1
            node.closed = True
        return not node.closed

    # ---- what is known of paths ----

    def _count(self, how: str, keys: Iterable[str], number: int) -> None:
        if how == ASSUMPTION:
            self.state.dismissed += 1
        else:
            self.state.paths += 1
            self.state.ends[how] += 1
        for key in keys:
            self.state.errors.setdefault(key, []).append(number)

    def _pass(self, decisions: Iterable[Decision]) -> None:
        self.state.passed.update([each.passed for each in decisions])

    def _cover(self, covered: int) -> None:
        """Lines to which a path came are recorded before the path is, which will not be run again."""
        new = covered & ~self.state.covered
        if not new:
            return
        self.state.covered |= new
        self.distances.cover(new)
        known = self.state.lines
        fresh = {file: lines - known.get(file, set()) for file, lines in self.executor.lines(new).items()}
        self.store.cover({file: lines for file, lines in fresh.items() if lines})
        for file, lines in fresh.items():
            known.setdefault(file, set()).update(lines)

    def source(self, site: int) -> tuple[str, int] | None:
        """The file and line of a branch, if known. Debug information is read only for those that end no block
        and those to which no path came in this session."""
        at = self.distances.line(site)
        known = self.executor.lines(1 << 8 * at) if at >= 0 else {}
        found = [(file, line) for file, lines in known.items() for line in lines]
        return found[0] if found else self.executor.source(site)

    def _keep_findings(self, findings: Collection[Finding]) -> tuple[str, ...]:
        """The keys of a path's findings."""
        if not findings:
            return ()
        found = list(findings)
        for finding in found:
            self.state.found.setdefault(finding.key, finding)
        return tuple(dict.fromkeys(finding.key for finding in found))

    # ---- resumption ----

    def _resume(self, seeds: list[Mapping[str, bytes]]) -> None:
        """Grow the tree of the recorded paths again. seeds: those with a recorded path are not run again."""
        for file, lines in self.store.covered():
            self.state.lines.setdefault(file, set()).update(lines)
        if self.state.lines:
            self.distances.cover(self.executor.bytes_of(self.state.lines))
        known: list[list[Node]] = []
        closed: list[tuple[int, int]] = []
        begun = _Begun(seeds)
        for path in self.store.resume():
            decisions = [from_text(text) for text in path.decisions]
            _, fresh = self.tree.add(decisions, path.number)
            self.number = max(self.number, path.number)
            self._count(path.how, path.findings, path.number)
            self._pass(decisions)
            closed.extend(path.closed)
            begun.meet(path.inputs)
            if fresh:
                known.append(fresh)
        nodes_of = {(node.witness, node.depth - 1): node for fresh in known for node in fresh}
        for place in closed:
            if place in nodes_of:
                nodes_of[place].closed = True
        for fresh in known:
            self._wait([each for each in fresh if self._may_wait(each)])
        self._repeats = [numbers[0] for numbers in self.state.errors.values()]
        self._seeds = begun.left()[::-1]


class _Begun:
    """Which of some inputs an exploration has begun with: a path has their bytes, and perhaps more."""

    def __init__(self, seeds: Iterable[Mapping[str, bytes]]) -> None:
        self._left: dict[tuple[str, ...], dict[tuple[bytes, ...], Mapping[str, bytes]]] = {}
        for seed in seeds:
            names = tuple(sorted(seed))
            self._left.setdefault(names, {})[tuple(seed[name] for name in names)] = seed

    def meet(self, inputs: Mapping[str, bytes]) -> None:
        for names, seeds in self._left.items():
            seeds.pop(tuple(inputs.get(name, b"") for name in names), None)

    def left(self) -> list[Mapping[str, bytes]]:
        return [seed for seeds in self._left.values() for seed in seeds.values()]


@contextlib.contextmanager
def _rare_collections() -> Iterator[None]:
    """What an exploration makes it keeps, so searches for cyclic garbage find none and are to be rare, and
    to leave out what is there already. What was made counts as old afterwards."""
    before = gc.get_threshold()
    gc.set_threshold(_RARELY, 20, 100)
    gc.freeze()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(*before)
        gc.unfreeze()
