"""Leaked blocks, and what a leak check counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from whence.findings.fact import Fact
from whence.findings.plain import OWN


class LeakKind(StrEnum):
    """How a block that is still allocated is held: the four kinds of Memcheck."""

    DEFINITE = "definite"
    """By nothing."""
    INDIRECT = "indirect"
    """Only by blocks that are lost themselves."""
    POSSIBLE = "possible"
    """By pointers into a block's middle."""
    REACHABLE = "reachable"
    """By pointers to begins."""


@dataclass(frozen=True, slots=True)
class Total:
    """Blocks, and bytes in them."""

    blocks: int = 0
    bytes: int = 0

    def __add__(self, other: Total) -> Total:
        return Total(self.blocks + other.blocks, self.bytes + other.bytes)


@dataclass(frozen=True, slots=True)
class Leak(Fact, key="leak"):
    """Totals over the blocks of one allocation stack and those that only they lead to.

    `indirect` counts the blocks that only other lost blocks point to, `indirect_bytes`
    the bytes in them. `kind` is definite as soon as one block is. `inherited`: the four
    totals of the blocks that the process was forked with, which its parent tells of, too.
    """

    count: int
    bytes: int
    indirect: int = 0
    indirect_bytes: int = 0
    kind: LeakKind = LeakKind.DEFINITE
    inherited: tuple[int, int, int, int] = field(default=(0, 0, 0, 0), metadata=OWN)

    @property
    def owned(self) -> Total:
        """The blocks that only other lost blocks point to."""
        return Total(self.indirect, self.indirect_bytes)

    @property
    def own(self) -> Total:
        """The other blocks."""
        return Total(self.count - self.indirect, self.bytes - self.indirect_bytes)


class LeakMoment(StrEnum):
    """What made a leak check happen."""

    END = "end"
    REQUEST = "request"
    SIGNAL = "signal"


@dataclass(frozen=True, slots=True)
class LeakCheck:
    """What one search of a process for its live blocks counted.

    `time` is the event clock. `excused` are blocks that the program does not
    want to hear of; blocks of the loader and the C library are counted nowhere.
    `inherited`: by the names of these fields, the blocks that the process was forked
    with, which its parent counts, too.
    """

    moment: LeakMoment
    pid: int = 0
    time: int = 0
    definite: Total = Total()
    indirect: Total = Total()
    possible: Total = Total()
    reachable: Total = Total()
    excused: Total = Total()
    inherited: Mapping[str, Total] = field(default_factory=dict, metadata=OWN)
