"""The exploration itself: chooses decisions, finds inputs that go another way, runs and records them.

Each run follows the known path up to one decision and goes on from there (a *generation*). A decision is
asked about once, when a strategy chooses it, so each path that is possible is run once, and what is
recorded can be resumed: a decision without a term gets it by a run of a known path that comes by.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from whence.abi import symbolic
from whence.errors import ToolLimit
from whence.exploring.decisions import Decision
from whence.exploring.domains import Domains
from whence.exploring.evaluate import values
from whence.exploring.executing import TIME_LIMIT, Executor, Inputs, Ran
from whence.exploring.inputs import COUNT as COUNT_OBJECT
from whence.exploring.loop import ASSUMPTION, Limits, Loop
from whence.exploring.prefixes import Prefixes
from whence.exploring.questions import Questions
from whence.exploring.reasoning import Counts, GivenUp, Reasoner, Unasked
from whence.exploring.store import Paths, Recorded
from whence.exploring.trace import OUTSIDE, BrokenTrace, Trace, read
from whence.exploring.tree import COUNT, Diverged, Node, as_text

CHECKS = {number: name for name, number in symbolic.CHECKS.items()}
_OF_RULES = {symbolic.CHECKS[name] for name in ("STEP", "ACCESS", "UNDEFINED", "EXTENT")}
"""Those after which a rule that holds has a finding."""
_EXTENT = symbolic.CHECKS["EXTENT"]
FULL, SILENT = "full", "silent"
_HOW = {"LIMIT": TIME_LIMIT}
_SIGKILL = 9
_LEFT = (
    "paths write {}: what one leaves there the next one finds, and may go another way for it; with "
    "--sym-file each path finds its folder as the first one did"
)


@dataclass(slots=True)
class Job:
    """A run that was begun. node: the decision that it is to take in another way.

    again: it repeats a known path, to know the terms of its decisions, or its findings. lost: it was begun
    before, in a process that is gone. wished: the inputs are those that the program prefers.
    """

    inputs: Mapping[str, bytes]
    node: Node | None = None
    again: bool = False
    lost: bool = False
    wished: bool = False


class Explorer(Loop[Inputs, Ran]):
    """An exploration that gives out single paths."""

    def __init__(
        self,
        executor: Executor[Inputs, Ran],
        reasoner: Reasoner,
        store: Paths,
        strategy: str = "rotation",
        limits: Limits | None = None,
        tell: Callable[[Loop[Any, Any]], None] = lambda _: None,
    ) -> None:
        super().__init__(executor, store, reasoner.terms, strategy, limits, tell)
        self.reasoner = reasoner
        self.prefixes = Prefixes()
        self.questions = Questions(reasoner.terms, executor.asked)
        self.domains = Domains(self.tree, reasoner)
        if self.limits.seconds is not None:
            reasoner.end = self.begun + self.limits.seconds
        self._lost: list[Job] = []
        self._wished: list[Job] = []
        self._suspended: set[Node] = set()

    @property
    def counts(self) -> Counts:
        return self.reasoner.counts

    @property
    def solver(self) -> str:
        return self.reasoner.solver.name

    @property
    def symbolic(self) -> bool:
        return bool(self.terms.variables)

    @property
    def left(self) -> int:
        """Decisions and inputs that were not tried yet."""
        more = len(self._seeds) + len(self._suspended) + len(self._lost)
        return len(self.waiting) + more + self.executor.running

    def _forget(self) -> None:
        super()._forget()
        self.reasoner.forget()
        self.domains = Domains(self.tree, self.reasoner)
        self.prefixes = Prefixes()

    def _may_begin(self) -> bool:
        wanted = self.limits.paths
        return wanted is None or self.state.paths + self.executor.running < wanted

    # ---- work ----

    def _next_work(self) -> tuple[Job, Inputs] | None:
        job = self._next_job()
        return None if job is None else (job, job.inputs)

    def _next_job(self) -> Job | None:
        """The next run; None if there is nothing to run now."""
        if self._lost:
            return self._lost.pop()
        if self._wished:
            return self._wished.pop()
        if self._repeats:
            return Job(self.store.inputs(self._repeats.pop()), again=True)
        if self._seeds:
            return Job(self._seeds.pop())
        while self.waiting and not self._out_of_time():
            node = self.strategy.next(self.waiting)
            self._stop_waiting(node)
            if not self.domains.look(node):
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
            found = self.domains.find(node)
        except Unasked:
            self._wait([node])
            return None
        except GivenUp:
            self.state.given_up += 1
            node.closed = True
            return None
        if found is None:
            self._close(node)
            return None
        return self._changed(self.store.inputs(node.witness), found)

    def _close(self, node: Node) -> None:
        """There is no other way."""
        node.closed = True
        self._closed.append((node.witness, node.depth - 1))

    def _may_wait(self, node: Node) -> bool:
        if not super()._may_wait(node):
            return False
        if self.domains.settled(node):
            self._close(node)
        return not node.closed

    def _changed(self, inputs: Mapping[str, bytes], found: Mapping[int, int]) -> dict[str, bytes]:
        """Inputs with other values of some bytes."""
        changed = dict(inputs)
        for number, value in found.items():
            name, offset = self.terms.byte(number)
            data = bytearray(changed.get(name, b"").ljust(offset + 1, b"\0"))
            data[offset] = value
            changed[name] = bytes(data)
        return changed

    # ---- results ----

    def _take(self, key: object, done: Ran) -> None:
        """What a run gave: its path into the tree and the directory, its decisions to the others."""
        job, ran, state = key, done, self.state
        assert isinstance(job, Job)
        state.runs += 1
        self._cover(ran.covered)
        if ran.notes:
            state.notes.update(dict.fromkeys(ran.notes))
        if ran.lost:
            self._lose(job, ran.lost)
            return
        try:
            trace = read(ran.trace, self.terms, self.prefixes, self.questions)
        except BrokenTrace as error:
            state.broken += 1
            state.notes[str(error)] = None
            self._give_up(job)
            return
        if trace.lines:
            self.distances.meet(trace.lines)
        for site in trace.inconsistent:
            state.notes[f"a value at {self.executor.place(site)} is not followed: a defect of whence"] = None
        for name in trace.left:
            state.notes[_LEFT.format(name)] = None
        inputs = _completed(job.inputs, trace)
        decisions = self._normal(trace, inputs)
        if job.again:
            self._keep_findings(ran.findings)
            self._rejoin(job, decisions)
            return
        if trace.preferred and not job.wished and self._wish(job, trace.preferred, inputs, decisions):
            return
        if job.node is not None:
            self._suspended.discard(job.node)
        self._record(job, ran, trace, inputs, decisions)

    def _wish(
        self, job: Job, wanted: Sequence[int], inputs: Mapping[str, bytes], decisions: Sequence[Decision]
    ) -> bool:
        """Whether the path is to run once more, on another input of its own that the program prefers: what is
        recorded of it was seen with that."""
        if any(each.kind == "ACCESS" and each.outcome == OUTSIDE for each in decisions):
            return False
        preferred = self._preferred(wanted, inputs, decisions)
        if preferred is inputs:
            return False
        if job.node is not None:
            self._suspended.add(job.node)
        self._wished.append(replace(job, inputs=preferred, wished=True))
        return True

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
        if self.domains.look(node):
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
            keys = self._keep_findings(ran.findings)
            closed, self._closed = tuple(self._closed), []
            self.store.add(
                Recorded(
                    number,
                    inputs,
                    tuple([each.text or as_text(each) for each in decisions]),
                    how,
                    status,
                    keys,
                    closed,
                    how not in (ASSUMPTION, SILENT),
                )
            )
            self._count(how, keys, number)
            self._pass(decisions)
            if how == "finding":
                self._close_below(fresh)
            if not ran.findings:
                came = fresh if node is None or not predicted else [*fresh, node]
                self._note_possible([decisions[each.depth - 1] for each in came], number)
        elif predicted:
            state.repeated += 1
        self._wait([each for each in fresh if self._may_wait(each)])
        if node is not None and not node.closed and self._may_wait(node):
            self._wait([node])

    def _close_below(self, fresh: Sequence[Node]) -> None:
        """All inputs with which the bytes that a function is given leave their block are one path: of the
        sizes and addresses that are then bound no others are tried."""
        for node in fresh:
            if node.kind == "CONCRETE" and any(map(_leaves, _same_call(node))):
                self._close(node)

    def _preferred(
        self, wanted: Sequence[int], inputs: Mapping[str, bytes], decisions: Sequence[Decision]
    ) -> Mapping[str, bytes]:
        """Inputs of the same path that have as much as they can of what the program prefers, in order."""
        conditions = [self.tree.meaning(each) for each in decisions]
        for each in dict.fromkeys(wanted):
            if not values(self.terms, [each], self._assignment(inputs))[each]:
                try:
                    found = self.reasoner.find(each, conditions)
                except (GivenUp, Unasked):
                    continue
                if found is None:
                    continue
                inputs = self._changed(inputs, found)
            conditions.append(each)
        return inputs

    def _note_possible(self, decisions: Sequence[Decision], number: int) -> None:
        """What went wrong on a path without a finding. decisions: those whose ways are new with the path."""
        for each in decisions:
            fails = each.kind == "CHECK" and each.outcome and each.detail not in _OF_RULES
            if fails or (each.kind == "ACCESS" and each.outcome == OUTSIDE):
                self.state.possible.setdefault((_what(each), each.site), number)

    def _as_predicted(self, node: Node, decisions: Sequence[Decision]) -> bool:
        at = node.depth - 1
        if at >= len(decisions):
            return False
        there = decisions[at]
        same = (node.kind, node.site, node.term) == (there.kind, there.site, there.term)
        return same and there.outcome not in node.children

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
                each = each.with_outcome(found[each.term])
            normal.append(each)
        return normal

    def _assignment(self, inputs: Mapping[str, bytes]) -> dict[int, int]:
        """The values of all variables under some inputs."""
        assigned = {}
        for number, (name, offset) in enumerate(self.terms.variables):
            data = inputs.get(name, b"")
            assigned[number] = data[offset] if offset < len(data) else 0
        return assigned

def _what(decision: Decision) -> str:
    return f"check {CHECKS.get(decision.detail, '')}".lower() if decision.kind == "CHECK" else "access"


def _same_call(node: Node) -> Iterator[Node]:
    """A node, and those before it back to the last that is certainly of other code."""
    here: Node | None = node
    while here is not None and here.kind in ("CONCRETE", "ACCESS", "CHECK"):
        yield here
        here = here.parent


def _leaves(node: Node) -> bool:
    """Whether a function has been given bytes outside of their block just before."""
    before = node.parent
    return before is not None and node.via == 1 and (before.kind, before.detail) == ("CHECK", _EXTENT)


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
    if ran.findings and any(finding.halted for finding in ran.findings):
        return "finding", ran.status >> 8
    if trace.full:
        return FULL, 0
    if trace.how:
        return _HOW.get(trace.how, trace.how.lower()), trace.status
    signal = ran.status & 0x7F
    return ("signal", signal) if signal else ("exit", ran.status >> 8)
