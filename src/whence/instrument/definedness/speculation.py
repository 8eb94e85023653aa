"""Branches stay branches where an undefined value decides which values are looked at."""

from __future__ import annotations

from whence.instrument.passes.context import Context

_ATTRIBUTE = "sanitize_memory"
DEFINED = '"whence-defined"'
"""Of functions that take all values for defined (`whence.toolchain.exempt`). Without the other attribute,
LLVM inlines them in no function that has it."""


def forbid_speculation(context: Context) -> None:
    """Forbids LLVM to branch on values that the program did not branch on at that place.

    Before::

        define i32 @f(i32 %a) {
          ret i32 %a
        }

    After::

        define i32 @f(i32 %a) #0 {
          ret i32 %a
        }
        attributes #0 = { sanitize_memory }
    """
    for function in context.functions():
        if not function.attributes.has(DEFINED):
            function.attributes = function.attributes.with_(_ATTRIBUTE)
