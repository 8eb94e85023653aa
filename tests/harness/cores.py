"""Valgrind's core for tests, which else find none: all machines choose the same engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from whence.engines.binary import core


def found() -> core.Core | None:
    """That of this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(core.VARIABLE, raising=False)
        try:
            return core.get()
        except core.NoCore:
            return None


Compile = Callable[..., Path]
"""The fixture `compile_`: compiles a program that carries no IR (tests/engines/conftest.py)."""

CORE = found()
needs_core = pytest.mark.skipif(CORE is None, reason="no core of Valgrind")
