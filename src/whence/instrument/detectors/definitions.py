"""The part of the filter module that one instrumented module needs.

The filter module defines every marker. A small module uses few of them, and reading all takes longer than
compiling it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_PARTS = re.compile(r"^(?:define\b.*?^\}|[^\n]+)$", re.MULTILINE | re.DOTALL)
_DEFINED = re.compile(r"(?:define|declare)\b[^@]*@([\w.$]+)|@([\w.$]+) =", re.ASCII)
_NAME = re.compile(r"@([\w.$]+)", re.ASCII)


def needed(text: str, names: Iterable[str]) -> str:
    """What `text` says of some symbols, of those that they refer to, and of no symbol at all."""
    symbols, others = _parts(text)
    waiting, chosen = list(names), set[str]()
    while waiting:
        name = waiting.pop()
        if name in symbols and name not in chosen:
            chosen.add(name)
            waiting += symbols[name][1]
    return "\n".join([*(symbols[name][0] for name in symbols if name in chosen), *others]) + "\n"


@lru_cache(maxsize=4)
def _parts(text: str) -> tuple[dict[str, tuple[str, frozenset[str]]], list[str]]:
    """Definitions and declarations with the names in them, by their symbols, and the other lines."""
    symbols: dict[str, tuple[str, frozenset[str]]] = {}
    others = []
    for part in _PARTS.findall(text):
        found = _DEFINED.match(part)
        if found is None:
            others.append(part)
        else:
            name = found[1] or found[2]
            symbols[name] = part, frozenset(_NAME.findall(part)) - {name}
    return symbols, others
