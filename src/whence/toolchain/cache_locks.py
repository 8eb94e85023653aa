"""Locks on names inside a directory, all on one file.

Each name is one byte of ``.lock``, chosen by digest, locked as an open file
description lock (fcntl(2)): one descriptor for any number of names, the
kernel releases them with the process, and two threads of a process exclude
each other as two processes do. Two names with the same byte exclude each other
needlessly, which does no harm.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import struct
from pathlib import Path

_FLOCK = struct.Struct("@hhqqi")
_BUSY = (errno.EAGAIN, errno.EACCES)


def byte_of(name: str) -> int:
    """The offset of the byte of the lock file for a name."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:7], "little")


class Locks:
    """The locks of one run in `directory`; no method waits for a lock."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / ".lock"
        self._file: int | None = None

    def share(self, name: str) -> bool:
        """Takes a shared lock on `name`; false while another run has it exclusively.

        Also true where locks are not possible (in a directory without write
        access, on a file system without locks), because no run can seize a name there.
        """
        return self._apply(fcntl.F_RDLCK, name) is not False

    def seize(self, name: str) -> bool:
        """Takes an exclusive lock on `name`; false if another run has a lock on it, or without locks."""
        return self._apply(fcntl.F_WRLCK, name) is True

    def release(self, name: str) -> None:
        self._apply(fcntl.F_UNLCK, name)

    def close(self) -> None:
        """Releases all locks."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _apply(self, kind: int, name: str) -> bool | None:
        """Whether the lock was obtained; None where locks are not possible."""
        if self._file is None:
            with contextlib.suppress(OSError):
                flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
                self._file = os.open(self.path, flags, 0o600)
        if self._file is None:
            return None
        try:
            fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, _FLOCK.pack(kind, os.SEEK_SET, byte_of(name), 1, 0))
        except OSError as error:
            return False if error.errno in _BUSY else None
        return True
