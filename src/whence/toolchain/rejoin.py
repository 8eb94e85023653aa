"""Objects without IR that an image was linked from, found again on disk.

An image that another linker joined (of gcc, of gfortran, a plain ``ld -r``) has no record of its inputs.
They usually still lie in the folders of the build. An object file or a member of an archive counts as an
input if it is not newer than the image and what it defines stands in the image, byte for byte except where
the linker has put addresses.

Cost: one walk through the folders (`MAX_ENTRIES`), the symbol tables of the objects in them, and the
contents of those that define what the image lacks otherwise. Only images without a record pay it.
"""

from __future__ import annotations

import hashlib
import io
import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Symbol, SymbolTableSection

from whence.symbols.elf import MAGIC, Elf, ElfError, read_at
from whence.toolchain import archive, blob, foreign
from whence.toolchain.carry import CarriedImage
from whence.toolchain.link import LinkItem, LinkRecord

MAX_ENTRIES = 50_000
"""Entries of folders that are looked at."""
MAX_DEPTH = 5
"""Folders below a folder of the build."""

_SYSTEM = ("/usr/local/lib", "/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu")
"""Folders of static libraries, which have no objects of the build."""
_DRIVER_ARCHIVES = frozenset(
    f"lib{name}.a"
    for name in ("c", "m", "mvec", "pthread", "dl", "rt", "util", "c_nonshared", "g", "resolv", "anl")
)
"""The C library's archives: the new link takes the shared ones."""

_PLACED = ("STT_NOTYPE", "STT_OBJECT", "STT_FUNC")
"""Kinds of symbols whose value in an image is the address of what they name."""

_FIXED = {1: 8, 24: 8}
"""Bytes that a relocation of these types overwrites (R_X86_64_64, R_X86_64_PC64); 4 for others."""
_RELAXED = frozenset({9, 19, 20, 22, 34, 35, 41, 42})
"""Relocations whose instruction the linker may rewrite: of the GOT and of thread-local variables."""
_BEFORE, _AFTER = 4, 12
"""The bytes of such an instruction before and behind the relocation's place, at most."""


@dataclass(frozen=True)
class _Input:
    """An object file, or the member of an archive; `data`: its bytes."""

    path: str
    member: str
    data: bytes = field(repr=False)


def with_found_objects(image: CarriedImage, provided: Iterable[Path]) -> CarriedImage:
    """The image with the objects without IR that were found in its link's record, which is a guess.

    provided: the new objects of its modules. An image with a record, or that lacks nothing, stays as it is.
    """
    if image.link is not None or image.kind not in ("exe", "pie", "shared"):
        return image
    try:
        lacking = foreign.lacking(image.path, provided, [module.source for module in image.modules])
        if not lacking:
            return image
        found = list(_inputs(image, lacking))
    except (OSError, ElfError, ELFError):
        return image  # the new link says what is missing
    if not found:
        return image
    return replace(image, link=_extended(image.link_or_default(), found))


def _extended(record: LinkRecord, found: Iterable[_Input]) -> LinkRecord:
    files = dict(record.files)
    items = []
    for each in found:
        content = hashlib.sha256(each.data).hexdigest()
        files[content] = zlib.compress(each.data, 1)
        item = LinkItem("object", path=each.member or each.path, content=content, code=True)
        items.append(LinkItem("archive", path=each.path, parts=(item,)) if each.member else item)
    return replace(record, items=(*items, *record.items), files=files)


def _inputs(image: CarriedImage, lacking: foreign.Lacking) -> Iterator[_Input]:
    """The inputs of the image's link, each contents once."""
    seen = set()
    newest = os.stat(image.path).st_mtime_ns
    with open(image.path, "rb") as stream:
        linked = _Linked(ELFFile(stream))
        for each in _candidates(image, lacking, newest):
            if each.data not in seen and linked.contains(each.data):
                seen.add(each.data)
                yield each


# ---- candidates -------------------------------------------------------------------------------------


def _candidates(image: CarriedImage, lacking: foreign.Lacking, newest: int) -> Iterator[_Input]:
    """Objects without IR that define what the image lacks, and nothing that its modules define."""
    for path in _files(image, static=not image.needed):
        try:
            if os.stat(path).st_mtime_ns > newest:
                continue
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            for member, offset, size in _objects(path, descriptor):
                if _fits(Elf(descriptor, offset, size), lacking):
                    length = os.fstat(descriptor).st_size if size is None else size
                    yield _Input(path, member, read_at(descriptor, offset, length))
        except (OSError, ElfError, archive.ArchiveError):
            continue  # not an object of this machine, or damaged: the link had no use for it
        finally:
            os.close(descriptor)


def _objects(path: str, descriptor: int) -> Iterator[tuple[str, int, int | None]]:
    if not archive.is_archive(read_at(descriptor, 0, 8)):
        yield "", 0, None
        return
    for member in archive.members(descriptor, path):
        if member.path is None and read_at(descriptor, member.offset, 4) == MAGIC:
            yield member.name, member.offset, member.size


def _fits(candidate: Elf, lacking: foreign.Lacking) -> bool:
    if candidate.section(blob.IR_SECTION) is not None:
        return False
    files, names = foreign.definitions(candidate)
    wanted = not (names.isdisjoint(lacking.symbols) and files.isdisjoint(lacking.files))
    return wanted and names.isdisjoint(lacking.provided)


def _files(image: CarriedImage, *, static: bool) -> Iterator[str]:
    """Paths of objects and archives: in the folders of the build, and archives of the system."""
    left = MAX_ENTRIES
    visited = set()
    for folder in _folders(image):
        depth = folder.rstrip("/").count("/")
        for place, folders, files in os.walk(folder):
            left -= len(folders) + len(files)
            if left < 0:
                return
            real = os.path.realpath(place)
            deep = place.count("/") - depth >= MAX_DEPTH
            if real in visited or deep:
                folders.clear()
            else:
                folders[:] = [each for each in folders if not each.startswith(".") or each == ".libs"]
            if real not in visited:
                visited.add(real)
                yield from (
                    os.path.join(place, file) for file in files if file.endswith((".o", ".obj", ".a"))
                )
    for folder in () if static else _SYSTEM:
        if os.path.realpath(folder) not in visited and os.path.isdir(folder):
            visited.add(os.path.realpath(folder))
            names = sorted(file for file in os.listdir(folder) if file.endswith(".a"))
            yield from (os.path.join(folder, name) for name in names if name not in _DRIVER_ARCHIVES)


def _folders(image: CarriedImage) -> list[str]:
    """The folders of the image, its compilations, its sources and the build, none twice."""
    beside = os.path.realpath(image.path.parent)
    places = {beside: None}
    for module in image.modules:
        places[os.path.realpath(module.cwd)] = None
        places[os.path.dirname(os.path.realpath(module.source))] = None
    for place in list(places):
        build = os.path.commonpath((beside, place))
        if build in _above(beside):
            places[build] = None
    return [place for place in places if place != "/"]


def _above(folder: str) -> tuple[str, str]:
    """Where the build may be whose programs a folder holds: archives lie in another folder there."""
    parent = os.path.dirname(folder)
    return parent, os.path.dirname(parent)


# ---- comparison -------------------------------------------------------------------------------------


class _Linked:
    """The contents of a linked image by address."""

    def __init__(self, image: ELFFile) -> None:
        self._segments = [each for each in image.iter_segments() if each["p_type"] == "PT_LOAD"]
        self._addresses: dict[str, set[int]] = {}
        for symbol in _symbols(image):
            if symbol["st_shndx"] != "SHN_UNDEF":
                self._addresses.setdefault(symbol.name, set()).add(symbol["st_value"])

    def contains(self, data: bytes) -> bool:
        """Whether all sections of an object that define symbols of the image stand in it, at least one."""
        try:
            candidate = ELFFile(io.BytesIO(data))
            bases = self._bases(candidate)
            return bool(bases) and all(
                any(self._equal(candidate, section, base) for base in places)
                for section, places in bases.items()
            )
        except Exception:  # the reader raises anything for a damaged object
            return False

    def _bases(self, candidate: ELFFile) -> dict[int, set[int]]:
        """Where each section that the image has may begin, by the addresses of its strong symbols."""
        bases: dict[int, set[int]] = {}
        for symbol in _symbols(candidate):
            section = symbol["st_shndx"]
            if isinstance(section, str) or symbol["st_info"]["bind"] == "STB_WEAK":
                continue
            if symbol["st_info"]["type"] not in _PLACED:
                continue
            addresses = self._addresses.get(symbol.name)
            if addresses is None:
                continue  # its section was dropped
            places = {address - symbol["st_value"] for address in addresses}
            bases[section] = bases.get(section, places) & places
        return bases

    def _equal(self, candidate: ELFFile, index: int, base: int) -> bool:
        section = candidate.get_section(index)
        if section["sh_type"] == "SHT_NOBITS":
            return True
        new, old = bytearray(section.data()), self._read(base, section["sh_size"])
        if old is None:
            return False
        for start, end in _relocated(candidate, index):
            start, end = max(start, 0), min(end, len(new))
            new[start:end] = old[start:end]
        return bytes(new) == old

    def _read(self, address: int, size: int) -> bytes | None:
        for segment in self._segments:
            if segment["p_vaddr"] <= address and address + size <= segment["p_vaddr"] + segment["p_filesz"]:
                stream = segment.stream
                stream.seek(segment["p_offset"] + address - segment["p_vaddr"])
                return bytes(stream.read(size))
        return None


def _symbols(image: ELFFile) -> Iterator[Symbol]:
    for section in image.iter_sections():
        if isinstance(section, SymbolTableSection) and section["sh_type"] == "SHT_SYMTAB":
            yield from (symbol for symbol in section.iter_symbols() if symbol.name)


def _relocated(candidate: ELFFile, index: int) -> Iterator[tuple[int, int]]:
    """The ranges of a section's bytes that the linker overwrites."""
    for section in candidate.iter_sections():
        if isinstance(section, RelocationSection) and section["sh_info"] == index:
            for relocation in section.iter_relocations():
                place, kind = relocation["r_offset"], relocation["r_info_type"]
                if kind in _RELAXED:
                    yield place - _BEFORE, place + _AFTER
                else:
                    yield place, place + _FIXED.get(kind, 4)
