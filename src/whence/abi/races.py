"""Accesses that threads may share: what generated code and the runtime agree on.

While a rule judges data races, each granule of memory that a process with several threads accesses has
`1 << CELLS_SHIFT` words, the last accesses to it. A table leads from the upper bits of an address to a chunk
of them, which is made when something there is first accessed; a second one leads to the clocks of what
threads meet at.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CHUNK_SHIFT = 16
CELLS_SHIFT = 2
TABLE_BASE = 0x4F80_0000_0000
MEETINGS_TABLE = 0x4F84_0000_0000
MEETINGS_BASE = 0x4F88_0000_0000
MEETINGS_SIZE = 1 << 35
CHUNKS_BASE = 0x4F90_0000_0000
CHUNKS_SIZE = 1 << 38

HOW = MappingProxyType({"WRITES": 1, "ATOMIC": 2, "ACQUIRES": 4, "RELEASES": 8})
"""Bits of what generated code says of an access or a fence."""

ORDERINGS: Mapping[str, int] = MappingProxyType(
    {
        "unordered": 0,
        "monotonic": 0,
        "acquire": HOW["ACQUIRES"],
        "release": HOW["RELEASES"],
        "acq_rel": HOW["ACQUIRES"] | HOW["RELEASES"],
        "seq_cst": HOW["ACQUIRES"] | HOW["RELEASES"],
    }
)
"""What LLVM's orderings of atomic operations acquire and release."""
