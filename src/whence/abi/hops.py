"""The hops of chains: instrumented code writes their kinds, and reports show them."""

from __future__ import annotations

from enum import StrEnum


class HopKind(StrEnum):
    """What happened to the value. The last hop of a whole chain is a birth.

    LOADED: a thread read what another had stored. SENT: another process wrote it to a file, a pipe or a
    socket. WRITTEN: a library function put it into memory. The first hop of the chain of a leaked block says
    how the last pointer to it was lost: OVERWRITTEN, LEFT with its variable, FREED with the block that it lay
    in, or DROPPED, as a result that nobody used.
    """

    STORED = "stored"
    ARGUMENT = "argument"
    RETURN = "return"
    COPY = "copy"
    LOADED = "loaded"
    ARITHMETIC = "arithmetic"
    SENT = "sent"
    ALLOCATION = "allocation"
    CONSTANT = "constant"
    COMPUTED = "computed"
    ADDRESS = "address"
    INITIAL = "initial"
    PARAMETER = "parameter"
    OUTSIDE = "outside"
    WRITTEN = "written"
    UNSEEN = "unseen"
    UNDEFINED = "undefined"
    OVERWRITTEN = "overwritten"
    LEFT = "left"
    FREED = "freed"
    DROPPED = "dropped"

    @property
    def is_birth(self) -> bool:
        return self not in _MOVES and not self.is_loss

    @property
    def is_loss(self) -> bool:
        return self in _LOSSES


_MOVES = frozenset(
    (
        HopKind.STORED,
        HopKind.ARGUMENT,
        HopKind.RETURN,
        HopKind.COPY,
        HopKind.LOADED,
        HopKind.ARITHMETIC,
        HopKind.SENT,
    )
)
_LOSSES = frozenset((HopKind.OVERWRITTEN, HopKind.LEFT, HopKind.FREED, HopKind.DROPPED))
