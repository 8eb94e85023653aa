"""Facts and documents as plain data, which JSON takes.

Each field of a dataclass is a key; its metadata are one of the forms below where its value is not shown as it
is. What has another shape defines `document`.
"""

from __future__ import annotations

from dataclasses import fields
from enum import Enum
from functools import cache
from types import MappingProxyType
from typing import Any

_FORM = "whence"
ADDRESS, POINTER, KNOWN, SPARSE, OWN = (
    MappingProxyType({_FORM: form}) for form in ("address", "pointer", "known", "sparse", "own")
)
"""ADDRESS: hexadecimal, since a JSON number cannot hold 64 bits everywhere. POINTER: the same, null for 0.
KNOWN: null where it is empty or 0. SPARSE: left out there. OWN: never shown."""


def plain(value: object) -> Any:
    """The value in types of JSON; text for any reader: bytes that are not UTF-8 (surrogates) are replaced."""
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return value.encode(errors="surrogateescape").decode(errors="replace")
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    own = getattr(value, "document", None)
    return shown(value) if own is None else own()


def shown(value: Any) -> dict[str, Any]:
    """The fields of a dataclass, each in its form."""
    made = {}
    for name, form in _forms(value.__class__):
        held = getattr(value, name)
        if form != "sparse" or held:
            made[name] = _formed(held, form)
    return made


@cache
def _forms(kind: Any) -> tuple[tuple[str, str | None], ...]:
    """The fields of a class that are shown, each with its form."""
    forms = ((each.name, each.metadata.get(_FORM)) for each in fields(kind))
    return tuple((name, form) for name, form in forms if form != "own")


def _formed(held: Any, form: str | None) -> Any:
    if form in ("address", "pointer"):
        return None if held is None or (form == "pointer" and not held) else hexadecimal(held)
    return plain(held or None if form == "known" else held)


def hexadecimal(address: int) -> str:
    """64 bits as any reader takes them; a negative number is in two's complement."""
    return f"{address & (1 << 64) - 1:#x}"
