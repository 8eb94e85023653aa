"""The layout of text for its output: width, colours, character set."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable

from rich.color import ColorSystem
from rich.console import Console
from rich.text import Text

PLAIN_WIDTH = 100
"""The width in cells without a terminal."""
MIN_WIDTH = 40
INDENT = "    "

MEASURE = Console(file=io.StringIO(), width=1 << 16, color_system=None)
"""The console that measures and wraps text."""
_ASCII = str.maketrans(
    {"█": "#", "▒": "%", "░": ".", "·": "_", "▓": "o", "▚": "x", "¤": "!", "⋯": "~", "…": "~", "━": "="}
)


class Layout:
    """One kind of output.

    `width`: cells of a line, None for a pipe, where sentences are not wrapped.
    `unicode`: block graphics may be used. `directory`: paths below it are
    shown relative to it.
    """

    def __init__(
        self,
        *,
        color: bool = False,
        width: int | None = None,
        unicode: bool = True,
        directory: str | None = None,
    ) -> None:
        self.color = color
        self.wrap = width is not None
        self.width = max(width or PLAIN_WIDTH, MIN_WIDTH)
        self.unicode = unicode
        self.directory = directory or os.getcwd()

    def wrapped(self, text: Text, indent: str, *, prose: bool = False) -> list[Text]:
        """A paragraph, continued with an indent where the terminal ends (prose: in a pipe too)."""
        if text.cell_len <= self.width or not (self.wrap or prose):
            return [text]
        pieces = text.wrap(MEASURE, self.width - len(indent), overflow="fold")
        return [Text(indent if i else "").append_text(piece) for i, piece in enumerate(pieces)]

    def printed(self, lines: Iterable[Text]) -> str:
        """The lines, each with its end; highlighted where there are colours."""
        shown = self._highlighted if self.color else _plain
        text = "".join(f"{shown(_tidy(line))}\n" for line in lines)
        return text if self.unicode else _to_ascii(text)

    def _highlighted(self, line: Text) -> str:
        parts = Text().join([line]).render(MEASURE)  # with the style of the whole line
        return "".join(
            style.render(text, color_system=ColorSystem.STANDARD) if style else text
            for text, style, _ in parts
        )


def _tidy(line: Text) -> Text:
    line.expand_tabs()
    line.rstrip()
    return line


def _plain(line: Text) -> str:
    return line.plain


def _to_ascii(text: str) -> str:
    return text.translate(_ASCII).encode("ascii", "replace").decode()
