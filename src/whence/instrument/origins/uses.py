"""Uses of values that may be undefined: what a branch is decided by, and which function is called.

Before each of them the nodes of its values stand beside its site. Rules about undefined values are evaluated
when everything is optimised, so the reader of a finding compares the site's line with that of the finding.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence import ir
from whence.abi.hops import HopKind
from whence.instrument.naming.bits import is_word
from whence.instrument.naming.names import Names
from whence.instrument.origins import helpers
from whence.instrument.origins.emitter import Emitter, Node
from whence.instrument.origins.sites import Sites

_MOST = 2
_DEEPEST = 8


class Uses:
    """The uses in one function."""

    def __init__(self, function: ir.Function, sites: Sites, names: Names, out: Emitter, node: Node) -> None:
        self._function = function
        self._sites = sites
        self._names = names
        self._out = out
        self._node = node

    def of(self, instruction: ir.Instruction) -> None:
        """Records the values that an instruction depends on, if it is a branch or calls a pointer."""
        if isinstance(instruction, ir.Br | ir.Switch):
            first = instruction.operands[0]
            if first.type != "label":
                self._record(instruction, self._leaves(first, 0))
        elif isinstance(instruction, ir.Call) and not instruction.is_assembly:
            callee = instruction.callee_operand
            if callee.value.startswith("%"):
                self._record(instruction, iter((("ptr", callee.value),)))

    def _leaves(self, operand: ir.Operand, depth: int) -> Iterator[tuple[str, str]]:
        """The values that a condition is made of, types first."""
        made = self._function.definition_of(operand.value)
        if not operand.value.startswith("%"):
            return
        if self._names.loaded(operand.value) is not None:
            made = None  # a bit-field
        if depth < _DEEPEST and isinstance(made, ir.Compare | ir.Binary | ir.Cast) and self._is_bit(made):
            for each in made.operands:
                yield from self._leaves(ir.Operand(each.type or _type(made), each.value, 0, 0), depth + 1)
        elif is_word(operand.type):
            yield operand.type, operand.value

    def _is_bit(self, made: ir.Compare | ir.Binary | ir.Cast) -> bool:
        """Whether it only decides, or makes a decision of something."""
        return isinstance(made, ir.Compare) or made.type in ("i1", "i8")

    def _record(self, before: ir.Instruction, leaves: Iterator[tuple[str, str]]) -> None:
        values = list(dict.fromkeys(leaves))[:_MOST]
        nodes = [self._node(value, type_, before) for type_, value in values]
        if not nodes:
            return
        nodes += ["0"] * (_MOST - len(nodes))
        site = self._sites.site(before, HopKind.UNDEFINED)
        self._out.call(before, helpers.DECIDES, "void", f"ptr {site}, i32 {nodes[0]}, i32 {nodes[1]}")

    def loaded(self, load: ir.Load, place: ir.Instruction, site: str, born: str) -> str:
        """The node of a value that has no cell, which may be undefined."""
        size = self._function.module.layout.size_of(load.type)
        return self._out.call(
            place, helpers.NARROW, "i32", f"ptr {site}, ptr {load.pointer}, i64 {size}, i32 {born}"
        )


def _type(made: ir.Instruction) -> str:
    return made.type if isinstance(made, ir.Binary) else ""
