"""Declarations of the check markers: the contract between the instrumenter and the filters.

The instrumenter puts a *marker call* before every access::

    call void @__whence_check_w4(ptr %p)              ; state of the bytes only
    call void @__whence_checkp_w4(ptr %p, ptr %root)  ; and: %p stays in the slot of %root

To the optimiser a marker is a call that writes memory that no other code accesses and may
not return: it can be neither deleted nor moved, while loads and stores of
the program are still optimised across it. (Calls that only read are hoisted out
of loops and merged across branches, and lose their source line on the way; the
gain was too small to measure.) The
definition of a marker comes later, when a module of always-inline functions
generated from the rules is linked in (`whence.instrument.detectors.filters`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from whence import ir
from whence.abi.rules import ARGUMENTS
from whence.instrument.markers import steps
from whence.instrument.markers.accesses import copy_marker_name
from whence.instrument.markers.lookup import LOOKUP

ATTRIBUTES = "nounwind memory(inaccessiblemem: readwrite)"

READING = "nounwind memory(read, inaccessiblemem: readwrite)"
"""Of those that look at memory or at what has been stored there: stores must not be delayed or dropped."""


def reads_memory(name: str) -> bool:
    """Whether a marker depends on what has been stored: one of an object or of a read."""
    return name == steps.checked("OBJECT") or steps.is_read_marker(name)


PREFIX = "__whence_check"
STRAY = f"{PREFIX}_stray"
"""Of a pointer that may have left its block, and what it was derived from; the runtime defines it."""
ENTERED = f"{PREFIX}_entered"
"""Where a function begins, with the address of its word (`whence.instrument.pipeline.entered`)."""
RANGE = "__whence_range"
CALL_EVENT = "__whence_call"
RET_EVENT = "__whence_ret"
THROUGH = ("__whence_call_through", "__whence_ret_through")
"""The events of a call through a pointer."""
REQUEST = "__whence_client_request"
COOKIE = "__whence_cookie"
COOKIE_READ = "__whence_cookie_read"
SCOPE = "__whence_scope"
SCOPE_BEGIN, SCOPE_END = f"{SCOPE}_begin", f"{SCOPE}_end"
LIFETIME_BEGINS = ("llvm.lifetime.start.", SCOPE_BEGIN)
"""Calls at which the lifetime of a variable begins."""


EXEMPT = "disable_sanitizer_instrumentation"
"""Attribute of functions that the source exempts from checks (`whence.toolchain.exempt`)."""
_UNCHECKED = "!whence.unchecked "
UNCHECKED = f"{_UNCHECKED}!{{}}"
"""Metadata of accesses that no rule judges: those that whence adds, and the front end's own to cookies."""

_ACCESS = re.compile(r"__whence_check(p?)_([rw])(\d+)(u?)\Z")


def is_unchecked(access: ir.Instruction) -> bool:
    """Whether no rule judges an access, because the program does not make it."""
    return _UNCHECKED in access.text  # LLVM numbers the empty node that follows


@dataclass(frozen=True)
class Marker:
    """The marker of an access, parsed; `root`: None for a check of the state only."""

    call: ir.Call
    pointer: str
    root: str | None
    write: bool
    size: int
    unaligned: bool


def read_marker(call: ir.Call) -> Marker | None:
    """The marker of a call, None for other calls."""
    match = _ACCESS.match(call.callee or "")
    if match is None:
        return None
    arguments = call.arguments
    root = arguments[1].value if match[1] else None
    return Marker(call, arguments[0].value, root, match[2] == "w", int(match[3]), bool(match[4]))


_INSIDE = re.compile(r"__whence_checkof_([rw])(\d+)\Z")


@dataclass(frozen=True)
class Inside:
    """The marker of an access to a variable of known size: it must begin less than `limit` bytes behind
    `root`."""

    call: ir.Call
    pointer: str
    root: str
    limit: int
    write: bool
    size: int


def read_inside(call: ir.Call) -> Inside | None:
    """The marker of a call, None for other calls."""
    match = _INSIDE.match(call.callee or "")
    if match is None:
        return None
    pointer, root, limit = (each.value for each in call.arguments)
    return Inside(call, pointer, root, int(limit), match[1] == "w", int(match[2]))


_CHECK = re.compile(r"__whence_check(?:p|of|at|in)?_[rw](\d+)u?\Z")


def checked_range(call: ir.Call) -> tuple[str, int | None] | None:
    """The pointer, and the number of bytes or None if that is not constant, which a check of an access is
    for; None for other calls."""
    callee = call.callee or ""
    match = _CHECK.match(callee)
    if match is None and callee != RANGE:
        return None
    pointer, *rest = (each.value for each in call.arguments)
    size = match[1] if match else rest[0]
    return pointer, int(size) if size.isdecimal() else None


def declarations(names: set[str]) -> list[str]:
    """Declarations of the markers and events in `names`, in a fixed order."""
    return [_declaration(name) for name in sorted(names)]


def event_parameters() -> str:
    """Of an event: the number of the function, its address at a call, the result, and the arguments."""
    return ", ".join(["i64"] * (3 + len(ARGUMENTS)))


def _declaration(name: str) -> str:
    # "captures(none)" would let the optimiser pass the source of a copy in place of the copy (MemCpyOpt does
    # that to arguments that cannot be written): the address and its root would then lie in different blocks.
    pointer = "ptr captures(address)"
    operands = steps.declaration(name)
    if operands:
        return f"declare void @{name}({operands}) {READING if reads_memory(name) else ATTRIBUTES}"
    if name == RANGE:
        return f"declare void @{RANGE}({pointer}, i64, {pointer}, i32) {ATTRIBUTES}"
    if name == COOKIE:
        return f"declare void @{COOKIE}({pointer}, i64) {ATTRIBUTES}"
    if name == REQUEST:
        return f"declare i64 @{REQUEST}(ptr, i64)"
    if name in (CALL_EVENT, RET_EVENT, *THROUGH):
        return f"declare void @{name}({event_parameters()}) nounwind"
    if name == copy_marker_name(None):
        return f"declare void @{name}({pointer}, {pointer}, i64, i32) {ATTRIBUTES}"
    if name == LOOKUP:
        return f"declare preserve_mostcc {{ i64, i64 }} @{LOOKUP}({pointer}) {ATTRIBUTES}"
    if name.startswith("__whence_checkof_"):
        return f"declare void @{name}({pointer}, {pointer}, i64) {ATTRIBUTES}"
    if name.startswith(("__whence_checkat_", "__whence_checkin_")):
        return f"declare void @{name}({pointer}, {pointer}, i64, i64) {ATTRIBUTES}"
    two = name == STRAY or name.startswith(("__whence_checkp_", "__whence_check_copy_"))
    arguments = f"{pointer}, {pointer}" if two else pointer
    return f"declare void @{name}({arguments}) {ATTRIBUTES}"
