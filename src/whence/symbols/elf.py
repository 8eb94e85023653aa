"""A small reader and editor of 64-bit little-endian x86-64 ELF files.

The reader reads only the parts of a file that it needs, and checks every offset
and count against the file's size, so a truncated or hostile file costs a bounded
amount of time and memory and raises `ElfError`. The editor appends sections at
the end of a file and changes the file header last: before that write the file
has its old meaning.
"""

from __future__ import annotations

import os
import stat
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MAGIC = b"\x7fELF"
HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
SEGMENT = struct.Struct("<IIQQQQQQ")
DYNAMIC = struct.Struct("<qQ")
SYMBOL = struct.Struct("<IBBHQQ")

ET_REL, ET_EXEC, ET_DYN = 1, 2, 3
EM_X86_64 = 62
SHT_PROGBITS, SHT_SYMTAB, SHT_NOBITS, SHT_DYNSYM = 1, 2, 8, 11
SHF_EXECINSTR = 4
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_FILE, STT_TLS = 0, 1, 2, 4, 6
STB_GLOBAL = 1
SHN_LORESERVE, SHN_XINDEX = 0xFF00, 0xFFFF
PT_DYNAMIC, PT_INTERP, PT_NOTE, PT_LOAD = 2, 3, 4, 1

MAX_SECTIONS = 1 << 20
MAX_STRINGS = 64 << 20
MAX_SEGMENTS = 4096
MAX_DYNAMIC = 1 << 16


class ElfError(Exception):
    """The file is not an x86-64 ELF file, or it is damaged; the message says how, without the path."""


def is_elf(descriptor: int) -> bool:
    """Whether the file begins with the magic number of ELF files. Raises `OSError`."""
    return stat.S_ISREG(os.fstat(descriptor).st_mode) and os.pread(descriptor, len(MAGIC), 0) == MAGIC


class Section:
    """A section: its `address`, `offset` in the image and `size`, in bytes, its `type` and its `flags`."""

    __slots__ = ("address", "flags", "index", "name", "offset", "size", "type")

    def __init__(self, index: int, name: str, fields: tuple[int, ...]) -> None:
        self.index = index
        self.name = name
        self.type, self.flags, self.address, self.offset, self.size = fields[1:6]


class Elf:
    """An ELF image that begins at `base` in the open file `descriptor` and is `size` bytes long."""

    def __init__(self, descriptor: int, base: int = 0, size: int | None = None) -> None:
        self.descriptor = descriptor
        self.base = base
        self.size = os.fstat(descriptor).st_size - base if size is None else size
        self._header = self._read_header()
        self.type = self._header[1]
        self._table: bytes | None = None
        self._strings: bytes | None = None

    def read(self, offset: int, size: int) -> bytes:
        """Bytes of the image; raises `ElfError` if it ends before them."""
        if offset < 0 or size < 0 or offset + size > self.size:
            raise ElfError("the file is truncated or damaged")
        data = read_at(self.descriptor, self.base + offset, size)
        if len(data) != size:
            raise ElfError("the file is truncated")
        return data

    def _read_header(self) -> tuple[int, ...]:
        start = read_at(self.descriptor, self.base, min(HEADER.size, self.size))
        if start[:4] != MAGIC:
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

    def section(self, name: str) -> Section | None:
        """The first section of that name."""
        wanted = name.encode() + b"\0"
        names = self.names()
        for index, fields in enumerate(SECTION.iter_unpack(self.table())):
            if names.startswith(wanted, fields[0]):
                return Section(index, name, fields)
        return None

    def table(self) -> bytes:
        """The section header table; empty when there is none."""
        if self._table is None:
            offset, entry, count = self._header[6], self._header[11], self._header[12]
            if offset and entry != SECTION.size:
                raise ElfError("its section header table is damaged")
            if offset and count == 0:
                count = SECTION.unpack(self.read(offset, SECTION.size))[5]
            if count > MAX_SECTIONS:
                raise ElfError(f"it claims to have {count} sections")
            self._table = self.read(offset, count * SECTION.size) if offset else b""
        return self._table

    def names_index(self) -> int:
        """Index of the section that holds the section names."""
        index = self._header[13]
        return int(SECTION.unpack_from(self.table())[6]) if index == SHN_XINDEX and self.table() else index

    def names(self) -> bytes:
        """The string table of the section names."""
        if self._strings is None:
            table, index = self.table(), self.names_index()
            if not table or index == 0:
                self._strings = b""
            elif (index + 1) * SECTION.size > len(table):
                raise ElfError("its section names are damaged")
            else:
                fields = SECTION.unpack_from(table, index * SECTION.size)
                if fields[5] > MAX_STRINGS:
                    raise ElfError("its section names are damaged")
                self._strings = self.read(fields[4], fields[5])
        return self._strings

    def has_code(self) -> bool:
        """Whether a section with instructions is not empty."""
        return any(fields[2] & SHF_EXECINSTR and fields[5] for fields in SECTION.iter_unpack(self.table()))

    def definitions(self) -> Iterator[tuple[bytes, int, int]]:
        """Defined symbols of the symbol table as (name, STT_*, STB_*); none in a stripped image."""
        return ((name, info & 15, info >> 4) for name, info, section in self._symbols(SHT_SYMTAB) if section)

    def missing(self) -> Iterator[bytes]:
        """Names of dynamic symbols that other images have to define."""
        symbols = self._symbols(SHT_DYNSYM)
        return (name for name, info, section in symbols if not section and info >> 4 == STB_GLOBAL)

    def dynamic(self) -> Iterator[tuple[bytes, bool]]:
        """Names of all dynamic symbols, and whether the image defines them."""
        return ((name, section != 0) for name, _, section in self._symbols(SHT_DYNSYM) if name)

    def mentions(self, begins: Iterable[bytes]) -> bool:
        """Whether the name of a dynamic symbol, with a zero behind it, begins with one of these.

        Linkers let a name that is the tail of another one share its bytes: only the symbols say where
        names begin. Quick for tables of any size.
        """
        for names, symbols in self.symbol_tables(SHT_DYNSYM):
            places = {place for begin in begins for place in _occurrences(names, begin)}
            if places and not places.isdisjoint(memoryview(symbols).cast("I")[:: SYMBOL.size // 4].tolist()):
                return True
        return False

    def _symbols(self, kind: int) -> Iterator[tuple[bytes, int, int]]:
        """(name, info, section) of the symbols of tables of one kind."""
        for names, symbols in self.symbol_tables(kind):
            for name, info, _, section, _, _ in SYMBOL.iter_unpack(symbols):
                yield names[name : max(names.find(b"\0", name), name)], info, section

    def symbol_tables(self, kind: int) -> Iterator[tuple[bytes, bytes]]:
        """The names and the entries of symbol tables of one kind."""
        table, found = self.table(), False
        for fields in SECTION.iter_unpack(table):
            if fields[1] != kind:
                continue
            if (fields[6] + 1) * SECTION.size > len(table) or fields[5] % SYMBOL.size:
                raise ElfError("its symbol table is damaged")
            strings = SECTION.unpack_from(table, fields[6] * SECTION.size)
            yield self.read(strings[4], strings[5]), self.read(fields[4], fields[5])
            found = True
        if kind == SHT_DYNSYM and not found and self.is_dynamic():
            yield self._loaded_symbols()

    def _loaded_symbols(self) -> tuple[bytes, bytes]:
        """The dynamic symbols of an image whose section headers were removed, as the loader finds them."""
        from elftools.common.exceptions import ELFError  # few images need it
        from elftools.elf.dynamic import DynamicSegment
        from elftools.elf.elffile import ELFFile

        try:
            with open(self.descriptor, "rb", closefd=False) as stream:
                segments = ELFFile(stream).iter_segments("PT_DYNAMIC")
                dynamic = next(each for each in segments if isinstance(each, DynamicSegment))
                names, symbols = (dynamic.get_table_offset(f"DT_{name}")[1] for name in ("STRTAB", "SYMTAB"))
                size = next((tag["d_val"] for tag in dynamic.iter_tags("DT_STRSZ")), 0)
                if names is None or symbols is None:
                    return b"", b""
                return self.read(names, size), self.read(symbols, dynamic.num_symbols() * SYMBOL.size)
        except (ELFError, ValueError, KeyError, TypeError, StopIteration) as error:
            raise ElfError("its dynamic section is damaged") from error

    def data(self, section: Section) -> bytes:
        """Contents of a section."""
        return b"" if section.type == SHT_NOBITS else self.read(section.offset, section.size)

    def is_dynamic(self) -> bool:
        """Whether the dynamic loader loads it."""
        return any(fields[0] == PT_DYNAMIC for fields in self.segments())

    # ---- segments -------------------------------------------------------------------------------

    def segments(self) -> list[tuple[int, ...]]:
        """Program headers as (type, flags, offset, vaddr, paddr, filesz, memsz, align)."""
        offset, entry, count = self._header[5], self._header[9], self._header[10]
        if offset == 0 or count == 0:
            return []
        if entry != SEGMENT.size or count > MAX_SEGMENTS:
            raise ElfError("its program header table is damaged")
        return list(SEGMENT.iter_unpack(self.read(offset, count * SEGMENT.size)))


def _occurrences(data: bytes, wanted: bytes) -> Iterator[int]:
    """The offsets at which the bytes stand."""
    place = data.find(wanted)
    while place >= 0:
        yield place
        place = data.find(wanted, place + 1)


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


# ---- the editor -------------------------------------------------------------------------------------


def add_sections(descriptor: int, contents: Mapping[str, bytes]) -> None:
    """Append non-loaded sections to an ELF file open for reading and writing.

    A section of the same name gets the new contents instead (its old bytes
    stay in the file, unreferenced). Raises `ElfError` if the file is not
    a sound ELF file, `OSError` if it cannot be written; in both cases the
    file reads as before.
    """
    elf = Elf(descriptor)
    if not elf.table() or elf.names_index() == 0:
        raise ElfError("its sections have no names")
    elf.names()
    try:
        header = _appended(elf, contents)
    except OSError:
        os.ftruncate(descriptor, elf.size)
        raise
    os.pwrite(descriptor, header, 0)


def _appended(elf: Elf, contents: Mapping[str, bytes]) -> bytes:
    """Write data, names and the section table after the end of the file; returns the new file header."""
    table, names, names_index = bytearray(elf.table()), bytearray(elf.names()), elf.names_index()
    position = elf.size
    for name, data in contents.items():
        offset = _put(elf.descriptor, position, data)
        position = offset + len(data)
        existing = elf.section(name)
        if existing is not None:
            _move(table, existing.index, offset, len(data))
        else:
            table += SECTION.pack(len(names), SHT_PROGBITS, 0, 0, offset, len(data), 0, 0, 1, 0)
            names += name.encode() + b"\0"
    offset = _put(elf.descriptor, position, names)
    _move(table, names_index, offset, len(names))
    return _new_header(elf, table, names_index, offset + len(names))


def _move(table: bytearray, index: int, offset: int, size: int) -> None:
    fields = list(SECTION.unpack_from(table, index * SECTION.size))
    fields[4:6] = offset, size
    SECTION.pack_into(table, index * SECTION.size, *fields)


def _new_header(elf: Elf, table: bytearray, names_index: int, position: int) -> bytes:
    """Writes the table at `position`; its first entry has numbers of sections that exceed 16 bits."""
    count = len(table) // SECTION.size
    first = list(SECTION.unpack_from(table))
    first[5] = count if count >= SHN_LORESERVE else 0
    SECTION.pack_into(table, 0, *first)
    header = list(elf._header)
    header[6] = _put(elf.descriptor, (position + 7) & ~7, table)
    header[12] = count if count < SHN_LORESERVE else 0
    header[13] = names_index if names_index < SHN_LORESERVE else SHN_XINDEX
    return HEADER.pack(*header)


def _put(descriptor: int, offset: int, data: bytes | bytearray) -> int:
    view = memoryview(data)
    done = 0
    while done < len(data):
        done += os.pwrite(descriptor, view[done:], offset + done)
    return offset
