"""Values, their origins, and the addresses of blocks.

Section 3 of "Generating Sound and Effective Memory Debuggers" (Wang, Neamtiu,
Gupta, ISMM 2013): values v, locations r, block ids bid and origins f. A
pointer r is named by the block it was derived from and its index, so that P is
a function and two computations of one location give one r; its number is the
begin of the block plus the index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from whence.abi.layout import NULL_PAGE_SIZE
from whence.abi.records import KINDS
from whence.rules.problems import NOWHERE, Place

HEAP, STACK, GLOBAL, NULL = "H", "S", "G", "N"
KIND_NUMBERS: Mapping[str | None, int] = {
    HEAP: KINDS["HEAP"],
    STACK: KINDS["STACK"],
    GLOBAL: KINDS["GLOBAL"],
}
"""Kind of block -> number in the rule language."""
WORD = 8
"""Bytes of a word."""

NULL_PAGE = NULL_PAGE_SIZE
"""No block lies below this address."""
SPREAD = 1 << 32
"""Distance of the begins of neighbouring blocks, in bytes."""
MAX_BLOCK = 1 << 31
"""Bytes of the largest block; a request for more is answered with NULL."""
MAX_BLOCKS = 1 << 28
"""The largest number of blocks of one kind."""

_REGIONS = {GLOBAL: 1 << 60, HEAP: 2 << 60, STACK: 3 << 60}
CODE = 4 << 60
"""Where functions lie, 16 bytes each."""


@dataclass(frozen=True, slots=True, order=True)
class BlockId:
    """Block number `number` of a kind: 1H, 2S, 3G. Numbers count from 1 and are never used again."""

    kind: str
    number: int

    def __str__(self) -> str:
        return "NULL" if self.kind == NULL else f"{self.number}{self.kind}"


NULL_BLOCK = BlockId(NULL, 0)
"""The block of pointers that were derived from a number in the null page; no state contains it."""


def begin_of(bid: BlockId) -> int:
    """The address at which a new block of this id begins."""
    return 0 if bid == NULL_BLOCK else _REGIONS[bid.kind] + bid.number * SPREAD


def slot_of(address: int) -> BlockId | None:
    """The id whose addresses, up to half a `SPREAD` around its begin, hold this one."""
    for kind, region in _REGIONS.items():
        number = (address - region + SPREAD // 2) // SPREAD
        if 0 < number <= MAX_BLOCKS:
            return BlockId(kind, number)
    return None


def region_of(address: int) -> str | None:
    """The kind of the blocks whose region contains an address."""
    return next((kind for kind, begin in _REGIONS.items() if begin <= address < begin + (1 << 60)), None)


def wrap(number: int) -> int:
    """The number modulo 2**64, as a signed word in two's complement."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def unsigned(number: int) -> int:
    """The number modulo 2**64 without sign: addresses, and the numbers of rules."""
    return number % (1 << 64)


@dataclass(frozen=True, slots=True)
class Int:
    """An integer of 64 bits, -2**63 to 2**63 - 1.

    `undefined`: its bits that come from memory which was never written, as a mask; in the number they are 0.
    """

    number: int
    undefined: int = 0

    def __post_init__(self) -> None:
        assert -(1 << 63) <= self.number < 1 << 63
        assert 0 <= self.undefined < 1 << 64 and not self.undefined & self.number


@dataclass(frozen=True, slots=True)
class Pointer:
    """The location r: `index` bytes behind the begin of `block`; the index is a word, and may lie outside."""

    block: BlockId
    index: int = 0

    def moved(self, distance: int) -> Pointer:
        return Pointer(self.block, wrap(self.index + distance))


@dataclass(frozen=True, slots=True)
class Function:
    """The global symbol z of a function."""

    name: str


Value = Int | Pointer | Function


@dataclass(frozen=True, slots=True)
class Gen:
    """Computed by the step at time `time`, or a constant of the program (None)."""

    time: int | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class FromGlobal:
    """The value of the global symbol z."""

    name: str


@dataclass(frozen=True, slots=True)
class FromMemory:
    """Read at time `time`, `width` bytes at r."""

    pointer: Pointer
    width: int
    time: int
    place: Place = field(default=NOWHERE, compare=False, repr=False)


Origin = Gen | FromGlobal | FromMemory
"""f. Its time identifies the write to r whose value a read returns."""
LITERAL = Gen()
