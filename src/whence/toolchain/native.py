"""The libraries that were compiled when whence was installed (``runtime/build.py``)."""

from __future__ import annotations

import os
from pathlib import Path

from whence.errors import ToolLimit

REMEDY = "install whence again where a C compiler is found (pip install .)"
"""What to do about a library that is missing or wrong."""

_FOLDER = "WHENCE_NATIVE"
"""For whoever works on the runtime: a folder with another build of the libraries."""


def native_path(name: str) -> Path:
    """Where a library should be."""
    folder = os.environ.get(_FOLDER)
    return (Path(folder) if folder else Path(__file__).parents[1] / "_native") / name


def native_library(name: str) -> Path:
    """Where a library is; raises `ToolLimit` if it was not built."""
    path = native_path(name)
    if not path.is_file():
        raise ToolLimit(f"{path} is missing: {REMEDY}")
    return path
