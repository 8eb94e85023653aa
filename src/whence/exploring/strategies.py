"""Which decision to try in another way next."""

from __future__ import annotations

import heapq
import random
from collections import Counter, deque
from typing import Protocol, cast

from whence.errors import UserMistake
from whence.errors.hints import did_you_mean
from whence.exploring.distances import Distances
from whence.exploring.flow import NEVER
from whence.exploring.tree import Node, Tree

_MOST_BEFORE = 16
"""Decisions before one that are looked at to know where it leads."""


class Strategy(Protocol):
    """Holds waiting nodes. A node may be held by several strategies, of which one gives it out first."""

    def add(self, node: Node) -> None:
        """One more node waits."""

    def next(self, waiting: set[Node]) -> Node:
        """One of the nodes that wait; there is at least one, and all have been added."""


class DepthFirst:
    """The last that came: the deepest of the path that ran last."""

    def __init__(self) -> None:
        self._stack: list[Node] = []

    def add(self, node: Node) -> None:
        self._stack.append(node)

    def next(self, waiting: set[Node]) -> Node:
        while True:
            node = self._stack.pop()
            if node in waiting:
                return node


class BreadthFirst:
    """The one with the fewest decisions before it, the first that came among equals."""

    def __init__(self) -> None:
        self._levels: dict[int, deque[Node]] = {}
        self._depths: list[int] = []

    def add(self, node: Node) -> None:
        if node.depth not in self._levels:
            self._levels[node.depth] = deque()
            heapq.heappush(self._depths, node.depth)
        self._levels[node.depth].append(node)

    def next(self, waiting: set[Node]) -> Node:
        while True:
            level = self._levels[self._depths[0]]
            while level:
                node = level.popleft()
                if node in waiting:
                    return node
            del self._levels[heapq.heappop(self._depths)]


class RandomPath:
    """From the root, at each decision a random one of the ways on which something waits (as in KLEE).

    So parts of the tree with many waiting nodes, such as loops, are not preferred. The seed is fixed.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._random = random.Random(0).random

    def add(self, node: Node) -> None:
        pass

    def next(self, waiting: set[Node]) -> Node:
        node = self._tree.root
        while True:
            ways = [each for each in node.children.values() if each is not None and each.waiting]
            own = node in waiting
            count = len(ways) + own
            chosen = int(self._random() * count) if count > 1 else 0
            if chosen == len(ways):
                return node
            node = cast(Node, ways[chosen])


class Uncovered:
    """Places in proportion to 1/d^2, where d is how far it is from there to code to which no path has come
    (as KLEE's minimal distance to uncovered); where none leads to such code, the one that has been passed
    least often in another way.

    Places take turns: the next one has the least d^2 for each time that it was chosen since distances have
    changed last, so that code to which no input leads holds up no other. Of the nodes of a place a random one
    is taken (the seed is fixed), or the first one where none leads to such code. `passed` counts how often
    paths went each way at each site. Where it is not known to which block a decision leads, as in libraries,
    the last one before it for which that is known stands for it.
    """

    def __init__(self, passed: Counter[tuple[int, int]], distances: Distances) -> None:
        self._passed, self._distances = passed, distances
        self._new: list[Node] = []
        """Those that have come since the last choice."""
        self._nodes: dict[_Place, deque[Node]] = {}
        self._far: dict[_Place, int] = {}
        self._heap: list[tuple[_Rank, _Place]] = []
        """One entry for each place, whose rank is not higher than it is now."""
        self._version = 0
        self._tries: Counter[_Place] = Counter()
        self._random = random.Random(0).random

    def add(self, node: Node) -> None:
        self._new.append(node)

    def next(self, waiting: set[Node]) -> Node:
        version = self._distances.current()
        if version != self._version:
            self._version = version
            self._tries.clear()
            self._far = {place: self._distances.to(place[2]) for place in self._nodes}
            self._heap = [(self._rank(place), place) for place in self._nodes]
            heapq.heapify(self._heap)
        self._take_new(waiting)
        while True:
            rank, place = self._heap[0]
            now = self._rank(place)
            if now > rank:
                heapq.heapreplace(self._heap, (now, place))
                continue
            nodes = self._nodes[place]
            while nodes:
                if now[0] < NEVER:
                    at = int(self._random() * len(nodes))
                    nodes[at], nodes[0] = nodes[0], nodes[at]
                node = nodes.popleft()
                if node in waiting:
                    self._tries[place] += 1
                    return node
            heapq.heappop(self._heap)
            del self._nodes[place]

    def _take_new(self, waiting: set[Node]) -> None:
        for node in self._new:
            if node not in waiting:
                continue
            place = self._place(node)
            if place not in self._nodes:
                self._nodes[place] = deque()
                self._far[place] = self._distances.to(place[2])
                heapq.heappush(self._heap, (self._rank(place), place))
            self._nodes[place].append(node)
        self._new.clear()

    def _rank(self, place: _Place) -> _Rank:
        far = self._far[place]
        turns = (far + 1) ** 2 * (self._tries[place] + 1) if far < NEVER else NEVER
        return turns, self._passed[place[:2]]

    def _place(self, node: Node) -> _Place:
        """Site and way, -1 if there are several, and where it leads."""
        way = -1
        if node.kind == "BRANCH" and len(node.children) == 1:
            (other,) = node.children
            way = 1 - other
        site, target = node.site, self._distances.place(node.site, way)
        for _ in range(_MOST_BEFORE):
            if target >= 0 or node.parent is None:
                break
            known = node.via if node.parent.kind in ("BRANCH", "SWITCH") else -1
            node = node.parent
            target = self._distances.place(node.site, known)
        return site, way, target


class Rotation:
    """Each of some strategies in turn."""

    def __init__(self, *strategies: Strategy) -> None:
        self._strategies = deque(strategies)

    def add(self, node: Node) -> None:
        for each in self._strategies:
            each.add(node)

    def next(self, waiting: set[Node]) -> Node:
        self._strategies.rotate(-1)
        return self._strategies[0].next(waiting)


_Place = tuple[int, int, int]
_Rank = tuple[int, int]
NAMES = ("depth", "breadth", "random", "uncovered", "rotation")


def make(name: str, tree: Tree, passed: Counter[tuple[int, int]], distances: Distances) -> Strategy:
    """The strategy of that name; raises `UserMistake`."""
    if name == "depth":
        return DepthFirst()
    if name == "breadth":
        return BreadthFirst()
    if name == "random":
        return RandomPath(tree)
    if name == "uncovered":
        return Uncovered(passed, distances)
    if name == "rotation":
        return Rotation(Uncovered(passed, distances), RandomPath(tree), DepthFirst(), BreadthFirst())
    hint = did_you_mean(name, NAMES)
    raise UserMistake(f"strategy '{name}': expected one of {', '.join(NAMES)}{hint}")
