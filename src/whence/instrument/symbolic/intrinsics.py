"""Intrinsics whose results have expressions, as rules for the follower."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from whence import ir
from whence.instrument.shadow.calls import SAME
from whence.instrument.symbolic.expansions import is_expanded

T = TypeVar("T")

EXTREMES = {"llvm.umax.": "ugt", "llvm.umin.": "ult", "llvm.smax.": "sgt", "llvm.smin.": "slt"}
"""Those that choose the first argument where the comparison holds."""
UNARY = {"llvm.abs.": "MAGNITUDE", "llvm.bswap.": "SWAPPED"}
"""What the runtime derives from the first argument."""
OVERFLOWING = {
    "llvm.sadd.with.overflow.": ("ADD", "ADD_OVERFLOWS"),
    "llvm.ssub.with.overflow.": ("SUB", "SUB_OVERFLOWS"),
    "llvm.smul.with.overflow.": ("MUL", "MUL_OVERFLOWS"),
    "llvm.uadd.with.overflow.": ("ADD", "ADD_CARRIES"),
    "llvm.usub.with.overflow.": ("SUB", "SUB_CARRIES"),
    "llvm.umul.with.overflow.": ("MUL", "MUL_CARRIES"),
}
"""Those that also say whether the result does not fit: the operator of both parts of their results."""
SILENT = (
    "llvm.lifetime.",
    "llvm.dbg.",
    "llvm.assume",
    "llvm.stack",
    "llvm.va_",
    "llvm.objectsize.",
    "llvm.is.constant.",
    "llvm.trap",
    "llvm.debugtrap",
    "llvm.eh.",
    "llvm.returnaddress",
    "llvm.frameaddress",
    "llvm.prefetch",
    "llvm.experimental.noalias",
    "llvm.invariant.",
    "llvm.threadlocal.",
)
"""Those that look at no value that may have an expression."""


def find(table: Mapping[str, T], name: str) -> T:
    """What a table has for an intrinsic; its keys are begins of names."""
    return next(each for key, each in table.items() if name.startswith(key))


def is_followed(call: ir.Call) -> bool:
    """Whether the result of a call has an expression because an argument has one."""
    name = call.callee or ""
    if is_expanded(call):
        return True
    return name.startswith((*SAME, *EXTREMES, *UNARY, *OVERFLOWING)) and not call.type.startswith("<")
