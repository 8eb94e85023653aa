"""Structs that are returned in registers."""

from __future__ import annotations

from whence import ir


def parts_of(layout: ir.DataLayout, type_: str) -> list[tuple[str, int]]:
    """The two parts of such a struct, each with its offset in memory; empty for other types."""
    if not type_.startswith("{"):
        return []
    found = layout.resolve(type_)
    if not isinstance(found, ir.StructType) or len(found.elements) != 2:
        return []
    return [(str(each), layout.field_offset(found, at)) for at, each in enumerate(found.elements)]
