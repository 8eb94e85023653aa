"""Small functions, which the quick tier inlines where undefined values are followed.

Each function has points, and most have a twin (`whence.instrument.definedness.twins`), so what C++ writes as
a chain of functions of a line would cost more than the optimiser that inlines it. LLVM's inliner comes with
a whole pipeline; here functions are marked, so that the pass for those that have to be inlined takes them.
"""

from __future__ import annotations

from collections.abc import Iterator

from whence import ir
from whence.instrument.definedness.speculation import DEFINED
from whence.instrument.passes.context import Context

_MARK = '"whence-small"'
_MOST = 24
"""The largest number of instructions of a small function, with those of the small ones that it calls."""
_OWN = ("internal", "private", "linkonce_odr")
"""Linkages of functions that need not stay, once their calls are gone."""
_APART = ("noinline", "optnone", "alwaysinline", "naked", "returns_twice", "presplitcoroutine", DEFINED)


def inline_small(context: Context) -> None:
    """Has LLVM inline small functions.

    Before::

        define internal i32 @f(i32 %a) {
          %b = add i32 %a, 1
          ret i32 %b
        }

    After::

        define internal i32 @f(i32 %a) #0 {
          %b = add i32 %a, 1
          ret i32 %b
        }
        attributes #0 = { "whence-small" alwaysinline }
    """
    for function in _Sizes(context).small():
        function.attributes = function.attributes.with_("alwaysinline", _MARK)


def keep_small(context: Context) -> None:
    """Makes those that are left, since their addresses are used, functions like others.

    Before::

        define internal i32 @f(i32 %a) #0 {
          %b = add i32 %a, 1
          ret i32 %b
        }
        attributes #0 = { "whence-small" alwaysinline }

    After::

        define internal i32 @f(i32 %a) {
          %b = add i32 %a, 1
          ret i32 %b
        }
        attributes #0 = { "whence-small" alwaysinline }
    """
    for function in context.module.definitions:
        if function.attributes.has(_MARK):
            function.attributes = function.attributes.without("alwaysinline", _MARK)


class _Sizes:
    """The sizes of functions with the small ones that they call, so that chains of those are bounded."""

    def __init__(self, context: Context) -> None:
        self._functions = {each.name: each for each in context.functions()}
        self._sizes: dict[str, int] = {}

    def small(self) -> Iterator[ir.Function]:
        """The functions to inline."""
        for name, function in self._functions.items():
            if self._is_own(function) and self._size(name) <= _MOST:
                yield function

    def _is_own(self, function: ir.Function) -> bool:
        return function.linkage in _OWN and not any(map(function.attributes.has, _APART))

    def _size(self, name: str) -> int:
        """More than `_MOST` if the function is not small, or leads to itself."""
        found = self._sizes.get(name)
        if found is None:
            self._sizes[name] = _MOST + 1
            found = self._sizes[name] = self._count(self._functions[name])
        return found

    def _count(self, function: ir.Function) -> int:
        size = 0
        for each in function.instructions():
            size += 1
            if size > _MOST:
                break
            callee = self._functions.get((each.callee or "") if isinstance(each, ir.Call) else "")
            if callee is not None and self._is_own(callee):
                inner = self._size(callee.name)
                size += inner if inner <= _MOST else 0
        return size
