"""Line tables of DWARF 2 to 5: file, line and column of an address."""

from __future__ import annotations

import os.path
from bisect import bisect_right
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from whence.symbols.leb128 import uleb

_STRING, _LINE_STRP, _STRP = 0x08, 0x1F, 0x0E
_PATH, _DIRECTORY_INDEX = 1, 2
_SIZES = {0x05: 2, 0x06: 4, 0x07: 8, 0x0B: 1, 0x1E: 16}
_DISTANCE = 2048
"""Bytes of a program between rows that are kept."""
_OVERLAPPING = 8
"""So many sequences are looked at, as removed code may have left some at the begin."""
_NOWHERE = frozenset((0, 1, (1 << 64) - 1, (1 << 64) - 2))
"""Begins of code that the linker has removed."""

Place = tuple[str | None, int, int]


class LineTable:
    """The table at an offset of ``.debug_line``; `directory`: where its unit was compiled."""

    def __init__(
        self, data: bytes, at: int, address_size: int, directory: str, strings: tuple[bytes, bytes]
    ) -> None:
        """strings: ``.debug_str`` and ``.debug_line_str``."""
        self._data = data
        self._directory = directory
        self._strings = strings
        self._sequences: list[_Sequence] | None = None
        self._begins: list[int] = []
        self._offset_size = 4
        size = _number(data, at, 4)
        at += 4
        if size == 0xFFFFFFFF:
            size, self._offset_size = _number(data, at, 8), 8
            at += 8
        self._end = at + size
        self._version = _number(data, at, 2)
        at += 2
        if self._version >= 5:
            address_size = data[at]
            at += 2
        self._address_size = address_size
        header = _number(data, at, self._offset_size)
        at += self._offset_size
        self._program = at + header
        self._least = data[at]
        at += 1 if self._version < 4 else 2
        self._base = data[at + 1] - 256 if data[at + 1] >= 128 else data[at + 1]
        self._range, self._first = data[at + 2], data[at + 3]
        at += 4
        self._lengths = data[at : at + self._first - 1]
        at += self._first - 1
        self._directories: list[str] = []
        self._files: list[tuple[str, int]] = []
        if self._version >= 5:
            self._directories = [name for name, _ in self._entries(at)[0]]
            self._files = self._entries(self._entries(at)[1])[0]
        else:
            self._read_old(at)

    def _entries(self, at: int) -> tuple[list[tuple[str, int]], int]:
        """Names with the numbers of their directories, as version 5 has them, and where they end."""
        data = self._data
        count = data[at]
        at += 1
        formats = []
        for _ in range(count):
            content, at = uleb(data, at)
            form, at = uleb(data, at)
            formats.append((content, form))
        total, at = uleb(data, at)
        found: list[tuple[str, int]] = []
        for _ in range(total if formats else 0):
            name, directory = "", 0
            for content, form in formats:
                value: int | str
                value, at = self._value(form, at)
                if content == _PATH and isinstance(value, str):
                    name = value
                elif content == _DIRECTORY_INDEX and isinstance(value, int):
                    directory = value
            found.append((name, directory))
        return found, at

    def _value(self, form: int, at: int) -> tuple[int | str, int]:
        data = self._data
        if form == _STRING:
            end = data.index(b"\0", at)
            return os.fsdecode(data[at:end]), end + 1
        if form in (_LINE_STRP, _STRP):
            strings = self._strings[form == _LINE_STRP]
            place = _number(data, at, self._offset_size)
            return os.fsdecode(strings[place : strings.index(b"\0", place)]), at + self._offset_size
        if form == 0x0F:
            return uleb(data, at)
        if form == 0x09:
            size, at = uleb(data, at)
            return 0, at + size
        size = _SIZES[form]
        return _number(data, at, size), at + size

    def _read_old(self, at: int) -> None:
        """The tables of versions 2 to 4, which count from 1; 0 is the directory of the compilation."""
        data = self._data
        self._directories = [self._directory]
        while data[at]:
            end = data.index(b"\0", at)
            self._directories.append(os.fsdecode(data[at:end]))
            at = end + 1
        self._files = [("", 0)]
        at += 1
        while data[at]:
            end = data.index(b"\0", at)
            name = os.fsdecode(data[at:end])
            directory, at = uleb(data, end + 1)
            _, at = uleb(data, at)
            _, at = uleb(data, at)
            self._files.append((name, directory))

    def file(self, number: int) -> str | None:
        """The path of a file of the table, absolute if that is known."""
        if not 0 <= number < len(self._files) or not self._files[number][0]:
            return None
        name, directory = self._files[number]
        # The first one is that of the compilation.
        folder = self._directories[directory] if 0 < directory < len(self._directories) else ""
        return os.path.normpath(os.path.join(self._directory, folder, name))

    def find(self, address: int) -> Place | None:
        """The place of an address; of several rows for it the last one counts."""
        if self._sequences is None:
            self._walk(_Row(self._program, 0, 1, 1, 0), None)
        sequences = self._sequences or []
        at = bisect_right(self._begins, address)
        for sequence in sequences[max(at - _OVERLAPPING, 0) : at][::-1]:
            if address < sequence.end:
                rows = sequence.rows
                begin = rows[bisect_right(rows, address, key=_ADDRESS) - 1]
                row = self._walk(begin, address)
                return self.file(row.file), row.line, row.column
        return None

    def _walk(self, row: _Row, target: int | None) -> _Row:
        """Carries the program out behind a row, up to the last row that begins at or before `target`.

        None: all of it, for the sequences, of which it keeps a row now and then.
        """
        data, end, size, first = self._data, min(self._end, len(self._data)), self._address_size, self._first
        by_code, lines = self._special
        at, address, file, line, column = row
        mark = 0  # where a row is looked at next
        rows: list[_Row] = []
        found: list[_Sequence] = []
        while at < end:
            code = data[at]
            at += 1
            if code >= first or code == 1:
                if code != 1:
                    address += by_code[code]
                    line += lines[code]
                if at > mark:
                    made = _Row(at, address, file, line, column)
                    if target is None:
                        rows.append(made)
                        mark = at + _DISTANCE
                    elif address > target:
                        return row
                    else:
                        row = made
            elif code == 5:
                column = data[at]
                at += 1
                if column >= 0x80:
                    column, at = uleb(data, at - 1)
            elif code == 3:
                by = data[at]
                at += 1
                if by >= 0x80:
                    begin = at - 1
                    by, at = uleb(data, begin)
                    line += by - (1 << 7 * (at - begin)) if data[at - 1] & 0x40 else by
                else:
                    line += by - 0x80 if by & 0x40 else by
            elif code == 2:
                by, at = uleb(data, at)
                address += by * self._least
            elif code == 4:
                file, at = uleb(data, at)
            elif code == 8:
                address += by_code[255]
            elif code == 9:
                address += _number(data, at, 2)
                at += 2
            elif code == 0:
                length, at = uleb(data, at)
                kind = data[at]
                if kind == 1:
                    if target is not None:
                        return row
                    if rows and rows[0].address not in _NOWHERE and rows[0].address < address:
                        found.append(_Sequence(rows, address))
                    address, file, line, column = 0, 1, 1, 0
                    rows, mark = [], 0
                elif kind == 2:
                    address = _number(data, at + 1, size)
                at += length
            else:
                for _ in range(self._lengths[code - 1]):
                    _, at = uleb(data, at)
        if target is None:
            self._sequences = sorted(found, key=lambda each: each.rows[0].address)
            self._begins = [each.rows[0].address for each in self._sequences]
        return row

    @cached_property
    def _special(self) -> tuple[list[int], list[int]]:
        """By how much the codes that make a row move address and line."""
        codes = range(256)
        return (
            [max(code - self._first, 0) // self._range * self._least for code in codes],
            [self._base + max(code - self._first, 0) % self._range for code in codes],
        )


class _Row(NamedTuple):
    """A row, and where the program goes on behind it."""

    at: int
    address: int
    file: int
    line: int
    column: int


class _Sequence(NamedTuple):
    """Some rows in the order of their addresses, with the first one; the last row goes to `end`."""

    rows: list[_Row]
    end: int


_ADDRESS = attrgetter("address")


def _number(data: bytes, at: int, size: int) -> int:
    if at < 0 or at + size > len(data):
        raise IndexError("an offset lies outside of the table of lines")
    return int.from_bytes(data[at : at + size], "little")
