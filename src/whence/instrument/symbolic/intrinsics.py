"""Intrinsics whose results have expressions, as rules for the follower."""

from __future__ import annotations

from whence import ir

SAME = (
    "llvm.launder.",
    "llvm.strip.",
    "llvm.expect",
    "llvm.ssa.copy",
    "llvm.ptr.annotation",
    "llvm.annotation.",
)
"""Those whose result is their first argument."""
EXTREMES = {"llvm.umax.": "ugt", "llvm.umin.": "ult", "llvm.smax.": "sgt", "llvm.smin.": "slt"}
"""Those that choose the first argument where the comparison holds."""
COPIES = ("llvm.memcpy.", "llvm.memmove.")
SETS = ("llvm.memset.",)
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


def is_followed(call: ir.Call) -> bool:
    """Whether the result of a call has an expression because an argument has one."""
    name = call.callee or ""
    return name.startswith((*SAME, *EXTREMES)) and not call.type.startswith("<")
