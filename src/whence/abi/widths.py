"""Widths of accesses, in bytes."""

from __future__ import annotations

VALUE_WIDTHS = (1, 2, 4, 8)
"""Of the integers and pointers that one step reads or writes: in the machine and the rule language."""
CHECKED_WIDTHS = (*VALUE_WIDTHS, 16)
"""Of the accesses of generated code that have checks of their own; all others pass their size."""
