"""Renderers: findings to text, JSON and other forms, each in its own file behind one protocol.

Renderers know `whence.findings` and nothing of engines, so every kind of
report can be made from hand-made findings.
"""

from whence.report.base import Renderer
from whence.report.json import JsonRenderer
from whence.report.text import TextRenderer

__all__ = ["JsonRenderer", "Renderer", "TextRenderer"]
