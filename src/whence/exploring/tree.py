"""The tree of decisions: which paths are known, and what else may be possible.

Each node is a decision that some path has come to; its children are the ways that paths went on. A path is
a leaf, so each exists once. A node is *open* while its other ways are neither known nor shown to be
impossible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from whence.exploring.decisions import YES_NO, Cases, Decision
from whence.exploring.terms import OP, Terms
from whence.exploring.trace import OUTSIDE

COUNT = "COUNT"
"""The kind of the first decision where the number of arguments varies; each number is begun with."""
_KINDS = (COUNT, "BRANCH", "SWITCH", "CONCRETE", "ACCESS", "CHECK", "ASSUME")
_CHANGING = ("ACCESS", "SWITCH")
"""Paths that come by may know more of these."""
LETTERS = dict(zip(_KINDS, "nbscakm", strict=True))
KINDS = {letter: kind for kind, letter in LETTERS.items()}


@dataclass(slots=True)
class Leaf:
    """The end of a path, by its number. Nothing waits there, and no site is there."""

    waiting: ClassVar[int] = 0
    site: ClassVar[int] = -1
    number: int


_MOST_SWITCHED = 1 << 16


class Node:
    """A decision. via: the way of the parent that leads here. term: 0 until a run of this session came by.

    blocks: for ACCESS, the length of the block and the size of the access by the block's base. cases: for
    SWITCH, the ways of values.
    closed: no other way is possible, or none will be tried. waiting: open nodes from here on.
    witness: a path that comes by.
    tied: the bytes that conditions on the way here tie to each other; negative until it was looked at
    (`whence.exploring.domains`). variable: the only byte of the term, or negative; domain: its values here.
    """

    __slots__ = (
        *("parent", "via", "kind", "site", "term", "detail", "blocks", "cases"),
        *("children", "closed", "depth", "waiting", "witness"),
        *("tied", "variable", "domain"),
    )

    def __init__(self, parent: Node | None, via: int, kind: str, site: int, detail: int, depth: int) -> None:
        self.parent, self.via, self.kind, self.site, self.detail = parent, via, kind, site, detail
        self.term = 0
        self.blocks: dict[int, tuple[int, int]] | None = None
        self.cases: Cases | None = None
        self.children: dict[int, Node | Leaf | None] = {}
        self.closed = False
        self.depth = depth
        self.waiting = self.witness = self.domain = 0
        self.tied = self.variable = -1

    def decides(self, decision: Decision) -> bool:
        """Whether it is the same decision, whatever its way."""
        return (self.kind, self.site, self.detail) == (decision.kind, decision.site, decision.detail)

    @property
    def open(self) -> bool:
        """Whether another way may exist."""
        if self.closed or self.kind == COUNT:
            return False
        if self.kind == "SWITCH":
            return self.cases is None or not self.children.keys() >= {0, *self.cases.values()}
        return self.kind not in YES_NO or len(self.children) < 2


class Diverged(Exception):
    """A path came to another decision than its prefix says; `at` counts the decisions before it."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class Tree:
    """The decisions of all paths of one program."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.root = Node(None, 0, "BRANCH", 0, 0, 0)
        self.root.closed = True
        self.paths = 0
        self._switched: dict[tuple[int, int, int], int] = {}

    def add(self, decisions: Sequence[Decision], number: int) -> tuple[bool, list[Node]]:
        """Insert a path; returns whether it is new, and the nodes that were new.

        Raises `Diverged`, and inserts nothing, where it contradicts the tree: the program is not
        deterministic.
        """
        begin, node, way, changing = self._known(decisions)
        for child, decision in changing:
            self._note(child, decision)
        fresh: list[Node] = []
        for depth in range(begin, len(decisions)):
            decision = decisions[depth]
            child = Node(node, way, decision.kind, decision.site, decision.detail, depth + 1)
            child.witness = number
            node.children[way] = child
            fresh.append(child)
            self._note(child, decision)
            node, way = child, decision.outcome
        if node.children.get(way) is not None:
            return False, fresh
        node.children[way] = Leaf(number)
        self.paths += 1
        return True, fresh

    def _known(self, decisions: Sequence[Decision]) -> tuple[int, Node, int, list[tuple[Node, Decision]]]:
        """How many of the decisions have nodes, the last of these and its way, and those of them of which
        the path may tell more; raises `Diverged`."""
        node, way, depth = self.root, 0, 0
        changing: list[tuple[Node, Decision]] = []
        for depth, decision in enumerate(decisions):
            child = node.children.get(way)
            if child is None:
                return depth, node, way, changing
            kind = decision.kind
            if child.site != decision.site or isinstance(child, Leaf):
                raise Diverged(depth)
            if child.kind != kind or child.detail != decision.detail:
                raise Diverged(depth)
            if child.term != decision.term:
                if child.term:
                    raise Diverged(depth)
                changing.append((child, decision))
            elif kind in _CHANGING:
                changing.append((child, decision))
            node, way = child, decision.outcome
        if isinstance(node.children.get(way), Node):
            raise Diverged(len(decisions))
        return len(decisions), node, way, changing

    def _note(self, node: Node, decision: Decision) -> None:
        node.term, node.cases = decision.term, decision.cases
        self._note_block(node, decision)

    def _note_block(self, node: Node, decision: Decision) -> None:
        if decision.kind == "ACCESS":
            node.blocks = {} if node.blocks is None else node.blocks
        if node.blocks is not None and decision.outcome != OUTSIDE:
            node.blocks[decision.outcome] = (decision.length, decision.size)

    # ---- conditions ----

    def condition(self, node: Node, way: int) -> int:
        """What is true of inputs that go this way."""
        terms = self.terms
        if node.kind in YES_NO:
            return node.term if way else terms.negation(node.term)
        if node.kind == "ACCESS":
            return self._inside(node, way) if way != OUTSIDE else self._outside(node)
        if node.kind == "SWITCH":
            return self._case(node, way)
        return terms.equals(node.term, way)

    def _case(self, node: Node, way: int) -> int:
        """The scrutinee has a value that goes this way. The cases of a site are always the same."""
        if not node.cases:
            return self._made_case(node, way)
        key = (node.site, node.term, way)
        found = self._switched.get(key)
        if found is None:
            if len(self._switched) >= _MOST_SWITCHED:
                self._switched.clear()
            found = self._switched[key] = self._made_case(node, way)
        return found

    def _made_case(self, node: Node, way: int) -> int:
        terms = self.terms
        none = terms.constant(1, 1)
        for value, its in (node.cases or {}).items():
            if its == way if way else its:
                none = self._both(none, terms.negation(terms.equals(node.term, value)))
        return terms.negation(none) if way else none

    def path(self, node: Node) -> Iterator[int]:
        """The conditions of inputs that come to a node; its ancestors need terms."""
        root, parent = self.root, node.parent
        while parent is not None and parent is not root:
            yield self.condition(parent, node.via)
            node, parent = parent, parent.parent

    def meaning(self, decision: Decision) -> int:
        """What is true of inputs that go the way of a decision, if they come there."""
        node = Node(None, 0, decision.kind, decision.site, decision.detail, 0)
        self._note(node, decision)
        return self.condition(node, decision.outcome)

    def others(self, node: Node) -> int:
        """What is true of inputs that go no known way at a node, if they come there."""
        if node.kind == "ACCESS":
            return self._outside(node)
        if node.kind in YES_NO and len(node.children) == 1:
            (way,) = node.children
            return self.terms.negation(node.term) if way else node.term
        wanted = self.terms.constant(1, 1)
        for way in node.children:
            wanted = self._both(wanted, self.terms.negation(self.condition(node, way)))
        return wanted

    def _inside(self, node: Node, base: int) -> int:
        """The access of a node lies in the block at `base`."""
        assert node.blocks is not None
        length, size = node.blocks[base]
        return self.terms.inside(node.term, size, base, length)

    def _outside(self, node: Node) -> int:
        """It lies in none of the blocks in which it was on some path."""
        wanted = self.terms.constant(1, 1)
        for base in node.blocks or ():
            wanted = self._both(wanted, self.terms.negation(self._inside(node, base)))
        return wanted

    def _both(self, first: int, second: int) -> int:
        if self.terms.is_constant(first):
            return second if self.terms.parameter[first] else first
        return self.terms.node(OP["AND"], 1, (first, second))

    # ---- parts for others ----

    def before(self, node: Node) -> list[Decision]:
        """The decisions that lead to a node, without terms."""
        found: list[Decision] = []
        parent = node.parent
        while parent is not None and parent is not self.root:
            found.append(_decision(parent, node.via))
            node, parent = parent, parent.parent
        return found[::-1]

    def ways(self, node: Node) -> list[Decision]:
        """The decision of a node with each of its known ways."""
        return [_decision(node, way) for way in node.children]

    def graft(self, before: Sequence[Decision], ways: Sequence[Decision], number: int) -> Node:
        """A node of another tree, with the decisions that lead to it. What this tree knows of it stays, but
        for ways that are not among the known ones there.

        ways: at least one. number: of the path that comes to it.
        """
        node, way = self.root, 0
        for decision in (*before, ways[0]):
            child = node.children.get(way)
            if not isinstance(child, Node) or not child.decides(decision):
                child = Node(node, way, decision.kind, decision.site, decision.detail, node.depth + 1)
                node.children[way] = child
            self._note_block(child, decision)
            node, way = child, decision.outcome
        node.children = {decision.outcome: node.children.get(decision.outcome) for decision in ways}
        node.blocks = None
        for decision in ways:
            self._note_block(node, decision)
        node.witness, node.closed = number, False
        return node

    def wait(self, nodes: Sequence[Node]) -> None:
        """Count open nodes of one path as waiting, each on its way to the root."""
        if len(nodes) == 1:
            self._count_waiting(nodes[0], 1)
            return
        here: Node | None = max(nodes, key=lambda each: each.depth, default=None)
        marked, count = set(nodes), 0
        while here is not None:
            count += here in marked
            here.waiting += count
            here = here.parent

    def stop_waiting(self, node: Node) -> None:
        """Count a node as waiting no more."""
        self._count_waiting(node, -1)

    @staticmethod
    def _count_waiting(node: Node, change: int) -> None:
        here: Node | None = node
        while here is not None:
            here.waiting += change
            here = here.parent


def _decision(node: Node, way: int) -> Decision:
    length, size = (node.blocks or {}).get(way, (0, 0))
    return Decision(node.kind, node.site, way, 0, node.detail, size, length)


def as_text(decision: Decision) -> str:
    """A decision in a test: kind, site and, for some, a detail, then the way that was taken."""
    if not decision.text:
        size, length = decision.size, decision.length
        decision.text = _text(
            decision.kind, decision.site, decision.outcome, decision.detail, size, length
        )
    return decision.text


@lru_cache(maxsize=1 << 16)
def _text(kind: str, site: int, outcome: int, detail: int, size: int, length: int) -> str:
    shown = f".{detail:x}" if detail else ""
    block = f":{length:x}:{size:x}" if kind == "ACCESS" else ""
    return f"{LETTERS[kind]}{site:x}{shown}={outcome:x}{block}"


@lru_cache(maxsize=1 << 16)
def from_text(text: str) -> Decision:
    """What `as_text` wrote, without its term; raises `ValueError`."""
    place, _, outcome = text.partition("=")
    if place[:1] not in KINDS:
        raise ValueError(f"'{text}' is no decision")
    site, _, detail = place[1:].partition(".")
    way, *block = (int(number, 16) for number in outcome.split(":"))
    length, size = block or (0, 0)
    return Decision(KINDS[place[0]], int(site, 16), way, 0, int(detail or "0", 16), size, length)
