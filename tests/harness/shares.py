"""What is built once for all processes of a test session."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def common(factory: pytest.TempPathFactory, name: str) -> Path:
    """A folder of that name, the same for all processes of this session. It may not exist yet."""
    base = factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The common folder, filled by `make` in the first process that asks; others wait for it."""
    folder = common(factory, name)
    done = folder / ".done"
    with folder.with_name(f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            folder.mkdir(exist_ok=True)
            make(folder)
            done.touch()
    return folder
