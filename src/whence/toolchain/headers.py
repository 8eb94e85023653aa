"""The headers that programs may include: ``whence/leak.h``."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

_VARIABLES = ("C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "OBJCPLUS_INCLUDE_PATH")


def directory() -> str:
    """The folder to search for them, as after ``-I``."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "include")


def offer(environment: MutableMapping[str, str]) -> None:
    """Have a compiler that is started with this environment find them, after all that the user names."""
    for name in _VARIABLES:
        before = environment.get(name)
        environment[name] = f"{before}{os.pathsep}{directory()}" if before else directory()
