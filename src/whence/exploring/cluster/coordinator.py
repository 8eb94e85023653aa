"""Gives out shares of the tree of decisions, and records what comes back, as if one process had found it.

The coordinator runs no path and asks no solver. Each decision that waits is in one hand: here, or in one
share. A share whose worker is gone is given out again, and what that worker may still hand in is not taken.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from whence.errors import ToolLimit
from whence.exploring.cluster.shares import Gains, Place, Prefix, Share, packed
from whence.exploring.executing import Executor
from whence.exploring.loop import Limits, Loop
from whence.exploring.reasoning import Counts
from whence.exploring.store import Paths, Recorded
from whence.exploring.terms import Terms
from whence.exploring.tree import Diverged, Node, as_text, from_text

_SHORT, _LONG = 0.1, 1.0
"""Seconds of work of a share, while decisions wait for fewer workers than there are, and for all."""
_MOST_PREFIXES = 200
_MOST_BYTES = 1 << 20
"""Of inputs in a share."""
_MOST_LOSSES = 10
"""How often a decision is given out again since its worker is gone: it may be what ends workers."""
_GRACE = 1.5
"""Seconds that workers have to hand in, when the time is over, what they have found."""
_SUMS = ("runs", "given_up", "left_out", "diverged", "broken", "repeated", "killed")


@dataclass(eq=False, slots=True)
class Lease:
    """A share in somebody's hands, and the decisions in it by their places."""

    share: Share
    nodes: dict[Place, Node] = field(default_factory=dict)


class Coordinator(Loop[Share, Gains]):
    """An exploration that gives out shares, the shortest waiting prefixes first."""

    def __init__(
        self,
        executor: Executor[Share, Gains],
        store: Paths,
        limits: Limits | None = None,
        tell: Callable[[Loop[Any, Any]], None] = lambda _: None,
    ) -> None:
        super().__init__(executor, store, Terms(), "breadth", limits, tell)
        self._counts, self._solver, self._symbolic = Counts(), "", False
        self._leases: set[Lease] = set()
        self._losses: Counter[Node] = Counter()
        self._lost_begins = 0
        self._packed = 0, b""

    @property
    def counts(self) -> Counts:
        return self._counts

    @property
    def solver(self) -> str:
        return self._solver

    @property
    def symbolic(self) -> bool:
        return self._symbolic

    @property
    def left(self) -> int:
        """Decisions and inputs that were not tried yet, as far as is known here."""
        given = sum(max(1, len(each.nodes)) for each in self._leases)
        return len(self.waiting) + len(self._seeds) + len(self._repeats) + given

    # ---- giving out ----

    def _promised(self) -> int:
        """How many paths those that explore may still hand in."""
        return sum(each.share.paths or 0 for each in self._leases)

    def _may_begin(self) -> bool:
        wanted = self.limits.paths
        return wanted is None or self.state.paths + self._promised() < wanted

    def _next_work(self) -> tuple[Lease, Share] | None:
        lease = self._next_lease()
        if lease is None:
            return None
        covered = self._packed_covered()
        lease.share = replace(lease.share, seconds=self._seconds(), paths=self._paths(), covered=covered)
        self._leases.add(lease)
        return lease, lease.share

    def _packed_covered(self) -> bytes:
        if self.distances.covered != self._packed[0]:
            self._packed = self.distances.covered, packed(self.distances.covered)
        return self._packed[1]

    def _next_lease(self) -> Lease | None:
        if self._seeds:
            return Lease(Share(seeds=(self._seeds.pop(),)))
        if self._repeats:
            numbers, self._repeats = tuple(self._repeats), []
            return Lease(Share(repeats=numbers, inputs={each: self.store.inputs(each) for each in numbers}))
        return self._prefixes() if self.waiting else None

    def _seconds(self) -> float:
        enough = len(self.waiting) >= self.executor.free + self.executor.running
        left = self._left()
        seconds = _LONG if enough else _SHORT
        return seconds if left is None else min(seconds, left)

    def _paths(self) -> int | None:
        if self.limits.paths is None:
            return None
        left = self.limits.paths - self.state.paths - self._promised()
        return max(1, left // max(1, self.executor.free))

    def _prefixes(self) -> Lease:
        """The shortest that wait; those that were lost with a worker alone."""
        hands = self.executor.free + self.executor.running
        most = min(_MOST_PREFIXES, 1 + len(self.waiting) // (2 * hands))
        lease, size = Lease(Share()), 0
        prefixes: list[Prefix] = []
        inputs: dict[int, Mapping[str, bytes]] = {}
        while self.waiting and len(prefixes) < most and size < _MOST_BYTES:
            node = self.strategy.next(self.waiting)
            if prefixes and self._losses[node]:
                self.strategy.add(node)
                break
            self._stop_waiting(node)
            prefix = self._prefix(node)
            prefixes.append(prefix)
            lease.nodes[prefix.place] = node
            if node.witness not in inputs:
                inputs[node.witness] = self.store.inputs(node.witness)
                size += sum(map(len, inputs[node.witness].values()))
            if self._losses[node]:
                break
        lease.share = Share(prefixes=tuple(prefixes), inputs=inputs)
        return lease

    def _prefix(self, node: Node) -> Prefix:
        before, ways = map(as_text, self.tree.before(node)), map(as_text, self.tree.ways(node))
        return Prefix((node.witness, node.depth - 1), tuple(before), tuple(ways))

    # ---- taking back ----

    def _take(self, key: object, done: Gains) -> None:
        assert isinstance(key, Lease)
        self._leases.remove(key)
        if done.lost:
            self._lose(key, done.lost)
            return
        self._begin_meanwhile()
        self._cover(done.state.covered)
        nodes = dict(key.nodes)
        numbers, recorded = self._grow(done, nodes)
        settled = set(done.closed)
        self._closed += [(node.witness, node.depth - 1) for place, node in nodes.items() if place in settled]
        self._hold(done, nodes)
        self._sum(done, numbers)
        for path in recorded:
            closed, self._closed = tuple(self._closed), []
            self.store.add(path._replace(closed=closed))
        if done.stopped:
            raise ToolLimit(done.stopped)
        if done.full and not done.moved:
            raise ToolLimit("the memory of a worker is full before a path has ended (--max-memory)")

    def _begin_meanwhile(self) -> None:
        """Whoever has handed in goes on while that is recorded, where enough waits."""
        hands = self.executor.free + self.executor.running
        if len(self.waiting) >= hands and self.limits.paths is None and self._left() != 0.0:
            self._begin_work()

    def _grow(self, done: Gains, nodes: dict[Place, Node]) -> tuple[dict[int, int], list[Recorded]]:
        """The paths into the tree, and their new decisions into `nodes`; the numbers that they get here."""
        numbers: dict[int, int] = {}
        recorded = []
        for path in done.paths:
            decisions = [from_text(text) for text in path.decisions]
            try:
                new, fresh = self.tree.add(decisions, self.number + 1)
            except Diverged:
                self.state.diverged += 1
                continue
            if not new:
                self.state.repeated += 1
                continue
            self.number += 1
            numbers[path.number] = self.number
            nodes.update({(path.number, node.depth - 1): node for node in fresh})
            self._count(path.how, path.findings, self.number)
            self._pass(decisions)
            recorded.append(path._replace(number=self.number))
        return numbers, recorded

    def _hold(self, done: Gains, nodes: Mapping[Place, Node]) -> None:
        """What was handed in and waits, waits here; all else is settled."""
        waiting = set(done.waiting)
        for place, node in nodes.items():
            if place in waiting:
                self._wait([node])
            else:
                node.closed = True
        self._seeds += done.seeds
        self._repeats += done.repeats

    def _sum(self, done: Gains, numbers: Mapping[int, int]) -> None:
        state, gained = self.state, done.state
        for name in _SUMS:
            setattr(state, name, getattr(state, name) + getattr(gained, name))
        for name in (each.name for each in fields(Counts)):
            setattr(self._counts, name, getattr(self._counts, name) + getattr(done.counts, name))
        state.bound.update(gained.bound)
        state.notes.update(gained.notes)
        self._keep_findings(gained.found.values())
        for what, number in gained.possible.items():
            if number in numbers:
                state.possible.setdefault(what, numbers[number])
        self._solver, self._symbolic = done.solver or self._solver, self._symbolic or done.symbolic

    def _lose(self, lease: Lease, why: str) -> None:
        """A share is given out again, in parts; what has been lost often is given up."""
        self._repeats += lease.share.repeats
        self._seeds += lease.share.seeds
        if not lease.nodes:
            self._lost_begins += 1
            if self._lost_begins > _MOST_LOSSES:
                raise ToolLimit(why)
        for node in lease.nodes.values():
            self._losses[node] += 1
            if self._losses[node] <= _MOST_LOSSES:
                self._wait([node])
                continue
            node.closed = True
            self.state.killed += 1
            self.state.notes[why] = None

    def _finish(self) -> None:
        """What is handed in a little later counts."""
        end = time.monotonic() + _GRACE
        while self._leases and time.monotonic() < end:
            ended = self.executor.next(end - time.monotonic())
            if ended is not None:
                self._take(*ended)
        if not self.left:
            self.state.stopped = ""
