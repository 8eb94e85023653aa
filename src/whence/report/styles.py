"""What is highlighted in a report, in rich's words, and which text may be shown at all."""

from __future__ import annotations

ERROR, WARNING, GUTTER, CARET = "bold red", "bold yellow", "blue", "bold red"
HEADING, DIM, FUNCTION, ADVICE, GOOD = "bold", "bright_black", "cyan", "green", "bold green"


def printable(text: str) -> str:
    """Text with every control character replaced: names and sources must not drive the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == " " else "\N{REPLACEMENT CHARACTER}" for c in text)
