"""Which chains the programs have that the tests of this folder build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle

from tests.hops import cxx, ways
from tests.hops.limits import LIMITS
from tests.hops.making import ALL, Chain, End, Way, dealt

from whence.abi.origins import MOST_HOPS

_FEW = ("vector", "map")
"""The ways through the library of C++ that are in no slow test: instrumenting each takes seconds."""


class _Kit:
    """The births and ends of a language; each next one is another."""

    def __init__(self, births: Mapping[str, Way], ends: Mapping[str, End]) -> None:
        self._births = {type_: cycle([way for way in births.values() if type_ in way.types]) for type_ in ALL}
        self._ends = {type_: cycle([end for end in ends.values() if type_ in end.types]) for type_ in ALL}

    def chain(self, label: str, type_: str, *moves: Way, birth: Way | None = None) -> Chain:
        return Chain(label, type_, birth or next(self._births[type_]), moves, next(self._ends[type_]))

    def alone(self, table: Mapping[str, Way], prefix: str = "") -> Iterator[Chain]:
        """Each way of a table by itself, with values of one of its types."""
        for at, (name, way) in enumerate(table.items()):
            yield self.chain(prefix + name, way.types[at % len(way.types)], way)


def _mixed(kit: _Kit) -> Iterator[Chain]:
    """Long chains of all ways that a type of values can go, but those with known faults."""
    for type_ in ALL:
        fair = {name: way for name, way in ways.WAYS.items() if not (way.wrong or way.misnamed)}
        able = [name for name, way in fair.items() if type_ in way.types]
        for number, names in enumerate(dealt(able, 12, 1)):
            yield kit.chain(f"mixed {type_} {number}", type_, *(ways.WAYS[name] for name in names))


def _born(births: Mapping[str, Way], nulls: Mapping[str, Way], kit: _Kit, null: End) -> Iterator[Chain]:
    """Each birth by itself."""
    for name, birth in births.items():
        for type_ in birth.types:
            yield kit.chain(f"birth {name} {type_}", type_, birth=birth)
    for name, birth in nulls.items():
        yield Chain(f"birth {name}", "pointer", birth, (), null)


def in_c() -> Iterator[Chain]:
    kit = _Kit(ways.BIRTHS, ways.ENDS)
    yield from kit.alone(ways.WAYS)
    yield from _born(ways.BIRTHS, ways.NULLS, kit, ways.NULL_END)
    yield from kit.alone(LIMITS, "limit: ")
    yield from _mixed(kit)
    yield kit.chain("longer than a record", "pointer", *[ways.WAYS["local"]] * (MOST_HOPS + 6))


def clean_in_c() -> Iterator[Chain]:
    """Ways to ends that do no harm."""
    yield from _mixed(_Kit(ways.BIRTHS, ways.CLEAN))


def in_cxx() -> Iterator[Chain]:
    kit = _Kit(cxx.BIRTHS, cxx.ENDS)
    yield from kit.alone(cxx.WAYS)
    yield from kit.alone({name: cxx.LIBRARY[name] for name in _FEW})
    yield from _born(cxx.BIRTHS, cxx.NULLS, kit, cxx.NULL_END)


def in_library() -> Iterator[Chain]:
    kit = _Kit(cxx.BIRTHS, cxx.ENDS)
    yield from kit.alone({name: way for name, way in cxx.LIBRARY.items() if name not in _FEW})
