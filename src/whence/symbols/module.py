"""What one ELF file knows about its addresses.

Its debug information is read where an address asks for it (`whence.symbols.dwarf`), in the file itself or
where the system has installed it apart; the symbol table names what it says nothing of.

What is found in a system library whose debug information is installed apart is kept for later runs: many
findings have the same few frames there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os.path
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from whence import __version__
from whence.errors import WhenceError
from whence.errors.shortage import shortage
from whence.symbols.demangle import function_name
from whence.symbols.elf import PT_LOAD, SECTION, SHT_DYNSYM, SHT_SYMTAB, SYMBOL, Elf, ElfError

if TYPE_CHECKING:
    from whence.symbols.debugfile import DebugFile
    from whence.symbols.dwarf import Dwarf, Site

PLACES = "places"
"""The kind of entries that hold the places at an address."""

_APART = "/usr/lib/debug/.build-id"
_BUILD_ID = ".note.gnu.build-id"
_NOTE = 16
"""Bytes before the ID."""
_FORMAT = 2
"""Of kept places; a higher one makes them anew."""
_NAMING = frozenset((0, 1, 2, 10))
"""Types of symbols that may name code or data: none, object, function, one that is chosen at run time."""


class Kept(Protocol):
    """Where places stay for later runs, as in `whence.toolchain.cache.Cache`."""

    def read(self, kind: str, key: str) -> bytes | None: ...

    def add(self, kind: str, key: str, content: bytes) -> object: ...


@dataclass(frozen=True, slots=True)
class Place:
    """One function at an address; the innermost of several inlined ones comes first.

    `linkage`: the symbol that the address lies in; only the outermost, which is none inlined, has it.
    """

    function: str | None
    file: str | None = None
    line: int = 0
    column: int = 0
    linkage: str | None = None


class Module:
    """An executable or shared library on disk; addresses are its ELF virtual addresses.

    A file that cannot be read, or not as ELF, is a module that knows nothing; `problem` then says why.
    `unread` says which names are there and were not read. `kept`: has what earlier runs have found; None: it
    is found anew.
    """

    def __init__(self, path: str, kept: Kept | None = None) -> None:
        self.path = path
        self._kept = kept
        self.problem: str | None = None
        self.unread: str | None = None
        self._segments: list[tuple[int, int, int]] = []
        self._files: list[DebugFile] | None = None
        self._dwarf: Dwarf | None = None
        self._symbols: Symbols | None = None
        self._places: dict[int, tuple[Place, ...]] = {}
        self._identity = ""
        try:
            self._read()
        # The file may hold anything, and there may be no such file.
        except Exception as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not a readable ELF file"
            self.problem = f"{path}: {reason}"

    def _read(self) -> None:
        """Segments as (file offset, file size, virtual address)."""
        with open(self.path, "rb") as file:
            elf = Elf(file.fileno())
            self._segments = [
                (offset, size, address)
                for kind, _, offset, address, _, size, *_ in elf.segments()
                if kind == PT_LOAD
            ]
            if self._kept is not None:
                self._identity = _identity(elf)

    def virtual_address(self, file_offset: int) -> int | None:
        """The ELF virtual address of a byte of the file, None if it is in no loaded segment."""
        for offset, size, address in self._segments:
            if offset <= file_offset < offset + size:
                return file_offset - offset + address
        return None

    def places(self, address: int) -> tuple[Place, ...]:
        """The functions at an address, innermost first; empty when nothing is known of it."""
        found = self._places.get(address)
        if found is None:
            found = self._places[address] = self._find_once(address)
        return found

    def _find_once(self, address: int) -> tuple[Place, ...]:
        """Not even once, where an earlier run has looked there."""
        if self._kept is None or not self._identity:
            return self._find(address)
        key = hashlib.sha256(f"{self._identity} {address:x}".encode()).hexdigest()
        found = _decoded(self._kept.read(PLACES, key))
        if not found:
            found = self._find(address)
            if found and self.problem is None:
                _keep(json.dumps([astuple(place) for place in found]).encode(), self._kept, PLACES, key)
        return found

    def _find(self, address: int) -> tuple[Place, ...]:
        if self.problem is not None:
            return ()
        try:
            if self._files is None:
                self._open()
        # The file may be damaged in any way, or not be there any more.
        except Exception as error:
            if shortage(error):
                raise
            self.problem = f"{self.path}: its debug information cannot be read ({error})"
            return ()
        found = tuple(_place(site) for site in self._sites(address))
        symbol = self._symbol(address)
        if not found:
            return (Place(function_name(symbol), linkage=symbol),) if symbol else ()
        function = _outermost(found[-1].function, symbol)
        return (*found[:-1], replace(found[-1], function=function, linkage=symbol))

    def _open(self) -> None:
        """The file, and the one with its debug information where that was taken out of it."""
        from whence.symbols.debugfile import DebugFile

        file = DebugFile(self.path)
        self._files = [file]
        if not file.has_debug_information:
            apart = (each for each in file.apart() if each.has_debug_information or each.has_symbols)
            self._files += islice(apart, 1)
        self._dwarf = self._files[-1].dwarf() if self._files[-1].has_debug_information else None

    def _sites(self, address: int) -> list[Site]:
        """What the debug information says; nothing where it is damaged."""
        if self._dwarf is None:
            return []
        try:
            return self._dwarf.sites(address)
        except Exception as error:
            if shortage(error):
                raise
            return []

    def _symbol(self, address: int) -> str | None:
        """The name in the symbol table whose range holds the address."""
        try:
            if self._symbols is None:
                files = self._files or []
                self._symbols = Symbols(elf for file in files for elf in file.symbol_tables())
                self.unread = next((f"{self.path}: {file.unread}" for file in files if file.unread), None)
            return self._symbols.at(address)
        except Exception as error:  # a damaged table, or a name that is no text
            if shortage(error):
                raise
            return None


class Symbols:
    """The defined symbols of several images of one file.

    Assembly often gives no size: such a symbol names what follows it, up to the next one or the end of its
    section, if no other one holds that.
    """

    def __init__(self, images: Iterator[Elf]) -> None:
        """A full table has what the dynamic one has."""
        tables = list(images)
        for kind in (SHT_SYMTAB, SHT_DYNSYM):
            found = [entry for elf in tables for entry in _entries(elf, kind)]
            if found:
                break
        found.reverse()  # of equal ones the first of the table is found
        found.sort(key=lambda each: each[:3])
        self._found = found
        self._begins = [begin for begin, *_ in found]
        self._longest = max((size for _, _, size, *_ in found), default=0)

    def at(self, address: int) -> str | None:
        """The symbol that begins last of those that hold an address; of equal ones a global one."""
        last = at = bisect_right(self._begins, address) - 1
        while at >= 0 and self._begins[at] + self._longest > address:
            begin, _, size, end, names, name = self._found[at]
            if address < begin + size:
                return _text(names, name)
            at -= 1
        if last < 0:
            return None
        _, _, size, end, names, name = self._found[last]
        return _text(names, name) if not size and address < end else None


def _text(names: bytes, at: int) -> str:
    return names[at : names.index(b"\0", at)].decode()


def _entries(elf: Elf, kind: int) -> Iterator[tuple[int, int, int, int, bytes, int]]:
    """Begin, rank, size, end of the section, and the table and the offset of the name, of symbols."""
    ends = [fields[3] + fields[5] for fields in SECTION.iter_unpack(elf.table())]
    for names, symbols in elf.symbol_tables(kind):
        for name, info, _, section, value, size in SYMBOL.iter_unpack(symbols):
            if 0 < section < len(ends) and name and info & 15 in _NAMING:
                yield value, _RANKS.get(info >> 4, 0), size, ends[section], names, name


_RANKS = {1: 2, 2: 1}
"""Of global and weak symbols."""


def _outermost(function: str | None, symbol: str | None) -> str | None:
    """The qualified name of a function, which the debug information may have without its scopes."""
    if symbol is None:
        return function
    named = _qualified(symbol)
    if function is None or (symbol.startswith("_Z") and function.partition("<")[0] in named):
        return named
    return function


def _qualified(symbol: str) -> str:
    """The name of a part of a function that was split off has a suffix behind a dot."""
    return function_name(symbol.split(".")[0]) if symbol.startswith("_Z") else symbol


def _place(site: Site) -> Place:
    """C has no linkage names, but functions may be named by those of others."""
    mangled = (name for name in (site.linkage, site.name) if name and name.startswith("_Z"))
    name = next(map(_qualified, mangled), site.name or site.linkage)
    return Place(name, site.file, site.line, site.column)


_opened: dict[str, tuple[tuple[int, ...], Module]] = {}
_MOST_OPENED = 32


def opened(path: str, kept: Kept | None = None) -> Module:
    """The module of a file. It is the same one as long as the file is and can be read: several runs of one
    process, as an exploration makes them, look up the same addresses."""
    try:
        facts = os.stat(path)
    except OSError:
        return Module(path)
    same = (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
    known = _opened.pop(path, None)
    if known is not None and known[0] == same and not known[1].problem:
        module = known[1]
    else:
        module = Module(path, kept)
    _opened[path] = same, module
    if len(_opened) > _MOST_OPENED:
        del _opened[next(iter(_opened))]
    return module


def _identity(elf: Elf) -> str:
    """Of a file and of its debug information, which is installed apart; empty if it is not, and without a
    build ID."""
    try:
        section = elf.section(_BUILD_ID)
        build = elf.data(section)[_NOTE:].hex() if section is not None else ""
        facts = os.stat(f"{_APART}/{build[:2]}/{build[2:]}.debug")
    except (OSError, ElfError):
        return ""
    return f"{_FORMAT} {__version__} {build} {facts.st_size} {facts.st_mtime_ns}" if build else ""


def _decoded(text: bytes | None) -> tuple[Place, ...]:
    """Places of an entry; none if there is none, or one that is damaged."""
    try:
        return tuple(Place(*each) for each in json.loads(text)) if text is not None else ()
    except (ValueError, TypeError):
        return ()


def _keep(content: bytes, kept: Kept, kind: str, key: str) -> None:
    """What finds no room is found again by the next run; its cache says so."""
    with contextlib.suppress(WhenceError):
        kept.add(kind, key, content)
