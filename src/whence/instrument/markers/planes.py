"""Planes as generated code reads them: of cells in chunks (``runtime/planes/chunks.h``), of definedness."""

from __future__ import annotations

from whence.abi.layout import DEFINED_OFFSET, GRANULE, GRANULE_SHIFT
from whence.abi.undefined import SPECIAL, SPECIAL_MASK


def find_cell(table: int, chunk_shift: int, unit_shift: int, cell_shift: int) -> str:
    """%cell is the cell of the address %a, if %chunk is not 0."""
    mask = (1 << chunk_shift) - (1 << unit_shift)
    return f"""  %number = lshr i64 %a, {chunk_shift}
  %row = shl i64 %number, 3
  %place = add i64 %row, {table}
  %entry = inttoptr i64 %place to ptr
  %chunk = load i64, ptr %entry, align 8
  %within = and i64 %a, {mask}
  %offset = shl i64 %within, {cell_shift - unit_shift}
  %at = add i64 %chunk, %offset
  %cell = inttoptr i64 %at to ptr"""


def plane(address: str, name: str, type_: str = "i8") -> list[str]:
    """Code that loads the plane's value, or those of two granules, for an address."""
    return [
        f"%{name}.granule = lshr i64 {address}, {GRANULE_SHIFT}",
        f"%{name}.at = add i64 %{name}.granule, {DEFINED_OFFSET}",
        f"%{name}.plane = inttoptr i64 %{name}.at to ptr",
        f"%{name} = load {type_}, ptr %{name}.plane, align 1",
    ]


def named(state: str, address: str, size: int, prefix: str) -> list[str]:
    """Code after which ``named`` is 1 if by a state, an i8, a byte of an aligned access may be undefined."""
    lines = [
        f"{prefix}byte = trunc i64 {address} to i8",
        f"{prefix}offset = and i8 {prefix}byte, {GRANULE - 1}",
        f"{prefix}moved = lshr i8 {state}, {prefix}offset",
        f"{prefix}bytes = and i8 {prefix}moved, {(1 << size) - 1}",
    ]
    if size > 1:
        return [*lines, f"{prefix}named = icmp ne i8 {prefix}bytes, 0"]
    return [
        *lines,
        f"{prefix}hit = icmp ne i8 {prefix}bytes, 0",
        f"{prefix}low = and i8 {state}, {SPECIAL_MASK}",
        f"{prefix}special = icmp eq i8 {prefix}low, {SPECIAL}",
        f"{prefix}named = or i1 {prefix}hit, {prefix}special",
    ]
