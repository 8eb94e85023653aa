"""A unit of debug information: its entries, the forms of their attributes, its ranges, functions and scopes.

What a damaged file holds may raise `DwarfError`, `IndexError`, `struct.error` and their like.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

from whence.symbols.leb128 import sleb, uleb
from whence.symbols.lines import LineTable

COMPILE_UNIT, SKELETON_UNIT = (1, 3), (4, 5)
_LEXICAL_BLOCK, _COMPILE, _INLINED, _SUBPROGRAM, _CATCH, _TRY, _SKELETON = (
    *(0x0B, 0x11, 0x1D, 0x2E, 0x25, 0x32),
    0x4A,
)
_SCOPES = frozenset((_LEXICAL_BLOCK, _INLINED, _CATCH, _TRY, _SUBPROGRAM))
_AROUND_FUNCTIONS = frozenset((0x39, 0x1E, _COMPILE, 0x3C, _SKELETON))
"""Entries among whose children compilers put code: namespaces, modules, units. Those of a class declare."""
_SIBLING, _NAME, _STMT_LIST, _LOW, _HIGH, DIRECTORY = 0x01, 0x03, 0x10, 0x11, 0x12, 0x1B
_ORIGIN, _SPECIFICATION, _RANGES = 0x31, 0x47, 0x55
CALL_COLUMN, CALL_FILE, CALL_LINE = 0x57, 0x58, 0x59
_LINKAGE, _OLD_LINKAGE = 0x6E, 0x2007
_STR_BASE, _ADDR_BASE, _RANGES_BASE, DWO = 0x72, 0x73, 0x74, 0x76
GNU_DWO, _GNU_RANGES_BASE, _GNU_ADDR_BASE = 0x2130, 0x2132, 0x2133

_FIXED = {
    **dict.fromkeys((0x19, 0x21), 0),
    **dict.fromkeys((0x0B, 0x0C, 0x11, 0x25, 0x29), 1),
    **dict.fromkeys((0x05, 0x12, 0x26, 0x2A), 2),
    **dict.fromkeys((0x27, 0x2B), 3),
    **dict.fromkeys((0x06, 0x13, 0x1C, 0x28, 0x2C), 4),
    **dict.fromkeys((0x07, 0x14, 0x20, 0x24), 8),
    0x1E: 16,
}
"""Sizes of forms; 0x21 (implicit) is in the abbreviation."""
_OF_OFFSETS = frozenset((0x0E, 0x17, 0x1D, 0x1F, 0x1F20, 0x1F21))
_LEB = frozenset((0x0D, 0x0F, 0x15, 0x1A, 0x1B, 0x22, 0x23, 0x1F01, 0x1F02))
_BLOCKS = {0x0A: 1, 0x03: 2, 0x04: 4, 0x09: 0, 0x18: 0}
"""Sizes of the length before the bytes; 0: a number of variable length."""
_SIGNED, _ADDRESS, _REF_ADDR, _STRING, _INDIRECT, _IMPLICIT = 0x0D, 0x01, 0x10, 0x08, 0x16, 0x21
_UNIT_REFERENCES = frozenset((0x11, 0x12, 0x13, 0x14, 0x15))
_ADDRESS_INDICES = frozenset((0x1B, 0x29, 0x2A, 0x2B, 0x2C, 0x1F01))
_STRING_INDICES = frozenset((0x1A, 0x25, 0x26, 0x27, 0x28, 0x1F02))
_ALTERNATE = frozenset((0x1C, 0x24, 0x1F20))
_MOST_REFERENCES = 32
_OVERLAPPING = 8
"""So many functions are looked at that begin before an address; most follow each other."""
NOWHERE = frozenset((0, 1, (1 << 64) - 1, (1 << 64) - 2, (1 << 32) - 1))
"""What linkers write for the begin of code that they have removed."""


class DwarfError(Exception):
    """The debug information is damaged, or of a kind that is not known."""


def number(data: bytes, at: int, size: int) -> int:
    """An unsigned number of `size` bytes; raises `DwarfError` behind the end."""
    if at < 0 or at + size > len(data):
        raise DwarfError("an offset lies outside of its section")
    return int.from_bytes(data[at : at + size], "little")


def text(data: bytes, at: int) -> str:
    """The string at an offset."""
    end = data.find(b"\0", at)
    if end < 0 or at < 0:
        raise DwarfError("a string has no end")
    return os.fsdecode(data[at:end])


class Value(NamedTuple):
    """An attribute as it stands there: what it means depends on its form."""

    form: int
    raw: int | bytes


Attributes = dict[int, Value]


class Abbreviation:
    """The shape of entries: `steps` are the sizes of runs of bytes, and between them forms of other sizes."""

    __slots__ = ("attributes", "has_code", "has_sibling", "steps", "tag", "with_children")

    def __init__(
        self, tag: int, with_children: bool, attributes: list[tuple[int, int, int]], unit: Unit
    ) -> None:
        self.tag = tag
        self.with_children = with_children
        self.attributes = attributes
        names = {name for name, _, _ in attributes}
        self.has_sibling = _SIBLING in names
        self.has_code = bool(names & {_LOW, _RANGES})
        self.steps: list[tuple[int, int]] = []
        run = 0
        for _, form, _ in attributes:
            size = unit.size_of(form)
            if size is None:
                self.steps.append((run, form))
                run = 0
            else:
                run += size
        self.steps.append((run, 0))


class File(Protocol):
    """What a unit needs to know of the file that it stands in. info: the contents of ``.debug_info``."""

    info: bytes

    def section(self, name: str) -> bytes:
        """The contents of ``.debug_NAME``."""

    def unit_of(self, offset: int) -> Unit | None:
        """The unit in which an entry stands."""

    @property
    def alternate(self) -> File | None:
        """What several files share."""


@dataclass
class Unit:
    """A unit of ``.debug_info``: `begin` and `end` of all of it, `first` is the offset of its first entry."""

    file: File
    begin: int
    end: int
    first: int
    version: int
    kind: int
    address_size: int
    offset_size: int
    abbreviations_at: int
    skeleton: Unit | None = None
    str_base: int = 0
    addr_base: int = 0
    ranges_base: int = 0
    low: int = 0
    _shapes: dict[int, Abbreviation] = field(default_factory=dict, repr=False)
    _listed: list[tuple[int, int, int]] | None = field(default=None, repr=False)
    _all_listed: list[tuple[int, int, int]] | None = field(default=None, repr=False)

    # ---- forms ----

    def size_of(self, form: int) -> int | None:
        """The bytes of a form, None where they vary."""
        size = _FIXED.get(form)
        if size is not None:
            return size
        if form in _OF_OFFSETS:
            return self.offset_size
        if form == _ADDRESS:
            return self.address_size
        if form == _REF_ADDR:
            return self.address_size if self.version == 2 else self.offset_size
        return None

    def _skip(self, form: int, at: int) -> int:
        """The end of a value whose size varies."""
        data = self.file.info
        if form in _LEB:
            while data[at] >= 0x80:
                at += 1
            return at + 1
        if form in _BLOCKS:
            width = _BLOCKS[form]
            size, at = uleb(data, at) if not width else (number(data, at, width), at + width)
            return at + size
        if form == _STRING:
            return data.index(b"\0", at) + 1
        if form == _INDIRECT:
            form, at = uleb(data, at)
            fixed = self.size_of(form)
            return at + fixed if fixed is not None else self._skip(form, at)
        raise DwarfError(f"form {form:#x} is not known")

    def _value(self, form: int, implicit: int, at: int) -> tuple[Value, int]:
        data = self.file.info
        if form == _IMPLICIT:
            return Value(form, implicit), at
        if form == _INDIRECT:
            form, at = uleb(data, at)
        size = self.size_of(form)
        if size is not None:
            return Value(form, number(data, at, size)), at + size
        if form == _SIGNED:
            found, at = sleb(data, at)
            return Value(form, found), at
        if form in _LEB:
            found, at = uleb(data, at)
            return Value(form, found), at
        end = self._skip(form, at)
        return Value(form, data[at : end - 1] if form == _STRING else b""), end

    def shape(self, code: int) -> Abbreviation:
        """The abbreviation of a code. They are read as far as is needed: of most units only the first."""
        found = self._shapes.get(code)
        data, at = self.file.section("abbrev"), self.abbreviations_at
        while found is None:
            own, at = uleb(data, at)
            if own == 0:
                raise DwarfError("an entry has no abbreviation")
            tag, at = uleb(data, at)
            with_children = data[at] != 0
            at += 1
            attributes = []
            while True:
                name, at = uleb(data, at)
                form, at = uleb(data, at)
                implicit = 0
                if form == _IMPLICIT:
                    implicit, at = sleb(data, at)
                if not name and not form:
                    break
                attributes.append((name, form, implicit))
            made = self._shapes[own] = Abbreviation(tag, with_children, attributes, self)
            self.abbreviations_at = at
            found = made if own == code else None
        return found

    # ---- entries ----

    def entry(self, at: int) -> tuple[Abbreviation | None, int]:
        """The abbreviation of an entry, None for the end of children, and where its values begin."""
        code, at = uleb(self.file.info, at)
        if code == 0:
            return None, at
        return self.shape(code), at

    def attributes(self, shape: Abbreviation, at: int) -> tuple[Attributes, int]:
        """The values of an entry, and where they end."""
        found: Attributes = {}
        for name, form, implicit in shape.attributes:
            found[name], at = self._value(form, implicit, at)
        return found, at

    def behind(self, shape: Abbreviation, at: int) -> int:
        """Where the values of an entry end."""
        for run, form in shape.steps:
            at += run
            if form:
                at = self._skip(form, at)
        return at

    @cached_property
    def root(self) -> Attributes:
        """The values of the first entry; they say where other sections have what is the unit's."""
        shape, at = self.entry(self.first)
        if shape is None:
            return {}
        found, _ = self.attributes(shape, at)
        header = 2 * self.offset_size
        outer = self.skeleton
        if outer is not None:
            outer.root  # noqa: B018  (it sets what is the unit's)
            self.addr_base, self.low = outer.addr_base, outer.low
            self.str_base = header if self.version >= 5 else 0
            self.ranges_base = header + 4 if self.version >= 5 else outer.ranges_base
        self.str_base = raw(found, _STR_BASE, self.str_base)
        self.addr_base = raw(found, _ADDR_BASE, raw(found, _GNU_ADDR_BASE, self.addr_base))
        self.ranges_base = raw(found, _RANGES_BASE, raw(found, _GNU_RANGES_BASE, self.ranges_base))
        if _LOW in found:
            self.low = self._address(found[_LOW])
        return found

    # ---- meanings ----

    def string(self, value: Value) -> str:
        form, raw = value
        if isinstance(raw, bytes):
            return os.fsdecode(raw)
        file = self.file
        if form in _STRING_INDICES:
            at = self.str_base + raw * self.offset_size
            return text(file.section("str"), number(file.section("str_offsets"), at, self.offset_size))
        if form in (0x1D, 0x1F21):
            if file.alternate is None:
                raise DwarfError("the file with shared debug information is missing")
            return text(file.alternate.section("str"), raw)
        return text(file.section("line_str" if form == 0x1F else "str"), raw)

    def _indexed(self, index: int) -> int:
        file = (self.skeleton or self).file
        return number(file.section("addr"), self.addr_base + index * self.address_size, self.address_size)

    def _address(self, value: Value) -> int:
        form, raw = value
        assert isinstance(raw, int)
        return self._indexed(raw) if form in _ADDRESS_INDICES else raw

    def ranges(self, found: Attributes) -> list[tuple[int, int]]:
        """The code of an entry, as begins and ends."""
        if _RANGES in found:
            return [(low, high) for low, high in self._listed_ranges(found[_RANGES]) if low < high]
        if _LOW not in found or _HIGH not in found:
            return []
        low, high = self._address(found[_LOW]), found[_HIGH]
        is_address = high.form == _ADDRESS or high.form in _ADDRESS_INDICES
        end = self._address(high) if is_address else low + _integer(high)
        return [(low, end)] if low not in NOWHERE and low < end else []

    def _listed_ranges(self, value: Value) -> Iterator[tuple[int, int]]:
        at = _integer(value)
        if self.version < 5:
            # Only lists of units in files of their own are counted from the base of their skeleton.
            return self._old_ranges(at + (self.ranges_base if self.skeleton is not None else 0))
        data = self.file.section("rnglists")
        if value.form == 0x23:
            at = self.ranges_base + number(data, self.ranges_base + at * self.offset_size, self.offset_size)
        return self._new_ranges(data, at)

    def _old_ranges(self, at: int) -> Iterator[tuple[int, int]]:
        data, size, base = (self.skeleton or self).file.section("ranges"), self.address_size, self.low
        top = (1 << 8 * size) - 1
        while True:
            low, high = number(data, at, size), number(data, at + size, size)
            at += 2 * size
            if low == top:
                base = high
            elif low == high == 0:
                return
            elif base + low not in NOWHERE:
                yield base + low, base + high

    def _new_ranges(self, data: bytes, at: int) -> Iterator[tuple[int, int]]:
        size, base = self.address_size, self.low
        while True:
            kind = data[at]
            at += 1
            if kind == 0:
                return
            if kind == 5:
                base, at = number(data, at, size), at + size
                continue
            if kind in (6, 7):
                low, at = number(data, at, size), at + size
            else:
                low, at = uleb(data, at)
            if kind == 1:
                base = self._indexed(low)
                continue
            if kind == 6:
                high, at = number(data, at, size), at + size
            else:
                high, at = uleb(data, at)
            if kind == 4:
                low, high = base + low, base + high
                if base in NOWHERE and base:
                    continue
            elif kind in (2, 3):
                low = self._indexed(low)
                high = self._indexed(high) if kind == 2 else low + high
            elif kind == 7:
                high += low
            elif kind != 6:
                raise DwarfError(f"an entry of kind {kind} in a list of ranges")
            if low not in NOWHERE:
                yield low, high

    # ---- functions ----

    def function_at(self, address: int) -> int | None:
        """The offset of the entry of the function that has the address."""
        if self._listed is None:
            self._listed = sorted(self._functions(False))
        found = holding(self._listed, address)
        if found is None:
            if self._all_listed is None:
                self._all_listed = sorted(self._functions(True))
            found = holding(self._all_listed, address)
        return found

    def _functions(self, nested: bool) -> Iterator[tuple[int, int, int]]:
        """Begin, end and offset of all functions; those within others only if `nested`."""
        self.root  # noqa: B018  (it sets what ranges need)
        data, shapes, at, end = self.file.info, self._shapes, self.first, self.end
        while at < end:
            begin = at
            code = data[at]
            at += 1
            if code == 0:
                continue
            if code >= 0x80:
                code, at = uleb(data, begin)
            shape = shapes.get(code) or self.shape(code)
            if shape.tag == _SUBPROGRAM and shape.has_code:
                found, at = self.attributes(shape, at)
                for low, high in self.ranges(found):
                    yield low, high, begin
                if not nested and shape.has_sibling:
                    at = self._sibling(found, at)
            elif shape.has_sibling and shape.tag not in _AROUND_FUNCTIONS and not nested:
                found, at = self.attributes(shape, at)
                at = self._sibling(found, at)
            else:
                for run, form in shape.steps:
                    at += run
                    if form:
                        at = self._skip(form, at)

    def _sibling(self, found: Attributes, at: int) -> int:
        """Where the next entry begins that is not a child; never before `at`."""
        value = found[_SIBLING]
        return max(at, self.begin + _integer(value)) if value.form in _UNIT_REFERENCES else at

    def scopes(self, at: int, address: int) -> list[Attributes]:
        """The function at an offset and what was inlined into it at an address, outermost first."""
        shape, at = self.entry(at)
        if shape is None:
            return []
        found, at = self.attributes(shape, at)
        chain = [found]
        if not shape.with_children:
            return chain
        depth, left = 1, 0  # left: entries from this depth on are not in the scope; 0: they are
        while depth and at < self.end:
            shape, at = self.entry(at)
            if shape is None:
                depth -= 1
                if depth < left:
                    left = 0
                continue
            is_scope = shape.tag in _SCOPES and not left
            if is_scope or (shape.has_sibling and not left):
                found, at = self.attributes(shape, at)
            else:
                at = self.behind(shape, at)
            inside = is_scope and (not shape.has_code or any(a <= address < b for a, b in self.ranges(found)))
            if inside and shape.tag == _INLINED:
                chain.append(found)
            if not shape.with_children:
                continue
            if not inside and not left:
                if shape.has_sibling and self._sibling(found, at) > at:
                    at = self._sibling(found, at)
                    continue
                left = depth + 1
            depth += 1
        return chain

    def names(self, found: Attributes) -> tuple[str | None, str | None]:
        """The linkage name and the name of a function, which the entries that it goes back to may have."""
        unit, linkage, name = self, None, None
        for _ in range(_MOST_REFERENCES):
            for key in (_LINKAGE, _OLD_LINKAGE):
                if linkage is None and key in found:
                    linkage = unit.string(found[key])
            if name is None and _NAME in found:
                name = unit.string(found[_NAME])
            value = found.get(_ORIGIN) or found.get(_SPECIFICATION)
            if value is None or (linkage and name):
                break
            target = unit._referred(value)
            if target is None:
                break
            unit, at = target
            shape, at = unit.entry(at)
            if shape is None:
                break
            unit.root  # noqa: B018  (it sets what strings need)
            found, _ = unit.attributes(shape, at)
        return linkage, name

    def _referred(self, value: Value) -> tuple[Unit, int] | None:
        form, offset = value.form, _integer(value)
        if form in _UNIT_REFERENCES:
            return self, self.begin + offset
        if form == _REF_ADDR:
            unit = self.file.unit_of(offset)
        elif form in _ALTERNATE and self.file.alternate is not None:
            unit = self.file.alternate.unit_of(offset)
        else:
            return None
        return None if unit is None else (unit, offset)

    # ---- lines ----

    @cached_property
    def lines(self) -> LineTable | None:
        """The lines of the unit's code."""
        value = self.root.get(_STMT_LIST)
        data = self.file.section("line")
        if value is None or not data:
            return None
        root = (self.skeleton or self).root
        directory = (self.skeleton or self).string(root[DIRECTORY]) if DIRECTORY in root else ""
        strings = (self.file.section("str"), self.file.section("line_str"))
        return LineTable(data, _integer(value), self.address_size, directory, strings)


def raw(found: Attributes, name: int, otherwise: int) -> int:
    return _integer(found[name]) if name in found else otherwise


def _integer(value: Value) -> int:
    if not isinstance(value.raw, int):
        raise DwarfError("a number is none")
    return value.raw


def holding(functions: list[tuple[int, int, int]], address: int) -> int | None:
    """The one that begins last of those that hold an address; of equal ones the first."""
    at = bisect_right(functions, (address, 1 << 64, 0)) - 1
    for place in range(at, max(at - _OVERLAPPING, -1), -1):
        low, high, offset = functions[place]
        if low <= address < high:
            while place and functions[place - 1][:2] == (low, high):
                place -= 1
                offset = functions[place][2]
            return offset
    return None
