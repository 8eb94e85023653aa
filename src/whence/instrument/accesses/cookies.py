"""Array cookies: the number of elements that ``new T[n]`` stores before the first element.

The front end does so where the elements have destructors or ``delete[]`` is given a size. The cookie is in
the block that operator new[] returned, so nothing but its state tells it from the elements. The runtime gives
it one where the front end's own sequence shows a cookie beyond doubt: the count is stored through the result
of the call itself, which requests as many elements and the cookie. Variables are still in memory here, so
there is a load in between where a program does the same by hand.

All that reads a cookie is ``delete[]``, in the function that calls operator delete[].
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from whence import ir
from whence.abi.layout import GRANULE
from whence.instrument.markers.declarations import COOKIE, COOKIE_READ, UNCHECKED
from whence.instrument.passes.context import Context

_COUNT = 8
"""Bytes of the number of elements, the last ones of the cookie."""

_SIZES = tuple(_COUNT << shift for shift in range(30))
"""The sizes of cookies: 8, or the alignment of the elements if that is more."""

_NEW = frozenset(
    ("_Znam", "_ZnamRKSt9nothrow_t", "_ZnamSt11align_val_t", "_ZnamSt11align_val_tRKSt9nothrow_t")
)
_OPERATORS = ("_Znw", "_Zna", "_Zdl", "_Zda")
_DELETE = re.compile(r"_Zda|_Z\w+?daEPv")
_OF_CLASS = re.compile(r"_Z\w+?daEPvm?(?:St11align_val_t)?\Z")


def mark_cookies(context: Context) -> None:
    """Gives the runtime the cookies of new arrays, and exempts the front end's accesses to them.

    An operator of the program itself may access the whole block. So no cookie is marked in a program with
    an operator new or delete of its own, and an operator delete[] of a class removes the mark.

    Before::

        declare ptr @_Znam(i64)
        declare void @_ZdaPv(ptr)
        define void @f() {
          %1 = call ptr @_Znam(i64 36)
          store i64 7, ptr %1, align 8
          %2 = getelementptr inbounds i8, ptr %1, i64 8
          %3 = getelementptr inbounds i8, ptr %2, i64 -8
          %4 = load i64, ptr %3, align 4
          call void @_ZdaPv(ptr %3)
          ret void
        }

    After::

        declare ptr @_Znam(i64)
        declare void @_ZdaPv(ptr)
        define void @f() {
          %1 = call ptr @_Znam(i64 36)
          store i64 7, ptr %1, align 8, !whence.unchecked !{}
          call void @__whence_cookie(ptr %1, i64 8) nomerge
          %2 = getelementptr inbounds i8, ptr %1, i64 8
          %3 = getelementptr inbounds i8, ptr %2, i64 -8
          call void @__whence_cookie_read(ptr %3) nomerge
          %4 = load i64, ptr %3, align 4, !whence.unchecked !{}
          call void @_ZdaPv(ptr %3)
          ret void
        }
    """
    names = context.module.functions
    replaced = any(name.startswith(_OPERATORS) for name in context.own)
    allocates = not (replaced or names.keys().isdisjoint(_NEW))
    if not allocates and not any(_DELETE.match(name) for name in names):
        return
    for function in context.functions():
        if allocates and any("@_Znam" in line for line in function.lines()):
            _mark_new(function, context.used)
        if any("daPv" in line or "daEPv" in line for line in function.lines()):
            _mark_reads(function, context.used)
        if _OF_CLASS.match(function.name):
            context.used.add(COOKIE)
            pointer = function.parameters[0].name
            function.entry.insertion_point.insert_before(f"call void @{COOKIE}(ptr {pointer}, i64 0) nomerge")


# ---- new[] ----


def _mark_new(function: ir.Function, used: set[str]) -> None:
    for store in [each for each in function.instructions() if isinstance(each, ir.Store)]:
        block, offset = _place(function, store.pointer)
        size = offset + _COUNT
        call = function.definition_of(block)
        if not isinstance(call, ir.Call) or call.callee not in _NEW or store.value_type != "i64":
            continue
        if size % GRANULE or not _has_cookie(function, call.arguments[0].value, store.value, size):
            continue
        used.add(COOKIE)
        store.rewrite(f"{store.text}, {UNCHECKED}")
        store.insert_after(f"call void @{COOKIE}(ptr {block}, i64 {size}) nomerge")


def _has_cookie(function: ir.Function, requested: str, count: str, cookie: int) -> bool:
    """Whether so many bytes are requested for `count` elements and a cookie."""
    if requested.isdigit() and count.isdigit():
        elements, number = int(requested) - cookie, int(count)
        return elements % number == 0 and elements > 0 if number else elements == 0
    checked = function.definition_of(requested)
    if not isinstance(checked, ir.Select) or checked.operands[1].value != "-1":
        return False
    total = function.definition_of(checked.operands[2].value)
    added = function.definition_of(total.operands[0].value) if isinstance(total, ir.ExtractValue) else None
    if not isinstance(added, ir.Call) or added.callee != "llvm.uadd.with.overflow.i64":
        return False
    return added.arguments[1].value == str(cookie)


# ---- delete[] ----


def _mark_reads(function: ir.Function, used: set[str]) -> None:
    freed = set(_freed(function))
    for load in [each for each in function.instructions() if isinstance(each, ir.Load)]:
        base, offset = _place(function, load.pointer)
        if load.value_type == "i64" and any((base, offset + _COUNT - size) in freed for size in _SIZES):
            used.add(COOKIE_READ)
            load.rewrite(f"{load.text}, {UNCHECKED}")
            load.insert_before(f"call void @{COOKIE_READ}(ptr {load.pointer}) nomerge")


def _freed(function: ir.Function) -> Iterator[tuple[str, int]]:
    """The places of the blocks that operator delete[] is given."""
    for call in function.instructions():
        if isinstance(call, ir.Call) and _DELETE.match(call.callee or ""):
            yield _place(function, call.arguments[0].value)


def _place(function: ir.Function, pointer: str) -> tuple[str, int]:
    """The value that a pointer was computed from by adding bytes, and how many."""
    offset = 0
    while True:
        step = function.definition_of(pointer)
        if not isinstance(step, ir.GetElementPtr) or step.source_type != "i8":
            return pointer, offset
        distance = step.constant_offset
        if distance is None:
            return pointer, offset
        pointer, offset = step.base, offset + distance
