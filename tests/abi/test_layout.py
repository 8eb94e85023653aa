"""The address map: ranges that the process can always have."""

from __future__ import annotations

import itertools
from types import ModuleType

from whence.abi import labels, layout, origins, races, symbolic


def _table(base: int, chunk_shift: int) -> tuple[int, int]:
    """The range of a table with a pointer for each chunk of the address space."""
    return base, base + (8 << layout.ADDRESS_BITS - chunk_shift)


def _range(module: ModuleType, name: str) -> tuple[int, int]:
    begin = getattr(module, f"{name}_BASE")
    return begin, begin + getattr(module, f"{name}_SIZE")


_PROGRAMS = (0x5555_5555_4000, 0x5555_5555_4000 + (1 << 40) + (1 << 36))
"""Where Linux places position-independent programs and what grows behind them, at 28 random bits."""
_RANGES = {
    "state plane": (
        layout.STATE_OFFSET,
        layout.STATE_OFFSET + (1 << layout.ADDRESS_BITS - layout.GRANULE_SHIFT),
    ),
    "heap": (layout.HEAP_BASE, layout.HEAP_BASE + layout.HEAP_SIZE),
    "block table": (layout.META_BASE, layout.META_BASE + layout.META_SIZE),
    "definedness plane": (
        layout.DEFINED_OFFSET,
        layout.DEFINED_OFFSET + (1 << layout.ADDRESS_BITS - layout.GRANULE_SHIFT),
    ),
    "details": (layout.DETAILS_BASE, layout.DETAILS_BASE + layout.DETAILS_SIZE),
    "stacks": (layout.DEPOT_BASE, layout.DEPOT_BASE + layout.DEPOT_SIZE),
    "runtime": (layout.PRIVATE_BASE, layout.PRIVATE_BASE + layout.PRIVATE_SIZE),
    "loader": (layout.LOADER_BASE, layout.LOADER_BASE + layout.LOADER_SIZE),
    "table of origins": _table(origins.TABLE_BASE, origins.CHUNK_SHIFT),
    **{
        f"origins: {name.lower()}": _range(origins, name)
        for name in ("CHUNKS", "DEATHS", "SIZES", "PARTS", "BITS")
    },
    "table of expressions": _table(symbolic.TABLE_BASE, symbolic.CHUNK_SHIFT),
    "rewind": _range(symbolic, "REWIND"),
    "chunks of expressions": _range(symbolic, "CHUNKS"),
    "table of labels": _table(labels.TABLE_BASE, labels.CHUNK_SHIFT),
    "labels": _range(labels, "CHUNKS"),
    "table of races": _table(races.TABLE_BASE, races.CHUNK_SHIFT),
    "table of meetings": _table(races.MEETINGS_TABLE, races.CHUNK_SHIFT),
    "meetings": _range(races, "MEETINGS"),
    "accesses": _range(races, "CHUNKS"),
}


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]


def test_ranges_are_apart() -> None:
    for (name, one), (other, two) in itertools.combinations(_RANGES.items(), 2):
        assert not _overlap(one, two), (name, other)


def test_no_range_lies_where_a_randomised_program_may_lie() -> None:
    """The preloaded allocator runs in programs whose addresses are random."""
    assert [name for name, place in _RANGES.items() if _overlap(place, _PROGRAMS)] == []
