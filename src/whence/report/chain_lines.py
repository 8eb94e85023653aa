"""Chains as lines of text."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from whence.chains import Chain, Hop
from whence.findings import Frame
from whence.report import frames
from whence.report.chain_text import chain_heading, frame_of, hop_parts, hop_threads, mark
from whence.report.layout import INDENT, Layout
from whence.report.source import SourceFinder, cut_cells
from whence.report.styles import DIM, FUNCTION, HEADING, printable

_WORDS, _PLACE = 12, 24
"""Columns that what happened, and a position, have at least."""


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

        The mark of a hop stands below it.
        """
        digits = len(str(max(len(chain.hops) - 1, 0)))
        others = hop_threads(chain, thread)
        beside = max(cell_len(each) + 2 for each in others) if any(others) else 0
        room = self._layout.width - len(indent) - digits - 2 - beside - 2 - _PLACE
        room = max(min(self._layout.width // 2, room), _PLACE)
        said = _beside([_fitted(hop, room) for hop in chain.hops], others)
        wide = max((cell_len(each) for each in said), default=0)
        left = self._layout.width - len(indent) - digits - 2 - wide - 2
        hops = [frame_of(hop) for hop in chain.hops]
        places = [tail(frames.position(each, self._layout.directory), left) for each in hops]
        far = max((cell_len(place) for place in places), default=0)
        lines = []
        for number, (frame, words_, place) in enumerate(zip(hops, said, places, strict=True)):
            line = Text.assemble(indent, (f"{number:>{digits}}  ", DIM), (pad(words_, wide), FUNCTION))
            line.append(f"  {pad(place, far)}")
            lines.append(line.append(code(self._sources, frame, left - far - 3), DIM))
            if marked := mark(chain.hops[number]):
                below = Text.assemble(indent, " " * (digits + 2), (f"^ {marked}", HEADING))
                lines += self._layout.wrapped(below, indent + " " * (digits + 4))
        return lines


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
