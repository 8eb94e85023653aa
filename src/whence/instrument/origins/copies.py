"""Copies of eight bytes: the node of a pointer or a number goes with it, without the runtime.

Front ends copy unions and small structs so. Both cells of the source must have one node, of this thread; a
pointer to the heap that is overwritten is told as by a store. The runtime does all other copies.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.abi.layout import HEAP_BASE, HEAP_SIZE
from whence.abi.origins import CELL_SHIFT, CHUNK_SHIFT, PARTS, TABLE_BASE, UNIT_SHIFT
from whence.instrument.markers.planes import find_cell
from whence.instrument.markers.prefixes import ORIGINS
from whence.instrument.origins.slow import is_own

COPY = f"{ORIGINS}copy"
WORD = 8
"""Bytes of the copies that generated code does by itself."""
_SIGNATURE = "(ptr %site, ptr %to, ptr %from)"


def copy_name(size: str) -> tuple[str, bool]:
    """The function that follows a copy of so many bytes, an operand, and whether it takes the size."""
    return (f"{COPY}_{WORD}", False) if size == str(WORD) else (COPY, True)


def definitions(*, logged: bool) -> Iterator[str]:
    """The definitions. logged: whether the runtime is called for each copy, because it logs them."""
    yield f"declare void @{COPY}(ptr, ptr, ptr, i64) #1"
    yield f"""define linkonce_odr hidden preserve_mostcc void @{ORIGINS}slow_copy{_SIGNATURE} #2 {{
  call void @{COPY}(ptr %site, ptr %to, ptr %from, i64 {WORD})
  ret void
}}"""
    callee = f"{ORIGINS}{'slow' if logged else 'quick'}_copy"
    if not logged:
        yield _quick()
    yield f"""define linkonce_odr hidden void @{COPY}_{WORD}{_SIGNATURE} #0 {{
  call preserve_mostcc void @{callee}(ptr %site, ptr %to, ptr %from)
  ret void
}}"""


def _cells(side: str) -> str:
    """%`side`.cell and the next are the cells of the address %`side`.a, if %`side`.chunk is not 0."""
    found = find_cell(TABLE_BASE, CHUNK_SHIFT, UNIT_SHIFT, CELL_SHIFT).replace("%", f"%{side}.")
    return f"  %{side}.a = ptrtoint ptr %{side} to i64\n{found}"


def _quick() -> str:
    """A copy to the place itself is none, and one to an address that is no multiple of eight overwrites parts
    of two words: both are the runtime's."""
    return f"""define linkonce_odr hidden preserve_mostcc void @{ORIGINS}quick_copy{_SIGNATURE} #4 {{
{_cells("to")}
{_cells("from")}
  %places = or i64 %to.a, %from.a
  %odd = and i64 %places, {WORD - 1}
  %even = icmp eq i64 %odd, 0
  %apart = icmp ne i64 %to.a, %from.a
  %to.there = icmp ne i64 %to.chunk, 0
  %from.there = icmp ne i64 %from.chunk, 0
  %proper = and i1 %even, %apart
  %both = and i1 %to.there, %from.there
  %there = and i1 %proper, %both
  br i1 %there, label %look, label %cold, !prof !1
look:
  %low = load i64, ptr %from.cell, align 8
  %from.next = getelementptr i64, ptr %from.cell, i64 1
  %high = load i64, ptr %from.next, align 8
  %parent = trunc i64 %low to i32
  %other = trunc i64 %high to i32
  %one = icmp eq i32 %parent, %other
  %before = sub i32 %parent, 1
  %some = icmp ult i32 %before, {PARTS - 1}
{is_own("parent")}
  %known = and i1 %one, %some
  %usual = and i1 %known, %own
  br i1 %usual, label %step, label %cold, !prof !1
step:
  %node = call i32 @{ORIGINS}step(ptr %site, i32 %parent)
  %n = zext i32 %node to i64
  %low.value = and i64 %low, -4294967296
  %high.value = and i64 %high, -4294967296
  %low.word = or i64 %low.value, %n
  %high.word = or i64 %high.value, %n
  %to.next = getelementptr i64, ptr %to.cell, i64 1
  %old = load i64, ptr %to.next, align 8
  %old.high = lshr i64 %old, 32
  %old.offset = sub i64 %old.high, {HEAP_BASE >> 32}
  %old.heap = icmp ult i64 %old.offset, {HEAP_SIZE >> 32}
  br i1 %old.heap, label %over, label %write
over:
  %value.low = lshr i64 %low, 32
  %value = or i64 %high.value, %value.low
  call preserve_mostcc void @{ORIGINS}slow_over(i64 %to.a, i64 %value, i32 %node) #3
  br label %write
write:
  store i64 %low.word, ptr %to.cell, align 8
  store i64 %high.word, ptr %to.next, align 8
  ret void
cold:
  musttail call preserve_mostcc void @{ORIGINS}slow_copy{_SIGNATURE}
  ret void
}}"""
