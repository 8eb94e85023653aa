"""Reading the modules, the link record and the dynamic section of an image."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whence.errors import CannotExecute, ProgramNotFound, WhenceError
from whence.symbols import elf
from whence.toolchain import archive, blob, link
from whence.toolchain.link import LinkItem, LinkRecord

DT_NEEDED, DT_STRTAB, DT_STRSZ, DT_SONAME, DT_RPATH, DT_RUNPATH, DT_FLAGS_1 = 1, 5, 10, 14, 15, 29, 0x6FFFFFFB
DF_1_PIE = 0x08000000
NT_GNU_BUILD_ID = 3


@dataclass(frozen=True)
class CarriedModule:
    """One module of carried IR.

    `digest` is the SHA-256 of the stored payload in hex; `source` and `cwd`
    absolute paths of the compilation; `language` 'c' or 'c++'; `opt` the
    ``-O`` level (0, 1, 2, 3, s, z, fast, g); `flags` the compile flags that
    shape code; `size` bytes of the bitcode; `checks` those that the front end has
    written into it (`whence.toolchain.checks`).
    """

    digest: str
    source: str
    cwd: str
    language: str
    opt: str
    flags: tuple[str, ...]
    frontend: str
    triple: str
    size: int
    path: Path = field(repr=False)
    offset: int = field(repr=False)
    """Of the payload in the file `path`, in bytes."""
    stored: int = field(repr=False)
    """Bytes of the payload."""
    checks: frozenset[str] = frozenset()

    def bitcode(self) -> bytes:
        """The LLVM bitcode; raises `CannotExecute` when the file changed or is damaged."""
        with _reading(self.path) as descriptor:
            payload = elf.read_at(descriptor, self.offset, self.stored)
        if hashlib.sha256(payload).hexdigest() != self.digest:
            raise CannotExecute(
                f"{self.path}: the IR of {self.source} does not match its checksum: build the program again"
            )
        try:
            bitcode = blob.inflate(payload, self.size)
        except blob.BlobError as error:
            raise CannotExecute(f"{self.path}: the IR of {self.source}: {error}") from error
        if len(bitcode) != self.size:
            raise CannotExecute(f"{self.path}: the IR of {self.source} is shorter than it says")
        return bitcode


@dataclass(frozen=True)
class CarriedImage:
    """The contents of one file for whence.

    `kind` is 'exe', 'pie', 'shared', 'object' or 'archive'; `modules` in link
    order, each digest once; `needed` its DT_NEEDED
    libraries; `interp` the dynamic linker ('' in a static program); `rpath` the
    folders of DT_RUNPATH, else of DT_RPATH, unexpanded; `searches_first`: it is
    DT_RPATH, which comes before LD_LIBRARY_PATH; `build_id` in hex.
    """

    path: Path
    kind: str
    modules: tuple[CarriedModule, ...]
    link: LinkRecord | None
    needed: tuple[str, ...] = ()
    interp: str = ""
    soname: str = ""
    rpath: tuple[str, ...] = ()
    searches_first: bool = False
    build_id: str = ""

    def link_or_default(self) -> LinkRecord:
        """The record of the link, or a guess from the image when plain ld or gcc linked it."""
        return self.link if self.link is not None else _guess(self)

    def folders(self) -> tuple[str, ...]:
        """`rpath` as absolute folders, so that other images may use it."""
        return tuple(filter(None, map(self.placed, self.rpath)))

    def placed(self, word: str) -> str:
        """The word with the image's folder for ``$ORIGIN``."""
        origin = str(self.path.resolve().parent)
        return word.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)


def read_image(path: str | os.PathLike[str]) -> CarriedImage:
    """Read an executable, shared library, object or archive.

    Reads only headers and the sections of whence, whatever the size of the file.
    Raises `ProgramNotFound` if there is no such file and `CannotExecute` if
    it cannot be read, is no x86-64 ELF file, or is damaged.
    """
    place = Path(path)
    with _reading(place) as descriptor:
        try:
            start = elf.read_at(descriptor, 0, 4096)
            if archive.is_archive(start):
                return _archive(place, descriptor)
            _reject_script(place, start)
            return _image(place, elf.Elf(descriptor))
        except (elf.ElfError, blob.BlobError, archive.ArchiveError) as error:
            raise CannotExecute(f"{place}: {error}") from error
        except OSError as error:
            raise CannotExecute(f"{place} cannot be read: {error.strerror}") from error


def mentions(path: str | os.PathLike[str], symbol: str) -> bool:
    """Whether a program or library defines or refers to a dynamic symbol; false if it cannot be read."""
    return mentions_begin(path, (f"{symbol}\0",))


def mentions_begin(path: str | os.PathLike[str], begins: Iterable[str]) -> bool:
    """The same for a symbol whose name, with a zero behind it, begins with one of these."""
    try:
        with _reading(Path(path)) as descriptor:
            return elf.Elf(descriptor).mentions([os.fsencode(begin) for begin in begins])
    except (WhenceError, elf.ElfError, OSError):
        return False


def dynamic_symbols(path: str | os.PathLike[str], *, defined: bool = False) -> set[str]:
    """The dynamic symbols that a program or library defines or refers to, or only those that it defines;
    none if it cannot be read."""
    try:
        with _reading(Path(path)) as descriptor:
            symbols = elf.Elf(descriptor).dynamic()
            return {os.fsdecode(name) for name, defines in symbols if defines or not defined}
    except (WhenceError, elf.ElfError, OSError):
        return set()


@contextmanager
def _reading(path: Path) -> Iterator[int]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ProgramNotFound(f"{path}: no such file") from error
    except OSError as error:
        raise CannotExecute(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ProgramNotFound(f"{str(path)!r} is not a file name") from error
    try:
        if path.is_dir():
            raise CannotExecute(f"{path} is a directory: name a program")
        if not path.is_file():
            raise CannotExecute(f"{path} is not a regular file")
        yield descriptor
    finally:
        os.close(descriptor)


def _reject_script(path: Path, start: bytes) -> None:
    if not start:
        raise CannotExecute(f"{path} is an empty file")
    if not start.startswith(b"#!"):
        return
    if b"libtool" in start:
        raise CannotExecute(
            f"{path} is a wrapper script of libtool: name {path.parent / '.libs' / path.name}"
        )
    raise CannotExecute(
        f"{path} is a script, not an ELF program: name the interpreter, with the script as argument"
    )


# ---- images -----------------------------------------------------------------------------------------


def _image(path: Path, image: elf.Elf) -> CarriedImage:
    dynamic = _Dynamic(image)
    modules = tuple(_modules(path, image))
    early, late = dynamic.texts(DT_RPATH), dynamic.texts(DT_RUNPATH)
    return CarriedImage(
        path=path,
        kind=_kind(image, dynamic),
        modules=modules,
        link=_link_record(image, modules),
        needed=dynamic.texts(DT_NEEDED),
        interp=dynamic.interp,
        soname="".join(dynamic.texts(DT_SONAME)[:1]),
        rpath=tuple(folder for text in late or early for folder in text.split(":")),
        searches_first=bool(early and not late),
        build_id=_build_id(image),
    )


def _kind(image: elf.Elf, dynamic: _Dynamic) -> str:
    if image.type == elf.ET_REL:
        return "object"
    if image.type == elf.ET_EXEC:
        return "exe"
    if image.type != elf.ET_DYN:
        raise elf.ElfError("it is not a program, library or object (a core file?)")
    if any(value & DF_1_PIE for value in dynamic.values(DT_FLAGS_1)):
        return "pie"
    # Older linkers do not mark position-independent executables; a library with an interpreter has a soname.
    return "pie" if dynamic.interp and not dynamic.values(DT_SONAME) else "shared"


def _modules(path: Path, image: elf.Elf) -> Iterator[CarriedModule]:
    section = image.section(blob.IR_SECTION)
    if section is None:
        return
    seen = set()
    for entry in blob.entries(image, section):
        if entry.digest not in seen:
            seen.add(entry.digest)
            yield _module(path, image, section, entry)


def _module(path: Path, image: elf.Elf, section: elf.Section, entry: blob.Entry) -> CarriedModule:
    raw = image.read(section.offset + entry.header[0], entry.header[1])
    try:
        header = json.loads(raw)
        texts = [_text(header[name]) for name in ("source", "cwd", "language", "opt", "frontend", "triple")]
        flags = tuple(_text(flag) for flag in header["flags"])
        checks = frozenset(_text(header.get("checks", "")).split())  # older modules have none
        size = header["size"]
        if type(size) is not int or not 0 <= size <= blob.MAX_BITCODE:
            raise ValueError("size")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise blob.BlobError(
            f"the header of the module at byte {entry.start} of its IR is damaged"
        ) from error
    source, cwd, language, opt, frontend, triple = texts
    offset = image.base + section.offset + entry.payload[0]
    return CarriedModule(
        *(
            entry.digest,
            source,
            cwd,
            language,
            opt,
            flags,
            frontend,
            triple,
            size,
            path,
            offset,
            entry.payload[1],
            checks,
        )
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _link_record(image: elf.Elf, modules: tuple[CarriedModule, ...]) -> LinkRecord | None:
    """The record of this very link, or of the partial links (``ld -r``) that a plain ld joined."""
    section = image.section(blob.LINK_SECTION)
    if section is None:
        return None
    records = [link.decode(record, files) for record, files in blob.unpack_links(image, section)]
    whole = records if image.type == elf.ET_REL else [each for each in records if each.kind != "object"]
    if len(whole) == 1:
        return whole[0]
    return _combined(records, modules) if records else None


def _combined(records: list[LinkRecord], modules: tuple[CarriedModule, ...]) -> LinkRecord:
    """The inputs of several partial links, and the modules that none of them has, without link options."""
    items = [item for record in records for item in record.items if item.kind in ("object", "archive")]
    covered = {digest for record in records for digest in record.modules()}
    items += [_module_item(module) for module in modules if module.digest not in covered]
    files = {digest: data for record in records for digest, data in record.files.items()}
    cxx = any(record.cxx for record in records)
    return LinkRecord("object", cxx, records[0].cwd, tuple(items), False, records[0].frontend, files)


def _module_item(module: CarriedModule) -> LinkItem:
    return LinkItem("object", path=module.source, modules=(module.digest,))


def _guess(image: CarriedImage) -> LinkRecord:
    """A link line for the modules and the libraries of DT_NEEDED."""
    items = [_module_item(module) for module in image.modules]
    for place in image.folders():
        items += [LinkItem("search", path=place), LinkItem("ld", ("-rpath", place))]
    folder = _folder_of_paths(image)
    items += [_needed_item(name, folder) for name in image.needed if not name.startswith("ld-linux")]
    if image.soname:
        items.append(LinkItem("ld", ("-soname", image.soname)))
    kind = "object" if image.kind == "archive" else image.kind
    cxx = any(module.language == "c++" for module in image.modules)
    return LinkRecord(kind, cxx, folder, tuple(items), recorded=False)


def _needed_item(name: str, folder: str) -> LinkItem:
    """A library of DT_NEEDED; one without DT_SONAME has its path there, and the new link needs that path."""
    if "/" in name:
        return LinkItem("shared", path=os.path.normpath(os.path.join(folder, name)))
    return LinkItem("library", (f"-l:{name}",))


def _folder_of_paths(image: CarriedImage) -> str:
    """The folder of relative paths in DT_NEEDED: the image's if all exist there, else the current one."""
    folder = str(image.path.parent)
    paths = [name for name in image.needed if "/" in name]
    there = all(os.path.exists(os.path.join(folder, path)) for path in paths)
    return folder if there else os.getcwd()


# ---- archives ---------------------------------------------------------------------------------------


def _archive(path: Path, descriptor: int) -> CarriedImage:
    modules: dict[str, CarriedModule] = {}
    for member in archive.members(descriptor, str(path)):
        for module in _member_modules(path, descriptor, member):
            modules.setdefault(module.digest, module)
    return CarriedImage(path, "archive", tuple(modules.values()), None)


def _member_modules(path: Path, descriptor: int, member: archive.Member) -> list[CarriedModule]:
    if member.path is not None:
        outside = Path(member.path)
        with _reading(outside) as other:
            return _modules_of(outside, other, 0, None)
    return _modules_of(path, descriptor, member.offset, member.size)


def _modules_of(path: Path, descriptor: int, offset: int, size: int | None) -> list[CarriedModule]:
    if elf.read_at(descriptor, offset, 4) != elf.MAGIC:
        return []
    return list(_modules(path, elf.Elf(descriptor, offset, size)))


# ---- the dynamic section ----------------------------------------------------------------------------


class _Dynamic:
    """Interpreter and dynamic section of an image."""

    def __init__(self, image: elf.Elf) -> None:
        self._image = image
        self._segments = image.segments()
        self._entries = self._read()
        self._strings: bytes | None = None
        self.interp = self._interp()

    def _read(self) -> list[tuple[int, int]]:
        for kind, _, offset, _, _, size, _, _ in self._segments:
            if kind == elf.PT_DYNAMIC:
                count = min(size // elf.DYNAMIC.size, elf.MAX_DYNAMIC)
                table = elf.DYNAMIC.iter_unpack(self._image.read(offset, count * elf.DYNAMIC.size))
                return _until_null(table)
        return []

    def _interp(self) -> str:
        for kind, _, offset, _, _, size, _, _ in self._segments:
            if kind == elf.PT_INTERP:
                return self._image.read(offset, min(size, 4096)).rstrip(b"\0").decode("utf-8", "replace")
        return ""

    def values(self, tag: int) -> list[int]:
        """Values of all entries with a tag."""
        return [value for known, value in self._entries if known == tag]

    def texts(self, tag: int) -> tuple[str, ...]:
        """Values of all entries with a tag, as strings."""
        return tuple(_c_string(self.strings(), offset) for offset in self.values(tag))

    def strings(self) -> bytes:
        """The names of symbols and libraries, each after a zero byte; empty in a static program."""
        if self._strings is None:
            self._strings = self._string_table() if self._entries else b""
        return self._strings

    def _string_table(self) -> bytes:
        address, size = sum(self.values(DT_STRTAB)[:1]), sum(self.values(DT_STRSZ)[:1])
        for kind, _, offset, start, _, length, _, _ in self._segments:
            if kind == elf.PT_LOAD and start <= address < start + length:
                begin = address - start
                return self._image.read(offset + begin, min(size, length - begin, elf.MAX_STRINGS))
        raise elf.ElfError("its dynamic section is damaged")


def _until_null(table: Iterator[tuple[Any, ...]]) -> list[tuple[int, int]]:
    entries = []
    for tag, value in table:
        if tag == 0:
            break
        entries.append((int(tag), int(value)))
    return entries


def _c_string(table: bytes, offset: int) -> str:
    if not 0 <= offset < len(table):
        raise elf.ElfError("its dynamic section is damaged")
    end = table.find(b"\0", offset, offset + 4096)
    return table[offset : end if end >= 0 else offset + 4096].decode("utf-8", "surrogateescape")


def _build_id(image: elf.Elf) -> str:
    for kind, _, offset, _, _, size, _, _ in image.segments():
        if kind == elf.PT_NOTE:
            found = _note(image.read(offset, min(size, 65536)))
            if found:
                return found
    return ""


def _note(data: bytes) -> str:
    position = 0
    while position + 12 <= len(data):
        name_size, size, kind = struct.unpack_from("<III", data, position)
        name = position + 12
        content = name + ((name_size + 3) & ~3)
        if kind == NT_GNU_BUILD_ID and data[name : name + 4] == b"GNU\0" and name_size == 4:
            return data[content : content + min(size, 64)].hex()
        position = content + ((size + 3) & ~3)
    return ""
