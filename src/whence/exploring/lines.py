"""The lines of a program that have code, and which of them some bytes of the program stand for."""

from __future__ import annotations

import json
import os.path
import struct
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from whence.abi.symbolic import COVERED_SECTION, LINES_HEAD, LINES_SECTION
from whence.elf import Elf

Lines = Mapping[str, set[int]]
"""Lines by files."""

_HEAD = struct.Struct(LINES_HEAD)
_ALIGN = 8


class ProgramLines:
    """Those of an image (`whence.abi.symbolic`). size: of the bytes that its lines have."""

    def __init__(self, image: Path) -> None:
        self._tables, self._address, self._begin, self.size = b"", 0, 0, 0
        with open(image, "rb") as file:
            elf = Elf(file.fileno())
            covered, tables = elf.section(COVERED_SECTION), elf.section(LINES_SECTION)
            if covered is not None and tables is not None:
                self._tables, self._address = elf.data(tables), tables.address
                self._begin, self.size = covered.address, covered.size

    @cached_property
    def _places(self) -> dict[int, tuple[str, int]]:
        """The file and line of each byte, by its offset."""
        places: dict[int, tuple[str, int]] = {}
        at = 0
        while at < len(self._tables):
            distance, length = _HEAD.unpack_from(self._tables, at)
            first = self._address + at + distance - self._begin
            table = json.loads(self._tables[at + _HEAD.size : at + _HEAD.size + length])
            files = [os.path.normpath(name) for name in table["files"]]
            for number, (file, line) in enumerate(table["lines"], first):
                places[number] = files[file], line
            at += -(-(_HEAD.size + length) // _ALIGN) * _ALIGN
        return places

    def all(self) -> Lines:
        """All lines."""
        return _by_files(self._places.values())

    def of(self, covered: int) -> Lines:
        """The lines of some bytes, those that are 1 of a little-endian number.

        Bytes between those of modules have no lines; a wild pointer of a path may have set them.
        """
        data = covered.to_bytes(self.size, "little")
        found, at = [], data.find(1)
        while at >= 0:
            found.append(at)
            at = data.find(1, at + 1)
        return _by_files(self._places[at] for at in found if at in self._places)


def _by_files(places: Iterable[tuple[str, int]]) -> Lines:
    files = defaultdict[str, set[int]](set)
    for file, line in places:
        files[file].add(line)
    return files
