"""Large functions call the helpers that others have inlined.

A helper is a few branches to a quick way. Where a function has thousands of them, as a generated one with a
switch of hundreds of cases does, the time to allocate its registers grows faster than its code.
"""

from __future__ import annotations

from typing import TypeGuard

from whence import ir
from whence.instrument.markers.prefixes import ORIGINS

MOST = 1000
"""Calls of helpers that are inlined into one function at most."""


def keep_calls(function: ir.Function) -> None:
    """Forbids to inline helpers (``call … noinline``) in a function with more of them."""
    calls = [each for each in function.instructions() if _is_helper(each)]
    if len(calls) > MOST:
        for call in calls:
            call.attributes = call.attributes.with_("noinline")


def _is_helper(each: ir.Instruction) -> TypeGuard[ir.Call]:
    return isinstance(each, ir.Call) and (each.callee or "").startswith(ORIGINS)
