"""The exploration of one share: what it gives out are paths, as everywhere; what it keeps goes to others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from whence.exploring import strategies
from whence.exploring.cluster.shares import Gains, Place, Share, unpacked
from whence.exploring.distances import Distances
from whence.exploring.domains import Domains
from whence.exploring.executing import Executor, Inputs, Ran
from whence.exploring.loop import Limits
from whence.exploring.prefixes import Prefixes
from whence.exploring.reasoning import Reasoner
from whence.exploring.search import Explorer, Job
from whence.exploring.store import Recorded
from whence.exploring.tree import Node, Tree, from_text

if TYPE_CHECKING:
    from collections.abc import Iterable


class Kept:
    """Paths in memory, until they are handed in. known: the inputs of paths of others."""

    def __init__(self, known: Mapping[int, Mapping[str, bytes]]) -> None:
        self.paths: list[Recorded] = []
        self._inputs = dict(known)

    def resume(self) -> Iterator[Recorded]:
        return iter(())

    def add(self, path: Recorded) -> None:
        self.paths.append(path)
        self._inputs[path.number] = path.inputs

    def cover(self, lines: Mapping[str, Collection[int]]) -> None:
        """A session hands in all that its process has covered."""

    def covered(self) -> Iterator[tuple[str, Collection[int]]]:
        return iter(())

    def inputs(self, number: int) -> Mapping[str, bytes]:
        return self._inputs[number]

    def forget(self) -> None:
        """Nothing of it is anywhere else."""


class Portion(Explorer):
    """An exploration below the prefixes of a share, for a while: one prefix after the other, since what is
    known of its decisions, by a run of a path that comes by, is known of all below.

    tree, prefixes, distances: what a session knows of paths, of begins of traces and of the program; with
    seeds, the tree is a new one.
    """

    def __init__(
        self,
        executor: Executor[Inputs, Ran],
        reasoner: Reasoner,
        tree: Tree,
        prefixes: Prefixes,
        distances: Distances,
        share: Share,
        strategy: str,
        limits: Limits,
    ) -> None:
        self.kept, self._name = Kept(share.inputs), strategy
        super().__init__(executor, reasoner, self.kept, strategy, limits)
        reasoner.end = None  # a question may take longer than a share
        self.prefixes, self.distances = prefixes, distances
        self.full = False
        distances.cover(unpacked(share.covered))
        self._share = share
        self._left_prefixes = list(share.prefixes[::-1])
        self._use(self.tree if share.seeds else tree)

    def _use(self, tree: Tree) -> None:
        self.tree, self.domains = tree, Domains(tree, self.reasoner)
        self.strategy = strategies.make(self._name, tree, self.state.passed, self.distances)

    def _resume(self, seeds: Iterable[Mapping[str, bytes]]) -> None:
        share = self._share
        self.number = max(share.inputs, default=0)
        self._seeds, self._repeats = list(share.seeds), list(share.repeats)

    @property
    def left(self) -> int:
        return super().left + len(self._left_prefixes)

    def _next_job(self) -> Job | None:
        while True:
            job = super()._next_job()
            if job is not None or self.waiting or not self._left_prefixes or self.executor.running:
                return job
            prefix = self._left_prefixes.pop()
            before, ways = map(from_text, prefix.before), map(from_text, prefix.ways)
            self._wait([self.tree.graft(list(before), list(ways), prefix.place[0])])

    def _cover(self, covered: int) -> None:
        self.state.covered |= covered
        self.distances.cover(covered)

    def _over(self) -> bool:
        limits = self.limits
        if self.bound is not None and self.left and self.bound.exceeded():
            self.full = True
        enough = limits.paths is not None and self.state.paths >= limits.paths
        return self.full or enough or self._left() == 0.0

    def _left(self) -> float | None:
        """No limit until something is settled: else a slow program's shares would go to and fro for ever."""
        return super()._left() if self._moved() else None

    def _moved(self) -> bool:
        state, repeats = self.state, len(self._share.repeats) - len(self._repeats)
        lost = state.given_up + state.diverged + state.repeated + state.broken + state.killed
        return bool(self.kept.paths or self._closed or repeats or lost)

    def _finish(self) -> None:
        """What has begun ends, so that each decision is settled, or waits."""
        while self._lost or self.executor.running:
            while self._lost and self.executor.free:
                job = self._lost.pop()
                self.executor.begin(job, job.inputs)
            ended = self.executor.next(None)
            if ended is not None:
                self._take(*ended)

    def gains(self) -> Gains:
        """All that is to be handed in; the portion is at its end."""
        state = self.state
        state.passed.clear()
        for node in self.waiting:
            self.tree.stop_waiting(node)
        closed = [place for path in self.kept.paths for place in path.closed] + self._closed
        return Gains(
            self.kept.paths,
            [*map(_place, self.waiting), *(prefix.place for prefix in self._left_prefixes)],
            closed,
            list(self._seeds),
            list(self._repeats),
            state,
            symbolic=self.symbolic,
            stopped=state.stopped,
            full=self.full,
            moved=self._moved(),
        )


def _place(node: Node) -> Place:
    return node.witness, node.depth - 1
