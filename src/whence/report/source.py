"""Source files for reports: finding, reading, and excerpts."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from rich.cells import cell_len

from whence.report.styles import printable

TAB = 4
"""Cells between tab stops."""
READ_LIMIT = 32 << 20
"""Largest source file that is read, in bytes."""


def decode(line: bytes) -> str:
    """A line as text: UTF-8 where it is valid, Latin-1 otherwise."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


def expand(text: str) -> str:
    """Replace tabs by blanks up to the next tab stop, and control characters by a mark."""
    parts: list[str] = []
    column = 0
    for index, part in enumerate(text.split("\t")):
        if index:
            blanks = TAB - column % TAB
            parts.append(" " * blanks)
            column += blanks
        parts.append(printable(part))
        column += cell_len(parts[-1])
    return "".join(parts)


@dataclass(frozen=True)
class SourceFile:
    """A readable source file; `lines` are the bytes between its newlines."""

    path: str
    lines: Sequence[bytes]
    modified: float

    def raw(self, number: int) -> bytes:
        """Line `number` (from 1) without its end; empty when there is no such line."""
        return self.lines[number - 1].rstrip(b"\r") if 1 <= number <= len(self.lines) else b""

    def text(self, number: int) -> str:
        """Line `number` as it is shown."""
        return expand(decode(self.raw(number)))

    def cell(self, number: int, column: int) -> int | None:
        """The cell (from 0) of the shown line at a byte column (from 1); None if it is not in the line."""
        line = self.raw(number)
        if not 1 <= column <= len(line) + 1:
            return None
        return cell_len(expand(_decode_prefix(line, column - 1)))


def _decode_prefix(line: bytes, length: int) -> str:
    """The first `length` bytes, decoded the way the whole line is."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return line[:length].decode("latin-1")
    return line[:length].decode(errors="ignore")


class SourceFinder:
    """Finds source files and caches them.

    A relative path is tried below each of `directories`, in order.
    """

    def __init__(self, directories: Iterable[str] = (".",)) -> None:
        self._directories = tuple(directories)
        self._files: dict[str, SourceFile | None] = {}

    def find(self, path: str | None) -> SourceFile | None:
        """The file, None when it does not exist, is not a regular file or cannot be read."""
        if not path:
            return None
        if path not in self._files:
            candidates = [path] if os.path.isabs(path) else [os.path.join(d, path) for d in self._directories]
            found = (_read(candidate) for candidate in candidates)
            self._files[path] = next((file for file in found if file), None)
        return self._files[path]


def _read(path: str) -> SourceFile | None:
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > READ_LIMIT:
            return None
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None
    return SourceFile(path, lines, status.st_mtime)


@dataclass(frozen=True)
class Excerpt:
    """Lines around a place, cut to a width: `numbers[i]` is the number of `texts[i]`.

    `caret` is the cell of the place in its line, None when the column is
    unknown; the line itself is `texts[focus]`.
    """

    numbers: tuple[int, ...]
    texts: tuple[str, ...]
    focus: int
    caret: int | None

    @cached_property
    def digits(self) -> int:
        """Width of the widest line number."""
        return len(str(self.numbers[-1]))


def excerpt(file: SourceFile, line: int, column: int, width: int, context: int = 2) -> Excerpt | None:
    """Up to `context` lines on each side of a line, without empty ones at the outside.

    None when the file has no such line.
    Lines are cut to `width` cells; one whose caret lies far to the right stands alone, with a
    window around the caret.
    """
    if not 1 <= line <= len(file.lines):
        return None
    last = len(file.lines) - (not file.lines[-1])  # a final newline is not one more line
    first, end = max(1, line - context), min(max(last, line), line + context)
    while first < line and not file.raw(first).strip():
        first += 1
    while end > line and not file.raw(end).strip():
        end -= 1
    numbers = tuple(range(first, end + 1))
    caret = file.cell(line, column) if column else None
    start = _window(file.text(line), caret or 0, width)
    if start:
        numbers = (line,)
    cut = tuple(cut_cells(file.text(number), start, width) for number in numbers)
    return Excerpt(numbers, cut, numbers.index(line), None if caret is None else caret - start)


def _window(text: str, caret: int, width: int) -> int:
    """First cell to show, so that the caret is about the middle of what is shown of a long line."""
    if cell_len(text) <= width or caret < width * 3 // 4:
        return 0
    return caret - width // 2


def cut_cells(text: str, start: int, width: int, mark: str = "…") -> str:
    """The cells `start` to `start + width` of a text, with a mark where something was cut off."""
    if start == 0 and cell_len(text) <= width:
        return text.rstrip()
    if text.isascii():  # a cell for each character
        shown, cell = list(text[start : start + width]), len(text)
    else:
        shown, cell = _window_of(text, start, width)
    if start and shown and cell > start:
        shown[0] = mark
    if cell > start + width and shown:
        shown[-1] = mark
    return "".join(shown).rstrip()


def _window_of(text: str, start: int, width: int) -> tuple[list[str], int]:
    """The characters in some cells, and the cells of the text up to the first one behind these."""
    shown: list[str] = []
    cell = 0
    for char in text:
        size = cell_len(char)
        if start <= cell and cell + size <= start + width:
            shown.append(char)
        cell += size
        if cell > start + width:
            break
    return shown, cell
