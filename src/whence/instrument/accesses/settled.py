"""Removal of redundant markers from optimised code.

The access pass sees the front end's code: single functions, in which each load
of a field is another value. After inlining and the elimination of equal loads,
earlier markers make many others redundant.

Only markers change here. The facts are those of `whence.instrument.analysis.facts`; a marker without a root
does not show which block its pointer was derived from.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from whence import ir
from whence.instrument.accesses.bounds import SUBTRACT, bound_loop
from whence.instrument.analysis.facts import Facts, Flow
from whence.instrument.analysis.lifetimes import may_free
from whence.instrument.analysis.loops import Loop, loops_of
from whence.instrument.analysis.provenance import Provenance
from whence.instrument.analysis.ranges import Ranges
from whence.instrument.markers.accesses import indexed_name, marker_name
from whence.instrument.markers.declarations import Inside, Marker, read_inside, read_marker
from whence.instrument.passes.context import Context
from whence.ir.constants import evaluate

_SIGN = "@__whence_check"


def drop_settled(context: Context) -> None:
    """Drops redundant markers, and the roots of markers whose slot was tested before. Accesses to a variable
    at an index that is certainly in bounds need no marker; the marker compares other indices.

    Before::

        declare void @__whence_check_r4(ptr)
        declare void @__whence_checkp_r4(ptr, ptr)
        define void @f(ptr %a, i64 %i) {
          %p = getelementptr i8, ptr %a, i64 %i
          %q = getelementptr i8, ptr %p, i64 4
          call void @__whence_checkp_r4(ptr %p, ptr %a)
          call void @__whence_check_r4(ptr %p)
          call void @__whence_checkp_r4(ptr %q, ptr %a)
          ret void
        }

    After::

        declare void @__whence_check_r4(ptr)
        declare void @__whence_checkp_r4(ptr, ptr)
        define void @f(ptr %a, i64 %i) {
          %p = getelementptr i8, ptr %a, i64 %i
          %q = getelementptr i8, ptr %p, i64 4
          call void @__whence_checkp_r4(ptr %p, ptr %a)
          call void @__whence_check_r4(ptr %q) nomerge
          ret void
        }
    """
    for function in _marked(context.module):
        _drop_in(function, context.flow(function), context.keepers, context.used)


def compare_bounds(context: Context) -> None:
    """Looks up the bounds of a loop's blocks before the loop, if that pays, for the checks in the loop.

    Before::

        declare void @__whence_checkp_r1(ptr, ptr)
        define void @f(ptr %a, i64 %n) {
        entry:
          br label %loop
        loop:
          %i = phi i64 [ 0, %entry ], [ %j, %loop ]
          %k = mul i64 %i, %i
          %p = getelementptr i8, ptr %a, i64 %k
          call void @__whence_checkp_r1(ptr %p, ptr %a)
          %j = add i64 %i, 1
          %c = icmp eq i64 %j, %n
          br i1 %c, label %end, label %loop
        end:
          ret void
        }

    After::

        declare void @__whence_checkp_r1(ptr, ptr)
        define void @f(ptr %a, i64 %n) {
        entry:
          %wh.0 = call preserve_mostcc { i64, i64 } @__whence_block_bounds(ptr %a)
          %wh.1 = extractvalue { i64, i64 } %wh.0, 0
          %wh.2 = extractvalue { i64, i64 } %wh.0, 1
          br label %loop
        loop:
          %i = phi i64 [ 0, %entry ], [ %j, %loop ]
          %k = mul i64 %i, %i
          %p = getelementptr i8, ptr %a, i64 %k
          call void @__whence_checkin_r1(ptr %p, ptr %a, i64 %wh.1, i64 %wh.2) nomerge
          %j = add i64 %i, 1
          %c = icmp eq i64 %j, %n
          br i1 %c, label %end, label %loop
        end:
          ret void
        }
    """
    for function in _marked(context.module):
        _bound_in(context.flow(function), context.used)
    context.module.add_declaration(SUBTRACT)


def _marked(module: ir.Module) -> list[ir.Function]:
    return [each for each in module.definitions if any(_SIGN in line for line in each.lines())]


def _drop_in(function: ir.Function, flow: Flow, keepers: Container[str], used: set[str]) -> None:
    provenance, ranges = Provenance(function), Ranges(function)
    for block in flow.order:
        facts = flow.enter(block)
        for instruction in block.instructions:
            if not isinstance(instruction, ir.Call):
                continue
            marker, inside = read_marker(instruction), read_inside(instruction)
            if marker is not None:
                _settle(marker, provenance, facts, used)
            elif inside is not None:
                _settle_inside(inside, provenance, ranges, facts, used)
            elif may_free(instruction, keepers):
                facts.forget()
        flow.leave(block, facts)


def _bound_in(flow: Flow, used: set[str]) -> None:
    loops = loops_of(flow.order)
    for loop in loops:
        if not flow.may_end(loop.blocks) and not _is_shared(loop):
            bound_loop(loop, loops, used)


def _is_shared(loop: Loop) -> bool:
    """Whether the loop communicates with other threads or signal handlers, which may free its blocks."""
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


def _settle_inside(
    inside: Inside, provenance: Provenance, ranges: Ranges, facts: Facts, used: set[str]
) -> None:
    place = provenance.place(inside.pointer)
    known = facts.is_checked(place, inside.size)
    facts.add(place, inside.size, provenance.place(inside.root))
    index = None if known else _index(inside, provenance)
    if known or (index is not None and index.fits(inside, ranges)):
        inside.call.remove()
    elif index is not None and not index.offset % index.scale:
        _compare_index(inside, index, used)


@dataclass(frozen=True)
class _Index:
    """An access at `offset + scale * value` bytes behind the begin of a variable; the value is an i64."""

    value: str
    scale: int
    offset: int

    def fits(self, inside: Inside, ranges: Ranges) -> bool:
        low, high = ranges.of("i64", self.value, inside.call.owner)
        return self.offset + self.scale * low >= 0 and self.offset + self.scale * high < inside.limit


def _index(inside: Inside, provenance: Provenance) -> _Index | None:
    base, offset, terms = provenance.linear(inside.pointer)
    if len(terms) != 1 or terms[0][0] <= 0:
        return None
    address = evaluate(inside.call.function.module.layout, "ptr", base)
    if base != inside.root:
        if address is None or address.symbol != inside.root:
            return None
        offset += address.signed
    return _Index(terms[0][1], terms[0][0], offset)


def _compare_index(inside: Inside, index: _Index, used: set[str]) -> None:
    """Replaces the marker by one that compares the index."""
    value, more = index.value, index.offset // index.scale
    if more:
        value = inside.call.insert_before(f"add i64 {value}, {more}", dbg=False).result or ""
    count = -(-inside.limit // index.scale)
    name = indexed_name(inside.write, inside.size)
    used.add(name)
    operands = f"ptr {inside.pointer}, ptr {inside.root}, i64 {value}, i64 {count}"
    inside.call.replace(f"call void @{name}({operands}) nomerge")
