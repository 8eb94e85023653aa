"""Names of the sites of traces: function, file and line, from the image that runs."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from whence.exploring.lines import Lines, ProgramLines
from whence.exploring.trace import place_of

if TYPE_CHECKING:
    from whence.exploring.flow import Graph
    from whence.symbols.module import Module, Place

_MOST_CODE = 40
"""Characters of the source that are quoted."""


class Places:
    """Looks sites up in the program's image. Those in libraries have no names."""

    def __init__(self, image: Path) -> None:
        self._image = image
        self._module: Module | None = None
        self._known: dict[int, Place | None] = {}
        self._lines = ProgramLines(image)

    def _find(self, site: int) -> Place | None:
        """The innermost function at a site, which is a return address."""
        from whence.symbols.module import opened

        if site not in self._known:
            image, address = place_of(site)
            if self._module is None:
                self._module = opened(str(self._image))
            places = self._module.places(address - 1) if address and not image else ()
            self._known[site] = places[0] if places else None
        return self._known[site]

    def source(self, site: int) -> tuple[str, int] | None:
        """The file and line, if known."""
        found = self._find(site)
        return (found.file, found.line) if found and found.file and found.line else None

    @property
    def covered(self) -> int:
        """Bytes of the program that say where paths came."""
        return self._lines.size

    def lines(self, covered: int | None = None) -> Lines:
        """The lines of the program for which these bytes are 1, by files; all for None."""
        return self._lines.all() if covered is None else self._lines.of(covered)

    def bytes_of(self, lines: Mapping[str, Iterable[int]]) -> int:
        """All bytes of some lines, the opposite of `lines`."""
        return self._lines.bytes_of(lines)

    def graph(self) -> Graph | None:
        """The control flow of the program, if it is known."""
        return self._lines.graph()

    def code(self, site: int) -> str:
        """What the source says there, from the column on: a call begins with the function's name."""
        found = self._find(site)
        if not found or not found.file or not found.line or not found.column:
            return ""
        return _expression(linecache.getline(found.file, found.line)[found.column - 1 :].strip())

    def name(self, site: int) -> str:
        """For people: file, line and function, as far as known."""
        found = self._find(site)
        if found is None:
            image, address = place_of(site)
            return f"{address:#x} in the program" if not image else f"{address:#x} in library {image}"
        if not found.file or not found.line:
            return found.function or "unknown place"
        place = f"{found.file}:{found.line}" + (f":{found.column}" if found.column else "")
        return f"{place}, in {found.function}" if found.function else place


def _expression(text: str) -> str:
    """The text up to the parenthesis that closes its first one, or the end of the statement."""
    open_ = 0
    for at, letter in enumerate(text):
        open_ += (letter == "(") - (letter == ")")
        if letter == ";" or open_ < 0:
            text = text[:at]
            break
        if letter == ")" and not open_:
            text = text[: at + 1]
            break
    return text if len(text) <= _MOST_CODE else f"{text[: _MOST_CODE - 1]}…"
