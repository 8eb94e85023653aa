"""What rules are evaluated on: the trace and the blocks of one moment, and the step about to be made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from whence.rules import model as m
from whence.rules.arithmetic import integer
from whence.rules.vocabulary import EVENTS, POINTER_DOMAINS


@dataclass(frozen=True)
class Event:
    """One event of the trace; fields in the order of `vocabulary.EVENTS`, functions by name.

    Of those that patterns may leave out, a world knows any number; the others are undefined.
    """

    time: int
    kind: str
    fields: tuple[int | str, ...]


@dataclass(frozen=True)
class World:
    """A state of the abstract machine, as far as rules see it.

    `trace` in order of time; `begins`: block id -> address; `pointers`: the
    map P as (pointer, block id, index); `lost` likewise L; `find`: the block of an address (None:
    no block), for pointers whose derivation is not known; `load`: the word of
    1, 2, 4 or 8 bytes at an address, None where not all are addressable;
    `families`: block id -> one of `records.FAMILIES` (0 if absent); `aligns`: block
    id -> alignment that operator new was given (0 if absent); `kind`: one of
    `records.KINDS` for an address; `labels`: the value of one of `vocabulary.LABEL_FUNCTIONS`.
    """

    trace: tuple[Event, ...] = ()
    begins: Mapping[int, int] = field(default_factory=dict)
    pointers: frozenset[tuple[int, int, int]] = frozenset()
    find: Callable[[int], int | None] = lambda address: None
    load: Callable[[int, int], int | None] = lambda address, width: None
    lost: frozenset[tuple[int, int, int]] = frozenset()
    families: Mapping[int, int] = field(default_factory=dict)
    kind: Callable[[int], int] = lambda address: 0
    aligns: Mapping[int, int] = field(default_factory=dict)
    labels: Callable[..., int] = lambda function, *arguments: 0

    by_block: ClassVar[bool] = False
    """Whether `elements` makes use of `block`."""

    def _events(self, kind: str) -> list[Event]:
        return [event for event in self.trace if event.kind == kind]

    @property
    def sizes(self) -> dict[int, int]:
        """Block id -> bytes requested."""
        return {integer(bid): integer(n) for n, bid in (e.fields for e in self._events("malloc"))}

    @property
    def times(self) -> dict[int, int]:
        """Block id -> time of its allocation."""
        return {integer(event.fields[1]): event.time for event in self._events("malloc")}

    @property
    def freed(self) -> set[int]:
        """F."""
        return {integer(event.fields[1]) for event in self._events("free")}

    @property
    def live(self) -> set[int]:
        """Dom(H)."""
        return set(self.times) - self.freed

    def elements(
        self, pattern: m.Pattern, domain: str, block: int | None = None
    ) -> Iterator[tuple[int | str, ...]]:
        """What the pattern is matched with, as tuples in the order of its items; newest events first.

        With `block`, events about other blocks may be left out.
        """
        if isinstance(pattern, m.EventPattern):
            yield from ((e.time, *e.fields) for e in reversed(self._events(pattern.event)))
        elif domain in POINTER_DOMAINS:
            yield from sorted(self.pointers if domain == "P" else self.lost)
        else:
            yield from ((bid,) for bid in sorted(self.live if domain == "H" else self.freed))


@dataclass(frozen=True)
class Redex:
    """The step about to be made: a point code, its values in the order of the point's slots, Bid(r).

    `block` is None where r was derived from no known block; `root` is None
    where it is not visible what r was derived from; `closed` counts the
    accessed bytes that the program has made inaccessible; `family` is that of
    the function that frees or allocates; `given_size` and `given_align` are the
    arguments of the function that frees, in bytes: None and 0 if it has none.
    """

    code: str
    values: tuple[int | str, ...]
    block: int | None = None
    width: int = 0
    now: int = 0
    root: int | None = None
    closed: int = 0
    family: int = 0
    given_size: int | None = None
    given_align: int = 0

    def given(self, name: str) -> int | None:
        """The value of a constant that depends on the step; None where it is undefined."""
        if name == "Root":
            return integer(self.values[0]) if self.root is None else self.root
        known = {
            "Width": self.width,
            "Now": self.now,
            "Closed": self.closed,
            "By": self.family,
            "GivenSize": self.given_size,
            "GivenAlign": self.given_align,
        }
        return known[name]


def event(time: int, kind: str, *fields: int | str) -> Event:
    """An event; raises `ValueError` if the kind does not have so many fields."""
    least = len(EVENTS[kind].slots)
    if not least <= len(fields) <= least + len(EVENTS[kind].more):
        raise ValueError(f"event '{kind}' has {least} fields, not {len(fields)}")
    return Event(time, kind, fields)
