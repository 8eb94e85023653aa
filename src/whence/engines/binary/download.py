"""``whence doctor --get-valgrind``: Debian's package, unpacked for one user without root."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from whence.engines.binary.core import Core, below, downloaded
from whence.errors import ToolLimit
from whence.toolchain.removal import remove_tree

PACKAGE = "valgrind"
_SECONDS = 600


def download() -> Core:
    """Fetch the package with this machine's own sources of packages, and unpack it into the cache.

    Raises `ToolLimit` if that fails.
    """
    place = downloaded()
    with tempfile.TemporaryDirectory(prefix="whence-valgrind-") as name:
        folder = Path(name)
        _run(["apt-get", "download", PACKAGE], folder, "download")
        files = sorted(folder.glob("*.deb"))
        if not files:
            raise ToolLimit(f"apt-get download {PACKAGE} left no package")
        if place.exists():
            remove_tree(place)
        place.mkdir(parents=True)
        _run(["dpkg-deb", "-x", str(files[0]), str(place)], folder, "unpack")
    found = below(place)
    if found is None or not found.is_usable:
        raise ToolLimit(f"the package {files[0].name} has no core that engine binary can use")
    return found


def _run(command: Sequence[str], folder: Path, what: str) -> None:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=_SECONDS
        )
    except FileNotFoundError:
        raise ToolLimit(
            f"{command[0]} is not here: only packages of Debian and its relatives can be fetched; install "
            "Valgrind with its static libraries, and name the folder in WHENCE_VALGRIND"
        ) from None
    except subprocess.TimeoutExpired:
        raise ToolLimit(f"{command[0]} did not end within {_SECONDS} seconds") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        raise ToolLimit(f"cannot {what} the package {PACKAGE}: {lines[-1]}")
