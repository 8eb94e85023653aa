"""Whether the engine for clusters is installed: an optional extra of the package."""

from __future__ import annotations

import importlib.util

from whence.errors import UserMistake


def check_installed() -> None:
    """Raises `UserMistake` without the engine."""
    if importlib.util.find_spec("distributed") is None:
        raise UserMistake("--cluster needs dask.distributed: pip install 'whence[cluster]'")
