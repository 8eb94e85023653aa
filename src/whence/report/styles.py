"""The styles of a report for rich, and the replacement of unprintable text."""

from __future__ import annotations

ERROR, WARNING, GUTTER, CARET = "bold red", "bold yellow", "blue", "bold red"
HEADING, DIM, FUNCTION, ADVICE, GOOD = "bold", "bright_black", "cyan", "green", "bold green"


def printable(text: str) -> str:
    """Text with every control character replaced: names and sources must not control the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == " " else "\N{REPLACEMENT CHARACTER}" for c in text)
