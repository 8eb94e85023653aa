"""References to the C library become references to the runtime.

Before: ``call ptr @strcpy(ptr %a, ptr %b) #4``; after:
``call ptr @__whence_strcpy(ptr %a, ptr %b)``. Address-taken functions are
renamed as well. A function that the program itself defines stays its own.

Renaming happens before any optimisation. The optimiser knows nothing of the new
names, so it neither removes a pair of malloc and free nor turns a bad
``strcpy`` into something else.
"""

from __future__ import annotations

from collections.abc import Collection

from whence import ir
from whence.abi.intercepts import RUNTIME_SYMBOLS

_PROMISES = (
    "memory",
    "willreturn",
    "mustprogress",
    "nofree",
    "nosync",
    "nocallback",
    "speculatable",
    "builtin",
    "nobuiltin",
    "allockind",
    "allocsize",
    "alloc-family",
    '"alloc-family"',
    "norecurse",
)
"""Attributes that let the optimiser delete, merge or move a call."""

_UNSHARED = "noalias"
"""Of a returned block: the last stores to it would be deleted, and the leak search reads them."""


def redirect(module: ir.Module, own: Collection[str]) -> set[str]:
    """Rename what the runtime provides, but for the functions in `own`; returns the new names."""
    renames = {
        function.name: RUNTIME_SYMBOLS[function.name]
        for function in module.declarations
        if function.name in RUNTIME_SYMBOLS and function.name not in own
    }
    module.rename(renames)
    renamed = set(renames.values())
    for function in module.declarations:
        if function.name in renamed:
            function.remove_attributes(*_PROMISES)
            function.return_attributes = function.return_attributes.without(_UNSHARED)
    return renamed


def free_calls(function: ir.Function, redirected: Collection[str]) -> None:
    """Take from the calls to redirected functions the promises of the function they replace.

    `nomerge` keeps two calls in two branches from becoming one without a line.
    """
    for instruction in function.instructions():
        if isinstance(instruction, ir.Call) and instruction.callee in redirected:
            instruction.attributes = instruction.attributes.without(*_PROMISES).with_("nomerge")
            instruction.return_attributes = instruction.return_attributes.without(_UNSHARED)
