"""The headers that programs may include (``whence/leak.h``, ``sanitizer/*.h``), and what those refer to."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VARIABLES = ("C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "OBJCPLUS_INCLUDE_PATH")


def directory() -> str:
    """The folder to search for them, as after ``-I``."""
    return os.path.join(_PACKAGE, "include")


def absent_library() -> str:
    """An archive of the sanitizers' interface that does nothing, for programs without sanitizer."""
    return os.path.join(_PACKAGE, "_native", "libwhence-absent.a")


def offer(environment: MutableMapping[str, str]) -> None:
    """Have a compiler that is started with this environment find them, after all that the user names."""
    for name in VARIABLES:
        before = environment.get(name)
        environment[name] = f"{before}{os.pathsep}{directory()}" if before else directory()
