"""The lines of a program that have code, which of them some bytes of the program stand for, and how control
goes from one to the next: what the tables of its image say."""

from __future__ import annotations

import json
import os.path
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from whence.abi.symbolic import COVERED_SECTION, LINES_HEAD, LINES_SECTION
from whence.errors import ToolLimit
from whence.exploring.flow import Graph
from whence.symbols.elf import Elf

Lines = Mapping[str, set[int]]
"""Lines by files."""

_HEAD = struct.Struct(LINES_HEAD)
_ALIGN = 8
_BROKEN = (ValueError, KeyError, TypeError, IndexError, AttributeError, struct.error, RecursionError)
"""What reading a broken table raises."""


class ProgramLines:
    """Those of an image (`whence.abi.symbolic`). size: of the bytes that its lines have."""

    def __init__(self, image: Path) -> None:
        self._image = image
        self._data, self._address, self._begin, self.size = b"", 0, 0, 0
        with open(image, "rb") as file:
            elf = Elf(file.fileno())
            covered, tables = elf.section(COVERED_SECTION), elf.section(LINES_SECTION)
            if covered is not None and tables is not None:
                self._data, self._address = elf.data(tables), tables.address
                self._begin, self.size = covered.address, covered.size

    @cached_property
    def _tables(self) -> list[tuple[int, dict[str, Any]]]:
        """Each with the offset of its module's first byte; raises `ToolLimit`."""
        try:
            return list(read_tables(self._data, self._address - self._begin))
        except _BROKEN as error:
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> ToolLimit:
        return ToolLimit(f"{self._image}: its table of lines cannot be read: {error or type(error).__name__}")

    @cached_property
    def _places(self) -> dict[int, tuple[str, int]]:
        """The file and line of each byte, by its offset."""
        places: dict[int, tuple[str, int]] = {}
        try:
            for first, table in self._tables:
                files = [os.path.normpath(name) for name in table["files"]]
                if not 0 <= first <= first + len(table["lines"]) <= self.size:
                    raise ValueError(f"{len(table['lines'])} bytes from {first} of {self.size}")
                for number, (file, line) in enumerate(table["lines"], first):
                    places[number] = files[file], int(line)
        except _BROKEN as error:
            raise self._broken(error) from error
        return places

    def graph(self) -> Graph | None:
        """The control flow; None without tables."""
        try:
            return Graph(self._tables) if self._tables else None
        except _BROKEN as error:
            raise self._broken(error) from error

    def all(self) -> Lines:
        """All lines."""
        return _by_files(self._places.values())

    def of(self, covered: int) -> Lines:
        """The lines of some bytes, those that are 1 of a little-endian number.

        Bytes between those of modules have no lines; a wild pointer of a path may have set them.
        """
        return _by_files(self._places[at] for at in ones(covered) if at in self._places)

    def bytes_of(self, lines: Mapping[str, Iterable[int]]) -> int:
        """All bytes of some lines, as `of` takes them."""
        wanted = {(file, line) for file, numbers in lines.items() for line in numbers}
        data = bytearray(self.size)
        for at, place in self._places.items():
            data[at] = place in wanted
        return int.from_bytes(data, "little")


def ones(covered: int) -> Iterator[int]:
    """The bytes of a little-endian number that are 1."""
    data = covered.to_bytes((covered.bit_length() + 7) // 8, "little")
    at = data.find(1)
    while at >= 0:
        yield at
        at = data.find(1, at + 1)


def read_tables(data: bytes, distance: int) -> Iterable[tuple[int, dict[str, Any]]]:
    """The tables of a section. distance: from the first byte of the program's lines to them."""
    at = 0
    while at < len(data):
        own, length = _HEAD.unpack_from(data, at)
        text = data[at + _HEAD.size : at + _HEAD.size + length]
        yield distance + at + own, json.loads(text)
        at += -(-(_HEAD.size + length) // _ALIGN) * _ALIGN


def _by_files(places: Iterable[tuple[str, int]]) -> Lines:
    files = defaultdict[str, set[int]](set)
    for file, line in places:
        files[file].add(line)
    return files
