"""Files with debug information: sections, also compressed ones, and the files that have what others lack."""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import zlib
from collections.abc import Iterator
from functools import partial

from whence.symbols.dwarf import Dwarf
from whence.symbols.elf import SHT_NOBITS, Elf, ElfError, Section

FOLDERS = ("/usr/lib/debug",)
"""Where systems install debug information apart from the programs."""
_COMPRESSED = 0x800
_ZLIB, _ZSTD = 1, 2
_CHEADER = struct.Struct("<IIQQ")
_BUILD_ID, _NOTE = ".note.gnu.build-id", 16
_MOST_BYTES = 4 << 30


class DebugFile:
    """An ELF file, as far as its debug information and symbols are asked for.

    `unread`: which of its names were not read, and why. Raises `OSError` or `ElfError`.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.unread: str | None = None
        self._stream = open(path, "rb")  # noqa: SIM115  (sections are read when they are asked for)
        self._elf = Elf(self._stream.fileno())

    def section(self, name: str) -> bytes:
        """The contents of a section, decompressed; empty if there is none."""
        found = self._elf.section(name)
        if found is None:
            return b""
        data = self._elf.data(found)
        return _expanded(data) if found.flags & _COMPRESSED and found.type != SHT_NOBITS else data

    def debug(self, name: str, suffix: str = "") -> bytes:
        """The contents of a section of debug information; ``.zdebug_`` is an older form of compression."""
        data = self.section(f".debug_{name}{suffix}")
        if not data:
            old = self.section(f".zdebug_{name}{suffix}")
            data = _inflated(old[12:], int.from_bytes(old[4:12], "big")) if old[:4] == b"ZLIB" else old
        return data

    @property
    def has_debug_information(self) -> bool:
        return self._has(".debug_info") or self._has(".zdebug_info")

    @property
    def has_symbols(self) -> bool:
        return self._has(".symtab")

    def _has(self, name: str) -> bool:
        found: Section | None = self._elf.section(name)
        return found is not None and found.type != SHT_NOBITS and found.size > 0

    @property
    def build_id(self) -> str:
        return self.section(_BUILD_ID)[_NOTE:].hex()

    def dwarf(self) -> Dwarf:
        return Dwarf(self.debug, self._alternate, self._split)

    def _alternate(self) -> Dwarf | None:
        """The debug information that this file shares with others."""
        name, _, identity = self.section(".gnu_debugaltlink").partition(b"\0")
        if not name:
            return None
        path = os.path.join(os.path.dirname(os.path.realpath(self.path)), os.fsdecode(name))
        for place in (path, *_by_build_id(identity.hex())):
            with contextlib.suppress(OSError, ElfError):
                return DebugFile(place).dwarf()
        return None

    def _split(self, directory: str, name: str) -> Dwarf | None:
        """What the compiler has put into a file of its own: where it was made, or beside this file."""
        for place in (
            os.path.join(directory, name),
            os.path.join(os.path.dirname(self.path), os.path.basename(name)),
        ):
            with contextlib.suppress(OSError, ElfError):
                return Dwarf(partial(DebugFile(place).debug, suffix=".dwo"))
        return None

    def apart(self) -> Iterator[DebugFile]:
        """Files with the debug information that was taken out of this one."""
        for path in (*_by_build_id(self.build_id), *self._linked()):
            with contextlib.suppress(OSError, ElfError):
                yield DebugFile(path)

    def _linked(self) -> Iterator[str]:
        """The file that a link in this one names, if its checksum is right."""
        link = self.section(".gnu_debuglink")
        name = os.fsdecode(link.partition(b"\0")[0])
        if not name or len(link) < 4:
            return
        folder = os.path.dirname(os.path.realpath(self.path))
        for place in (folder, os.path.join(folder, ".debug"), *(each + folder for each in FOLDERS)):
            path = os.path.join(place, name)
            with contextlib.suppress(OSError), open(path, "rb") as stream:
                if zlib.crc32(stream.read()) == int.from_bytes(link[-4:], "little"):
                    yield path

    def symbol_tables(self) -> Iterator[Elf]:
        """Images with symbols: this one, and the one with those of functions that it has no others of."""
        yield self._elf
        small = self.section(".gnu_debugdata")
        if not small:
            return
        try:
            import lzma
        except ImportError:  # Python is often built where liblzma was not
            self.unread = "names of its functions are packed, and this Python has no module lzma"
        else:
            with contextlib.suppress(OSError, ElfError, lzma.LZMAError):
                descriptor = os.memfd_create("whence-symbols")
                os.write(descriptor, lzma.decompress(small))
                yield Elf(descriptor)


def _by_build_id(identity: str) -> Iterator[str]:
    if len(identity) > 2:
        for folder in FOLDERS:
            yield f"{folder}/.build-id/{identity[:2]}/{identity[2:]}.debug"


def _expanded(data: bytes) -> bytes:
    kind, _, size, _ = _CHEADER.unpack_from(data)
    packed = data[_CHEADER.size :]
    if kind == _ZLIB:
        return _inflated(packed, size)
    if kind == _ZSTD:
        return _from_zstd(packed, size)
    raise ElfError("a section is compressed in an unknown way")


def _inflated(packed: bytes, size: int) -> bytes:
    if not 0 < size <= _MOST_BYTES:
        raise ElfError("a compressed section is damaged")
    return zlib.decompressobj().decompress(packed, size)


def _from_zstd(packed: bytes, size: int) -> bytes:
    """By the system's library: Python's own has it from 3.14 on only."""
    if size > _MOST_BYTES:
        raise ElfError("a compressed section is damaged")
    try:
        library = ctypes.CDLL("libzstd.so.1")
    except OSError as error:
        raise ElfError("a section is compressed by zstd, and this system has no libzstd.so.1") from error
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    made = ctypes.create_string_buffer(size)
    if library.ZSTD_decompress(made, size, packed, len(packed)) != size:
        raise ElfError("a compressed section is damaged")
    return made.raw
