"""The types of shadows.

The shadow of a value has a bit for each of its bits, which is 1 if that bit is undefined. It is an integer of
the same size, and for vectors and aggregates the same shape of such integers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from whence import ir


class Leaf(NamedTuple):
    """A part of a value that is no aggregate: its path of indices, its offset in bytes, its type."""

    path: tuple[int, ...]
    offset: int
    type: ir.Type


def shadow_of(layout: ir.DataLayout, type_: ir.Type | str) -> str | None:
    """The type of the shadow of values of a type, None where they have none."""
    resolved = layout.resolve(type_)
    if isinstance(resolved, ir.IntType):
        return str(resolved)
    if isinstance(resolved, ir.PointerType):
        return "i64" if not resolved.address_space else None
    if isinstance(resolved, ir.FloatType):
        return f"i{resolved.bits}"
    if isinstance(resolved, ir.VectorType):
        element = shadow_of(layout, resolved.element)
        return None if element is None or resolved.scalable else f"<{resolved.count} x {element}>"
    if isinstance(resolved, ir.ArrayType):
        element = shadow_of(layout, resolved.element)
        return None if element is None else f"[{resolved.count} x {element}]"
    if isinstance(resolved, ir.StructType):
        members = [shadow_of(layout, each) for each in resolved.elements]
        return None if None in members else f"{{ {', '.join(map(str, members))} }}"
    return None


def leaves(layout: ir.DataLayout, type_: ir.Type | str) -> Iterator[Leaf]:
    """The parts of a value that are no aggregates, in order."""
    waiting: list[Leaf] = [Leaf((), 0, layout.resolve(type_))]
    while waiting:
        path, offset, of = waiting.pop()
        if isinstance(of, ir.StructType):
            members = [
                Leaf((*path, i), offset + layout.field_offset(of, i), layout.resolve(each))
                for i, each in enumerate(of.elements)
            ]
        elif isinstance(of, ir.ArrayType):
            element, size = layout.resolve(of.element), layout.size_of(of.element)
            members = [Leaf((*path, i), offset + i * size, element) for i in range(of.count)]
        else:
            yield Leaf(path, offset, of)
            continue
        waiting += reversed(members)


def bits_of(shadow: str) -> int:
    """The bits of a shadow that is an integer or a vector of integers."""
    if shadow.startswith("<"):
        count, _, element = shadow[1:-1].partition(" x ")
        return int(count) * int(element[1:])
    return int(shadow[1:])


def none_of(shadow: str) -> str:
    """The shadow of values whose bits are all defined."""
    return "0" if shadow.startswith("i") else "zeroinitializer"


def all_of(shadow: str) -> str:
    """The shadow of values without any defined bit, for integers and vectors of integers."""
    if shadow.startswith("<"):
        return f"splat ({shadow[1:-1].partition(' x ')[2]} -1)"
    return "-1"


def is_aggregate(shadow: str) -> bool:
    """Whether it has members."""
    return shadow.startswith(("{", "["))
