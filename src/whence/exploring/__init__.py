"""Exploration of a program path by path (docs/explore.md): cheap to import, the solver is loaded late."""

from __future__ import annotations

from whence.exploring.results import Bound, Error, Exploration, Possible

__all__ = ["Bound", "Error", "Exploration", "Possible"]
