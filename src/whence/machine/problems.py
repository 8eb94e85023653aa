"""The error for mistakes in programs and states, which all have a place."""

from __future__ import annotations

from whence.rules.problems import TextError


class ProgramError(TextError):
    """A program of the calculus, or a state, is wrong; the message holds a line for each mistake."""
