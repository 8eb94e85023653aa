"""Which archive members a link used, from the map file of GNU ld, gold or lld."""

from __future__ import annotations

import os
import re

_MEMBER = re.compile(rb"([^/()\n]+)\(([^\n]+?)\)(?=[\s:]|$)", re.MULTILINE)
"""``libx.a(member.o)``; the first group may begin with columns of numbers and blanks."""


class LinkMap:
    """The text of a map file, searchable by archive and member."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._archives: dict[bytes, set[bytes]] = {}
        for match in _MEMBER.finditer(text):
            self._archives.setdefault(match[2], set()).add(match[1])

    def has(self, archive: str, member: str) -> bool:
        """Whether a member of the archive at a path was linked; only the archive's file name is compared."""
        name = os.fsencode(os.path.basename(archive))
        for found in self._archives.get(os.fsencode(member), ()):
            if found == name or (found.endswith(name) and found[-len(name) - 1 : -len(name)].isspace()):
                return True
        return False

    def mentions(self, path: str) -> bool:
        """Whether the file of a thin archive's member was linked; its path may be the tail of another one."""
        whole = rb"(?<![^\s(:])" + re.escape(os.fsencode(path)) + rb"(?![^\s):])"
        return re.search(whole, self._text) is not None
