"""Machines without a C library to build with: clang alone says only that a header is not found."""

from __future__ import annotations

import os

from whence.toolchain import spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from whence.toolchain.clang import Clang

_HEADER = "/usr/include/stdio.h"
"""Where almost all machines with a C library have it: they are asked for nothing more."""
_START = "crt1.o"
_ELSEWHERE = ("--sysroot", "-isysroot", "-nostdinc", "-ffreestanding", "--target", "--version", "-print-")
"""Beginnings of options of command lines that want none, or another one."""


def sentence(clang: Clang, words: Sequence[str], header: str = _HEADER) -> str:
    """What to install before anything can be built; empty if that is there, or not wanted."""
    if os.path.exists(header) or any(word.startswith(_ELSEWHERE) for word in words):
        return ""
    found = spawn.output([*clang.command(False), f"-print-file-name={_START}"])
    if os.path.isabs(found):
        return ""
    return (
        "nothing can be built here, as the C library's headers and start files are missing: install gcc, or "
        "the C library's development files (Debian: libc6-dev); what was built elsewhere can be run"
    )


def linking(clang: Clang, *words: str) -> list[str]:
    """The command that links objects which need no library, by the machine's linker, else by the wheel's.

    words: for the linker, in a form that drivers of compilers pass on.
    """
    from shutil import which

    if clang.is_zig and which("ld") is None:
        return [clang.path, "ld.lld", *words]
    return [*clang.command(False), "-nostdlib", *words]
