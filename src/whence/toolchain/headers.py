"""The headers for programs (``whence/leak.h``, ``sanitizer/*.h``), and the library that they refer to."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VARIABLES = ("C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "OBJCPLUS_INCLUDE_PATH")

NO_LIBRARY = ("-fsanitize", "-r", "-nostdlib", "-nodefaultlibs")
"""Options, alone or with ``=value``, whose links do not get `absent_library`."""


def directory() -> str:
    """The folder of the headers, for ``-I``."""
    return os.path.join(_PACKAGE, "include")


def cmake_directory() -> str:
    """The folder of the package for CMake's ``find_package``."""
    return os.path.join(_PACKAGE, "cmake")


def absent_library() -> str:
    """The path of an archive with empty functions of the sanitizers' interface, for other programs."""
    return os.path.join(_PACKAGE, "_native", "libwhence-absent.a")


def harness_library() -> str:
    """The path of an archive with a `main` for programs that have LLVMFuzzerTestOneInput in place of it."""
    return os.path.join(_PACKAGE, "_native", "libwhence-harness.a")


def coverage_library() -> str:
    """The path of an archive with empty functions for code that is compiled for libFuzzer."""
    return os.path.join(_PACKAGE, "_native", "libwhence-coverage.a")


def library_words() -> tuple[str, ...]:
    """The words that add that archive to a link, none if it does not exist.

    They are words for the linker, because after ``-x c`` all others are sources.
    """
    path = absent_library()
    return ("-Xlinker", path) if os.path.isfile(path) else ()


def add_folder(environment: MutableMapping[str, str]) -> None:
    """Adds the folder of the headers to a compiler's environment, after the folders of the user."""
    for name in VARIABLES:
        before = environment.get(name)
        environment[name] = f"{before}{os.pathsep}{directory()}" if before else directory()
