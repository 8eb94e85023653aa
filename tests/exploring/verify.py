"""Explores as the command does, and evaluates every decision of every path under the path's input.

    python -m tests.exploring.verify explore …

Prints how many decisions of each kind are true of the input, and how many are not.
"""

import json
import sys
from collections import Counter

from whence.cli.commands import whence
from whence.exploring.evaluate import values
from whence.exploring.search import Explorer
from whence.exploring.trace import OUTSIDE
from whence.exploring.tree import Node

ways = {True: Counter(), False: Counter()}
record = Explorer._record


def verified(self, job, ran, trace, inputs, decisions):
    record(self, job, ran, trace, inputs, decisions)
    node, way, conditions = self.tree.root, 0, []
    for decision in decisions:
        node = node.children.get(way)
        assert isinstance(node, Node)
        way = decision.outcome
        if way != OUTSIDE:
            conditions.append((node.kind, self.tree.condition(node, way)))
    found = values(self.terms, [term for _, term in conditions], self._assignment(inputs))
    for kind, term in conditions:
        ways[bool(found[term])][kind] += 1


if __name__ == "__main__":
    Explorer._record = verified
    whence.main(sys.argv[1:], standalone_mode=False)
    print(json.dumps({"true": ways[True], "false": ways[False]}))
