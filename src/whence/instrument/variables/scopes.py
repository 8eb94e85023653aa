"""Scopes of variables: where their lifetimes begin and end.

The front end marks them by intrinsics from which LLVM's pipeline concludes that later accesses do not happen.
Of variables whose address is stored or passed, the intrinsics become markers that mean nothing to LLVM before
it promotes any variable. `whence.instrument.variables.zones` makes them changes of the state plane.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from whence import ir
from whence.instrument.analysis.exposure import is_exposed, uses_of, variables_of
from whence.instrument.analysis.facts import reverse_postorder
from whence.instrument.markers.declarations import SCOPE_BEGIN, SCOPE_END
from whence.instrument.passes.context import Context

_INTRINSICS = {"llvm.lifetime.start.": SCOPE_BEGIN, "llvm.lifetime.end.": SCOPE_END}
_MARKED = re.compile(r"^ +(?:tail )?call void @llvm\.lifetime\.(?:start|end)\.[^\n]*\n", re.MULTILINE)
_PARTS = (".resume", ".destroy", ".cleanup")
"""What the names of a coroutine's parts end with."""


def mark_scopes(context: Context) -> None:
    """Replaces the intrinsics of variables that a pointer may lead to.

    Before::

        declare void @llvm.lifetime.start.p0(i64 immarg, ptr)
        declare void @llvm.lifetime.end.p0(i64 immarg, ptr)
        declare void @g(ptr)
        define void @f() {
          %x = alloca i32, align 4
          call void @llvm.lifetime.start.p0(i64 4, ptr %x)
          call void @g(ptr %x)
          call void @llvm.lifetime.end.p0(i64 4, ptr %x)
          ret void
        }

    After::

        declare void @g(ptr)
        define void @f() {
          %x = alloca i32, align 4
          call void @__whence_scope_begin(ptr %x) nomerge
          call void @g(ptr %x)
          call void @__whence_scope_end(ptr %x) nomerge
          ret void
        }
    """
    for function in context.functions():
        if not _returns_anywhere(function):
            _mark_in(function, context)


def _mark_in(function: ir.Function, context: Context) -> None:
    found: dict[str, list[tuple[ir.Call, str]]] = {}
    for instruction in function.instructions():
        marker = _marker_of(instruction)
        if marker and isinstance(instruction, ir.Call):
            found.setdefault(instruction.arguments[-1].value, []).append((instruction, marker))
    if not found:
        return
    uses = uses_of(function)
    for variable, size in variables_of(function):
        calls = found.get(variable.result or "", ())
        if {marker for _, marker in calls} != set(_INTRINSICS.values()) or not is_exposed(
            variable, size, uses
        ):
            continue
        for call, marker in calls:
            context.used.add(marker)
            call.replace(f"call void @{marker}(ptr {variable.result}) nomerge")


def _marker_of(instruction: ir.Instruction) -> str:
    """The marker for an intrinsic; empty for other instructions."""
    if not isinstance(instruction, ir.Call):
        return ""
    callee = instruction.callee or ""
    return next((marker for name, marker in _INTRINSICS.items() if callee.startswith(name)), "")


def _returns_anywhere(function: ir.Function) -> bool:
    """Whether control may come back into a scope of the function on a way that its code does not show: it
    calls setjmp, or is a part of a coroutine."""
    functions = function.module.functions
    if function.name.endswith(_PARTS) or any(function.name + part in functions for part in _PARTS):
        return True
    return any(isinstance(each, ir.Call) and each.returns_twice for each in function.instructions())


def forget_lifetimes(text: str) -> str:
    """The text of a module without the intrinsics: LLVM then keeps all variables as they are in memory."""
    return _MARKED.sub("", text)


def scope_calls(function: ir.Function) -> Iterator[tuple[ir.Call, str]]:
    """The markers in a function, with the variables that they are about."""
    for instruction in function.instructions():
        if isinstance(instruction, ir.Call) and instruction.callee in (SCOPE_BEGIN, SCOPE_END):
            yield instruction, instruction.arguments[0].value


class Ended:
    """The variables whose scope may have ended, along the control flow.

    Sets of variables are integers with a bit for each variable, so that all variables are followed at once,
    block by block: functions of thousands of variables and blocks are common in tests of templates.

    marked: whether `mark_scopes` ran; without it there is nothing to look for.
    """

    def __init__(self, function: ir.Function, marked: bool) -> None:
        self._bits: dict[str, int] = {}
        self._changes: dict[str, tuple[int, int]] = {}
        """For each block with markers: the variables without one in it, and those that it leaves ended."""
        self._at: dict[str, int] = {}
        self._now = 0
        for call, variable in scope_calls(function) if marked else ():
            bit = self._bits.setdefault(variable, 1 << len(self._bits))
            kept, ended = self._changes.get(call.owner.ref, (-1, 0))
            ended = ended | bit if call.callee == SCOPE_END else ended & ~bit
            self._changes[call.owner.ref] = kept & ~bit, ended
        if self._changes:
            self._solve(function)

    def _solve(self, function: ir.Function) -> None:
        order = reverse_postorder(function)
        waiting = {block.ref for block in order}
        while waiting:
            for block in order:
                if block.ref not in waiting:
                    continue
                waiting.discard(block.ref)
                kept, ended = self._changes.get(block.ref, (-1, 0))
                after = self._at.get(block.ref, 0) & kept | ended
                for following in block.successors:
                    known = self._at.get(following.ref, 0)
                    if after | known != known:
                        self._at[following.ref] = after | known
                        waiting.add(following.ref)

    def enter(self, block: ir.Block) -> None:
        """Goes to the begin of a block."""
        self._now = self._at.get(block.ref, 0)

    def step(self, instruction: ir.Instruction) -> None:
        """Goes past an instruction."""
        if self._bits and isinstance(instruction, ir.Call):
            if instruction.callee == SCOPE_END:
                self._now |= self._bits[instruction.arguments[0].value]
            elif instruction.callee == SCOPE_BEGIN:
                self._now &= ~self._bits[instruction.arguments[0].value]

    def __contains__(self, variable: object) -> bool:
        """Whether the scope of the variable may have ended here."""
        return bool(self._now and isinstance(variable, str) and self._now & self._bits.get(variable, 0))

    def at_calls(self, function: ir.Function) -> AtCalls:
        """The variables whose scope may have ended before each call of the function."""
        found: dict[ir.Instruction, int] = {}
        for block in function.blocks:
            self.enter(block)
            for instruction in block.instructions:
                if self._now and isinstance(instruction, ir.Call):
                    found[instruction] = self._now
                self.step(instruction)
        return AtCalls(found, self._bits)


class AtCalls:
    """Which scopes may have ended before which calls of a function."""

    def __init__(self, ended: Mapping[ir.Instruction, int], bits: Mapping[str, int]) -> None:
        self._ended = ended
        self._bits = bits

    def may_have_ended(self, variable: str, call: ir.Instruction) -> bool:
        return bool(self._ended.get(call, 0) & self._bits.get(variable, 0))


def ended_at(function: ir.Function) -> AtCalls:
    """Where in the function the scopes of its variables may have ended."""
    return Ended(function, True).at_calls(function)
