"""Metadata of a module: raw lines, and the text of a node by its number."""

from __future__ import annotations

import re

from whence.ir.errors import IRSyntaxError
from whence.ir.lexer import to_int

_NODE = re.compile(r"!(\d+) = ", re.ASCII)


class Metadata:
    """Named and numbered metadata.

    LLVM prints nodes in the order of their numbers, so the search for node N
    begins N lines after node 0; only if it is elsewhere are all lines indexed.
    """

    def __init__(self, module_name: str = "<module>") -> None:
        self._module_name = module_name
        self._lines: list[str] = []
        self._first = 0
        self._line = 0
        self._index: dict[int, int] | None = None
        self._next = 0

    def take(self, lines: list[str], line: int) -> None:
        """Adopt the lines of the module from the first metadata line (number `line`) on."""
        self._lines = lines
        self._line = line
        self._first = next((i for i, text in enumerate(lines) if text.startswith("!0 = ")), 0)

    @property
    def lines(self) -> list[str]:
        """All lines; read only."""
        return self._lines

    def _find(self, number: int) -> int | None:
        lines = self._lines
        place = self._first + number
        if 0 <= place < len(lines) and lines[place].startswith(f"!{number} = "):
            return place
        return self._all().get(number)

    def _all(self) -> dict[int, int]:
        if self._index is None:
            self._index = {}
            for place, text in enumerate(self._lines):
                if match := _NODE.match(text):
                    self._index[to_int(match[1])] = place
            self._next = max(self._index, default=-1) + 1
        return self._index

    def add(self, text: str) -> int:
        """Add ``!N = text``; returns N."""
        index = self._all()
        number = self._next
        self._next += 1
        index[number] = len(self._lines)
        self._lines.append(f"!{number} = {text}")
        return number

    def node(self, number: int) -> str:
        """The text after ``!N = ``; raises `IRSyntaxError` if there is no such node."""
        place = self._find(number)
        if place is None:
            raise IRSyntaxError("a metadata node of the module", f"!{number}", self._module_name, self._line)
        text = self._lines[place]
        return text[text.index("=") + 2 :]
