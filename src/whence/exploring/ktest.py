"""KLEE's format of tests (``.ktest``), version 3: numbers are big-endian words of 32 bits."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence

_VERSION = 3


def _bytes(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def encoded(arguments: Sequence[str], inputs: Mapping[str, bytes]) -> bytes:
    """A test: the arguments as they are without symbolic ones, and the objects."""
    words = [word.encode("utf-8", "surrogateescape") for word in arguments]
    parts = [b"KTEST", struct.pack(">II", _VERSION, len(words)), *map(_bytes, words)]
    parts.append(struct.pack(">III", 0, 0, len(inputs)))
    for name, data in inputs.items():
        parts += [_bytes(_klee_name(name).encode("utf-8", "surrogateescape")), _bytes(data)]
    return b"".join(parts)


def _klee_name(name: str) -> str:
    """KLEE's name for an object: `arg00`, `stdin`, a file's name; that of the program for its memory."""
    kind, _, rest = name.partition(":")
    if kind == "arg" and rest.isdecimal():
        return f"arg{int(rest) - 1:02}"
    return re.sub(r"#\d+$", "", rest) if kind == "memory" else rest or name
