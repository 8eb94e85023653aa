"""The exploration itself: chooses decisions, finds inputs that go another way, runs and records them.

Each run follows the known path up to one decision and goes on from there (a *generation*). A decision is
asked about once, when a strategy chooses it, so each path that is possible is run once, and what is
recorded can be resumed: a decision without a term gets it by a run of a known path that comes by.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from whence.abi import symbolic
from whence.errors import ToolLimit
from whence.exploring import strategies
from whence.exploring.evaluate import values
from whence.exploring.executing import TIME_LIMIT, Executor, Ran
from whence.exploring.inputs import COUNT as COUNT_OBJECT
from whence.exploring.memory import Bound
from whence.exploring.prefixes import Prefixes
from whence.exploring.reasoning import GivenUp, Reasoner
from whence.exploring.store import Recorded, Store
from whence.exploring.terms import Terms
from whence.exploring.trace import OUTSIDE, BrokenTrace, Decision, Trace, read
from whence.exploring.tree import COUNT, YES_NO, Diverged, Node, Tree, as_text, from_text
from whence.toolchain.cache_prune import format_size

if TYPE_CHECKING:
    from whence.findings import Finding

REASONS = {number: name for name, number in symbolic.REASONS.items()}
CHECKS = {number: name for name, number in symbolic.CHECKS.items()}
ENUMERATED = frozenset(symbolic.REASONS[name] for name in ("ADDRESS", "SIZE", "TARGET"))
"""Values that are bound for these reasons are decisions with several ways; for others, one value stands."""
FULL, ASSUMPTION, SILENT = "full", "assumption", "silent"
_HOW = {"LIMIT": TIME_LIMIT}
_SIGKILL = 9


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop, and how far to go. seconds, paths, memory (in bytes): None for no limit. ways: of one
    decision."""

    seconds: float | None = None
    paths: int | None = None
    ways: int = 16
    memory: int | None = None


@dataclass(slots=True)
class Job:
    """A run that was begun. node: the decision that it is to take in another way.

    again: it repeats a known path, to know the terms of its decisions, or its findings. lost: it was begun
    before, in a process that is gone.
    """

    inputs: Mapping[str, bytes]
    node: Node | None = None
    again: bool = False
    lost: bool = False


@dataclass
class State:
    """What an exploration knows, for its reports.

    errors: the numbers of paths by the keys of their findings. bound: (reason, site) -> decisions.
    passed: (site, way) -> how often; way -1 where there are many.
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
    given_up: int = 0
    left_out: int = 0
    diverged: int = 0
    broken: int = 0
    repeated: int = 0
    killed: int = 0
    stopped: str = ""
    notes: dict[str, None] = field(default_factory=dict)


class Explorer:
    """One exploration. seeds: the inputs to begin with. tell: called now and then, for progress."""

    def __init__(
        self,
        executor: Executor,
        reasoner: Reasoner,
        store: Store,
        strategy: str = "rotation",
        limits: Limits | None = None,
        tell: Callable[[Explorer], None] = lambda _: None,
    ) -> None:
        self.executor, self.reasoner, self.store = executor, reasoner, store
        self.limits = limits or Limits()
        self.tell = tell
        self.terms: Terms = reasoner.terms
        self.tree = Tree(self.terms)
        self.prefixes = Prefixes()
        self.state = State()
        self.strategy = strategies.make(strategy, self.tree, self.state.passed)
        self.waiting: set[Node] = set()
        self.number = 0
        self.begun = time.monotonic()
        self.bound = Bound(self.limits.memory, executor.memory, self._forget) if self.limits.memory else None
        self._repeats: list[int] = []
        self._lost: list[Job] = []
        self._seeds: list[Mapping[str, bytes]] = []
        self._suspended: set[Node] = set()
        self._closed: list[tuple[int, int]] = []

    # ---- the loop ----

    def explore(self, seeds: Iterable[Mapping[str, bytes]]) -> None:
        """Explore until nothing waits or a limit is reached."""
        with _rare_collections():
            self._explore(seeds)

    def _explore(self, seeds: Iterable[Mapping[str, bytes]]) -> None:
        self._resume()
        self._seeds = [] if self.number else list(seeds)[::-1]
        try:
            while not self._over():
                self._begin_jobs()
                if not self.executor.running:
                    break
                ended = self.executor.next(self._left())
                if ended is not None:
                    job, ran = ended
                    assert isinstance(job, Job)
                    self._take(job, ran)
                self.tell(self)
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
        if limits.seconds is not None and time.monotonic() - self.begun >= limits.seconds:
            state.stopped = f"{limits.seconds:g} seconds" if self.left else ""
            return True
        if self.bound is not None and self.left and self.bound.exceeded():
            state.stopped = f"{format_size(self.bound.limit)} of memory are full (--max-memory)"
            return True
        return False

    def _forget(self) -> None:
        """Give up what can be found again."""
        self.reasoner.forget()
        self.store.forget()
        self.prefixes = Prefixes()

    @property
    def left(self) -> int:
        """Decisions and inputs that were not tried yet."""
        more = len(self._seeds) + len(self._suspended) + len(self._lost)
        return len(self.waiting) + more + self.executor.running

    def _left(self) -> float | None:
        if self.limits.seconds is None:
            return None
        return max(0.0, self.limits.seconds - (time.monotonic() - self.begun))

    def _begin_jobs(self) -> None:
        wanted = self.limits.paths
        while self.executor.free and (wanted is None or self.state.paths + self.executor.running < wanted):
            job = self._next_job()
            if job is None:
                return
            self.executor.begin(job, job.inputs)

    def _next_job(self) -> Job | None:
        """The next run; None if there is nothing to run now."""
        if self._lost:
            return self._lost.pop()
        if self._repeats:
            return Job(self.store.inputs(self._repeats.pop()), again=True)
        if self._seeds:
            return Job(self._seeds.pop())
        while self.waiting and not self._out_of_time():
            node = self.strategy.next(self.waiting)
            self._stop_waiting(node)
            if not self.tree.known(node):
                self._suspended.add(node)
                return Job(self.store.inputs(node.witness), node, again=True)
            inputs = self._another(node)
            if inputs is not None:
                return Job(inputs, node)
        return None

    def _out_of_time(self) -> bool:
        return self._left() == 0.0

    def _another(self, node: Node) -> Mapping[str, bytes] | None:
        """Inputs that come to a node and go no known way; None, and the node is closed, without any."""
        try:
            found = self.reasoner.find(self.tree.others(node), self.tree.path(node))
        except GivenUp:
            self.state.given_up += 1
            node.closed = True
            return None
        if found is None:
            node.closed = True
            self._closed.append((node.witness, node.depth - 1))
            return None
        return self._changed(self.store.inputs(node.witness), found)

    def _changed(self, inputs: Mapping[str, bytes], found: Mapping[int, int]) -> dict[str, bytes]:
        """Inputs with other values of some bytes."""
        changed: dict[str, bytearray] = {}
        for number, value in found.items():
            name, offset = self.terms.byte(number)
            data = changed.setdefault(name, bytearray(inputs.get(name, b"")))
            data.extend(bytes(max(0, offset + 1 - len(data))))
            data[offset] = value
        return {**inputs, **{name: bytes(data) for name, data in changed.items()}}

    def _wait(self, nodes: Sequence[Node]) -> None:
        """Nodes of one path wait."""
        self.tree.wait(nodes)
        for each in nodes:
            self.waiting.add(each)
            self.strategy.add(each)

    def _stop_waiting(self, node: Node) -> None:
        self.waiting.discard(node)
        self.tree.stop_waiting(node)

    # ---- results ----

    def _take(self, job: Job, ran: Ran) -> None:
        """What a run gave: its path into the tree and the directory, its decisions to the others."""
        state = self.state
        state.runs += 1
        state.notes.update(dict.fromkeys(ran.notes))
        if ran.lost:
            self._lose(job, ran.lost)
            return
        try:
            trace = read(ran.trace, self.terms, self.prefixes)
        except BrokenTrace as error:
            state.broken += 1
            state.notes[str(error)] = None
            self._give_up(job)
            return
        for site in trace.inconsistent:
            state.notes[f"a value at {self.executor.place(site)} is not followed: a defect of whence"] = None
        inputs = _completed(job.inputs, trace)
        decisions = self._normal(trace, inputs)
        if job.again:
            self._keep_findings(ran)
            self._rejoin(job, decisions)
            return
        self._record(job, ran, trace, inputs, decisions)

    def _lose(self, job: Job, why: str) -> None:
        """The process of a run is gone. It is begun again, once: it may be what kills its process."""
        if not job.lost:
            self._lost.append(replace(job, lost=True))
            return
        if not self.number:
            raise ToolLimit(why)
        self.state.killed += 1
        self.state.notes[why] = None
        self._give_up(job)

    def _give_up(self, job: Job) -> None:
        """The run of a job gave nothing, and never will: its way of a decision is gone, others are not."""
        node = job.node
        if node is None:
            return
        self._suspended.discard(node)
        if job.again or node.kind not in ("SWITCH", "CONCRETE"):
            node.closed = True
            return
        value = values(self.terms, [node.term], self._assignment(job.inputs))[node.term]
        way = value if node.kind == "CONCRETE" else (node.cases or {}).get(value, 0)
        node.children.setdefault(way, None)
        if self._may_wait(node):
            self._wait([node])

    def _rejoin(self, job: Job, decisions: Sequence[Decision]) -> None:
        """A known path has run again: its decisions have terms now."""
        node = job.node
        if node is None:
            return
        self._suspended.discard(node)
        with contextlib.suppress(Diverged):
            self.tree.add(decisions, node.witness)
        if self.tree.known(node):
            self._wait([node])
        else:
            self.state.diverged += 1
            node.closed = True

    def _record(
        self, job: Job, ran: Ran, trace: Trace, inputs: Mapping[str, bytes], decisions: Sequence[Decision]
    ) -> None:
        state, node = self.state, job.node
        predicted = node is None or self._as_predicted(node, decisions)
        number = self.number + 1
        try:
            new, fresh = self.tree.add(decisions, number)
        except Diverged:
            new, fresh, predicted = False, [], False
        if not predicted and node is not None:
            state.diverged += 1
            node.closed = True
        if new:
            self.number = number
            how, status = _ending(ran, trace)
            keys = self._keep_findings(ran)
            closed, self._closed = tuple(self._closed), []
            self.store.add(
                Recorded(
                    number,
                    inputs,
                    tuple(map(as_text, decisions)),
                    how,
                    status,
                    keys,
                    closed,
                    how not in (ASSUMPTION, SILENT),
                )
            )
            self._count(how, keys, number)
            self._pass(decisions)
            if node is not None and node.kind in ("ACCESS", "CHECK") and predicted and not ran.findings:
                state.possible.setdefault((_what(node), node.site), number)
        elif predicted:
            state.repeated += 1
        self._wait([each for each in fresh if self._may_wait(each)])
        if node is not None and not node.closed and self._may_wait(node):
            self._wait([node])

    def _as_predicted(self, node: Node, decisions: Sequence[Decision]) -> bool:
        at = node.depth - 1
        if at >= len(decisions):
            return False
        there = decisions[at]
        same = (node.kind, node.site, node.term) == (there.kind, there.site, there.term)
        return same and there.outcome not in node.children

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

    def _count(self, how: str, keys: Iterable[str], number: int) -> None:
        if how == ASSUMPTION:
            self.state.dismissed += 1
        else:
            self.state.paths += 1
            self.state.ends[how] += 1
        for key in keys:
            self.state.errors.setdefault(key, []).append(number)

    def _pass(self, decisions: Iterable[Decision]) -> None:
        for each in decisions:
            way = each.outcome if each.kind in YES_NO else -1
            self.state.passed[each.site, way] += 1

    def _keep_findings(self, ran: Ran) -> tuple[str, ...]:
        """The keys of a path's findings."""
        for finding in ran.findings:
            self.state.found.setdefault(finding.key, finding)
        return tuple(dict.fromkeys(finding.key for finding in ran.findings))

    def _normal(self, trace: Trace, inputs: Mapping[str, bytes]) -> list[Decision]:
        """The decisions with the ways that follow from the inputs: which checks fail, what leaves a block."""
        checks = [each.term for each in trace.decisions if each.kind == "CHECK"]
        if not checks and COUNT_OBJECT not in inputs:
            return trace.decisions
        found = values(self.terms, checks, self._assignment(inputs)) if checks else {}
        normal = []
        if COUNT_OBJECT in inputs:
            term = self.terms.variable(COUNT_OBJECT, 0)
            normal.append(Decision(COUNT, 0, inputs[COUNT_OBJECT][0], term))
        for each in trace.decisions:
            if each.kind == "CHECK":
                each = each._replace(outcome=found[each.term])
            normal.append(each)
        return normal

    def _assignment(self, inputs: Mapping[str, bytes]) -> dict[int, int]:
        """The values of all variables under some inputs."""
        assigned = {}
        for number, (name, offset) in enumerate(self.terms.variables):
            data = inputs.get(name, b"")
            assigned[number] = data[offset] if offset < len(data) else 0
        return assigned

    # ---- resumption ----

    def _resume(self) -> None:
        """Grow the tree of the recorded paths again."""
        known: list[tuple[int, list[Node]]] = []
        closed: list[tuple[int, int]] = []
        nodes_of: dict[tuple[int, int], Node] = {}
        for path in self.store.resume():
            decisions = [from_text(text) for text in path.decisions]
            _, fresh = self.tree.add(decisions, path.number)
            self.number = max(self.number, path.number)
            self._count(path.how, path.findings, path.number)
            self._pass(decisions)
            closed.extend(path.closed)
            if fresh:
                known.append((path.number, fresh))
        for number, fresh in known:
            for node in fresh:
                nodes_of[number, node.depth - 1] = node
        for place in closed:
            if place in nodes_of:
                nodes_of[place].closed = True
        for _, fresh in known:
            self._wait([each for each in fresh if self._may_wait(each)])
        self._repeats = [numbers[0] for numbers in self.state.errors.values()]


@contextlib.contextmanager
def _rare_collections() -> Iterator[None]:
    """What an exploration makes it keeps, so searches for cyclic garbage find none and are to be rare."""
    before = gc.get_threshold()
    gc.set_threshold(100_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _what(node: Node) -> str:
    return f"check {CHECKS.get(node.detail, '')}".lower() if node.kind == "CHECK" else "access"


def _completed(inputs: Mapping[str, bytes], trace: Trace) -> dict[str, bytes]:
    """The inputs with all objects that the path has met, and their bytes."""
    completed = dict(inputs)
    for each in trace.objects:
        completed[each.name] = completed.get(each.name, b"").ljust(each.size, b"\0")
    return completed


def _ending(ran: Ran, trace: Trace) -> tuple[str, int]:
    """How a path ended, in a word, and its status or signal."""
    if ran.cut:
        return ran.cut, _SIGKILL
    if any(finding.halted for finding in ran.findings):
        return "finding", ran.status >> 8
    if trace.full:
        return FULL, 0
    if trace.how:
        return _HOW.get(trace.how, trace.how.lower()), trace.status
    signal = ran.status & 0x7F
    return ("signal", signal) if signal else ("exit", ran.status >> 8)
