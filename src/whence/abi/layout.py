"""The one address map of the checked process.

Application ranges and the planes that shadow them are laid out here once. The
C header is generated from these tables and the runtime checks at start that
the ranges are free.

The heap is cut into *regions* by slot size. Region ``k`` holds slots of
``2**k`` bytes and begins at ``HEAP_BASE + (k << REGION_SHIFT)``, so the slot
size of an address is part of the address: ``slot_shift(a) = (a >> 38) & 63``,
and two addresses lie in the same slot exactly when
``((a ^ b) >> slot_shift(a)) == 0``. For addresses outside the heap the same
expression is harmless: libraries, anonymous mappings and stacks
(``0x7f…``) give a shift of 63, that is "same slot always", and a
position-independent image at ``0x5555…`` gives 21.
"""

from __future__ import annotations

from dataclasses import dataclass

from whence.abi.structs import Field, Layout

GRANULE_SHIFT = 3
GRANULE = 1 << GRANULE_SHIFT

STATE_OFFSET = 0x7FFF8000
"""``state byte of a = *(a >> GRANULE_SHIFT + STATE_OFFSET)``; fits a 32-bit displacement."""

UNWRITTEN = 0xAAAA_AAAA_AAAA_AAAA
"""What pointer variables hold that the program never wrote: no address, so that every use of it traps."""

ADDRESS_BITS = 47

REGION_SHIFT = 38
REGION_COUNT = 64
HEAP_BASE = 0x6000_0000_0000
HEAP_SIZE = REGION_COUNT << REGION_SHIFT
MIN_SLOT_SHIFT = 5
MAX_SLOT_SHIFT = 37
RED_ZONE = 16
"""Least number of poisoned bytes after every heap block, in bytes."""

META_BASE = 0x2000_0000_0000
"""Block records of region ``k`` begin at ``META_BASE + (k << REGION_SHIFT)``, one per slot.

Away from where randomised programs lie."""
META_SIZE = REGION_COUNT << REGION_SHIFT
DEFINED_OFFSET = 0x3000_0000_0000
"""``definedness byte of a = *(a >> GRANULE_SHIFT + DEFINED_OFFSET)``, of which `whence.abi.undefined` has the
values. Reserved only while a rule needs it."""
DETAILS_BASE = 0x4000_0000_0000
DETAILS_SIZE = 1 << 36
"""Undefined bits of mixed granules; reserved with the plane."""

BLOCK_RECORD = Layout(
    "block_record",
    (
        Field("born", "u64", "id in the low BLOCK_ID_BITS, allocating thread above; 0: slot never used"),
        Field("died", "u64", "time of free and freeing thread likewise; 0 while live"),
        Field("size", "u32", "bytes asked for"),
        Field("alloc_stack", "u32"),
        Field("free_stack", "u32"),
        Field("offset", "u16", "begin of the block in its slot, in units of block_unit(shift)"),
        Field(
            "request",
            "u8",
            "family in the low BLOCK_FAMILY_BITS, above 1 + log2 of operator new's alignment, 0 for none",
        ),
        Field("state", "u8", "WH_BLOCK_*"),
    ),
)
"""A row of the block table; instrumented code reads it, too."""
BARE_RECORD = Layout(
    "block_record",
    (
        Field("size", "u32", "as above"),
        Field("offset", "u16"),
        Field("family", "u8", "WH_FAMILY_*"),
        Field("state", "u8", "WH_BLOCK_NONE: slot never used"),
    ),
)
"""The same without the lives of blocks."""
BLOCK_ID_BITS = 48
BLOCK_FAMILY_BITS = 2
BLOCK_COOKIE = 3
"""In place of the family NEW_ARRAY: an array cookie begins the block, or did so while it was live."""
BLOCK_WIDE_SHIFT = 33
"""From this shift on sizes do not fit the record and stand elsewhere."""

DEPOT_BASE = 0x4800_0000_0000
DEPOT_SIZE = 1 << 36
"""Hash-consed stack traces."""

PRIVATE_BASE = DEPOT_BASE + DEPOT_SIZE
PRIVATE_SIZE = 1 << 32
"""What the runtime keeps for itself and a leak search must not look into."""

LOADER_BASE = PRIVATE_BASE + PRIVATE_SIZE
LOADER_SIZE = 1 << 36
"""Memory that the dynamic loader requests."""

NULL_PAGE_SIZE = 65536
"""``mmap_min_addr`` of Linux: nothing can be mapped below, so any access is a null dereference."""


@dataclass(frozen=True)
class State:
    """One value of the state plane: a byte for each 8-byte granule."""

    name: str
    value: int
    meaning: str


STATES = (
    State("ADDRESSABLE", 0x00, "all eight bytes addressable and defined"),
    # 0x01..0x07: only the first k bytes are addressable, all defined.
    State("UNDEFINED", 0x40, "addressable, nothing defined yet (reserved)"),
    State("MIXED", 0x41, "addressable, see the definedness plane (reserved)"),
    State("NULL_PAGE", 0xF0, "below the lowest address that can be mapped"),
    State("STACK_BEGIN", 0xF1, "before a stack block, whose header stands there"),
    State("STACK_RED_ZONE", 0xF2, "after a stack block"),
    State("STACK_FREED", 0xF5, "a stack block after its scope"),
    State("STACK_RETURNED", 0xF6, "a stack block after its function has returned"),
    State("USER", 0xF7, "made inaccessible by the program"),
    State("COOKIE", 0xF8, "before the first element of an array from new[]: the number of elements"),
    State("GLOBAL_RED_ZONE", 0xF9, "around a global block"),
    State("HEAP_RED_ZONE", 0xFA, "around a heap block"),
    State("HEAP_UNUSED", 0xFB, "heap slot that holds no block yet"),
    State("HEAP_FREED", 0xFD, "a heap block after free"),
)

STATE_BY_VALUE = {state.value: state for state in STATES}


def slot_shift(address: int) -> int:
    """log2 of the slot size at a heap address (see the module docstring)."""
    return (address >> REGION_SHIFT) & (REGION_COUNT - 1)


def block_unit_shift(shift: int) -> int:
    """log2 of the unit in which a record says where in its slot the block begins."""
    return max(4, shift - 16)


def state_address(address: int) -> int:
    """Address of the state byte that describes the granule of `address`."""
    return (address >> GRANULE_SHIFT) + STATE_OFFSET
