"""Where the metadata of a module's text is, for passes that change text.

LLVM prints metadata last, nodes in the order of their numbers. Most of the lines of a module with debug
information are nodes or have nothing to do with them, so scans begin here.
"""

from __future__ import annotations

import re

_NUMBER = re.compile(r"!(\d+) = ")


def nodes_begin(text: str) -> int:
    """The index of the first line of metadata, or of the end."""
    at = 0 if text.startswith("!") else text.find("\n!") + 1
    return at if at or text.startswith("!") else len(text)


def first_free(text: str) -> int:
    """The lowest number above those of all nodes."""
    found = _NUMBER.match(text, text.rfind("\n!") + 1)
    return int(found[1]) + 1 if found else 0
