"""Value propagation chains: the origin of a value (section 2.1 of the ISMM 2013 paper).

A value that was read from r at time k comes from the last write to r before k,
and that write records the origin of the value it wrote. A chain follows these
origins back to gen, to a global symbol, or to the initial contents of memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from whence.machine.state import CopyEvent, Event, MallocEvent, State, WriteEvent
from whence.machine.syntax import Literal
from whence.machine.undefined import undefined_bits
from whence.machine.values import GLOBAL, FromGlobal, FromMemory, Gen, Origin, Pointer, Value
from whence.rules.problems import NOWHERE, Place


@dataclass(frozen=True)
class Link:
    """One step of a chain, newest first.

    `kind`: `read` and `write` (of `pointer`), `copy` (to `pointer`), or the
    last link: `gen` (computed at `time`), `malloc` (returned at `time`),
    `written` (a constant of the program), `global` (the symbol `name`),
    `initial` (the initial contents of a global or of a zeroed block),
    `unwritten` (memory that was never written), `unknown`
    (the trace of a state that was not reached by a run lacks the write).
    """

    kind: str
    time: int | None = None
    pointer: Pointer | None = None
    name: str = ""
    place: Place = NOWHERE


@dataclass(frozen=True)
class Chain:
    """The value of a traced term, with its links, newest first; `value` is None for a computed number."""

    term: str
    number: int
    value: Value | None
    links: tuple[Link, ...]

    @property
    def copies(self) -> int:
        """The number of links that wrote the value to memory."""
        return sum(link.kind in ("write", "copy") for link in self.links)


def links(state: State, literal: Literal) -> tuple[Link, ...]:
    """The chain of a value that is in the redex now, or in an event of the trace."""
    found = tuple(_links(state, literal.origin, literal.place))
    if found and found[-1].kind == "initial" and undefined_bits(literal.value):
        return (*found[:-1], replace(found[-1], kind="unwritten"))
    return found


def _links(state: State, origin: Origin, place: Place) -> Iterator[Link]:
    events = iter(state.trace)
    while True:
        match origin:
            case Gen(time=None):
                yield Link("written", place=place)
                return
            case Gen():
                yield _birth(state, origin)
                return
            case FromGlobal(name=name):
                yield Link("global", name=name)
                return
            case FromMemory(pointer=pointer, time=time):
                yield Link("read", time, pointer, place=origin.place)
                found = _last_write(events, origin)
                if found is None:
                    yield _unwritten(state, pointer)
                    return
                if isinstance(found, WriteEvent):
                    yield Link("write", found.time, _pointer(found.pointer), place=found.place)
                    origin, place = found.value.origin, found.place
                else:
                    assert isinstance(found, CopyEvent)
                    yield Link("copy", found.time, _pointer(found.pointer), place=found.place)
                    origin = _copied(found, origin)


def _pointer(literal: Literal) -> Pointer:
    assert isinstance(literal.value, Pointer)
    return literal.value


def _birth(state: State, origin: Gen) -> Link:
    for event in state.trace.of_kind(MallocEvent):
        if event.time == origin.time:
            assert isinstance(event, MallocEvent)
            return Link("malloc", event.time, Pointer(event.block), place=event.place)
    return Link("gen", origin.time, place=origin.place)


def _last_write(events: Iterator[Event], origin: FromMemory) -> Event | None:
    """The last write to some of the bytes before the read; consumes `events`, newest first, up to it."""
    for event in events:
        if event.time >= origin.time:
            continue
        if isinstance(event, WriteEvent) and _touches(event.pointer, event.width, origin):
            return event
        if isinstance(event, CopyEvent) and _touches(event.pointer, event.count, origin):
            return event
    return None


def _touches(to: Literal, width: int, origin: FromMemory) -> bool:
    pointer = _pointer(to)
    begin = origin.pointer.index
    return (
        pointer.block == origin.pointer.block
        and pointer.index < begin + origin.width
        and begin < pointer.index + width
    )


def _copied(event: CopyEvent, origin: FromMemory) -> FromMemory:
    distance = origin.pointer.index - _pointer(event.pointer).index
    return FromMemory(_pointer(event.source).moved(distance), origin.width, event.time)


def _unwritten(state: State, pointer: Pointer) -> Link:
    """The last link of a value that no event wrote: initial contents."""
    allocated = (event.block for event in state.trace.of_kind(MallocEvent) if isinstance(event, MallocEvent))
    known = pointer.block.kind == GLOBAL or pointer.block in allocated
    return Link("initial" if known else "unknown", pointer=pointer)
