"""The files of a cache directory: sealed entries ``<kind>/<key>``, and unfinished ones in ``<kind>/.new-…``.

A file ends in a seal, its size and checksum, which detects files that a crash or
a bad disk has truncated or changed. Linkers, the kernel and the dynamic linker
ignore bytes after the last part of an ELF file. Only files whose names are keys
(64 hexadecimal digits) are listed or removed.
"""

from __future__ import annotations

import contextlib
import os
import re
import struct
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from whence.toolchain.cache_trust import distrust_file

SCRATCH_PREFIX = ".new-"
DAMAGED = "is damaged"
_KEY = re.compile(r"[0-9a-f]{64}")
_SEAL = struct.Struct("<8sQQ")
_MAGIC = b"whence\0\1"
_CHUNK = 1 << 20
_PAGE = 4096


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of the cache: `size` in bytes on disk (whole pages), `used` in ns since the epoch."""

    kind: str
    key: str
    path: Path
    size: int
    used: int

    @property
    def name(self) -> str:
        """The name of its lock."""
        return f"{self.kind}/{self.key}"


def seal(path: Path) -> None:
    """Finishes a new file: appends its seal and removes write access of other users. Raises `OSError`."""
    with path.open("r+b") as file:
        checksum, size = _checksum(file)
        file.write(_SEAL.pack(_MAGIC, size, checksum))
    path.chmod(path.stat().st_mode & 0o755)


def check(path: Path) -> str | None:
    """Why the file at `path` is not used, None if it is; raises `OSError` if it cannot be read."""
    with _open(path) as file:
        status = os.fstat(file.fileno())
        reason = distrust_file(status)
        if reason is not None:
            return reason
        size = status.st_size - _SEAL.size
        if size < 0:
            return DAMAGED
        file.seek(size)
        expected = file.read(_SEAL.size)
        file.seek(0)
        checksum, _ = _checksum(file, size)
        return None if expected == _SEAL.pack(_MAGIC, size, checksum) else DAMAGED


def is_same(entry: Path, other: Path) -> bool:
    """Whether an entry can be used, and holds what `other`, which is sealed, does."""
    try:
        return check(entry) is None and _seal_of(entry) == _seal_of(other)
    except OSError:
        return False


def _seal_of(path: Path) -> bytes:
    """The size and checksum at the end of a sealed file."""
    with _open(path) as file:
        file.seek(-_SEAL.size, os.SEEK_END)
        return file.read(_SEAL.size)


def content(path: Path) -> bytes:
    """The content without the seal; raises `OSError`."""
    return path.read_bytes()[: -_SEAL.size]


def _open(path: Path) -> BinaryIO:
    return open(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK), "rb", buffering=0)


def _checksum(file: BinaryIO, limit: int | None = None) -> tuple[int, int]:
    """CRC-32 and number of the bytes from the current position to the end, at most `limit` bytes."""
    checksum = size = 0
    left = limit if limit is not None else 1 << 62
    while left and (data := file.read(min(_CHUNK, left))):
        checksum = zlib.crc32(data, checksum)
        size += len(data)
        left -= len(data)
    return checksum, size


def entries(directory: Path) -> Iterator[Entry]:
    """All entries, in any order, except those that are removed meanwhile."""
    for kind, name in _names(directory):
        if not _KEY.fullmatch(name):
            continue
        path = directory / kind / name
        try:
            status = path.lstat()
        except OSError:
            continue
        size = -(-status.st_size // _PAGE) * _PAGE
        yield Entry(kind, name, path, size, used(status))


def scratches(directory: Path) -> Iterator[tuple[str, Path]]:
    """The directories of unfinished entries, with the names of their locks."""
    for kind, name in _names(directory):
        if name.startswith(SCRATCH_PREFIX):
            yield f"{kind}/{name}", directory / kind / name


def _names(directory: Path) -> Iterator[tuple[str, str]]:
    for kind in _listed(directory):
        if kind.is_dir(follow_symlinks=False):
            for file in _listed(kind.path):
                yield kind.name, file.name


def _listed(directory: Path | str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as listing:
            return list(listing)
    except OSError:
        return []


def used(status: os.stat_result) -> int:
    """The time of the last use of an entry, in ns since the epoch."""
    return max(status.st_mtime_ns, status.st_atime_ns)


def touch(path: Path) -> None:
    """Sets the time of the last use to now, if the file system permits it."""
    with contextlib.suppress(OSError):
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))
