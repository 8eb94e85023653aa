"""How pip builds whence: as setuptools does, but what wheels need to run elsewhere is asked for, too."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

_PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def get_requires_for_build_wheel(config_settings: Mapping[str, Any] | None = None) -> list[str]:
    """Also the compiler of `build.portable_compiler`, unless ``$CC`` names another one."""
    found: list[str] = build_meta.get_requires_for_build_wheel(config_settings)
    if os.environ.get("CC"):
        return found
    dependencies = tomllib.loads(_PROJECT.read_text())["project"]["dependencies"]
    return [*found, *(each for each in dependencies if each.startswith("ziglang"))]
