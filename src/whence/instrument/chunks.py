"""The planes of cells in chunks, as generated code reads them (``runtime/planes/chunks.h``)."""

from __future__ import annotations


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
