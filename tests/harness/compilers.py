"""Which front ends the tests use: the clang of the ziglang package, and in some tests every other one.

Whatever is on PATH, a session builds with the package's clang, unless the user set ``WHENCE_CLANG``: its
outcome is the same on every machine. The others are those on PATH, and those whose paths stand in
``WHENCE_TEST_CLANGS``, separated by colons.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from whence.toolchain.clang import NEWEST, OLDEST, Clang, find_clang

VARIABLE = "WHENCE_TEST_CLANGS"


def settle() -> None:
    """Have this session, and the processes that it starts, build with the package's clang."""
    package = importlib.util.find_spec("ziglang")
    if package is not None and package.origin is not None:
        os.environ.setdefault("WHENCE_CLANG", str(Path(package.origin).parent / "zig"))


@cache
def others() -> dict[str, str]:
    """Paths of the other clangs by names that tell them apart; raises `AssertionError` for a wrong path."""
    found: dict[str, str] = {}
    used = os.path.realpath(find_clang().path)
    named = [path for path in os.environ.get(VARIABLE, "").split(":") if path]
    names = ["clang", *(f"clang-{major}" for major in range(NEWEST, OLDEST - 1, -1))]
    for path in [*named, *filter(None, map(shutil.which, names))]:
        real = os.path.realpath(path)
        version = _version(path)
        assert version or path not in named, f"{VARIABLE}: {path} is no clang"
        major = int(version.partition(".")[0] or 0)
        if OLDEST <= major <= NEWEST and real != used and real not in map(os.path.realpath, found.values()):
            name = f"clang-{version}"
            found[name if name not in found else f"{name}-{len(found)}"] = path
    return found


def _version(path: str) -> str:
    """``19.1.7``; empty if it does not answer like a clang, as our own wrapper under that name."""
    if os.path.basename(os.path.realpath(path)).startswith("whence"):
        return ""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True)
    except OSError:
        return ""
    _, _, after = done.stdout.partition("clang version ")
    return after.split(maxsplit=1)[0].split("-")[0] if after else ""


def describe(clang: Clang) -> str:
    return f"clang {'.'.join(map(str, clang.version))} ({clang.path})"


def pytest_report_header() -> list[str]:
    """Names the compilers of the session."""
    listed = ", ".join(f"{name} ({path})" for name, path in others().items())
    return [f"front end: {describe(find_clang())}; others: {listed or 'none'}", f"python: {sys.executable}"]
