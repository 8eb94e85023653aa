"""Pruning of a cache to its limit: removes the least recently used entries, except those in use."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from whence.errors import UserMistake
from whence.toolchain.cache_files import Entry, entries, scratches, used
from whence.toolchain.cache_locks import Locks

DEFAULT_SIZE = 5 << 30
"""Bytes."""

SIZE_VARIABLE = "WHENCE_CACHE_SIZE"

_UNITS = "KMGT"
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(?:([KMGT])(?:I?B)?|B)?", re.IGNORECASE)
_PRUNING = "prune"
"""The name of the lock that only one pruner has; no entry has this name."""


def parse_size(text: str, where: str) -> int:
    """Bytes from ``500M``, ``5 GiB``, ``1073741824`` (units are powers of 1024).

    Raises `UserMistake`, which begins with `where`, the source of the text.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UserMistake(f"{where}: '{text}' is no size (expected a number and K, M, G or T, as in 5G)")
    factor = 1024 ** (_UNITS.index(match[2].upper()) + 1) if match[2] else 1
    return int(float(match[1]) * factor)


def format_size(size: int) -> str:
    """``1.5 GiB``, ``312 KiB``, ``17 bytes``."""
    if size < 1024:
        return f"{size} bytes"
    power = min((size.bit_length() - 1) // 10, len(_UNITS))
    return f"{size / 1024**power:.1f}".removesuffix(".0") + f" {_UNITS[power - 1]}iB"


@dataclass(frozen=True, slots=True)
class Pruned:
    """The result of pruning: the entries and bytes removed, the bytes `left`, the `busy` entries in use.

    `refused`: nothing was removed, because another process prunes or locks are not possible.
    """

    removed: int = 0
    freed: int = 0
    left: int = 0
    busy: int = 0
    refused: bool = False


def prune(directory: Path, limit: int) -> Pruned:
    """Removes entries until at most `limit` bytes are left, or only entries in use.

    Other processes may fill, use and prune the directory meanwhile; of two
    pruners one removes nothing.
    """
    if not directory.is_dir():
        return Pruned()
    locks = Locks(directory)
    try:
        found = sorted(entries(directory), key=lambda entry: entry.used)
        if not locks.seize(_PRUNING):
            return Pruned(left=sum(entry.size for entry in found), refused=True)
        _remove_leftovers(directory, locks)
        return _prune(found, limit, locks)
    finally:
        locks.close()


def _prune(found: Iterable[Entry], limit: int, locks: Locks) -> Pruned:
    found = list(found)
    left = sum(entry.size for entry in found)
    removed = freed = busy = 0
    for entry in found:
        if left <= limit:
            break
        if not locks.seize(entry.name):
            busy += 1
            continue
        try:
            if used(entry.path.lstat()) <= entry.used:  # else it was used after it was listed
                entry.path.unlink()
                removed, freed, left = removed + 1, freed + entry.size, left - entry.size
        except FileNotFoundError:
            left -= entry.size
        except OSError:
            busy += 1
        finally:
            locks.release(entry.name)
    return Pruned(removed, freed, left, busy)


def _remove_leftovers(directory: Path, locks: Locks) -> None:
    """Removes the unfinished entries of killed runs."""
    for name, path in scratches(directory):
        if locks.seize(name):
            with contextlib.suppress(OSError):
                shutil.rmtree(path)
            locks.release(name)
