"""Descriptors that a loop closes by their numbers.

A loop that closes every number up to a limit means whatever is open, and does no harm where nothing is.
"""

from __future__ import annotations

from whence import ir
from whence.abi.intercepts import PREFIX, RUNTIME_SYMBOLS
from whence.instrument.passes.context import Context

CLOSE_EACH = f"{PREFIX}close_each"


def mark_sweeps(context: Context) -> None:
    """Redirects a close of a loop's counter to a function that accepts numbers without a file.

    Before::

        declare i32 @__whence_close(i32)
        define void @f() {
          br label %1
        1:
          %2 = phi i32 [ 3, %0 ], [ %4, %1 ]
          %3 = call i32 @__whence_close(i32 %2)
          %4 = add nsw i32 %2, 1
          br label %1
        }

    After::

        declare i32 @__whence_close(i32)
        define void @f() {
          br label %1
        1:
          %2 = phi i32 [ 3, %0 ], [ %4, %1 ]
          %3 = call i32 @__whence_close_each(i32 %2)
          %4 = add nsw i32 %2, 1
          br label %1
        }
        declare i32 @__whence_close_each(i32)
    """
    close = RUNTIME_SYMBOLS["close"]
    if close not in context.module.functions:
        return
    found = False
    for function in context.module.definitions:
        if not any(close in line for line in function.lines()):
            continue
        for call in list(function.instructions()):
            if isinstance(call, ir.Call) and call.callee == close and _counts(call.arguments[0].value, call):
                call.replace(call.text.replace(f"@{close}(", f"@{CLOSE_EACH}("))
                found = True
    if found:
        context.module.add_declaration(f"declare i32 @{CLOSE_EACH}(i32)")


def _counts(value: str, at: ir.Instruction) -> bool:
    """Whether the value is a counter of a loop, before or after its step."""
    definition = _definition(value, at)
    if _is_step(definition):
        assert isinstance(definition, ir.Binary)
        return any(_counts(each.value, at) for each in definition.operands if each.value.startswith("%"))
    if not isinstance(definition, ir.Phi):
        return False
    steps = (_definition(each, at) for each, _ in definition.incoming)
    names = {definition.result}
    return any(
        isinstance(step, ir.Binary) and _is_step(step) and names & {each.value for each in step.operands}
        for step in steps
    )


def _is_step(definition: ir.Instruction | None) -> bool:
    if not isinstance(definition, ir.Binary) or definition.opcode not in ("add", "sub"):
        return False
    return definition.operands[1].value in ("1", "-1")


def _definition(value: str, at: ir.Instruction) -> ir.Instruction | None:
    """What computes a value, without conversions."""
    found = at.function.definition_of(value) if value.startswith("%") else None
    while isinstance(found, ir.Cast) and found.opcode in ("trunc", "sext", "zext"):
        source = found.operands[0].value
        found = at.function.definition_of(source) if source.startswith("%") else None
    return found if isinstance(found, ir.Instruction) else None
