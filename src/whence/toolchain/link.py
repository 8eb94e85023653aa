"""The record of a link as typed data; `whence.toolchain.record` writes it, `relink` makes the link again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from whence.toolchain import blob

KINDS = ("exe", "pie", "shared", "object")
ITEM_KINDS = ("driver", "ld", "ldfile", "search", "library", "object", "archive", "shared", "file")


@dataclass(frozen=True)
class LinkItem:
    """One part of a link line, in order. Field by `kind`:

    - ``driver``, ``ld``: `words` for the driver or for the linker
    - ``ldfile``: `words` ``(option, separator)`` that reads the file `path`, its bytes in `content`
    - ``search``: a ``-L`` folder `path`
    - ``library``: `words` ``("-lNAME",)``, `path` where it was found outside the system's folders, or ''
    - ``object``: `modules` it carries, else `content`; `parts` when it came from ``ld -r``;
      `code` says whether there are instructions in it
    - ``archive``: `parts` are the members that were linked
    - ``shared``, ``file``: an input used as it is, at `path`

    `content` is the SHA-256 of an attached file, or ''.
    """

    kind: str
    words: tuple[str, ...] = ()
    path: str = ""
    modules: tuple[str, ...] = ()
    content: str = ""
    parts: tuple[LinkItem, ...] = ()
    code: bool = False


@dataclass(frozen=True)
class LinkRecord:
    """The record of an image's link.

    `recorded` is false if the image has no record (plain ld or gcc linked it) and
    this one is a guess from the image; `files`: digest -> zlib-compressed contents.
    """

    kind: str
    cxx: bool
    cwd: str
    items: tuple[LinkItem, ...]
    recorded: bool = True
    frontend: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    def attachment(self, digest: str) -> bytes:
        """Contents of an attached file; raises `BlobError` when it is damaged or absent."""
        if digest not in self.files:
            raise blob.BlobError("a file that the link needs is missing from the record")
        return blob.inflate(self.files[digest], blob.MAX_BITCODE)

    def modules(self) -> list[str]:
        """Digests of all modules in link order, each once."""
        return list(dict.fromkeys(_modules(self.items)))

    def native(self) -> list[str]:
        """Names of the objects with code but without modules, whose code runs uninstrumented."""
        return list(dict.fromkeys(_native(self.items)))

    def libraries(self) -> list[str]:
        """Paths of the shared libraries outside the system's folders that the link line names."""
        return [item.path for item in self.items if item.kind in ("shared", "library") and item.path]


def _modules(items: Iterable[LinkItem]) -> Iterator[str]:
    for item in items:
        if item.parts:
            yield from _modules(item.parts)
        else:
            yield from item.modules


def _native(items: Iterable[LinkItem]) -> Iterator[str]:
    for item in items:
        name = os.path.basename(item.path)
        if item.kind == "archive":
            yield from (f"{name}({member})" for member in _native(item.parts))
        elif item.parts:
            yield from _native(item.parts)
        elif item.code and not item.modules:
            yield name


def decode(record: Mapping[str, Any], files: Mapping[str, bytes]) -> LinkRecord:
    """The typed form of a stored record; raises `BlobError` when a field is missing or of the wrong type."""
    try:
        kind = record["kind"]
        if kind not in KINDS:
            raise ValueError(kind)
        items = tuple(_item(item, 0) for item in record["items"])
        cwd, frontend = _text(record["cwd"]), _text(record.get("frontend", ""))
        return LinkRecord(kind, bool(record["cxx"]), cwd, items, True, frontend, files)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise blob.BlobError("the link record is damaged") from error


def _text(value: object) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise ValueError("not a text")
    return value


def _item(item: Mapping[str, Any], depth: int) -> LinkItem:
    if depth > 32 or item["t"] not in ITEM_KINDS:
        raise ValueError("unknown item")
    parts = item.get("b") or item.get("n") or ()
    return LinkItem(
        kind=item["t"],
        words=tuple(_text(word) for word in item.get("w", ())),
        path=_text(item.get("p", "")),
        modules=tuple(_text(digest) for digest in item.get("m", ())),
        content=_text(item.get("f", "")),
        parts=tuple(_item(part, depth + 1) for part in parts),
        code=bool(item.get("c", False)),
    )
