"""Declarations of the check markers: the contract between the instrumenter and the filters.

The instrumenter puts a *marker call* before every access::

    call void @__whence_check_w4(ptr %p)              ; state of the bytes only
    call void @__whence_checkp_w4(ptr %p, ptr %root)  ; and: %p stays in the slot of %root

To the optimiser a marker is a call that changes memory nobody else sees and may
not come back: it can be neither deleted nor moved, while loads and stores of
the program are still optimised across it. (Calls that only read are hoisted out
of loops and merged across branches, and lose their source line on the way; the
gain was below what could be measured.) What a marker
does is decided later, when a module of always-inline definitions generated
from the rules is linked in (`whence.instrument.filters`).
"""

from __future__ import annotations

from whence.instrument.filters import copy_marker_name

ATTRIBUTES = "nounwind memory(inaccessiblemem: readwrite)"

PREFIX = "__whence_check"
RANGE = "__whence_range"
CALL_EVENT = "__whence_call"
RET_EVENT = "__whence_ret"
REQUEST = "__whence_client_request"


def declarations(names: set[str]) -> list[str]:
    """Declarations of the markers and events in `names`, in a fixed order."""
    return [_declaration(name) for name in sorted(names)]


def _declaration(name: str) -> str:
    # "captures(none)" would let the optimiser pass the source of a copy in place of the copy (MemCpyOpt does
    # that to arguments nobody can write): the address and its root would then lie in different blocks.
    pointer = "ptr captures(address)"
    if name == RANGE:
        return f"declare void @{RANGE}({pointer}, i64, {pointer}, i32) {ATTRIBUTES}"
    if name == REQUEST:
        return f"declare i64 @{REQUEST}(ptr, i64)"
    if name in (CALL_EVENT, RET_EVENT):
        return f"declare void @{name}(i64, i64) nounwind"
    if name == copy_marker_name(None):
        return f"declare void @{name}({pointer}, {pointer}, i64, i32) {ATTRIBUTES}"
    two = name.startswith(("__whence_checkp_", "__whence_check_copy_"))
    arguments = f"{pointer}, {pointer}" if two else pointer
    return f"declare void @{name}({arguments}) {ATTRIBUTES}"
