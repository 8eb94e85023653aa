"""Examines the machine: what whence finds on it, what is missing, and what that costs."""

from __future__ import annotations

from whence.doctor.model import Check, Examination, Status

__all__ = ["Check", "Examination", "Status", "examine"]


def examine() -> Examination:
    """Look at everything, and build and run two small programs; takes some seconds."""
    from whence.doctor import system, tools, trial

    return Examination((*tools.checks(), *system.checks(), *trial.checks()))
