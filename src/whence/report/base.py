"""The protocol that all renderers follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from whence.findings import Finding, RunInfo


class Renderer(Protocol):
    """Turns the findings of one run into one document."""

    def render(self, findings: Sequence[Finding], run: RunInfo) -> str:
        """The whole report, ending in a newline; well-formed for no findings too."""
        ...
