"""What an image has and a new link of its objects with IR has not.

An image that another linker joined has no record of its objects without IR. A new link that needs one of
them fails with an undefined symbol. One that only overrides weak definitions, or only has constructors,
would be left out without a sign. The symbol tables of both images show it; a stripped image shows nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from whence.symbols.elf import STB_GLOBAL, STT_FILE, STT_FUNC, STT_NOTYPE, STT_OBJECT, STT_TLS, Elf, ElfError
from whence.toolchain import options

_SUPPORT = options.words("""
    atexit at_quick_exit pthread_atfork mknod mknodat
    stat fstat lstat fstatat stat64 fstat64 lstat64 fstatat64
    """)
"""Functions that the C library adds to each image itself, by their names and those of their sources."""
_DRIVER_FILES = {f"{name}.c" for name in _SUPPORT} | options.words("""
    crt1.o Scrt1.o gcrt1.o crti.o crtn.o crtstuff.c start.S abi-note.c init.c static-reloc.c elf-init.c
    libgcc2.c unwind-dw2.c unwind-dw2-fde-dip.c unwind-c.c emutls.c
    """)
"""Sources of what compiler drivers add to a link, which differs between them and between kinds of images."""
_CXX_RUNTIME = "__gxx_personality_v0"
"""Where this is defined, the C++ library was linked statically; a new link takes the shared one."""


_DEFINED = (STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_TLS)
"""Kinds of symbols of functions and variables; those of assemblers have none."""


class _Symbols:
    """files: base names of the linked sources. functions: names of strong global definitions."""

    def __init__(self, path: Path) -> None:
        self.files: dict[str, None] = {}
        self.functions: dict[str, None] = {}
        descriptor = os.open(path, os.O_RDONLY)
        try:
            image = Elf(descriptor)
            self.dynamic = image.is_dynamic()
            for name, kind, binding in image.definitions():
                if kind == STT_FILE:
                    self.files[os.path.basename(os.fsdecode(name))] = None
                elif kind == STT_FUNC and binding == STB_GLOBAL:
                    self.functions[os.fsdecode(name)] = None
        finally:
            os.close(descriptor)


@dataclass(frozen=True)
class Lacking:
    """What the modules of an image do not account for.

    symbols: its functions and variables that none of them defines. files: base names of its sources that
    are not theirs. provided: the functions and variables that they define.
    """

    symbols: frozenset[str]
    files: frozenset[str]
    provided: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.symbols or self.files)


def lacking(image: Path, objects: Iterable[Path], sources: Iterable[str]) -> Lacking:
    """What an image has beside its modules; objects: those of the modules; sources: their paths.

    Raises `OSError` and `ElfError`.
    """
    provided: set[str] = set()
    known = {os.path.basename(source) for source in sources}
    for path in objects:
        files, names = _read(path)
        provided |= names
        known |= files
    files, names = _read(image)
    return Lacking(
        frozenset(name for name in names - provided - _SUPPORT if not _is_reserved(name) and "@" not in name),
        frozenset(files - known - _DRIVER_FILES - {""}),
        frozenset(provided),
    )


def _read(path: Path) -> tuple[set[str], set[str]]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return definitions(Elf(descriptor))
    finally:
        os.close(descriptor)


def definitions(image: Elf) -> tuple[set[str], set[str]]:
    """Base names of the linked sources, and names of the strong global functions and variables."""
    files, names = set(), set()
    for name, kind, binding in image.definitions():
        if kind == STT_FILE:
            files.add(os.path.basename(os.fsdecode(name)))
        elif kind in _DEFINED and binding == STB_GLOBAL:
            names.add(os.fsdecode(name))
    return files, names


def left_out(original: Path, relinked: Path, sources: Iterable[str]) -> str:
    """A phrase about code of `original` that `relinked` has not; empty if there is none.

    sources: the paths of the sources whose IR was linked. An image with a static C or C++ library is not
    compared, because the new link takes the shared one.
    """
    try:
        before, after = _Symbols(original), _Symbols(relinked)
    except (OSError, ElfError):
        return ""
    if not before.dynamic or _CXX_RUNTIME in before.functions.keys() - after.functions.keys():
        return ""
    for name in before.functions:
        if name not in after.functions and name not in _SUPPORT and not _is_reserved(name):
            return f"{name} is in one of those"
    known = {"", *after.files, *(os.path.basename(source) for source in sources), *_DRIVER_FILES}
    return next((f"one of those is made from {name}" for name in before.files if name not in known), "")


def _is_reserved(name: str) -> bool:
    """Whether compilers and the C library define functions of such names; mangled names of C++ are not."""
    return name.startswith("_") and not name.startswith("_Z")
