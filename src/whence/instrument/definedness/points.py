"""The points of a function, where values come in that may have undefined bits, and its twin goes on.

Both versions of the function have the same points in the same order. `follow_values` writes them as calls
without a meaning, so that the passes between see straight code; `resume_in_twins` gives them their control
flow, last of all passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from whence import ir
from whence.instrument.definedness import helpers
from whence.instrument.definedness.emitter import Emitter
from whence.instrument.markers.declarations import PREFIX, RANGE
from whence.instrument.markers.prefixes import ORIGINS

NEVER = "i1 false"
"""The condition of a point that is there for its place alone."""


class Points:
    """Writes the points of one version.

    fast: whether it is the function itself, which tests whether its twin has to go on. marks: whether it
    marks where the twin goes on in front of a load, for a twin that is made later.
    """

    def __init__(self, at: Emitter, fast: bool, marks: bool = False) -> None:
        self._at = at
        self._fast = fast
        self._marks = marks
        self._count = 0
        self._last: int | None = None

    def load(self, pointer: str, size: int, align: int) -> None:
        """A load comes next. The twin goes on in front of it, or repeats what comes since the last point."""
        shared = self._last is not None
        number = self._next() if self._last is None else self._last
        if self._fast:
            if self._marks and not shared:
                self._put(helpers.POINT_IF, number, NEVER)
            self._put(helpers.POINT_LOAD, number, f"ptr {pointer}, i64 {size}, i64 {align}")
        elif not shared:
            self._put(helpers.POINT_IF, number, NEVER)

    def when(self, condition: Callable[[], str]) -> int:
        """The twin goes on if a condition, an i1, is true; returns the number of the point."""
        number = self._next()
        self._put(helpers.POINT_IF, number, f"i1 {condition() if self._fast else 'false'}")
        return number

    def leave(self) -> None:
        """What comes since the last point must not be repeated."""
        self._last = None

    def _next(self) -> int:
        self._last = self._count
        self._count += 1
        return self._last

    def _put(self, name: str, number: int, arguments: str) -> None:
        self._at.declare(helpers.declaration(name))
        self._at.emit(f"call void @{name}(i64 {number}, {arguments})")


_MARKERS = (PREFIX, RANGE, ORIGINS)
_PURE = re.compile(
    r"llvm\.(?:[su](?:max|min|add|sub|mul|cmp)\b|abs|ct|bswap|bitreverse|fsh|f|sqrt|floor|ceil|trunc|rint|round"
    r"|nearbyint|minnum|maxnum|minimum|maximum|copysign|is\.|expect|objectsize|vector\.|ptrmask|usub|uadd|sadd|ssub"
    r"|smul|umul)"
)


def is_pure(callee: str) -> bool:
    """Whether a function is an intrinsic that computes its result from its operands alone."""
    return bool(_PURE.match(callee))


def is_repeatable(instruction: ir.Instruction) -> bool:
    """Whether it makes no difference to execute the instruction twice."""
    if isinstance(instruction, ir.Load):
        return not (instruction.volatile or instruction.atomic)
    if isinstance(instruction, ir.Call):
        callee = instruction.callee or ""
        return callee.startswith(_MARKERS) or is_pure(callee)
    return not (isinstance(instruction, ir.MemoryAccess) or instruction.opcode in ("fence", "va_arg"))
