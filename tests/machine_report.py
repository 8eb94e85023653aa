"""``python3 -m tests.machine_report``: what is on this machine, and what `make demo` and `make test` lack.

The README promises both commands on Debian's plain image with Python 3.11, gcc, g++, make, cmake and git.
What else they start is optional, and is named with what is left out without it. The exit status is 1 where
something needed is missing.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NEEDED = {
    "gcc": "gcc",
    "g++": "g++",
    "make": "make",
    "cmake": "cmake",
    "git": "git",
    "ld": "binutils",
    "ar": "binutils",
    "objdump": "binutils",
}
"""Commands that `make demo` and `make test` start, and the Debian packages that have them."""

OPTIONAL = {
    "gdb": "tests of debuggers are left out",
    "lldb": "tests of debuggers are left out",
    "valgrind": "nothing is compared with Memcheck",
    "meson": "nothing is built with Meson",
    "ninja": "nothing is built with Ninja",
    "clang": "nothing is repeated with another front end",
    "gfortran": "nothing is linked by gfortran",
    "ld.lld": "nothing is linked by lld",
}
"""Commands that some tests use where they are, and what happens without."""

LIBRARIES = ("libc.so", "libstdc++.so", "libasan.so", "libubsan.so", "libtsan.so", "liblsan.so", "libomp.so")
HEADERS = {"stdio.h": "libc6-dev", "pthread.h": "libc6-dev", "linux/limits.h": "linux-libc-dev"}


def found() -> Iterator[str]:
    """Lines about the machine, compilers, debuggers and libraries."""
    yield f"{_system()}, {len(os.sched_getaffinity(0))} processors, Python {platform.python_version()}"
    for name in [*NEEDED, *OPTIONAL]:
        path = shutil.which(name)
        without = f" ({OPTIONAL[name]})" if name in OPTIONAL else ""
        yield f"{name}: {f'{path}, {_version(path)}' if path else f'none{without}'}"
    for name in LIBRARIES:
        yield f"{name}: {_library(name)}"


def missing() -> Iterator[str]:
    """What the README's commands need and the machine lacks, a sentence each."""
    if sys.version_info < (3, 11):  # noqa: UP036  whichever Python starts this
        yield f"Python is {platform.python_version()}: install Python 3.11 or later"
    if importlib.util.find_spec("ensurepip") is None:
        yield "this Python makes no virtual environments: install what it lacks (Debian: python3-venv)"
    for name, package in NEEDED.items():
        if shutil.which(name) is None:
            yield f"there is no {name} on PATH: install it (Debian: {package})"
    for name, package in HEADERS.items():
        if shutil.which("gcc") and not _has_header(name):
            yield f"gcc finds no {name}: install it (Debian: {package})"


def _has_header(name: str) -> bool:
    command = ["gcc", "-E", "-x", "c", "-", "-o", os.devnull]
    return subprocess.run(command, input=f"#include <{name}>\n".encode(), capture_output=True).returncode == 0


def _system() -> str:
    release = Path("/etc/os-release")
    lines = release.read_text().splitlines() if release.exists() else []
    names = [line.partition("=")[2].strip('"') for line in lines if line.startswith("PRETTY_NAME=")]
    return f"{names[0] if names else platform.system()} {platform.machine()}"


def _version(path: str) -> str:
    done = subprocess.run([path, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    lines = (done.stdout or done.stderr).splitlines()
    return lines[0].strip() if lines else "version unknown"


def _library(name: str) -> str:
    """Where gcc finds a library; its bare name stands for nowhere."""
    if shutil.which("gcc") is None:
        return "none"
    done = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True)
    path = done.stdout.strip()
    return path if os.path.isabs(path) else "none"


def main() -> int:
    for line in found():
        print(line)
    lacking = list(missing())
    for sentence in lacking:
        print(f"make demo and make test cannot run: {sentence}", file=sys.stderr)
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
