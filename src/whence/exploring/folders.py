"""The folder in which a program with symbolic files runs; each path finds it as the first one did."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path


class OwnFolder:
    """A new folder with files of some sizes, whose names may lead through folders below it."""

    def __init__(self, place: Path, files: Mapping[str, int]) -> None:
        self.place = place
        self._files: dict[Path, set[str]] = {}
        self._folders: dict[Path, set[str]] = {}
        self._add(place)
        for name, size in files.items():
            path = place / name
            self._add(path.parent)
            self._files[path.parent].add(path.name)
            path.write_bytes(bytes(size))

    def _add(self, folder: Path) -> None:
        if folder in self._files:
            return
        if folder != self.place:
            self._add(folder.parent)
            self._folders[folder.parent].add(folder.name)
        folder.mkdir()
        self._files[folder], self._folders[folder] = set(), set()

    def tidy(self) -> None:
        """Remove what a path has put there; its files get their bytes when the next path begins."""
        for folder in self._files:
            with os.scandir(folder) as entries:
                wrong = [each for each in entries if each.name not in self._names(folder, each)]
            for each in wrong:
                _remove(each.path)
            for name in self._folders[folder]:
                (folder / name).mkdir(exist_ok=True)

    def _names(self, folder: Path, entry: os.DirEntry[str]) -> set[str]:
        """Those that an entry of its kind may have."""
        if entry.is_dir(follow_symlinks=False):
            return self._folders[folder]
        return self._files[folder] if entry.is_file(follow_symlinks=False) else set()


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.unlink(path)
