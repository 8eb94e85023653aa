"""Renaming symbols in text: a batch in one pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from whence.ir.lexer import GLOBAL, quote

QUOTE = '"'
_SYMBOL = re.compile(rf'{GLOBAL}|"[^"\n]*"')


def renamer(names: Mapping[str, str]) -> Callable[[str], str]:
    """A function that replaces references to the plain names in a text, except in strings."""
    tokens = {}
    for old, new in names.items():
        token = quote(old)
        tokens["@" + token] = tokens[f'@"{token.strip(QUOTE)}"'] = "@" + quote(new)
    get = tokens.get

    def replace(match: re.Match[str]) -> str:
        token = match[0]
        return get(token, token)

    def rename(text: str) -> str:
        return _SYMBOL.sub(replace, text) if "@" in text else text

    return rename
