"""Valgrind's core on this machine: the static libraries and headers that a tool of one's own is linked with.

Debian's package ``valgrind`` has them; other distributions have a package for developers. What is needed
beside them at run time is Valgrind's own folder of helpers.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from whence.errors import WhenceError

VARIABLE = "WHENCE_VALGRIND"
"""A folder with Valgrind as a package has it (``usr/lib``, ``usr/include``), or an installed prefix."""

ARCHIVES = ("libcoregrind-amd64-linux.a", "libvex-amd64-linux.a")
HEADER = "pub_tool_tooliface.h"
PRELOADED = "vgpreload_core-amd64-linux.so"

REMEDY = "apt-get install valgrind, or without root: whence doctor --get-valgrind"

_MULTIARCH = "x86_64-linux-gnu"

OLDEST = (3, 19)
"""The version from which on its interface to tools is the one that ours uses."""
_VERSION = re.compile(r'^#define PACKAGE_VERSION "((\d+)\.(\d+)[^"]*)"', re.M)


class NoCore(WhenceError):
    """There is no core; the message says what to install."""


@dataclass(frozen=True)
class Core:
    """libraries: the folder of `ARCHIVES`. headers: that of `HEADER`. helpers: for VALGRIND_LIB."""

    libraries: Path
    headers: Path
    helpers: Path

    @property
    def archives(self) -> tuple[Path, ...]:
        return tuple(self.libraries / name for name in ARCHIVES)

    def identity(self) -> str:
        """A text that changes with the core's files."""
        stats = ((path, path.stat()) for path in self.archives)
        return repr([self.helpers, *((str(path), stat.st_size, stat.st_mtime_ns) for path, stat in stats)])

    @property
    def version(self) -> str:
        """As in 3.19.0; empty if the headers do not say."""
        found = self._version()
        return found[1] if found else ""

    @property
    def is_usable(self) -> bool:
        """Whether it is of a version that a tool of ours can be linked with, as far as is known."""
        found = self._version()
        return found is None or (int(found[2]), int(found[3])) >= OLDEST

    def _version(self) -> re.Match[str] | None:
        try:
            return _VERSION.search((self.headers / "config.h").read_text(errors="replace"))
        except OSError:
            return None


def get() -> Core:
    """The core of this machine; raises `NoCore`."""
    old = ""
    for prefix in _prefixes():
        found = below(prefix)
        if found is not None and found.is_usable:
            return found
        if found is not None:
            old = f" (that in {found.libraries} is {found.version}, 3.19 or later is needed)"
    raise NoCore(f"Valgrind's core is not here{old}: {REMEDY}")


def _prefixes() -> Iterator[Path]:
    if named := os.environ.get(VARIABLE):
        yield Path(named)
        return
    yield Path("/usr")
    yield Path("/usr/local")
    if command := shutil.which("valgrind"):
        yield Path(command).resolve().parents[1]
    yield downloaded() / "usr"


def places() -> list[Path]:
    """Files of which one appears or changes when a core is installed or another one."""
    return [prefix / "lib" / _MULTIARCH / "valgrind" / ARCHIVES[0] for prefix in _prefixes()]


def downloaded() -> Path:
    """Where ``whence doctor --get-valgrind`` unpacks the package."""
    from whence.toolchain.cache import default_directory

    return default_directory() / "valgrind"


def below(prefix: Path) -> Core | None:
    """The core in an installed or unpacked folder; None if that has none."""
    for root in (prefix, prefix / "usr"):
        places = [root / each for each in (f"lib/{_MULTIARCH}", "lib64", "lib", "libexec")]
        libraries = next((at / "valgrind" for at in places if _holds(at / "valgrind", ARCHIVES)), None)
        helpers = next((at / "valgrind" for at in places[::-1] if _holds(at / "valgrind", [PRELOADED])), None)
        headers = root / "include" / "valgrind"
        if libraries and helpers and _holds(headers, [HEADER]):
            return Core(libraries, headers, helpers)
    return None


def _holds(folder: Path, names: tuple[str, ...] | list[str]) -> bool:
    return all((folder / name).is_file() for name in names)
