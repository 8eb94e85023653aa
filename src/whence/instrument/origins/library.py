"""What library functions do with the memory that values lie in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from whence import ir
from whence.abi import library
from whence.abi.hops import HopKind
from whence.abi.intercepts import (
    CXX_CONDITIONS,
    CXX_NODES,
    CXX_READERS,
    CXX_STREAMS,
    CXX_TEXTS,
    CXX_WRITERS,
    LIBRARY,
)
from whence.abi.origins import BY, COPIERS, COPY_FORMS, NO_LIMIT, PARSERS, PRINTERS, READERS, WRITERS
from whence.instrument.naming.names import Names
from whence.instrument.origins import helpers
from whence.instrument.origins.copies import COPY
from whence.instrument.origins.emitter import Emitter, after
from whence.instrument.origins.sites import Sites

_ALLOCATIONS = library.having("new")
FREES = library.having("frees") - _ALLOCATIONS
_COPIES, _SORTS, _SETS = (library.having(each) for each in ("moves", "sorts", "sets"))
_GIVES = library.said("gives")
"""Functions that store a pointer to new memory where their first argument points, and how a result compares
with 0 if they have."""
_POINTER_BYTES = 8

FILLERS: Mapping[str, Mapping[int, int]] = MappingProxyType(library.sizes("fills", "stores"))
"""Functions without a wrapper that says what they write -> the arguments that say where, and how many
bytes."""
_QUIET = frozenset((*CXX_CONDITIONS, *CXX_NODES, *CXX_READERS))
_TITLES = {**CXX_WRITERS, **CXX_TEXTS, **CXX_STREAMS}
_SYNCHRONISATION = (
    *("pthread_mutex", "pthread_cond", "pthread_rwlock", "pthread_spin", "pthread_barrier"),
    *("mtx_", "cnd_", "sem_"),
)
"""What these write is only theirs."""
_SCANS = "scanf"
_READ_ONLY = ("memory(read)", "memory(none)", "memory(argmem: read)", "readonly", "readnone")


def is_allocation(name: str) -> bool:
    """Whether the function returns new memory."""
    return name in _ALLOCATIONS


def may_write(call: ir.Call, name: str) -> bool:
    """Whether the function has a wrapper that may announce what it writes, and nothing better is known of
    that."""
    if name not in LIBRARY or name in FILLERS or name in _QUIET or name.startswith(_SYNCHRONISATION):
        return False
    if name in _SORTS or name in READERS or name in WRITERS or (name in PARSERS and _SCANS in name):
        return False
    if name in COPIERS or name in _COPIES or name in _SETS or name in _ALLOCATIONS or name in FREES:
        return False
    return any(each.type == "ptr" for each in call.arguments) and not _only_reads(call, name)


def _only_reads(call: ir.Call, name: str) -> bool:
    """Whether headers say so, as of `strlen`."""
    callee = call.function.module.functions.get(name)
    known = [call.attributes, *([] if callee is None else [callee.attributes])]
    return any(said in each for each in known for said in _READ_ONLY)


class Effects:
    """Emits what calls of library functions do to cells."""

    def __init__(self, out: Emitter, names: Names) -> None:
        self._out = out
        self._names = names
        self._emit = out.behind

    def tell_input(self, call: ir.Call, name: str, sites: Sites) -> None:
        """Functions that take something from outside or from a text, or send something, are told where they
        are called."""
        pointer = call.callee_operand.value
        if name in PARSERS or (not name and pointer.startswith("%") and _may_parse(call)):
            function = name or f"(*{self._names.value(pointer) or '…'})"
            site = sites.site(call, HopKind.ARITHMETIC, f"{function}({self._names.arguments(call)})")
        elif name in READERS:
            site = sites.site(call, HopKind.OUTSIDE, name, "input")
        elif name in CXX_READERS:
            site = sites.site(call, HopKind.OUTSIDE, CXX_READERS[name], "input")
            sites.site(call, HopKind.RETURN, CXX_READERS[name])
        elif name in WRITERS:
            site = sites.site(call, HopKind.SENT, name)
        else:
            return
        self._out.call(call, helpers.CALLING, "void", f"ptr {site}")

    def of(self, call: ir.Call, name: str, nodes: list[str], site: Callable[..., str]) -> None:
        arguments = call.arguments

        def copying(source: int) -> str:
            """What is copied is behind the argument of this number."""
            return site(HopKind.COPY, name, self._names.place(arguments[source].value), word=BY)

        if name in FILLERS or may_write(call, name):
            self._write(call, name, site)
        if name in _SORTS:
            self._sort(call, copying(0), site(HopKind.WRITTEN, name))
        elif name == "memccpy":
            self._copy_up_to(call, copying(1))
        elif name == "bcopy":
            source, to, size = (each.value for each in arguments[:3])
            self._emit(call, COPY, f"ptr {copying(0)}, ptr {to}, ptr {source}, i64 {size}")
        elif name in COPIERS:
            self._copy_text(call, name, copying(COPIERS[name][1][0 if COPIERS[name][0] == "NEW" else 1]))
        elif name in _COPIES and len(arguments) >= 3:
            to, source, size = (str(each.value) for each in arguments[:3])
            self._emit(call, COPY, f"ptr {copying(1)}, ptr {to}, ptr {source}, i64 {size}")
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

    def _write(self, call: ir.Call, name: str, site: Callable[..., str]) -> None:
        """Says what is called in front of the call, and behind it that it has ended."""
        if after(call) is None:
            return
        title = _TITLES.get(name, name)
        where = site(HopKind.WRITTEN, title)
        if name in PRINTERS or name in _TITLES:
            site(HopKind.COPY, title)
            site(HopKind.ARITHMETIC, title if name in _TITLES else f"{name}({self._names.arguments(call)})")
            site(HopKind.OUTSIDE, title, "input")
        if name not in FILLERS:
            self._out.call(call, helpers.WRITING, "void", f"ptr {where}")
        for index, size in FILLERS.get(name, {}).items():
            to = call.arguments[index].value
            self._out.call(call, helpers.FILLING, "void", f"ptr {where}, ptr {to}, i64 {size}")
        self._emit(call, helpers.WRITTEN, f"ptr {where}")

    def _sort(self, call: ir.Call, moved: str, written: str) -> None:
        """The runtime keeps the elements before the call, and finds where each is behind it."""
        place = after(call)
        if place is None:
            return
        base, count, size = (each.value for each in call.arguments[:3])
        array = f"ptr {base}, i64 {count}, i64 {size}"
        kept = self._out.call(call, helpers.SORTING, "ptr", f"ptr {moved}, {array}")
        self._out.call(place, helpers.SORTED, "void", f"ptr {written}, {array}, ptr {kept}")

    def _copy_text(self, call: ir.Call, name: str, site: str) -> None:
        form, indices = COPIERS[name]
        values = [call.arguments[index].value for index in indices if index < len(call.arguments)]
        if form == "NEW":
            if not call.result:
                return
            values.insert(0, call.result)
        to, source, *limit = values
        most = limit[0] if limit else NO_LIMIT
        places = f"ptr {site}, ptr {to}, ptr {source}"
        self._emit(call, helpers.COPIED, f"{places}, i64 {most}, i64 {COPY_FORMS[form]}")

    def _copy_up_to(self, call: ir.Call, site: str) -> None:
        """Of `memccpy`: the result is behind what was copied, or null if that is all."""
        place = after(call)
        if place is None or not call.result:
            return
        to, source, _, size = (each.value for each in call.arguments[:4])
        end = place.insert_before(f"ptrtoint ptr {call.result} to i64").result
        begin = place.insert_before(f"ptrtoint ptr {to} to i64").result
        some = place.insert_before(f"sub i64 {end}, {begin}").result
        all_ = place.insert_before(f"icmp eq ptr {call.result}, null").result
        copied = place.insert_before(f"select i1 {all_}, i64 {size}, i64 {some}").result
        self._out.call(place, COPY, "void", f"ptr {site}, ptr {to}, ptr {source}, i64 {copied}")

    def _give(self, call: ir.Call, name: str, site: str) -> None:
        place = after(call)
        if place is None:
            return
        given = place.insert_before(f"icmp {_GIVES[name]} {call.type} {call.result}, 0").result
        size = place.insert_before(f"select i1 {given}, i64 {_POINTER_BYTES}, i64 0").result
        self._out.call(place, helpers.SET, "void", f"ptr {site}, ptr {call.arguments[0].value}, i64 {size}")


def _may_parse(call: ir.Call) -> bool:
    """Whether what a pointer leads to may compute a number from the text that is its first argument."""
    arguments = call.arguments
    return call.type in ("i32", "i64") and bool(arguments) and arguments[0].type == "ptr"
