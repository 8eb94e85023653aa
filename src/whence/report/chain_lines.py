"""Chains as lines of text."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from whence.abi.hops import HopKind
from whence.findings import Frame
from whence.findings.chains import Chain, Hop
from whence.report import frames
from whence.report.chain_text import Row, chain_heading, frame_of, hop_parts, hop_threads, mark, rows_of
from whence.report.layout import INDENT, Layout
from whence.report.source import SourceFinder, cut_cells
from whence.report.styles import DIM, FUNCTION, HEADING, printable

_WORDS, _PLACE = 12, 24
"""Columns that what happened, and a position, have at least."""
_CODE, _CALLED = 24, 32
"""Columns that source lines have for which names of functions are cut, and that these have then."""
_SYSTEM_WORDS, _SYSTEM_PLACE = 3, 4
"""The parts of the width that they have in headers of the system, where no hop of the program has more."""


class ChainLines:
    """Lines of chains for one kind of output."""

    def __init__(self, layout: Layout, sources: SourceFinder) -> None:
        self._layout = layout
        self._sources = sources

    def of(self, chain: Chain, thread: int) -> list[Text]:
        """An empty line, a heading, and the hops of a chain for a finding of this thread."""
        chain = chain.folded()
        said = chain_heading(chain, self._layout.directory)
        heading = Text.assemble(INDENT, (f"{said}:", HEADING), " newest first")
        indent = INDENT + "  "
        end = [Text(f"{indent}… earlier hops are not known", DIM)] if chain.cut else []
        return [Text(), *self._layout.wrapped(heading, indent), *self.hops(chain, thread, indent), *end]

    def hops(self, chain: Chain, thread: int, indent: str) -> list[Text]:
        """One line for each hop, newest first: what happened, position, and the source line where it fits.

        Hops that follow each other in headers of the system are one line. Names and places there do not take
        the room of the program's own. The mark of a hop stands below it.
        """
        rows = rows_of(chain, hop_threads(chain, thread))
        digits = len(str(max(len(chain.hops) - 1, 0)))
        begin = len(indent) + digits + 2
        said = _beside(self._said(rows, begin), [row.other for row in rows])
        wide = max((cell_len(each) for each in said), default=0)
        left = self._layout.width - begin - wide - 2
        most = max((cell_len(self._place(row, left)) for row in _own(rows)), default=left)
        most = max(most, self._layout.width // _SYSTEM_PLACE)
        places = [self._place(row, most if row.is_system else left) for row in rows]
        far = max((cell_len(place) for place in places), default=0)
        lines = []
        for row, words_, place in zip(rows, said, places, strict=True):
            line = Text.assemble(indent, (f"{row.number:>{digits}}  ", DIM), (pad(words_, wide), FUNCTION))
            line.append(f"  {pad(place, far)}")
            lines.append(line.append(code(self._sources, frame_of(row.hops[0]), left - far - 3), DIM))
            if marked := mark(row.hops[0]):
                below = Text.assemble(indent, " " * (digits + 2), (f"^ {marked}", HEADING))
                lines += self._layout.wrapped(below, indent + " " * (digits + 4))
        return lines

    def _said(self, rows: list[Row], begin: int) -> list[str]:
        """What happened, from a column on."""
        beside = max((cell_len(row.other) + 2 for row in rows if row.other), default=0)
        left = self._layout.width - begin - beside - 2
        room = max(min(self._layout.width // 2, left - _PLACE), _PLACE)
        called = max(min(room, left - self._wanted(rows)), min(room, _CALLED))
        most = max((cell_len(_words(row, room, called)) for row in _own(rows)), default=room)
        most = max(most, self._layout.width // _SYSTEM_WORDS)
        return [_words(row, most, most) if row.is_system else _words(row, room, called) for row in rows]

    def _wanted(self, rows: list[Row]) -> int:
        """Columns for the places of the program's hops and the begins of their source lines."""
        own = _own(rows)
        places = max((cell_len(self._place(row, self._layout.width // 3)) for row in own), default=0)
        is_there = any(code(self._sources, frame_of(row.hops[0]), self._layout.width) for row in own)
        return places + (3 + _CODE if is_there else 0)

    def _place(self, row: Row, room: int) -> str:
        """Nothing for several hops, which have a place each."""
        if len(row.hops) > 1:
            return ""
        return tail(frames.position(frame_of(row.hops[0]), self._layout.directory), room)


def _words(row: Row, room: int, called: int) -> str:
    """In so many columns, or in `called` where nothing but a function's name is said."""
    if row.said:
        return row.said
    hop = row.hops[0]
    is_name = hop.kind in (HopKind.ARGUMENT, HopKind.RETURN) and not hop_parts(hop)[1]
    return _fitted(hop, called if is_name else room)


def _own(rows: list[Row]) -> list[Row]:
    return [row for row in rows if not row.is_system]


def _fitted(hop: Hop, room: int) -> str:
    """What a hop says in so many columns: names are cut before what became of the value."""
    words, changed = map(printable, hop_parts(hop))
    left = max(room - cell_len(changed), _WORDS)
    return cut_cells(cut_cells(words, 0, left) + changed, 0, room)


def code(sources: SourceFinder, frame: Frame, room: int) -> str:
    """The source line of a frame behind its position, as far as there is room; "" for system headers."""
    file = sources.find(frame.file)
    text = file.text(frame.line).strip() if file and not frames.is_system(frame.file or "") else ""
    return f"   {cut_cells(text, 0, room)}" if text and room >= 16 else ""


def _beside(texts: list[str], others: list[str]) -> list[str]:
    """The texts with others in a second column, if there are any."""
    if not any(others):
        return texts
    wide = max(cell_len(each) for each in texts)
    return [f"{pad(text, wide)}  {other}" for text, other in zip(texts, others, strict=True)]


def pad(text: str, width: int) -> str:
    """The text, filled up to a width."""
    return text + " " * (width - cell_len(text))


def tail(text: str, width: int) -> str:
    """The end of a position, its most specific part, but never less than a file name's worth."""
    width = max(width, _PLACE)
    return text if cell_len(text) <= width else "…" + text[1 - width :]
