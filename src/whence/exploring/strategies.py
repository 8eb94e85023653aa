"""Which decision to try in another way next."""

from __future__ import annotations

import heapq
import random
from collections import Counter, deque
from typing import Protocol, cast

from whence.errors import UserMistake
from whence.exploring.tree import Node, Tree
from whence.hints import did_you_mean


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
    """The one whose place has been passed least often in another way: new code may lie there.

    `passed` counts how often paths went each way at each site.
    """

    def __init__(self, passed: Counter[tuple[int, int]]) -> None:
        self._passed = passed
        self._places: dict[tuple[int, int], deque[Node]] = {}
        self._heap: list[tuple[int, int, int]] = []
        """How often the place was passed when it was put here, site, way; one entry for each place."""

    def add(self, node: Node) -> None:
        place = self._place(node)
        if place not in self._places:
            self._places[place] = deque()
            heapq.heappush(self._heap, (self._passed[place], *place))
        self._places[place].append(node)

    def _place(self, node: Node) -> tuple[int, int]:
        if node.kind == "BRANCH" and len(node.children) == 1:
            (way,) = node.children
            return node.site, 1 - way
        return node.site, -1

    def next(self, waiting: set[Node]) -> Node:
        while True:
            count, site, way = self._heap[0]
            now = self._passed[site, way]
            if now > count:
                heapq.heapreplace(self._heap, (now, site, way))
                continue
            nodes = self._places[site, way]
            while nodes:
                node = nodes.popleft()
                if node in waiting:
                    return node
            heapq.heappop(self._heap)
            del self._places[site, way]


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


NAMES = ("depth", "breadth", "random", "uncovered", "rotation")


def make(name: str, tree: Tree, passed: Counter[tuple[int, int]]) -> Strategy:
    """The strategy of that name; raises `UserMistake`."""
    if name == "depth":
        return DepthFirst()
    if name == "breadth":
        return BreadthFirst()
    if name == "random":
        return RandomPath(tree)
    if name == "uncovered":
        return Uncovered(passed)
    if name == "rotation":
        return Rotation(Uncovered(passed), RandomPath(tree), DepthFirst(), BreadthFirst())
    hint = did_you_mean(name, NAMES)
    raise UserMistake(f"strategy '{name}': expected one of {', '.join(NAMES)}{hint}")
