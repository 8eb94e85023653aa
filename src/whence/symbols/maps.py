"""The memory map of a process, as `/proc/PID/maps` prints it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_LINE = re.compile(
    r"(?P<begin>[0-9a-f]{1,16})-(?P<end>[0-9a-f]{1,16}) (?P<mode>[-rwxps]{4}) "
    r"(?P<offset>[0-9a-f]{1,16}) \S+ \d+ *(?P<path>.*)"
)
_DELETED = " (deleted)"


@dataclass(frozen=True, slots=True)
class Mapping:
    """One line of the map: addresses `begin` to `end` show `path` from byte `offset` on.

    `path` is None for anonymous memory, and a name in brackets for memory that
    the kernel made (``[vdso]``). `deleted`: the file is gone or was replaced. code: it may be executed.
    """

    begin: int
    end: int
    offset: int = 0
    path: str | None = None
    deleted: bool = False
    code: bool = False

    @property
    def is_file(self) -> bool:
        """Whether the path may be that of a file; in a damaged map one may have a zero."""
        path = self.path or ""
        return path.startswith("/") and "\0" not in path and not self.deleted


def parse_line(line: str) -> Mapping | None:
    """The mapping of one line, None if it is not one (a map that was cut off ends in half a line)."""
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    path: str | None = match["path"].replace("\\012", "\n") or None
    deleted = path is not None and path.endswith(_DELETED)
    if path is not None and deleted:
        path = path.removesuffix(_DELETED)
    begin, end, offset = (int(match[name], 16) for name in ("begin", "end", "offset"))
    return Mapping(begin, end, offset, path, deleted, "x" in match["mode"]) if begin < end else None


class MemoryMap:
    """Mappings ordered by address; `find` is a binary search. It is never changed."""

    def __init__(self, mappings: Iterable[Mapping] = ()) -> None:
        self.mappings = sorted(mappings, key=lambda mapping: mapping.begin)
        self._begins = [mapping.begin for mapping in self.mappings]

    @staticmethod
    @lru_cache(maxsize=4)
    def parse(text: str) -> MemoryMap:
        """Read the text of ``/proc/PID/maps``; lines that are none are left out.

        Paths of an exploration have the same text again and again.
        """
        lines = map(parse_line, text.split("\n"))
        return MemoryMap(mapping for mapping in lines if mapping)

    @property
    def program(self) -> tuple[int, str | None] | None:
        """What the process has executed, and where that lies: the first file with code."""
        return next(((each.begin, each.path) for each in self.mappings if each.code and each.path), None)

    def over(self, others: Iterable[MemoryMap]) -> MemoryMap:
        """This map, and where it shows nothing the mappings of `others`, the last one first."""
        shown = list(self.mappings)
        for other in reversed([each for each in others if each is not self]):
            below = MemoryMap(shown)
            shown += [mapping for mapping in other.mappings if not below.shows(mapping)]
        return self if len(shown) == len(self.mappings) else MemoryMap(shown)

    def shows(self, mapping: Mapping) -> bool:
        """Whether some address of a mapping lies in one of ours."""
        index = bisect_right(self._begins, mapping.begin)
        after = self.mappings[index : index + 1]
        before = self.mappings[index - 1 : index] if index else []
        return any(m.begin < mapping.end and m.end > mapping.begin for m in (*before, *after))

    def find(self, address: int) -> Mapping | None:
        """The mapping that holds the address."""
        index = bisect_right(self._begins, address) - 1
        if index < 0 or address >= self.mappings[index].end:
            return None
        return self.mappings[index]
