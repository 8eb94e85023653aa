"""In loops without frees, checks compare accesses with the bounds of their block.

For a block that a loop indexes repeatedly, the bounds are looked up once, before
the loop. They stay valid as long as nothing is freed, and one comparison replaces
the tests of the slot and of the state byte::

    %wh.0 = call preserve_mostcc { i64, i64 } @__whence_block_bounds(ptr %a)   ; before the loop
    %wh.1 = extractvalue { i64, i64 } %wh.0, 0                 ; the begin
    %wh.2 = extractvalue { i64, i64 } %wh.0, 1                 ; the size
    %wh.3 = call i64 @llvm.usub.sat.i64(i64 %wh.2, i64 3)

    call void @__whence_checkp_r4(ptr %p, ptr %a)              ; in the loop: becomes
    call void @__whence_checkin_r4(ptr %p, ptr %a, i64 %wh.1, i64 %wh.3)

An access outside of the bounds gets the usual tests. (An address outside of live blocks has no
bounds, or the whole range of addresses on its side of the heap.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from whence import ir
from whence.instrument.analysis.loops import Loop
from whence.instrument.markers.accesses import within_name
from whence.instrument.markers.declarations import PREFIX, Marker, read_marker
from whence.instrument.markers.lookup import CALL, LOOKUP

SUBTRACT = "declare i64 @llvm.usub.sat.i64(i64, i64)"

_LEAST = 8
"""The expected number of checks of one root in a loop from which on a lookup of its bounds pays."""

_ROUNDS_COUNTED = 8
"""Estimated rounds of a loop with a counter, as in ``for (i = 0; i < n; i++)`` …"""
_ROUNDS_SEARCHING = 4
"""… of a loop with several exits, such as a comparison of strings …"""
_ROUNDS_OTHER = 2
"""… and of a loop without a counter, such as a search in the chain of a hash table."""
_CALLING = 4
"""The divisor for checks in a loop with calls, where they are a smaller part of the work."""


def bound_loop(loop: Loop, loops: Sequence[Loop], used: set[str]) -> None:
    """Rewrite the markers of a loop in which no block can die. `loops`: all of the function."""
    groups: dict[str, list[Marker]] = {}
    weights: dict[str, float] = {}
    blocks = [loop.head.function.block(ref) for ref in sorted(loop.blocks)]
    share = 1 / _CALLING if any(map(_calls, blocks)) else 1
    inner = [each for each in loops if each.blocks <= loop.blocks]
    for block in blocks:
        within = [each for each in inner if block.ref in each.blocks]
        weight = share * math.prod(map(_rounds, within))
        for marker in _markers(block):
            if marker.root is not None and _is_outside(marker.root, loop):
                groups.setdefault(marker.root, []).append(marker)
                weights[marker.root] = weights.get(marker.root, 0) + weight
    chosen = {root: markers for root, markers in groups.items() if weights[root] >= _LEAST}
    anchor = _before(loop) if chosen else None
    if anchor is not None:
        for root, markers in chosen.items():
            _bound(root, markers, anchor, used)


def _rounds(loop: Loop) -> int:
    """The estimated number of rounds of the loop."""
    if not loop.steps:
        return _ROUNDS_OTHER
    return _ROUNDS_COUNTED if loop.exits == 1 else _ROUNDS_SEARCHING


def _calls(block: ir.Block) -> bool:
    """Whether it calls a function that is neither a marker nor an intrinsic."""
    calls = [each for each in block.instructions if isinstance(each, ir.Call)]
    return any(not (call.callee or "").startswith(("llvm.", PREFIX)) for call in calls)


def _markers(block: ir.Block) -> list[Marker]:
    found = [read_marker(call) for call in block.instructions if isinstance(call, ir.Call)]
    return [marker for marker in found if marker is not None]


def _is_outside(value: str, loop: Loop) -> bool:
    definition = loop.head.function.definition_of(value) if value.startswith("%") else None
    return not isinstance(definition, ir.Instruction) or definition.owner.ref not in loop.blocks


def _before(loop: Loop) -> ir.Instruction | None:
    """The insertion point for code before the loop, None without one."""
    entering = loop.entering()
    if len(entering) != 1 or any(each.leads and not isinstance(each, ir.Phi) for each in loop.head):
        return None
    source = entering[0]
    if not isinstance(source.terminator, ir.Br | ir.Switch):
        return None  # the edge cannot be split
    if len(source.successors) > 1:
        source = loop.head.function.split_edge(source, loop.head)
    return source.terminator


def _bound(root: str, markers: list[Marker], anchor: ir.Instruction, used: set[str]) -> None:
    used.add(LOOKUP)
    bounds = anchor.insert_before(f"{CALL}(ptr {root})").result
    begin = anchor.insert_before(f"extractvalue {{ i64, i64 }} {bounds}, 0").result
    size = anchor.insert_before(f"extractvalue {{ i64, i64 }} {bounds}, 1").result
    limits: dict[int, str | None] = {1: size}
    for marker in markers:
        if marker.size not in limits:
            text = f"call i64 @llvm.usub.sat.i64(i64 {size}, i64 {marker.size - 1})"
            limits[marker.size] = anchor.insert_before(text).result
        name = within_name(marker.write, marker.size, marker.unaligned)
        used.add(name)
        operands = f"ptr {marker.pointer}, ptr {root}, i64 {begin}, i64 {limits[marker.size]}"
        marker.call.replace(f"call void @{name}({operands}) nomerge")
