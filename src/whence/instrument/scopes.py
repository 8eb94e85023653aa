"""Scopes of variables: where their lifetimes begin and end.

The front end marks them by intrinsics from which LLVM's pipeline concludes that later accesses do not happen.
Of variables whose address is stored or passed, the intrinsics become markers that mean nothing to LLVM before
it promotes any variable. `whence.instrument.zones` makes them changes of the state plane.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whence import ir
from whence.instrument.exposure import is_exposed, uses_of, variables_of
from whence.instrument.markers import SCOPE_BEGIN, SCOPE_END
from whence.instrument.passes import Context

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

    marked: whether `mark_scopes` ran; without it there is nothing to look for.
    """

    def __init__(self, function: ir.Function, marked: bool) -> None:
        self._changes: dict[str, list[ir.Call]] = {}
        for call, _ in scope_calls(function) if marked else ():
            self._changes.setdefault(call.owner.ref, []).append(call)
        self._at: dict[str, set[str]] = {}
        if self._changes:
            self._solve(function)

    def _solve(self, function: ir.Function) -> None:
        waiting = list(function.blocks)
        while waiting:
            block = waiting.pop()
            after = self.at(block)
            for call in self._changes.get(block.ref, ()):
                self.step(call, after)
            for following in block.successors:
                known = self._at.setdefault(following.ref, set())
                if not after <= known:
                    known |= after
                    waiting.append(following)

    def at(self, block: ir.Block) -> set[str]:
        """Those at the begin of a block, as a new set."""
        return set(self._at.get(block.ref, ()))

    @staticmethod
    def step(instruction: ir.Instruction, ended: set[str]) -> None:
        """Changes the set to what it is after the instruction."""
        if not isinstance(instruction, ir.Call):
            return
        if instruction.callee == SCOPE_END:
            ended.add(instruction.arguments[0].value)
        elif instruction.callee == SCOPE_BEGIN:
            ended.discard(instruction.arguments[0].value)


def ended_at(function: ir.Function) -> dict[ir.Instruction, set[str]]:
    """The calls of a function before which scopes of variables may have ended, with these variables."""
    scopes, found = Ended(function, True), dict[ir.Instruction, set[str]]()
    for block in function.blocks:
        ended = scopes.at(block)
        for instruction in block.instructions:
            if ended and isinstance(instruction, ir.Call):
                found[instruction] = set(ended)
            scopes.step(instruction, ended)
    return found
