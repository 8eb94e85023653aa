"""Removal of attributes and metadata that checks would violate.

A check may stop the program, and the bug that it finds is undefined behaviour.
The optimiser must not assume that neither happens, so the promises of attributes
and metadata are withdrawn before any pass of LLVM runs: even promotion to
registers turns the promises about a loaded value into assumptions.
"""

from __future__ import annotations

import re

from whence.instrument.naming.nodes import nodes_begin
from whence.instrument.passes.context import Context

_FUNCTION_PROMISES = ("optnone", "memory", "willreturn", "mustprogress", "speculatable", "nofree", "nosync")
_FUNCTION_FACTS = ("null_pointer_is_valid", '"frame-pointer"="all"', '"disable-tail-calls"="true"')

_PROMISES = re.compile(
    # "align" with a type attribute such as byval is part of the calling convention, and that of memcpy's
    # arguments selects the instructions that copy: these two stay
    r" (?:(?:noundef|nonnull)(?: align \d+)?|dereferenceable(?:_or_null)?\(\d+\)"
    r"|range\(i\d+ -?\d+, -?\d+\)|nofpclass\([a-z ]+\)|align \d+(?= (?:dereferenceable|ptr [@%])))(?=[ ,)])"
    r"|, !(?:nonnull|noundef|range|align|dereferenceable|dereferenceable_or_null|nofpclass) !\d+"
    r"|\n  (?:tail )?call void @llvm\.assume\([^\n]*"
)


def withdraw_values(text: str) -> str:
    """Withdraws the promises about values: of arguments, results, loads, and the program's assumptions.

    Before::

        declare nonnull ptr @get(i32 noundef)
        declare void @llvm.assume(i1)
        define i32 @f(ptr noundef nonnull align 8 dereferenceable(16) %0, i32 noundef %1) {
          %3 = load ptr, ptr %0, align 8, !nonnull !0, !noundef !0
          %4 = call nonnull ptr @get(i32 noundef %1)
          %5 = icmp ne ptr %4, null
          call void @llvm.assume(i1 %5)
          %6 = load i32, ptr %4, align 4
          ret i32 %6
        }
        !0 = !{}

    After::

        declare ptr @get(i32)
        declare void @llvm.assume(i1)
        define i32 @f(ptr %0, i32 %1) {
          %3 = load ptr, ptr %0, align 8
          %4 = call ptr @get(i32 %1)
          %5 = icmp ne ptr %4, null
          %6 = load i32, ptr %4, align 4
          ret i32 %6
        }
        !0 = !{}
    """
    begin = nodes_begin(text)
    return _PROMISES.sub("", text[:begin]) + text[begin:]


def withdraw_promises(context: Context) -> None:
    """Permits checks in definitions, and makes stack traces complete: frame pointers, no tail calls.

    Before::

        define i32 @f() #0 {
          ret i32 0
        }
        attributes #0 = { mustprogress nounwind willreturn memory(none) }

    After::

        define i32 @f() #1 {
          ret i32 0
        }
        attributes #0 = { mustprogress nounwind willreturn memory(none) }
        attributes #1 = { "disable-tail-calls"="true" "frame-pointer"="all" nounwind null_pointer_is_valid }
    """
    for function in context.functions():
        function.attributes = function.attributes.without(*_FUNCTION_PROMISES).with_(*_FUNCTION_FACTS)
