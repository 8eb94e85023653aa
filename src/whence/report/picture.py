"""A small drawing of a block, what lies around it, and the bytes that were accessed.

::

    ░░░░░░░░████████████████████░░░░WWWW░░░░
            0                   20  24
    █ block of 20 bytes   ░ red zone   W written

Every cell is one byte; what is between the interesting places of a large
block is left out. Cells outside the block come from the recorded state bytes,
and are left blank where no state was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from whence.abi.layout import GRANULE, STATE_BY_VALUE
from whence.findings import AccessKind, Block, BlockState, Finding, HitBlock, States


class Cell(Enum):
    """The kind of a byte: its glyph and its word in the legend."""

    BLOCK = ("█", "block")
    FREED = ("▒", "freed block")
    RED_ZONE = ("░", "red zone")
    UNUSED = ("·", "unused")
    OTHER = ("▓", "other block")
    OTHER_FREED = ("▚", "other freed block")
    COOKIE = ("#", "array cookie")
    POISONED = ("¤", "inaccessible")
    UNKNOWN = (" ", "unknown")
    READ = ("R", "read")
    WRITTEN = ("W", "written")
    RELEASED = ("F", "freed here")
    READ_INSIDE = ("r", "read, inside the block")
    WRITTEN_INSIDE = ("w", "written, inside the block")
    GAP = ("⋯", "left out")

    @property
    def glyph(self) -> str:
        return self.value[0]

    @property
    def meaning(self) -> str:
        return self.value[1]


_BY_STATE = {
    "HEAP_RED_ZONE": Cell.RED_ZONE,
    "STACK_BEGIN": Cell.RED_ZONE,
    "STACK_RED_ZONE": Cell.RED_ZONE,
    "GLOBAL_RED_ZONE": Cell.RED_ZONE,
    "COOKIE": Cell.COOKIE,
    "HEAP_UNUSED": Cell.UNUSED,
    "HEAP_FREED": Cell.OTHER_FREED,
    "STACK_FREED": Cell.OTHER_FREED,
    "STACK_RETURNED": Cell.OTHER_FREED,
}
_ACCESS_CELLS = {
    AccessKind.READ: (Cell.READ, Cell.READ_INSIDE),
    AccessKind.WRITE: (Cell.WRITTEN, Cell.WRITTEN_INSIDE),
    AccessKind.FREE: (Cell.RELEASED, Cell.RELEASED),
}
_LARGE_ACCESS = 16
"""Accesses of more bytes show only their first and last ones where room is short."""


@dataclass(frozen=True)
class Picture:
    """`cells` from left to right, the text of a GAP, `ruler` below them, and what the glyphs mean."""

    cells: tuple[tuple[Cell, str], ...]
    ruler: str
    legend: tuple[tuple[Cell, str], ...]

    @property
    def row(self) -> str:
        return "".join(text for _, text in self.cells)


def draw(finding: Finding, width: int) -> Picture | None:
    """The picture in about `width` cells; None without a block or without anything to show."""
    block, access = finding.block, finding.access
    if block is None or access.kind not in _ACCESS_CELLS:
        return None
    if access.kind is AccessKind.FREE and access.address == block.begin:
        return None
    for margin in (8, 6, 4, 2, 1):
        windows = _windows(_interesting(finding, block, margin), margin)
        if _width(windows) <= width:
            break
    cells, starts = _cells(finding, block, windows)
    return Picture(tuple(cells), _ruler(finding, block, starts), _legend(block, cells))


def around(finding: Finding, most: int = 512) -> list[tuple[int, Cell]]:
    """The bytes whose states were recorded, at most that many around the first that must not be accessed, and
    those around the boundary of the block that was crossed; each with its cell."""
    states, block, access = finding.fact(States), finding.block, finding.access
    if states is None or not states.bytes or block is None or access.kind not in _ACCESS_CELLS:
        return []
    centre = access.address if access.first_bad is None else access.first_bad
    begin = max(states.begin, centre - most // 2)
    addresses = {*range(begin, min(states.end, begin + most))}
    boundary = crossed(finding)
    if boundary is not None:
        addresses.update(range(max(0, boundary - _EDGE), boundary + _EDGE))
    return [(address, _cell(finding, block, address)) for address in sorted(addresses)]


_EDGE = 64
"""Bytes on either side of a boundary that are shown."""


def crossed(finding: Finding) -> int | None:
    """The boundary of a block that an access has crossed: its begin or its end; None for an access inside."""
    block, access = finding.block, finding.access
    if block is None:
        return None
    if access.address < block.begin:
        return block.begin
    return block.end if access.address + max(access.size, 1) > block.end else None


def _gap(count: int) -> str:
    return f" ⋯ {count:,} bytes ⋯ "


def _width(windows: Sequence[tuple[int, int]]) -> int:
    """Cells that the windows and the gaps between them take."""
    gaps = (_gap(after[0] - before[1]) for before, after in pairwise(windows))
    return sum(end - begin for begin, end in windows) + sum(map(len, gaps))


def _interesting(finding: Finding, block: Block, margin: int) -> list[tuple[int, int]]:
    """Ranges of addresses to show: the edges of the block, of the access and of the block hit."""
    access = finding.access
    size = max(access.size, 1)
    ranges = [(block.begin - margin, block.begin + margin), (block.end - margin, block.end + margin)]
    if size <= _LARGE_ACCESS:
        ranges.append((access.address - margin, access.address + size + margin))
    else:
        ranges.append((access.address - margin, access.address + margin))
        ranges.append((access.address + size - margin, access.address + size + margin))
    if access.first_bad is not None:
        ranges.append((access.first_bad - margin, access.first_bad + margin))
    if hit := finding.fact(HitBlock):
        ranges.append((hit.begin - margin, hit.begin + margin))
    return [(max(begin, 0), end) for begin, end in ranges]


def _windows(ranges: Iterable[tuple[int, int]], margin: int) -> list[tuple[int, int]]:
    """Joins ranges that overlap or whose gap would be as wide as the bytes in it."""
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if joined and begin <= joined[-1][1] + 2 * margin:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((begin, end))
    return joined


def _cells(
    finding: Finding, block: Block, windows: Sequence[tuple[int, int]]
) -> tuple[list[tuple[Cell, str]], dict[int, int]]:
    """Cells of all windows with gaps between them, and the column of each address."""
    cells: list[tuple[Cell, str]] = []
    columns: dict[int, int] = {}
    column, last_end = 0, 0
    for begin, end in _trim(finding, block, windows):
        if cells:
            gap = _gap(begin - last_end)
            cells.append((Cell.GAP, gap))
            column += len(gap)
        for address in range(begin, end):
            cell = _cell(finding, block, address)
            columns[address] = column
            cells.append((cell, cell.glyph))
            column += 1
        columns.setdefault(end, column)
        last_end = end
    return cells, columns


def _trim(finding: Finding, block: Block, windows: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Removes unknown bytes from both ends of each window."""
    for begin, end in windows:
        known = [a for a in range(begin, end) if _cell(finding, block, a) is not Cell.UNKNOWN]
        if known:
            yield known[0], known[-1] + 1


def _cell(finding: Finding, block: Block, address: int) -> Cell:
    access = finding.access
    if access.address <= address < access.address + max(access.size, 1):
        bad, good = _ACCESS_CELLS[access.kind]
        inside = access.first_bad is not None and address < access.first_bad
        return good if inside else bad
    if block.begin <= address < block.end:
        return Cell.FREED if block.state is BlockState.FREED else Cell.BLOCK
    hit = finding.fact(HitBlock)
    if hit and hit.begin <= address < hit.end:
        return Cell.OTHER
    return _state_cell(finding, block, address)


def _state_cell(finding: Finding, block: Block, address: int) -> Cell:
    """The cell of an address outside the block, by its recorded state byte."""
    states = finding.fact(States)
    state = states.at(address) if states else None
    if states is None or state is None:
        return Cell.UNKNOWN
    if states.addressable(address):
        return Cell.OTHER
    # The rest of the block's own last granule, and of any other, is padding.
    if state < GRANULE or (state != 0 and block.end <= address < -(-block.end // GRANULE) * GRANULE):
        return Cell.RED_ZONE
    known = STATE_BY_VALUE.get(state)
    return _BY_STATE.get(known.name, Cell.POISONED) if known else Cell.POISONED


def _ruler(finding: Finding, block: Block, columns: dict[int, int]) -> str:
    """Offsets from the begin of the block, each below its byte; the most important first."""
    access = finding.access
    marks = [access.address, access.first_bad, block.begin, block.end]
    row: list[str] = []
    for address in marks:
        if address is not None and address in columns:
            _put(row, columns[address], f"{address - block.begin:,}")
    return "".join(row).rstrip()


def _put(row: list[str], column: int, text: str) -> None:
    """Writes text at a column unless it would touch other text."""
    end = column + len(text)
    row.extend(" " * (end + 1 - len(row)))
    if all(char == " " for char in row[max(column - 1, 0) : end + 1]):
        row[column:end] = text


def _legend(block: Block, cells: Sequence[tuple[Cell, str]]) -> tuple[tuple[Cell, str], ...]:
    """The kinds of cells that occur, in the order of `Cell`."""
    seen = {cell for cell, _ in cells} - {Cell.GAP, Cell.UNKNOWN}
    return tuple((cell, cell.meaning) for cell in Cell if cell in seen)
