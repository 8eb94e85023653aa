"""Removal of directories where few file descriptors are left."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def remove_tree(folder: Path) -> None:
    """Removes a tree as far as possible, with fewer open descriptors than `shutil.rmtree` needs.

    A command has descriptors of its own where this process has none left.
    """
    _remove_here(folder)
    if os.path.lexists(folder):
        with contextlib.suppress(OSError):
            os.waitpid(os.posix_spawnp("rm", ["rm", "-rf", "--", str(folder)], os.environ), 0)


def _remove_here(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            path = folder / name
            if path.is_dir() and not path.is_symlink():
                _remove_here(path)
            else:
                path.unlink()
        folder.rmdir()
