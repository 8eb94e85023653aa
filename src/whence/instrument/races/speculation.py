"""Loads stay where the program has them: one that it does not make would race."""

from __future__ import annotations

from whence.instrument.passes.context import Context

_ATTRIBUTE = "sanitize_thread"


def keep_loads(context: Context) -> None:
    """Forbids LLVM to load what the program does not load at that place.

    Before::

        define i32 @f(i32 %a) {
          ret i32 %a
        }

    After::

        define i32 @f(i32 %a) #0 {
          ret i32 %a
        }
        attributes #0 = { sanitize_thread }
    """
    for function in context.functions():
        function.attributes = function.attributes.with_(_ATTRIBUTE)
