"""Call and return events of the functions that rules watch."""

from __future__ import annotations

import re

from whence import ir
from whence.instrument.markers import CALL_EVENT, RET_EVENT
from whence.instrument.passes import Context

_INTEGER = re.compile(r"i(\d+)\Z")


def watch(context: Context) -> None:
    """Inserts events at the entry and the returns of the watched functions.

    `main` is left out, because the runtime reports the end of the program.

    Before (the only watched function is ``transaction``)::

        define i32 @transaction(i32 %0) {
          %2 = add i32 %0, 1
          ret i32 %2
        }

    After::

        define i32 @transaction(i32 %0) {
          %wh.1 = sext i32 %0 to i64
          call void @__whence_call(i64 0, i64 %wh.1)
          %2 = add i32 %0, 1
          %wh.0 = sext i32 %2 to i64
          call void @__whence_ret(i64 0, i64 %wh.0)
          ret i32 %2
        }
    """
    for function in context.functions():
        if function.name in context.watched and function.name != "main":
            context.used.update((CALL_EVENT, RET_EVENT))
            _report(function, context.watched.index(function.name))


def _report(function: ir.Function, number: int) -> None:
    returns = [block.terminator for block in function.blocks if block.terminator.opcode == "ret"]
    for ret in returns:
        value = _as_i64(ret, ret.operands[0].type, ret.operands[0].value) if ret.operands else "0"
        ret.insert_before(f"call void @{RET_EVENT}(i64 {number}, i64 {value})")
    start = function.entry.insertion_point
    parameters = function.parameters
    argument = _as_i64(start, parameters[0].type, parameters[0].name) if parameters else "0"
    start.insert_before(f"call void @{CALL_EVENT}(i64 {number}, i64 {argument})")


def _as_i64(anchor: ir.Instruction, type_: str, value: str | None) -> str:
    """The value as 64 bits: integers sign-extended, pointers as addresses, all else 0."""
    match = _INTEGER.match(type_)
    if value is None or (type_ != "ptr" and not match) or value in ("undef", "poison"):
        return "0"
    if match and int(match[1]) == 64:
        return value
    operation = "ptrtoint" if match is None else "sext" if int(match[1]) < 64 else "trunc"
    inserted = anchor.insert_before(f"{operation} {type_} {value} to i64")
    return inserted.result or "0"
