"""Plain accesses of a fixed number of bytes, and which of them the runtime need not look at.

The runtime looks at an access only once in each epoch of its thread, which ends where the thread
releases something to others. Between two calls that may do so, an access whose bytes another one accesses
as well, and writes if this one writes, tells nothing new.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from whence import ir
from whence.instrument.analysis.facts import Forward
from whence.instrument.analysis.lifetimes import is_quiet
from whence.instrument.analysis.provenance import Place, Provenance


@dataclass(frozen=True)
class Access:
    """A load or store of `size` bytes that is not atomic."""

    made: ir.Load | ir.Store
    size: int

    @property
    def writes(self) -> bool:
        return isinstance(self.made, ir.Store)

    @property
    def pointer(self) -> str:
        return self.made.pointer


_Bytes = tuple[int, int]
_MOST = 8
"""The largest number of accesses of one base that are remembered."""


@dataclass
class _Seen:
    """Bytes that were accessed in this epoch, by the bases of their places; and those that were written."""

    accessed: dict[str, tuple[_Bytes, ...]] = field(default_factory=dict)
    written: dict[str, tuple[_Bytes, ...]] = field(default_factory=dict)

    @property
    def can_end(self) -> bool:
        return bool(self.accessed)

    def forget(self) -> None:
        self.accessed.clear()
        self.written.clear()

    def copy(self) -> _Seen:
        return _Seen(dict(self.accessed), dict(self.written))

    def meet(self, other: _Seen) -> None:
        self.accessed = _both(self.accessed, other.accessed)
        self.written = _both(self.written, other.written)

    def has(self, place: Place, access: Access) -> bool:
        known = (self.written if access.writes else self.accessed).get(place.base, ())
        return any(low <= place.offset and place.offset + access.size <= high for low, high in known)

    def add(self, place: Place, access: Access) -> None:
        for known in (self.accessed, self.written) if access.writes else (self.accessed,):
            before = known.get(place.base, ())
            known[place.base] = (*before[1 - _MOST :], (place.offset, place.offset + access.size))


def _both(
    one: dict[str, tuple[_Bytes, ...]], other: dict[str, tuple[_Bytes, ...]]
) -> dict[str, tuple[_Bytes, ...]]:
    found: dict[str, tuple[_Bytes, ...]] = {}
    for base, known in one.items():
        both = tuple(each for each in known if each in other.get(base, ()))
        if both:
            found[base] = both
    return found


def may_release(made: ir.Instruction) -> bool:
    """Whether a thread may release what it has done to others there, or hand memory back."""
    if isinstance(made, ir.Call):
        return not is_quiet(made)
    if isinstance(made, ir.Load | ir.Store):
        return bool(made.atomic)
    return isinstance(made, ir.Fence | ir.MemoryAccess)


def telling(function: ir.Function, accesses: Iterable[Access]) -> list[Access]:
    """Those of a function's accesses that others do not stand for."""
    flow, provenance = Forward(function, may_release, _Seen), Provenance(function)
    by_made: dict[int, Access] = {id(access.made): access for access in accesses}
    kept: list[Access] = []
    for block in flow.order:
        seen = flow.enter(block)
        written_later = _later(block, by_made, provenance)
        for made in block.instructions:
            access = by_made.get(id(made))
            if access is not None:
                place = provenance.place(access.pointer)
                if not seen.has(place, access) and id(made) not in written_later:
                    kept.append(access)
                seen.add(place, access)
            elif may_release(made):
                seen.forget()
        flow.leave(block, seen)
    return kept


def _later(block: ir.Block, accesses: dict[int, Access], provenance: Provenance) -> set[int]:
    """The reads of bytes that the same block writes before its epoch may end."""
    seen, found = _Seen(), set[int]()
    for made in reversed(list(block.instructions)):
        access = accesses.get(id(made))
        if access is None:
            if may_release(made):
                seen.forget()
            continue
        place = provenance.place(access.pointer)
        if access.writes:
            seen.add(place, access)
        elif seen.has(place, access):
            found.add(id(made))
    return found
