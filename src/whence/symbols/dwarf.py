"""Debug information, read where an address asks for it.

Of an executable or library only what an address needs is looked at: the first entry of each unit says which
code is the unit's, and of the unit that has the address its functions are listed, once. The entries of a
function then say what was inlined into it there. DWARF 2 to 5; what a compiler has put into files of
its own (``.dwo``), and what several debug files share (``.gnu_debugaltlink``), is read from there.

What a damaged file holds may raise `DwarfError`, `IndexError`, `struct.error` and their like.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from whence.symbols.units import (
    CALL_COLUMN,
    CALL_FILE,
    CALL_LINE,
    COMPILE_UNIT,
    DIRECTORY,
    DWO,
    GNU_DWO,
    NOWHERE,
    SKELETON_UNIT,
    DwarfError,
    Unit,
    holding,
    number,
    raw,
)

_BEGIN = attrgetter("begin")
_PAIR = struct.Struct("<QQ")


class Site(NamedTuple):
    """A function at an address: its linkage name and its own name, where they are known, and the place."""

    linkage: str | None
    name: str | None
    file: str | None
    line: int
    column: int


class Dwarf:
    """The debug information of a file, or of a part of it that has a file of its own."""

    def __init__(
        self,
        section: Callable[[str], bytes],
        alternate: Callable[[], Dwarf | None] = lambda: None,
        split: Callable[[str, str], Dwarf | None] = lambda directory, name: None,
    ) -> None:
        """section: the contents of ``.debug_NAME``. alternate: what several files share. split: what was put
        into a file of its own, by the directory of the compilation and the name there."""
        self._section = section
        self._alternate = alternate
        self._split = split
        self._sections: dict[str, bytes] = {}
        self.info = self.section("info")
        self._found: dict[int, Unit] = {}

    def section(self, name: str) -> bytes:
        found = self._sections.get(name)
        if found is None:
            found = self._sections[name] = self._section(name)
        return found

    @cached_property
    def alternate(self) -> Dwarf | None:
        return self._alternate()

    @cached_property
    def units(self) -> list[Unit]:
        """All units, in the order in which they stand there."""
        found, at = [], 0
        while at < len(self.info):
            unit = self._unit(at)
            found.append(unit)
            at = unit.end
        return found

    def _unit(self, begin: int) -> Unit:
        data = self.info
        size, at, offset_size = number(data, begin, 4), begin + 4, 4
        if size == 0xFFFFFFFF:
            size, at, offset_size = number(data, at, 8), at + 8, 8
        end = at + size
        version = number(data, at, 2)
        at += 2
        if not 2 <= version <= 5 or end > len(data):
            raise DwarfError(f"a unit of version {version}")
        kind = 1
        if version >= 5:
            kind, address_size = data[at], data[at + 1]
            abbreviations = number(data, at + 2, offset_size)
            at += 2 + offset_size
            at += 8 if kind in SKELETON_UNIT else 8 + offset_size if kind in (2, 6) else 0
        else:
            abbreviations, address_size = number(data, at, offset_size), data[at + offset_size]
            at += offset_size + 1
        return Unit(self, begin, end, at, version, kind, address_size, offset_size, abbreviations)

    def unit_of(self, offset: int) -> Unit | None:
        """The unit in which an entry stands."""
        units = self.units
        at = bisect_right(units, offset, key=_BEGIN) - 1
        return units[at] if at >= 0 and offset < units[at].end else None

    @cached_property
    def _code(self) -> list[tuple[int, int, int]]:
        """Begin, end and number of unit of all code, by begin."""
        found = []
        for at, unit in enumerate(self.units):
            if unit.kind in (*COMPILE_UNIT, *SKELETON_UNIT):
                found += [(low, high, at) for low, high in unit.ranges(unit.root)]
        return sorted(found)

    @cached_property
    def _listed_code(self) -> list[tuple[int, int, int]]:
        """Begin, end and offset of unit of code, as far as compilers list it beside the units."""
        data, at, found = self.section("aranges"), 0, []
        while at + 12 <= len(data):
            size, begin, offset_size = number(data, at, 4), at, 4
            at += 4
            if size == 0xFFFFFFFF:
                size, at, offset_size = number(data, at, 8), at + 8, 8
            end, unit = at + size, number(data, at + 2, offset_size)
            if data[at + 2 + offset_size] != 8:
                raise DwarfError("addresses are not 8 bytes wide")
            at += 4 + offset_size
            at += -(at - begin) % 16
            for low, length in _PAIR.iter_unpack(data[at : at + (end - at) // 16 * 16]):
                if low not in NOWHERE:
                    found.append((low, low + length, unit))
            at = end
        return sorted(found)

    def _unit_at(self, address: int) -> Unit | None:
        offset = holding(self._listed_code, address)
        if offset is not None:
            return self.unit_of(offset)
        at = holding(self._code, address)
        return None if at is None else self.units[at]

    def _whole(self, unit: Unit) -> Unit:
        """The unit itself, or the one in a file of its own that it stands for; itself if that is missing."""
        found = self._found.get(unit.begin)
        if found is not None:
            return found
        found = unit
        named = unit.root.get(DWO) or unit.root.get(GNU_DWO)
        if named is not None:
            directory = unit.string(unit.root[DIRECTORY]) if DIRECTORY in unit.root else ""
            file = self._split(directory, unit.string(named))
            if file is not None and file.units:
                found = file.units[0]
                found.skeleton = unit
        self._found[unit.begin] = found
        return found

    def sites(self, address: int) -> list[Site]:
        """The functions at an address, innermost first; empty where nothing is known."""
        unit = self._unit_at(address)
        if unit is None:
            return []
        whole = self._whole(unit)
        at = whole.function_at(address)
        chain = whole.scopes(at, address) if at is not None else []
        lines = unit.lines
        place = lines.find(address) if lines is not None else None
        if not chain:
            return [Site(None, None, *place)] if place else []
        calls = whole.lines if whole is not unit and whole.lines is not None else lines
        found = []
        file, line, column = place or (None, 0, 0)
        for scope in reversed(chain):
            found.append(Site(*whole.names(scope), file, line, column))
            called = raw(scope, CALL_FILE, -1)
            file = calls.file(called) if calls is not None and called >= 0 else None
            line, column = raw(scope, CALL_LINE, 0), raw(scope, CALL_COLUMN, 0)
        return found
