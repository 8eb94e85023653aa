"""What the optimiser may assume about the functions of a checked program.

A check may stop the program, and the bug that it is about to find is
undefined behaviour; promises that would let the optimiser reason past either
are withdrawn before it runs.
"""

from __future__ import annotations

import re

from whence import ir

_FUNCTION_PROMISES = ("optnone", "memory", "willreturn", "mustprogress", "speculatable", "nofree", "nosync")
_FUNCTION_FACTS = ("null_pointer_is_valid", '"frame-pointer"="all"', '"disable-tail-calls"="true"')

_SPECULATION = re.compile(
    r" (?:dereferenceable|dereferenceable_or_null)\(\d+\)|, !(?:dereferenceable|dereferenceable_or_null) !\d+"
)


def allow_speculation(text: str) -> str:
    """The module's text without the facts that let a load move before its check."""
    return _SPECULATION.sub("", text)


def withdraw_promises(function: ir.Function) -> None:
    """Make a definition fit to hold checks, and its stack traces complete: frame pointer, no tail calls."""
    function.remove_attributes(*_FUNCTION_PROMISES)
    function.add_attributes(*_FUNCTION_FACTS)
