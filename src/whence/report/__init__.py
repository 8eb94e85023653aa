"""Renderers: findings to text, JSON and other forms, each in its own file behind one protocol.

Renderers depend on `whence.findings` and not on engines, so every kind of
report can be made from hand-made findings. They are imported on first
use, because the last line of a clean run does not need their layout modules.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whence.report.base import Renderer
    from whence.report.json import JsonRenderer
    from whence.report.text import TextRenderer

__all__ = ["JsonRenderer", "Renderer", "TextRenderer"]

_MODULES = {"JsonRenderer": "json", "Renderer": "base", "TextRenderer": "text"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
