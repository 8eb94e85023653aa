"""Which of several equal images a file gets in a run.

The dynamic linker makes one instance of a file, by whatever names it is loaded, and two of a file and a copy.
Images are cached by content, so a second file with the same content needs an image that is another file.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class _File:
    path: Path
    device: int
    inode: int

    def is_like(self, other: _File) -> bool:
        """Whether the dynamic linker would take both for one: it compares paths first, then inodes."""
        return self.path == other.path or (self.device, self.inode) == (other.device, other.inode)

    def is_there(self) -> bool:
        """Whether the path still leads to the file."""
        try:
            status = self.path.stat()
        except OSError:
            return False
        return (self.device, self.inode) == (status.st_dev, status.st_ino)


class Instances:
    """The files of one run that have equal images, in the order in which the run met them."""

    def __init__(self) -> None:
        self._files: dict[str, list[_File]] = {}
        self._holds = False
        self._held: dict[tuple[int, int], int] = {}

    def number(self, image: str, path: Path, *, shared: bool) -> int:
        """The number, from 0 on, of the image that a file gets of those with the digest `image`.

        shared: whether it is a library, of which a process may have several. A program that is gone leaves
        its number to the next one, because tests and configure scripts make the same one over and over.
        """
        file = self._file(path)
        files = self._files.setdefault(image, [])
        for number, known in enumerate(files):
            if known.is_like(file) or not (shared or known.is_there()):
                files[number] = file
                return number
        files.append(file)
        return len(files) - 1

    def hold(self) -> None:
        """Keeps the inodes of files from now on, until `close`.

        A process that has loaded a file keeps its inode, but checked ones load images: the number of a
        deleted file could be that of the next one.
        """
        self._holds = True

    def close(self) -> None:
        """Ends `hold`."""
        self._holds = False
        while self._held:
            os.close(self._held.popitem()[1])

    def _file(self, path: Path) -> _File:
        status = path.stat()
        identity = (status.st_dev, status.st_ino)
        if self._holds and identity not in self._held:
            with contextlib.suppress(OSError):  # no descriptor is left
                self._held[identity] = os.open(path, os.O_PATH | os.O_CLOEXEC)
        return _File(path, *identity)
