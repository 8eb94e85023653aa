"""Markers that others settle, as the optimised code shows it.

The access pass sees what the front end wrote: every function by itself, and a
load of the same field as another value each time. After inlining, and once
equal loads are one, many markers stand behind one that settles them::

    call void @__whence_checkp_r4(ptr %p, ptr %a)
    …
    call void @__whence_check_r4(ptr %p)             ; goes
    call void @__whence_checkp_r4(ptr %q, ptr %a)    ; %q = %p + 4: becomes a check of the state only
    call void @__whence_check_r4(ptr %q)

Only markers change here. The facts are those of `whence.instrument.facts`; a marker without a root
says nothing of the block that its pointer was derived from.
"""

from __future__ import annotations

from collections.abc import Container

from whence import ir
from whence.instrument.accesses import Policy
from whence.instrument.bounds import SUBTRACT, bound_loop
from whence.instrument.facts import Facts, Flow
from whence.instrument.filters import marker_name
from whence.instrument.lifetimes import keepers_of, may_free
from whence.instrument.loops import Loop, loops_of
from whence.instrument.markers import Marker, declarations, read_marker
from whence.instrument.provenance import Provenance

_SIGN = "@__whence_check"


def drop_settled(text: str, name: str, policy: Policy) -> str:
    """The text of an optimised module without the superfluous markers.

    What is not understood stays as it is: it costs time, and nothing else.
    """
    try:
        return _rewritten(ir.parse(text, name), policy)
    except ir.IRSyntaxError:
        return text


def _rewritten(module: ir.Module, policy: Policy) -> str:
    keepers = keepers_of(module)
    used: set[str] = set()
    for function in module.definitions:
        if any(_SIGN in line for line in function.lines()):
            flow = Flow(function, keepers, policy.holes)
            _drop_in(function, flow, keepers, used)
            if policy.bounds:
                _bound_in(flow, used)
    for declaration in (*declarations(used), SUBTRACT):
        module.add_declaration(declaration)
    return str(module)


def _drop_in(function: ir.Function, flow: Flow, keepers: Container[str], used: set[str]) -> None:
    provenance = Provenance(function)
    for block in flow.order:
        facts = flow.enter(block)
        for instruction in block.instructions:
            if not isinstance(instruction, ir.Call):
                continue
            marker = read_marker(instruction)
            if marker is not None:
                _settle(marker, provenance, facts, used)
            elif may_free(instruction, keepers):
                facts.block_may_have_died()
        flow.leave(block, facts)


def _bound_in(flow: Flow, used: set[str]) -> None:
    loops = loops_of(flow.order)
    for loop in loops:
        if not flow.may_free(loop.blocks) and not _is_shared(loop):
            bound_loop(loop, loops, used)


def _is_shared(loop: Loop) -> bool:
    """Does the loop speak to other threads, or to signal handlers? They may free what it uses."""
    blocks = map(loop.head.function.block, loop.blocks)
    return any(
        isinstance(each, ir.Fence) or (isinstance(each, ir.MemoryAccess) and (each.atomic or each.volatile))
        for block in blocks
        for each in block.instructions
    )


def _settle(marker: Marker, provenance: Provenance, facts: Facts, used: set[str]) -> None:
    place = provenance.place(marker.pointer)
    root = None if marker.root is None else provenance.place(marker.root)
    near = root is None or facts.stays_in_slot(place, root)
    if near and facts.is_checked(place, marker.size):
        marker.call.remove()
        return
    if root is not None and near:
        name = marker_name(marker.write, marker.size, False, marker.unaligned)
        used.add(name)
        marker.call.replace(f"call void @{name}(ptr {marker.pointer}) nomerge")
    facts.add(place, marker.size, root)
