"""The deterministic allocator of ``runtime/alloc/kdalloc.h``: addresses as a pure function of the requests.

Source: Schemmel et al., *KDAlloc: The KLEE Deterministic Allocator*, ISSTA 2023.
"""

from __future__ import annotations

from whence.alloc.allocator import (
    AllocationFailed,
    Allocator,
    AllocatorError,
    BadAddress,
    BinStatistics,
    Location,
    Space,
    SpaceStatistics,
)
from whence.alloc.config import Access, Config, Kind, Layout, Region, RegionConfig, Status, compact, spread

__all__ = [
    "Access",
    "AllocationFailed",
    "Allocator",
    "AllocatorError",
    "BadAddress",
    "BinStatistics",
    "Config",
    "Kind",
    "Layout",
    "Location",
    "Region",
    "RegionConfig",
    "Space",
    "SpaceStatistics",
    "Status",
    "compact",
    "spread",
]
