"""A small reader and editor of 64-bit little-endian x86-64 ELF files.

The reader seeks instead of reading files whole, and believes no number: every
offset and count is checked against the file's size, so a truncated or hostile
file costs a bounded amount of time and memory and raises `ElfError`. The
editor appends sections at the end of a file and changes the file header last:
until that one write the file is what it was.
"""

from __future__ import annotations

import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SEGMENT = struct.Struct("<IIQQQQQQ")
DYNAMIC = struct.Struct("<qQ")

ET_REL, ET_EXEC, ET_DYN, ET_CORE = 1, 2, 3, 4
EM_X86_64 = 62
SHT_PROGBITS, SHT_STRTAB, SHT_NOTE, SHT_NOBITS = 1, 3, 7, 8
SHN_LORESERVE, SHN_XINDEX = 0xFF00, 0xFFFF
PT_DYNAMIC, PT_INTERP, PT_NOTE, PT_LOAD = 2, 3, 4, 1

MAX_SECTIONS = 1 << 20
MAX_STRINGS = 64 << 20
MAX_SEGMENTS = 4096
MAX_DYNAMIC = 1 << 16


class ElfError(Exception):
    """The file is not an ELF file of our kind, or it is damaged; the message says how, without the path."""


class Section:
    """One section header; `name` decoded, offsets and sizes in bytes."""

    __slots__ = ("flags", "index", "info", "link", "name", "offset", "size", "type")

    def __init__(self, index: int, name: str, fields: tuple[int, ...]) -> None:
        self.index = index
        self.name = name
        _, self.type, self.flags, _, self.offset, self.size, self.link, self.info = fields[:8]


class Elf:
    """An ELF image that begins at `base` in the open file `descriptor` and is `size` bytes long."""

    def __init__(self, descriptor: int, base: int = 0, size: int | None = None) -> None:
        self.descriptor = descriptor
        self.base = base
        self.size = os.fstat(descriptor).st_size - base if size is None else size
        self._header = self._read_header()
        self.type = self._header[1]
        self._raw: list[tuple[int, ...]] | None = None
        self._sections: list[Section] | None = None

    def read(self, offset: int, size: int) -> bytes:
        """Bytes of the image; raises `ElfError` when it ends before."""
        if offset < 0 or size < 0 or offset + size > self.size:
            raise ElfError("the file is truncated or damaged")
        data = read_at(self.descriptor, self.base + offset, size)
        if len(data) != size:
            raise ElfError("the file is truncated")
        return data

    def _read_header(self) -> tuple[int, ...]:
        start = read_at(self.descriptor, self.base, min(HEADER.size, self.size))
        if start[:4] != b"\x7fELF":
            raise ElfError("it is not an ELF file")
        if len(start) > 4 and start[4] == 1:
            raise ElfError("it is a 32-bit program")
        if len(start) < HEADER.size:
            raise ElfError("the file is truncated")
        fields = HEADER.unpack(start)
        if start[4] != 2 or start[5] != 1:
            raise ElfError("it is not a 64-bit little-endian ELF file")
        if fields[2] != EM_X86_64:
            raise ElfError(f"it is made for another machine (ELF machine {fields[2]}, expected x86-64)")
        return fields

    # ---- sections -------------------------------------------------------------------------------

    @property
    def sections(self) -> list[Section]:
        """All sections; empty when there is no section header table."""
        if self._sections is None:
            raw = self._raw_sections()
            names = self._names(raw)
            self._sections = [Section(i, _string(names, f[0]), f) for i, f in enumerate(raw)]
        return self._sections

    def section(self, name: str) -> Section | None:
        """The first section of that name."""
        for section in self.sections:
            if section.name == name:
                return section
        return None

    def _raw_sections(self) -> list[tuple[int, ...]]:
        if self._raw is not None:
            return self._raw
        offset, entry, count = self._header[6], self._header[11], self._header[12]
        if offset == 0:
            self._raw = []
            return self._raw
        if entry != SECTION.size:
            raise ElfError("its section header table is damaged")
        if count == 0:
            count = SECTION.unpack(self.read(offset, SECTION.size))[5]
        if count > MAX_SECTIONS:
            raise ElfError(f"it claims to have {count} sections")
        table = self.read(offset, count * SECTION.size)
        self._raw = list(SECTION.iter_unpack(table))
        return self._raw

    def _name_index(self, raw: list[tuple[int, ...]]) -> int:
        index = self._header[13]
        return raw[0][6] if index == SHN_XINDEX and raw else index

    def _names(self, raw: list[tuple[int, ...]]) -> bytes:
        index = self._name_index(raw)
        if not raw or index == 0:
            return b""
        if index >= len(raw) or raw[index][5] > MAX_STRINGS:
            raise ElfError("its section names are damaged")
        return self.read(raw[index][4], raw[index][5])

    def data(self, section: Section) -> bytes:
        """Contents of a section."""
        return b"" if section.type == SHT_NOBITS else self.read(section.offset, section.size)

    # ---- segments -------------------------------------------------------------------------------

    def segments(self) -> list[tuple[int, ...]]:
        """Program headers as (type, flags, offset, vaddr, paddr, filesz, memsz, align)."""
        offset, entry, count = self._header[5], self._header[9], self._header[10]
        if offset == 0 or count == 0:
            return []
        if entry != SEGMENT.size or count > MAX_SEGMENTS:
            raise ElfError("its program header table is damaged")
        return list(SEGMENT.iter_unpack(self.read(offset, count * SEGMENT.size)))


def read_at(descriptor: int, offset: int, size: int) -> bytes:
    """Up to `size` bytes at `offset`."""
    parts = []
    while size > 0:
        part = os.pread(descriptor, min(size, 1 << 30), offset)
        if not part:
            break
        parts.append(part)
        offset += len(part)
        size -= len(part)
    return b"".join(parts)


def _string(table: bytes, offset: int) -> str:
    if offset >= len(table):
        return ""
    end = table.find(b"\0", offset, offset + 4096)
    return table[offset : end if end >= 0 else offset + 4096].decode("utf-8", "replace")


# ---- the editor -------------------------------------------------------------------------------------


def add_sections(descriptor: int, contents: Mapping[str, bytes]) -> None:
    """Append non-loaded sections to an ELF file open for reading and writing.

    A section of the same name gets the new contents instead (its old bytes
    stay in the file, unreferenced). Raises `ElfError` if the file is not
    a sound ELF file, `OSError` if it cannot be written; in both cases the
    file reads as before.
    """
    elf = Elf(descriptor)
    raw = [list(fields) for fields in elf._raw_sections()]
    if not raw:
        raise ElfError("it has no section header table")
    end = elf.size
    try:
        header = _appended(elf, raw, contents)
    except OSError:
        os.ftruncate(descriptor, end)
        raise
    os.pwrite(descriptor, header, 0)


def _appended(elf: Elf, raw: list[list[int]], contents: Mapping[str, bytes]) -> bytes:
    """Write data, names and the section table after the end of the file; returns the new file header."""
    names = bytearray(elf._names([tuple(fields) for fields in raw]))
    names_index = elf._name_index([tuple(fields) for fields in raw])
    if names_index == 0:
        raise ElfError("its sections have no names")
    existing = {section.name: section.index for section in elf.sections}
    position = elf.size
    for name, data in contents.items():
        offset = _put(elf.descriptor, position, data)
        position = offset + len(data)
        if name in existing:
            raw[existing[name]][4:6] = offset, len(data)
        else:
            raw.append([len(names), SHT_PROGBITS, 0, 0, offset, len(data), 0, 0, 1, 0])
            names += name.encode() + b"\0"
    offset = _put(elf.descriptor, position, bytes(names))
    raw[names_index][4:6] = offset, len(names)
    return _table(elf, raw, names_index, offset + len(names))


def _table(elf: Elf, raw: list[list[int]], names_index: int, position: int) -> bytes:
    count = len(raw)
    raw[0][5] = count if count >= SHN_LORESERVE else 0
    offset = _put(elf.descriptor, (position + 7) & ~7, b"".join(SECTION.pack(*fields) for fields in raw))
    header = list(elf._header)
    header[6] = offset
    header[12] = count if count < SHN_LORESERVE else 0
    header[13] = names_index if names_index < SHN_LORESERVE else SHN_XINDEX
    return HEADER.pack(*header)


def _put(descriptor: int, offset: int, data: bytes) -> int:
    view = memoryview(data)
    done = 0
    while done < len(data):
        done += os.pwrite(descriptor, view[done:], offset + done)
    return offset
