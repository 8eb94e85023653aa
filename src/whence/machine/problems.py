"""Mistakes in programs and states, as those of rule files: each with its place, all together."""

from __future__ import annotations

from whence.rules.problems import TextError


class ProgramError(TextError):
    """A program of the calculus, or a state, is wrong; the message holds a line for each mistake."""
