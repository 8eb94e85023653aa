"""Recording a link, so that `relink` can repeat it with other objects.

The record has every part of the link line in order, and the digests of the modules
of each object and each linked archive member. It attaches the contents of objects
without IR outside of the system's folders, because they may be gone later.
"""

from __future__ import annotations

import contextlib
import os
import stat

from whence.symbols import elf
from whence.toolchain import archive, blob, linkline, options, spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from whence.toolchain.compile import Compilation
    from whence.toolchain.linkline import Part
    from whence.toolchain.linkmap import LinkMap

    Item = dict[str, Any]

SYSTEM_FOLDERS = ("/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/", "/usr/libexec/")
"""Files in these folders are expected to exist at a later link, too."""


_OPTIMISED = ".llvm.lto"
"""The section with what links optimise."""


class NotRecordedError(Exception):
    """The link succeeded, but its record could not be written; the message says why."""


class Object:
    """An object file, or a member of an archive, with its digests and its records of partial links.

    `code`: whether it has instructions; `fat`: whether links can optimise it (`options.FAT`).
    """

    __slots__ = ("code", "digests", "fat", "member", "nested", "path")

    def __init__(self, path: str, member: archive.Member | None) -> None:
        self.path = path
        self.member = member
        self.code = self.fat = False
        self.digests: list[str] = []
        self.nested: list[tuple[dict[str, Any], dict[str, bytes]]] = []

    def place(self) -> tuple[str, int, int | None]:
        """File, offset and size (None: to the end) of the bytes."""
        if self.member is None:
            return self.path, 0, None
        if self.member.path is not None:
            return self.member.path, 0, None
        return self.path, self.member.offset, self.member.size

    def image(self, descriptor: int) -> elf.Elf:
        """The ELF image in the opened file of `place`."""
        _, offset, size = self.place()
        return elf.Elf(descriptor, offset, size)

    def contents(self) -> bytes:
        """All bytes of the object."""
        path, offset, size = self.place()
        with _Opened(path) as descriptor:
            length = os.fstat(descriptor.number).st_size if size is None else size
            return elf.read_at(descriptor.number, offset, length)


class _Opened:
    """A file opened for reading, closed at the end of the block."""

    def __init__(self, path: str, flags: int = os.O_RDONLY) -> None:
        self.number = os.open(path, flags | os.O_CLOEXEC)

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.number)


class Recorder:
    """Examines the inputs before the link, and adds the record to the output after it."""

    def __init__(self, compilation: Compilation) -> None:
        self._compilation = compilation
        arguments = compilation.invocation.arguments
        self._line = list(linkline.parts(arguments))
        self._libraries = linkline.Libraries(self._line)
        self._archives: dict[str, list[Object]] = {}
        self._attached: dict[str, bytes] = {}
        self._files: dict[int, str] = {}
        self._map = ""
        self._optimised = compilation.invocation.optimises_links
        self.plain = ""
        """The name of an object for links that optimise, which this one does not; empty if there is none."""
        self._whole: set[str] = set()
        self._resolve()

    # ---- before the link ------------------------------------------------------------------------

    def _resolve(self) -> None:
        """Finds libraries, reads archives, and attaches the files that may be gone after the link."""
        static = any(part.words[:1] == ("-static",) for part in self._line)
        forced = whole = False
        for index, part in enumerate(self._line):
            if part.kind == "ld" and part.words[0] in ("-Bstatic", "-dn", "-non_shared", "-static"):
                forced = True
            elif part.kind == "ld" and part.words[0] in ("-Bdynamic", "-dy", "-call_shared"):
                forced = False
            elif part.kind == "ld" and part.words[0].endswith("-whole-archive"):
                whole = "no-" not in part.words[0]
            elif part.kind == "library":
                part.path = self._libraries.find(part.words[0], static or forced)
            elif part.kind == "ldfile":
                self._files[index] = self._attach_file(part.path)
            if part.path and part.kind in ("library", "input") and not _in_system(part.path):
                self._read_archive(part.path)
                if whole:
                    self._whole.add(part.path)

    def _read_archive(self, path: str) -> None:
        try:
            with _Opened(path) as file:
                start = os.pread(file.number, 8, 0)
                if not archive.is_archive(start):
                    return
                objects = [Object(path, member) for member in archive.members(file.number, path)]
        except (OSError, archive.ArchiveError):
            return  # the linker reports it
        for each in objects:
            _examine(each)
        self._archives[path] = objects

    def linker_words(self) -> tuple[str, ...]:
        """Words to add to the native link: an option for a map, if digests cannot show the linked members.

        A link that optimises has a list of them instead.
        """
        collected = any(part.words[:1] in (("--gc-sections",), ("-gc-sections",)) for part in self._line)
        unclear = collected or any(not each.digests for group in self._archives.values() for each in group)
        if not self._archives or not (unclear or self._optimised):
            return ()
        if self._own_map() and not self._optimised:
            return ()
        import tempfile

        # lld replaces the file, so it must have a name.
        number, self._map = tempfile.mkstemp(prefix="whence-", suffix=".map")
        os.close(number)
        return ("-Xlinker", f"--why-extract={self._map}" if self._optimised else f"-Map={self._map}")

    def forget(self) -> None:
        """Remove the temporary map file."""
        if self._map:
            with contextlib.suppress(OSError):
                os.unlink(self._map)

    def _own_map(self) -> str:
        """The path of the map file that the user requests, or empty."""
        path = ""
        for part in self._line:
            if part.kind == "ld" and linkline.option_name(part.words[0]) == "Map":
                path = part.words[1] if len(part.words) == 2 else part.words[0].partition("=")[2]
        return path

    # ---- after the link -------------------------------------------------------------------------

    def write(self, output: str) -> None:
        """Adds the record to `output` if any part of it has IR; raises `NotRecordedError`."""
        try:
            with _Opened(output) as file:
                if not elf.is_elf(file.number):
                    return
                image = elf.Elf(file.number)
                section = image.section(blob.IR_SECTION)
                carried = b"" if section is None else image.data(section)
                present = blob.digests(image)
            sources = any(source.digest for source in self._compilation.sources)
            if not (present or sources or self._optimised):
                return
            items = self._items(set(present))
            if not (present or sources or _digests(items)):
                return
            missing = self._missing(items, set(present))
            self._store(output, image.type, items, carried + missing if missing else b"")
        except (elf.ElfError, blob.BlobError, archive.ArchiveError, OSError) as error:
            raise NotRecordedError(str(error)) from error

    def _store(self, output: str, elf_type: int, items: list[Item], carried: bytes) -> None:
        requested = {part.words[0] for part in self._line if part.kind == "driver"}
        if elf_type == elf.ET_REL:
            kind = "object"
        elif "-shared" in requested:
            kind = "shared"
        else:
            kind = "pie" if elf_type == elf.ET_DYN else "exe"
        record = {
            "version": blob.VERSION,
            "kind": kind,
            "cxx": self._compilation.invocation.cxx,
            "cwd": self._compilation.directory,
            "frontend": self._compilation.clang.frontend,
            "items": items,
        }
        sections = {blob.LINK_SECTION: blob.pack_link(record, self._attached)}
        if carried:
            sections[blob.IR_SECTION] = carried
        with _Opened(output, os.O_RDWR) as file:
            elf.add_sections(file.number, sections)

    def _items(self, present: set[str]) -> list[Item]:
        linked = self._link_map()
        sources = iter(self._compilation.sources)
        items: list[Item] = []
        for index, part in enumerate(self._line):
            if part.kind == "input" and part.language in options.IR_LANGUAGES:
                items.append(self._source_item(part, next(sources).digest))
            elif part.kind == "ldfile":
                items.append(
                    {"t": "ldfile", "w": part.words, "p": _absolute(part.path), "f": self._files[index]}
                )
            else:
                items.append(self._item(part, present, linked))
        items += [{"t": "search", "p": _absolute(path)} for path in self._libraries.from_environment]
        return items

    def _item(self, part: Part, present: set[str], linked: LinkMap | None) -> Item:
        if part.kind in ("driver", "ld"):
            return option_item(part)
        if part.kind == "search":
            return {"t": "search", "p": part.path if part.path.startswith("=") else _absolute(part.path)}
        if part.kind == "input" and part.language != "object":
            return self._source_item(part, "")
        path = _absolute(part.path) if part.path else ""
        words = [*part.words]
        if part.path in self._archives:
            return {"t": "archive", "w": words, "p": path, "b": self._members(part.path, present, linked)}
        if part.kind == "library":
            return {"t": "library", "w": words, "p": path}
        return self._file_item(part.path)

    def _source_item(self, part: Part, digest: str) -> Item:
        """The item of a source that the same command compiled; without IR, it attaches a new object."""
        item: Item = {
            "t": "object",
            "p": _absolute(part.path),
            "m": [digest] if digest else [],
            "f": "",
            "n": [],
        }
        if not digest:
            data = self._compilation.native_object(part.path, part.language)
            item["f"] = self._attach(data) if data else ""
            item["c"] = bool(data)
        return item

    def _file_item(self, path: str) -> Item:
        if _in_system(path):
            return {"t": "file", "p": _absolute(path)}
        try:
            with _Opened(path) as file:
                kind = elf.Elf(file.number).type
        except (OSError, elf.ElfError):
            return {
                "t": "file",
                "p": _absolute(path),
            }  # a linker script, or a file that only the linker finds
        if kind == elf.ET_REL:
            one = Object(path, None)
            _examine(one)
            return self._object_item(one, _absolute(path))
        return {"t": "shared", "p": _absolute(path)}

    def _object_item(self, one: Object, name: str) -> Item:
        nested: list[Item] = []
        if one.fat and not self._optimised:
            self.plain = self.plain or name
        for record, files in one.nested:
            nested += record.get("items", [])
            self._attached.update(files)
        covered = set(_digests(nested))
        rest = [digest for digest in one.digests if digest not in covered]
        if nested and rest:  # plain ld joined partial links and other objects
            nested.append({"t": "object", "p": name, "m": rest, "f": "", "n": []})
        content = "" if one.digests else self._attach(one.contents())
        return {"t": "object", "p": name, "m": one.digests, "f": content, "n": nested, "c": one.code}

    def _members(self, path: str, present: set[str], linked: LinkMap | None) -> list[Item]:
        kept = []
        for one in self._archives[path]:
            assert one.member is not None
            if path in self._whole and self._optimised:
                used = True
            elif linked is None:
                used = bool(one.digests) and present.issuperset(one.digests)
            elif one.member.path is not None:
                used = linked.mentions(one.member.path)
            else:
                used = linked.has(path, one.member.name)
            if used:
                kept.append(self._object_item(one, one.member.name))
        return kept

    def _link_map(self) -> LinkMap | None:
        """The linker's map of this link, None without one."""
        path = self._map or self._own_map()
        if not path:
            return None
        from whence.toolchain.linkmap import LinkMap

        try:
            with _Opened(path) as file:
                return LinkMap(spawn.contents(file.number))
        except OSError:
            return None

    def _missing(self, items: list[Item], present: set[str]) -> bytes:
        """The blobs of linked modules that the output lacks: of sources, and of removed sections."""
        wanted = set(_digests(items)) - present
        blobs = {source.digest: source.blob for source in self._compilation.sources}
        objects = [one for group in self._archives.values() for one in group]
        objects += [Object(p.path, None) for p in self._line if p.kind == "input" and p.language == "object"]
        for one in objects:
            if wanted - blobs.keys():
                blobs.update(_blobs_of(one, wanted))
        return b"".join(
            blobs[digest] for digest in dict.fromkeys(_digests(items)) if digest in wanted & blobs.keys()
        )

    # ---- attachments ----------------------------------------------------------------------------

    def _attach(self, data: bytes) -> str:
        import hashlib
        import zlib

        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._attached:
            self._attached[digest] = zlib.compress(data, 6)
        return digest

    def _attach_file(self, path: str) -> str:
        try:
            with _Opened(path) as file:
                if not stat.S_ISREG(os.fstat(file.number).st_mode):
                    return ""
                return self._attach(spawn.contents(file.number))
        except OSError:
            return ""


def option_item(part: Part) -> Item:
    """The item of a part of kind 'driver' or 'ld'."""
    return {"t": part.kind, "w": [*part.words]}


def _digests(items: list[Item]) -> list[str]:
    found: list[str] = []
    for item in items:
        if item["t"] == "archive":
            found += _digests(item["b"])
        elif item["t"] == "object":
            found += item["m"]
    return found


def _examine(one: Object) -> None:
    """Reads the digests and records of an object; changes nothing if it is no ELF object."""
    try:
        with _Opened(one.place()[0]) as file:
            image = one.image(file.number)
            one.digests = blob.digests(image)
            one.code = image.has_code()
            one.fat = image.section(_OPTIMISED) is not None
            section = image.section(blob.LINK_SECTION)
            if section is not None:
                one.nested = blob.unpack_links(image, section)
    except (OSError, elf.ElfError, blob.BlobError):
        return


def _blobs_of(one: Object, wanted: set[str]) -> dict[str, bytes]:
    try:
        with _Opened(one.place()[0]) as file:
            image = one.image(file.number)
            section = image.section(blob.IR_SECTION)
            if section is None:
                return {}
            return {
                entry.digest: image.read(section.offset + entry.start, entry.end - entry.start)
                for entry in blob.entries(image, section)
                if entry.digest in wanted
            }
    except (OSError, elf.ElfError, blob.BlobError):
        return {}


def _absolute(path: str) -> str:
    return os.path.abspath(path)


def _in_system(path: str) -> bool:
    return os.path.realpath(path).startswith(SYSTEM_FOLDERS)
