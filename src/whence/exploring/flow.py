"""The control flow of a program, from the tables of its image (`whence.abi.symbolic`).

A block is divided behind each call of a function that the program defines; a part ends with the call, and
the next part has the next number. Calls through an address lead to all functions of that type whose
addresses are taken somewhere, by way of a function without lines.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any

from whence.abi.symbolic import RETURNS

NEVER = 1 << 60
"""A distance to nowhere."""
OVER = 2
"""What a call adds to the way through the function: the steps to its begin and back."""
_NONE = -1
_MOST_EMPTY = 8
_MOST = 1 << 24
"""Lines of a block."""


class Graph:
    """The parts of all blocks.

    ways: the parts to which control may go, of the last part of a block, in the order of the ways of
    decisions. call: the function that is called at a part's end, or negative. target: the byte of its first
    line, or negative; came: that of the last line that begins before its end. returns: the function that
    ends with it, or negative. entry: the first part of each function. members: of one without lines, the
    functions in whose place it stands. end: the last part of the block with a byte.
    """

    def __init__(self, tables: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        self.ways: list[list[int]] = []
        self.call: list[int] = []
        self.target: list[int] = []
        self.came: list[int] = []
        self.returns: list[int] = []
        self.entry: list[int] = []
        self.members: dict[int, list[int]] = {}
        self.end: dict[int, int] = {}
        self._same: dict[int, int] = {}
        """Bytes of copies of a function: those of the copy that counts."""
        self._named: dict[str, int] = {}
        self._shapes: dict[int, tuple[int, list[list[Any]]]] = {}
        self._types: dict[int, str] = {}
        modules = [_Module(first, table, self._functions(first, table)) for first, table in tables]
        for module in modules:
            for name, reference in module.table["aliases"]:
                self._named.setdefault(name, module.functions[_number(reference, len(module.functions))])
        pointed = self._pointed(modules)
        for module in modules:
            self._parts(module, pointed)
        self._shapes.clear()
        self.before: list[list[int]] = [[] for _ in self.ways]
        for part, ways in enumerate(self.ways):
            for way in ways:
                self.before[way].append(part)
        self.callers: list[list[int]] = [[] for _ in self.entry]
        for part, function in enumerate(self.call):
            if function >= 0:
                self.callers[function].append(part)
        self.groups: dict[int, list[int]] = defaultdict(list)
        """The functions without lines that stand for a function."""
        for group, members in self.members.items():
            for member in members:
                self.groups[member].append(group)
        self.through = self._lengths()
        """How long the shortest way through each function is."""

    def byte(self, byte: int) -> int:
        """The byte that stands for a byte."""
        return self._same.get(byte, byte)

    def behind(self, byte: int, way: int) -> int:
        """The part to which a decision leads at the end of the block with a byte; the end itself for a
        negative way; negative if the block has no such way."""
        part = self.end.get(self.byte(byte), _NONE)
        if part < 0 or way < 0:
            return part
        for _ in range(_MOST_EMPTY):
            if len(self.ways[part]) != 1:
                break
            (part,) = self.ways[part]  # a block without lines, of which the decision is
            while self.call[part] >= 0:
                part += 1
        return self.ways[part][way] if way < len(self.ways[part]) else _NONE

    # ---- reading ----

    def _functions(self, first: int, table: Mapping[str, Any]) -> list[int]:
        """Numbers for the functions of a module, one for copies of the same."""
        numbers = []
        counts = [_number(block[0], _MOST) for _, _, blocks in table["functions"] for block in blocks]
        if sum(counts) != len(table["lines"]):
            raise ValueError(f"{sum(counts)} lines in blocks of {len(table['lines'])}")
        for name, type_, blocks in table["functions"]:
            number, known = len(self.entry), self._named.get(name) if name else None
            if known is not None and _shape(self._shapes[known][1]) == _shape(blocks):
                number = known
                for at in range(sum(block[0] for block in blocks)):
                    self._same[first + at] = self._shapes[known][0] + at
            else:
                self.entry.append(_NONE)
                self._shapes[number] = first, blocks
                self._types[number] = table["types"][_number(type_, len(table["types"]))]
                if name:
                    self._named.setdefault(name, number)
            first += sum(block[0] for block in blocks)
            numbers.append(number)
        return numbers

    def _pointed(self, modules: Sequence[_Module]) -> dict[str, int]:
        """For each type a function without lines, which stands for those that are called by address."""
        taken = defaultdict[str, dict[int, None]](dict)
        for module in modules:
            for reference in module.table["taken"]:
                function = self._called(module, reference, {})
                if function >= 0:
                    taken[self._types[function]][function] = None
        found = {}
        for type_, functions in taken.items():
            found[type_] = len(self.entry)
            self.members[len(self.entry)] = list(functions)
            self.entry.append(_NONE)
        return found

    def _called(self, module: _Module, reference: int, pointed: Mapping[str, int]) -> int:
        """The function that a number stands for in a table; negative if the program has none."""
        if reference < 0:
            types = module.table["types"]
            return pointed.get(types[_number(-1 - reference, len(types))], _NONE)
        if reference < len(module.functions):
            return module.functions[reference]
        names = module.table["names"]
        return self._named.get(names[_number(reference - len(module.functions), len(names))], _NONE)

    def _parts(self, module: _Module, pointed: Mapping[str, int]) -> None:
        first = module.first
        for function, (_, _, blocks) in zip(module.functions, module.table["functions"], strict=True):
            if self._shapes[function][0] == first and self.entry[function] < 0:
                self._blocks(module, pointed, function, first, blocks)
            first += sum(block[0] for block in blocks)

    def _blocks(
        self, module: _Module, pointed: Mapping[str, int], function: int, first: int, blocks: list[list[Any]]
    ) -> None:
        begins, ends = [], []
        for lines, _, *calls in blocks:
            begins.append(len(self.ways))
            so_far = 0
            for at, reference in zip(calls[::2], calls[1::2], strict=True):
                called = self._called(module, reference, pointed)
                if called >= 0:
                    self._part(first, so_far, _number(at, lines + 1), called)
                    so_far = at
            self._part(first, so_far, lines, _NONE)
            ends.append(len(self.ways) - 1)
            self.end.update(dict.fromkeys(range(first, first + lines), ends[-1]))
            first += lines
        for end, (_, ways, *_) in zip(ends, blocks, strict=True):
            if ways == RETURNS:
                self.returns[end] = function
            else:
                self.ways[end] = [begins[_number(way, len(begins))] for way in ways]
        self.entry[function] = begins[0] if begins else _NONE

    def _part(self, first: int, begin: int, end: int, called: int) -> None:
        """A part with the lines from `begin` to `end` of the block whose first byte is `first`."""
        self.ways.append([])
        self.call.append(called)
        self.target.append(first + begin if begin < end else _NONE)
        self.came.append(first + end - 1 if end else _NONE)
        self.returns.append(_NONE)

    # ---- ways through functions ----

    def _lengths(self) -> list[int]:
        """The shortest ways through functions, from their ends on: a call has one once its function has."""
        through, rest = [NEVER] * len(self.entry), [NEVER] * len(self.ways)
        owners = {part: function for function, part in enumerate(self.entry) if part >= 0}
        heap = [(0, part) for part, function in enumerate(self.returns) if function >= 0]
        while heap:
            length, part = heappop(heap)
            if rest[part] <= length:
                continue
            rest[part] = length
            for other in self.before[part]:
                heappush(heap, (length + 1, other))
            called = self.call[part - 1] if part else _NONE
            if called >= 0 and through[called] < NEVER:
                heappush(heap, (length + OVER + through[called], part - 1))
            if part in owners:
                for function in (owners[part], *self.groups.get(owners[part], ())):
                    if through[function] == NEVER:
                        through[function] = length
                        for caller in self.callers[function]:
                            if rest[caller + 1] < NEVER:
                                heappush(heap, (rest[caller + 1] + OVER + length, caller))
        return through


class _Module:
    """A table, the byte where its lines begin, and the numbers of its functions."""

    def __init__(self, first: int, table: Mapping[str, Any], functions: list[int]) -> None:
        self.first, self.table, self.functions = first, table, functions


def _shape(blocks: list[list[Any]]) -> list[list[Any]]:
    """What copies of a function have in common."""
    return [block[:2] for block in blocks]


def _number(number: int, count: int) -> int:
    """Checks a number; raises `ValueError`."""
    if not 0 <= number < count:
        raise ValueError(f"{number} of {count}")
    return number
