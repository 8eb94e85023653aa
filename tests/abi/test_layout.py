"""The address map: ranges that the process can always have."""

from __future__ import annotations

import itertools

from whence.abi import layout

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
}


def _overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[1] and b[0] < a[1]


def test_ranges_are_apart() -> None:
    for (name, one), (other, two) in itertools.combinations(_RANGES.items(), 2):
        assert not _overlap(one, two), (name, other)


def test_no_range_lies_where_a_randomised_program_may_lie() -> None:
    """The preloaded allocator runs in programs whose addresses are random."""
    assert [name for name, place in _RANGES.items() if _overlap(place, _PROGRAMS)] == []
