"""Excerpts of sources for the page, highlighted by Pygments; equal excerpts stand in the page once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from markupsafe import Markup
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.c_cpp import CppLexer
from pygments.util import ClassNotFound

from whence.findings import Frame
from whence.report import frames
from whence.report.source import Excerpt, SourceFinder, excerpt

CONTEXT = 3
"""The number of lines before and after a place."""
WIDTH = 400
"""The width in cells to which lines are cut; the page scrolls."""
MOST_EXCERPTS = 5000
"""The number of excerpts after which frames only have their positions, which bounds the size of the page."""


@dataclass(frozen=True, slots=True)
class Code:
    """An excerpt: each line's number and text as HTML, the line that it is about, and the caret's cell."""

    id: str
    lines: tuple[tuple[int, Markup], ...]
    line: int
    caret: int | None
    text: str
    """That line, as text."""


class CodeShelf:
    """The excerpts of one page, by their places."""

    def __init__(self, sources: SourceFinder) -> None:
        self._sources = sources
        self._codes: dict[tuple[str, int, int], Code | None] = {}

    @property
    def excerpts(self) -> list[Code]:
        return [code for code in self._codes.values() if code is not None]

    def at(self, frame: Frame | None) -> Code | None:
        """The excerpt around a frame's place; None without a readable source, or in headers of the system."""
        if frame is None or not frame.file or not frame.line or frames.is_system(frame.file):
            return None
        key = (frame.file, frame.line, frame.column)
        if key not in self._codes:
            if len(self._codes) >= MOST_EXCERPTS:
                return None
            self._codes[key] = self._made(*key)
        return self._codes[key]

    def _made(self, path: str, line: int, column: int) -> Code | None:
        file = self._sources.find(path)
        cut = excerpt(file, line, column, WIDTH, CONTEXT) if file else None
        if cut is None:
            return None
        text = cut.texts[cut.focus].strip()
        return Code(f"code-{len(self._codes)}", tuple(_highlighted(path, cut)), line, cut.caret, text)


def _highlighted(path: str, cut: Excerpt) -> list[tuple[int, Markup]]:
    text = "\n".join(cut.texts)
    shown = highlight(text, _lexer(path), HtmlFormatter(nowrap=True)).split("\n")
    shown += [""] * (len(cut.numbers) - len(shown))
    return [(number, Markup(line)) for number, line in zip(cut.numbers, shown, strict=False)]


@cache
def _lexer(path: str) -> Lexer:
    try:
        return get_lexer_for_filename(path, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return CppLexer(stripnl=False, ensurenl=False)


@cache
def code_styles() -> Markup:
    """Style sheets of highlighted code for both colour schemes."""
    light = HtmlFormatter(style="default").get_style_defs(".code")
    dark = HtmlFormatter(style="github-dark").get_style_defs('[data-theme="dark"] .code')
    return Markup(f"{light}\n{dark}")
