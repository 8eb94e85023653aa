"""Dictionaries: words that inputs may have, in the format of AFL and libFuzzer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from whence.errors import UserMistake

_LINE = re.compile(r'(?:[\w.@-]+\s*=\s*)?"(.*)"\Z')
_ESCAPE = re.compile(r'\\(?:x([0-9A-Fa-f]{2})|(["\\nrt]))')
_SHORT = {"n": "\n", "r": "\r", "t": "\t"}


def read_dictionaries(paths: Iterable[Path]) -> list[bytes]:
    """The words of some files; raises `UserMistake`."""
    return [word for path in paths for word in _words(path)]


def _words(path: Path) -> Iterable[bytes]:
    try:
        text = path.read_text("utf-8", "surrogateescape")
    except OSError as error:
        raise UserMistake(f"{path}: the dictionary cannot be read: {error.strerror}") from error
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        found = _LINE.match(line)
        if found is None:
            raise UserMistake(f'{path}:{number}: expected NAME="WORD", "WORD" or a comment')
        yield _decoded(found[1], f"{path}:{number}")


def _decoded(text: str, place: str) -> bytes:
    word, at = b"", 0
    while at < len(text):
        if text[at] != "\\":
            word += text[at].encode("utf-8", "surrogateescape")
            at += 1
            continue
        escape = _ESCAPE.match(text, at)
        if escape is None:
            raise UserMistake(f'{place}: expected \\\\, \\", \\n, \\r, \\t or \\xNN behind a backslash')
        word += bytes([int(escape[1], 16)]) if escape[1] else _SHORT.get(escape[2], escape[2]).encode()
        at = escape.end()
    return word
