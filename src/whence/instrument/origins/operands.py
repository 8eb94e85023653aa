"""Operands of steps that may be undefined: their nodes stand beside their values before each such step.

A marker decides later whether the step goes wrong. The runtime compares the values with those of the step, so
that a step without a record of its own is not given that of another.
"""

from __future__ import annotations

from whence import ir
from whence.instrument.markers import steps
from whence.instrument.naming.bits import is_word
from whence.instrument.origins import helpers
from whence.instrument.origins.emitter import Emitter, Node
from whence.instrument.steps import arithmetic, conversions
from whence.instrument.steps.indices import accessed_whole, is_element

_SECOND_ONLY = "llvm.abs."
_PAIRS = (steps.OFFSET, steps.COMPARE, steps.DIFFERENCE)
"""Markers whose second operand is a value of the program, too."""


class Operands:
    """The operands in one function.

    points: those where a rule is evaluated.
    """

    def __init__(self, points: frozenset[str], out: Emitter, node: Node) -> None:
        self._points = points
        self._out = out
        self._node = node

    def of(self, step: ir.Instruction) -> None:
        """Records the operands of a step, if a rule may be about it."""
        if not self._points:
            return
        if isinstance(step, ir.Binary):
            opcode = "sub" if arithmetic.is_decrement(step) else step.opcode
            if not self._points.isdisjoint(arithmetic.POINTS_OF.get(opcode, ())):
                self._record(step, *((each.type or step.type, each.value) for each in step.operands))
        elif isinstance(step, ir.GetElementPtr):
            if "INDEX" in self._points and is_element(step):
                self._record(step, step.indices[1])
        elif isinstance(step, ir.Call):
            self._call(step)

    def _call(self, call: ir.Call) -> None:
        name = call.callee or ""
        arguments = [(each.type, each.value) for each in call.arguments[:2]]
        if steps.declaration(name) is not None and not steps.is_read_marker(name) and name != steps.ORDER:
            self._record(call, *(arguments if name in _PAIRS else arguments[:1]))
        elif name.startswith(_SECOND_ONLY):
            self._record(call, ("i64", "0"), arguments[0])
        elif name.startswith(conversions.SCANS):
            self._record(call, arguments[0])
        elif "INDEX" in self._points and accessed_whole(name)[0]:
            self._record(call)  # its index is computed: that of the last element it accesses

    def _record(self, before: ir.Instruction, *operands: tuple[str, str]) -> None:
        words, nodes = ["0", "0"], ["0", "0"]
        for i, (type_, value) in enumerate(operands):
            if value.startswith("%"):
                nodes[i] = self._node(value, type_, before)
            words[i] = self._word(before, type_, value)
        arguments = f"i64 {words[0]}, i64 {words[1]}, i32 {nodes[0]}, i32 {nodes[1]}"
        self._out.call(before, helpers.OPERANDS, "void", arguments)

    def _word(self, before: ir.Instruction, type_: str, value: str) -> str:
        """A value as 64 bits, "0" if it is none that is followed."""
        if type_ == "ptr":
            return before.insert_before(f"ptrtoint ptr {value} to i64").result or ""
        return self._out.word(before, value, type_)[0].removeprefix("i64 ") if is_word(type_) else "0"
