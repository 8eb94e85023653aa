"""Leaks as a tree by size: the calls that led to the allocations, from `main` on, with what each lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from whence.findings import Finding, telling_stack
from whence.report import frames
from whence.report.html.code import Code, CodeShelf
from whence.report.words import bytes_, plural


@dataclass(frozen=True, slots=True)
class LeakRow:
    """An element of the tree in the order of the page: a chain of calls begins, or, without calls, ends."""

    calls: tuple[LeakNode, ...] = ()
    leaf: bool = False

    @property
    def last(self) -> LeakNode:
        return self.calls[-1]


@dataclass(slots=True)
class LeakNode:
    """A call on the way to allocations: what they lost, and the calls below it, the largest first."""

    function: str
    place: str
    code: Code | None = None
    blocks: int = 0
    bytes: int = 0
    share: float = 0.0
    findings: list[int] = field(default_factory=list)
    children: list[LeakNode] = field(default_factory=list)
    _by_frame: dict[tuple[str, str], LeakNode] = field(default_factory=dict)

    def rows(self) -> Iterator[LeakRow]:
        """The calls below this one in depth-first order; calls with one way on stand together."""
        waiting: list[LeakNode | None] = [*reversed(self.children)]
        while waiting:
            node = waiting.pop()
            if node is None:
                yield LeakRow()
                continue
            chain = [node]
            while len(chain[-1].children) == 1 and not chain[-1].findings:
                chain.append(chain[-1].children[0])
            below = chain[-1].children
            yield LeakRow(tuple(chain), not below)
            waiting += [None, *reversed(below)]

    @property
    def total(self) -> str:
        return f"{bytes_(self.bytes)} in {plural(self.blocks, 'block')}"

    def child(self, function: str, place: str, code: Code | None) -> LeakNode:
        """The call of this place, made on first use."""
        key = (function, place)
        if key not in self._by_frame:
            self._by_frame[key] = LeakNode(function, place, code)
            self.children.append(self._by_frame[key])
        return self._by_frame[key]


def leak_tree(findings: Sequence[Finding], directory: str, shelf: CodeShelf) -> LeakNode | None:
    """The tree of all leaks; None if there are none. A finding's number counts from 1."""
    root = LeakNode("all leaks", "")
    for number, finding in enumerate(findings, start=1):
        if finding.leak is None:
            continue
        node = root
        _count(node, finding)
        for frame in reversed(frames.visible(telling_stack(finding))):
            place = frames.position(frame, directory)
            node = node.child(frames.short_name(frame, 120), place, shelf.at(frame))
            _count(node, finding)
        node.findings.append(number)
    if not root.blocks:
        return None
    _order(root)
    return root


def _count(node: LeakNode, finding: Finding) -> None:
    assert finding.leak is not None
    node.blocks += finding.leak.count
    node.bytes += finding.leak.bytes


def _order(root: LeakNode) -> None:
    """Sorts the calls by bytes and computes each one's share of all."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        node.share = node.bytes / root.bytes if root.bytes else 0.0
        node.children.sort(key=lambda each: (-each.bytes, -each.blocks, each.function))
        waiting += node.children
