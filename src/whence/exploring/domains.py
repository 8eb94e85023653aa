"""What the conditions on the way to a decision leave of the values of its byte, where it depends on one.

Most decisions of parsers do, and no condition ties that byte to others. Then the other ways of a decision
are known to exist or not at once, without a look at the whole path.
"""

from __future__ import annotations

from collections.abc import Mapping

from whence.exploring.preferring import preferred
from whence.exploring.reasoning import Reasoner
from whence.exploring.terms import ALL
from whence.exploring.tree import Node, Tree

_MOST_KNOWN = 1 << 16


class Domains:
    """Looks at nodes of one tree, each once: what it finds is kept there (`Node.tied`, `variable`,
    `domain`)."""

    def __init__(self, tree: Tree, reasoner: Reasoner) -> None:
        self._tree, self._reasoner, self._terms = tree, reasoner, tree.terms
        self._after: dict[tuple[int, int], int] = {}

    def look(self, node: Node) -> bool:
        """Whether the terms of the node and of its ancestors are there: not so after a resumption."""
        if node.tied >= 0:
            return True
        new = []
        here: Node | None = node
        while here is not None and here.tied < 0 and here is not self._tree.root:
            if not here.term:
                return False
            new.append(here)
            here = here.parent
        for each in reversed(new):
            self._look(each)
        return True

    def _look(self, node: Node) -> None:
        """The parent has been looked at."""
        parent, supports = node.parent, self._terms.support
        support = supports[node.term]
        node.tied = 0
        if parent is not None and parent is not self._tree.root:
            node.tied = parent.tied
            if parent.variable < 0:
                node.tied |= supports[parent.term]
        if support and not support & (support - 1):
            node.variable = support.bit_length() - 1
            node.domain = self._arriving(node)

    def _arriving(self, node: Node) -> int:
        """What all conditions on the byte of a node alone have left when a path comes there."""
        variable, root, here = node.variable, self._tree.root, node
        while (parent := here.parent) is not None and parent is not root:
            if parent.variable == variable:
                return self._restricted(parent.domain, self._tree.condition(parent, here.via))
            here = parent
        return ALL

    def _restricted(self, domain: int, condition: int) -> int:
        """Equal sets are one object: they are kept at many nodes."""
        key = (domain, condition)
        found = self._after.get(key)
        if found is None:
            if len(self._after) > _MOST_KNOWN:
                self._after.clear()
            found = self._after[key] = domain & self._reasoner.columns.true_for(condition)
        return found

    def others(self, node: Node) -> int | None:
        """The values of the byte with which a path that comes to a node goes no known way there; None where
        the byte alone does not tell. The node has been looked at."""
        if node.variable < 0 or node.tied >> node.variable & 1:
            return None
        wanted = self._tree.others(node)
        return None if self._terms.is_constant(wanted) else self._restricted(node.domain, wanted)

    def settled(self, node: Node) -> bool:
        """Whether it is known that there is no other way; this is a question, then."""
        if not self.look(node) or self.others(node) != 0:
            return False
        self._count()
        return True

    def find(self, node: Node) -> Mapping[int, int] | None:
        """Values of some bytes with which a path that comes to a node goes no known way there; None if there
        are none. Raises `GivenUp`, `Unasked`."""
        left = self.others(node)
        if left is None:
            return self._reasoner.find(self._tree.others(node), self._tree.path(node))
        self._count()
        return {node.variable: preferred(left)} if left else None

    def _count(self) -> None:
        counts = self._reasoner.counts
        counts.questions += 1
        counts.by_bytes += 1
