"""Files that are replaced as a whole: whoever reads one finds the old content or the new one."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

DEVICES = ("/dev/", "/proc/")
"""Where names stand for descriptors and devices."""


def replace_text(path: Path, text: str) -> None:
    """Writes a text file; as `replace_bytes`."""
    replace_bytes(path, text.encode("utf-8", "surrogateescape"))


def replace_bytes(path: Path, content: bytes) -> None:
    """Writes a file: beside it first, under a name of its own, where it can be replaced; else in place.

    Raises `OSError`; then a file that can be replaced is as it was, or gone if it was empty.
    """
    target = replaceable(path)
    try:
        if target is None or not _replaced(target, content):
            path.write_bytes(content)
    except OSError:
        with contextlib.suppress(OSError):
            if target is not None and not target.stat().st_size:
                target.unlink()
        raise


def replaceable(path: Path) -> Path | None:
    """The file that a name leads to, if another one may take its place: no device, not shared with other
    names or owners. None otherwise, and if there is none."""
    for _ in range(40):
        if os.path.abspath(path).startswith(DEVICES):
            return None
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    try:
        status = path.stat()
    except OSError:
        return None
    own = status.st_uid == os.geteuid() and status.st_nlink == 1
    return path if stat.S_ISREG(status.st_mode) and own else None


def _replaced(target: Path, content: bytes) -> bool:
    """Whether a file could be made beside the other one; of one that cannot be written nothing is left."""
    beside = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}")
    try:
        file = open(beside, "xb")  # noqa: SIM115
    except OSError:
        return False
    try:
        with file:
            file.write(content)
            os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
        beside.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    return True
