"""The configuration of an allocator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

from whence.abi import layout as address_map

UNLIMITED = -1
"""As a quarantine: no address is ever used again."""

GIB = 1 << 30


class Region(IntEnum):
    """The ranges of addresses, each with blocks of one kind."""

    CONSTANTS = 0
    GLOBALS = 1
    HEAP = 2
    STACK = 3


class Layout(IntEnum):
    """Where the n-th slot of a bin lies: see ``runtime/alloc/kdalloc.h``."""

    SPREAD = 0
    COMPACT = 1


class Access(IntEnum):
    """What becomes of the address ranges in this process."""

    UNMAPPED = 0
    """Nothing: addresses are numbers. Every region's begin must be given."""
    RESERVED = 1
    """Nothing else is mapped there; touching them traps."""
    READ_WRITE = 2
    """They can be used, and are without backing until touched."""


class Kind(IntEnum):
    """What is known of an address."""

    OUTSIDE = 0
    UNUSED = 1
    LIVE = 2
    QUARANTINED = 3
    FREE = 4


class Status(IntEnum):
    """Why a request was refused."""

    OK = 0
    BAD_CONFIG = 1
    NO_REGION = 2
    BAD_ALIGNMENT = 3
    TOO_LARGE = 4
    REGION_FULL = 5
    NO_MEMORY = 6
    NOT_A_BLOCK = 7
    NOT_BEGIN = 8
    NOT_LIVE = 9


@dataclass(frozen=True)
class RegionConfig:
    """One region. size: bytes; begin: its first address, 0 if the system shall choose.

    quarantine: freed blocks that each bin holds back; 0 for none, `UNLIMITED`.
    """

    size: int
    begin: int = 0
    quarantine: int = 8


@dataclass(frozen=True)
class Config:
    """A layout, its regions and its policies.

    red_zone: least bytes between two blocks. bins: largest block of each bin, in bytes, ascending
    (the spread layout only). release_pages, release_factor: physical pages go back to the system
    once so many of those that are backed are superfluous, and all of them are so many times the
    average number in use; release_pages 0 for never.
    """

    layout: Layout = Layout.SPREAD
    access: Access = Access.RESERVED
    regions: Mapping[Region, RegionConfig] = field(default_factory=dict)
    bins: tuple[int, ...] = ()
    red_zone: int = address_map.RED_ZONE
    release_pages: int = 1024
    release_factor: int = 2


PAPER_BINS = (1, 4, 8, 16, 32, 64, 256, 2048)
PAPER_SIZES = {
    Region.CONSTANTS: 10 * GIB,
    Region.GLOBALS: 10 * GIB,
    Region.HEAP: 1024 * GIB,
    Region.STACK: 128 * GIB,
}


def spread(
    *,
    begins: Mapping[Region, int] | None = None,
    sizes: Mapping[Region, int] | None = None,
    quarantine: int = 8,
    access: Access = Access.RESERVED,
    bins: tuple[int, ...] = PAPER_BINS,
) -> Config:
    """The paper's layout and sizes; the system chooses the begins that are not given."""
    used = PAPER_SIZES if sizes is None else sizes
    regions = {r: RegionConfig(size, (begins or {}).get(r, 0), quarantine) for r, size in used.items()}
    return Config(Layout.SPREAD, access, regions, bins)


def compact(*, quarantine: int = 8, access: Access = Access.UNMAPPED) -> Config:
    """The heap of checked processes: slots of powers of two, one after the other."""
    heap = RegionConfig(address_map.HEAP_SIZE, address_map.HEAP_BASE, quarantine)
    return Config(Layout.COMPACT, access, {Region.HEAP: heap})
