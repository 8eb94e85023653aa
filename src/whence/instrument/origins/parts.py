"""Loads and stores of one or two bytes, which share a cell with others (`whence.abi.origins.PARTS`).

Where the bytes of the cell have nodes of their own already, functions of the module read and write them; the
runtime does all else, as the first store into a cell.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.abi.origins import (
    CELL_SHIFT,
    CHUNK_SHIFT,
    PARTS,
    PARTS_CELL_SHIFT,
    PARTS_TABLE,
    TABLE_BASE,
    UNIT_SHIFT,
)
from whence.instrument.markers.planes import find_cell
from whence.instrument.markers.prefixes import ORIGINS
from whence.instrument.origins.slow import is_own

TYPES = {"1": "i8", "2": "i16"}
"""Suffixes of functions, and the types of the values that they take."""
_VALUES_AT = 4
"""Where in a cell the bytes stand, as they were last stored."""


def definitions(load: str, store: str, *, logged: bool) -> Iterator[str]:
    """The definitions. load, store: the begins of the names of the functions that are inlined. logged:
    whether the runtime is called for each store, because it logs them."""
    for suffix, type_ in TYPES.items():
        if not logged:
            yield _quick_store(suffix)
        yield _quick_load(suffix)
        callee = f"{ORIGINS}{'slow_store' if logged else f'quick_store_{suffix}'}"
        count = f"i64 {suffix}, " if logged else ""
        yield f"""define linkonce_odr hidden void @{store}_{suffix}(ptr %p, {type_} %value, i32 %node) #0 {{
  %a = ptrtoint ptr %p to i64
  %v = zext {type_} %value to i64
  call preserve_mostcc void @{callee}(i64 %a, {count}i64 %v, i32 %node) #3
  ret void
}}"""
        yield f"""define linkonce_odr hidden i32 @{load}_{suffix}(ptr %site, ptr %p, {type_} %value) #0 {{
  %a = ptrtoint ptr %p to i64
  %v = zext {type_} %value to i64
  %node = call preserve_mostcc i32 @{ORIGINS}quick_load_{suffix}(ptr %site, i64 %a, i64 %v) #3
  ret i32 %node
}}"""


def _find(suffix: str) -> str:
    """Goes to `there` with the places of the value in its cell, and of its bytes' nodes, else to `cold`."""
    row = find_cell(PARTS_TABLE, CHUNK_SHIFT, UNIT_SHIFT, PARTS_CELL_SHIFT).replace("%", "%row.")
    row = row.replace("%row.a,", "%a,")
    return f"""{find_cell(TABLE_BASE, CHUNK_SHIFT, UNIT_SHIFT, CELL_SHIFT)}
  %has.cell = icmp ne i64 %chunk, 0
  br i1 %has.cell, label %look, label %cold, !prof !1
look:
  %word = load i64, ptr %cell, align 8
  %mark = trunc i64 %word to i32
  %divided = icmp eq i32 %mark, {PARTS - (1 << 32)}
  %byte = and i64 %a, {(1 << UNIT_SHIFT) - 1}
  %within.cell = icmp ule i64 %byte, {(1 << UNIT_SHIFT) - int(suffix)}
  %usual = and i1 %divided, %within.cell
  br i1 %usual, label %find, label %cold, !prof !1
find:
{row}
  %has.row = icmp ne i64 %row.chunk, 0
  br i1 %has.row, label %there, label %cold, !prof !1
there:
  %value.offset = add i64 %byte, {_VALUES_AT}
  %value.at = getelementptr i8, ptr %cell, i64 %value.offset
  %nodes.at = getelementptr i32, ptr %row.cell, i64 %byte"""


def _quick_store(suffix: str) -> str:
    signature = "(i64 %a, i64 %v, i32 %node)"
    nodes = "  store i32 %node, ptr %nodes.at, align 4"
    if suffix == "2":
        nodes += "\n  %next.at = getelementptr i32, ptr %nodes.at, i64 1"
        nodes += "\n  store i32 %node, ptr %next.at, align 4"
    return f"""define linkonce_odr hidden preserve_mostcc void @{ORIGINS}quick_store_{suffix}{signature} #4 {{
{_find(suffix)}
  %value = trunc i64 %v to {TYPES[suffix]}
  store {TYPES[suffix]} %value, ptr %value.at, align 1
{nodes}
  ret void
cold:
  call preserve_mostcc void @{ORIGINS}slow_store(i64 %a, i64 {suffix}, i64 %v, i32 %node)
  ret void
}}"""


def _quick_load(suffix: str) -> str:
    """The node of all bytes, if this thread made it and the memory still holds what was stored with it.

    What stands there where a byte's bits have nodes of their own is none (`PARTS`).
    """
    signature = "(ptr %site, i64 %a, i64 %v)"
    same = f"  %one = icmp ult i32 %before, {PARTS - 1}"
    if suffix == "2":
        same = f"""  %next.at = getelementptr i32, ptr %nodes.at, i64 1
  %next = load i32, ptr %next.at, align 4
  %some = icmp ult i32 %before, {PARTS - 1}
  %equal = icmp eq i32 %node, %next
  %one = and i1 %some, %equal"""
    return f"""define linkonce_odr hidden preserve_mostcc i32 @{ORIGINS}quick_load_{suffix}{signature} #4 {{
{_find(suffix)}
  %stored = load {TYPES[suffix]}, ptr %value.at, align 1
  %wide = zext {TYPES[suffix]} %stored to i64
  %holds = icmp eq i64 %wide, %v
  %node = load i32, ptr %nodes.at, align 4
  %before = sub i32 %node, 1
{same}
{is_own("node")}
  %right = and i1 %one, %own
  %known = and i1 %holds, %right
  br i1 %known, label %done, label %cold, !prof !1
done:
  ret i32 %node
cold:
  %new = call preserve_mostcc i32 @{ORIGINS}slow_load(ptr %site, i64 %a, i64 {suffix}, i64 %v)
  ret i32 %new
}}"""
