"""Reading ``ar`` archives, thin ones included, and writing plain ones."""

from __future__ import annotations

import os

from whence.symbols.elf import read_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

MAGIC = b"!<arch>\n"
THIN = b"!<thin>\n"
HEADER = 60
MAX_MEMBERS = 1 << 20
MAX_NAMES = 64 << 20


class ArchiveError(Exception):
    """The archive is damaged; the message says how, without the path."""


class Member:
    """One member: contents are `size` bytes at `offset` of the archive, or the file `path` (thin archive)."""

    __slots__ = ("name", "offset", "path", "size")

    def __init__(self, name: str, offset: int, size: int, path: str | None) -> None:
        self.name = name
        self.offset = offset
        self.size = size
        self.path = path


def is_archive(start: bytes) -> bool:
    """Whether a file that begins with these bytes is an archive."""
    return start[:8] in (MAGIC, THIN)


def members(descriptor: int, path: str) -> Iterator[Member]:
    """The members of an archive except symbol tables; raises `ArchiveError`.

    `path`: the archive's path, to whose directory the members of a thin archive are relative.
    """
    total = os.fstat(descriptor).st_size
    thin = read_at(descriptor, 0, 8) == THIN
    names = b""
    position = 8
    for _ in range(MAX_MEMBERS):
        if position >= total:
            return
        header = read_at(descriptor, position, HEADER)
        if len(header) < HEADER or header[58:60] != b"`\n":
            raise ArchiveError(f"the archive is damaged at byte {position}")
        raw, size = header[:16].rstrip(b" "), _number(header[48:58], position)
        start = position + HEADER
        special = raw in (b"/", b"//", b"/SYM64/") or raw.startswith(b"__.SYMDEF")
        stored = 0 if thin and not special else size
        if start + stored > total:
            raise ArchiveError(f"the archive is truncated at byte {position}")
        if raw == b"//":
            names = read_at(descriptor, start, min(size, MAX_NAMES))
        elif not special:
            yield _member(descriptor, path, raw, names, (start, size, thin))
        position = start + stored + (stored & 1)
    raise ArchiveError("the archive claims to have too many members")


def _number(field: bytes, position: int) -> int:
    text = field.strip()
    if not text.isdigit():
        raise ArchiveError(f"the archive is damaged at byte {position}")
    return int(text)


def _member(descriptor: int, path: str, raw: bytes, names: bytes, place: tuple[int, int, bool]) -> Member:
    start, size, thin = place
    if raw.startswith(b"#1/") and raw[3:].isdigit():  # BSD: the name precedes the contents
        length = min(int(raw[3:]), size, 4096)
        name = read_at(descriptor, start, length).rstrip(b"\0")
        return Member(os.fsdecode(name), start + length, size - length, None)
    if raw.startswith(b"/") and raw[1:].isdigit():
        offset = int(raw[1:])
        end = names.find(b"\n", offset)
        name = names[offset : end if end >= 0 else len(names)].removesuffix(b"/")
    else:
        name = raw.removesuffix(b"/")
    text = os.fsdecode(name)
    return Member(text, start, size, os.path.join(os.path.dirname(path), text) if thin else None)


def write(path: str, contents: Iterable[tuple[str, str]]) -> None:
    """Write an archive without symbol table from (member name, file path) pairs; for ``--whole-archive``."""
    pairs = list(contents)
    names = b"".join(os.fsencode(name) + b"/\n" for name, _ in pairs)
    with open(path, "wb") as stream:
        stream.write(MAGIC)
        _put(stream.write, b"//", names)
        offset = 0
        for name, file in pairs:
            with open(file, "rb") as member:
                _put(stream.write, b"/%d" % offset, member.read())
            offset += len(os.fsencode(name)) + 2


def _put(emit: Callable[[bytes], int], name: bytes, data: bytes) -> None:
    emit(b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name, 0, 0, 0, b"644", len(data)))
    emit(data)
    if len(data) & 1:
        emit(b"\n")
