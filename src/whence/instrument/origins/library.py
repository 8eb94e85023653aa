"""What library functions do with the memory that values lie in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from whence import ir
from whence.chains import HopKind
from whence.instrument.origins import helpers
from whence.instrument.origins.copies import COPY
from whence.instrument.origins.emitter import Emitter, after

_ALLOCATIONS = frozenset(
    [
        "malloc",
        "calloc",
        "realloc",
        "reallocarray",
        "aligned_alloc",
        "memalign",
        "valloc",
        "pvalloc",
        "strdup",
        "strndup",
        "_Znwm",
        "_Znam",
        "_ZnwmRKSt9nothrow_t",
        "_ZnamRKSt9nothrow_t",
        "_ZnwmSt11align_val_t",
        "_ZnamSt11align_val_t",
    ]
)
FREES = frozenset(
    [
        "free",
        "cfree",
        "_ZdlPv",
        "_ZdaPv",
        "_ZdlPvm",
        "_ZdaPvm",
        "_ZdlPvSt11align_val_t",
        "_ZdaPvSt11align_val_t",
        "_ZdlPvmSt11align_val_t",
        "_ZdaPvmSt11align_val_t",
    ]
)
_COPIES = frozenset(["memcpy", "memmove", "mempcpy", "__memcpy_chk", "__memmove_chk", "__mempcpy_chk"])
_SETS = frozenset(["memset", "__memset_chk", "explicit_bzero", "bzero"])
_GIVES: Mapping[str, str] = MappingProxyType(
    {
        "posix_memalign": "eq",
        **dict.fromkeys(("asprintf", "vasprintf", "__asprintf_chk", "__vasprintf_chk"), "sge"),
        **dict.fromkeys(("getline", "getdelim", "__getdelim"), "sge"),
    }
)
"""Functions that store a pointer to new memory where their first argument points, and how a result compares
with 0 if they have."""
_POINTER_BYTES = 8


def is_allocation(name: str) -> bool:
    """Whether the function returns new memory."""
    return name in _ALLOCATIONS


class Effects:
    """Emits what calls of library functions do to cells."""

    def __init__(self, out: Emitter) -> None:
        self._out = out
        self._emit = out.behind

    def of(self, call: ir.Call, name: str, nodes: list[str], site: Callable[..., str]) -> None:
        arguments = call.arguments
        if name in _COPIES and len(arguments) >= 3:
            to, source, size = (str(each.value) for each in arguments[:3])
            where = site(HopKind.COPY, name)
            self._emit(call, COPY, f"ptr {where}, ptr {to}, ptr {source}, i64 {size}")
        elif name in _SETS and len(arguments) >= 2:
            size = arguments[1 if "zero" in name else 2].value
            where = site(HopKind.CONSTANT, f"bytes by {name}")
            self._emit(call, helpers.SET, f"ptr {where}, ptr {arguments[0].value}, i64 {size}")
        elif name == "calloc" and call.result:
            where = site(HopKind.INITIAL, "zero by calloc")
            sizes = ", ".join(f"i64 {each.value}" for each in arguments[:2])
            self._emit(call, helpers.ZEROED, f"ptr {where}, ptr {call.result}, {sizes}")
        elif name == "realloc" and call.result:
            where = site(HopKind.COPY, "realloc")
            sizes = f"ptr {where}, ptr {call.result}, ptr {arguments[0].value}, i64 {arguments[1].value}"
            # what is inserted later comes first
            self._emit(call, helpers.FREED, f"i32 {nodes[0]}, ptr {arguments[0].value}")
            self._emit(call, COPY, sizes)
        elif name in _GIVES and call.result:
            self._give(call, name, site(HopKind.ALLOCATION, name))

    def _give(self, call: ir.Call, name: str, site: str) -> None:
        place = after(call)
        if place is None:
            return
        given = place.insert_before(f"icmp {_GIVES[name]} {call.type} {call.result}, 0").result
        size = place.insert_before(f"select i1 {given}, i64 {_POINTER_BYTES}, i64 0").result
        self._out.call(place, helpers.SET, "void", f"ptr {site}, ptr {call.arguments[0].value}, i64 {size}")
