"""Inputs as people read them: bytes that print as text, all others escaped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from whence.abi import symbolic
from whence.exploring.inputs import COUNT

_MOST = 60
"""Bytes of one object that are shown."""
_ESCAPES = {0x22: '\\"', 0x5C: "\\\\", 9: "\\t", 10: "\\n", 13: "\\r"}
_TEXTS = (symbolic.OBJECT_NAMES["ARGUMENT"], symbolic.OBJECT_NAMES["ENVIRONMENT"])


def quoted(data: bytes) -> str:
    r"""The bytes as a string of C that is also one of Python: ``"a\x00\n"``; a long one is cut off."""
    shown = "".join(map(_shown, data[:_MOST]))
    more = f"… ({len(data)} bytes)" if len(data) > _MOST else ""
    return f'"{shown}"{more}'


def _shown(byte: int) -> str:
    if byte in _ESCAPES:
        return _ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}"


def sentences(inputs: Mapping[str, bytes]) -> Iterator[str]:
    """One for each object: ``stdin = "ab"``. Arguments and variables end at their first zero byte.

    Memory of the sizes of numbers is also shown as a signed one.
    """
    for name, data in inputs.items():
        if name == COUNT:
            continue
        if name.startswith(_TEXTS):
            data = data.partition(b"\0")[0]
        number = ""
        if name.startswith(symbolic.OBJECT_NAMES["MEMORY"]) and len(data) in (1, 2, 4, 8):
            number = f", as a number {int.from_bytes(data, 'little', signed=True)}"
        yield f"{name} = {quoted(data)}{number}"
