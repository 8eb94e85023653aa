"""Value propagation chains: the way of a value from its birth to a finding, newest hop first."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class HopKind(StrEnum):
    """What happened to the value. The last hop of a whole chain is a birth.

    LOADED: a thread read what another had stored.
    """

    STORED = "stored"
    ARGUMENT = "argument"
    RETURN = "return"
    COPY = "copy"
    LOADED = "loaded"
    ARITHMETIC = "arithmetic"
    ALLOCATION = "allocation"
    CONSTANT = "constant"
    COMPUTED = "computed"
    ADDRESS = "address"
    INITIAL = "initial"
    PARAMETER = "parameter"
    OUTSIDE = "outside"
    UNSEEN = "unseen"

    @property
    def is_birth(self) -> bool:
        return self not in _MOVES


_MOVES = frozenset(
    (
        HopKind.STORED,
        HopKind.ARGUMENT,
        HopKind.RETURN,
        HopKind.COPY,
        HopKind.LOADED,
        HopKind.ARITHMETIC,
    )
)


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a chain.

    name: what the value was stored to, the called function, the variable, the constant. source: what was
    stored or passed, as the program writes it. repeated: the value came here before, and the hops between are
    left out. thread: its number, None where it is not known. note: what a debugger knows of this moment.
    """

    kind: HopKind
    function: str | None = None
    file: str | None = None
    line: int = 0
    column: int = 0
    name: str = ""
    source: str = ""
    repeated: bool = False
    thread: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """The chain of a value.

    term: the rule's, or "the index of" it. value: None where it was not kept. cut: older hops are missing.
    """

    term: str
    value: int | None
    hops: tuple[Hop, ...] = ()
    cut: bool = False

    def is_shared(self, thread: int) -> bool:
        """Whether other threads than this one have made some of the hops."""
        return any(hop.thread not in (None, thread) for hop in self.hops)
