"""What one ELF file knows about its addresses.

Two libraries read the debug information, each for what the other lacks: drgn
finds line, column and the chain of inlined calls of an address without reading
the whole file; symbolic knows linkage names, the directory a relative file
name belongs to, and functions that are defined inside a namespace, but no
columns, and reads everything first, so its index of a file is kept for later
runs. It is asked only about C++ and about relative file names.

What is found in a system library whose debug information is installed apart is kept, too: many findings
have the same few frames there, and to read that takes a tenth of a second.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os.path
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from whence import __version__
from whence.elf import PT_LOAD, SHT_NOBITS, Elf, ElfError
from whence.errors import WhenceError
from whence.symbols.demangle import function_name

if TYPE_CHECKING:
    import drgn

    from whence.symbols.directories import CompileDirectories

SUPPLEMENT_LIMIT = 128 << 20
"""Largest file that symbolic is asked about, in bytes (it needs about 20 ms for a megabyte)."""

_USER_SPACE = (0, 1 << 47)

INDEXES, PLACES = "symbols", "places"
"""The kinds of entries that hold symbolic's index of a file, and the places at an address."""

_APART = "/usr/lib/debug/.build-id"
_BUILD_ID = ".note.gnu.build-id"
_NOTE = 16
"""Bytes before the ID."""
_FORMAT = 1
"""Of kept places; a higher one makes them anew."""


class Kept(Protocol):
    """Where indexes of files and places stay for later runs, as in `whence.toolchain.cache.Cache`."""

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

    A file that cannot be read, or not as ELF, is a module that knows nothing;
    `problem` then says why. `kept`: has what earlier runs have found; None: it is found anew.
    """

    def __init__(self, path: str, kept: Kept | None = None) -> None:
        self.path = path
        self._kept = kept
        self.problem: str | None = None
        self._segments: list[tuple[int, int, int]] = []
        self._mangled = False
        self._program: drgn.Program | None = None
        self._supplement: Any = None
        self._debug_path = path
        self._directories: CompileDirectories | None = None
        self._places: dict[int, tuple[Place, ...]] = {}
        self._identity = ""
        try:
            self._read()
        # The file may hold anything, and there may be no such file.
        except Exception as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not a readable ELF file"
            self.problem = f"{path}: {reason}"

    def _read(self) -> None:
        """Segments as (file offset, file size, virtual address), and whether it has C++ names."""
        with open(self.path, "rb") as file:
            elf = Elf(file.fileno())
            self._segments = [
                (offset, size, address)
                for kind, _, offset, address, _, size, *_ in elf.segments()
                if kind == PT_LOAD
            ]
            tables = (elf.section(name) for name in (".strtab", ".dynstr"))
            there = [table for table in tables if table is not None and table.type != SHT_NOBITS]
            self._mangled = any(b"_Z" in elf.data(table) for table in there)
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
        program = self._debug_info()
        if program is None:
            return ()
        found = tuple(_source_places(program, address))
        if found:
            found = self._complete(found, address)
        symbol = _symbol(program, address)
        if not found:
            return (Place(function_name(symbol), linkage=symbol),) if symbol else ()
        function = found[-1].function or (function_name(symbol) if symbol else None)
        return (*found[:-1], replace(found[-1], function=function, linkage=symbol))

    def _debug_info(self) -> drgn.Program | None:
        """The drgn program that holds just this file, at the addresses of its ELF headers."""
        if self._program is None and self.problem is None:
            try:
                self._program, self._debug_path = _load(self.path)
            # drgn reports a damaged file with whatever fits: Exception, ValueError, OSError.
            except Exception as error:
                self.problem = f"{self.path}: its debug information cannot be read ({error})"
        return self._program

    def _complete(self, places: tuple[Place, ...], address: int) -> tuple[Place, ...]:
        """Qualified names and absolute files, where drgn has left them open."""
        relative = any(place.file and not os.path.isabs(place.file) for place in places)
        if not (relative or self._mangled):
            return places
        others = self._lookup_supplement(address)
        if len(others) > len(places):
            # drgn does not look for functions inside namespaces; only columns are lacking here.
            return tuple(_replace(other, places) for other in others)
        return tuple(_merge(place, others) or self._rooted(place, address) for place in places)

    def _rooted(self, place: Place, address: int) -> Place:
        """A place that symbolic does not know with an absolute file: it lacks lines of some functions in
        files with line tables alone."""
        if not place.file or os.path.isabs(place.file):
            return place
        from whence.symbols.directories import CompileDirectories, rooted

        if self._directories is None:
            self._directories = CompileDirectories(self._debug_path, SUPPLEMENT_LIMIT)
        return replace(place, file=rooted(place.file, self._directories.of(address)))

    def _lookup_supplement(self, address: int) -> list[Any]:
        if self._supplement is None:
            self._supplement = _index(self._debug_path, self._kept) or ()
        if self._supplement == ():
            return []
        try:
            return list(self._supplement.lookup(address))
        except Exception:  # a damaged table; drgn's answer stands
            return []


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


def _load(path: str) -> tuple[drgn.Program, str]:
    """Open one ELF file in drgn; the path is that of the file with its debug information.

    Separate debug files are looked for below /usr/lib/debug only.
    """
    import logging

    import drgn

    logging.getLogger("drgn").addHandler(logging.NullHandler())
    program = drgn.Program(drgn.Platform(drgn.Architecture.X86_64))
    program.set_enabled_debug_info_finders(["standard"])
    module = program.extra_module(path, create=True)
    module.try_file(path, force=True)
    # Set afterwards: a range known before the file would move the module to its begin.
    module.address_ranges = [_USER_SPACE]
    if module.wants_debug_file():
        program.load_module_debug_info(module)
    return program, module.debug_file_path or path


def _source_places(program: drgn.Program, address: int) -> Iterator[Place]:
    try:
        for location in program.source_location(address):
            name = location.filename
            function = location.name()
            function = function_name(function) if function else None
            yield Place(function, os.path.normpath(name) if name else None, *location[1:])
    except Exception:  # LookupError: nothing known; anything else: damaged debug information
        return


def _symbol(program: drgn.Program, address: int) -> str | None:
    """The name in the symbol table whose range holds the address."""
    try:
        symbol = program.symbol(address)
        inside = symbol.address <= address < symbol.address + symbol.size
        return symbol.name if inside else None
    except (LookupError, ValueError):  # none there; a damaged table, or a name that is no text
        return None


def _index(path: str, kept: Kept | None) -> Any:
    """symbolic's index of the file, None if there is none to be had."""
    from symbolic.symcache import SymCache

    try:
        if os.path.getsize(path) > SUPPLEMENT_LIMIT:
            return None
        with open(path, "rb") as file:
            key = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
    old = kept.read(INDEXES, key) if kept is not None else None
    try:
        index: Any = SymCache.from_bytes(old) if old is not None else None  # type: ignore[no-untyped-call]
    except Exception:  # of another version of symbolic, which reads no such index
        index = None
    if index is None or not index.is_latest_version:
        index = _symcache(path)
        if index is not None and kept is not None:
            content = io.BytesIO()
            index.dump_into(content)
            _keep(content.getvalue(), kept, INDEXES, key)
    return index


def _keep(content: bytes, kept: Kept, kind: str, key: str) -> None:
    """What finds no room is found again by the next run; its cache says so."""
    with contextlib.suppress(WhenceError):
        kept.add(kind, key, content)


def _symcache(path: str) -> Any:
    from symbolic.debuginfo import Archive

    try:
        return Archive.open(path).get_object(arch="x86_64").make_symcache()
    except Exception:  # no debug information it can read; drgn's answer stands
        return None


def _same_line(place: Place, other: Any) -> bool:
    """Whether symbolic's location is the place that drgn has found."""
    same_file = os.path.basename(other.full_path or "") == os.path.basename(place.file or "")
    return bool(same_file and other.line == place.line)


def _merge(place: Place, others: list[Any]) -> Place | None:
    """Complete a place from the one of `others` that is the same line of the same file; None if none is."""
    for other in others:
        if _same_line(place, other):
            others.remove(other)
            name = function_name(other.symbol) if other.symbol.startswith("_Z") else place.function
            relative = place.file and not os.path.isabs(place.file)
            return replace(place, function=name, file=_full_path(other) if relative else place.file)
    return None


def _replace(other: Any, places: tuple[Place, ...]) -> Place:
    """A place from symbolic's location, with the column where drgn has found the same line."""
    column = next((place.column for place in places if _same_line(place, other)), 0)
    # The name of a part of a function that was split off has a suffix behind a dot.
    name = function_name(other.symbol.split(".")[0]) if other.symbol else None
    return Place(name, _full_path(other), other.line, column)


def _full_path(other: Any) -> str | None:
    return os.path.normpath(other.full_path) if other.full_path else None
