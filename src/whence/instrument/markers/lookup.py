"""The lookup of the bounds of a root's block in instrumented code.

A block's address determines the address of its record (`whence.abi.layout`), so that nearly all
lookups are a few instructions. Each module has a copy of the function, which preserves all registers but
those of its result and one, because many values are live before a loop. The runtime's
`__whence_bounds` handles the other cases (memory outside of the heap, blocks of gigabytes, array cookies).
"""

from __future__ import annotations

from whence.abi.layout import (
    BLOCK_COOKIE,
    BLOCK_FAMILY_BITS,
    BLOCK_RECORD,
    BLOCK_WIDE_SHIFT,
    HEAP_BASE,
    META_BASE,
    MIN_SLOT_SHIFT,
    REGION_SHIFT,
    block_unit_shift,
)
from whence.abi.records import BLOCK_STATES

LOOKUP = "__whence_block_bounds"
"""``{ i64 begin, i64 size } (ptr root)``, preserve_mostcc; the size is 0 if it is unknown."""

CALL = f"call preserve_mostcc {{ i64, i64 }} @{LOOKUP}"

_LEAST_UNIT = block_unit_shift(MIN_SLOT_SHIFT)
_UNIT_DISTANCE = BLOCK_WIDE_SHIFT - block_unit_shift(BLOCK_WIDE_SHIFT)


def define(attributes: str) -> str:
    """IR text of the function and of its declarations; `attributes`: a group of the module."""
    return f"""
@__whence_holes = external global i32
declare {{ i64, i64 }} @__whence_bounds(ptr)
declare i64 @llvm.smax.i64(i64, i64)

define linkonce_odr hidden preserve_mostcc {{ i64, i64 }} @{LOOKUP}(ptr %root) {attributes} {{
  %r = ptrtoint ptr %root to i64
  %in = sub i64 %r, {HEAP_BASE}
  %shift = lshr i64 %in, {REGION_SHIFT}
  %within = and i64 %in, {(1 << REGION_SHIFT) - 1}
  %masked = and i64 %shift, 63
  %index = lshr i64 %within, %masked
  %from = sub i64 %shift, {MIN_SLOT_SHIFT}
  %usual = icmp ult i64 %from, {BLOCK_WIDE_SHIFT - MIN_SLOT_SHIFT}
  %counted = icmp ult i64 %index, {1 << 32}
  %holes = load i32, ptr @__whence_holes
  %whole = icmp eq i32 %holes, 0
  %known = and i1 %usual, %counted
  %quick = and i1 %known, %whole
  br i1 %quick, label %near, label %far, !prof !1
near:
  %region = shl i64 %masked, {REGION_SHIFT}
  %place = mul i64 %index, {BLOCK_RECORD.size}
  %records = add i64 %region, {META_BASE}
  %record = add i64 %records, %place
  %p = inttoptr i64 %record to ptr
  %statep = getelementptr i8, ptr %p, i64 {BLOCK_RECORD.offset("state")}
  %sizep = getelementptr i8, ptr %p, i64 {BLOCK_RECORD.offset("size")}
  %placep = getelementptr i8, ptr %p, i64 {BLOCK_RECORD.offset("offset")}
  %requestp = getelementptr i8, ptr %p, i64 {BLOCK_RECORD.offset("request")}
  %request = load i8, ptr %requestp
  %family = and i8 %request, {(1 << BLOCK_FAMILY_BITS) - 1}
  %plain = icmp ne i8 %family, {BLOCK_COOKIE}
  br i1 %plain, label %measure, label %far, !prof !1
measure:
  %state = load i8, ptr %statep
  %size32 = load i32, ptr %sizep
  %units16 = load i16, ptr %placep
  %size = zext i32 %size32 to i64
  %units = zext i16 %units16 to i64
  %wide = sub i64 %masked, {_UNIT_DISTANCE}
  %unit = call i64 @llvm.smax.i64(i64 %wide, i64 {_LEAST_UNIT})
  %offset = shl i64 %units, %unit
  %slot = shl i64 %index, %masked
  %slots = add i64 %region, {HEAP_BASE}
  %slotbegin = add i64 %slots, %slot
  %begin = add i64 %slotbegin, %offset
  %into = sub i64 %r, %begin
  %inside = icmp ult i64 %into, %size
  %live = icmp eq i8 %state, {BLOCK_STATES["LIVE"]}
  %good = and i1 %live, %inside
  %bytes = select i1 %good, i64 %size, i64 0
  %half = insertvalue {{ i64, i64 }} poison, i64 %begin, 0
  %both = insertvalue {{ i64, i64 }} %half, i64 %bytes, 1
  ret {{ i64, i64 }} %both
far:
  %other = call {{ i64, i64 }} @__whence_bounds(ptr %root)
  ret {{ i64, i64 }} %other
}}"""
