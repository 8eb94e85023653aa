"""The functions that code with labels calls: their names, declarations and definitions.

Passes insert only calls, which are inlined when the filter module is linked in
(`whence.instrument.detectors.filters`). Those about memory look at the table of chunks, and call the runtime
only where there is a chunk with labels: memory without labels costs one load and one test.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence.abi.labels import CHUNK_SHIFT, TABLE_BASE
from whence.instrument.markers.planes import find_cell

PASSED = "__whence_labels"
_PREFIX = "__whence_labels_"
READ, WRITE = f"{_PREFIX}read", f"{_PREFIX}write"
"""With `_N` behind them, of N bytes in one chunk; without, of any bytes up to the size of a chunk."""
USED, COMPARED = f"{_PREFIX}used", f"{_PREFIX}compared"
COPY, FILL, MAIN = f"{_PREFIX}copy", f"{_PREFIX}store", f"{_PREFIX}main"
"""The runtime's own."""
_LOAD, _DROP, _USE = f"{_PREFIX}load", f"{_PREFIX}drop", "__whence_labelled"

WIDTHS = (1, 2, 4, 8, 16)

_DECLARED = {
    READ: f"declare i8 @{READ}(ptr, i64) nounwind",
    WRITE: f"declare void @{WRITE}(ptr, i64, i8) nounwind",
    USED: f"declare void @{USED}(i64, i64, i8)",
    COMPARED: f"declare void @{COMPARED}(ptr, i64, i8) nounwind",
    COPY: f"declare void @{COPY}(ptr, ptr, i64) nounwind",
    FILL: f"declare void @{FILL}(ptr, i64, i64) nounwind",
    MAIN: f"declare void @{MAIN}(ptr) nounwind",
}


def declaration(name: str) -> str:
    """What declares one of these functions; raises `KeyError` for other names."""
    kind, _, width = name.rpartition("_")
    if not width.isdecimal():
        return _DECLARED[name]
    return f"declare {'i8' if kind == READ else 'void'} @{name}(ptr{'' if kind == READ else ', i8'}) nounwind"


def definitions() -> Iterator[str]:
    """The definitions of all, and declarations of the runtime's functions."""
    yield f"declare i64 @{_LOAD}(i64, i64) #1"
    yield f"declare void @{FILL}(i64, i64, i64) #1"
    yield f"declare void @{_USE}(i64, i64, i64) #1"
    yield f"declare void @{_DROP}(i64, i64, i64) #1"
    for width in WIDTHS:
        yield _read(width)
        yield _write(width)
    yield _read_any()
    yield _write_any()
    address = "%a = ptrtoint ptr %p to i64"
    yield _where_labelled(COMPARED, "ptr %p, i64 %n", address, f"@{_DROP}(i64 %a, i64 %n, i64 %wide)")
    yield _where_labelled(USED, "i64 %point, i64 %value", "", f"@{_USE}(i64 %point, i64 %value, i64 %wide)")


def _where_labelled(name: str, parameters: str, before: str, call: str) -> str:
    """A function that calls one of the runtime's if a value has labels."""
    return f"""define linkonce_odr hidden void @{name}({parameters}, i8 %labels) #0 {{
begin:
  %none = icmp eq i8 %labels, 0
  br i1 %none, label %end, label %cold, !prof !1
cold:
  {before}
  %wide = zext i8 %labels to i64
  call void {call} #3
  br label %end
end:
  ret void
}}"""


def _cell() -> str:
    return f"  %a = ptrtoint ptr %p to i64\n{find_cell(TABLE_BASE, CHUNK_SHIFT, 0, 0)}"


def _read(width: int) -> str:
    type_ = f"i{8 * width}"
    return f"""define linkonce_odr hidden i8 @{READ}_{width}(ptr %p) #0 {{
begin:
{_cell()}
  %none = icmp eq i64 %chunk, 0
  br i1 %none, label %end, label %some, !prof !1
some:
  %labels = load {type_}, ptr %cell, align 1
  %clean = icmp eq {type_} %labels, 0
  br i1 %clean, label %end, label %cold, !prof !1
cold:
  %found = call i64 @{_LOAD}(i64 %a, i64 {width}) #3
  %all = trunc i64 %found to i8
  br label %end
end:
  %result = phi i8 [ 0, %begin ], [ 0, %some ], [ %all, %cold ]
  ret i8 %result
}}"""


def _write(width: int) -> str:
    type_ = f"i{8 * width}"
    return f"""define linkonce_odr hidden void @{WRITE}_{width}(ptr %p, i8 %labels) #0 {{
begin:
{_cell()}
  %none = icmp eq i64 %chunk, 0
  br i1 %none, label %fresh, label %some, !prof !1
fresh:
  %plain = icmp eq i8 %labels, 0
  br i1 %plain, label %end, label %cold, !prof !1
some:
  %before = load {type_}, ptr %cell, align 1
  %new = zext i8 %labels to i{max(8 * width, 16)}
  %old = {"zext i8 %before to i16" if width == 1 else f"or {type_} %before, 0"}
  %any = or i{max(8 * width, 16)} %old, %new
  %clean = icmp eq i{max(8 * width, 16)} %any, 0
  br i1 %clean, label %end, label %cold, !prof !1
cold:
  %wide = zext i8 %labels to i64
  call void @{FILL}(i64 %a, i64 {width}, i64 %wide) #3
  br label %end
end:
  ret void
}}"""


_ENDS = f"""\
  %a = ptrtoint ptr %p to i64
  %less = sub i64 %n, 1
  %z = add i64 %a, %less
  %first.number = lshr i64 %a, {CHUNK_SHIFT}
  %first.row = shl i64 %first.number, 3
  %first.place = add i64 %first.row, {TABLE_BASE}
  %first.entry = inttoptr i64 %first.place to ptr
  %first = load i64, ptr %first.entry, align 8
  %last.number = lshr i64 %z, {CHUNK_SHIFT}
  %last.row = shl i64 %last.number, 3
  %last.place = add i64 %last.row, {TABLE_BASE}
  %last.entry = inttoptr i64 %last.place to ptr
  %last = load i64, ptr %last.entry, align 8
  %both = or i64 %first, %last
  %none = icmp eq i64 %both, 0"""
"""Whether the chunks of the first and the last byte of a range are not there; a range has no others."""


def _read_any() -> str:
    return f"""define linkonce_odr hidden i8 @{READ}(ptr %p, i64 %n) #0 {{
begin:
{_ENDS}
  br i1 %none, label %end, label %cold, !prof !1
cold:
  %found = call i64 @{_LOAD}(i64 %a, i64 %n) #3
  %all = trunc i64 %found to i8
  br label %end
end:
  %result = phi i8 [ 0, %begin ], [ %all, %cold ]
  ret i8 %result
}}"""


def _write_any() -> str:
    return f"""define linkonce_odr hidden void @{WRITE}(ptr %p, i64 %n, i8 %labels) #0 {{
begin:
{_ENDS}
  %plain = icmp eq i8 %labels, 0
  %nothing = and i1 %none, %plain
  br i1 %nothing, label %end, label %cold, !prof !1
cold:
  %wide = zext i8 %labels to i64
  call void @{FILL}(i64 %a, i64 %n, i64 %wide) #3
  br label %end
end:
  ret void
}}"""
