"""Variable arguments: the memory in which `va_start` finds them has cells.

Their nodes are passed as those of other arguments, and a function that begins a list keeps them until it
does. What is neither a pointer nor an integer has a word without a node, so that the runtime can tell where
the others are (System V ABI for x86-64, 3.5.7). The cells are cleared when the function ends: nothing else
says that another function's variables are there then.
"""

from __future__ import annotations

from whence import ir
from whence.abi.origins import LISTED_SIZE, MOST_ARGUMENTS, STACKED_ARGUMENT, VECTOR_ARGUMENT
from whence.instrument.naming.bits import is_word
from whence.instrument.origins import helpers
from whence.instrument.origins.emitter import Emitter, after
from whence.instrument.shadow.calls import first_of

_START = "llvm.va_start"
_ALIGN = 16
_OTHERS = {"float": VECTOR_ARGUMENT, "double": VECTOR_ARGUMENT, "x86_fp80": STACKED_ARGUMENT}
_UNUSUAL = ("byval", "sret", "inreg", "nest")


class Lists:
    """The variable arguments of one function, and of its calls."""

    def __init__(self, function: ir.Function, out: Emitter) -> None:
        self._function = function
        self._out = out
        self._kept = ""

    def begin(self, instructions: list[ir.Instruction]) -> None:
        """Keeps what is passed, if the function begins a list."""
        starts = [each for each in instructions if isinstance(each, ir.Call) and _is_start(each)]
        if not starts or not self._function.variadic:
            return
        self._kept = self._function.add_alloca(f"[{LISTED_SIZE} x i8]", _ALIGN).result or ""
        first = first_of(self._function)
        fixed = len(self._function.parameters)
        self._out.call(
            first, helpers.LISTING, "void", f"ptr {self._kept}, ptr {self._function.ref}, i64 {fixed}"
        )
        for start in starts:
            place = after(start)
            if place is not None:
                given = f"ptr {self._kept}, ptr {start.arguments[0].value}"
                self._out.call(place, helpers.LISTED, "void", given)

    def end(self, last: ir.Instruction) -> None:
        """The end of the function."""
        if self._kept:
            self._out.call(last, helpers.UNLISTED, "void", f"ptr {self._kept}")

    def pass_others(self, call: ir.Call) -> None:
        """Passes words for the variable arguments of a call that have no nodes."""
        if not call.variadic:
            return
        arguments = call.arguments[:MOST_ARGUMENTS]
        for index in range(call.fixed, len(arguments)):
            type_, attributes = arguments[index].type, arguments[index].attributes
            if is_word(type_) and not any(map(attributes.has, _UNUSUAL)):
                continue
            word = STACKED_ARGUMENT if attributes.has("byval") else _OTHERS.get(type_, 0)
            self._out.call(call, f"{helpers.PASS}_8", "void", f"i64 {index}, i32 0, i64 {word >> 32}")


def _is_start(call: ir.Call) -> bool:
    return (call.callee or "").startswith(_START)
