"""Local names in the text of instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from whence.ir.lexer import LOCAL

VALUE = re.compile(rf'({LOCAL})|"[^"\n]*"')
"""A local name, in the group, or a text that is none."""


def locals_of(text: str) -> Iterator[str]:
    """The local names in the text of an instruction."""
    for match in VALUE.finditer(text):
        if match[1]:
            yield match[1]
