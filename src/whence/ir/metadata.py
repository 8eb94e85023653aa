"""Metadata of a module: raw lines, each parsed on demand."""

from __future__ import annotations

import re
from typing import NamedTuple

from whence.ir.errors import IRSyntaxError
from whence.ir.lexer import Cursor, decode_string, split_commas, to_int

_NODE = re.compile(r"!(\d+) = ", re.ASCII)
_NAMED = re.compile(r"!([-a-zA-Z$._\\][-\w$.\\]*) = !\{(.*)\}\s*\Z", re.ASCII)
_SPECIAL = re.compile(r"(?:distinct )?!(\w+)\(", re.ASCII)
_MAX_SCOPES = 1000


class Location(NamedTuple):
    """A ``!DILocation``: line and column (0: unknown), node numbers of scope and of the call inlined into."""

    line: int
    column: int
    scope: int
    inlined_at: int | None


class ModuleFlag(NamedTuple):
    behavior: int
    key: str
    value: str


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
        return self._index

    def __contains__(self, number: int) -> bool:
        return self._find(number) is not None

    def node(self, number: int) -> str:
        """The text after ``!N = ``; raises `IRSyntaxError` if there is no such node."""
        place = self._find(number)
        if place is None:
            raise IRSyntaxError("a metadata node of the module", f"!{number}", self._module_name, self._line)
        text = self._lines[place]
        return text[text.index("=") + 2 :]

    def named(self, name: str) -> list[str]:
        """Operands of ``!name = !{…}`` (each ``!5`` or an inline expression); empty if there is none."""
        for text in self._lines:
            match = _NAMED.match(text)
            if match and match[1] == name:
                return [match[2][a:b] for a, b in split_commas(match[2], 0, len(match[2]))]
        return []

    def flags(self) -> list[ModuleFlag]:
        """``!llvm.module.flags``; raises `IRSyntaxError` for a malformed one."""
        found = []
        for reference in self.named("llvm.module.flags"):
            number = node_number(reference)
            text = self.node(number) if number is not None else reference
            parts = tuple_operands(text)
            if len(parts) != 3:
                raise IRSyntaxError("a module flag", text, self._module_name, self._line)
            found.append(ModuleFlag(to_int(parts[0].split(" ")[-1]), string_value(parts[1]), parts[2]))
        return found

    def fields(self, number: int) -> dict[str, str]:
        """Fields of a specialised node: ``{"name": '"f"', "line": "5"}``; empty for a tuple."""
        text = self.node(number)
        match = _SPECIAL.match(text)
        if not match:
            return {}
        found = {}
        end = text.rstrip().rfind(")")
        for start, stop in split_commas(text, match.end(), max(end, match.end())):
            key, colon, value = text[start:stop].partition(": ")
            if colon:
                found[key] = value
        return found

    def kind(self, number: int) -> str:
        """``DILocation``, ``DISubprogram``, …; empty for a tuple."""
        match = _SPECIAL.match(self.node(number))
        return match[1] if match else ""

    def location(self, number: int) -> Location:
        """A ``!DILocation``; raises `IRSyntaxError` for another kind of node."""
        fields = self.fields(number)
        scope = node_number(fields.get("scope", ""))
        if self.kind(number) != "DILocation" or scope is None:
            raise IRSyntaxError("a !DILocation", self.node(number), self._module_name, self._line)
        line, column = (to_int(fields.get(key, "0")) for key in ("line", "column"))
        return Location(line, column, scope, node_number(fields.get("inlinedAt", "")))

    def subprogram_of(self, number: int) -> int | None:
        """Number of the ``!DISubprogram`` that contains a location or a scope."""
        for _ in range(_MAX_SCOPES):
            if self.kind(number) == "DISubprogram":
                return number
            scope = node_number(self.fields(number).get("scope", ""))
            if scope is None:
                return None
            number = scope
        return None

    def text_field(self, number: int, key: str) -> str | None:
        """A string field (``name``, ``linkageName``, ``filename``) without quotes and escapes."""
        value = self.fields(number).get(key)
        return decode_string(value[1:-1]) if value is not None and value.startswith('"') else None


def node_number(reference: str) -> int | None:
    """``!12`` gives 12; None for anything else."""
    return to_int(reference[1:]) if reference[:1] == "!" and reference[1:].isdecimal() else None


def string_value(text: str) -> str:
    """``!"x"`` gives ``x``; other text stays unchanged."""
    return decode_string(text[2:-1]) if text.startswith('!"') and text.endswith('"') else text


def tuple_operands(text: str) -> list[str]:
    """Operands of ``!{…}``; raises `IRSyntaxError` if it is not a tuple."""
    body = text.removeprefix("distinct ").rstrip()
    cursor = Cursor(body)
    cursor.expect("!")
    inner = cursor.group()[1:-1]
    return [inner[a:b] for a, b in split_commas(inner, 0, len(inner))]
