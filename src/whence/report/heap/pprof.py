"""A heap profile as pprof reads it: profile.proto, written by hand and compressed."""

from __future__ import annotations

import gzip
from collections.abc import Iterable

from whence.findings.heap import HeapProfile
from whence.report.heap.measures import MEASURES, OTHERS, name_of

_NAMES = {"total": "alloc", "end": "inuse", "peak": "peak", "temporary": "temporary"}
"""Measures as pprof's users know them."""
_VARINT, _BYTES = 0, 2
"""Kinds of fields."""


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value) if value else b""


def _bytes(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(len(content)) + content


def _packed(field: int, values: Iterable[int]) -> bytes:
    return _bytes(field, b"".join(map(_varint, values)))


class _Strings:
    """The table of strings, whose first one is empty."""

    def __init__(self) -> None:
        self.all = {"": 0}

    def of(self, text: str) -> int:
        return self.all.setdefault(text, len(self.all))


def render(profile: HeapProfile) -> bytes:
    """The file: blocks and bytes of call paths, in total, alive at the end and at the peak, and temporary."""
    strings = _Strings()
    parts = [
        _bytes(1, _number(1, strings.of(f"{name}_{what}")) + _number(2, strings.of(unit)))
        for name in _NAMES.values()
        for what, unit in (("objects", "count"), ("space", "bytes"))
    ]
    others = len(profile.frames) + 1
    for process in profile.processes:
        label = _number(1, strings.of("process")) + _number(2, strings.of(f"{process.name} ({process.pid})"))
        for stack in process.stacks:
            totals = [MEASURES[name].of(stack) for name in _NAMES]
            values = [value for each in totals for value in (each.blocks, each.bytes)]
            places = [1 + number for number in stack.frames] or [others]
            parts.append(_bytes(2, _packed(1, places) + _packed(2, values) + _bytes(3, label)))
    functions: dict[tuple[str, str, str], int] = {}
    for number, frame in enumerate(profile.frames, 1):
        key = (name_of(frame), frame.function or "", frame.file or frame.module or "")
        function = functions.setdefault(key, len(functions) + 1)
        line = _number(1, function) + _number(2, frame.line)
        parts.append(_bytes(4, _number(1, number) + _number(3, frame.pc) + _bytes(4, line)))
    unknown = functions.setdefault((OTHERS, "", ""), len(functions) + 1)
    parts.append(_bytes(4, _number(1, others) + _bytes(4, _number(1, unknown))))
    for (name, system, file), number in functions.items():
        words = _number(2, strings.of(name)) + _number(3, strings.of(system)) + _number(4, strings.of(file))
        parts.append(_bytes(5, _number(1, number) + words))
    chosen = _number(14, strings.of("peak_space"))
    table = b"".join(_bytes(6, text.encode("utf-8", "surrogateescape")) for text in strings.all)
    return gzip.compress(b"".join(parts) + table + chosen, mtime=0)
